//! Which program this is.

/// The commit it was built from, where that is known.
pub(crate) fn commit() -> Option<&'static str> {
    known(option_env!("LEDGE_BUILD_COMMIT"))
}

/// A variable that is set to nothing says nothing.
fn known(commit: Option<&'static str>) -> Option<&'static str> {
    commit.filter(|commit| !commit.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_commit_is_none() {
        assert_eq!(known(Some("")), None);
        assert_eq!(known(Some("0123456789ab")), Some("0123456789ab"));
        assert_ne!(commit(), Some(""));
    }

    #[test]
    fn an_images_build_sets_what_the_build_script_reads() {
        let script = include_str!("../build.rs");
        let image = include_str!("../../Dockerfile");
        assert!(script.contains("env::var(\"LEDGE_COMMIT\")"));
        assert!(image.contains(
            "\nARG LEDGE_COMMIT\nRUN LEDGE_COMMIT=\"${LEDGE_COMMIT}\" \\\n    cargo build"
        ));
        assert!(image.contains(".revision=\"${LEDGE_COMMIT}\""));
    }
}

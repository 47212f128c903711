//! Build version of the program.

/// Returns the commit of the build, if it is known.
pub(crate) fn commit() -> Option<&'static str> {
    known(option_env!("LEDGE_BUILD_COMMIT"))
}

/// Treats an empty variable like an absent one.
fn known(commit: Option<&'static str>) -> Option<&'static str> {
    commit.filter(|commit| !commit.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_commit_counts_as_unknown() {
        assert_eq!(known(Some("")), None);
        assert_eq!(known(Some("0123456789ab")), Some("0123456789ab"));
        assert_ne!(commit(), Some(""));
    }

    #[test]
    fn image_build_sets_the_variable_that_the_build_script_reads() {
        let script = include_str!("../build.rs");
        let image = include_str!("../../docker/Dockerfile");
        assert!(script.contains("env::var(\"LEDGE_COMMIT\")"));
        assert!(image.contains(
            "\nARG LEDGE_COMMIT\nRUN LEDGE_COMMIT=\"${LEDGE_COMMIT}\" \\\n    cargo build"
        ));
        assert!(image.contains(".revision=\"${LEDGE_COMMIT}\""));
    }
}

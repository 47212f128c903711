//! Temporary folders of imports. They are deleted at the end; those of killed processes are deleted
//! by a later import.

use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;

use super::{ImportError, ImportResult};
use crate::time::Timestamp;

const PREFIX: &str = "import-";
const SUFFIX: &str = ".tmp";
/// Age from which a folder belongs to a killed process.
const ABANDONED: Duration = Duration::from_hours(48);

/// Creates a temporary folder below `parent`.
pub(super) fn create(parent: &Path, now: Timestamp) -> ImportResult<TempDir> {
    delete_abandoned(parent, now);
    let created = tempfile::Builder::new()
        .prefix(PREFIX)
        .suffix(SUFFIX)
        .tempdir_in(parent);
    created.map_err(|error| {
        ImportError::Refused(format!(
            "A temporary folder in {} cannot be created: {error}.",
            parent.display()
        ))
    })
}

fn delete_abandoned(parent: &Path, now: Timestamp) {
    let Ok(entries) = std::fs::read_dir(parent) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let modified = entry.metadata().and_then(|meta| meta.modified()).ok();
        let age = modified
            .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok())
            .and_then(|since| i64::try_from(since.as_micros()).ok())
            .map(|micros| now.since(Timestamp::from_micros(micros)));
        let is_ours = name.starts_with(PREFIX) && name.ends_with(SUFFIX);
        if is_ours && age.is_some_and(|age| age > ABANDONED) {
            // A folder that cannot be deleted only occupies space.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_old_folders_of_imports_are_deleted() {
        let parent = tempfile::tempdir().expect("a folder");
        let names = ["import-a.tmp", "import-b", "covers.tmp"];
        for name in names {
            std::fs::create_dir(parent.path().join(name)).expect("a folder");
        }
        let count = || std::fs::read_dir(parent.path()).expect("a folder").count();
        delete_abandoned(parent.path(), Timestamp::from_micros(0));
        assert_eq!(count(), 3);
        delete_abandoned(parent.path(), Timestamp::from_micros(i64::MAX));
        assert_eq!(count(), 2);
        assert!(!parent.path().join("import-a.tmp").exists());
    }
}

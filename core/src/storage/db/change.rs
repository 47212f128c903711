//! Detection of commits by this or another process. Cached data stays valid while there is none.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Size in bytes of the header of the log's index. The header is stored twice.
const HEADER: usize = 48;
/// Offset of the flag that the index is initialized.
const IS_INIT: usize = 12;

/// State of the database between two commits. Equal versions have equal rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version([u8; HEADER]);

/// Header of the write-ahead log's index. Each commit changes its counter, length and checksums,
/// whichever process commits. The format is fixed and documented by SQLite. Reading it costs a
/// fraction of `PRAGMA data_version`, which locks and unlocks, and it never waits.
#[derive(Debug)]
pub(super) struct Versions {
    index: Option<&'static File>,
    is_closed: AtomicBool,
}

impl Versions {
    /// Opens the index of the database at `path`. A connection to the database must be open.
    pub(super) fn of(path: &Path) -> Self {
        let mut name = path.as_os_str().to_owned();
        name.push("-shm");
        // The file is never closed, because closing it would drop SQLite's locks on the same file.
        let index = File::open(name)
            .ok()
            .map(|file| &*Box::leak(Box::new(file)));
        Self {
            index,
            is_closed: AtomicBool::new(false),
        }
    }

    /// Returns the current version, or `None` if it cannot be read at once.
    pub(super) fn now(&self) -> Option<Version> {
        let mut both = [0; 2 * HEADER];
        self.index?.read_exact_at(&mut both, 0).ok()?;
        let (first, second) = both.split_at(HEADER);
        // The two copies differ while a commit is being recorded.
        let is_whole = first == second && first.get(IS_INIT) == Some(&1);
        let may_tell = is_whole && !self.is_closed.load(Ordering::Relaxed);
        may_tell.then(|| first.try_into().ok().map(Version))?
    }

    pub(super) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::super::open;
    use super::*;

    #[test]
    fn commit_of_any_process_changes_version() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ledge.db");
        let writer = open::writable(&path).expect("a database");
        writer.execute_batch("CREATE TABLE t (a)").expect("a table");
        let versions = Versions::of(&path);
        let mut known = vec![versions.now().expect("a version")];
        for sql in [
            "INSERT INTO t VALUES (1)",
            "UPDATE t SET a = 2",
            "PRAGMA wal_checkpoint(TRUNCATE)",
            "DELETE FROM t",
        ] {
            let other = open::writable(&path).expect("another process, as far as SQLite knows");
            other.execute_batch(sql).expect(sql);
            let now = versions.now().expect("a version");
            if !sql.starts_with("PRAGMA") {
                assert!(!known.contains(&now), "{sql}");
            }
            known.push(now);
            assert_eq!(versions.now(), Some(now));
        }
        versions.close();
        assert_eq!(versions.now(), None);
    }
}

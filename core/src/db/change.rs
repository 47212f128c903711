//! Whether anything was committed since, by this process or another: what was read before holds
//! as long as nothing was.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes of the header of the log's index, which stands there twice.
const HEADER: usize = 48;
/// Where it says that it is in use.
const IS_INIT: usize = 12;

/// The state of the database between two commits. Equal states hold equal rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version([u8; HEADER]);

/// The index of the write-ahead log, as far as it tells of commits: each changes the header by a
/// count, a length and check sums, whichever process commits. SQLite's format of it is fixed and
/// described; one look costs a fraction of `PRAGMA data_version`, which locks and unlocks, and
/// waits for nobody.
#[derive(Debug)]
pub(super) struct Versions {
    index: Option<&'static File>,
    is_closed: AtomicBool,
}

impl Versions {
    /// Of the database at `path`, which somebody has open.
    pub(super) fn of(path: &Path) -> Self {
        let mut name = path.as_os_str().to_owned();
        name.push("-shm");
        // Never closed: with it would go the locks that SQLite has on the same file.
        let index = File::open(name)
            .ok()
            .map(|file| &*Box::leak(Box::new(file)));
        Self {
            index,
            is_closed: AtomicBool::new(false),
        }
    }

    /// The version now; `None` where it cannot be told at once.
    pub(super) fn now(&self) -> Option<Version> {
        let mut both = [0; 2 * HEADER];
        self.index?.read_exact_at(&mut both, 0).ok()?;
        let (first, second) = both.split_at(HEADER);
        // They differ while a commit is being told.
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
    fn each_commit_makes_another_version_whoever_commits() {
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

//! Whether anything was committed since, by this process or another: what was read before holds
//! as long as nothing was.

use std::fmt;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use super::open;
use crate::store::StoreResult;

/// The state of the database between two commits. Equal states hold equal rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version(i64);

/// A connection that looks at nothing but the version. It may be asked on an async thread: it
/// reads shared memory, does not wait for anybody, and whoever else holds it is as quick.
pub(super) struct Versions(Mutex<Option<Connection>>);

impl fmt::Debug for Versions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Versions")
    }
}

impl Versions {
    pub(super) fn of(path: &Path) -> StoreResult<Self> {
        let connection = open::unread(path)?;
        connection.busy_timeout(std::time::Duration::ZERO)?;
        Ok(Self(Mutex::new(Some(connection))))
    }

    /// The version now; `None` where it cannot be told at once.
    pub(super) fn now(&self) -> Option<Version> {
        let guard = self.lock();
        let mut statement = guard.as_ref()?.prepare_cached("PRAGMA data_version").ok()?;
        statement.query_row([], |row| row.get(0).map(Version)).ok()
    }

    pub(super) fn close(&self) {
        drop(self.lock().take());
    }

    /// A poisoned mutex guards a connection that a panic cannot have left in the middle of
    /// anything.
    fn lock(&self) -> MutexGuard<'_, Option<Connection>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_commit_makes_another_version_whoever_commits() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ledge.db");
        let writer = open::writable(&path).expect("a database");
        writer.execute_batch("CREATE TABLE t (a)").expect("a table");
        let versions = Versions::of(&path).expect("versions");
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

//! The lock that keeps a second server off the same database.

use std::fs::File;
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;

use crate::store::{StoreError, StoreResult};

/// Held for as long as a server runs; the system lets go of it however the process ends.
#[derive(Debug)]
pub struct ServerLock {
    _file: File,
}

impl ServerLock {
    /// Takes the lock on `DATABASE.lock`. The database itself is never locked this way: closing
    /// any descriptor of it would drop SQLite's own locks.
    pub fn take(database: &Path) -> StoreResult<Self> {
        let path = lock_path(database);
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(|error| {
                StoreError::Refused(format!(
                    "{} cannot be written: {error}. Set LEDGE_DATABASE to a file in a folder that \
                     can be written to.",
                    path.display()
                ))
            })?;
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Self { _file: file }),
            Err(rustix::io::Errno::WOULDBLOCK) => Err(StoreError::Refused(format!(
                "Another server is running on the database {}. Stop it first, or set \
                 LEDGE_DATABASE to another file.",
                database.display()
            ))),
            Err(error) => Err(StoreError::Refused(format!(
                "{} cannot be locked: {error}.",
                path.display()
            ))),
        }
    }
}

fn lock_path(database: &Path) -> PathBuf {
    let mut path = database.as_os_str().to_owned();
    path.push(".lock");
    path.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_server_is_refused_until_the_first_is_gone() {
        let folder = tempfile::tempdir().expect("a folder");
        let database = folder.path().join("ledge.db");
        let first = ServerLock::take(&database).expect("the first");
        let error = ServerLock::take(&database)
            .expect_err("the second")
            .to_string();
        assert!(error.contains("Another server"), "{error}");
        drop(first);
        ServerLock::take(&database).expect("after the first");
    }
}

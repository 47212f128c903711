//! Lock that prevents a second server on the same database.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::FlockOperation;
use rustix::io::Errno;

use crate::error::{StoreError, StoreResult};

/// Maximum time to wait for the lock.
const MAX_WAIT: Duration = Duration::from_secs(1);
/// Pause between two attempts.
const RETRY: Duration = Duration::from_millis(20);

/// Lock that a running server holds. The system releases it when the process ends, even after a
/// crash.
#[derive(Debug)]
pub struct ServerLock {
    _file: File,
}

impl ServerLock {
    /// Takes the lock on `DATABASE.lock`. The database file itself is never locked this way,
    /// because closing any descriptor of it would drop SQLite's locks.
    ///
    /// # Errors
    ///
    /// Returns [`StoreError::Refused`] if another server holds the lock or the lock file cannot be
    /// written.
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
        match lock(&file) {
            Ok(()) => Ok(Self { _file: file }),
            Err(Errno::WOULDBLOCK) => Err(StoreError::Refused(format!(
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

/// Locks the file, for at most [`MAX_WAIT`]. A subprocess that a killed server was starting shares
/// its lock until it runs its own program, so a restart directly after `kill -9` can find it locked.
fn lock(file: &File) -> rustix::io::Result<()> {
    let start = Instant::now();
    loop {
        match rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) if start.elapsed() < MAX_WAIT => thread::sleep(RETRY),
            result => return result,
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
    fn second_server_is_refused_until_first_ends() {
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

    #[test]
    fn lock_that_is_released_meanwhile_is_taken() {
        let folder = tempfile::tempdir().expect("a folder");
        let database = folder.path().join("ledge.db");
        let first = ServerLock::take(&database).expect("the first");
        thread::scope(|scope| {
            let second = scope.spawn(|| ServerLock::take(&database));
            thread::sleep(2 * RETRY);
            drop(first);
            second.join().expect("no panic").expect("the second");
        });
    }
}

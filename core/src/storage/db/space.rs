//! Detection of a full disk behind SQLite errors that do not name it.
//!
//! SQLite reports `SQLITE_FULL` only if a plain write fails with `ENOSPC`. Other operations fail
//! for the same reason with other codes (`os_unix.c`):
//!
//! | operation | code |
//! |---|---|
//! | a write beyond a quota (`EDQUOT`) | `SQLITE_IOERR_WRITE` |
//! | growth of the log's index (`-shm`) | `SQLITE_IOERR_SHMSIZE`, `SQLITE_IOERR_SHMOPEN` |
//! | a flush of delayed writes | `SQLITE_IOERR_FSYNC`, `SQLITE_IOERR_DIR_FSYNC` |
//! | growth of a file by truncation | `SQLITE_IOERR_TRUNCATE` |
//! | creation of the log or a temporary file | `SQLITE_CANTOPEN` |
//!
//! The system's error number is not available without `unsafe`. Instead, a short trial write to the
//! same folder shows if there is space.

use std::io::Write as _;
use std::path::Path;

use rusqlite::{Connection, ErrorCode};

use crate::error::{StoreError, is_for_lack_of_space};

/// Size of the trial write in bytes: twice the amount by which SQLite extends the index of its log.
const TRIAL: usize = 64 << 10;

/// Returns [`StoreError::DiskFull`] for an I/O error of a connection whose disk is full, and any
/// other error unchanged.
pub(super) fn explain(connection: &Connection, error: StoreError) -> StoreError {
    match connection.path() {
        Some(path) => explain_at(Path::new(path), error),
        None => error,
    }
}

/// Does the same for the database at `path`.
pub(super) fn explain_at(path: &Path, error: StoreError) -> StoreError {
    let folder = super::open::folder_of(path);
    if may_be_lack_of_space(&error) && is_full(folder) {
        tracing::warn!(%error, "the disk of the database is full");
        return StoreError::DiskFull;
    }
    error
}

fn may_be_lack_of_space(error: &StoreError) -> bool {
    let StoreError::Sqlite(error) = error else {
        return false;
    };
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::SystemIoFailure | ErrorCode::CannotOpen)
    )
}

fn is_full(folder: &Path) -> bool {
    let trial = || {
        let mut file = tempfile::tempfile_in(folder)?;
        file.write_all(&vec![0x5a; TRIAL])?;
        file.sync_data()
    };
    trial().is_err_and(|error| is_for_lack_of_space(&error))
}

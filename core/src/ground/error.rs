//! Errors that several layers share: of the store, and of readers of untrusted files.

use std::io;

pub use ledge_formats::ReadError;
use rusqlite::ErrorCode;

/// Result of every store function.
pub type StoreResult<T> = Result<T, StoreError>;

/// Error of a store function. Absence is not an error: look-ups return an `Option`.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Error reported by SQLite.
    #[error(transparent)]
    Sqlite(rusqlite::Error),
    /// The disk is full, or a quota is used up. The transaction was rolled back.
    #[error("The disk is full.")]
    DiskFull,
    /// A rule between rows does not allow the change; the value is a sentence for the user.
    #[error("{0}")]
    Conflict(String),
    /// The row has another version than the caller expects.
    #[error("It has changed in the meantime.")]
    Stale,
    /// A value is not acceptable.
    #[error("{message}")]
    Invalid {
        /// Name of the field in the request.
        field: &'static str,
        /// Sentence that describes the problem.
        message: String,
    },
    /// The program cannot use this database; the value is a sentence for the administrator.
    #[error("{0}")]
    Refused(String),
    /// The queue of the database is full, or another process holds the database for too long.
    #[error("The database is busy.")]
    Busy,
    /// The database has been closed, because the server is stopping.
    #[error("The database is closed.")]
    Closed,
    /// The database work panicked; the log contains the message.
    #[error("The work on the database failed.")]
    Panicked,
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::DiskFull,
            _ => Self::Sqlite(error),
        }
    }
}

/// Converts file errors, including SQLite errors that blob I/O wraps.
impl From<io::Error> for StoreError {
    fn from(error: io::Error) -> Self {
        match error.downcast::<rusqlite::Error>() {
            Ok(error) => error.into(),
            Err(error) if is_for_lack_of_space(&error) => Self::DiskFull,
            Err(error) => Self::Refused(error.to_string()),
        }
    }
}

/// Returns `true` if the system refused a write because a disk is full or a quota is used up.
pub(crate) fn is_for_lack_of_space(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}

/// Returns `true` if the cause of an error is a full disk or a used-up quota.
pub fn is_disk_full(cause: &(dyn std::error::Error + 'static)) -> bool {
    let of_sqlite = cause
        .downcast_ref::<rusqlite::Error>()
        .and_then(rusqlite::Error::sqlite_error_code);
    cause
        .downcast_ref::<io::Error>()
        .is_some_and(is_for_lack_of_space)
        || matches!(cause.downcast_ref(), Some(StoreError::DiskFull))
        || of_sqlite == Some(ErrorCode::DiskFull)
}

impl StoreError {
    /// Copies the error for another caller of the same commit.
    pub(crate) fn again(&self) -> Self {
        match self {
            Self::Conflict(message) => Self::Conflict(message.clone()),
            Self::Invalid { field, message } => Self::Invalid {
                field,
                message: message.clone(),
            },
            Self::Stale => Self::Stale,
            Self::DiskFull => Self::DiskFull,
            Self::Closed => Self::Closed,
            Self::Busy => Self::Busy,
            Self::Panicked => Self::Panicked,
            error if error.is_busy() => Self::Busy,
            error => Self::Refused(error.to_string()),
        }
    }

    /// Returns `true` if another attempt may succeed.
    pub fn is_busy(&self) -> bool {
        match self {
            Self::Busy => true,
            Self::Sqlite(error) => matches!(
                error.sqlite_error_code(),
                Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
            ),
            _ => false,
        }
    }

    /// Returns `true` if a `UNIQUE` constraint was violated.
    pub fn is_unique_violation(&self) -> bool {
        // SQLITE_CONSTRAINT_UNIQUE and SQLITE_CONSTRAINT_PRIMARYKEY.
        matches!(self, Self::Sqlite(rusqlite::Error::SqliteFailure(error, _))
            if matches!(error.extended_code, 2067 | 1555))
    }
}

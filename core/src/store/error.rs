//! What a store function answers when it cannot do what it was asked.

use std::io;

use rusqlite::ErrorCode;

/// The result of every store function.
pub type StoreResult<T> = Result<T, StoreError>;

/// Absence is no error: functions that look something up answer an `Option`.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// SQLite's own answer.
    #[error(transparent)]
    Sqlite(rusqlite::Error),
    /// The disk has no space left, or a quota is used up. Nothing of the transaction was kept.
    #[error("The disk is full.")]
    DiskFull,
    /// A rule between rows does not allow it; a sentence for the person who asked.
    #[error("{0}")]
    Conflict(String),
    /// A value is not acceptable; the field's name and a sentence.
    #[error("{message}")]
    Invalid {
        /// The field in the request.
        field: &'static str,
        /// What is wrong with it.
        message: String,
    },
    /// The program cannot go on with this database; a sentence for the person who runs it.
    #[error("{0}")]
    Refused(String),
    /// Too much waits already, or another process holds the database for too long.
    #[error("The database is busy.")]
    Busy,
    /// The database has been closed: the server is stopping.
    #[error("The database is closed.")]
    Closed,
    /// The work panicked; the log has the message.
    #[error("The work on the database was cut short.")]
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

/// Errors of files, and those of SQLite that its blobs wrap as I/O errors.
impl From<io::Error> for StoreError {
    fn from(error: io::Error) -> Self {
        match error.downcast::<rusqlite::Error>() {
            Ok(error) => error.into(),
            Err(error) if is_for_lack_of_space(&error) => Self::DiskFull,
            Err(error) => Self::Refused(error.to_string()),
        }
    }
}

/// Returns whether the system refused a write because a disk is full or a quota is used up.
pub(crate) fn is_for_lack_of_space(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}

impl StoreError {
    /// The same error for another caller of the same commit.
    pub(crate) fn again(&self) -> Self {
        match self {
            Self::Conflict(message) => Self::Conflict(message.clone()),
            Self::Invalid { field, message } => Self::Invalid {
                field,
                message: message.clone(),
            },
            Self::DiskFull => Self::DiskFull,
            Self::Closed => Self::Closed,
            Self::Busy => Self::Busy,
            Self::Panicked => Self::Panicked,
            error if error.is_busy() => Self::Busy,
            error => Self::Refused(error.to_string()),
        }
    }

    /// Whether another attempt may succeed.
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

    /// Whether a `UNIQUE` rule was broken.
    pub fn is_unique_violation(&self) -> bool {
        // SQLITE_CONSTRAINT_UNIQUE and SQLITE_CONSTRAINT_PRIMARYKEY.
        matches!(self, Self::Sqlite(rusqlite::Error::SqliteFailure(error, _))
            if matches!(error.extended_code, 2067 | 1555))
    }
}

//! Errors of readers.

use std::io;

/// Result of reading a file.
pub type ReadResult<T> = Result<T, ReadError>;

/// Reason why a file could not be read. The text appears in the scan's error list, after the path.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Error of the operating system.
    #[error("{0}")]
    Io(#[source] io::Error),
    /// The content does not match its extension, or is damaged.
    #[error("{0}")]
    Damaged(String),
    /// A limit was exceeded.
    #[error("gave up: {0}")]
    Limit(String),
    /// The reader itself failed.
    #[error("{0}")]
    Crashed(String),
}

/// Builds the error of a damaged file.
pub fn damaged(message: impl Into<String>) -> ReadError {
    ReadError::Damaged(message.into())
}

/// Builds the error of an exceeded limit.
pub fn limit(message: impl Into<String>) -> ReadError {
    ReadError::Limit(message.into())
}

/// Restores an error that a [`Source`](crate::Source) returned through [`io::Read`].
impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        error.downcast::<Self>().unwrap_or_else(Self::Io)
    }
}

impl From<ReadError> for io::Error {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Io(error) => error,
            other => Self::other(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_survives_conversion_to_io_error() {
        let error = ReadError::from(io::Error::from(limit("too long")));
        assert!(matches!(error, ReadError::Limit(text) if text == "too long"));
        let error = ReadError::from(io::Error::from(io::ErrorKind::NotFound));
        assert!(matches!(error, ReadError::Io(error) if error.kind() == io::ErrorKind::NotFound));
    }
}

//! Archives that books and comics are packed in.

pub mod zip;

use ledge_core::registry::reading::ReadError;

/// What reading comes to.
pub(crate) type ReadResult<T> = Result<T, ReadError>;

/// The content is not what it should be.
pub(crate) fn damaged(message: &str) -> ReadError {
    ReadError::Damaged(message.to_owned())
}

/// There is more of it than will be read.
pub(crate) fn limit(message: &str) -> ReadError {
    ReadError::Limit(message.to_owned())
}

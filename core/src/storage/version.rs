//! Versions of resources that several clients change, and the condition of a write.

use crate::error::{StoreError, StoreResult};

/// Versions that a request accepts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ExpectedVersion {
    /// Every version.
    #[default]
    Any,
    /// One of these versions.
    OneOf(Vec<i64>),
}

impl ExpectedVersion {
    /// Compares the current version with the accepted ones.
    ///
    /// # Errors
    ///
    /// Returns [`StoreError::Stale`] if the current version is not accepted.
    pub fn check(&self, current: i64) -> StoreResult<()> {
        match self {
            Self::OneOf(versions) if !versions.contains(&current) => Err(StoreError::Stale),
            _ => Ok(()),
        }
    }
}

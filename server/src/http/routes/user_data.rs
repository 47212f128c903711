//! A user's progress and annotations.

pub(crate) mod annotations;
pub(crate) mod progress;

//! A user's progress and annotations.

pub(crate) mod annotations;
pub(crate) mod mark;
pub(crate) mod progress;

//! A user's progress, annotations and statistics.

pub(crate) mod annotations;
pub(crate) mod export;
pub(crate) mod favourites;
pub(crate) mod mark;
pub(crate) mod plays;
pub(crate) mod progress;
pub(crate) mod statistics;

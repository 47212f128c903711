//! What users add to items to arrange them.

pub(crate) mod ratings;
pub(crate) mod tags;

//! OPDS 2.0: the feeds as JSON.

pub(crate) mod json;
pub(crate) mod names;
mod publication;
pub(crate) mod publications;
pub(crate) mod root;

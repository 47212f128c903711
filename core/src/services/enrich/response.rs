//! Validation and bounds of provider responses.

pub(super) mod details;
pub mod lenient_json;
pub(super) mod sanitize;
pub mod shape;

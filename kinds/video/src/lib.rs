//! The video kind.

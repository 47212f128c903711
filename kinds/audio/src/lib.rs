//! The audio kind.

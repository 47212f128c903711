//! The books kind.

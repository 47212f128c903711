//! The games kind.

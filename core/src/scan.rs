//! The scanner.

pub mod name;

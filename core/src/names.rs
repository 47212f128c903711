//! Reading file and folder names: the primitives every kind makes titles, years and people with.

pub mod articles;
pub mod brackets;
pub mod clean;
pub mod natural;
pub mod people;
pub mod year;

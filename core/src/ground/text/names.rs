//! Parsers for file and folder names: the primitives with which kinds extract titles, years and
//! people.

pub mod articles;
pub mod brackets;
pub mod clean;
pub mod natural;
pub mod people;
pub mod year;

//! Names of files: titles, release marks and discs.

pub mod disc;
pub mod display;
pub mod names;
pub mod release;

//! Names of files: titles, release marks and discs.

pub mod disc;
pub mod names;
pub mod release;

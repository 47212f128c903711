//! Shared test support of kinds and providers: real files with known facts, damaged files, and
//! invariants of every grouping.

mod corpus;
mod damage;
mod grouping;
mod seven;
mod zip;

pub use corpus::{Corpus, READ_TOOLS, Tally, in_time};
pub use damage::{Aim, MAX_WAIT, survives, survives_aimed};
pub use grouping::{assert_alike_in_parts, assert_every_file_once, assert_groups_quickly, groups};
pub use seven::{seven, seven_coded};
pub use zip::ZipBuilder;

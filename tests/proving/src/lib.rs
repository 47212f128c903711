//! What the tests of kinds and providers share: files of the real world and what is known of them,
//! damaged files without end, and what must hold of every grouping.

mod corpus;
mod damage;
mod grouping;
mod seven;

pub use corpus::{Corpus, READ_TOOLS, Tally, in_time};
pub use damage::{Aim, PATIENCE, survives, survives_aimed};
pub use grouping::{assert_alike_in_parts, assert_every_file_once, assert_groups_quickly, groups};
pub use seven::{seven, seven_coded};

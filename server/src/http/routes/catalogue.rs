//! Items, their metadata and the lists of them.

pub(crate) mod bulk;
pub(crate) mod covers;
pub(crate) mod edits;
pub(crate) mod enrichment;
pub(crate) mod episodes;
pub(crate) mod filter;
pub(crate) mod home;
pub(crate) mod items;
pub(crate) mod missing;
pub(crate) mod names;
pub(crate) mod people;
pub(crate) mod search;
pub(crate) mod series;

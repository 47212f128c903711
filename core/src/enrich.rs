//! Enrichment: what providers know of an item, compared with what is known of it here.

pub mod loose;
pub mod matching;
pub mod phrase;

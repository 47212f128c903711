//! The database: its access rules, and all statements.

pub mod access;
pub mod db;
pub mod playback;
pub mod search;
pub mod store;
pub mod version;

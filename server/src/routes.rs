//! The handlers, one file per resource.

pub(crate) mod annotations;
pub(crate) mod auth;
pub(crate) mod covers;
pub(crate) mod directories;
pub(crate) mod edits;
pub(crate) mod enrichment;
pub(crate) mod events;
pub(crate) mod files;
pub(crate) mod grants;
pub(crate) mod home;
pub(crate) mod items;
pub(crate) mod jobs;
pub(crate) mod libraries;
pub(crate) mod links;
pub(crate) mod matches;
pub(crate) mod metrics;
pub(crate) mod missing;
pub(crate) mod names;
pub(crate) mod places;
pub(crate) mod playback;
pub(crate) mod scans;
pub(crate) mod search;
pub(crate) mod system;
pub(crate) mod users;

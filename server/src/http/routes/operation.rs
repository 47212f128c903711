//! State of the server, backups, jobs, events, and settings of metadata providers.

pub(crate) mod activity;
pub(crate) mod backups;
pub(crate) mod events;
pub(crate) mod imports;
pub(crate) mod jobs;
pub(crate) mod metadata;
pub(crate) mod metrics;
pub(crate) mod status;
pub(crate) mod system;

//! State of the server, file requests, backups, jobs and events.

pub(crate) mod activity;
pub(crate) mod backups;
pub(crate) mod events;
pub(crate) mod imports;
pub(crate) mod jobs;
pub(crate) mod metrics;
pub(crate) mod status;
pub(crate) mod system;

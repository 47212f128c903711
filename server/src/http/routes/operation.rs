//! State of the server, jobs and events.

pub(crate) mod events;
pub(crate) mod jobs;
pub(crate) mod metrics;
pub(crate) mod system;

//! Work on the stored library: scans, covers, metadata and shelves, with their jobs and events.

pub mod app;
pub mod backup;
pub mod cover;
pub mod enrich;
pub mod events;
pub mod home;
pub mod jobs;
pub mod net;
pub mod scan;

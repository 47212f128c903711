//! Work on the stored library: scans, covers, metadata and shelves, with their jobs and events.

pub mod app;
pub mod cover;
pub mod enrich;
pub mod events;
pub mod home;
pub mod jobs;
pub mod net;
pub mod scan;
pub mod transfer {
    //! Data that leaves Ledge or comes from other programs.

    pub mod backup;
    pub mod export;
    pub mod import;
}

//! Libraries, their scans, and folders of the server.

pub(crate) mod directories;
pub(crate) mod libraries;
pub(crate) mod scans;

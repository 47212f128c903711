//! What surrounds every request: its id and log line, headers, compression, refusals, drained uploads.

pub(crate) mod access_log;
pub(crate) mod compression;
pub(crate) mod drain;
pub(crate) mod headers;
pub(crate) mod refuse;

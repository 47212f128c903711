//! What surrounds every request: its id and log line, headers, refusals, drained uploads.

pub(crate) mod access_log;
pub(crate) mod drain;
pub(crate) mod headers;
pub(crate) mod refuse;

//! Middleware around every request: request id, access log, headers, compression, rejections and
//! draining of uploads.

pub(crate) mod access_log;
pub(crate) mod compression;
pub(crate) mod headers;
pub(crate) mod read_rest_of_body;
pub(crate) mod rejections;

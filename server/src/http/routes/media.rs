//! Bytes of files, playability and tickets.

pub(crate) mod archives;
pub(crate) mod files;
pub(crate) mod links;
pub(crate) mod playback;

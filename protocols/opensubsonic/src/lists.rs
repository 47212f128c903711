//! Lists of albums and songs.

pub(crate) mod albums;
pub(crate) mod songs;
pub(crate) mod starred;

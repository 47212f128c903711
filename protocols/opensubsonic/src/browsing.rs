//! Browsing: music folders, artists, albums, songs and genres.

pub(crate) mod albums;
pub(crate) mod artists;
pub(crate) mod folders;
pub(crate) mod genres;
pub(crate) mod info;
pub(crate) mod similar;

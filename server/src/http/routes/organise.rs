//! Tags, ratings, playlists, collections, works and the saved queue of users.

pub(crate) mod collections;
pub(crate) mod lists;
pub(crate) mod playlists;
pub(crate) mod queue;
pub(crate) mod ratings;
pub(crate) mod tags;
pub(crate) mod works;

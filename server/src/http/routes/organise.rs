//! What users add to items to arrange them, and the lists that they put together.

mod id_list;
pub(crate) mod playlists;
pub(crate) mod queue;
pub(crate) mod ratings;
pub(crate) mod tags;

//! Names of files and folders: films, episodes, seasons, extras, and the words of releases.

pub(crate) mod episode;
pub(crate) mod extras;
pub(crate) mod film;
pub(crate) mod name;
pub(crate) mod role;
pub(crate) mod season;
mod season_words;
pub(crate) mod show;
pub(crate) mod title;

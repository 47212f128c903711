//! Role of a file, derived from its name and its folder: film, episode or extra.

use std::path::Path;

use super::{extras, season};
use crate::naming::episode::{self, NamingStyle};

/// Role of a file within its item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileRole {
    /// `true` if the file's title differs from its item's title, as for an episode or an extra.
    pub(crate) is_part: bool,
    /// `true` for an episode of a show.
    pub(crate) is_episode: bool,
}

impl FileRole {
    /// Derives the role from the names of the file and its folder.
    pub(crate) fn from_path(path: &Path) -> Self {
        let stem = name(path.file_stem());
        let folder = name(path.parent().and_then(Path::file_name));
        let is_episode =
            episode::parse(&stem).is_some_and(|episode| episode.style != NamingStyle::Bare);
        let is_extra = extras::is_folder(&folder) || extras::without_suffix(&stem).is_some();
        let is_episode = is_episode || season::parse(&folder).is_some();
        Self {
            is_part: is_episode || is_extra,
            is_episode: is_episode && !is_extra,
        }
    }
}

fn name(name: Option<&std::ffi::OsStr>) -> String {
    name.map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

//! Where a file lies: whether it is a film of its own or a part of something.

use std::path::Path;

use crate::episode::{self, Form};
use crate::{extras, season};

/// What name and folder say of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Whether its title is not its item's: it is an episode, or an extra.
    pub is_part: bool,
    /// Whether it is an episode of a show.
    pub is_episode: bool,
}

impl Place {
    /// Judges by the file's name and its folder's.
    pub fn of(path: &Path) -> Self {
        let stem = name(path.file_stem());
        let folder = name(path.parent().and_then(Path::file_name));
        let is_episode = episode::parse(&stem).is_some_and(|episode| episode.form != Form::Bare);
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

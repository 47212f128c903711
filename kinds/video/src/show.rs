//! Where a folder's episodes belong: which show, and which season where names do not say.

use ledge_core::names::clean;
use ledge_core::registry::naming::FolderListing;

use crate::episode::{self, Episode, Form};
use crate::extras;
use crate::film::{self, Film};
use crate::name::{is_generic, slug};
use crate::season::{self, Season};

/// The show a folder belongs to, as far as folders tell.
#[derive(Debug, Clone)]
pub(crate) struct Setting {
    /// Path of the folder in which the show lies.
    above: String,
    /// The show's folder, or `None` where the files name their shows.
    show: Option<String>,
    /// The season the folder stands for.
    pub(crate) season: Option<i64>,
}

impl Setting {
    /// Reads the folders from the innermost outwards.
    pub(crate) fn of(folder: &FolderListing<'_>) -> Self {
        let parts: Vec<&str> = folder.parts().collect();
        let Some((own, above)) = parts.split_last() else {
            return Self::below(&[], folder.library, None);
        };
        // `Show/Season 1/Extras` and folders of one episode each belong where their parent does.
        if let Some(Season { number, show }) = season::parse(own) {
            return match show {
                Some(show) if !above.last().is_some_and(|last| starts_alike(&show, last)) => Self {
                    above: above.join("/"),
                    show: Some(show),
                    season: Some(number),
                },
                _ => Self::below(above, folder.library, Some(number)),
            };
        }
        let episode = episode::parse(own).filter(|episode| episode.form == Form::Numbered);
        if episode.is_some() {
            let season = above.last().and_then(|last| season::parse(last));
            let outer = if season.is_some() {
                above.len() - 1
            } else {
                above.len()
            };
            let outer = above.get(..outer).unwrap_or_default();
            let mut setting = Self::below(outer, folder.library, season.map(|s| s.number));
            if setting.season.is_none() && outer.is_empty() {
                setting.show = None;
            }
            return setting;
        }
        Self::below(&parts, folder.library, None)
    }

    /// The show that is the last of these folders; at the root it may be the library itself.
    fn below(parts: &[&str], library: &str, season: Option<i64>) -> Self {
        let (own, above) = match parts.split_last() {
            Some((own, above)) => (*own, above),
            None => (library, parts),
        };
        let sorts = is_generic(own) || parts.is_empty() && season.is_none();
        Self {
            above: if sorts {
                parts.join("/")
            } else {
                above.join("/")
            },
            show: (!sorts).then(|| own.to_owned()),
            season,
        }
    }

    /// Whether a name of this form is an episode's here. `others` is how many names of the folder
    /// share its form and show.
    pub(crate) fn admits(
        &self,
        episode: &Episode,
        others: usize,
        has_year: impl FnOnce() -> bool,
    ) -> bool {
        let in_season = self.season.is_some();
        let at_home = || {
            let show = self.show.as_ref();
            show.is_some_and(|show| starts_alike(&episode.show, show))
        };
        match episode.form {
            Form::Numbered => true,
            Form::Released => !has_year(),
            Form::Dated => in_season || !episode.show.is_empty() && (others > 1 || at_home()),
            Form::Counted => in_season || others > 1 && !has_year(),
            Form::Bare => in_season,
        }
    }

    /// The key of a show, and what its name says.
    pub(crate) fn show_of(&self, named: &str) -> (String, Film) {
        // Where the folder is a heap of several shows' files, the files say whose they are.
        let folder = self.show.as_deref();
        let owner = match folder {
            Some(folder) if self.season.is_some() => Some(folder),
            Some(folder) if named.is_empty() || starts_alike(named, folder) => Some(folder),
            Some(folder) if !has_digits(named) && starts_alike(folder, named) => Some(folder),
            _ => None,
        };
        let title = owner.unwrap_or(named);
        let mut show = owner.map_or_else(|| film::parse_spaced(named), film::parse);
        if show.title.is_empty() {
            show.title = Some(clean::plain(title))
                .filter(|t| !t.is_empty())
                .unwrap_or_else(untitled);
        }
        let year = show.year.map(|year| format!(" {year}")).unwrap_or_default();
        let gap = if self.above.is_empty() { "" } else { "/" };
        // No path has an empty part: keys of shows meet no other key.
        let key = format!("{}{gap}/show/{}{year}", self.above, slug(&show.title));
        (key, show)
    }
}

fn untitled() -> String {
    "Untitled".to_owned()
}

fn has_digits(text: &str) -> bool {
    text.bytes().any(|b| b.is_ascii_digit())
}

/// Whether one title is the other, or begins with it as whole words; years do not count.
pub(crate) fn starts_alike(a: &str, b: &str) -> bool {
    let (a, b) = (slug(&film::parse(a).title), slug(&film::parse(b).title));
    if a.is_empty() || b.is_empty() {
        return false;
    }
    a == b
        || a.strip_prefix(b.as_str())
            .is_some_and(|rest| rest.starts_with(' '))
}

/// The film or show that a folder of extras belongs to, or `None` where it is no such folder.
pub(crate) fn owner_of_extras(folder: &FolderListing<'_>) -> Option<Film> {
    let parts: Vec<&str> = folder.parts().collect();
    let (own, above) = parts.split_last()?;
    if !extras::is_folder(own) {
        return None;
    }
    let owner = above
        .iter()
        .rev()
        .find(|name| season::parse(name).is_none_or(|season| season.show.is_some()))?;
    (!is_generic(owner)).then(|| film::parse(owner))
}

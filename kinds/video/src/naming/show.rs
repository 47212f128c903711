//! Show and season of a folder, which apply where file names contain neither.

use ledge_core::registry::naming::FolderListing;
use ledge_core::text::names::clean;

use crate::naming::episode::{self, Episode, NamingStyle};
use crate::naming::extras;
use crate::naming::film::{self, Film};
use crate::naming::name::{is_generic, slug};
use crate::naming::season::{self, Season};

/// Show and season that the folders imply.
#[derive(Debug, Clone)]
pub(crate) struct ShowContext {
    /// Path of the folder above the show.
    parent_path: String,
    /// Name of the show's folder. `None` if the files name their shows.
    show: Option<String>,
    /// Season of the folder.
    pub(crate) season: Option<i64>,
}

impl ShowContext {
    /// Derives show and season from the folders, starting with the innermost one.
    pub(crate) fn from_folder(folder: &FolderListing<'_>) -> Self {
        let parts: Vec<&str> = folder.parts().collect();
        let Some((folder_name, parent_path)) = parts.split_last() else {
            return Self::from_parents(&[], folder.library, None);
        };
        // `Show/Season 1/Extras` and folders of a single episode inherit from their parent.
        if let Some(Season { number, show }) = season::parse(folder_name) {
            return match show {
                Some(show)
                    if !parent_path
                        .last()
                        .is_some_and(|last| has_title_prefix(&show, last)) =>
                {
                    Self {
                        parent_path: parent_path.join("/"),
                        show: Some(show),
                        season: Some(number),
                    }
                }
                _ => Self::from_parents(parent_path, folder.library, Some(number)),
            };
        }
        let episode =
            episode::parse(folder_name).filter(|episode| episode.style == NamingStyle::Numbered);
        if episode.is_some() {
            let season = parent_path.last().and_then(|last| season::parse(last));
            let outer = if season.is_some() {
                parent_path.len() - 1
            } else {
                parent_path.len()
            };
            let outer = parent_path.get(..outer).unwrap_or_default();
            let mut context = Self::from_parents(outer, folder.library, season.map(|s| s.number));
            if context.season.is_none() && outer.is_empty() {
                context.show = None;
            }
            return context;
        }
        Self::from_parents(&parts, folder.library, None)
    }

    /// Returns the show of the last of these folders. In the root, the library itself may be a
    /// show.
    fn from_parents(parts: &[&str], library: &str, season: Option<i64>) -> Self {
        let (folder_name, parent_path) = match parts.split_last() {
            Some((folder_name, parent_path)) => (*folder_name, parent_path),
            None => (library, parts),
        };
        let is_generic_folder = is_generic(folder_name) || parts.is_empty() && season.is_none();
        Self {
            parent_path: if is_generic_folder {
                parts.join("/")
            } else {
                parent_path.join("/")
            },
            show: (!is_generic_folder).then(|| folder_name.to_owned()),
            season,
        }
    }

    /// Returns `true` if a name of this style counts as an episode in this folder. `others` is the
    /// number of names in the folder with the same style and show, including this one.
    pub(crate) fn accepts(
        &self,
        episode: &Episode,
        others: usize,
        has_year: impl FnOnce() -> bool,
    ) -> bool {
        let in_season = self.season.is_some();
        let is_in_show_folder = || {
            let show = self.show.as_ref();
            show.is_some_and(|show| has_title_prefix(&episode.show, show))
        };
        match episode.style {
            NamingStyle::Numbered => true,
            NamingStyle::Released => !has_year(),
            NamingStyle::Dated => {
                in_season || !episode.show.is_empty() && (others > 1 || is_in_show_folder())
            }
            NamingStyle::Counted => in_season || others > 1 && !has_year(),
            NamingStyle::Bare => in_season,
        }
    }

    /// Returns the item key of a show, and its parsed name.
    pub(crate) fn show_for(&self, named: &str) -> (String, Film) {
        // In a folder of several shows, the file names determine the show.
        let folder = self.show.as_deref();
        let owner = match folder {
            Some(folder) if self.season.is_some() => Some(folder),
            Some(folder) if named.is_empty() || has_title_prefix(named, folder) => Some(folder),
            Some(folder) if !has_digits(named) && has_title_prefix(folder, named) => Some(folder),
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
        let gap = if self.parent_path.is_empty() { "" } else { "/" };
        // Paths have no empty components, so these keys cannot collide with other keys.
        let key = format!("{}{gap}/show/{}{year}", self.parent_path, slug(&show.title));
        (key, show)
    }
}

fn untitled() -> String {
    "Untitled".to_owned()
}

fn has_digits(text: &str) -> bool {
    text.bytes().any(|b| b.is_ascii_digit())
}

/// Returns `true` if the titles are equal, or if `a` begins with `b` as whole words. Years are
/// ignored.
pub(crate) fn has_title_prefix(a: &str, b: &str) -> bool {
    let (a, b) = (slug(&film::parse(a).title), slug(&film::parse(b).title));
    if a.is_empty() || b.is_empty() {
        return false;
    }
    a == b
        || a.strip_prefix(b.as_str())
            .is_some_and(|rest| rest.starts_with(' '))
}

/// Returns the film or show of an extras folder. Returns `None` for other folders.
pub(crate) fn owner_of_extras(folder: &FolderListing<'_>) -> Option<Film> {
    let parts: Vec<&str> = folder.parts().collect();
    let (folder_name, parent_path) = parts.split_last()?;
    if !extras::is_folder(folder_name) {
        return None;
    }
    let owner = parent_path
        .iter()
        .rev()
        .find(|name| season::parse(name).is_none_or(|season| season.show.is_some()))?;
    (!is_generic(owner)).then(|| film::parse(owner))
}

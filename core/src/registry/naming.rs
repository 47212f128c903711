//! What names tell: the folder a kind is shown, and the items it makes of it.

use std::collections::BTreeMap;

/// The files of one kind in one folder, as far as the scanner accepts them.
///
/// Paths and names are text: bytes that are no UTF-8 are shown as `\xNN`.
#[derive(Debug, Clone, Copy)]
pub struct FolderListing<'a> {
    /// Name of the library's root folder; a library may itself be one artist or show.
    pub library: &'a str,
    /// Path below the root, `/` between the parts, empty for the root itself.
    pub path: &'a str,
    /// The kind's files here, sorted by name.
    pub files: &'a [FileName],
    /// Names of the folders in here, sorted.
    pub folders: &'a [String],
}

impl<'a> FolderListing<'a> {
    /// The parts of the path, outermost first; empty for the root.
    pub fn parts(&self) -> impl DoubleEndedIterator<Item = &'a str> + use<'a> {
        self.path.split('/').filter(|part| !part.is_empty())
    }

    /// The folder's own name, or `None` at the root.
    pub fn name(&self) -> Option<&'a str> {
        self.parts().next_back()
    }

    /// Path of the folder that holds this one, or `None` at the root.
    pub fn parent(&self) -> Option<&'a str> {
        if self.path.is_empty() {
            return None;
        }
        Some(self.path.rsplit_once('/').map_or("", |(parent, _)| parent))
    }
}

/// One file of a [`FolderListing`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileName {
    /// The whole name: `Dune.epub`.
    pub name: String,
    /// The name without its known extension: `Dune`.
    pub stem: String,
    /// The known extension in lower case: `epub`.
    pub extension: String,
    /// Size in bytes.
    pub size: u64,
    /// What the kind wanted kept of the file's own words when it was read; see
    /// [`Inspection::said`](crate::registry::reading::Inspection::said).
    pub said: Option<String>,
}

impl FileName {
    /// Splits a name at its last dot. The size is 0.
    pub fn new(name: &str) -> Self {
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
        Self {
            name: name.to_owned(),
            stem: stem.to_owned(),
            extension: extension.to_lowercase(),
            size: 0,
            said: None,
        }
    }
}

/// Files that form one item, or the part of an item that lies in this folder.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Identity of the item within its library and kind. Groups of several folders with the same
    /// key are one item: a show's seasons, an album's discs. Starts with the path of the folder
    /// the item lives in, so that keys of unlike folders never meet.
    pub key: String,
    /// The files, as indices into [`FolderListing::files`].
    pub members: Vec<Member>,
    /// What the names tell about the item.
    pub names: ItemNames,
}

/// One file of a [`Group`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Member {
    /// Index into [`FolderListing::files`].
    pub file: usize,
    /// Order among files that are played one after another; `None` for alternatives, such as a
    /// book in two formats. Equal numbers are ordered by name.
    pub sequence: Option<i64>,
    /// Season of an episode.
    pub season: Option<i64>,
    /// Number of an episode within its season.
    pub episode: Option<i64>,
    /// Title of this part, where its name has one.
    pub title: Option<String>,
}

impl Member {
    /// A member that is one of several alternatives, or the only file.
    pub fn alternative(file: usize) -> Self {
        Self {
            file,
            ..Self::default()
        }
    }

    /// A member played in the order of `sequence`.
    pub fn part(file: usize, sequence: i64) -> Self {
        Self {
            file,
            sequence: Some(sequence),
            ..Self::default()
        }
    }
}

/// What names tell about an item.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ItemNames {
    /// Never empty: the file's stem where nothing better is found.
    pub title: String,
    /// Year of publication or release, 1000 to 2999.
    pub year: Option<i32>,
    /// People, in the order in which they are named.
    pub credits: Vec<Credit>,
    /// Series and the number in it.
    pub series: Option<Series>,
    /// Further facts, by name: `platform`, `region`, `revision`, `volume`, ….
    pub facts: BTreeMap<String, serde_json::Value>,
}

impl ItemNames {
    /// Names that tell a title only.
    pub fn titled(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            ..Self::default()
        }
    }
}

/// A person and what they did.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Credit {
    /// Name as it is read: "Herman Melville".
    pub name: String,
    /// `author` for whoever stands in the item's author line (writers, performers, directors);
    /// else the role's name: `narrator`, `translator`, `illustrator`, ….
    pub role: String,
}

impl Credit {
    /// Somebody who stands in the item's author line.
    pub fn author(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            role: "author".to_owned(),
        }
    }
}

/// A series and the place in it.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Series {
    /// Name of the series.
    pub name: String,
    /// Number in the series; halves exist.
    pub index: Option<f64>,
}

/// The default grouping: every file is an item, titled by its stem.
pub fn one_item_per_file(folder: &FolderListing<'_>) -> Vec<Group> {
    let group = |(index, file): (usize, &FileName)| Group {
        key: join(folder.path, &file.name),
        members: vec![Member::alternative(index)],
        names: ItemNames::titled(&file.stem),
    };
    folder.files.iter().enumerate().map(group).collect()
}

/// `folder/name`, or `name` at the root.
pub fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}

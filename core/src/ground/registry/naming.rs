//! Data for grouping by names: the folder listing that a kind receives, and the groups that it
//! returns.

use std::collections::BTreeMap;

/// Files of one kind in one folder that the scanner accepts.
///
/// Paths and names are text. Bytes that are not UTF-8 become `\xNN`.
#[derive(Debug, Clone, Copy)]
pub struct FolderListing<'a> {
    /// Name of the library's root folder. A library may itself be one artist or show.
    pub library: &'a str,
    /// Path below the root, with `/` between the parts. Empty for the root itself.
    pub path: &'a str,
    /// Files of the kind in this folder, sorted by name.
    pub files: &'a [FileName],
    /// Names of the subfolders, sorted.
    pub folders: &'a [String],
}

impl<'a> FolderListing<'a> {
    /// Returns the parts of the path, outermost first. Empty for the root.
    pub fn parts(&self) -> impl DoubleEndedIterator<Item = &'a str> + use<'a> {
        self.path.split('/').filter(|part| !part.is_empty())
    }

    /// Returns the folder's name, or `None` for the root.
    pub fn name(&self) -> Option<&'a str> {
        self.parts().next_back()
    }

    /// Returns the path of the parent folder, or `None` for the root.
    pub fn parent(&self) -> Option<&'a str> {
        if self.path.is_empty() {
            return None;
        }
        Some(self.path.rsplit_once('/').map_or("", |(parent, _)| parent))
    }
}

/// File of a [`FolderListing`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileName {
    /// Full name: `Dune.epub`.
    pub name: String,
    /// Name without its known extension: `Dune`.
    pub stem: String,
    /// Known extension in lower case: `epub`.
    pub extension: String,
    /// Size in bytes.
    pub size: u64,
    /// Kind-specific data that was stored when the file was read. See
    /// [`Inspection::kind_data`](crate::registry::reading::Inspection::kind_data).
    pub kind_data: Option<String>,
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
            kind_data: None,
        }
    }
}

/// Files that form one item, or the part of an item in this folder.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Identity of the item within its library and kind. Groups of several folders with the same
    /// key form one item: the seasons of a show, the discs of an album. The key starts with the
    /// path of the item's folder, so that keys of unrelated folders do not collide.
    pub key: String,
    /// Files, as indices into [`FolderListing::files`].
    pub members: Vec<Member>,
    /// Values from the names.
    pub names: ItemNames,
}

/// File of a [`Group`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Member {
    /// Index into [`FolderListing::files`].
    pub file: usize,
    /// Order of files that are played one after another. `None` for alternatives, such as a book in
    /// two formats. Files with equal numbers are ordered by name.
    pub sequence: Option<i64>,
    /// Season of an episode. For a dated episode, the year: a season from 1000 on is a year, and the
    /// episode is `100 * month + day`.
    pub season: Option<i64>,
    /// Number of an episode within its season.
    pub episode: Option<i64>,
    /// Number of the last episode, if the file has several.
    pub last_episode: Option<i64>,
    /// Title of this part, if its name contains one.
    pub title: Option<String>,
}

impl Member {
    /// Creates a member that is one of several alternatives, or the only file.
    pub fn alternative(file: usize) -> Self {
        Self {
            file,
            ..Self::default()
        }
    }

    /// Creates a member that is played in the order of `sequence`.
    pub fn part(file: usize, sequence: i64) -> Self {
        Self {
            file,
            sequence: Some(sequence),
            ..Self::default()
        }
    }
}

/// Item values from names.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ItemNames {
    /// Title, never empty. It is the file's stem if there is no better one.
    pub title: String,
    /// Year of publication or release, 1000 to 2999.
    pub year: Option<i32>,
    /// People, in the order in which they are named.
    pub credits: Vec<Credit>,
    /// Series and the number in it.
    pub series: Option<Series>,
    /// Further facts by name: `platform`, `region`, `revision`, `volume`, ….
    pub facts: BTreeMap<String, serde_json::Value>,
}

impl ItemNames {
    /// Creates names with only a title.
    pub fn titled(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            ..Self::default()
        }
    }
}

/// Person and their role.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Credit {
    /// Name in reading order: "Herman Melville".
    pub name: String,
    /// `author` for people in the item's author line (writers, performers, directors). Otherwise
    /// the name of the role: `narrator`, `translator`, `illustrator`, ….
    pub role: String,
}

impl Credit {
    /// Creates a credit for the item's author line.
    pub fn author(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            role: "author".to_owned(),
        }
    }
}

/// Series and the position in it.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Series {
    /// Name of the series.
    pub name: String,
    /// Number in the series, possibly a fraction such as 1.5.
    pub index: Option<f64>,
}

/// Groups every file as a separate item with its stem as title. This is the default grouping.
pub fn one_item_per_file(folder: &FolderListing<'_>) -> Vec<Group> {
    let group = |(index, file): (usize, &FileName)| Group {
        key: join(folder.path, &file.name),
        members: vec![Member::alternative(index)],
        names: ItemNames::titled(&file.stem),
    };
    folder.files.iter().enumerate().map(group).collect()
}

/// Returns `folder/name`, or `name` at the root.
pub fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}

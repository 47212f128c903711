//! Episodes of a show, from the `.nfo` files in its folder and in the folders of its seasons. A file
//! whose video was deleted describes an episode that the library lacks.
//!
//! Format: <https://kodi.wiki/view/NFO_files/TV_shows>. Pictures of episodes have the name of the
//! video and `-thumb`.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use ledge_core::fs::list_inside;
use ledge_core::registry::provider::{
    DeliveredPicture, EpisodeDetails, ItemFolder, PictureSubject,
};
use ledge_core::text::markup::xml;

use crate::node::{self, Node};
use crate::pictures::{self, Budget};

/// Most names in all folders of a show that are read.
const MAX_NAMES: usize = 100_000;
/// Most folders below the folder of a show.
const MAX_FOLDERS: usize = 200;
/// Most files of a show. Daily programs have several thousand episodes.
const MAX_FILES: usize = 5_000;
/// Largest file, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// Most episodes in one file.
const MAX_EPISODES: usize = 50;
/// Names of files that describe no episode.
const OTHERS: &[&str] = &["tvshow.nfo", "season.nfo", "movie.nfo"];

/// Episodes and their pictures.
pub(crate) type Episodes = (Vec<EpisodeDetails>, Vec<DeliveredPicture>);

/// A folder with the names of its files.
#[derive(Debug)]
pub(crate) struct ListedFolder {
    pub(crate) folder: ItemFolder,
    pub(crate) names: BTreeSet<OsString>,
}

/// Lists the folder of the show, then the folders below it in order of their names. Hidden folders
/// and links to folders are left out: a link could name a folder that is read anyway.
pub(crate) fn list(show: &ItemFolder) -> Vec<ListedFolder> {
    let mut left = MAX_NAMES;
    let (names, folders) = entries(show, &mut left);
    let is_hidden = |name: &&OsString| name.as_encoded_bytes().starts_with(b".");
    let seasons = folders.iter().filter(|name| !is_hidden(name));
    let below = seasons.take(MAX_FOLDERS).map(|name| {
        let folder = ItemFolder {
            folder: show.folder.join(name),
            ..show.clone()
        };
        let names = entries(&folder, &mut left).0;
        ListedFolder { folder, names }
    });
    let folder = show.clone();
    std::iter::once(ListedFolder { folder, names })
        .chain(below)
        .collect()
}

/// Returns the names of the files and of the folders in a folder, at most `left` ones, and reduces
/// `left` by their number. A folder that cannot be listed is empty.
fn entries(folder: &ItemFolder, left: &mut usize) -> (BTreeSet<OsString>, BTreeSet<OsString>) {
    let (mut files, mut folders) = (BTreeSet::new(), BTreeSet::new());
    let listed = list_inside(&folder.root, &folder.root.join(&folder.folder), *left);
    for entry in listed.unwrap_or_default() {
        *left = left.saturating_sub(1);
        let names = if entry.is_folder {
            &mut folders
        } else {
            &mut files
        };
        names.insert(entry.name);
    }
    (files, folders)
}

/// Reads the episodes in the folders of a show.
pub(crate) fn episodes(folders: &[ListedFolder], budget: &mut Budget) -> Episodes {
    let mut reader = Reader {
        budget,
        files: 0,
        found: Episodes::default(),
    };
    for listed in folders {
        reader.read_folder(&listed.folder, &listed.names);
    }
    reader.found
}

/// Reader of the episodes of a show.
struct Reader<'a> {
    budget: &'a mut Budget,
    /// Number of files that were read.
    files: usize,
    found: Episodes,
}

impl Reader<'_> {
    fn read_folder(&mut self, folder: &ItemFolder, names: &BTreeSet<OsString>) {
        for name in names.iter().filter(|name| is_episode(name)) {
            if self.files == MAX_FILES {
                return;
            }
            self.files += 1;
            self.read_file(folder, name, names);
        }
    }

    /// Reads the episodes of a file. A file that cannot be read counts as absent.
    fn read_file(&mut self, folder: &ItemFolder, name: &OsStr, names: &BTreeSet<OsString>) {
        let bytes = folder.read(name, MAX_FILE_BYTES).ok().flatten();
        let episodes = parse(&bytes.unwrap_or_default());
        let stem = Path::new(name).with_extension("");
        let still = stem.to_str().and_then(|stem| {
            pictures::listed(folder, names, &format!("{stem}-thumb"), self.budget)
        });
        if let Some((first, picture)) = episodes.first().zip(still) {
            let (season, number) = (first.season, first.number);
            self.found.1.push(DeliveredPicture {
                of: PictureSubject::Episode { season, number },
                picture,
            });
        }
        self.found.0.extend(episodes);
    }
}

fn is_episode(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_lowercase();
    let is_nfo = Path::new(&name).extension().is_some_and(|end| end == "nfo");
    is_nfo && !OTHERS.contains(&name.as_str())
}

/// Parses the episodes of a file.
pub(crate) fn parse(bytes: &[u8]) -> Vec<EpisodeDetails> {
    let text = xml::decode(bytes).into_owned();
    let roots = node::roots(&text, "episodedetails", MAX_EPISODES);
    roots.iter().filter_map(episode).collect()
}

/// Returns an episode with its numbers, or `None` if it has none.
fn episode(root: &Node) -> Option<EpisodeDetails> {
    let number = |name: &str| root.child(name)?.parse().ok();
    let plot = root.all(&["plot"]).find_map(Node::long);
    let dates = ["aired", "premiered"];
    let aired = dates.iter().find_map(|name| node::date(&root.child(name)?));
    Some(EpisodeDetails {
        season: number("season")?,
        number: number("episode")?,
        title: root.child("title"),
        description: plot.or_else(|| root.all(&["outline"]).find_map(Node::long)),
        aired,
        ..EpisodeDetails::default()
    })
}

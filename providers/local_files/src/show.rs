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

/// Most names of a folder that are read.
const MAX_NAMES: usize = 20_000;
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

/// Reads the episodes of the show in this folder.
pub(crate) fn episodes(show: &ItemFolder, budget: &mut Budget) -> Episodes {
    let mut found = Episodes::default();
    let mut files = 0;
    for folder in folders(show) {
        let names = names(&folder);
        for name in names.iter().filter(|name| is_episode(name)) {
            files += 1;
            if files > MAX_FILES {
                return found;
            }
            read(&folder, name, &names, budget, &mut found);
        }
    }
    found
}

/// Returns the folder of the show, then those below it in order of their names.
pub(crate) fn folders(show: &ItemFolder) -> Vec<ItemFolder> {
    let below = |name: &OsString| ItemFolder {
        folder: show.folder.join(name),
        ..show.clone()
    };
    let listed = list_inside(&show.root, &show.root.join(&show.folder), MAX_NAMES);
    let listed = listed.unwrap_or_default().into_iter();
    let is_hidden = |name: &OsString| name.as_encoded_bytes().starts_with(b".");
    let below_names: BTreeSet<OsString> = listed
        .filter(|entry| entry.is_folder && !is_hidden(&entry.name))
        .map(|entry| entry.name)
        .collect();
    let below = below_names.iter().take(MAX_FOLDERS).map(below);
    std::iter::once(show.clone()).chain(below).collect()
}

/// Returns the names of the files in a folder.
pub(crate) fn names(folder: &ItemFolder) -> BTreeSet<OsString> {
    let listed = list_inside(&folder.root, &folder.root.join(&folder.folder), MAX_NAMES);
    let files = listed.unwrap_or_default().into_iter();
    files
        .filter(|entry| !entry.is_folder)
        .map(|entry| entry.name)
        .collect()
}

fn is_episode(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_lowercase();
    let is_nfo = Path::new(&name).extension().is_some_and(|end| end == "nfo");
    is_nfo && !OTHERS.contains(&name.as_str())
}

/// Reads the episodes of a file. A file that cannot be read counts as absent.
fn read(
    folder: &ItemFolder,
    name: &OsStr,
    names: &BTreeSet<OsString>,
    budget: &mut Budget,
    found: &mut Episodes,
) {
    let bytes = folder.read(name, MAX_FILE_BYTES).ok().flatten();
    let text = xml::decode(&bytes.unwrap_or_default()).into_owned();
    let roots = node::roots(&text, "episodedetails", MAX_EPISODES);
    let episodes: Vec<EpisodeDetails> = roots.iter().filter_map(episode).collect();
    let stem = Path::new(name).with_extension("");
    let still = stem
        .to_str()
        .and_then(|stem| pictures::listed(folder, names, &format!("{stem}-thumb"), budget));
    if let Some((first, picture)) = episodes.first().zip(still) {
        let (season, number) = (first.season, first.number);
        found.1.push(DeliveredPicture {
            of: PictureSubject::Episode { season, number },
            picture,
        });
    }
    found.0.extend(episodes);
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

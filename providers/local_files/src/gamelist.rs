//! Parser for `gamelist.xml` of `EmulationStation`, ES-DE, `RetroPie` and Batocera: one file
//! describes all games of a folder and of the folders below it.
//!
//! Format: <https://gitlab.com/es-de/emulationstation-de/-/blob/master/INSTALL-DEV.md>, section
//! *gamelist.xml*.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use ledge_core::enrich::lenient_json;
use ledge_core::registry::naming::Credit;
use ledge_core::registry::provider::{Candidate, Cover, Details, ItemFolder};
use ledge_core::text::markup::xml::{self, Document, Piece};

use crate::node::{self, Node};
use crate::pictures;

/// Name of the file.
pub(crate) const NAME: &str = "gamelist.xml";
/// Largest file that is read, in bytes. A list contains about a kilobyte per game.
pub(crate) const MAX_BYTES: u64 = 16 << 20;
/// Most places of a file's name in a list that are read. Names of sequels contain those of others.
const MAX_MENTIONS: usize = 200;
/// Most values of a list.
const MAX_VALUES: usize = 20;

/// Finds the entry of an item. `place` is the folder of the list, and `item` is the folder of the
/// item's files, which is the same or below it.
pub(crate) fn read(
    bytes: &[u8],
    place: &ItemFolder,
    item: &ItemFolder,
) -> Result<Option<Candidate>, String> {
    let text = xml::decode(bytes);
    if let Some(stems) = plain_stems(item).filter(|_| text.contains("<gameList")) {
        return Ok(near_names(&text, &stems, place, item));
    }
    let mut document = Document::new(&text);
    let mut is_list = false;
    loop {
        let piece = document.piece().map_err(|error| error.to_string())?;
        let Some(piece) = piece else {
            break;
        };
        let Piece::Open(element) = piece else {
            continue;
        };
        is_list |= element.is("gameList");
        if !element.is("game") {
            continue;
        }
        let game = Node::read(&element, &mut document);
        if is_of_item(&game, place, item) {
            return Ok(candidate(&game, place));
        }
    }
    if is_list {
        Ok(None)
    } else {
        Err("it contains no list of games".to_owned())
    }
}

/// Returns the stems of an item's files if XML writes them as they are.
fn plain_stems(item: &ItemFolder) -> Option<Vec<&str>> {
    let is_plain = |c: char| c.is_ascii() && !c.is_ascii_control() && !"&'\"<>".contains(c);
    let stems = item.stems.iter().map(|stem| stem.to_str());
    stems
        .map(|stem| stem.filter(|stem| !stem.is_empty() && stem.chars().all(is_plain)))
        .collect()
}

/// Finds the entry by the names of the files in the text. A library has one list for thousands of
/// games, so that parsing all of it for each game takes hours.
fn near_names(
    text: &str,
    stems: &[&str],
    place: &ItemFolder,
    item: &ItemFolder,
) -> Option<Candidate> {
    for stem in stems {
        for (at, _) in text.match_indices(stem).take(MAX_MENTIONS) {
            let start = text
                .get(..at)?
                .rfind("<game>")
                .max(text.get(..at)?.rfind("<game "));
            let Some(rest) = start.and_then(|start| text.get(start..)) else {
                continue;
            };
            let mut document = Document::new(rest);
            let Ok(Some(Piece::Open(element))) = document.piece() else {
                continue;
            };
            let game = Node::read(&element, &mut document);
            if is_of_item(&game, place, item) {
                return candidate(&game, place);
            }
        }
    }
    None
}

/// Returns `true` if the entry's path leads to a file of the item.
fn is_of_item(game: &Node, place: &ItemFolder, item: &ItemFolder) -> bool {
    let Some(path) = game.child("path").and_then(|path| relative(&path)) else {
        return false;
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    let is_name = |stem: &PathBuf| path.file_name() == Some(&item_name(stem, &path));
    place.folder.join(folder) == item.folder && item.stems.iter().any(is_name)
}

/// Returns the file name that the stem of an item's file has with the extension of a path.
fn item_name(stem: &Path, path: &Path) -> OsString {
    let mut name = stem.as_os_str().to_owned();
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    name
}

/// Returns a path below the folder of the list. Absolute paths and paths that lead upwards are
/// rejected.
fn relative(path: &str) -> Option<PathBuf> {
    let path = path.replace('\\', "/");
    let mut parts = PathBuf::new();
    for component in Path::new(&path).components() {
        match component {
            Component::Normal(part) => parts.push(part),
            Component::CurDir => {}
            _ => return None,
        }
    }
    (parts.components().count() > 0).then_some(parts)
}

fn candidate(game: &Node, place: &ItemFolder) -> Option<Candidate> {
    let released = game.child("releasedate").and_then(|date| node::date(&date));
    let list = |name: &str| game.list(&[name], &[" / ", ","], MAX_VALUES);
    Some(Candidate {
        title: game.child("name")?,
        authors: list("developer").into_iter().map(Credit::author).collect(),
        year: released.as_deref().and_then(lenient_json::year_in),
        description: game.all(&["desc"]).find_map(Node::long),
        cover: picture(game, "image", place).or_else(|| picture(game, "thumbnail", place)),
        details: Details {
            released,
            genres: list("genre"),
            studios: list("publisher"),
            backdrop: picture(game, "fanart", place),
            // The sign of the arcade cabinet is the title as a picture.
            logo: picture(game, "marquee", place),
            ..Details::default()
        },
        ..Candidate::default()
    })
}

/// Reads the picture to which an element leads, if it is below the folder of the list.
fn picture(game: &Node, element: &str, place: &ItemFolder) -> Option<Cover> {
    let path = relative(&game.child(element)?)?;
    let folder = ItemFolder {
        folder: place.folder.join(path.parent()?),
        ..place.clone()
    };
    pictures::read(&folder, path.file_name()?)
}

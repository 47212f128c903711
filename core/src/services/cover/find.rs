//! Search for an item's cover: the picture in its files, then one named after its first file, then
//! one of the whole folder.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use rusqlite::Connection;

use super::picture_cache::PictureCache;
use crate::error::{ReadError, StoreResult};
use crate::fs::open_blocking;
use crate::image::MAX_SOURCE;
use crate::registry::{MediaKind, metadata};
use crate::store::catalogue::field::source;
use crate::store::cover::queue::{self, Subject};
use crate::store::file::folder;
use crate::{App, path};

/// Maximum number of an item's files that are searched for a picture.
pub(super) const MAX_FILES: usize = 8;

/// Picture that may be an item's cover.
#[derive(Debug)]
pub(super) struct Candidate {
    /// Path below the root of the file that contains the picture or is the picture.
    pub(super) path: Vec<u8>,
    /// Constant of `catalogue::source`: the file itself, or its surroundings.
    pub(super) source: i64,
    /// Undecoded picture.
    pub(super) body: Vec<u8>,
}

/// Result of a search at one location.
#[derive(Debug)]
pub(super) enum LocationResult {
    /// A picture was found.
    Found(Candidate),
    /// There is no picture. Contains the path and the reason if this is an error.
    Nothing(Option<(Vec<u8>, String)>),
    /// The path cannot be read now.
    Unseen(Vec<u8>, String),
}

/// Location of a possible cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CoverLocation {
    /// Inside a file of the item.
    Inside(Vec<u8>),
    /// Picture file next to a file of the item.
    Beside(Vec<u8>),
}

/// Returns the locations inside an item's files.
pub(super) fn embedded_locations(subject: &Subject, kind: &MediaKind) -> Vec<CoverLocation> {
    if kind.cover.is_none() {
        return Vec::new();
    }
    let files = subject.files.iter();
    files
        .map(|file| CoverLocation::Inside(path::join(&file.folder, &file.name)))
        .collect()
}

/// Returns the locations next to an item's files.
pub(super) fn sidecar_locations(
    connection: &Connection,
    picture_cache: &mut PictureCache,
    subject: &Subject,
    kind: &MediaKind,
) -> StoreResult<Vec<CoverLocation>> {
    let Some(first) = subject.files.first() else {
        return Ok(Vec::new());
    };
    let pictures = picture_cache.pictures(&subject.root, &first.folder);
    let mut locations = beside(&first.folder, pictures.named_after(&first.name, kind));
    let mut of_folders = Vec::new();
    for location in folders(subject, &first.folder) {
        let pictures = picture_cache.pictures(&subject.root, location);
        let names = pictures.of_folder(kind.cover_stems);
        if !names.is_empty()
            && let Some(id) = folder::at_unscoped(connection, subject.library, location)?
            && queue::is_alone_unscoped(connection, subject, id.id)?
        {
            of_folders.push(beside(location, names));
        }
    }
    // The folder of the whole item precedes those of its seasons or discs.
    locations.extend(of_folders.into_iter().rev().flatten());
    Ok(locations)
}

fn beside(folder: &[u8], names: Vec<Vec<u8>>) -> Vec<CoverLocation> {
    let paths = names.into_iter().map(|file| path::join(folder, &file));
    paths.map(CoverLocation::Beside).collect()
}

/// Returns the folder of an item's first file and those above it, nearest first, up to the item's own
/// folder. The item's key begins with the path of that folder.
fn folders<'a>(subject: &Subject, folder: &'a [u8]) -> Vec<&'a [u8]> {
    let lives_in = |folder: &[u8]| {
        let path = path::display(folder);
        path.is_empty()
            || subject
                .key
                .strip_prefix(path.as_str())
                .is_some_and(|rest| rest.starts_with('/'))
    };
    let mut found = vec![folder];
    let mut location = folder;
    while !lives_in(location) {
        let slash = location.iter().rposition(|byte| *byte == b'/');
        location = slash.and_then(|at| location.get(..at)).unwrap_or_default();
        found.push(location);
    }
    found
}

/// Searches one location.
pub(super) fn read_location(
    app: &App,
    subject: &Subject,
    kind: &MediaKind,
    location: &CoverLocation,
) -> LocationResult {
    match location {
        CoverLocation::Inside(path) => read_embedded(app, subject, kind, path),
        CoverLocation::Beside(path) => read_sidecar(subject, path),
    }
}

fn relative(path: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(path))
}

/// Opens a path if it is a regular file below the root.
fn open(subject: &Subject, path: &[u8]) -> Result<File, String> {
    match open_blocking(&subject.root, relative(path)) {
        Ok(Some(opened)) => Ok(opened.file),
        Ok(None) => Err("it cannot be opened".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

fn read_embedded(app: &App, subject: &Subject, kind: &MediaKind, path: &[u8]) -> LocationResult {
    let Some(cover) = kind.cover else {
        return LocationResult::Nothing(None);
    };
    // A path that leads out of the root gets a separate message here. Kinds would only report it as
    // absent.
    if let Err(what) = open(subject, path) {
        return LocationResult::Unseen(path.to_vec(), what);
    }
    let absolute = subject.root.join(relative(path));
    let tools = app.settings.read_tools(&subject.root);
    match catch_unwind(AssertUnwindSafe(|| cover(&absolute, &tools))) {
        Ok(Ok(Some(body))) if !body.is_empty() => LocationResult::Found(Candidate {
            path: path.to_vec(),
            source: source::FILE,
            body,
        }),
        Ok(Ok(_)) => LocationResult::Nothing(None),
        Ok(Err(ReadError::Io(error))) if error.raw_os_error().is_some() => {
            LocationResult::Unseen(path.to_vec(), error.to_string())
        }
        Ok(Err(error)) => LocationResult::Nothing(Some((path.to_vec(), error.to_string()))),
        Err(_) => {
            let what = "its picture could not be read: the reader crashed".to_owned();
            LocationResult::Nothing(Some((path.to_vec(), what)))
        }
    }
}

/// Returns `true` if the scan's readers also fail on a file of the item.
pub(super) fn is_unreadable(app: &App, subject: &Subject, kind: &MediaKind, path: &[u8]) -> bool {
    let absolute = subject.root.join(relative(path));
    metadata::is_unreadable(kind, &absolute, &app.settings.read_tools(&subject.root))
}

fn read_sidecar(subject: &Subject, path: &[u8]) -> LocationResult {
    let file = match open(subject, path) {
        Ok(file) => file,
        Err(what) => return LocationResult::Unseen(path.to_vec(), what),
    };
    let mut body = Vec::new();
    match file.take(MAX_SOURCE + 1).read_to_end(&mut body) {
        Ok(_) => LocationResult::Found(Candidate {
            path: path.to_vec(),
            source: source::NAME,
            body,
        }),
        Err(error) => LocationResult::Unseen(path.to_vec(), error.to_string()),
    }
}

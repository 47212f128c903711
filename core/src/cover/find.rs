//! Where an item's cover comes from: the picture in its files, then one named after its first
//! file, then one that stands for the whole folder.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use rusqlite::Connection;

use super::shelf::Shelf;
use crate::App;
use crate::content::open_blocking;
use crate::picture::MAX_SOURCE;
use crate::registry::MediaKind;
use crate::registry::reading::ReadError;
use crate::scan::{self, name};
use crate::store::catalogue::source;
use crate::store::cover::due::{self, Subject};
use crate::store::{StoreResult, folder};

/// Files of an item that are asked for a picture.
pub(super) const MAX_FILES: usize = 8;

/// A picture that may be an item's cover.
#[derive(Debug)]
pub(super) struct Candidate {
    /// The file it is in, or is, below the root.
    pub(super) path: Vec<u8>,
    /// One of `catalogue::source`: the file itself, or its surroundings.
    pub(super) source: i64,
    /// The picture as it lies there.
    pub(super) body: Vec<u8>,
}

/// What looking for candidates brings.
#[derive(Debug)]
pub(super) enum Glance {
    /// A picture.
    Found(Candidate),
    /// There is none here; the path and why, if that is a fault.
    Nothing(Option<(Vec<u8>, String)>),
    /// What lies at the path cannot be looked at now.
    Unseen(Vec<u8>, String),
}

/// A place where a cover may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// In a file of the item.
    Inside(Vec<u8>),
    /// A picture beside one.
    Beside(Vec<u8>),
}

/// The places inside an item's files.
pub(super) fn inside(subject: &Subject, kind: &MediaKind) -> Vec<Place> {
    if kind.cover.is_none() {
        return Vec::new();
    }
    let files = subject.files.iter();
    files
        .map(|file| Place::Inside(name::join(&file.folder, &file.name)))
        .collect()
}

/// The places beside an item's files.
pub(super) fn beside(
    connection: &Connection,
    shelf: &mut Shelf,
    subject: &Subject,
    kind: &MediaKind,
) -> StoreResult<Vec<Place>> {
    let Some(first) = subject.files.first() else {
        return Ok(Vec::new());
    };
    let stems = kind.cover_stems;
    let mut places = Vec::new();
    let pictures = shelf.pictures(&subject.root, &first.folder);
    let own = pictures.of_folder(stems);
    let mut add = |folder: &[u8], names: Vec<Vec<u8>>| {
        let paths = names.into_iter().map(|file| name::join(folder, &file));
        places.extend(paths.map(Place::Beside));
    };
    add(&first.folder, pictures.named_after(&first.name, kind));
    if !own.is_empty() && due::is_alone_unscoped(connection, subject, first.folder_id)? {
        add(&first.folder, own);
    }
    for above in above(subject, &first.folder) {
        if let Some(id) = folder::at_unscoped(connection, subject.library, above)?
            && due::is_alone_unscoped(connection, subject, id.id)?
        {
            let pictures = shelf.pictures(&subject.root, above);
            add(above, pictures.of_folder(stems));
        }
    }
    Ok(places)
}

/// The folders above an item's first file, nearest first, up to the one the item lives in: its
/// key begins with that folder's path.
fn above<'a>(subject: &Subject, folder: &'a [u8]) -> Vec<&'a [u8]> {
    let lives_in = |folder: &[u8]| {
        let path = name::display(folder);
        path.is_empty()
            || subject
                .key
                .strip_prefix(path.as_str())
                .is_some_and(|rest| rest.starts_with('/'))
    };
    let mut found = Vec::new();
    let mut place = folder;
    while !lives_in(place) {
        let slash = place.iter().rposition(|byte| *byte == b'/');
        place = slash.and_then(|at| place.get(..at)).unwrap_or_default();
        found.push(place);
    }
    found
}

/// Looks at one place.
pub(super) fn look(app: &App, subject: &Subject, kind: &MediaKind, place: &Place) -> Glance {
    match place {
        Place::Inside(path) => look_inside(app, subject, kind, path),
        Place::Beside(path) => look_beside(subject, path),
    }
}

fn relative(path: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(path))
}

/// Opens what lies at a path, if it is a regular file below the root.
fn open(subject: &Subject, path: &[u8]) -> Result<File, String> {
    match open_blocking(&subject.root, relative(path)) {
        Ok(Some(opened)) => Ok(opened.file),
        Ok(None) => Err("it cannot be opened".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

fn look_inside(app: &App, subject: &Subject, kind: &MediaKind, path: &[u8]) -> Glance {
    let Some(cover) = kind.cover else {
        return Glance::Nothing(None);
    };
    // A message of its own for what leads out of the root, which kinds only find to be absent.
    if let Err(what) = open(subject, path) {
        return Glance::Unseen(path.to_vec(), what);
    }
    let absolute = subject.root.join(relative(path));
    let tools = app.settings.read_tools(&subject.root);
    match catch_unwind(AssertUnwindSafe(|| cover(&absolute, &tools))) {
        Ok(Ok(Some(body))) if !body.is_empty() => Glance::Found(Candidate {
            path: path.to_vec(),
            source: source::FILE,
            body,
        }),
        Ok(Ok(_)) => Glance::Nothing(None),
        Ok(Err(ReadError::Io(error))) if error.raw_os_error().is_some() => {
            Glance::Unseen(path.to_vec(), error.to_string())
        }
        Ok(Err(error)) => Glance::Nothing(Some((path.to_vec(), error.to_string()))),
        Err(_) => {
            let what = "its picture could not be read: the reader crashed".to_owned();
            Glance::Nothing(Some((path.to_vec(), what)))
        }
    }
}

/// Whether the scan's readers fail on a file of the item as well.
pub(super) fn is_unreadable(app: &App, subject: &Subject, kind: &MediaKind, path: &[u8]) -> bool {
    let absolute = subject.root.join(relative(path));
    scan::is_unreadable(kind, &absolute, &app.settings.read_tools(&subject.root))
}

fn look_beside(subject: &Subject, path: &[u8]) -> Glance {
    let file = match open(subject, path) {
        Ok(file) => file,
        Err(what) => return Glance::Unseen(path.to_vec(), what),
    };
    let mut body = Vec::new();
    match file.take(MAX_SOURCE + 1).read_to_end(&mut body) {
        Ok(_) => Glance::Found(Candidate {
            path: path.to_vec(),
            source: source::NAME,
            body,
        }),
        Err(error) => Glance::Unseen(path.to_vec(), error.to_string()),
    }
}

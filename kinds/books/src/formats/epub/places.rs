//! Positions in an EPUB: sections of the spine, points in their documents, and their forms in other
//! programs.

mod cfi;
#[cfg(test)]
mod tests;
mod tree;
mod xpointer;

use std::collections::HashMap;
use std::io::{Read, Seek};

use ledge_core::http::publications::places::{Converted, Place, Scheme};

use super::package::{Package, Scope};
use super::{href, package};
use crate::archive::ReadResult;
use crate::archive::zip::{Entry, Zip};
use crate::xml;
use tree::{Point, Tree};
use xpointer::XPointer;

/// Largest document of a section that is read, in bytes.
const LARGEST_SECTION: u64 = 4 << 20;

/// Opened EPUB with the files of its sections.
struct Book<R> {
    zip: Zip<R>,
    /// Step to the spine in the package document, as in a CFI.
    spine_step: usize,
    /// Names of the documents in the archive. `None` for a section without a document.
    names: Vec<Option<String>>,
    sections: Vec<Option<Entry>>,
}

impl<R: Read + Seek> Book<R> {
    fn open(reader: R) -> ReadResult<Self> {
        let mut zip = Zip::open(reader)?;
        let (package_name, package) = package(&mut zip, Scope::Files)?;
        let names = names(&package_name, &package);
        Ok(Self {
            sections: sections(&zip, &names),
            names,
            spine_step: package.spine_step,
            zip,
        })
    }

    /// Reads the document of a section. Returns `None` for an absent or unreadable one.
    fn tree(&mut self, section: usize) -> Option<Tree> {
        let entry = (*self.sections.get(section)?)?;
        let bytes = self.zip.read(&entry, LARGEST_SECTION).ok()?;
        Tree::parse(&xml::decode(&bytes)).ok()
    }
}

fn names(package_name: &str, package: &Package) -> Vec<Option<String>> {
    let files = package.items.iter();
    let files: HashMap<&str, &str> = files.map(|item| (&*item.id, &*item.href)).collect();
    let name = |id: &String| href::resolve(package_name, files.get(&**id)?);
    package.sections.iter().map(name).collect()
}

fn sections<R: Read + Seek>(zip: &Zip<R>, names: &[Option<String>]) -> Vec<Option<Entry>> {
    // A search of the directory for each section would take many seconds in a book with the most
    // sections and files. The first file of a name takes precedence, as in `Zip::find`.
    let mut entries = HashMap::new();
    for entry in zip.entries() {
        entries.entry(zip.name(entry)).or_insert(*entry);
    }
    let entry = |name: &Option<String>| entries.get(name.as_deref()?).copied();
    names.iter().map(entry).collect()
}

/// Returns the size of each section in bytes.
pub fn weights(reader: impl Read + Seek) -> ReadResult<Vec<u64>> {
    let book = Book::open(reader)?;
    let sizes = book.sections.iter();
    Ok(sizes
        .map(|entry| entry.map_or(0, |entry| entry.size))
        .collect())
}

/// Converts an `XPointer` of crengine. Returns `None` if it names no section.
///
/// If the document of the section cannot be read, or has no such point, the result is the closest
/// known element, or the start of the section.
pub fn from_xpointer(reader: impl Read + Seek, value: &str) -> ReadResult<Option<Place>> {
    let Some(pointer) = XPointer::parse(value) else {
        return Ok(None);
    };
    let mut book = Book::open(reader)?;
    let section = pointer.section;
    if section >= book.sections.len() {
        return Ok(None);
    }
    let Some(tree) = pointer.is_exact().then(|| book.tree(section)).flatten() else {
        return Ok(place(section, None, None));
    };
    let point = pointer.resolve(&tree);
    let locator = cfi::write(&tree, point, (book.spine_step, section));
    Ok(place(section, Some(tree.within(point)), Some(locator)))
}

/// Converts a CFI. Returns `None` if it names no section of the spine.
pub fn from_cfi(reader: impl Read + Seek, value: &str) -> ReadResult<Option<Place>> {
    let Some(cfi) = cfi::Cfi::parse(value) else {
        return Ok(None);
    };
    let mut book = Book::open(reader)?;
    let Some(section) = cfi.section().filter(|at| *at < book.sections.len()) else {
        return Ok(None);
    };
    let within = book.tree(section).map(|tree| {
        let point = cfi.resolve(&tree);
        tree.within(point)
    });
    Ok(place(section, within, Some(value.to_owned())))
}

/// Converts the path of a section, with an optional relative position. Returns `None` if the path
/// names no section.
pub fn from_path(reader: impl Read + Seek, value: &str) -> ReadResult<Option<Place>> {
    let (path, within) = match value.split_once(Scheme::RELATIVE) {
        Some((path, within)) => (path, within.parse::<f64>().ok()),
        None => (value, None),
    };
    let within = within.filter(|within| (0.0..=1.0).contains(within));
    let Some(name) = href::resolve("", path) else {
        return Ok(None);
    };
    let book = Book::open(reader)?;
    let mut names = book.names.iter();
    let section = names.position(|own| own.as_ref() == Some(&name));
    Ok(section.and_then(|section| place(section, within, None)))
}

/// Converts a position to the path of its section, as it is in the archive.
pub fn to_path(reader: impl Read + Seek, place: &Place) -> ReadResult<Converted> {
    let mut book = Book::open(reader)?;
    let section = usize::try_from(place.position).unwrap_or(usize::MAX);
    let cfi = place.locator.as_deref().and_then(cfi::Cfi::parse);
    let exact = cfi.and_then(|cfi| {
        let tree = book.tree(section)?;
        Some(tree.within(cfi.resolve(&tree)))
    });
    Ok(Converted {
        value: book.names.get(section).cloned().flatten(),
        within: place.within.or(exact),
    })
}

fn place(section: usize, within: Option<f64>, locator: Option<String>) -> Option<Place> {
    Some(Place {
        position: i64::try_from(section).ok()?,
        within,
        locator,
    })
}

/// Converts a position to an `XPointer` of crengine. Without a readable document, the result is the
/// start of the section.
pub fn to_xpointer(reader: impl Read + Seek, place: &Place) -> ReadResult<Converted> {
    converted(reader, place, |tree, point, (_, section)| {
        xpointer::write(tree, point, section)
    })
}

/// Converts a position to a CFI.
pub fn to_cfi(reader: impl Read + Seek, place: &Place) -> ReadResult<Converted> {
    converted(reader, place, cfi::write)
}

fn converted(
    reader: impl Read + Seek,
    place: &Place,
    write: fn(&Tree, Point, (usize, usize)) -> String,
) -> ReadResult<Converted> {
    let exact = place.locator.as_deref().and_then(cfi::Cfi::parse);
    let start = Converted {
        value: None,
        within: place.within,
    };
    let Ok(section) = usize::try_from(place.position) else {
        return Ok(start);
    };
    if exact.is_none() && place.within.is_none_or(|within| within <= 0.0) {
        return Ok(start);
    }
    let mut book = Book::open(reader)?;
    let Some(tree) = book.tree(section) else {
        return Ok(start);
    };
    let point = match (&exact, place.within) {
        (Some(cfi), _) => cfi.resolve(&tree),
        (None, within) => tree.at(within.unwrap_or(0.0)),
    };
    Ok(Converted {
        value: Some(write(&tree, point, (book.spine_step, section))),
        within: Some(tree.within(point)),
    })
}

//! EPUB 2 and 3: an archive with a package document that says what the book is.

mod cover;
mod href;
mod metadata;
pub mod package;

use std::io::{Read, Seek};

use ledge_core::registry::reading::{Inspection, ReadError};
use serde_json::json;

use crate::archive::zip::{Entry, Zip};
use crate::archive::{ReadResult, damaged};
use crate::xml::{self, Document, Piece};
use package::{Package, Scope};

/// Where an archive says which of its files is the package document.
const CONTAINER: &str = "META-INF/container.xml";
/// Which files of it are encrypted, and how.
const ENCRYPTION: &str = "META-INF/encryption.xml";
/// Where Apple's books say that their layout is fixed.
const DISPLAY_OPTIONS: &str = "META-INF/com.apple.ibooks.display-options.xml";

/// Largest document of the container, and largest package document, in bytes.
const LARGEST_CONTAINER: u64 = 256 << 10;
const LARGEST_PACKAGE: u64 = 8 << 20;

/// Obfuscation of fonts is no lock.
const FONT_ALGORITHMS: &[&str] = &[
    "http://www.idpf.org/2008/embedding",
    "http://ns.adobe.com/pdf/enc#RC",
];

/// What an EPUB says about its book.
pub fn inspect(reader: impl Read + Seek) -> ReadResult<Inspection> {
    let mut zip = Zip::open(reader)?;
    let (_, package) = package(&mut zip, Scope::Metadata)?;
    let mut inspection = metadata::inspection(&package);
    let facts = &mut inspection.facts;
    if !facts.contains_key("fixed_layout") && has_apples_fixed_layout(&mut zip) {
        facts.insert("fixed_layout".to_owned(), json!(true));
    }
    if is_locked(&mut zip) {
        facts.insert("drm".to_owned(), json!(true));
    }
    Ok(inspection)
}

/// The picture on an EPUB's cover, as it lies in the archive.
pub fn cover(reader: impl Read + Seek) -> ReadResult<Option<Vec<u8>>> {
    let mut zip = Zip::open(reader)?;
    let (place, package) = package(&mut zip, Scope::Files)?;
    cover::picture(&mut zip, &place, &package)
}

/// The package document and its name.
fn package<R: Read + Seek>(zip: &mut Zip<R>, scope: Scope) -> ReadResult<(String, Package)> {
    let entry = match rootfile(zip)? {
        Some(entry) => entry,
        None => {
            first_package(zip).ok_or_else(|| damaged("is an EPUB without a package document"))?
        }
    };
    let place = zip.name(&entry).replace('\\', "/");
    let bytes = zip.read(&entry, LARGEST_PACKAGE)?;
    Ok((place, Package::read(&xml::decode(&bytes), scope)?))
}

/// The file that the container names. Some name it in the wrong case, or as if from the
/// container's own folder.
fn rootfile<R: Read + Seek>(zip: &mut Zip<R>) -> ReadResult<Option<Entry>> {
    let Some(container) = zip.find_loosely(CONTAINER) else {
        return Ok(None);
    };
    let bytes = zip.read(&container, LARGEST_CONTAINER)?;
    let text = xml::decode(&bytes);
    let mut document = Document::new(&text);
    while let Ok(Some(piece)) = document.piece() {
        let Piece::Open(element) = piece else {
            continue;
        };
        if element.name() != "rootfile" {
            continue;
        }
        let media_type = element.attribute("media-type");
        if media_type.is_some_and(|said| said != "application/oebps-package+xml") {
            continue;
        }
        let Some(path) = element.attribute("full-path") else {
            continue;
        };
        let names = ["", CONTAINER].map(|from| href::resolve(from, path.trim_start_matches('/')));
        if names.iter().all(Option::is_none) {
            return Err(damaged("names a package document outside its archive"));
        }
        let exact = zip.find(&path);
        let found = exact.or_else(|| {
            names
                .iter()
                .flatten()
                .find_map(|name| zip.find_loosely(name))
        });
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

fn first_package<R: Read + Seek>(zip: &Zip<R>) -> Option<Entry> {
    let is_package = |entry: &&Entry| zip.name(entry).to_lowercase().ends_with(".opf");
    zip.entries().iter().find(is_package).copied()
}

fn has_apples_fixed_layout<R: Read + Seek>(zip: &mut Zip<R>) -> bool {
    let mut is_fixed = false;
    let _ = each_element(zip, DISPLAY_OPTIONS, |element, document| {
        if element.name() == "option"
            && element.attribute("name").as_deref() == Some("fixed-layout")
        {
            is_fixed |= document.text(100)?.trim() == "true";
        }
        Ok(())
    });
    is_fixed
}

/// Whether a shop's key is needed to read the book.
fn is_locked<R: Read + Seek>(zip: &mut Zip<R>) -> bool {
    let mut is_locked = false;
    let _ = each_element(zip, ENCRYPTION, |element, _| {
        let algorithm = element.attribute("Algorithm");
        is_locked |= element.name() == "EncryptionMethod"
            && algorithm.is_some_and(|method| !FONT_ALGORITHMS.contains(&method.as_str()));
        Ok(())
    });
    is_locked
}

/// Shows every element of a document of the archive, if it is there.
fn each_element<R: Read + Seek>(
    zip: &mut Zip<R>,
    name: &str,
    mut see: impl FnMut(&xml::Element<'_>, &mut Document<'_>) -> ReadResult<()>,
) -> Result<(), ReadError> {
    let Some(entry) = zip.find(name) else {
        return Ok(());
    };
    let bytes = zip.read(&entry, LARGEST_PACKAGE)?;
    let text = xml::decode(&bytes);
    let mut document = Document::new(&text);
    while let Some(piece) = document.piece()? {
        if let Piece::Open(element) = piece {
            see(&element, &mut document)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;

//! EPUB 2 and 3: a ZIP archive with a package document that contains the book's metadata.

mod contents;
mod cover;
mod href;
mod metadata;
pub mod package;
pub mod places;

use std::io::{Read, Seek};

use ledge_core::error::ReadError;
use ledge_core::registry::reading::Inspection;
use serde_json::json;

use crate::archive::zip::{Entry, Zip};
use crate::archive::{ReadResult, damaged};
use crate::xml::{self, Document, Piece};
use package::{Package, Scope};

/// Container document, which names the package document.
const CONTAINER: &str = "META-INF/container.xml";
/// List of encrypted files with their algorithms.
const ENCRYPTION: &str = "META-INF/encryption.xml";
/// Apple's display options, which can declare a fixed layout.
const DISPLAY_OPTIONS: &str = "META-INF/com.apple.ibooks.display-options.xml";

/// Largest container document, and largest package document, in bytes.
const LARGEST_CONTAINER: u64 = 256 << 10;
const LARGEST_PACKAGE: u64 = 8 << 20;

/// Algorithms that obfuscate fonts. They are not DRM.
const FONT_ALGORITHMS: &[&str] = &[
    "http://www.idpf.org/2008/embedding",
    "http://ns.adobe.com/pdf/enc#RC",
];

/// Reads an EPUB's metadata.
pub fn inspect(reader: impl Read + Seek) -> ReadResult<Inspection> {
    let mut zip = Zip::open(reader)?;
    let (package_name, package) = package(&mut zip, Scope::Files)?;
    let mut inspection = metadata::inspection(&package);
    inspection.chapters = contents::chapters(&mut zip, &package_name, &package);
    let facts = &mut inspection.facts;
    if !facts.contains_key("fixed_layout") && has_apple_fixed_layout(&mut zip) {
        facts.insert("fixed_layout".to_owned(), json!(true));
    }
    if is_locked(&mut zip) {
        facts.insert("drm".to_owned(), json!(true));
    }
    Ok(inspection)
}

/// Returns the cover picture of an EPUB. The bytes are those of the archive.
pub fn cover(reader: impl Read + Seek) -> ReadResult<Option<Vec<u8>>> {
    let mut zip = Zip::open(reader)?;
    let (package_name, package) = package(&mut zip, Scope::Files)?;
    cover::picture(&mut zip, &package_name, &package)
}

/// Returns the index of the section whose file has this name in the archive. A name that is relative
/// to the package document also matches.
pub fn section_of(reader: impl Read + Seek, href: &str) -> ReadResult<Option<i64>> {
    let mut zip = Zip::open(reader)?;
    let (package_name, package) = package(&mut zip, Scope::Files)?;
    let wanted = href::resolve("", href.trim_start_matches('/'));
    let relative = href::resolve(&package_name, href);
    let sections = contents::sections(&package_name, &package);
    let mut names = [wanted, relative].into_iter().flatten();
    let section = names.find_map(|name| sections.get(&name).copied());
    Ok(section.and_then(|section| i64::try_from(section).ok()))
}

/// Returns the package document and its name in the archive.
fn package<R: Read + Seek>(zip: &mut Zip<R>, scope: Scope) -> ReadResult<(String, Package)> {
    let entry = match rootfile(zip)? {
        Some(entry) => entry,
        None => {
            first_package(zip).ok_or_else(|| damaged("is an EPUB without a package document"))?
        }
    };
    let package_name = zip.name(&entry).replace('\\', "/");
    let bytes = zip.read(&entry, LARGEST_PACKAGE)?;
    Ok((package_name, Package::read(&xml::decode(&bytes), scope)?))
}

/// Returns the package document that the container names. Some containers write the name in the
/// wrong case, or relative to the container's folder.
fn rootfile<R: Read + Seek>(zip: &mut Zip<R>) -> ReadResult<Option<Entry>> {
    let Some(container) = zip.find_ignoring_case(CONTAINER) else {
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
        if media_type.is_some_and(|value| value != "application/oebps-package+xml") {
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
                .find_map(|name| zip.find_ignoring_case(name))
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

fn has_apple_fixed_layout<R: Read + Seek>(zip: &mut Zip<R>) -> bool {
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

/// Returns true if DRM prevents reading the book.
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

/// Calls `see` for every element of a document in the archive, if the document exists.
fn each_element<R: Read + Seek>(
    zip: &mut Zip<R>,
    name: &str,
    mut visit: impl FnMut(&xml::Element<'_>, &mut Document<'_>) -> ReadResult<()>,
) -> Result<(), ReadError> {
    let Some(entry) = zip.find(name) else {
        return Ok(());
    };
    let bytes = zip.read(&entry, LARGEST_PACKAGE)?;
    let text = xml::decode(&bytes);
    let mut document = Document::new(&text);
    while let Some(piece) = document.piece()? {
        if let Piece::Open(element) = piece {
            visit(&element, &mut document)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;

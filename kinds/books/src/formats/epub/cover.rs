//! The cover of an EPUB, found by all conventions in use.

use std::io::{Read, Seek};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ledge_core::registry::OCTET_STREAM;

use super::href;
use super::package::{Item, Package};
use crate::archive::ReadResult;
use crate::archive::zip::{Entry, Zip};
use crate::formats::picture;
use crate::xml::{self, Document, Piece};

/// Largest picture, and largest page or drawing that contains one, in bytes.
const LARGEST_PICTURE: u64 = 32 << 20;
const LARGEST_PAGE: u64 = 4 << 20;
/// Most references that are tried. Each may be compared with every name in the archive.
const MOST_CANDIDATES: usize = 64;
/// Deepest nesting of pages and drawings that refer to each other: a page, a drawing in it, and the
/// picture.
const DEEPEST: usize = 2;

/// Returns the bytes of the cover picture. If the cover is a drawing or a page, returns the first
/// picture in it.
pub(super) fn picture<R: Read + Seek>(
    zip: &mut Zip<R>,
    package_name: &str,
    package: &Package,
) -> ReadResult<Option<Vec<u8>>> {
    let mut problem = None;
    for href in candidates(package).into_iter().take(MOST_CANDIDATES) {
        let Some(entry) = find(zip, package_name, &href) else {
            continue;
        };
        match read(zip, &entry, DEEPEST) {
            Ok(Some(picture)) => return Ok(Some(picture)),
            Ok(None) => {}
            // Another candidate may be readable.
            Err(error) => problem = problem.or(Some(error)),
        }
    }
    problem.map_or(Ok(None), Err)
}

/// Returns the file that a document refers to. Some archives contain percent-encoded file names, so
/// the reference is also tried without decoding.
fn find<R: Read + Seek>(zip: &Zip<R>, document: &str, href: &str) -> Option<Entry> {
    let names = [
        href::resolve(document, href),
        href::resolve_as_written(document, href),
    ];
    let mut names = names.into_iter().flatten();
    names.find_map(|name| zip.find_ignoring_case(&name))
}

/// Returns possible covers, the most specific first, as references from the package document.
fn candidates(package: &Package) -> Vec<String> {
    let items = || package.items.iter();
    let hrefs = |item: &Item| item.href.clone();
    let by_property = items().filter(|item| {
        item.properties
            .split_whitespace()
            .any(|property| property == "cover-image")
    });
    let mut found: Vec<String> = by_property.map(hrefs).collect();
    let metas = package
        .metas
        .iter()
        .filter(|meta| meta.name.eq_ignore_ascii_case("cover"));
    for meta in metas {
        let value = meta.value.trim();
        let by_id = items().filter(|item| item.id == value);
        found.extend(by_id.map(hrefs));
        // A value that is not an id may be the reference itself.
        found.push(value.to_owned());
    }
    let guide = package.guide.iter();
    let by_guide = guide.filter(|(purpose, _)| {
        matches!(
            purpose.as_str(),
            "cover"
                | "coverpage"
                | "cover-page"
                | "other.ms-coverimage-standard"
                | "other.ms-coverimage"
        )
    });
    found.extend(by_guide.map(|(_, href)| href.clone()));
    let pictures = || items().filter(|item| is_picture(item));
    found.extend(pictures().filter(|item| is_called_cover(item)).map(hrefs));
    found
}

fn is_picture(item: &Item) -> bool {
    item.media_type.starts_with("image/")
}

/// Returns true if an item's id or file name is that of a front cover.
fn is_called_cover(item: &Item) -> bool {
    let href = href::decoded(&item.href);
    let file = href.rsplit('/').next().unwrap_or_default();
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    [item.id.as_str(), stem].iter().any(|name| {
        let name: String = name
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|c| c.to_ascii_lowercase())
            .collect();
        matches!(
            name.as_str(),
            "cover"
                | "coverimage"
                | "coverimg"
                | "coverpicture"
                | "frontcover"
                | "imgcover"
                | "bookcover"
        )
    })
}

/// Returns the entry's bytes if they are a raster picture. Otherwise returns the first picture in
/// the page or drawing, following up to `depth` nested documents.
fn read<R: Read + Seek>(
    zip: &mut Zip<R>,
    entry: &Entry,
    depth: usize,
) -> ReadResult<Option<Vec<u8>>> {
    let name = zip.name(entry).into_owned();
    let most = if is_document(&name) {
        LARGEST_PAGE
    } else {
        LARGEST_PICTURE
    };
    let bytes = zip.read(entry, most)?;
    if picture::mime(&bytes) != OCTET_STREAM {
        return Ok(Some(bytes));
    }
    if bytes.len() as u64 > LARGEST_PAGE {
        return Ok(None);
    }
    let text = xml::decode(&bytes);
    if !text.trim_start().starts_with('<') {
        return Ok(None);
    }
    for shown in pictures_shown(&text) {
        if let Some(picture) = embedded(&shown) {
            return Ok(Some(picture));
        }
        if depth > 0
            && let Some(inner) = find(zip, &name, &shown)
            && let Some(picture) = read(zip, &inner, depth - 1)?
        {
            return Ok(Some(picture));
        }
    }
    Ok(None)
}

/// Returns true for pages and drawings.
fn is_document(name: &str) -> bool {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    matches!(
        extension.to_ascii_lowercase().as_str(),
        "xhtml" | "html" | "htm" | "xml" | "svg"
    )
}

/// Returns the references of the first elements that show a picture.
fn pictures_shown(text: &str) -> Vec<String> {
    const MOST: usize = 8;
    let mut found = Vec::new();
    let mut document = Document::new(text);
    while let Ok(Some(piece)) = document.piece() {
        let Piece::Open(element) = piece else {
            continue;
        };
        let href = match element.name() {
            "img" => element.attribute("src"),
            "image" => element.attribute("href"),
            "object" => element.attribute("data"),
            _ => None,
        };
        found.extend(href);
        if found.len() >= MOST {
            break;
        }
    }
    found
}

/// Decodes the picture of a `data:` URL.
fn embedded(href: &str) -> Option<Vec<u8>> {
    let (kind, data) = href.strip_prefix("data:")?.split_once(',')?;
    if !kind.starts_with("image/") || kind.starts_with("image/svg") || !kind.ends_with(";base64") {
        return None;
    }
    let data: String = href::decoded(data).split_whitespace().collect();
    STANDARD.decode(data).ok()
}

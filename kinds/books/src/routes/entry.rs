//! Files inside an EPUB: their list, and their bytes, which are unpacked as the client reads them.
//!
//! Scripts, and drawings with scripts, never have a media type that a browser would run.

use std::fs::File;

use axum::http::HeaderMap;
use axum::response::Response;
use bytes::Bytes;
use ledge_core::http::{ApiError, ApiResult, inside};
use ledge_core::registry::OCTET_STREAM;
use ledge_core::text::markup::svg;

use super::book::Book;
use super::{EntryRow, json_items};
use crate::archive::index_cache::SharedIndex;
use crate::archive::stream::Streamed;
use crate::archive::zip::Zip;
use crate::archive::{Archive, ReadResult, damaged, permits};

/// Largest entry that is unpacked, in bytes.
const MAX_ENTRY_BYTES: u64 = 256 << 20;
/// Largest drawing that is searched for scripts, in bytes. Larger ones are treated as scripts; even
/// maps are smaller.
const MAX_DRAWING_BYTES: u64 = 8 << 20;

const SVG: &str = "image/svg+xml";
const XML: &str = "application/xml";
const XHTML: &str = "application/xhtml+xml";

/// Media types by extension, sorted for binary search. Scripts are left out: no `.js`, `.mjs` or
/// `.wasm`.
const TYPES: &[(&str, &str)] = &[
    ("aac", "audio/aac"),
    ("avif", "image/avif"),
    ("css", "text/css; charset=utf-8"),
    ("gif", "image/gif"),
    ("htm", "text/html"),
    ("html", "text/html"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("json", "application/json"),
    ("m4a", "audio/mp4"),
    ("mp3", "audio/mpeg"),
    ("mp4", "video/mp4"),
    ("ncx", "application/x-dtbncx+xml"),
    ("ogg", "audio/ogg"),
    ("opf", "application/oebps-package+xml"),
    ("opus", "audio/ogg"),
    ("otf", "font/otf"),
    ("pls", "application/pls+xml"),
    ("png", "image/png"),
    ("smil", "application/smil+xml"),
    ("svg", SVG),
    ("ttf", "font/ttf"),
    ("txt", "text/plain; charset=utf-8"),
    ("vtt", "text/vtt"),
    ("webm", "video/webm"),
    ("webp", "image/webp"),
    ("woff", "font/woff"),
    ("woff2", "font/woff2"),
    ("xht", XHTML),
    ("xhtml", XHTML),
    ("xml", XML),
];

/// Opens an EPUB as a ZIP archive, without detecting the format.
pub(super) fn open(file: File) -> ReadResult<Archive<File>> {
    Zip::open(file).map(Archive::Zip)
}

/// Returns the list of an EPUB's files as JSON, without names that lead outside of the archive.
pub(super) fn list(archive: Archive<File>, shared: &SharedIndex) -> ReadResult<Bytes> {
    let zip = zip(archive)?;
    shared.list(|| {
        let rows = zip.entries().iter().filter_map(|entry| {
            let path = zip.name(entry).into_owned();
            is_relative_path(&path).then(|| EntryRow {
                mime: mime(&path),
                size: entry.size,
                path,
            })
        });
        json_items(rows)
    })
}

fn zip(archive: Archive<File>) -> ReadResult<Zip<File>> {
    match archive {
        Archive::Zip(zip) => Ok(zip),
        _ => Err(damaged("is not an EPUB")),
    }
}

/// Returns the response with an entry's bytes.
pub(super) async fn get(book: Book, path: String, headers: &HeaderMap) -> ApiResult<Response> {
    if !is_relative_path(&path) {
        return Err(ApiError::NotFound("entry"));
    }
    let (version, headers) = (book.version(), headers.clone());
    let find = move |archive, _: &SharedIndex| find(archive, &path, &version, &headers);
    let viewer = book.viewer();
    let (found, permit) = book.read(permits::request().await, open, find).await?;
    match found? {
        Found::Unchanged(response) => Ok(response),
        Found::Drawing(etag, mime, bytes) => {
            let bytes = permits::bounded_body(viewer, permit, bytes).await?;
            Ok(inside::bytes_in_memory(&etag, mime, bytes))
        }
        Found::Stream(etag, mime, streamed) => {
            Ok(inside::bytes(&etag, mime, streamed.size, streamed.into()))
        }
    }
}

/// Result of looking for an entry: entity tag, media type and content.
enum Found {
    Unchanged(Response),
    Drawing(String, &'static str, Vec<u8>),
    Stream(String, &'static str, Streamed),
}

/// Finds an entry. The first bytes are unpacked before anything is sent, so that damage is an error
/// status.
fn find(
    archive: Archive<File>,
    path: &str,
    version: &str,
    headers: &HeaderMap,
) -> ReadResult<ApiResult<Found>> {
    let mut zip = zip(archive)?;
    let mut entries = zip.entries().iter().enumerate();
    let found = entries.find(|(_, entry)| zip.name(entry) == path);
    let Some((index, entry)) = found.map(|(index, entry)| (index, *entry)) else {
        return Ok(Err(ApiError::NotFound("entry")));
    };
    // The letter must change when media types change, because browsers cache them with the bytes.
    let etag = format!("\"{version}-g{index:x}\"");
    match inside::unchanged(&etag, headers) {
        Ok(None) => {}
        Ok(Some(unchanged)) => return Ok(Ok(Found::Unchanged(unchanged))),
        Err(error) => return Ok(Err(error)),
    }
    let mime = mime(path);
    if may_be_drawing(mime) && entry.size <= MAX_DRAWING_BYTES {
        let bytes = zip.read_exactly(&entry, MAX_DRAWING_BYTES)?;
        let mime = drawing_mime(mime, &bytes);
        return Ok(Ok(Found::Drawing(etag, mime, bytes)));
    }
    let mime = if may_be_drawing(mime) {
        OCTET_STREAM
    } else {
        mime
    };
    let streamed = Archive::Zip(zip).into_stream(index, MAX_ENTRY_BYTES)?;
    Ok(Ok(Found::Stream(etag, mime, streamed)))
}

/// Returns true for SVG, and for other XML, which can contain SVG under another name. XHTML is a
/// page and is sanitized by the reader.
fn may_be_drawing(mime: &str) -> bool {
    mime == SVG || mime == XML || (mime.ends_with("+xml") && mime != XHTML)
}

/// Returns the media type of a possible drawing, according to its content.
fn drawing_mime(mime: &'static str, bytes: &[u8]) -> &'static str {
    match svg::examine(bytes) {
        svg::Content::Static => mime,
        svg::Content::NoDrawing if mime != SVG => mime,
        svg::Content::NoDrawing | svg::Content::Scripted => OCTET_STREAM,
    }
}

/// Returns true if a name is a plain relative path without special parts.
fn is_relative_path(path: &str) -> bool {
    !path.is_empty()
        && !path.contains(['\\', '\0'])
        && !path.chars().any(char::is_control)
        && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

fn mime(path: &str) -> &'static str {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    let extension = extension.to_ascii_lowercase();
    TYPES
        .binary_search_by_key(&extension.as_str(), |(known, _)| known)
        .ok()
        .and_then(|at| TYPES.get(at))
        .map_or(OCTET_STREAM, |(_, mime)| mime)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_sorted_and_exclude_scripts() {
        assert!(TYPES.is_sorted());
        assert_eq!(mime("a/B.XHTML"), "application/xhtml+xml");
        for name in [
            "mimetype", "a.js", "a.JS", "a.mjs", "a.Wasm", "js", "a.svgz",
        ] {
            assert_eq!(mime(name), OCTET_STREAM, "{name}");
        }
    }

    #[test]
    fn names_outside_the_archive_are_rejected() {
        for name in ["a", "a/b.xhtml", "a..b", "…", "a b"] {
            assert!(is_relative_path(name), "{name}");
        }
        for name in [
            "", "/", "/a", "a/", "a//b", "..", "a/../b", "./a", "a\\b", "a\0", "a\nb",
        ] {
            assert!(!is_relative_path(name), "{name:?}");
        }
    }
}

//! Files inside an EPUB: their list, and each one's bytes, unpacked as fast as the client takes
//! them.
//!
//! No script bears the media type of one, neither by itself nor within a drawing.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use axum::body::Body;
use axum::http::HeaderMap;
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream;
use ledge_core::http::{ApiError, ApiResult, inside};
use ledge_core::markup::svg;
use ledge_core::registry::OCTET_STREAM;

use super::book::Book;
use super::{EntryRow, json_items};
use crate::archive::shared::SharedIndex;
use crate::archive::zip::{Entry, Zip};
use crate::archive::{Archive, ReadResult, damaged, limit, permits};

/// Largest entry that is unpacked, in bytes.
const LARGEST: u64 = 256 << 20;
/// Bytes unpacked at once.
const PIECE: usize = 256 << 10;
/// Largest drawing that is searched for scripts, in bytes. A larger one counts as a script: maps are
/// drawn in less.
const LARGEST_DRAWING: u64 = 8 << 20;

const SVG: &str = "image/svg+xml";
const XML: &str = "application/xml";

/// Media types by extension, sorted. Scripts have none: no `.js`, `.mjs` or `.wasm`.
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
    ("xht", "application/xhtml+xml"),
    ("xhtml", "application/xhtml+xml"),
    ("xml", XML),
];

/// Opens an EPUB, which is a ZIP archive whatever its first bytes are.
pub(super) fn open(file: File) -> ReadResult<Archive<File>> {
    Zip::open(file).map(Archive::Zip)
}

/// The files of an EPUB, but for those whose names lead elsewhere, as JSON.
pub(super) fn list(archive: Archive<File>, shared: &SharedIndex) -> ReadResult<Bytes> {
    let zip = zip(archive)?;
    shared.list(|| {
        let rows = zip.entries().iter().filter_map(|entry| {
            let path = zip.name(entry).into_owned();
            is_plain(&path).then(|| EntryRow {
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
        _ => Err(damaged("is no EPUB")),
    }
}

/// Answers with an entry's bytes.
pub(super) async fn get(book: Book, path: String, headers: &HeaderMap) -> ApiResult<Response> {
    if !is_plain(&path) {
        return Err(ApiError::NotFound("entry"));
    }
    let (state, headers) = (book.state(), headers.clone());
    let answer = move |archive, _: &SharedIndex| answer(archive, &path, &state, &headers);
    let (answer, _permit) = book.read(permits::request().await, open, answer).await?;
    answer
}

/// The answer with an entry, whose first bytes are unpacked before anything is sent.
fn answer(
    archive: Archive<File>,
    path: &str,
    state: &str,
    headers: &HeaderMap,
) -> ReadResult<ApiResult<Response>> {
    let mut zip = zip(archive)?;
    let mut entries = zip.entries().iter().enumerate();
    let found = entries.find(|(_, entry)| zip.name(entry) == path);
    let Some((index, entry)) = found.map(|(index, entry)| (index, *entry)) else {
        return Ok(Err(ApiError::NotFound("entry")));
    };
    // The letter changes when media types do: browsers keep them with what they have.
    let etag = format!("\"{state}-f{index:x}\"");
    match inside::unchanged(&etag, headers) {
        Ok(None) => {}
        Ok(Some(unchanged)) => return Ok(Ok(unchanged)),
        Err(error) => return Ok(Err(error)),
    }
    let mime = mime(path);
    let may_be_drawing = matches!(mime, SVG | XML);
    if may_be_drawing && entry.size <= LARGEST_DRAWING {
        let bytes = zip.read_exactly(&entry, LARGEST_DRAWING)?;
        let mime = drawing_mime(mime, &bytes);
        return Ok(Ok(inside::bytes(&etag, mime, entry.size, bytes.into())));
    }
    let mime = if may_be_drawing { OCTET_STREAM } else { mime };
    let (first, rest) = Unpacking::start(zip, entry)?.first()?;
    let body = body(first, rest);
    Ok(Ok(inside::bytes(&etag, mime, entry.size, body)))
}

/// The media type of what may be a drawing, by its content.
fn drawing_mime(mime: &'static str, bytes: &[u8]) -> &'static str {
    match svg::examine(bytes) {
        svg::Content::Static => mime,
        svg::Content::NoDrawing if mime == XML => mime,
        svg::Content::NoDrawing | svg::Content::Scripted => OCTET_STREAM,
    }
}

/// Whether a name is one of a file in the archive and nowhere else.
fn is_plain(path: &str) -> bool {
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

/// An entry that is being unpacked.
struct Unpacking {
    bytes: Box<dyn Read + Send>,
    left: u64,
}

impl Unpacking {
    fn start(mut zip: Zip<File>, entry: Entry) -> ReadResult<Self> {
        if entry.size > LARGEST {
            return Err(limit("the entry is too large"));
        }
        let place = zip.bytes_at(&entry)?;
        let mut file = zip.into_inner();
        file.seek(SeekFrom::Start(place))?;
        Ok(Self {
            bytes: Box::new(entry.unpacked(file.take(entry.packed_size()))),
            left: entry.size,
        })
    }

    fn first(mut self) -> ReadResult<(Bytes, Self)> {
        let first = self.piece().map_err(|_| damaged("the entry is damaged"))?;
        Ok((first, self))
    }

    /// The next bytes; none at the end. Fewer or more than were declared are an error, which comes
    /// before the last bytes: no transfer looks complete that is not.
    fn piece(&mut self) -> io::Result<Bytes> {
        let wanted = self.left.min(PIECE as u64);
        let mut piece = Vec::new();
        self.bytes.by_ref().take(wanted).read_to_end(&mut piece)?;
        if (piece.len() as u64) < wanted {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.left -= wanted;
        if self.left == 0 && self.bytes.by_ref().take(1).read_to_end(&mut Vec::new())? > 0 {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(piece.into())
    }
}

/// The rest is unpacked as it is taken; a client that leaves ends it.
fn body(first: Bytes, rest: Unpacking) -> Body {
    if rest.left == 0 {
        return first.into();
    }
    Body::from_stream(stream::try_unfold((Some(first), rest), next))
}

type Sending = (Option<Bytes>, Unpacking);

async fn next((first, mut rest): Sending) -> io::Result<Option<(Bytes, Sending)>> {
    if let Some(first) = first {
        return Ok(Some((first, (None, rest))));
    }
    if rest.left == 0 {
        return Ok(None);
    }
    let unpacked = tokio::task::spawn_blocking(move || rest.piece().map(|piece| (piece, rest)));
    let (piece, rest) = unpacked.await.map_err(io::Error::other)??;
    Ok(Some((piece, (None, rest))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_types_are_sorted() {
        assert!(TYPES.is_sorted());
        assert_eq!(mime("a/B.XHTML"), "application/xhtml+xml");
        for name in [
            "mimetype", "a.js", "a.JS", "a.mjs", "a.Wasm", "js", "a.svgz",
        ] {
            assert_eq!(mime(name), OCTET_STREAM, "{name}");
        }
    }

    #[test]
    fn names_that_lead_elsewhere_are_none() {
        for name in ["a", "a/b.xhtml", "a..b", "…", "a b"] {
            assert!(is_plain(name), "{name}");
        }
        for name in [
            "", "/", "/a", "a/", "a//b", "..", "a/../b", "./a", "a\\b", "a\0", "a\nb",
        ] {
            assert!(!is_plain(name), "{name:?}");
        }
    }
}

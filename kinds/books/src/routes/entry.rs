//! Files inside an EPUB: their list, and each one's bytes, unpacked as fast as the client takes
//! them.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use axum::body::Body;
use axum::http::HeaderMap;
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream;
use ledge_core::http::{ApiError, ApiResult, inside};
use ledge_core::registry::OCTET_STREAM;

use super::EntryRow;
use super::book::{Book, NOUN};
use crate::archive::zip::{Entry, Zip};
use crate::archive::{ReadResult, damaged, limit};

/// Largest entry that is unpacked, in bytes.
const LARGEST: u64 = 256 << 20;
/// Bytes unpacked at once.
const PIECE: usize = 256 << 10;

/// Media types by extension, sorted.
const TYPES: &[(&str, &str)] = &[
    ("aac", "audio/aac"),
    ("avif", "image/avif"),
    ("css", "text/css; charset=utf-8"),
    ("gif", "image/gif"),
    ("htm", "text/html"),
    ("html", "text/html"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("js", "text/javascript; charset=utf-8"),
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
    ("svg", "image/svg+xml"),
    ("ttf", "font/ttf"),
    ("txt", "text/plain; charset=utf-8"),
    ("vtt", "text/vtt"),
    ("webm", "video/webm"),
    ("webp", "image/webp"),
    ("woff", "font/woff"),
    ("woff2", "font/woff2"),
    ("xht", "application/xhtml+xml"),
    ("xhtml", "application/xhtml+xml"),
    ("xml", "application/xml"),
];

/// The files of an EPUB, but for those whose names lead elsewhere.
pub(super) fn list(file: File) -> ReadResult<Vec<EntryRow>> {
    let zip = Zip::open(file)?;
    let rows = zip.entries().iter().filter_map(|entry| {
        let path = zip.name(entry).into_owned();
        is_plain(&path).then(|| EntryRow {
            mime: mime(&path),
            size: entry.size,
            path,
        })
    });
    Ok(rows.collect())
}

/// Answers with an entry's bytes.
pub(super) async fn get(book: Book, path: String, headers: &HeaderMap) -> ApiResult<Response> {
    if !is_plain(&path) {
        return Err(ApiError::NotFound("entry"));
    }
    let state = book.state();
    let mime = mime(&path);
    let found = book.read(move |file| find(file, &path)).await?;
    let (zip, entry, index) = found.ok_or(ApiError::NotFound("entry"))?;
    let etag = format!("\"{state}-e{index:x}\"");
    if let Some(unchanged) = inside::unchanged(&etag, headers)? {
        return Ok(unchanged);
    }
    // What cannot be unpacked is told before anything is sent.
    let (first, rest) = inside::read(NOUN, move || Unpacking::start(zip, entry)?.first()).await?;
    Ok(inside::bytes(&etag, mime, entry.size, body(first, rest)))
}

/// The file of exactly this name, and its place.
fn find(file: File, path: &str) -> ReadResult<Option<(Zip<File>, Entry, usize)>> {
    let zip = Zip::open(file)?;
    let mut entries = zip.entries().iter().enumerate();
    let found = entries.find(|(_, entry)| zip.name(entry) == path);
    let found = found.map(|(index, entry)| (*entry, index));
    Ok(found.map(|(entry, index)| (zip, entry, index)))
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

    /// The next bytes; none at the end. Fewer than were promised are an error.
    fn piece(&mut self) -> io::Result<Bytes> {
        let wanted = self.left.min(PIECE as u64);
        let mut piece = Vec::new();
        self.bytes.by_ref().take(wanted).read_to_end(&mut piece)?;
        if (piece.len() as u64) < wanted {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.left -= wanted;
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
        assert_eq!(mime("mimetype"), OCTET_STREAM);
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

//! One embedded file and its answer: type, caching, compression.

use std::collections::HashMap;
use std::io::Read as _;
use std::sync::LazyLock;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use flate2::read::GzDecoder;
use futures_util::stream;

use super::{HASHED, encoding};

/// What a file is kept for whose name bears its hash.
pub(super) const FOR_GOOD: &str = "public, max-age=31536000, immutable";

/// The entry document.
const ENTRY: &str = "index.html";

/// Bytes of one piece of a compressed answer.
pub(super) const PIECE: usize = 64 << 10;

/// Scripts, styles, pictures and frames come from this server only. Covers and pages arrive as
/// blobs; cores are compiled from WebAssembly; frames are what a book's page is drawn in.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; \
    style-src 'self' blob: 'unsafe-inline'; img-src 'self' blob: data:; \
    font-src 'self' blob: data:; media-src 'self' blob:; connect-src 'self'; worker-src 'self'; \
    frame-src 'self' blob:; manifest-src 'self'; form-action 'self'; base-uri 'none'; \
    frame-ancestors 'self'; object-src 'none'";

/// A file of the web UI's build as it is embedded; without a build, a page that says how to make it.
struct Embedded {
    /// Below the build's root.
    name: &'static str,
    mime: &'static str,
    /// Of the file as it is.
    hash: &'static str,
    /// Whether the bytes are compressed, as they are where that makes them fewer.
    is_packed: bool,
    bytes: &'static [u8],
}

const BUILD: &[Embedded] = include!(concat!(env!("OUT_DIR"), "/ui.rs"));

static ASSETS: LazyLock<HashMap<&'static str, Asset>> = LazyLock::new(|| {
    let asset = |file: &'static Embedded| (file.name, Asset::new(file));
    BUILD.iter().map(asset).collect()
});

/// A file of the build.
pub(crate) struct Asset {
    file: &'static Embedded,
    mime: String,
    hashed_name: bool,
}

impl Asset {
    /// The file of this name below the root.
    pub(crate) fn get(name: &str) -> Option<&'static Self> {
        ASSETS.get(name)
    }

    /// The entry document.
    pub(crate) fn entry() -> Option<&'static Self> {
        Self::get(ENTRY)
    }

    fn new(file: &'static Embedded) -> Self {
        Self {
            file,
            mime: with_charset(file.mime),
            hashed_name: file.name.starts_with(HASHED),
        }
    }

    /// The whole file, compressed where that is wanted, or 304 where the client has it.
    pub(crate) fn respond(&self, request: &HeaderMap) -> Response {
        let mut headers = HeaderMap::new();
        let gzip = self.file.is_packed && encoding::wants_gzip(request, &self.mime, &headers);
        let etag = if gzip {
            format!("\"{}-gzip\"", self.file.hash)
        } else {
            format!("\"{}\"", self.file.hash)
        };
        self.describe(&mut headers, &etag);
        if is_current(request, &etag) {
            return (StatusCode::NOT_MODIFIED, headers).into_response();
        }
        headers.insert(header::CONTENT_TYPE, value(&self.mime));
        if self.is_document() {
            let policy = HeaderValue::from_static(CONTENT_SECURITY_POLICY);
            headers.insert(header::CONTENT_SECURITY_POLICY, policy);
        }
        if gzip {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            let bytes = Bytes::from_static(self.file.bytes);
            return (headers, in_pieces(bytes)).into_response();
        }
        let bytes = self.plain();
        headers.insert(header::CONTENT_LENGTH, bytes.len().into());
        (headers, Body::from(bytes)).into_response()
    }

    fn describe(&self, headers: &mut HeaderMap, etag: &str) {
        let caching = if self.hashed_name {
            FOR_GOOD
        } else {
            "no-cache"
        };
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
        headers.insert(header::ETAG, value(etag));
        // Also where it goes out as it is: a cache between us must not hand it to everybody.
        if encoding::is_compressible(&self.mime) {
            let vary = HeaderValue::from_static("Accept-Encoding");
            headers.insert(header::VARY, vary);
        }
    }

    /// What a browser could open as a page, and so might run scripts of.
    fn is_document(&self) -> bool {
        self.mime.starts_with("text/html") || self.mime.starts_with("image/svg+xml")
    }

    /// The file as it is. Browsers accept it compressed, so that it is seldom unpacked.
    fn plain(&self) -> Bytes {
        if !self.file.is_packed {
            return Bytes::from_static(self.file.bytes);
        }
        let mut bytes = Vec::new();
        GzDecoder::new(self.file.bytes)
            .read_to_end(&mut bytes)
            .expect("what the build compressed is whole");
        bytes.into()
    }
}

/// A stream has no length to announce: what is compressed goes out without `Content-Length`.
pub(super) fn in_pieces(bytes: Bytes) -> Body {
    let rest = bytes;
    let starts = (0..rest.len()).step_by(PIECE);
    let pieces = starts.map(move |start| {
        let end = (start + PIECE).min(rest.len());
        Ok::<_, std::convert::Infallible>(rest.slice(start..end))
    });
    Body::from_stream(stream::iter(pieces))
}

fn with_charset(mime: &str) -> String {
    let charset = if mime.starts_with("text/") {
        "; charset=utf-8"
    } else {
        ""
    };
    format!("{mime}{charset}")
}

pub(super) fn value(text: &str) -> HeaderValue {
    HeaderValue::try_from(text).expect("media types and hexadecimal digits are header values")
}

/// Whether one of the tags in `If-None-Match` is this one; weak ones count the same.
pub(super) fn is_current(request: &HeaderMap, etag: &str) -> bool {
    request
        .get_all(header::IF_NONE_MATCH)
        .into_iter()
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .map(str::trim)
        .any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == etag)
}

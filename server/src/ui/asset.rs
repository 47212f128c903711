//! One embedded file and its answer: type, caching, compression.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::{LazyLock, OnceLock};

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::stream;
use rust_embed::RustEmbed;

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

/// The build of the web UI; without one, a page that says how to make it.
#[derive(RustEmbed)]
#[folder = "../web/dist"]
struct Build;

static ASSETS: LazyLock<HashMap<String, Asset>> = LazyLock::new(|| {
    Build::iter()
        .filter_map(|name| Some((name.to_string(), Asset::new(&name)?)))
        .collect()
});

/// A file of the build.
#[derive(Debug)]
pub(crate) struct Asset {
    bytes: Bytes,
    /// Made at the first request that wants it.
    gzip: OnceLock<Bytes>,
    mime: String,
    hash: String,
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

    fn new(name: &str) -> Option<Self> {
        let file = Build::get(name)?;
        let bytes = match file.data {
            Cow::Borrowed(data) => Bytes::from_static(data),
            Cow::Owned(data) => Bytes::from(data),
        };
        let hash =
            file.metadata
                .sha256_hash()
                .iter()
                .take(12)
                .fold(String::new(), |mut text, byte| {
                    // Writing to a string cannot fail.
                    let _ = write!(text, "{byte:02x}");
                    text
                });
        Some(Self {
            bytes,
            gzip: OnceLock::new(),
            mime: with_charset(file.metadata.mimetype()),
            hash,
            hashed_name: name.starts_with(HASHED),
        })
    }

    /// The whole file, compressed where that is wanted, or 304 where the client has it.
    pub(crate) fn respond(&self, request: &HeaderMap) -> Response {
        let mut headers = HeaderMap::new();
        let gzip = encoding::wants_gzip(request, &self.mime, &headers);
        let etag = if gzip {
            format!("\"{}-gzip\"", self.hash)
        } else {
            format!("\"{}\"", self.hash)
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
            return (headers, in_pieces(self.gzipped())).into_response();
        }
        headers.insert(header::CONTENT_LENGTH, self.bytes.len().into());
        (headers, Body::from(self.bytes.clone())).into_response()
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

    fn gzipped(&self) -> Bytes {
        let compress = || {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
            encoder
                .write_all(&self.bytes)
                .and_then(|()| encoder.finish())
                .expect("writing into memory does not fail")
                .into()
        };
        self.gzip.get_or_init(compress).clone()
    }
}

/// A stream has no length to announce: what is compressed goes out without `Content-Length`.
fn in_pieces(bytes: Bytes) -> Body {
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

//! Embedded files and their responses: type, caching and compression.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Read as _;
use std::sync::LazyLock;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use flate2::read::GzDecoder;
use futures_util::stream;
use mime::Mime;
use rust_embed::RustEmbed;

use super::{HASHED, encoding};

/// Cache directives of a file whose name contains its hash.
pub(super) const FOR_GOOD: &str = "public, max-age=31536000, immutable";

/// Name of the entry document.
const ENTRY: &str = "index.html";

/// Size in bytes of a chunk of a compressed response.
pub(super) const PIECE: usize = 64 << 10;

/// Content security policy: scripts, styles, pictures and frames come from this server only. Covers
/// and pages arrive as blobs, emulator cores need WebAssembly, and books are drawn in frames.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; \
    style-src 'self' blob: 'unsafe-inline'; img-src 'self' blob: data:; \
    font-src 'self' blob: data:; media-src 'self' blob:; connect-src 'self'; worker-src 'self'; \
    frame-src 'self' blob:; manifest-src 'self'; form-action 'self'; base-uri 'none'; \
    frame-ancestors 'self'; object-src 'none'";

/// Files of the web UI's build, or the stub page. `NAME.gz` is the compressed file `NAME`.
#[derive(RustEmbed)]
#[folder = "$OUT_DIR/ui"]
struct Build;

static ASSETS: LazyLock<HashMap<String, Asset>> = LazyLock::new(|| {
    let assets = Build::iter().filter_map(|stored| Asset::open(&stored));
    assets.collect()
});

/// A file of the build, ready to be served.
pub(crate) struct Asset {
    bytes: &'static [u8],
    /// `true` if the bytes are compressed, because that is smaller.
    is_packed: bool,
    /// Hash of the embedded bytes.
    hash: String,
    mime: String,
    hashed_name: bool,
}

impl Asset {
    /// Returns the file with this path below the root.
    pub(crate) fn get(name: &str) -> Option<&'static Self> {
        ASSETS.get(name)
    }

    /// Returns the entry document.
    pub(crate) fn entry() -> Option<&'static Self> {
        Self::get(ENTRY)
    }

    /// Opens an embedded file. Returns it with its path below the root.
    fn open(stored: &str) -> Option<(String, Self)> {
        let file = Build::get(stored)?;
        let Cow::Borrowed(bytes) = file.data else {
            return None;
        };
        let name = stored.strip_suffix(".gz").unwrap_or(stored);
        let hash = file.metadata.sha256_hash();
        let asset = Self {
            bytes,
            is_packed: name != stored,
            hash: format!("{:032x}", u128::from_be_bytes(*hash.first_chunk()?)),
            mime: with_charset(&mime_guess::from_path(name).first_or_octet_stream()),
            hashed_name: name.starts_with(HASHED),
        };
        Some((name.to_owned(), asset))
    }

    /// Returns the complete file, compressed if the client accepts that, or 304 if the client has
    /// it.
    pub(crate) fn respond(&self, request: &HeaderMap) -> Response {
        let mut headers = HeaderMap::new();
        let gzip = self.is_packed && encoding::wants_gzip(request, &self.mime, &headers);
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
            let bytes = Bytes::from_static(self.bytes);
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
        // Also set on uncompressed responses: a shared cache must not send them to every client.
        if encoding::is_compressible(&self.mime) {
            let vary = HeaderValue::from_static("Accept-Encoding");
            headers.insert(header::VARY, vary);
        }
    }

    /// Returns `true` for types that a browser may open as a page with scripts.
    fn is_document(&self) -> bool {
        self.mime.starts_with("text/html") || self.mime.starts_with("image/svg+xml")
    }

    /// Returns the uncompressed file. Browsers accept compression, so this is rare.
    fn plain(&self) -> Bytes {
        if !self.is_packed {
            return Bytes::from_static(self.bytes);
        }
        let mut bytes = Vec::new();
        GzDecoder::new(self.bytes)
            .read_to_end(&mut bytes)
            .expect("the build script compressed the file");
        bytes.into()
    }
}

/// Returns the bytes as a stream in chunks. A stream has no length, so compressed responses have no
/// `Content-Length`.
pub(super) fn in_pieces(bytes: Bytes) -> Body {
    let rest = bytes;
    let starts = (0..rest.len()).step_by(PIECE);
    let pieces = starts.map(move |start| {
        let end = (start + PIECE).min(rest.len());
        Ok::<_, std::convert::Infallible>(rest.slice(start..end))
    });
    Body::from_stream(stream::iter(pieces))
}

fn with_charset(mime: &Mime) -> String {
    let charset = if mime.type_() == mime::TEXT {
        "; charset=utf-8"
    } else {
        ""
    };
    format!("{}{charset}", mime.essence_str())
}

pub(super) fn value(text: &str) -> HeaderValue {
    HeaderValue::try_from(text).expect("media types and hexadecimal digits are valid header values")
}

/// Returns `true` if `If-None-Match` contains this tag. Weak and strong tags are equal here.
pub(super) fn is_current(request: &HeaderMap, etag: &str) -> bool {
    request
        .get_all(header::IF_NONE_MATCH)
        .into_iter()
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .map(str::trim)
        .any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == etag)
}

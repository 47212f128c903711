//! Static files of the kinds. They are embedded compressed, and decompressed for the few clients
//! that do not accept gzip.

use std::io::Read as _;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use flate2::read::GzDecoder;
use futures_util::stream;
use ledge_core::registry::{MediaKind, PackedAsset};

use super::asset::{FOR_GOOD, PIECE, in_pieces, is_current, value};
use super::encoding;

/// Returns the file with this name below `/assets/`, of any kind.
pub(super) fn of_a_kind(name: &str) -> Option<PackedAsset> {
    let mut kinds = inventory::iter::<MediaKind>.into_iter();
    kinds.find_map(|kind| kind.assets?(name))
}

/// Returns the complete file, compressed if the client accepts that, or 304 if the client has it.
pub(super) fn respond(asset: &PackedAsset, request: &HeaderMap) -> Response {
    let mut headers = HeaderMap::new();
    let gzip = encoding::wants_gzip(request, asset.mime, &headers);
    let etag = if gzip {
        format!("\"{}-gzip\"", asset.hash)
    } else {
        format!("\"{}\"", asset.hash)
    };
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(FOR_GOOD));
    headers.insert(header::ETAG, value(&etag));
    let vary = HeaderValue::from_static("Accept-Encoding");
    headers.insert(header::VARY, vary);
    if is_current(request, &etag) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(asset.mime));
    if !gzip {
        return (headers, unpacked(asset.gzip)).into_response();
    }
    headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    (headers, in_pieces(Bytes::from_static(asset.gzip))).into_response()
}

/// Decompresses in chunks, at the speed of the client.
fn unpacked(gzip: &'static [u8]) -> Body {
    let mut decoder = GzDecoder::new(gzip);
    let pieces = std::iter::from_fn(move || {
        let mut piece = Vec::with_capacity(PIECE);
        let read = decoder.by_ref().take(PIECE as u64).read_to_end(&mut piece);
        match read {
            Ok(0) => None,
            Ok(_) => Some(Ok(Bytes::from(piece))),
            Err(error) => Some(Err(error)),
        }
    });
    Body::from_stream(stream::iter(pieces))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use axum::body::HttpBody as _;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use http_body_util::BodyExt as _;

    use super::*;

    fn sample() -> (PackedAsset, Vec<u8>) {
        let plain: Vec<u8> = (0..200_000_u32).flat_map(u32::to_le_bytes).collect();
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&plain).expect("into memory");
        let asset = PackedAsset {
            gzip: encoder.finish().expect("into memory").leak(),
            mime: "application/wasm",
            hash: "0123456789ab".to_owned(),
        };
        (asset, plain)
    }

    fn request(name: header::HeaderName, text: &str) -> HeaderMap {
        HeaderMap::from_iter([(name, value(text))])
    }

    async fn body(response: Response) -> Vec<u8> {
        let whole = response.into_body().collect().await.expect("a body");
        whole.to_bytes().to_vec()
    }

    #[tokio::test]
    async fn client_that_accepts_gzip_receives_the_embedded_bytes() {
        let (asset, _) = sample();
        let response = respond(&asset, &request(header::ACCEPT_ENCODING, "gzip, deflate"));
        let headers = response.headers().clone();
        assert_eq!(headers[header::CONTENT_ENCODING], "gzip");
        assert_eq!(headers[header::ETAG], "\"0123456789ab-gzip\"");
        assert_eq!(headers[header::CACHE_CONTROL], FOR_GOOD);
        assert_eq!(headers[header::VARY], "Accept-Encoding");
        // The length is absent from the headers and from the size hint of the body.
        assert!(!headers.contains_key(header::CONTENT_LENGTH));
        assert_eq!(response.body().size_hint().exact(), None);
        assert_eq!(body(response).await, asset.gzip);
    }

    #[tokio::test]
    async fn other_client_receives_decompressed_bytes() {
        let (asset, plain) = sample();
        let response = respond(&asset, &HeaderMap::new());
        assert!(!response.headers().contains_key(header::CONTENT_ENCODING));
        assert_eq!(response.headers()[header::CONTENT_TYPE], "application/wasm");
        assert!(body(response).await == plain);
    }

    #[test]
    fn client_with_current_version_receives_304() {
        let (asset, _) = sample();
        let has = request(header::IF_NONE_MATCH, "\"0123456789ab\"");
        assert_eq!(respond(&asset, &has).status(), StatusCode::NOT_MODIFIED);
        let other = request(header::IF_NONE_MATCH, "\"0123456789ac\"");
        assert_eq!(respond(&asset, &other).status(), StatusCode::OK);
    }

    #[test]
    fn unknown_asset_name_belongs_to_no_kind() {
        assert_eq!(of_a_kind("cores/nothing.000000000000.js"), None);
    }
}

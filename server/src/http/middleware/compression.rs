//! Compression of JSON responses.
//!
//! Only responses that a handler marks with [`CompressibleJson`] are compressed. Streams, pictures,
//! files of books and responses with a secret are not. A secret must not share a compressed body
//! with text that another party chooses: the length of the body would reveal it (BREACH,
//! <https://breachattack.com>).
//!
//! Levels are the fastest of each coding. A higher level costs more CPU time than a small
//! machine saves by sending fewer bytes.

use std::convert::Infallible;
use std::future::ready;

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{ACCEPT_ENCODING, CONTENT_LENGTH, RANGE};
use axum::http::{HeaderMap, Response};
use axum::response::Response as AnyResponse;
use ledge_core::http::CompressibleJson;
use tower::{Layer as _, ServiceExt as _, service_fn};
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::Predicate;

/// Bytes of the smallest body that is compressed. A smaller one fits into one packet anyway.
const SMALLEST: u64 = 1 << 10;

/// The codings that a client accepts, taken from its request.
#[derive(Debug)]
pub(crate) struct AcceptedCodings(Option<HeaderMap>);

impl AcceptedCodings {
    /// Copies `Accept-Encoding`. A request for a range accepts none: a range counts plain bytes.
    pub(crate) fn of_request(request: &Request) -> Self {
        let headers = request.headers();
        if !headers.contains_key(ACCEPT_ENCODING) || headers.contains_key(RANGE) {
            return Self(None);
        }
        let values = headers.get_all(ACCEPT_ENCODING).into_iter();
        Self(Some(
            values
                .map(|value| (ACCEPT_ENCODING, value.clone()))
                .collect(),
        ))
    }

    /// Compresses a marked response of at least [`SMALLEST`] bytes in the coding that the client
    /// prefers. Other responses are returned as they are.
    pub(crate) async fn compress(self, response: AnyResponse) -> AnyResponse {
        if !LargeJson.should_compress(&response) {
            return response;
        }
        let mut request = Request::new(());
        *request.headers_mut() = self.0.unwrap_or_default();
        let status = response.status();
        let mut response = Some(response);
        let respond = service_fn(move |_: Request<()>| {
            let response = response.take().expect("a service that is called once");
            ready(Ok::<_, Infallible>(response))
        });
        let compressed = layer().layer(respond).oneshot(request).await;
        let mut compressed = match compressed {
            Ok(compressed) => compressed.map(Body::new),
            Err(never) => match never {},
        };
        // The layer answers 406 where a client forbids every coding. Plain JSON serves it better.
        *compressed.status_mut() = status;
        compressed
    }
}

fn layer() -> CompressionLayer<LargeJson> {
    CompressionLayer::new()
        .quality(CompressionLevel::Fastest)
        .compress_when(LargeJson)
}

/// Marked responses that are large enough. The length comes from the header: the body of a response
/// to `HEAD` is empty already.
#[derive(Debug, Clone, Copy)]
struct LargeJson;

impl Predicate for LargeJson {
    fn should_compress<B: http_body::Body>(&self, response: &Response<B>) -> bool {
        let stated = response.headers().get(CONTENT_LENGTH);
        let stated = stated.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
        let length = stated.or_else(|| response.body().size_hint().exact());
        response.extensions().get::<CompressibleJson>().is_some()
            && length.is_some_and(|length| length >= SMALLEST)
    }
}

#[cfg(test)]
mod tests;

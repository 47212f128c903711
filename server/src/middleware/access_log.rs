//! The request's id, the span that carries it into the log, and one line a request.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;
use ledge_core::clock::random_bytes;
use tracing::Instrument as _;
use tracing::field::Empty;

use crate::metrics::Metrics;
use crate::session::Client;

/// The answer names the request, so that its lines can be found in the log.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Numbers that look like chance: they begin anywhere, and none comes twice.
fn next_id() -> u64 {
    static FIRST: LazyLock<u64> = LazyLock::new(|| u64::from_le_bytes(random_bytes()));
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    // The golden ratio's fraction spreads them, and is odd.
    FIRST.wrapping_add(count.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// Names the request, counts it, and logs how it ended: method and path, never query, headers or body.
pub(crate) async fn log<F: Future<Output = Response>>(
    request: Request,
    metrics: &Metrics,
    answer: impl FnOnce(Request) -> F,
) -> Response {
    let client = Client::of_request(request.headers(), request.extensions());
    let id = format!("{:016x}", next_id());
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    // On the highest level, so that a filter that lets an error through lets its id through too.
    let span = tracing::error_span!("request", id, user = Empty);
    let begun = Instant::now();
    let mut response = answer(request).instrument(span.clone()).await;
    let took = begun.elapsed();
    metrics.answered(response.status(), took);
    let millis = took.as_secs_f64() * 1000.0;
    span.in_scope(|| {
        tracing::info!(
            target: "ledge::access",
            %method,
            path,
            status = response.status().as_u16(),
            ms = (millis * 10.0).round() / 10.0,
            client = %client.address,
            "answered"
        );
    });
    let id = HeaderValue::try_from(id).expect("hexadecimal digits are a header value");
    response.headers_mut().insert(REQUEST_ID, id);
    response
}

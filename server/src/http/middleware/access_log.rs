//! Request ids, the log span that contains them, and one log line per request.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, Method, StatusCode};
use axum::response::Response;
use ledge_core::rng::random_bytes;
use tracing::Instrument as _;
use tracing::field::Empty;

use crate::http::session::Client;
use crate::serve::connection::Activity;
use crate::serve::metrics::Metrics;

/// Response header with the request id, for a search in the log.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Requests that take longer than this until the head of their response are logged at `info`.
const SLOW: Duration = Duration::from_secs(1);

/// Returns a new request id. Ids start at a random number and do not repeat within 2^64 requests.
fn next_id() -> u64 {
    static FIRST: LazyLock<u64> = LazyLock::new(|| u64::from_le_bytes(random_bytes()));
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    // The step is the fraction of the golden ratio. It spreads the ids, and it is odd, so that no
    // id repeats.
    FIRST.wrapping_add(count.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// Assigns an id to the request, counts it, and logs its end with method and path. It never logs
/// query, headers or body.
pub(crate) async fn log<F: Future<Output = Response>>(
    request: Request,
    metrics: &Metrics,
    answer: impl FnOnce(Request) -> F,
) -> Response {
    let client = Client::of_request(request.headers(), request.extensions());
    let activity = request.extensions().get::<Activity>().cloned();
    let id = format!("{:016x}", next_id());
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    // The span has the highest level, so that a filter that admits errors also admits their request
    // ids.
    let span = tracing::error_span!("request", id, user = Empty);
    let begun = Instant::now();
    let mut response = answer(request).instrument(span.clone()).await;
    let took = begun.elapsed();
    let status = response.status();
    metrics.answered(status, took);
    let waited = activity.map_or(Duration::ZERO, |activity| activity.client_wait());
    let millis = (took.as_secs_f64() * 10_000.0).round() / 10.0;
    // A macro is necessary, because the level of an event must be a constant.
    macro_rules! write_line {
        ($level:ident) => {
            tracing::$level!(
                target: "ledge::access",
                %method,
                path,
                status = status.as_u16(),
                ms = millis,
                client = %client.address,
                "answered"
            )
        };
    }
    span.in_scope(|| {
        if is_notable(&method, &path, status, took.saturating_sub(waited)) {
            write_line!(info);
        } else {
            write_line!(debug);
        }
    });
    let id = HeaderValue::try_from(id).expect("hexadecimal digits are a valid header value");
    response.headers_mut().insert(REQUEST_ID, id);
    response
}

/// Returns `true` if an administrator should see a request: it failed, it was slow, a password was
/// wrong, or a client was rate-limited. `took` excludes the time in which the client sent.
fn is_notable(method: &Method, path: &str, status: StatusCode, took: Duration) -> bool {
    if path == "/healthz" {
        return false;
    }
    let is_sign_in = path.starts_with("/api/v1/auth/") && *method != Method::GET;
    status.is_server_error()
        || status == StatusCode::TOO_MANY_REQUESTS
        || (is_sign_in && status.is_client_error())
        || took > SLOW
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_slow_requests_and_wrong_passwords_are_notable() {
        let (quick, slow) = (Duration::from_millis(1), SLOW * 2);
        for (method, path, status, took, expected) in [
            (Method::GET, "/api/v1/items", 200, quick, false),
            (Method::GET, "/api/v1/items", 200, slow, true),
            (Method::GET, "/api/v1/items", 304, quick, false),
            (Method::GET, "/api/v1/auth/me", 401, quick, false),
            (Method::GET, "/api/v1/items/9", 404, quick, false),
            (Method::GET, "/api/v1/items", 500, quick, true),
            (Method::GET, "/api/v1/items", 503, quick, true),
            (Method::GET, "/api/v1/events", 429, quick, true),
            (Method::POST, "/api/v1/auth/login", 200, quick, false),
            (Method::POST, "/api/v1/auth/login", 401, quick, true),
            (Method::POST, "/api/v1/auth/login", 403, quick, true),
            (Method::PUT, "/api/v1/auth/password", 403, quick, true),
            (Method::GET, "/healthz", 200, slow, false),
            (Method::GET, "/healthz", 503, quick, false),
        ] {
            let status = StatusCode::from_u16(status).expect("a status");
            let notable = is_notable(&method, path, status, took);
            assert_eq!(notable, expected, "{method} {path} {status} {took:?}");
        }
    }
}

//! Metrics of the server, and the access to them.

mod exposition;
mod process;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::http::StatusCode;
use ledge_core::store::library::totals::Totals;
use sha2::{Digest as _, Sha256};

use crate::config::Secret;
use crate::version::commit;
use exposition::Exposition;

/// Upper bounds of the response time buckets, in seconds.
const BOUNDS: [f64; 9] = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

/// Name of the response time histogram.
const TIMES: &str = "ledge_http_request_duration_seconds";

/// Smallest counted status; each status has its own counter.
const FIRST_STATUS: u16 = 100;
const STATUSES: usize = 500;

/// Counters of one server; clones share them.
#[derive(Debug, Clone)]
pub struct Metrics(Arc<Counters>);

#[derive(Debug)]
struct Counters {
    /// SHA-256 of the access token; `None` disables all access.
    token: Option<[u8; 32]>,
    statuses: Vec<AtomicU64>,
    /// Responses by time; each response counts in one bucket only.
    times: [AtomicU64; BOUNDS.len() + 1],
    micros: AtomicU64,
}

/// Access of a request to the metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    /// No token is configured, so access is disabled.
    Nobody,
    /// The request has no token, or a wrong one.
    Stranger,
    /// The request has the right token.
    Admitted,
}

impl Metrics {
    /// Creates counters at zero with this access token.
    pub(crate) fn new(token: Option<&Secret>) -> Self {
        Self(Arc::new(Counters {
            token: token.map(|secret| Sha256::digest(secret.0.as_bytes()).into()),
            statuses: (0..STATUSES).map(|_| AtomicU64::new(0)).collect(),
            times: std::array::from_fn(|_| AtomicU64::new(0)),
            micros: AtomicU64::new(0),
        }))
    }

    /// Determines the access of a request. It compares hashes, so the duration of the comparison
    /// reveals nothing about the token.
    pub(crate) fn reader(&self, token: Option<&str>) -> Reader {
        let Some(expected) = self.0.token else {
            return Reader::Nobody;
        };
        let given = token.map(|token| <[u8; 32]>::from(Sha256::digest(token.as_bytes())));
        if given == Some(expected) {
            Reader::Admitted
        } else {
            Reader::Stranger
        }
    }

    /// Counts a response whose head took this time.
    pub(crate) fn answered(&self, status: StatusCode, took: Duration) {
        let index = usize::from(status.as_u16().saturating_sub(FIRST_STATUS));
        if let Some(count) = self.0.statuses.get(index) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        let seconds = took.as_secs_f64();
        let class = BOUNDS.iter().take_while(|bound| seconds > **bound).count();
        if let Some(count) = self.0.times.get(class) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.0.micros.fetch_add(micros, Ordering::Relaxed);
    }

    /// Returns all metrics in the Prometheus text format.
    pub(crate) fn text(&self, totals: &Totals) -> String {
        let mut text = Exposition::default();
        build(&mut text);
        self.requests(&mut text);
        holdings(&mut text, totals);
        process::describe(&mut text);
        text.finish()
    }

    fn requests(&self, text: &mut Exposition) {
        text.family("ledge_http_requests_total", "counter", "Answers by status.");
        for (status, count) in (FIRST_STATUS..).zip(&self.0.statuses) {
            let count = count.load(Ordering::Relaxed);
            if count > 0 {
                let status = status.to_string();
                text.count("ledge_http_requests_total", &[("status", &status)], count);
            }
        }
        text.family(TIMES, "histogram", "Time until an answer's head was ready.");
        let mut so_far = 0;
        for (bound, count) in BOUNDS.iter().zip(&self.0.times) {
            so_far += count.load(Ordering::Relaxed);
            let bucket = format!("{TIMES}_bucket");
            text.count(&bucket, &[("le", &bound.to_string())], so_far);
        }
        if let Some(slower) = self.0.times.last() {
            so_far += slower.load(Ordering::Relaxed);
        }
        text.count(&format!("{TIMES}_bucket"), &[("le", "+Inf")], so_far);
        let micros = self.0.micros.load(Ordering::Relaxed);
        text.seconds(&format!("{TIMES}_sum"), Duration::from_micros(micros));
        text.count(&format!("{TIMES}_count"), &[], so_far);
    }
}

fn build(text: &mut Exposition) {
    text.family(
        "ledge_build_info",
        "gauge",
        "Which program this is; always 1.",
    );
    let version = env!("CARGO_PKG_VERSION");
    let commit = commit().unwrap_or_default();
    let labels = [("version", version), ("commit", commit)];
    text.count("ledge_build_info", &labels, 1);
}

fn holdings(text: &mut Exposition, totals: &Totals) {
    text.family(
        "ledge_items",
        "gauge",
        "Items by kind, and whether their files are there.",
    );
    for ((kind, missing), count) in &totals.items {
        let missing = if *missing { "true" } else { "false" };
        text.count(
            "ledge_items",
            &[("kind", kind), ("missing", missing)],
            *count,
        );
    }
    text.family("ledge_jobs", "gauge", "Background jobs by status.");
    for (status, count) in &totals.jobs {
        text.count("ledge_jobs", &[("status", status)], *count);
    }
    for (name, help, value) in [
        ("ledge_libraries", "Libraries.", totals.libraries),
        (
            "ledge_users",
            "Accounts, disabled ones included.",
            totals.users,
        ),
        (
            "ledge_database_bytes",
            "Size of the database without its log.",
            totals.bytes,
        ),
    ] {
        text.family(name, "gauge", help);
        text.count(name, &[], value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_require_a_configured_token() {
        let closed = Metrics::new(None);
        assert_eq!(closed.reader(None), Reader::Nobody);
        assert_eq!(closed.reader(Some("")), Reader::Nobody);
        let open = Metrics::new(Some(&Secret("a long token".to_owned())));
        assert_eq!(open.reader(None), Reader::Stranger);
        assert_eq!(open.reader(Some("a long toke")), Reader::Stranger);
        assert_eq!(open.reader(Some("a long token")), Reader::Admitted);
    }

    #[test]
    fn response_time_buckets_are_cumulative() {
        let metrics = Metrics::new(None);
        for millis in [0, 1, 3, 40, 90_000] {
            metrics.answered(StatusCode::OK, Duration::from_millis(millis));
        }
        metrics.answered(StatusCode::NOT_FOUND, Duration::from_millis(1));
        let text = metrics.text(&Totals::default());
        for line in [
            r#"ledge_http_requests_total{status="200"} 5"#,
            r#"ledge_http_requests_total{status="404"} 1"#,
            r#"ledge_http_request_duration_seconds_bucket{le="0.001"} 3"#,
            r#"ledge_http_request_duration_seconds_bucket{le="0.005"} 4"#,
            r#"ledge_http_request_duration_seconds_bucket{le="0.1"} 5"#,
            r#"ledge_http_request_duration_seconds_bucket{le="30"} 5"#,
            r#"ledge_http_request_duration_seconds_bucket{le="+Inf"} 6"#,
            "ledge_http_request_duration_seconds_count 6",
            "ledge_http_request_duration_seconds_sum 90.045",
        ] {
            assert!(text.lines().any(|known| known == line), "{line}\n{text}");
        }
    }

    #[test]
    fn items_in_metrics_are_counted_by_kind() {
        let mut totals = Totals {
            users: 3,
            ..Totals::default()
        };
        totals.items.insert(("a \"kind\"\\\n".to_owned(), true), 7);
        let text = Metrics::new(None).text(&totals);
        let line = r#"ledge_items{kind="a \"kind\"\\\n",missing="true"} 7"#;
        assert!(text.lines().any(|known| known == line), "{text}");
        assert!(text.contains("\nledge_users 3\n"), "{text}");
    }
}

//! Searches by how much of the library they match, and lists of people and series.

use crate::figure;
use crate::pages::{latencies, show};
use crate::scanning::Scanned;

/// What is asked, and how long the slowest of a hundred may take.
const QUERIES: &[(&str, &str, &str)] = &[
    ("a rare term", "12345", "15 ms"),
    ("two terms", "12345+epub", "15 ms"),
    ("inside of words", "2345", "15 ms"),
    ("a broad term", "epub", "40 ms"),
    ("a broad trigram", "mp3", "40 ms"),
    ("one letter", "a", "40 ms"),
    ("nothing", "zzzzzz", "15 ms"),
    ("ideographs", "%E7%8C%AB%E3%81%A7", "15 ms"),
];

/// Measures searches and lists of names.
pub(crate) fn measure(scanned: &Scanned) {
    for (name, query, budget) in QUERIES {
        let path = format!("/search?q={query}");
        let total = scanned.admin.get(&path).expect(200).json()["total"].clone();
        let times = latencies(&scanned.admin, |_| path.clone());
        figure(
            &format!("GET /search, {name}"),
            &show(&times),
            &format!("p50 / p99 at {total} matches; budget p99 {budget}"),
        );
    }
    for path in ["/people", "/people?q=smith", "/series"] {
        let times = latencies(&scanned.admin, |_| path.to_owned());
        figure(&format!("GET {path}"), &show(&times), "p50 / p99");
    }
}

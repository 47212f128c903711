//! Searches by how much of the library they match, and lists of people and series.

use crate::prepare::Library;
use crate::{figure, latency};

/// Requests of each sort.
const ROUNDS: usize = 200;

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
pub(crate) fn measure(library: &Library) {
    for (name, query, budget) in QUERIES {
        let path = format!("/search?q={query}");
        let total = library.heavy.get(&path).expect(200).json()["total"].clone();
        let times = latency::of(&library.heavy, ROUNDS, |_| path.clone());
        figure(
            &format!("GET /search, {name}"),
            &times.show(),
            &format!("p50 / p99 at {total} matches; budget p99 {budget}"),
        );
    }
    for path in ["/people", "/people?q=smith", "/series"] {
        let times = latency::of(&library.heavy, ROUNDS, |_| path.to_owned());
        figure(&format!("GET {path}"), &times.show(), "p50 / p99");
    }
}

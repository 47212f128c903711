//! Searches with different numbers of matches, and lists of people and series.

use crate::measure::floor::Floor;
use crate::prepare::Library;
use crate::{figure, measure::latency};

/// Number of requests per query.
const ROUNDS: usize = 200;

/// Name, query, equivalent index query, and budget for the slowest of a hundred requests.
const QUERIES: &[(&str, &str, &str, &str)] = &[
    ("a rare term", "12345", "\"12345\" *", "15 ms"),
    ("two terms", "12345+epub", "\"12345\" * \"epub\" *", "15 ms"),
    ("inside of words", "2345", "", "15 ms"),
    ("a broad term", "epub", "\"epub\" *", "40 ms"),
    ("a broad trigram", "mp3", "\"mp3\" *", "40 ms"),
    ("one letter", "a", "\"a\" *", "40 ms"),
    ("two letters", "th", "\"th\" *", "40 ms"),
    ("nothing", "zzzzzz", "\"zzzzzz\" *", "15 ms"),
    ("a misspelled term", "stairkase", "", "60 ms"),
    ("two misspelled terms", "silnt+heorn", "", "60 ms"),
    ("a misspelled first letter", "ztolen+kite", "", "60 ms"),
    ("ideographs", "%E7%8C%AB%E3%81%A7", "\"猫 で\"", "15 ms"),
];

/// Measures searches and lists of names.
pub(crate) fn measure(library: &Library) {
    let floor = Floor::of(&library.server.database());
    let items = crate::scanning::total(&library.heavy);
    for (name, query, bare, budget) in QUERIES {
        let path = format!("/search?q={query}");
        let total = library.heavy.get(&path).expect(200).json()["total"]
            .as_u64()
            .unwrap_or(0);
        let times = latency::of(&library.heavy, ROUNDS, |_| path.clone());
        let floor = if bare.is_empty() {
            String::new()
        } else {
            let sql = format!("SELECT count(*) FROM search_word WHERE search_word MATCH '{bare}'");
            format!("; SQL count {:.2} ms", floor.sql(9, &sql))
        };
        let share = 100.0 * total as f64 / items.max(1) as f64;
        figure(
            &format!("GET /search, {name}"),
            &times.show(),
            &format!("p50 / p99; {total} matches, {share:.0} %; budget p99 {budget}{floor}"),
        );
    }
    for path in ["/people", "/people?q=smith", "/series"] {
        let times = latency::of(&library.heavy, ROUNDS, |_| path.to_owned());
        figure(&format!("GET {path}"), &times.show(), "p50 / p99");
    }
}

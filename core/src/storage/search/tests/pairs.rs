//! Test with typical user queries for real titles in many languages among thousands of others.

use super::{database, found, insert};

/// One pair per line: kind, title, authors, query.
const PAIRS: &str = include_str!("pairs.txt");
/// Minimum percentage of queries with the intended title among the first five of its kind.
const HIT_RATE: usize = 98;

const COMMON: [&str; 24] = [
    "the",
    "of",
    "and",
    "night",
    "dark",
    "moon",
    "war",
    "star",
    "king",
    "love",
    "time",
    "world",
    "red",
    "super",
    "house",
    "super man",
    "road",
    "strange",
    "fire",
    "game",
    "la",
    "le",
    "der",
    "die",
];

struct Pair {
    kind: &'static str,
    title: &'static str,
    authors: &'static str,
    query: &'static str,
}

fn pairs() -> Vec<Pair> {
    let lines = PAIRS.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let mut fields = line.split('|');
            let mut field = || fields.next().expect("four fields");
            Pair {
                kind: field(),
                title: field(),
                authors: field(),
                query: field(),
            }
        })
        .collect()
}

#[test]
fn typical_queries_find_intended_titles() {
    let pairs = pairs();
    assert!(pairs.len() >= 200);
    let (_folder, db) = database();
    db.write_blocking(|tx| {
        for n in 0..3_000 {
            let word = |step: usize| COMMON[n * step % COMMON.len()];
            let title = format!("{} {} {} {n}", word(1), word(7), word(5));
            let kind = ["paper", "picture", "sound", "cartridge"][n % 4];
            insert(tx, kind, &title, &format!("{} Smith", word(11)), "x")?;
        }
        for pair in self::pairs() {
            insert(tx, pair.kind, pair.title, pair.authors, "x")?;
        }
        Ok(())
    })
    .expect("items");
    let mut missed = Vec::new();
    for pair in &pairs {
        let answer = found(&db, pair.query, 5);
        let group = answer.groups.iter().find(|group| group.kind == pair.kind);
        let items = group
            .map(|group| group.items.as_slice())
            .unwrap_or_default();
        if !items.iter().any(|item| item.title == pair.title) {
            missed.push(format!("{} ({})", pair.query, pair.title));
        }
    }
    let hits = pairs.len() - missed.len();
    println_rate(hits, pairs.len(), &missed);
    assert!(hits * 100 >= pairs.len() * HIT_RATE, "{missed:#?}");
}

fn println_rate(hits: usize, pairs: usize, missed: &[String]) {
    println!("{hits} of {pairs} queries find what they mean; not: {missed:?}");
}

//! Lists of difficult pairs by kind, made by hand from public facts.
//!
//! A line has eight columns, separated by tabs: `same` or `other`, then title, people and year of
//! the file, then title, people, year and alternative titles at the provider. People and titles are
//! separated by `;`. Empty columns are unknown.

use super::super::thresholds::FLOOR;
use super::super::{Choice, Offered, Wanted, choose};
use crate::registry::MatchRules;

/// Minimum number of pairs of a list.
const MIN_PAIRS: usize = 300;

/// Lists with the rules of their kind, and the minimum share of the pairs of one work that must be
/// found, in percent.
const LISTS: &[(&str, MatchRules, usize, &str)] = &[
    ("films", MatchRules::RELEASES, 90, include_str!("films.tsv")),
    (
        "series",
        MatchRules::RELEASES,
        93,
        include_str!("series.tsv"),
    ),
    (
        "music",
        MatchRules::PERFORMANCES,
        86,
        include_str!("music.tsv"),
    ),
    (
        "comics",
        MatchRules::SERIALS,
        83,
        include_str!("comics.tsv"),
    ),
    (
        "audiobooks",
        MatchRules::EDITIONS,
        86,
        include_str!("audiobooks.tsv"),
    ),
];

/// One line of a list.
#[derive(Debug)]
struct Pair {
    line: &'static str,
    is_same: bool,
    wanted: Side,
    offered: Side,
    others: Vec<String>,
}

#[derive(Debug)]
struct Side {
    title: String,
    people: Vec<String>,
    year: Option<i32>,
}

fn names(column: &str) -> Vec<String> {
    let names = column.split(';').map(str::trim);
    names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

fn side(columns: &[&str]) -> Side {
    let [title, people, year] = columns else {
        panic!("{columns:?}");
    };
    assert!(!title.is_empty(), "{columns:?}");
    let year = (!year.is_empty()).then(|| year.parse().expect("a year"));
    Side {
        title: (*title).to_owned(),
        people: names(people),
        year,
    }
}

fn pairs(list: &'static str) -> Vec<Pair> {
    let lines = list
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let columns: Vec<&str> = line.split('\t').map(str::trim).collect();
            assert_eq!(columns.len(), 8, "{line}");
            assert!(matches!(columns[0], "same" | "other"), "{line}");
            Pair {
                line,
                is_same: columns[0] == "same",
                wanted: side(&columns[1..4]),
                offered: side(&columns[4..7]),
                others: names(columns[7]),
            }
        })
        .collect()
}

/// Returns `true` if a list contains a pair with these titles.
pub(super) fn contains(name: &str, wanted: &str, offered: &str) -> bool {
    let mut named = LISTS.iter().filter(|(list, ..)| *list == name);
    named.any(|(.., list)| {
        let mut pairs = pairs(list).into_iter();
        pairs.any(|pair| pair.wanted.title == wanted && pair.offered.title == offered)
    })
}

fn is_match(pair: &Pair, rules: MatchRules) -> bool {
    let wanted = Wanted {
        title: &pair.wanted.title,
        authors: &pair.wanted.people,
        year: pair.wanted.year,
        rules,
        ..Wanted::default()
    };
    let offered = Offered {
        id: "1",
        title: &pair.offered.title,
        authors: pair.offered.people.iter().map(String::as_str).collect(),
        year: pair.offered.year,
        other_titles: &pair.others,
        ..Offered::default()
    };
    match choose(&wanted, &[offered]) {
        Choice::Match { score, .. } => {
            assert!(score >= FLOOR);
            true
        }
        Choice::Notfound { .. } => false,
    }
}

#[test]
fn lists_have_no_wrong_match_and_most_pairs_are_found() {
    let mut failures = Vec::new();
    for (name, rules, min_found, list) in LISTS {
        let pairs = pairs(list);
        let same: Vec<&Pair> = pairs.iter().filter(|pair| pair.is_same).collect();
        let missed: Vec<&&Pair> = same.iter().filter(|pair| !is_match(pair, *rules)).collect();
        let wrong: Vec<&Pair> = pairs
            .iter()
            .filter(|pair| !pair.is_same && is_match(pair, *rules))
            .collect();
        let found = same.len() - missed.len();
        println!(
            "{name}: {} pairs, {found} of {} found",
            pairs.len(),
            same.len()
        );
        for pair in &missed {
            println!("missed: {}", pair.line);
        }
        for pair in &wrong {
            failures.push(format!("{name}: wrong match: {}", pair.line));
        }
        if found * 100 < same.len() * min_found || pairs.len() < MIN_PAIRS {
            let (all, of) = (pairs.len(), same.len());
            failures.push(format!("{name}: {all} pairs, {found} of {of} found"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

//! Test with misspelled queries for published titles among thousands of others.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::named_params;

use super::{database, found, insert};
use crate::error::StoreResult;
use crate::search::reindex;
use crate::store::catalogue::series;

/// One pair per line: category, title, authors, series, query.
const PAIRS: &str = include_str!("misspellings.txt");
/// Minimum percentage of queries with the title among the first five.
const HIT_RATE: usize = 95;
/// Minimum percentage of each category.
const HIT_RATE_OF_CATEGORY: usize = 85;

const CATEGORIES: [&str; 9] = [
    "insert", "delete", "replace", "swap", "german", "french", "spanish", "author", "series",
];

/// Words of other titles, so that corrections compete.
const OTHERS: [&str; 32] = [
    "great", "dark", "wild", "tale", "letter", "heart", "world", "brave", "tower", "island",
    "time", "king", "queen", "night", "moon", "river", "house", "garden", "winter", "summer",
    "stone", "silver", "shadow", "master", "story", "secret", "lost", "road", "north", "blood",
    "grand", "light",
];

fn pairs() -> Vec<[&'static str; 5]> {
    let lines = PAIRS.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split('|').collect();
            fields.try_into().expect("five fields")
        })
        .collect()
}

fn insert_pair(
    tx: &rusqlite::Transaction<'_>,
    title: &str,
    authors: &str,
    name: &str,
) -> StoreResult<()> {
    let item = insert(tx, "paper", title, authors, "x")?;
    if !name.is_empty() {
        let series = series::ensure(tx, "paper", name)?;
        tx.execute(
            "UPDATE item SET series_id = :series WHERE id = :id",
            named_params! { ":series": series, ":id": item },
        )?;
        reindex(tx, &[item])?;
    }
    Ok(())
}

#[test]
fn misspelled_queries_find_intended_titles() {
    let pairs = pairs();
    assert!(pairs.len() >= 200);
    let (_folder, db) = database();
    db.write_blocking(|tx| {
        for n in 0..3_000 {
            let word = |step: usize| OTHERS[(n * step + n / 32) % OTHERS.len()];
            let title = format!("{} {} {} {n}", word(1), word(7), word(5));
            insert(tx, "paper", &title, &format!("{} Smith", word(11)), "x")?;
        }
        let items: BTreeSet<_> = self::pairs()
            .into_iter()
            .map(|pair| (pair[1], pair[2], pair[3]))
            .collect();
        for (title, authors, series) in items {
            insert_pair(tx, title, authors, series)?;
        }
        Ok(())
    })
    .expect("items");
    let mut missed = BTreeMap::from(CATEGORIES.map(|category| (category, Vec::new())));
    for [category, title, _, _, query] in &pairs {
        let answer = found(&db, query, 5);
        let mut items = answer.groups.iter().flat_map(|group| &group.items);
        let of_category = missed.get_mut(category).expect("a category");
        if !items.any(|item| item.title == *title) {
            of_category.push(format!("{query} ({title})"));
        }
    }
    println!("missed: {missed:#?}");
    for (category, missed) in &missed {
        let of_category = pairs.iter().filter(|pair| pair[0] == *category).count();
        assert!(of_category >= 20, "{category}");
        assert!(
            missed.len() * 100 <= of_category * (100 - HIT_RATE_OF_CATEGORY),
            "{missed:?}"
        );
    }
    let missed: usize = missed.values().map(Vec::len).sum();
    assert!(missed * 100 <= pairs.len() * (100 - HIT_RATE));
}

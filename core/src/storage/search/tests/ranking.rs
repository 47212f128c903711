//! Comparison of the ranking with a simple one that reads every item and uses no index.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use rusqlite::Connection;

use super::terms::{Field, Fit, Term, parse};
use super::{database, document_unscoped, found_exactly, insert};
use crate::db::Db;
use crate::error::StoreResult;
use crate::id::ItemId;
use crate::text;

/// Words that contain each other.
const WORDS: [&str; 16] = [
    "sun",
    "sunny",
    "sunset",
    "set",
    "s",
    "su",
    "anna",
    "hanna",
    "an",
    "a",
    "Spider-Man",
    "spiderman",
    "Über",
    "ueber",
    "night",
    "midnight",
];

/// Sort order, best first: price, title similarity, title, id.
type Rank = (u32, u8, String, ItemId);

/// Item as the simple ranking sees it.
struct Item {
    id: ItemId,
    kind: String,
    sort_title: String,
    title: Field,
    authors: Field,
    path: Field,
}

impl Item {
    fn price(&self, terms: &[Term]) -> Option<u32> {
        let price = |term: &Term| {
            let fields = [(0, &self.title), (3, &self.authors), (6, &self.path)];
            fields
                .into_iter()
                .find_map(|(base, field)| Some(base + term.fit(field)? as u32))
        };
        terms.iter().map(price).sum()
    }

    fn rank(&self, query: &str, terms: &[Term]) -> Option<Rank> {
        let key = text::sort_key(query).1;
        let likeness = match &self.sort_title {
            title if *title == key => 0,
            title if title.starts_with(&key) => 1,
            _ => 2,
        };
        let price = self.price(terms)?;
        Some((price, likeness, self.sort_title.clone(), self.id))
    }

    /// Returns `true` if a tier contains the item.
    fn is_in_tier(&self, terms: &[Term], with_authors: bool, worst: Fit) -> bool {
        terms.iter().all(|term| {
            let fits = |field| term.fit(field).is_some_and(|fit| fit <= worst);
            fits(&self.title) || (with_authors && fits(&self.authors))
        })
    }
}

fn items(conn: &Connection) -> StoreResult<Vec<Item>> {
    let mut statement = conn.prepare("SELECT id, kind, sort_title FROM item ORDER BY id DESC")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    rows.map(|row| {
        let (id, kind, sort_title) = row?;
        let document = document_unscoped(conn, id)?.expect("an item");
        Ok(Item {
            id,
            kind,
            sort_title,
            title: Field::of(document.title),
            authors: Field::of(document.authors),
            path: Field::of(document.path),
        })
    })
    .collect()
}

/// Returns the best of the matches of one kind. The matches are sorted newest first.
fn best(matches: &[&Item], total: usize, query: &str, limit: usize) -> Vec<ItemId> {
    let terms = parse(query);
    let is_small = total <= 1_000 || matches.len() <= limit.max(200);
    let candidates = if is_small {
        matches.iter().map(|item| item.id).collect()
    } else {
        gathered(matches, query, limit)
    };
    let candidates = matches.iter().filter(|item| candidates.contains(&item.id));
    let mut ranks: Vec<Rank> = candidates
        .filter_map(|item| item.rank(query, &terms))
        .collect();
    ranks.sort_unstable();
    ranks.truncate(limit);
    ranks.into_iter().map(|rank| rank.3).collect()
}

/// Returns the candidates if there are too many matches of one kind.
fn gathered(matches: &[&Item], query: &str, limit: usize) -> BTreeSet<ItemId> {
    let terms = parse(query);
    let key = text::sort_key(query).1;
    let enough = limit + 200;
    let mut titled: Vec<&&Item> = matches
        .iter()
        .filter(|item| item.sort_title.starts_with(&key))
        .collect();
    titled.sort_by_key(|item| (&item.sort_title, item.id));
    let mut ids: BTreeSet<ItemId> = titled.iter().take(limit).map(|item| item.id).collect();
    for (with_authors, worst) in [
        (false, Fit::Word),
        (false, Fit::Start),
        (true, Fit::Word),
        (true, Fit::Start),
    ] {
        let tier = matches
            .iter()
            .filter(|item| item.is_in_tier(&terms, with_authors, worst));
        ids.extend(tier.take(2 * enough).map(|item| item.id));
        if ids.len() >= enough {
            break;
        }
    }
    let missing = limit.saturating_sub(ids.len());
    let rest = matches.iter().map(|item| item.id);
    let rest: Vec<ItemId> = rest.filter(|id| !ids.contains(id)).take(missing).collect();
    ids.extend(rest);
    ids
}

/// Returns the best of each kind by the simple ranking.
fn expected(db: &Db, query: &str, limit: usize) -> BTreeMap<String, Vec<ItemId>> {
    let items = db.read_blocking(items).expect("items");
    let terms = parse(query);
    let matches: Vec<&Item> = items
        .iter()
        .filter(|item| !terms.is_empty() && item.price(&terms).is_some())
        .collect();
    let mut by_kind: BTreeMap<String, Vec<&Item>> = BTreeMap::new();
    for item in &matches {
        by_kind.entry(item.kind.clone()).or_default().push(item);
    }
    by_kind
        .into_iter()
        .map(|(kind, of_kind)| (kind, best(&of_kind, matches.len(), query, limit)))
        .collect()
}

fn actual(db: &Db, query: &str, limit: usize) -> BTreeMap<String, Vec<ItemId>> {
    let groups = found_exactly(db, query, limit).groups.into_iter();
    groups
        .map(|group| {
            let ids = group.items.iter().map(|item| item.id).collect();
            (group.kind, ids)
        })
        .collect()
}

/// Creates a library of random words, which depend only on the seed.
fn library(seed: u64, count: usize) -> (tempfile::TempDir, Db) {
    let (folder, db) = database();
    db.write_blocking(move |tx| {
        let mut state = seed;
        let mut below = |end: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).expect("31 bits") % end
        };
        for _ in 0..count {
            let mut text = |least: usize, more: usize| {
                let words = (0..least + below(more)).map(|_| WORDS[below(WORDS.len())]);
                words.collect::<Vec<_>>().join(" ")
            };
            let (title, authors, path) = (text(1, 2), text(0, 2), text(0, 4));
            // Every word is the name of a file.
            let path = path.replace(' ', "\n");
            let kind = if below(5) == 0 { "sound" } else { "paper" };
            insert(tx, kind, &title, &authors, &path)?;
        }
        Ok(())
    })
    .expect("items");
    (folder, db)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 9,
        // Shrinking is useless: a smaller library has other content.
        max_shrink_iters: 0,
        ..ProptestConfig::default()
    })]

    #[test]
    fn ranking_equals_ranking_of_every_item(
        seed in any::<u64>(),
        count in prop::sample::select(vec![40_usize, 400, 2_400]),
        pairs in prop::collection::vec((0..WORDS.len(), 0..WORDS.len()), 6),
    ) {
        let (_folder, db) = library(seed, count);
        let single = ["sun", "set", "s", "su", "an", "nigh", "unse", "spider-man", "ueber", "zzz"];
        let pairs = pairs.into_iter().map(|(a, b)| format!("{} {}", WORDS[a], WORDS[b]));
        for query in single.into_iter().map(str::to_owned).chain(pairs) {
            for limit in [1, 7, 20] {
                let (actual, expected) = (actual(&db, &query, limit), expected(&db, &query, limit));
                prop_assert_eq!(actual, expected, "{} of {}, limit {}", query, count, limit);
            }
        }
    }
}

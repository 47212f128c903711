//! Typo-tolerant search among many words: size and time of the vocabulary, and times of misspelled
//! queries. The items have random titles and authors; frequencies of words follow Zipf's law.

use std::path::Path;
use std::time::{Duration, Instant};

use ledge_core::access::Visible;
use ledge_core::db::{Db, open};
use ledge_core::id::{ItemId, UserId};
use ledge_core::search::{self, Query};
use rusqlite::named_params;

use crate::figure;

/// The titles consist of this many words, as a power of two.
const WORDS: usize = 19;
/// Items indexed per transaction, as in a scan.
const CHUNK: usize = 800;
/// Measured searches per query.
const ROUNDS: usize = 40;

/// Name and ranks of words, the most frequent first.
const QUERIES: &[(&str, &[usize])] = &[
    ("a frequent word", &[100]),
    ("a rare word", &[200_000]),
    ("a frequent and a rare word", &[300, 50_000]),
    ("four words", &[50, 500, 5_000, 50_000]),
    (
        "eight words",
        &[20, 60, 200, 600, 2_000, 6_000, 20_000, 60_000],
    ),
];

/// Measures a catalogue of this many items.
pub(crate) fn measure(items: u64) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ledge.db");
    let db = Db::open(&path).expect("a database");
    let mut words = Words(1);
    insert(&db, &mut words, items);
    let start = Instant::now();
    index(&db, items);
    let all = start.elapsed();
    prepare_upgrade(&db);
    let start = Instant::now();
    search::upgrade::complete_blocking(&db, || true).expect("the vocabulary");
    show(&path, items, all, start.elapsed());
    let merge = search::merge::merge_segments_blocking(&db, || true);
    merge.expect("a merge");
    for (name, ranks) in QUERIES {
        search(&db, name, ranks);
    }
}

/// Measures misspelled queries of words of these ranks.
fn search(db: &Db, name: &str, ranks: &[usize]) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime");
    let mut times = Vec::new();
    let mut found = 0;
    for round in 0..ROUNDS {
        let words = ranks.iter().map(|rank| misspelled(rank + round, round));
        let text = words.collect::<Vec<String>>().join(" ");
        let start = Instant::now();
        let matches = runtime.block_on(db.read_with_index(move |conn, view| {
            let query = Query {
                text: &text,
                kind: None,
                limit: 20,
                fuzzy: true,
            };
            search::find(conn, view, Visible::of(UserId(1)), &["paper"], &query)
        }));
        times.push(start.elapsed());
        found += matches.expect("matches").total;
    }
    times.sort_unstable();
    let at = |percent: usize| times[(ROUNDS - 1) * percent / 100].as_secs_f64() * 1e3;
    figure(
        &format!("misspelled search, {name}"),
        &format!("{:.1} / {:.1} ms", at(50), at(99)),
        &format!(
            "p50 / p99; {} matches on average; budget p99 60 ms",
            found / ROUNDS as u64
        ),
    );
}

fn insert(db: &Db, words: &mut Words, items: u64) {
    db.write_blocking(|tx| {
        Ok(tx.execute_batch(
            "INSERT INTO user (id, username, username_key, password_hash, role, created_at)
             VALUES (1, 'a', 'a', '', 'user', '');
             INSERT INTO library (id, name, name_key, path, created_at)
             VALUES (1, 'A', 'a', x'61', ''), (2, 'B', 'b', x'62', '');
             INSERT INTO library_grant (user_id, library_id) VALUES (1, 1);",
        )?)
    })
    .expect("a library");
    let mut left = items;
    while left > 0 {
        let chunk = left.min(10_000);
        let rows: Vec<(String, String)> =
            (0..chunk).map(|_| (words.text(4), words.text(2))).collect();
        let inserted = db.write_blocking(move |tx| {
            let mut insert = tx.prepare(
                "INSERT INTO item (library_id, kind, group_key, title, sort_title, initial, authors,
                                   added_at)
                 VALUES (1 + :n % 2, 'paper', :key, :title, :title, 'A', :authors, '')",
            )?;
            for (n, (title, authors)) in rows.iter().enumerate() {
                insert.execute(named_params! {
                    ":n": n, ":key": left * 10_000 + n as u64, ":title": title, ":authors": authors,
                })?;
            }
            Ok(())
        });
        inserted.expect("items");
        left -= chunk;
    }
}

fn index(db: &Db, items: u64) {
    let ids: Vec<ItemId> = (1..=i64::try_from(items).expect("a count"))
        .map(ItemId)
        .collect();
    for chunk in ids.chunks(CHUNK) {
        let chunk = chunk.to_vec();
        db.bulk_blocking(move |tx| search::add(tx, &chunk))
            .expect("an index");
    }
}

fn prepare_upgrade(db: &Db) {
    db.write_blocking(|tx| {
        Ok(tx.execute_batch(
            "DELETE FROM search_vocabulary;
             INSERT INTO search_backlog (id, next_item) SELECT 1, max(id) FROM item;",
        )?)
    })
    .expect("an older state");
}

fn show(path: &Path, items: u64, all: Duration, alone: Duration) {
    let database = open::inspected(path).expect("the database");
    let number = |sql: &str| {
        database
            .query_row(sql, [], |row| row.get::<_, i64>(0))
            .expect("a number") as f64
    };
    let rows = number("SELECT count(*) FROM search_vocabulary");
    let size = number("SELECT sum(pgsize) FROM dbstat WHERE name = 'search_vocabulary'");
    let total = number("SELECT sum(pgsize) FROM dbstat");
    let items = items as f64;
    figure(
        "vocabulary",
        &format!("{:.1} bytes/item", size / items),
        &format!(
            "{:.2} rows/item; {:.1} % of the database",
            rows / items,
            100.0 * size / total
        ),
    );
    figure(
        "indexing of an item",
        &format!("{:.0} µs", all.as_secs_f64() * 1e6 / items),
        &format!(
            "of these at most {:.0} µs for the vocabulary",
            alone.as_secs_f64() * 1e6 / items
        ),
    );
}

/// Pseudo-random words by Zipf's law, the same in every run.
struct Words(u64);

impl Words {
    fn text(&mut self, words: usize) -> String {
        let words = (0..words).map(|_| {
            let first = 1 << self.below(WORDS);
            word(first + self.below(first))
        });
        words.collect::<Vec<String>>().join(" ")
    }

    fn below(&mut self, end: usize) -> usize {
        // Knuth's MMIX generator. Only its high bits are random enough.
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % end
    }
}

/// Returns the word of a rank: two to five syllables.
fn word(rank: usize) -> String {
    const FIRST: [&str; 20] = [
        "b", "c", "d", "f", "g", "h", "j", "k", "l", "m", "n", "p", "r", "s", "t", "w", "st", "ch",
        "th", "br",
    ];
    const THEN: [&str; 8] = ["a", "e", "i", "o", "u", "an", "er", "in"];
    let mut random = Words(rank as u64 + 1);
    random.below(1);
    let syllables = 2 + random.below(4);
    let mut syllable =
        || FIRST[random.below(FIRST.len())].to_owned() + THEN[random.below(THEN.len())];
    (0..syllables).map(|_| syllable()).collect()
}

/// Returns the word of a rank with one edit.
fn misspelled(rank: usize, edit: usize) -> String {
    let mut letters: Vec<char> = word(rank).chars().collect();
    let at = 1 + edit % (letters.len() - 2);
    match edit % 4 {
        0 => letters.insert(at, 'x'),
        1 => letters[at] = 'v',
        2 => letters.swap(at, at + 1),
        _ => {
            letters.remove(at);
        }
    }
    letters.into_iter().collect()
}

//! Tests that compare the index with a check of every item.

mod misspellings;
mod pairs;
mod ranking;

use std::collections::BTreeSet;

use proptest::prelude::*;
use rusqlite::{Connection, Transaction, named_params};

use super::terms::parse;
use super::*;
use crate::access::Visible;
use crate::db::{Db, id_set, migrate};
use crate::id::{FileId, LibraryId, UserId};
use crate::registry::naming::Credit;
use crate::store::catalogue::edit::Edit;
use crate::store::catalogue::field::{Field, Sourced, source};
use crate::store::catalogue::{self, Fields, NewItem, edit, person};
use crate::store::file;
use crate::store::file::totals::Totals;
use crate::store::item::{self, Found, SearchRequest};
use crate::store::library::purge;

const KINDS: [&str; 4] = ["paper", "picture", "sound", "cartridge"];

/// Returns SQLite's query plan of a statement on an empty database.
pub(super) fn plan(sql: &str) -> String {
    let mut conn = Connection::open_in_memory().expect("a database");
    migrate::migrate(&mut conn).expect("a schema");
    id_set::register(&conn).expect("the aggregate");
    let mut statement = conn
        .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
        .expect("a statement");
    let rows = statement
        .raw_query()
        .mapped(|row| row.get::<_, String>(3))
        .collect::<Result<Vec<_>, _>>();
    rows.expect("a plan").join("\n")
}

/// Creates a database with one library, its one folder, and a user who may see it.
pub(super) fn database() -> (tempfile::TempDir, Db) {
    let folder = tempfile::tempdir().expect("a folder");
    let db = Db::open(&folder.path().join("ledge.db")).expect("a database");
    db.write_blocking(|tx| {
        Ok(tx.execute_batch(
            "INSERT INTO user (id, username, username_key, password_hash, role, created_at)
             VALUES (1, 'a', 'a', '', 'user', '');
             INSERT INTO library (id, name, name_key, path, created_at)
             VALUES (1, 'A', 'a', x'61', '');
             INSERT INTO library_grant (user_id, library_id) VALUES (1, 1);
             INSERT INTO folder (id, library_id, path) VALUES (1, 1, x'');",
        )?)
    })
    .expect("a library");
    (folder, db)
}

fn credit(name: &str) -> Vec<Credit> {
    let authors = name.split(", ").filter(|name| !name.is_empty());
    let credit = |name: &str| Credit {
        name: name.to_owned(),
        role: person::AUTHOR.to_owned(),
    };
    authors.map(credit).collect()
}

/// Stores an item with one file and indexes it.
pub(super) fn insert(
    tx: &Transaction<'_>,
    kind: &str,
    title: &str,
    authors: &str,
    file: &str,
) -> StoreResult<ItemId> {
    let count: i64 = tx.query_row("SELECT count(*) FROM item", [], |row| row.get(0))?;
    let last: i64 = tx.query_row("SELECT ifnull(max(id), 0) FROM item", [], |row| row.get(0))?;
    let named = |value: &str| Sourced {
        value: value.to_owned(),
        source: source::NAME,
    };
    let fields = Fields {
        title: Some(named(title)),
        credits: Some(Sourced {
            value: credit(authors),
            source: source::NAME,
        }),
        facts: "{}".to_owned(),
        file_facts: "{}".to_owned(),
        ..Fields::default()
    };
    let key = format!("{last}/{count}/{title}");
    let new = NewItem {
        library: LibraryId(1),
        kind,
        key: &key,
        profile: None,
        totals: Totals::default(),
        added_at: crate::time::Clock::system().now(),
    };
    let item = catalogue::insert(tx, new, &fields)?;
    for (number, file) in file.split('\n').enumerate() {
        tx.execute(
            "INSERT INTO file (item_id, folder_id, name, sequence, size, mtime_ns, added_at)
             VALUES (:item, 1, :name, :number, 1, 1, '2026-01-01T00:00:00.000000Z')",
            named_params! {
                ":item": item,
                ":name": format!("{file} {item} {number}").into_bytes(),
                ":number": number,
            },
        )?;
    }
    add(tx, &[item])?;
    Ok(item)
}

/// Returns the user's search result.
pub(super) fn found(db: &Db, query: &str, limit: usize) -> Found {
    search_for(db, query, limit, true)
}

/// Returns the user's search result without similar words.
pub(super) fn found_exactly(db: &Db, query: &str, limit: usize) -> Found {
    search_for(db, query, limit, false)
}

fn search_for(db: &Db, query: &str, limit: usize, fuzzy: bool) -> Found {
    let query = query.to_owned();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime");
    let read = db.read_with_index(move |conn, view| {
        let query = Query {
            text: &query,
            kind: None,
            limit,
            fuzzy,
        };
        let engines = None;
        let request = SearchRequest { query, engines };
        item::search(conn, view, Visible::of(UserId(1)), &KINDS, &request)
    });
    runtime.block_on(read).expect("an answer")
}

fn ids(found: &Found) -> BTreeSet<ItemId> {
    let items = found.groups.iter().flat_map(|group| &group.items);
    items.map(|item| item.id).collect()
}

/// Returns the present items that contain every term, by checking each item.
fn looked_for(db: &Db, query: &str) -> BTreeSet<ItemId> {
    let terms = parse(query);
    db.read_blocking(move |conn| {
        let mut statement = conn.prepare("SELECT id FROM item WHERE missing = 0")?;
        let items = statement.query_map([], |row| row.get(0))?;
        let mut matching = BTreeSet::new();
        for item in items {
            let item: ItemId = item?;
            let document = document_unscoped(conn, item)?.expect("an item");
            let fields = [document.title, document.path, document.authors].map(terms::Field::of);
            let has = |term: &terms::Term| fields.iter().any(|field| term.fit(field).is_some());
            if !terms.is_empty() && terms.iter().all(has) {
                matching.insert(item);
            }
        }
        Ok(matching)
    })
    .expect("items")
}

/// Changes of the catalogue. Numbers select an item. The scan tests compare changes of files with a
/// rebuilt index.
#[derive(Debug, Clone)]
enum Change {
    Insert(String, String, String),
    Rename(usize, String),
    Credit(usize, String),
    Unlock(usize),
    Vanish(usize),
    Return(usize),
    Delete(usize),
}

/// Makes a change with the function of the production code.
fn apply(tx: &Transaction<'_>, change: &Change) -> StoreResult<()> {
    let item = |n: usize| -> StoreResult<ItemId> {
        Ok(tx.query_row(
            "SELECT id FROM item ORDER BY id LIMIT 1 OFFSET :n % max(1, (SELECT count(*) FROM item))",
            named_params! { ":n": n },
            |row| row.get(0),
        )?)
    };
    let count: i64 = tx.query_row("SELECT count(*) FROM item", [], |row| row.get(0))?;
    let edited = |id, edit: Edit| {
        let item = Visible::of(UserId(1)).item(tx, id)?.expect("granted");
        edit::apply(tx, item, &edit).map(drop)
    };
    let now = crate::time::Clock::system().now();
    match change {
        Change::Insert(title, authors, file) => insert(tx, "paper", title, authors, file).map(drop),
        _ if count == 0 => Ok(()),
        Change::Rename(n, title) => edited(
            item(*n)?,
            Edit {
                title: Some(title.clone()),
                ..Edit::default()
            },
        ),
        Change::Credit(n, authors) => edited(
            item(*n)?,
            Edit {
                authors: Some(
                    credit(authors)
                        .into_iter()
                        .map(|credit| credit.name)
                        .collect(),
                ),
                ..Edit::default()
            },
        ),
        Change::Unlock(n) => edited(
            item(*n)?,
            Edit {
                unlock: vec![Field::Title, Field::Authors],
                ..Edit::default()
            },
        ),
        Change::Vanish(n) => {
            let id = item(*n)?;
            file::mark_missing(tx, file_of(tx, id)?, now)?;
            catalogue::settle(tx, id, now)
        }
        Change::Return(n) => {
            let id = item(*n)?;
            file::set_present(tx, file_of(tx, id)?, (1, 1))?;
            catalogue::settle(tx, id, now)
        }
        Change::Delete(n) => purge::delete_items(tx, &[item(*n)?]),
    }
}

fn file_of(tx: &Transaction<'_>, item: ItemId) -> StoreResult<FileId> {
    Ok(
        tx.query_row("SELECT id FROM file WHERE item_id = ?1", [item], |row| {
            row.get(0)
        })?,
    )
}

/// Returns texts of few words, so that queries often match.
fn text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "harry",
        "Potter",
        "pot",
        "Spider-Man",
        "spiderman",
        "a",
        "an",
        "Über",
        "ueber",
        "L’été",
        "猫である",
        "猫",
        "AC/DC",
        "R.U.R.",
        "rur",
        "otte",
        "&",
        "and",
        "10",
        "1",
        "!!!",
        "Ёж",
    ]);
    prop::collection::vec(word, 0..4).prop_map(|words| words.join(" "))
}

fn change() -> impl Strategy<Value = Change> {
    let n = 0usize..8;
    prop_oneof![
        3 => (text(), text(), text()).prop_map(|(a, b, c)| Change::Insert(a, b, c)),
        2 => (n.clone(), text()).prop_map(|(n, text)| Change::Rename(n, text)),
        1 => (n.clone(), text()).prop_map(|(n, text)| Change::Credit(n, text)),
        1 => n.clone().prop_map(Change::Unlock),
        1 => n.clone().prop_map(Change::Vanish),
        1 => n.clone().prop_map(Change::Return),
        1 => n.prop_map(Change::Delete),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn index_matches_items_after_every_change(
        changes in prop::collection::vec(change(), 1..20),
        queries in prop::collection::vec(text(), 3),
    ) {
        let (_folder, db) = database();
        for change in changes {
            db.write_blocking(move |tx| apply(tx, &change)).expect("a change");
            for query in &queries {
                prop_assert_eq!(ids(&found_exactly(&db, query, 500)), looked_for(&db, query), "{}", query);
            }
        }
        for query in &queries {
            let answer = found_exactly(&db, query, 500);
            prop_assert_eq!(ids(&answer), looked_for(&db, query), "{}", query);
            prop_assert_eq!(answer.total, ids(&answer).len() as u64);
        }
        let before: Vec<_> = queries.iter().map(|query| ids(&found_exactly(&db, query, 500))).collect();
        db.write_blocking(rebuild).expect("a new index");
        let after: Vec<_> = queries.iter().map(|query| ids(&found_exactly(&db, query, 500))).collect();
        prop_assert_eq!(before, after);
    }

    #[test]
    fn arbitrary_query_is_not_an_error(query in "\\PC{0,60}|[\"*():^{}+\\- a\0]{0,40}") {
        thread_local! {
            static SHELF: (tempfile::TempDir, Db) = database();
        }
        let total = SHELF.with(|(_, db)| found(db, &query, 5).total);
        prop_assert_eq!(total, 0);
    }
}

/// Inserts items 1001 to `last` with the words “old tomes” only in their paths. They are newer than
/// all others.
fn insert_tomes(tx: &Transaction<'_>, last: u32) -> StoreResult<()> {
    tx.execute_batch(&format!(
        "CREATE TEMP TABLE many AS
         WITH RECURSIVE n (n) AS (VALUES (1001) UNION ALL SELECT n + 1 FROM n WHERE n < {last})
         SELECT n FROM n;
         INSERT INTO item (id, library_id, kind, group_key, title, sort_title, initial, added_at)
         SELECT n, 1, 'paper', n, n, n, '#', '2026-01-01T00:00:00.000000Z' FROM temp.many;
         INSERT INTO file (item_id, folder_id, name, size, mtime_ns, added_at)
         SELECT n, 1, CAST('old tomes ' || n AS BLOB), 1, 1, '' FROM temp.many;
         INSERT INTO search_word (rowid, title, path, authors)
         SELECT n, n, 'old tomes ' || n, '' FROM temp.many;
         INSERT INTO search_infix (rowid, text)
         SELECT n, n || char(10) || 'old tomes ' || n FROM temp.many;
         DROP TABLE temp.many;"
    ))?;
    Ok(())
}

#[test]
fn words_in_titles_and_authors_precede_many_matching_paths() {
    for last in [2_500, 51_500] {
        let (_folder, db) = database();
        let best = db
            .write_blocking(move |tx| {
                let best = [
                    insert(tx, "paper", "Old Tomes", "", "x")?,
                    insert(tx, "paper", "Old", "Mary Tomes", "x")?,
                    insert(tx, "paper", "Y", "Mary Tomes, Ann Old", "x")?,
                ];
                // Newer items whose authors only begin with the terms, more than are ranked.
                for n in 0..250 {
                    insert(tx, "paper", &format!("Z{n}"), "Tomesworth Older", "x")?;
                }
                insert_tomes(tx, last)?;
                Ok(best)
            })
            .expect("items");
        let first = |query| -> Vec<ItemId> {
            let answer = found(&db, query, 3);
            answer.groups[0].items.iter().map(|item| item.id).collect()
        };
        assert_eq!(first("tomes"), best, "{last}");
        assert_eq!(first("old tomes"), best, "{last}");
    }
}

#[test]
fn item_indexed_after_newer_ones_is_found() {
    let (_folder, db) = database();
    let items = db
        .write_blocking(|tx| {
            let items = [
                insert(tx, "paper", "Old Tomes", "", "x")?,
                insert(tx, "paper", "New Tomes", "", "x")?,
            ];
            remove(tx, &items[..1])?;
            Ok(items)
        })
        .expect("items");
    assert_eq!(ids(&found(&db, "tomes", 5)), BTreeSet::from([items[1]]));
    db.write_blocking(move |tx| add(tx, &items[..1]))
        .expect("an item");
    assert_eq!(ids(&found(&db, "tomes", 5)), BTreeSet::from(items));
}

#[test]
fn term_spans_folder_and_its_first_file() {
    let (_folder, db) = database();
    db.write_blocking(|tx| {
        tx.execute("UPDATE folder SET path = CAST('Shelf/Rows' AS BLOB)", [])?;
        insert(tx, "paper", "A", "", "dune.epub")
    })
    .expect("an item");
    for (query, total) in [("ows/du", 1), ("elf/ro", 1), ("ows/ne", 0)] {
        assert_eq!(found(&db, query, 5).total, total, "{query}");
    }
}

#[test]
fn whole_words_in_paths_precede_parts_of_words() {
    let (_folder, db) = database();
    let items = db
        .write_blocking(|tx| {
            let item = |title, file| insert(tx, "paper", title, "", file);
            let items = [item("A", "sandunes"), item("B", "dunes"), item("C", "dune")];
            items.into_iter().collect::<StoreResult<Vec<ItemId>>>()
        })
        .expect("items");
    for query in ["dune", "dune dun"] {
        let answer = found(&db, query, 5);
        let order: Vec<ItemId> = answer.groups[0].items.iter().map(|item| item.id).collect();
        assert_eq!(order, [items[2], items[1], items[0]], "{query}");
    }
}

//! Tests of the name lists and their counts after changes of credits, series and items.

use rusqlite::Transaction;

use super::*;
use crate::db::{Db, migrate};
use crate::id::{ItemId, LibraryId, UserId};
use crate::registry::naming::{Credit, Series};
use crate::store::catalogue::field::{Sourced, source};
use crate::store::catalogue::{self, Fields, NewItem, person};
use crate::store::file::totals::Totals;
use crate::store::library::{self, purge};

const ALL: Window = Window {
    offset: 0,
    limit: 500,
};

fn database() -> (tempfile::TempDir, Db) {
    let folder = tempfile::tempdir().expect("a folder");
    let db = Db::open(&folder.path().join("ledge.db")).expect("a database");
    db.write_blocking(|tx| {
        Ok(tx.execute_batch(
            "INSERT INTO user (id, username, username_key, password_hash, role, created_at)
             VALUES (1, 'a', 'a', '', 'user', ''), (2, 'b', 'b', '', 'admin', '');
             INSERT INTO library (id, name, name_key, path, created_at)
             VALUES (1, 'A', 'a', x'61', ''), (2, 'B', 'b', x'62', '');
             INSERT INTO library_grant (user_id, library_id) VALUES (1, 1), (2, 1), (2, 2);",
        )?)
    })
    .expect("libraries");
    (folder, db)
}

fn credits(people: &[(&str, &str)]) -> Vec<Credit> {
    let credit = |(name, role): &(&str, &str)| Credit {
        name: (*name).to_owned(),
        role: (*role).to_owned(),
    };
    people.iter().map(credit).collect()
}

fn insert(
    tx: &Transaction<'_>,
    library: i64,
    key: &str,
    people: &[(&str, &str)],
    series: Option<&str>,
) -> StoreResult<ItemId> {
    let fields = Fields {
        title: Some(Sourced {
            value: key.to_owned(),
            source: source::NAME,
        }),
        credits: Some(Sourced {
            value: credits(people),
            source: source::NAME,
        }),
        series: series.map(|name| Sourced {
            value: Some(Series {
                name: name.to_owned(),
                index: None,
            }),
            source: source::NAME,
        }),
        facts: "{}".to_owned(),
        file_facts: "{}".to_owned(),
        ..Fields::default()
    };
    let new = NewItem {
        library: LibraryId(library),
        kind: "paper",
        key,
        profile: None,
        totals: Totals::default(),
        added_at: crate::time::Clock::system().now(),
    };
    catalogue::insert(tx, new, &fields)
}

fn list(db: &Db, user: i64, query: &str) -> Vec<(String, u64)> {
    let query = query.to_owned();
    let page = db
        .read_blocking(move |conn| people(conn, Visible::of(UserId(user)), &query, ALL))
        .expect("a page");
    assert_eq!(page.total, page.items.len() as u64);
    let named = |named: Named| (named.name, named.items);
    page.items.into_iter().map(named).collect()
}

fn series_of(db: &Db, user: i64, kind: Option<&'static str>) -> Vec<(String, u64)> {
    let page = db
        .read_blocking(move |conn| series(conn, Visible::of(UserId(user)), kind, "", ALL))
        .expect("a page");
    assert_eq!(page.total, page.items.len() as u64);
    let named = |named: Named| (named.name, named.items);
    page.items.into_iter().map(named).collect()
}

/// Asserts that the stored counts equal freshly computed ones.
fn counts_hold(db: &Db) {
    let differences: i64 = db
        .read_blocking(|conn| {
            Ok(conn.query_row(
                "WITH counted AS (
                     SELECT p.person_id, item.library_id, count(DISTINCT item.id)
                       FROM item_person AS p JOIN item ON item.id = p.item_id GROUP BY 1, 2),
                 by_series AS (
                     SELECT series_id, library_id, count(*)
                       FROM item WHERE series_id IS NOT NULL GROUP BY 1, 2),
                 by_author AS (
                     SELECT library_id, kind, person_id, count(DISTINCT item.id)
                       FROM item_person AS p JOIN item ON item.id = p.item_id
                      WHERE role = 'author' AND missing = 0 GROUP BY 1, 2, 3)
                 SELECT (SELECT count(*) FROM (SELECT * FROM counted EXCEPT SELECT * FROM person_count))
                      + (SELECT count(*) FROM (SELECT * FROM person_count EXCEPT SELECT * FROM counted))
                      + (SELECT count(*) FROM (SELECT * FROM by_series EXCEPT SELECT * FROM series_count))
                      + (SELECT count(*) FROM (SELECT * FROM series_count EXCEPT SELECT * FROM by_series))
                      + (SELECT count(*) FROM (SELECT * FROM by_author EXCEPT SELECT * FROM author_count))
                      + (SELECT count(*) FROM (SELECT * FROM author_count EXCEPT SELECT * FROM by_author))",
                [],
                |row| row.get(0),
            )?)
        })
        .expect("a count");
    assert_eq!(differences, 0);
}

fn row(name: &str, items: u64) -> (String, u64) {
    (name.to_owned(), items)
}

#[test]
fn person_count_counts_each_visible_item_once() {
    let (_folder, db) = database();
    db.write_blocking(|tx| {
        insert(
            tx,
            1,
            "one",
            &[("Ada", "author"), ("Ada", "narrator"), ("Bo", "author")],
            None,
        )?;
        insert(tx, 2, "two", &[("Ada", "author"), ("Cy", "author")], None)
    })
    .expect("items");
    assert_eq!(list(&db, 1, ""), [row("Ada", 1), row("Bo", 1)]);
    assert_eq!(
        list(&db, 2, ""),
        [row("Ada", 2), row("Bo", 1), row("Cy", 1)]
    );
    assert_eq!(list(&db, 3, ""), []);
    counts_hold(&db);
}

#[test]
fn name_counts_follow_credits_series_and_deletions() {
    let (_folder, db) = database();
    let (one, two) = db
        .write_blocking(|tx| {
            let one = insert(
                tx,
                1,
                "one",
                &[("Ada", "author"), ("Ada", "editor")],
                Some("Saga"),
            )?;
            Ok((
                one,
                insert(tx, 1, "two", &[("Ada", "author")], Some("Saga"))?,
            ))
        })
        .expect("items");
    counts_hold(&db);
    assert_eq!(series_of(&db, 1, None), [row("Saga", 2)]);
    for missing in [true, false] {
        db.write_blocking(move |tx| {
            let update = "UPDATE item SET missing = ?2 WHERE id = ?1";
            Ok(tx.execute(update, rusqlite::params![two, missing])?)
        })
        .expect("another presence");
        counts_hold(&db);
    }
    db.write_blocking(move |tx| person::set_credits(tx, one, &credits(&[("Bo", "author")])))
        .expect("other credits");
    counts_hold(&db);
    assert_eq!(list(&db, 1, ""), [row("Ada", 1), row("Bo", 1)]);
    db.write_blocking(move |tx| {
        tx.execute("UPDATE item SET series_id = NULL WHERE id = ?1", [one])?;
        Ok(tx.execute("DELETE FROM item WHERE id = ?1", [two])?)
    })
    .expect("changes");
    counts_hold(&db);
    assert_eq!(list(&db, 1, ""), [row("Bo", 1)]);
    assert_eq!(series_of(&db, 1, None), []);
    db.write_blocking(|tx| insert(tx, 2, "three", &[("Bo", "author")], Some("Saga")))
        .expect("an item");
    assert!(library::delete::delete_blocking(&db, LibraryId(1)).expect("a deletion"));
    counts_hold(&db);
    assert_eq!(list(&db, 2, ""), [row("Bo", 1)]);
    assert_eq!(series_of(&db, 2, Some("paper")), [row("Saga", 1)]);
    assert_eq!(series_of(&db, 2, Some("sound")), []);
    // One statement deletes all items, through the foreign key.
    db.write_blocking(|tx| Ok(tx.execute("DELETE FROM library WHERE id = 2", [])?))
        .expect("a deletion");
    counts_hold(&db);
}

#[test]
fn names_match_any_spelling_of_the_query() {
    let (_folder, db) = database();
    let people = [
        "J. R. R. Tolkien",
        "Flann O’Brien",
        "Günter Grass",
        "Antoine de Saint-Exupéry",
        "夏目漱石",
        "Karel Čapek",
        "Volume 10",
        "Volume 9",
    ];
    db.write_blocking(move |tx| {
        let credits: Vec<(&str, &str)> = people.iter().map(|name| (*name, "author")).collect();
        insert(tx, 1, "one", &credits, None)
    })
    .expect("an item");
    for (query, name) in [
        ("jrr tolkien", "J. R. R. Tolkien"),
        ("j.r.r.", "J. R. R. Tolkien"),
        ("obrien", "Flann O’Brien"),
        ("o'brien flann", "Flann O’Brien"),
        ("GUNTER", "Günter Grass"),
        ("saint exupery", "Antoine de Saint-Exupéry"),
        ("exup", "Antoine de Saint-Exupéry"),
        ("漱石", "夏目漱石"),
        ("capek", "Karel Čapek"),
        ("ape", "Karel Čapek"),
    ] {
        assert_eq!(list(&db, 1, query), [row(name, 1)], "{query}");
    }
    assert_eq!(
        list(&db, 1, "volume"),
        [row("Volume 9", 1), row("Volume 10", 1)]
    );
    for query in ["ap", "%", "_", "\"", "' OR 1 --", "tolkien grass", "*"] {
        assert_eq!(list(&db, 1, query), [], "{query}");
    }
    assert_eq!(list(&db, 1, " \0 ").len(), 0);
}

/// Returns all stored people, regardless of visibility.
fn known(db: &Db) -> Vec<String> {
    db.read_blocking(|conn| {
        let mut statement = conn.prepare("SELECT name FROM person ORDER BY name")?;
        let names = statement.query_map([], |row| row.get(0))?;
        Ok(names.collect::<Result<_, _>>()?)
    })
    .expect("names")
}

#[test]
fn person_is_deleted_with_the_last_credit() {
    let (_folder, db) = database();
    let (one, two) = db
        .write_blocking(|tx| {
            let one = insert(tx, 1, "one", &[("Ada", "author"), ("Bo", "editor")], None)?;
            Ok((one, insert(tx, 1, "two", &[("Ada", "author")], None)?))
        })
        .expect("items");
    let cy = credits(&[("Cy", "author"), ("Bo", "author")]);
    let id_of_bo = || -> i64 {
        let sql = "SELECT id FROM person WHERE name = 'Bo'";
        db.read_blocking(move |conn| Ok(conn.query_row(sql, [], |row| row.get(0))?))
            .expect("an id")
    };
    let bo = id_of_bo();
    db.write_blocking(move |tx| person::set_credits(tx, one, &cy))
        .expect("other credits");
    assert_eq!(known(&db), ["Ada", "Bo", "Cy"]);
    assert_eq!(id_of_bo(), bo, "who stays is the same");
    db.write_blocking(move |tx| person::set_credits(tx, two, &[]))
        .expect("no credits");
    assert_eq!(known(&db), ["Bo", "Cy"]);
    db.write_blocking(move |tx| purge::delete_items(tx, &[one]))
        .expect("a deletion");
    assert_eq!(known(&db), [""; 0]);
    db.write_blocking(|tx| insert(tx, 1, "three", &[("Dee", "author")], None))
        .expect("an item");
    assert!(library::delete::delete_blocking(&db, LibraryId(1)).expect("a deletion"));
    assert_eq!(known(&db), [""; 0]);
}

#[test]
fn person_with_data_of_a_user_stays_and_is_in_no_list() {
    let (_folder, db) = database();
    let one = db
        .write_blocking(|tx| {
            let people = [("Ada", "author"), ("Bo", "author"), ("Cy", "author")];
            let one = insert(tx, 1, "one", &people, None)?;
            tx.execute_batch(
                "INSERT INTO person_favourite (user_id, person_id, created_at)
                 SELECT 1, id, '2026-01-01T00:00:00.000000Z' FROM person WHERE name = 'Ada';
                 INSERT INTO person_rating (user_id, person_id, rating, rated_at)
                 SELECT 1, id, 7, '2026-01-01T00:00:00.000000Z' FROM person WHERE name = 'Bo';",
            )?;
            Ok(one)
        })
        .expect("an item");
    db.write_blocking(move |tx| person::set_credits(tx, one, &[]))
        .expect("no credits");
    assert_eq!(known(&db), ["Ada", "Bo"]);
    assert_eq!(list(&db, 2, "").len(), 0);
    db.write_blocking(move |tx| person::set_credits(tx, one, &credits(&[("Ada", "author")])))
        .expect("a credit");
    let stars = db
        .read_blocking(|conn| {
            let sql = "SELECT count(*)
                         FROM person_favourite JOIN person ON person.id = person_id
                        WHERE name = 'Ada'";
            Ok(conn.query_row(sql, [], |row| row.get::<_, i64>(0))?)
        })
        .expect("a count");
    assert_eq!(stars, 1);
}

#[test]
fn pages_of_people_equal_slices_of_the_whole_list() {
    let (_folder, db) = database();
    db.write_blocking(|tx| {
        for n in 0..60 {
            let name = format!("Person {}", n * 7 % 60);
            let library = 1 + i64::from(n % 3 == 0);
            insert(tx, library, &n.to_string(), &[(&name, "author")], None)?;
        }
        Ok(())
    })
    .expect("items");
    for user in [1, 2] {
        let all = list(&db, user, "");
        assert_eq!(all.len(), if user == 1 { 40 } else { 60 });
        assert_eq!(list(&db, user, "person"), all);
        for offset in (0..65).step_by(9) {
            let window = Window { offset, limit: 9 };
            let page = db
                .read_blocking(move |conn| people(conn, Visible::of(UserId(user)), "", window))
                .expect("a page");
            assert_eq!(page.total, all.len() as u64);
            let names: Vec<_> = page
                .items
                .into_iter()
                .map(|named| (named.name, named.items))
                .collect();
            let start = all.len().min(usize::try_from(offset).expect("small"));
            assert_eq!(names, all[start..all.len().min(start + 9)]);
        }
    }
}

#[test]
fn unfiltered_people_are_counted_along_stored_counts() {
    let plan = crate::store::user_data::progress::tests::plan(EVERYBODY);
    assert!(plan.contains("SCAN c"), "{plan}");
    assert!(
        plan.contains("SEARCH library_grant USING PRIMARY KEY"),
        "{plan}"
    );
    assert!(!plan.contains("TEMP B-TREE"), "{plan}");
}

#[test]
fn name_lists_use_the_name_index_without_sorting() {
    let mut conn = Connection::open_in_memory().expect("a database");
    migrate::migrate(&mut conn).expect("a schema");
    for (sql, first) in [
        (PEOPLE, "SCAN named USING INDEX sqlite_autoindex_person_1"),
        (SERIES, "SCAN named USING INDEX series_by_name"),
        (MANY_PEOPLE, "SCAN named"),
        (MANY_SERIES, "SCAN named"),
    ] {
        let sql = with_terms(sql, 2);
        let mut statement = conn
            .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
            .expect("a statement");
        let plan = statement
            .raw_query()
            .mapped(|row| row.get::<_, String>(3))
            .collect::<Result<Vec<_>, _>>()
            .expect("a plan")
            .join("\n");
        assert!(plan.contains(first), "{plan}");
        assert!(plan.contains("SEARCH c USING PRIMARY KEY"), "{plan}");
        assert!(plan.contains("SEARCH g USING PRIMARY KEY"), "{plan}");
        assert!(!plan.contains("TEMP B-TREE"), "{plan}");
    }
}

//! Tests of samples, and of the values that a facet keeps.

use super::*;
use crate::db::migrate;
use crate::id::{ItemId, UserId};
use crate::registry::{Format, MediaKind, PlaybackEngine, Unit};

const FORMATS: &[Format] = &[Format::untyped("leaf", "download", Unit::Page)];
const PAPER: MediaKind = MediaKind::new("paper", "Paper", "Papers", FORMATS);

const PLAYER: PlaybackEngine = PlaybackEngine {
    id: "html5",
    label: "Player",
    rank: 1,
    containers: &[],
    vcodecs: &[],
    acodecs: &[],
};

/// Creates sixty genres: genre `n` has `n` items. Each item has a year.
fn database() -> Connection {
    let mut conn = Connection::open_in_memory().expect("a database");
    migrate::migrate(&mut conn).expect("a schema");
    id_set::register(&conn).expect("a function");
    conn.execute_batch(
        "PRAGMA foreign_keys = OFF;
         INSERT INTO library_grant (user_id, library_id) VALUES (1, 1);
         WITH RECURSIVE n (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM n WHERE n < 60)
         INSERT INTO genre (id, name, name_key) SELECT n, printf('G%02d', n), n FROM n;
         WITH RECURSIVE n (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM n WHERE n < 60)
         INSERT INTO item (id, library_id, kind, group_key, title, sort_title, initial, added_at,
                           year, language)
         SELECT n, 1, 'paper', n, n, n, 'A', '', 1990, 'en' FROM n;
         INSERT INTO item_genre (item_id, position, genre_id)
         SELECT item.id, genre.id, genre.id FROM item JOIN genre ON item.id <= genre.id;",
    )
    .expect("rows");
    conn
}

fn genres(filter: &Filter) -> Vec<(String, u64)> {
    let conn = database();
    let registry = Registry::of(vec![&PAPER], vec![&PLAYER], Vec::new()).expect("a registry");
    let view = IndexSnapshot::of(&conn);
    let facets = facets(&conn, &registry, &view, Visible::of(UserId(1)), filter);
    let values = facets.expect("facets").facets.genre.into_iter();
    values.map(|value| (value.name, value.items)).collect()
}

#[test]
fn facet_has_most_frequent_values() {
    let values = genres(&Filter::default());
    assert_eq!(values.len(), MAX_VALUES);
    assert_eq!(values.first(), Some(&("G60".to_owned(), 60)));
    assert_eq!(values.last(), Some(&("G11".to_owned(), 11)));
}

#[test]
fn facet_keeps_chosen_values_that_are_rare() {
    let filter = Filter {
        genres: vec![GenreId(2), GenreId(5), GenreId(99)],
        ..Filter::default()
    };
    let values = genres(&filter);
    assert_eq!(values.len(), MAX_VALUES);
    let last = values.iter().rev().take(3).rev();
    let last: Vec<_> = last.map(|(name, items)| (name.as_str(), *items)).collect();
    assert_eq!(last, [("G13", 13), ("G05", 5), ("G02", 2)]);
}

#[test]
fn sample_of_long_list_estimates_within_its_total() {
    let conn = database();
    let list: IdSet = (1..=25).map(ItemId).collect();
    let whole = Sample::new(&list, 25);
    assert!(!whole.is_estimate());
    assert_eq!(
        whole.languages_and_decades(&conn).expect("years").decades,
        BTreeMap::from([(1990, 25)])
    );
    let some = Sample::new(&list, 10);
    assert!(some.is_estimate());
    // Every third item is counted three times: 27 would be more than there are.
    assert_eq!(
        some.languages_and_decades(&conn).expect("years").decades,
        BTreeMap::from([(1990, 25)])
    );
    let genres = some.genres(&conn).expect("genres");
    assert_eq!(genres.get(&GenreId(25)), Some(&25));
    assert_eq!(genres.get(&GenreId(3)), Some(&3));
}

#[test]
fn sample_of_empty_list_is_empty() {
    let sample = Sample::new(&IdSet::default(), 10);
    assert!(!sample.is_estimate());
    let counts = sample
        .languages_and_decades(&database())
        .expect("languages");
    assert!(counts.languages.is_empty() && counts.decades.is_empty());
}

//! Query plans, totals that triggers maintain, and renumbering.

use rusqlite::Connection;

use super::*;
use crate::id::{FileId, UserId};
use crate::registry::{Format, MediaKind, Registry, Unit};
use crate::store::user_data::progress::tests::{assert_searches, database, plan};
use crate::version::ExpectedVersion;

static REEL: MediaKind = MediaKind {
    probe: Some(crate::process::ffprobe::probe),
    ..MediaKind::new(
        "reel",
        "Reel",
        "Reels",
        &[
            Format::untyped("reel", "player", Unit::Second),
            Format::untyped("page", "player", Unit::Page),
            Format::untyped("play", "download", Unit::Second),
        ],
    )
};

#[test]
fn page_is_found_in_covering_index_and_read_by_keys() {
    for table in [&ENTRIES, &queue::ENTRIES] {
        let plan = plan(&entry::page_sql(table));
        let index = format!("COVERING INDEX {} (list_id=?)", table.by_position);
        assert!(plan.contains(&index), "{plan}");
        assert!(!plan.contains("TEMP B-TREE"), "{plan}");
        let scans: Vec<&str> = plan.lines().filter(|line| line.contains("SCAN")).collect();
        assert_eq!(scans, ["SCAN page"], "{plan}");
    }
}

#[test]
fn exported_tracks_and_files_are_found_by_index() {
    assert_searches(export::TRACKS);
    assert_searches(export::FILES);
}

/// Returns a database with four files of a kind with a timeline in library 1, and one in library 2.
/// User 1 sees both libraries.
fn with_files() -> (Connection, Registry) {
    let conn = database();
    conn.execute_batch(
        "INSERT OR IGNORE INTO library (id, name, name_key, path, created_at)
         VALUES (2, 'other', 'other', x'6f74', '');
         INSERT OR IGNORE INTO library_grant (user_id, library_id) VALUES (1, 1), (1, 2);
         INSERT INTO folder (id, library_id, path) VALUES (2001, 1, x'70'), (2002, 2, x'70');
         INSERT INTO item (id, library_id, kind, group_key, title, sort_title, initial, added_at)
         VALUES (1001, 1, 'reel', 'k', 'T', 't', 'T', ''),
                (1002, 2, 'reel', 'k', 'T', 't', 'T', '');
         INSERT INTO file (id, item_id, folder_id, name, size, mtime_ns, added_at, extent)
         VALUES (1, 1001, 2001, CAST('a.reel' AS BLOB), 0, 0, '', 10),
                (2, 1001, 2001, CAST('b.reel' AS BLOB), 0, 0, '', 20),
                (3, 1001, 2001, CAST('c.reel' AS BLOB), 0, 0, '', NULL),
                (4, 1001, 2001, CAST('d.page' AS BLOB), 0, 0, '', 5),
                (5, 1001, 2001, CAST('e.play' AS BLOB), 0, 0, '', 5),
                (6, 1002, 2002, CAST('f.reel' AS BLOB), 0, 0, '', 300);",
    )
    .expect("rows");
    let registry = Registry::of(vec![&REEL], vec![&ENGINE], vec![]).expect("a registry");
    (conn, registry)
}

static ENGINE: crate::registry::PlaybackEngine = crate::registry::PlaybackEngine {
    id: "html5",
    label: "Browser",
    rank: 0,
    containers: &[],
    vcodecs: &[],
    acodecs: &[],
};

fn now() -> Timestamp {
    Timestamp::from_micros(0)
}

fn user() -> Visible {
    Visible::of(UserId(1))
}

fn insertion(files: &[i64], at: Option<usize>) -> Insertion {
    Insertion {
        additions: Additions {
            items: vec![],
            files: files.iter().copied().map(FileId).collect(),
        },
        at,
        skip_existing: false,
    }
}

/// Creates a playlist of these files, one entry per number.
fn created(tx: &Transaction<'_>, registry: &Registry, files: &[i64]) -> OwnPlaylist {
    let new = NewList {
        name: "List".to_owned(),
        description: None,
        public: false,
    };
    let made = create(tx, registry, user(), &new, &Additions::default(), now());
    let id = made.expect("a playlist").expect("a playlist").id;
    let list = user_list::find(tx, user(), id.0).expect("an answer");
    let list: ReadablePlaylist = list.expect("a playlist");
    let list = list.own().expect("an own one");
    add(
        tx,
        registry,
        list,
        &insertion(files, None),
        &ExpectedVersion::Any,
        now(),
    )
    .expect("entries");
    list
}

/// Returns count and length as the triggers maintain them, and as the entries yield them.
fn totals(conn: &Connection, list: OwnPlaylist) -> [(i64, i64); 2] {
    [
        "SELECT ifnull(sum(n), 0), ifnull(sum(duration), 0) FROM playlist_total
          WHERE list_id = ? AND n > 0",
        "SELECT count(*), ifnull(sum(extent), 0) FROM playlist_entry
           JOIN file ON file.id = file_id WHERE list_id = ?",
    ]
    .map(|sql| {
        conn.query_row(sql, [list.id()], |row| Ok((row.get(0)?, row.get(1)?)))
            .expect("sums")
    })
}

#[test]
fn totals_follow_entries_and_files() {
    let (mut conn, registry) = with_files();
    let tx = conn.transaction().expect("a transaction");
    let list = created(&tx, &registry, &[1, 2, 3, 6]);
    let twice = insertion(&[1], Some(0));
    add(&tx, &registry, list, &twice, &ExpectedVersion::Any, now()).expect("an entry");
    assert_eq!(totals(&tx, list), [(5, 340); 2]);
    for (change, expected) in [
        ("UPDATE file SET extent = 15 WHERE id = 1", (5, 350)),
        ("UPDATE file SET extent = 7 WHERE id = 3", (5, 357)),
        ("UPDATE file SET extent = NULL WHERE id = 2", (5, 337)),
        ("DELETE FROM file WHERE id = 1", (3, 307)),
        ("DELETE FROM item WHERE id = 1002", (2, 7)),
        ("DELETE FROM playlist_entry WHERE file_id = 3", (1, 0)),
        ("DELETE FROM item", (0, 0)),
    ] {
        tx.execute_batch(change).expect(change);
        assert_eq!(totals(&tx, list), [expected; 2], "{change}");
    }
    let rows: i64 = tx
        .query_row("SELECT count(*) FROM playlist_total", [], |row| row.get(0))
        .expect("a count");
    assert_eq!(rows, 0);
    // Three of the changes deleted files: entries, and the last one.
    let version = user_list::version(&tx, list.readable()).expect("an answer");
    assert_eq!(version, Some(6));
}

#[test]
fn files_without_timeline_are_refused() {
    let (mut conn, registry) = with_files();
    let tx = conn.transaction().expect("a transaction");
    let list = created(&tx, &registry, &[1]);
    for file in [4, 5, 99] {
        let refused = add(
            &tx,
            &registry,
            list,
            &insertion(&[file], None),
            &ExpectedVersion::Any,
            now(),
        );
        let error = refused.expect_err("an error");
        assert!(
            matches!(
                error,
                crate::error::StoreError::Invalid { field: "files", .. }
            ),
            "{error}"
        );
    }
}

#[test]
fn insertions_at_one_place_stay_in_order_after_renumbering() {
    let (mut conn, registry) = with_files();
    let tx = conn.transaction().expect("a transaction");
    let list = created(&tx, &registry, &[1, 2]);
    for _ in 0..30 {
        for file in [3, 6] {
            let new = insertion(&[file], Some(1));
            add(&tx, &registry, list, &new, &ExpectedVersion::Any, now()).expect("an entry");
        }
    }
    let mut statement = tx
        .prepare("SELECT file_id, position FROM playlist_entry ORDER BY position")
        .expect("a statement");
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    let rows: Vec<(i64, i64)> = rows.expect("rows").collect::<Result<_, _>>().expect("rows");
    let expected: Vec<i64> = std::iter::once(1)
        .chain([6, 3].into_iter().cycle().take(60))
        .chain([2])
        .collect();
    let files: Vec<i64> = rows.iter().map(|(file, _)| *file).collect();
    assert_eq!(files, expected);
    assert!(rows.is_sorted_by(|a, b| a.1 < b.1), "{rows:?}");
}

//! Sources that are refused, and sources with hostile content.

use std::fs;
use std::time::Instant;

use serde_json::{Value, json};

use super::navidrome::TABLES;
use super::world::{has_numbers, world};

#[test]
fn unknown_version_is_refused_unless_any_version_is_allowed() {
    let world = world();
    world.user("ann");
    let newer = format!("{TABLES} INSERT INTO goose_db_version VALUES (9, 20990101000000, 1);");
    let path = world.database("newer.db", &newer);
    let line = world.refused("navidrome", &path, &[]);
    for word in [
        "Navidrome",
        "20990101000000",
        "20241026183640",
        "20260819204637",
    ] {
        assert!(line.contains(word), "{line}");
    }
    let summary = world.import("navidrome", &path, &["--any-version"]);
    assert_eq!(summary["version"], "20990101000000");
}

#[test]
fn missing_table_and_column_are_named() {
    let world = world();
    for (sql, name) in [
        ("DROP TABLE playlist", "`playlist`"),
        (
            "ALTER TABLE annotation DROP COLUMN rating",
            "`annotation.rating`",
        ),
        // A view may do anything when it is read.
        (
            "DROP TABLE bookmark;
             CREATE VIEW bookmark AS SELECT 1 AS user_id, 2 AS item_id, 3 AS position, 4 AS comment,
                                            5 AS updated_at",
            "`bookmark`",
        ),
    ] {
        let path = world.database("odd.db", &format!("{TABLES} {sql};"));
        for more in [&[][..], &["--any-version"]] {
            let line = world.refused("navidrome", &path, more);
            assert!(line.contains(name), "{line}");
        }
        fs::remove_file(path).expect("gone");
    }
}

#[test]
fn damaged_and_absent_files_are_refused_with_one_line() {
    let world = world();
    let folder = world.server.folder();
    let path = world.database("good.db", TABLES);
    let mut bytes = fs::read(&path).expect("a database");
    let damaged = folder.join("damaged.db");
    for byte in bytes.iter_mut().skip(100) {
        *byte = 0xff;
    }
    fs::write(&damaged, &bytes).expect("a file");
    let text = folder.join("text.db");
    fs::write(&text, "no database").expect("a file");
    let empty = folder.join("empty.db");
    fs::write(&empty, "").expect("a file");
    for path in [&damaged, &text, &empty, &folder.join("absent.db"), folder] {
        let line = world.refused("navidrome", path, &[]);
        assert!(!line.contains("panicked"), "{line}");
    }
    let usage = [
        &["import", "napster", "x.db"][..],
        &["import", "navidrome"],
        &["import", "navidrome", "x.db", "--map", "none"],
        &["import", "navidrome", "x.db", "--library", "y.db"],
    ];
    for arguments in usage {
        let output = crate::operation::cli::run(&world.server, arguments, "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn unknown_users_of_a_mapping_are_refused_and_empty_ones_skipped() {
    let world = world();
    let ann = world.user("ann");
    let sql = format!(
        "{TABLES} INSERT INTO annotation (user_id, item_id, item_type, starred)
                  VALUES ('u2', 'f4', 'media_file', 1), ('u3', 'f4', 'media_file', 1);"
    );
    let path = world.database("navidrome.db", &sql);
    let line = world.refused("navidrome", &path, &["--user", "ANN=niemand"]);
    assert!(line.contains("niemand"), "{line}");
    let line = world.refused("navidrome", &path, &["--user", "bob=ann"]);
    assert!(line.contains("bob"), "{line}");
    let more = ["--user", "ANN=", "--user", "nobody here=ADMIN"];
    let summary = world.import("navidrome", &path, &more);
    has_numbers(&summary, &[("taken.favourites", 1), ("unmatched", 0)]);
    assert_eq!(world.item(&ann, "Alone.mp3")["favourite"], false);
    assert_eq!(world.item(&world.admin, "Alone.mp3")["favourite"], true);
}

#[test]
fn original_stays_untouched_and_open_log_is_read() {
    let world = world();
    let ann = world.user("ann");
    let path = world.database(
        "navidrome.db",
        &format!("PRAGMA journal_mode = WAL; {TABLES}"),
    );
    let writer = rusqlite::Connection::open_with_flags(&path, rusqlite::OpenFlags::default())
        .expect("a database");
    writer
        .execute_batch(
            "PRAGMA wal_autocheckpoint = 0;
             INSERT INTO annotation (user_id, item_id, item_type, starred)
             VALUES ('u2', 'f4', 'media_file', 1);",
        )
        .expect("a row in the log");
    let folder = path.parent().expect("a folder");
    let content = || {
        let entries = fs::read_dir(folder).expect("a folder");
        let mut files: Vec<_> = entries
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| !path.to_string_lossy().ends_with("-shm"))
            .map(|path| (fs::read(&path).expect("a file"), path))
            .collect();
        files.sort();
        files
    };
    let before = content();
    let summary = world.import("navidrome", &path, &[]);
    has_numbers(&summary, &[("taken.favourites", 1)]);
    assert!(content() == before, "the original has changed");
    assert_eq!(world.item(&ann, "Alone.mp3")["favourite"], true);
    // Temporary files are gone.
    let left = fs::read_dir(world.server.folder()).expect("a folder");
    let names = left.map(|entry| entry.expect("an entry").file_name());
    assert!(
        !names
            .into_iter()
            .any(|name| name.to_string_lossy().contains("import-"))
    );
}

#[test]
fn hostile_paths_and_values_are_reported_and_never_fail() {
    let world = world();
    let ann = world.user("ann");
    let sql = format!(
        "{TABLES}
         INSERT INTO media_file
         VALUES ('x1', '../../../etc/passwd', 'Escape', 1, 'a', 1),
                ('x2', '/etc/passwd', 'Absolute', 1, 'a', 1),
                ('x3', x'ff00', 5, 'big', 'a', 'none'),
                ('x4', zeroblob(3000000), 'Blob', 1e300, 'a', 1),
                ('x5', 'Album/../Solo/Alone.mp3', 'Dots', 2, 'a', 1);
         INSERT INTO annotation (user_id, item_id, item_type, starred, rating, play_count, starred_at)
         VALUES ('u2', 'x1', 'media_file', 1, 0, 0, 'never'),
                ('u2', 'x2', 'media_file', 1, 0, 0, NULL),
                ('u2', 'x3', 'media_file', 'yes', 'five', x'00', x'ff'),
                ('u2', 'x4', 'media_file', 1, -3, 9e99, -1e300),
                ('u2', 'x5', 'media_file', 1, 0, 0, NULL),
                (NULL, NULL, 'media_file', 1, 0, 0, NULL),
                ('u2', 'f4', 'media_file', 1, 99, 9223372036854775807, 9e300);
         INSERT INTO bookmark VALUES ('u2', 'f4', 'media_file', x'00ff', -5, 'x'),
                                     ('u2', 'f4', 'media_file', 'a' || char(0, 7) || 'b', 9e99, 5);
         INSERT INTO playlist VALUES ('p', '', NULL, 'u2', 'no', NULL),
                                     ('q', char(10) || printf('%.1000d', 7), x'00', 'u2', 1, '');
         INSERT INTO playlist_tracks VALUES ('x', 'p', 'f4'), (NULL, 'q', 'f1'), (1, 'q', 'x1');"
    );
    let path = world.database("hostile.db", &sql);
    let summary = world.import_thrice("navidrome", &path, &[]);
    has_numbers(
        &summary,
        &[
            ("taken.favourites", 1),
            ("taken.playlists", 2),
            ("taken.plays", 1),
        ],
    );
    assert_eq!(world.item(&ann, "Alone.mp3")["favourite"], true);
    assert_eq!(world.lists(&ann, "playlists").len(), 2);
    ann.get("/home").expect(200);
}

#[test]
fn mapped_folders_backslashes_and_unique_sizes_find_files() {
    let world = world();
    let ann = world.user("ann");
    let sql = format!(
        "{TABLES}
         UPDATE library SET path = 'D:\\Music';
         UPDATE media_file SET path = 'Album\\01 - One.mp3' WHERE id = 'f1';
         UPDATE media_file SET path = 'elsewhere/Alone.mp3' WHERE id = 'f4';
         INSERT INTO annotation (user_id, item_id, item_type, starred)
         VALUES ('u2', 'al1', 'album', 1), ('u2', 'f4', 'media_file', 1);"
    );
    let path = world.database("windows.db", &sql);
    let media = world.media();
    let map = format!("D:\\Music={media}");
    let summary = world.import("navidrome", &path, &["--map", &map]);
    // `Alone.mp3` is found by its name and its size of 14 bytes.
    has_numbers(&summary, &[("taken.favourites", 2), ("unmatched", 0)]);
    assert_eq!(world.item(&ann, "Alone.mp3")["favourite"], true);
}

#[test]
fn equal_sizes_and_names_are_ambiguous() {
    let world = world();
    world.user("ann");
    for folder in ["A", "B"] {
        let folder = world.server.folder().join("media").join(folder);
        fs::create_dir(&folder).expect("a folder");
        fs::write(folder.join("Twin.mp3"), folder.to_str().expect("text")).expect("a file");
    }
    ledge_tests::server::scan(&world.admin, world.library);
    let size = format!("{}/A", world.media()).len();
    let sql = format!(
        "{TABLES}
         INSERT INTO media_file VALUES ('t', 'C/Twin.mp3', 'Twin', {size}, 'a', 1);
         INSERT INTO annotation (user_id, item_id, item_type, starred)
         VALUES ('u2', 't', 'media_file', 1);"
    );
    let path = world.database("twins.db", &sql);
    let report = world.server.folder().join("report.csv");
    let more = ["--report", report.to_str().expect("text")];
    let summary = world.import("navidrome", &path, &more);
    has_numbers(&summary, &[("taken.favourites", 0), ("unmatched", 1)]);
    let text = fs::read_to_string(report).expect("a report");
    assert!(text.contains(",Twin,ambiguous"), "{text}");
}

#[test]
fn rows_of_ungranted_libraries_are_kept_hidden() {
    let world = world();
    let (id, ann) = world.server.user(&world.admin, "ann");
    let sql = format!(
        "{TABLES}
         INSERT INTO annotation (user_id, item_id, item_type, starred)
         VALUES ('u2', 'f4', 'media_file', 1);
         INSERT INTO playlist VALUES ('p1', 'Evening', '', 'u2', 0, NULL);
         INSERT INTO playlist_tracks VALUES (1, 'p1', 'f4');"
    );
    let path = world.database("navidrome.db", &sql);
    has_numbers(
        &world.import("navidrome", &path, &[]),
        &[("taken.favourites", 1), ("taken.playlists", 1)],
    );
    assert_eq!(
        ann.get("/items?favourite=true").expect(200).json()["total"],
        0
    );
    let hidden = [("Evening".to_owned(), "ann".to_owned(), Vec::new())];
    assert_eq!(world.lists(&ann, "playlists"), hidden);
    let path = format!("/libraries/{}/grants/{id}", world.library);
    world.admin.send("PUT", &path, &[], None).expect(204);
    assert_eq!(
        ann.get("/items?favourite=true").expect(200).json()["total"],
        1
    );
    assert_eq!(world.lists(&ann, "playlists")[0].2, ["Alone"]);
}

#[test]
fn hundred_thousand_rows_are_imported_while_users_write() {
    let world = world();
    let ann = world.user("ann");
    let sql = format!(
        "{TABLES}
         WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
         INSERT INTO bookmark
         SELECT 'u2', iif(i % 2, 'f4', 'gone' || i), 'media_file', 'Note ' || i, i * 1000,
                '2024-05-05T10:00:00Z'
           FROM n;"
    );
    let path = world.database("large.db", &sql);
    let start = Instant::now();
    let summary = world.import("navidrome", &path, &[]);
    eprintln!("100,000 rows in {:?}", start.elapsed());
    // An item has at most 10,000 annotations of a user.
    has_numbers(
        &summary,
        &[
            ("taken.bookmarks", 10_000),
            ("skipped.unsupported", 40_000),
            ("unmatched", 50_000),
        ],
    );
    ann.get("/home").expect(200);
    assert_eq!(world.undo(&summary), json!({"restored": 1, "skipped": 0}));
}

#[test]
fn import_by_the_api_is_a_job_with_the_same_numbers() {
    let world = world();
    let ann = world.user("ann");
    let sql = format!(
        "{TABLES}
         INSERT INTO annotation (user_id, item_id, item_type, starred)
         VALUES ('u2', 'f4', 'media_file', 1), ('u2', 'f5', 'media_file', 1);"
    );
    let path = world.database("navidrome.db", &sql);
    let start = |dry_run: bool, path: &str| {
        let body = json!({
            "source": "navidrome", "path": path, "map": [{"from": "/x", "to": "/y"}],
            "users": [{"theirs": "nobody here", "ours": null}], "dry_run": dry_run
        });
        let job = world.admin.post("/imports", &body).expect(202).json();
        let path = format!("/imports/{}", job["job_id"]);
        ledge_tests::server::until("the import", || {
            let import = world.admin.get(&path).expect(200).json();
            let is_over = ["done", "failed"].contains(&import["status"].as_str().expect("text"));
            is_over.then_some(import)
        })
    };
    let text = path.to_str().expect("text");
    let dry = start(true, text);
    assert_eq!(
        (&dry["status"], &dry["batch"]),
        (&json!("done"), &Value::Null)
    );
    assert_eq!(world.item(&ann, "Alone.mp3")["favourite"], false);
    let done = start(false, text);
    for key in [
        "version",
        "users",
        "matched",
        "unmatched",
        "taken",
        "skipped",
        "report",
    ] {
        assert_eq!(dry[key], done[key], "{key}");
    }
    assert_eq!(done["report"][0]["reason"], "no_file");
    assert_eq!(world.item(&ann, "Alone.mp3")["favourite"], true);
    let edits = world.admin.get("/edits").expect(200).json();
    assert_eq!(edits["items"][0]["user"]["username"], "admin");
    assert_eq!(world.undo(&done), json!({"restored": 1, "skipped": 0}));
    let failed = start(false, "/nowhere/navidrome.db");
    assert_eq!(failed["status"], "failed");
    assert!(
        failed["error"]
            .as_str()
            .is_some_and(|line| line.contains("/nowhere/navidrome.db"))
    );
}

#[test]
fn request_of_the_api_is_validated_and_for_administrators() {
    let world = world();
    let ann = world.user("ann");
    let good = json!({"source": "navidrome", "path": "/tmp/navidrome.db"});
    ann.post("/imports", &good).expect(403);
    ann.get("/imports/1").expect(403);
    for (key, value, field) in [
        ("source", json!("napster"), "source"),
        ("path", json!("relative.db"), "path"),
        ("path", json!(""), "path"),
        ("library", json!("/tmp/metadata.db"), "library"),
        ("map", json!([{"from": " ", "to": "/x"}]), "map"),
        ("sauce", json!(1), "sauce"),
    ] {
        let mut body = good.clone();
        body[key] = value;
        let answer = world.admin.post("/imports", &body).expect(422).json();
        assert_eq!(answer["error"]["field"], field, "{answer}");
    }
    let body = json!({"source": "calibre-web", "path": "/tmp/app.db"});
    let answer = world.admin.post("/imports", &body).expect(422).json();
    assert_eq!(answer["error"]["field"], "library");
    world.admin.get("/imports/999999").expect(404);
    // Jobs of other kinds are not imports.
    let jobs = world.admin.get("/jobs?kind=scan").expect(200).json();
    let path = format!("/imports/{}", jobs["items"][0]["id"]);
    world.admin.get(&path).expect(404);
}

#[test]
fn mutated_databases_are_imported_or_refused_with_one_line() {
    let world = world();
    world.user("ann");
    let sql = format!(
        "{TABLES}
         INSERT INTO annotation (user_id, item_id, item_type, starred, rating)
         VALUES ('u2', 'f4', 'media_file', 1, 3), ('u2', 'al1', 'album', 1, 4);
         INSERT INTO playlist VALUES ('p1', 'Evening', '', 'u2', 0, NULL);
         INSERT INTO playlist_tracks VALUES (1, 'p1', 'f4');"
    );
    let good = world.database("good.db", &sql);
    let bytes = fs::read(&good).expect("a database");
    let path = world.server.folder().join("mutated.db");
    let mut refused = 0;
    for n in 0..60_usize {
        let mut mutated = bytes.clone();
        for k in 0..8_usize {
            let at = (n * 7_919 + k * 104_729 + n * k * 31) % mutated.len();
            mutated[at] ^= 1 << k;
        }
        if n.is_multiple_of(5) {
            mutated.truncate(bytes.len() * n / 60);
        }
        fs::write(&path, &mutated).expect("a file");
        let output = world.run("navidrome", &path, &["--dry-run"]);
        let errors = String::from_utf8_lossy(&output.stderr);
        match output.status.code() {
            Some(0) => assert_eq!(errors, "", "{n}"),
            Some(1) => {
                assert_eq!(errors.lines().count(), 1, "{n}: {errors}");
                refused += 1;
            }
            code => panic!("{n}: {code:?}: {errors}"),
        }
    }
    assert!(refused > 5, "{refused}");
}

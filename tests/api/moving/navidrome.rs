//! Import from Navidrome.

use serde_json::{Value, json};

use super::world::{World, has_numbers, world};
use crate::http::conventions::id_of;

/// Tables of Navidrome with the columns that an import reads.
pub(super) const TABLES: &str = "
    CREATE TABLE goose_db_version (id INTEGER PRIMARY KEY, version_id INTEGER, is_applied INTEGER);
    INSERT INTO goose_db_version (version_id, is_applied)
    VALUES (0, 1), (20241026183640, 1), (20250701010103, 1);
    CREATE TABLE user (id TEXT PRIMARY KEY, user_name TEXT, is_admin BOOL);
    INSERT INTO user VALUES ('u1', 'Admin', 1), ('u2', 'ANN', 0), ('u3', 'nobody here', 0);
    CREATE TABLE library (id INTEGER PRIMARY KEY, name TEXT, path TEXT);
    INSERT INTO library VALUES (1, 'Music', 'MEDIA');
    CREATE TABLE album (id TEXT PRIMARY KEY, name TEXT);
    INSERT INTO album VALUES ('al1', 'Album'), ('al2', 'Solo');
    CREATE TABLE media_file (id TEXT PRIMARY KEY, path TEXT, title TEXT, size INTEGER,
                             album_id TEXT, library_id INTEGER);
    INSERT INTO media_file
    VALUES ('f1', 'Album/01 - One.mp3', 'One', 18, 'al1', 1),
           ('f2', 'Album/02 - Two.mp3', 'Two', 18, 'al1', 1),
           ('f3', 'Album/03 - Three.mp3', 'Three', 20, 'al1', 1),
           ('f4', 'Solo/Alone.mp3', 'Alone', 14, 'al2', 1),
           ('f5', 'Gone/Away.mp3', '=Away', 1, 'al3', 1),
           ('f6', 'Cafe\u{301}.mp3', 'Café', 1, 'al4', 1);
    CREATE TABLE annotation (user_id TEXT, item_id TEXT, item_type TEXT, play_count INTEGER,
                             play_date DATETIME, rating INTEGER, starred BOOL, starred_at DATETIME);
    CREATE TABLE bookmark (user_id TEXT, item_id TEXT, item_type TEXT, comment TEXT,
                           position INTEGER, updated_at DATETIME);
    CREATE TABLE playlist (id TEXT PRIMARY KEY, name TEXT, comment TEXT, owner_id TEXT, public BOOL,
                           rules TEXT);
    CREATE TABLE playlist_tracks (id INTEGER, playlist_id TEXT, media_file_id TEXT);
    CREATE TABLE scrobbles (media_file_id TEXT, user_id TEXT, submission_time INTEGER);";

const ROWS: &str = "
    INSERT INTO annotation
    VALUES ('u2', 'al1', 'album', 7, '2024-05-01 10:00:00+00:00', 4, 1, '2024-05-02T10:00:00Z'),
           ('u2', 'f4', 'media_file', 3, '2024-05-03T10:00:00Z', 0, 1, '2024-05-04T10:00:00Z'),
           ('u2', 'f1', 'media_file', 0, NULL, 5, 1, NULL),
           ('u2', 'f5', 'media_file', 0, NULL, 0, 1, NULL),
           ('u2', 'f6', 'media_file', 0, NULL, 2, 0, NULL),
           ('u3', 'f4', 'media_file', 0, NULL, 3, 0, NULL);
    INSERT INTO bookmark VALUES ('u2', 'f4', 'media_file', 'The bridge', 61500,
                                 '2024-05-05T10:00:00Z');
    INSERT INTO playlist
    VALUES ('p1', 'Evening', 'Calm', 'u2', 1, NULL),
           ('p2', 'Smart', '', 'u2', 0, '{\"all\": []}'),
           ('p3', 'Lost', '', 'u1', 0, NULL);
    INSERT INTO playlist_tracks
    VALUES (2, 'p1', 'f1'), (1, 'p1', 'f4'), (3, 'p1', 'f5'), (4, 'p1', 'f4'), (1, 'p3', 'f5');
    INSERT INTO scrobbles VALUES ('f4', 'u2', 1714730000);";

fn source(world: &World) -> std::path::PathBuf {
    world.database("navidrome.db", &format!("{TABLES}{ROWS}"))
}

#[test]
fn dry_run_import_and_report_have_the_same_numbers() {
    let world = world();
    world.user("ann");
    let path = source(&world);
    let report = world.server.folder().join("report.csv");
    let summary = world.import_thrice(
        "navidrome",
        &path,
        &["--report", report.to_str().expect("text")],
    );
    has_numbers(
        &summary,
        &[
            ("taken.favourites", 2),
            ("taken.ratings", 2),
            ("taken.plays", 2),
            ("taken.bookmarks", 1),
            ("taken.playlists", 1),
            ("taken.progress", 0),
            ("taken.sessions", 1),
            // A star and a rating of one track of three, a smart playlist.
            ("skipped.unsupported", 3),
            // A star of `f5`, a rating of `u3`, an entry of each list.
            ("unmatched", 4),
        ],
    );
    assert_eq!(summary["version"], "20250701010103");
    let users = json!([
        {"theirs": "ANN", "ours": "ann"}, {"theirs": "Admin", "ours": "admin"},
        {"theirs": "nobody here", "ours": null}
    ]);
    assert_eq!(summary["users"], users);
    let text = std::fs::read_to_string(&report).expect("a report");
    assert!(text.starts_with("type,user,path,title,reason\n"), "{text}");
    assert!(text.contains(",'=Away,no_file\n"), "{text}");
    assert!(text.contains("rating,nobody here,"), "{text}");
}

#[test]
fn scrobble_is_a_session_unless_the_user_has_switched_statistics_off() {
    let world = world();
    let ann = world.user("ann");
    let path = source(&world);
    let summary = world.import("navidrome", &path, &[]);
    let sessions = || ann.get("/stats/sessions").expect(200).json();
    let session = &sessions()["items"][0];
    assert_eq!(
        (&session["title"], &session["start"], &session["seconds"]),
        (
            &json!("Alone"),
            &json!("2024-05-03T09:53:20.000000Z"),
            &json!(0)
        )
    );
    assert_eq!(
        world.admin.get("/stats/sessions").expect(200).json()["total"],
        0
    );
    world.undo(&summary);
    assert_eq!(sessions()["total"], 0);
    let off = json!({"statistics": false});
    ann.patch("/me/settings", &off).expect(200);
    let summary = world.import("navidrome", &path, &[]);
    has_numbers(
        &summary,
        &[("taken.sessions", 0), ("skipped.unsupported", 4)],
    );
    assert_eq!(sessions()["total"], 0);
}

#[test]
fn stars_ratings_bookmarks_and_playlists_belong_to_their_users() {
    let world = world();
    let ann = world.user("ann");
    world.import("navidrome", &source(&world), &[]);
    let album = world.item(&ann, "01 - One.mp3");
    assert_eq!(
        (&album["favourite"], &album["rating"]),
        (&json!(true), &json!(8))
    );
    let alone = world.item(&ann, "Alone.mp3");
    assert_eq!(
        (&alone["favourite"], &alone["rating"]),
        (&json!(true), &Value::Null)
    );
    assert_eq!(world.item(&world.admin, "Alone.mp3")["favourite"], false);
    assert_eq!(world.item(&ann, "Café.mp3")["rating"], 4);
    let notes = ann
        .get(&format!("/items/{}/annotations", id_of(&alone)))
        .expect(200);
    let notes = notes.json()["items"].as_array().expect("notes").clone();
    assert_eq!(notes.len(), 1);
    assert_eq!(
        (&notes[0]["position"], &notes[0]["note"]),
        (&json!(61), &json!("The bridge"))
    );
    assert_eq!(notes[0]["created_at"], "2024-05-05T10:00:00.000000Z");
    let expected = ["Alone", "One", "Alone"].map(str::to_owned).to_vec();
    let lists = [("Evening".to_owned(), "ann".to_owned(), expected)];
    assert_eq!(world.lists(&ann, "playlists"), lists);
}

#[test]
fn undo_restores_every_value_and_the_import_can_be_repeated() {
    let world = world();
    let ann = world.user("ann");
    let path = source(&world);
    let before = world.item(&ann, "Alone.mp3");
    let summary = world.import("navidrome", &path, &[]);
    let edits = world.admin.get("/edits").expect(200).json();
    let edit = &edits["items"][0];
    assert_eq!(
        (&edit["id"], &edit["action"]),
        (&summary["batch"], &json!("import"))
    );
    assert_eq!((&edit["user"], &edit["changed"]), (&Value::Null, &json!(3)));
    ann.post(&format!("/edits/{}/undo", summary["batch"]), &json!({}))
        .expect(404);
    // Three items and a list.
    assert_eq!(world.undo(&summary), json!({"restored": 4, "skipped": 0}));
    assert_eq!(world.undo(&summary), json!({"restored": 0, "skipped": 0}));
    assert_eq!(world.item(&ann, "Alone.mp3"), before);
    assert_eq!(world.lists(&ann, "playlists"), []);
    let again = world.import("navidrome", &path, &[]);
    assert_eq!(again["taken"], summary["taken"]);
    assert_eq!(world.lists(&ann, "playlists").len(), 1);
}

#[test]
fn undo_keeps_values_that_were_changed_since() {
    let world = world();
    let ann = world.user("ann");
    let summary = world.import("navidrome", &source(&world), &[]);
    let album = id_of(&world.item(&ann, "01 - One.mp3"));
    ann.put(&format!("/items/{album}/rating"), &json!({"rating": 3}))
        .expect(204);
    let list = ann.get("/playlists").expect(200).json();
    let list = format!("/playlists/{}", id_of(&list["items"][0]));
    ann.patch(&list, &json!({"name": "Mine"})).expect(200);
    // The album has restored and changed values.
    assert_eq!(world.undo(&summary), json!({"restored": 3, "skipped": 2}));
    let album = world.item(&ann, "01 - One.mp3");
    assert_eq!(
        (&album["rating"], &album["favourite"]),
        (&json!(3), &json!(false))
    );
    assert_eq!(ann.get(&list).expect(200).json()["name"], "Mine");
}

#[test]
fn newer_ratings_and_larger_counts_of_ledge_are_kept() {
    let world = world();
    let ann = world.user("ann");
    let album = id_of(&world.item(&ann, "01 - One.mp3"));
    ann.put(&format!("/items/{album}/rating"), &json!({"rating": 3}))
        .expect(204);
    for _ in 0..9 {
        ann.post(&format!("/items/{album}/view"), &json!({}));
    }
    let summary = world.import("navidrome", &source(&world), &[]);
    has_numbers(
        &summary,
        &[
            ("taken.ratings", 1),
            ("taken.plays", 1),
            ("skipped.newer_here", 1),
            ("skipped.unchanged", 1),
        ],
    );
    assert_eq!(world.item(&ann, "01 - One.mp3")["rating"], 3);
}

#[test]
fn repeated_import_updates_lists_unless_they_were_changed() {
    let world = world();
    let ann = world.user("ann");
    let path = source(&world);
    world.import("navidrome", &path, &[]);
    let sql = "UPDATE playlist SET name = 'Night' WHERE id = 'p1';
               DELETE FROM playlist_tracks WHERE id = 1 AND playlist_id = 'p1';";
    super::world::database(&path, sql);
    let summary = world.import_thrice("navidrome", &path, &[]);
    has_numbers(&summary, &[("taken.playlists", 1), ("taken.favourites", 0)]);
    let names = |titles: &[&str]| titles.iter().map(|&title| title.to_owned()).collect();
    let night = (
        "Night".to_owned(),
        "ann".to_owned(),
        names(&["One", "Alone"]),
    );
    assert_eq!(world.lists(&ann, "playlists"), [night]);
    assert_eq!(world.undo(&summary), json!({"restored": 1, "skipped": 0}));
    let evening = (
        "Evening".to_owned(),
        "ann".to_owned(),
        names(&["Alone", "One", "Alone"]),
    );
    assert_eq!(
        world.lists(&ann, "playlists"),
        std::slice::from_ref(&evening)
    );

    let list = ann.get("/playlists").expect(200).json();
    let list = format!("/playlists/{}", id_of(&list["items"][0]));
    ann.patch(&list, &json!({"description": "Own words"}))
        .expect(200);
    let summary = world.import("navidrome", &path, &[]);
    has_numbers(
        &summary,
        &[("taken.playlists", 0), ("skipped.changed_here", 1)],
    );
    assert_eq!(world.lists(&ann, "playlists"), [evening]);
    ann.delete(&list).expect(204);
    let summary = world.import("navidrome", &path, &[]);
    has_numbers(
        &summary,
        &[("taken.playlists", 0), ("skipped.changed_here", 1)],
    );
    assert_eq!(world.lists(&ann, "playlists"), []);
}

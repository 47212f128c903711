//! Import from Audiobookshelf.

use serde_json::json;

use super::world::{World, database, has_numbers, world};
use crate::http::conventions::id_of;

const TABLES: &str = "
    CREATE TABLE migrationsMeta (key VARCHAR(255), value VARCHAR(255));
    INSERT INTO migrationsMeta VALUES ('version', '2.20.0'), ('maxVersion', '2.20.0');
    CREATE TABLE users (id UUID PRIMARY KEY, username TEXT, type TEXT, bookmarks JSON);
    CREATE TABLE books (id UUID PRIMARY KEY, title TEXT, audioFiles JSON, ebookFile JSON);
    CREATE TABLE libraryItems (id UUID PRIMARY KEY, mediaId UUID, mediaType TEXT);
    CREATE TABLE mediaProgresses (id UUID, userId UUID, mediaItemId UUID, mediaItemType TEXT,
                                  currentTime FLOAT, isFinished TINYINT(1), finishedAt DATETIME,
                                  ebookProgress FLOAT, ebookLocation TEXT, updatedAt DATETIME);
    CREATE TABLE playlists (id UUID, name TEXT, description TEXT, userId UUID);
    CREATE TABLE playlistMediaItems (playlistId UUID, mediaItemId UUID, mediaItemType TEXT,
                                     \"order\" INTEGER);
    CREATE TABLE collections (id UUID, name TEXT, description TEXT);
    CREATE TABLE collectionBooks (collectionId UUID, bookId UUID, \"order\" INTEGER);
    CREATE TABLE playbackSessions (userId UUID, mediaItemId UUID, timeListening FLOAT,
                                   createdAt DATETIME);";

const ROWS: &str = "
    INSERT INTO users
    VALUES ('u1', 'admin', 'root', NULL),
           ('u2', 'ann', 'user', '[
               {\"libraryItemId\": \"i1\", \"time\": 130.7, \"title\": \"Here\",
                \"createdAt\": 1714903200000},
               {\"libraryItemId\": \"none\", \"time\": 1}, 5]');
    INSERT INTO books
    VALUES ('b1', 'Album', '[
               {\"index\": 2, \"duration\": 50.5,
                \"metadata\": {\"path\": \"MEDIA/Album/02 - Two.mp3\", \"size\": 18}},
               {\"index\": 1, \"duration\": 100,
                \"metadata\": {\"path\": \"MEDIA/Album/01 - One.mp3\", \"size\": 18}},
               {\"index\": 3, \"exclude\": true, \"duration\": 9,
                \"metadata\": {\"path\": \"MEDIA/Solo/Alone.mp3\", \"size\": 14}},
               {\"index\": 4, \"duration\": 70,
                \"metadata\": {\"path\": \"MEDIA/Album/03 - Three.mp3\", \"size\": 20}}]', NULL),
           ('b2', 'The Long Way', '[]',
            '{\"metadata\": {\"path\": \"MEDIA/harbour.epub\", \"size\": 1}}'),
           ('b3', 'Alone', '[{\"index\": 1, \"duration\": 60,
                              \"metadata\": {\"path\": \"MEDIA/Solo/Alone.mp3\"}}]', NULL);
    INSERT INTO libraryItems VALUES ('i1', 'b1', 'book'), ('i2', 'b2', 'book');
    INSERT INTO mediaProgresses
    VALUES ('m1', 'u2', 'b1', 'book', 130.7, 0, NULL, 0, NULL, '2024-05-01 10:00:00.123 +00:00'),
           ('m2', 'u2', 'b2', 'book', 0, 0, NULL, 0.5, 'epubcfi(/6/4!/4/2)',
            '2024-05-02 10:00:00.000 +00:00'),
           ('m3', 'u1', 'b1', 'book', 9, 1, '2024-05-03 10:00:00.000 +00:00', NULL, NULL,
            '2024-05-04 10:00:00.000 +00:00'),
           ('m4', 'u1', 'b3', 'book', 0, 0, NULL, 0, NULL, '2024-05-04 10:00:00.000 +00:00'),
           ('m5', 'u1', 'e1', 'podcastEpisode', 60, 0, NULL, 0, NULL, '2024-05-04');
    INSERT INTO playlists VALUES ('p1', 'Evening', NULL, 'u2');
    INSERT INTO playlistMediaItems VALUES ('p1', 'b1', 'book', 2), ('p1', 'b3', 'book', 1);
    INSERT INTO collections VALUES ('c1', 'Shelf', 'All');
    INSERT INTO collectionBooks VALUES ('c1', 'b2', 1), ('c1', 'b1', 2), ('c1', 'gone', 3);
    INSERT INTO playbackSessions VALUES ('u2', 'b1', 900, '2024-05-01 10:00:00.000 +00:00');";

fn source(world: &World) -> std::path::PathBuf {
    world.database("absdatabase.sqlite", &format!("{TABLES}{ROWS}"))
}

#[test]
fn time_over_the_whole_book_is_divided_among_its_files() {
    let world = world();
    let ann = world.user("ann");
    let summary = world.import_thrice("audiobookshelf", &source(&world), &[]);
    has_numbers(
        &summary,
        &[
            ("taken.progress", 2),
            ("taken.finished", 1),
            ("taken.bookmarks", 1),
            ("taken.playlists", 1),
            ("taken.collections", 1),
            ("taken.sessions", 1),
            // An episode.
            ("skipped.unsupported", 1),
            // A bookmark and an entry of the collection.
            ("unmatched", 2),
        ],
    );
    let at = "2024-05-01T10:00:00.123000Z".to_owned();
    assert_eq!(
        world.progress(&ann, "01 - One.mp3"),
        Some((0, true, at.clone()))
    );
    assert_eq!(world.progress(&ann, "02 - Two.mp3"), Some((30, false, at)));
    assert_eq!(world.progress(&ann, "03 - Three.mp3"), None);
    assert_eq!(world.progress(&ann, "Alone.mp3"), None);
    let at = "2024-05-03T10:00:00.000000Z".to_owned();
    for file in ["01 - One.mp3", "02 - Two.mp3", "03 - Three.mp3"] {
        assert_eq!(
            world.progress(&world.admin, file),
            Some((0, true, at.clone())),
            "{file}"
        );
    }
    let album = world.item(&world.admin, "01 - One.mp3");
    assert_eq!(album["progress"]["item_finished"], true, "{album}");
}

#[test]
fn listening_session_has_its_time() {
    let world = world();
    let ann = world.user("ann");
    world.import("audiobookshelf", &source(&world), &[]);
    let sessions = ann.get("/stats/sessions").expect(200).json();
    let session = &sessions["items"][0];
    assert_eq!(
        (&session["title"], &session["end"], &session["seconds"]),
        (
            &json!("Album"),
            &json!("2024-05-01T10:15:00.000000Z"),
            &json!(900)
        )
    );
}

#[test]
fn position_of_ebook_is_section_with_locator() {
    let world = world();
    let ann = world.user("ann");
    world.import("audiobookshelf", &source(&world), &[]);
    let book = id_of(&world.item(&ann, "harbour.epub"));
    let places = ann
        .get(&format!("/items/{book}/progress"))
        .expect(200)
        .json();
    let place = &places["items"][0];
    // The second item of the spine has the index 1.
    assert_eq!(
        (&place["position"], &place["locator"], &place["finished"]),
        (&json!(1), &json!("epubcfi(/6/4!/4/2)"), &json!(false))
    );
}

#[test]
fn bookmarks_and_lists_belong_to_their_users() {
    let world = world();
    let ann = world.user("ann");
    let summary = world.import("audiobookshelf", &source(&world), &[]);
    let album = world.item(&ann, "01 - One.mp3");
    let notes = ann
        .get(&format!("/items/{}/annotations", id_of(&album)))
        .expect(200)
        .json();
    let note = &notes["items"][0];
    assert_eq!(
        (&note["file_id"], &note["position"], &note["note"]),
        (
            &json!(world.file("02 - Two.mp3")),
            &json!(30),
            &json!("Here")
        )
    );
    assert_eq!(note["created_at"], "2024-05-05T10:00:00.000000Z");
    let texts = |texts: &[&str]| {
        texts
            .iter()
            .map(|&text| text.to_owned())
            .collect::<Vec<_>>()
    };
    let evening = (
        "Evening".to_owned(),
        "ann".to_owned(),
        texts(&["Alone", "One", "Two", "Three"]),
    );
    assert_eq!(world.lists(&ann, "playlists"), [evening]);
    let shelf = (
        "Shelf".to_owned(),
        "admin".to_owned(),
        texts(&["The Long Way", "Album"]),
    );
    assert_eq!(world.lists(&ann, "collections"), [shelf], "it is public");
    world.undo(&summary);
    assert_eq!(world.lists(&ann, "collections"), []);
    assert_eq!(world.progress(&ann, "02 - Two.mp3"), None);
    let notes = ann
        .get(&format!("/items/{}/annotations", id_of(&album)))
        .expect(200)
        .json();
    assert_eq!(notes["items"], json!([]));
}

#[test]
fn newer_progress_of_ledge_is_kept_and_older_one_is_replaced() {
    let world = world();
    let ann = world.user("ann");
    let album = id_of(&world.item(&ann, "01 - One.mp3"));
    let path = format!("/items/{album}/progress");
    let put = |file: &str, position: i64, at: &str| {
        let body = json!({
            "file_id": world.file(file), "position": position, "recorded_at": at
        });
        ann.put(&path, &body).expect(200);
    };
    put("01 - One.mp3", 5, "2024-05-01T10:00:00.123Z");
    put("02 - Two.mp3", 7, "2024-04-30T10:00:00Z");
    let summary = world.import_thrice("audiobookshelf", &source(&world), &[]);
    // One of the two files of the row is newer in the source.
    has_numbers(
        &summary,
        &[("taken.progress", 2), ("skipped.newer_here", 0)],
    );
    let place = |file: &str| world.progress(&ann, file).map(|(position, ..)| position);
    assert_eq!(
        (place("01 - One.mp3"), place("02 - Two.mp3")),
        (Some(5), Some(30))
    );
    assert_eq!(world.undo(&summary)["skipped"], 0);
    assert_eq!(
        (place("01 - One.mp3"), place("02 - Two.mp3")),
        (Some(5), Some(7))
    );

    put("02 - Two.mp3", 8, "2025-01-01T00:00:00Z");
    let report = world.server.folder().join("report.csv");
    let more = ["--report", report.to_str().expect("text")];
    let summary = world.import("audiobookshelf", &source_again(&world), &more);
    has_numbers(
        &summary,
        &[("taken.progress", 1), ("skipped.newer_here", 1)],
    );
    let text = std::fs::read_to_string(report).expect("a report");
    assert!(text.contains("progress,ann,"), "{text}");
    assert!(text.contains(",newer_here\n"), "{text}");
}

fn source_again(world: &World) -> std::path::PathBuf {
    world.server.folder().join("theirs/absdatabase.sqlite")
}

#[test]
fn damaged_and_huge_json_is_no_file() {
    let world = world();
    world.user("ann");
    let path = source(&world);
    database(
        &path,
        "UPDATE books SET audioFiles = '[' || replace(hex(zeroblob(5000000)), '0', ' ') || ']'
          WHERE id = 'b1';
         UPDATE books SET audioFiles = '[[[[', ebookFile = x'00' WHERE id = 'b2';
         UPDATE books SET audioFiles = '{\"index\": {}}' WHERE id = 'b3';
         UPDATE users SET bookmarks = '{\"a\":' WHERE id = 'u2';",
    );
    let summary = world.import("audiobookshelf", &path, &[]);
    has_numbers(&summary, &[("matched", 0), ("taken.progress", 0)]);
    assert_eq!(summary["batch"], serde_json::Value::Null);
}

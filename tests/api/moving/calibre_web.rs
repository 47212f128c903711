//! Import from Calibre-Web.

use serde_json::json;

use super::world::{World, has_numbers, world};
use crate::http::conventions::id_of;

const APP: &str = "
    CREATE TABLE user (id INTEGER PRIMARY KEY, name VARCHAR(64), role SMALLINT);
    INSERT INTO user VALUES (1, 'admin', 159), (2, 'Guest', 32), (3, 'ann', 3);
    CREATE TABLE settings (id INTEGER PRIMARY KEY, config_calibre_dir VARCHAR);
    INSERT INTO settings VALUES (1, 'MEDIA');
    CREATE TABLE book_read_link (id INTEGER PRIMARY KEY, book_id INTEGER, user_id INTEGER,
                                 read_status INTEGER, last_modified DATETIME);
    INSERT INTO book_read_link (book_id, user_id, read_status, last_modified)
    VALUES (1, 1, 1, '2024-05-01 10:00:00.000000'), (1, 3, 2, '2024-05-02 10:00:00.000000'),
           (2, 3, 2, '2024-05-03 10:00:00.000000'), (2, 1, 0, '2024-05-03 10:00:00.000000');
    CREATE TABLE bookmark (id INTEGER PRIMARY KEY, user_id INTEGER, book_id INTEGER,
                           format VARCHAR, bookmark_key VARCHAR);
    INSERT INTO bookmark (user_id, book_id, format, bookmark_key)
    VALUES (3, 1, 'EPUB', 'epubcfi(/6/6!/4/1:0)'), (3, 3, 'PDF', '12'),
           (1, 1, 'epub', 'no cfi'), (1, 9, 'EPUB', 'epubcfi(/6/6!/4)');
    CREATE TABLE shelf (id INTEGER PRIMARY KEY, name VARCHAR, is_public INTEGER, user_id INTEGER);
    INSERT INTO shelf VALUES (1, 'Shelf', 1, 3), (2, 'Empty', 0, 3);
    CREATE TABLE book_shelf_link (id INTEGER PRIMARY KEY, book_id INTEGER, \"order\" INTEGER,
                                  shelf INTEGER);
    INSERT INTO book_shelf_link (book_id, \"order\", shelf) VALUES (1, 2, 1), (2, 1, 1);
    CREATE TABLE kobo_reading_state (id INTEGER PRIMARY KEY, user_id INTEGER, book_id INTEGER);
    INSERT INTO kobo_reading_state VALUES (1, 2, 1);
    CREATE TABLE kobo_bookmark (id INTEGER PRIMARY KEY, kobo_reading_state_id INTEGER,
                                last_modified DATETIME, progress_percent FLOAT);
    INSERT INTO kobo_bookmark VALUES (1, 1, '2024-05-04 10:00:00.000000', 40.0);";

const LIBRARY: &str = "
    CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT, path TEXT);
    INSERT INTO books VALUES (1, 'The Long Way', '.'), (2, 'Lantern', '.'), (3, 'Notes', 'Papers');
    CREATE TABLE data (id INTEGER PRIMARY KEY, book INTEGER, format TEXT, name TEXT,
                       uncompressed_size INTEGER);
    INSERT INTO data (book, format, name, uncompressed_size)
    VALUES (1, 'MOBI', 'harbour', 5), (1, 'EPUB', 'harbour', 5), (2, 'CBZ', 'lantern', 5),
           (3, 'PDF', 'Treatise', 5);";

fn source(world: &World) -> (std::path::PathBuf, String) {
    let library = world.database("metadata.db", LIBRARY);
    let library = library.to_str().expect("text").to_owned();
    (world.database("app.db", APP), library)
}

#[test]
fn states_positions_and_shelves_are_imported() {
    let world = world();
    let ann = world.user("ann");
    let bob = world.user("bob");
    let (path, library) = source(&world);
    let more = ["--library", &library, "--user", "Guest=bob"];
    let summary = world.import_thrice("calibre-web", &path, &more);
    has_numbers(
        &summary,
        &[
            ("taken.progress", 4),
            ("taken.finished", 1),
            ("taken.collections", 1),
            ("skipped.unsupported", 1),
            ("unmatched", 1),
        ],
    );
    assert_eq!(summary["version"], serde_json::Value::Null);
    let (_, finished, at) = world
        .progress(&world.admin, "harbour.epub")
        .expect("progress");
    assert_eq!(
        (finished, at.as_str()),
        (true, "2024-05-01T10:00:00.000000Z")
    );
    // The position of a started book comes from its bookmark, which has no date.
    let book = id_of(&world.item(&ann, "harbour.epub"));
    let places = ann
        .get(&format!("/items/{book}/progress"))
        .expect(200)
        .json();
    let place = &places["items"][0];
    assert_eq!(
        (&place["position"], &place["locator"]),
        (&json!(2), &json!("epubcfi(/6/6!/4/1:0)"))
    );
    assert_eq!(place["updated_at"], "2000-01-01T00:00:00.000000Z");
    assert_eq!(
        world.progress(&ann, "lantern.cbz"),
        Some((0, false, "2024-05-03T10:00:00.000000Z".to_owned()))
    );
    assert_eq!(
        world.progress(&ann, "Treatise.pdf").map(|(page, ..)| page),
        Some(11)
    );
    let sections = world.item(&bob, "harbour.epub")["files"][0]["extent"].as_i64();
    let sections = sections.expect("a number of sections");
    let expected = sections * 40 / 100;
    assert_eq!(
        world
            .progress(&bob, "harbour.epub")
            .map(|(section, ..)| section),
        Some(expected)
    );
    let shelf = ["In the Fog", "The Long Way"].map(str::to_owned).to_vec();
    let lists = world.lists(&world.admin, "collections");
    assert_eq!(lists, [("Shelf".to_owned(), "ann".to_owned(), shelf)]);
}

#[test]
fn second_database_is_required_and_checked() {
    let world = world();
    let (path, _) = source(&world);
    let output = world.run("calibre-web", &path, &[]);
    assert_eq!(output.status.code(), Some(2));
    let odd = world.database("odd.db", "CREATE TABLE books (id INTEGER, path TEXT);");
    let line = world.refused(
        "calibre-web",
        &path,
        &["--library", odd.to_str().expect("text")],
    );
    assert!(line.contains("`library.data`"), "{line}");
}

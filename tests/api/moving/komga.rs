//! Import from Komga.

use std::fmt::Write as _;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;

use super::world::{World, has_numbers, world};
use crate::http::conventions::id_of;

const TABLES: &str = "
    CREATE TABLE flyway_schema_history (installed_rank INT, version VARCHAR(50), success BOOLEAN);
    INSERT INTO flyway_schema_history
    VALUES (1, '20200706141854', 1), (2, '20240614000000', 1), (3, NULL, 1);
    CREATE TABLE USER (ID VARCHAR PRIMARY KEY, EMAIL VARCHAR);
    INSERT INTO USER VALUES ('U1', 'boss@example.org'), ('U2', 'Ann@example.org');
    CREATE TABLE USER_ROLE (USER_ID VARCHAR, ROLE VARCHAR);
    INSERT INTO USER_ROLE VALUES ('U1', 'ADMIN'), ('U2', 'PAGE_STREAMING');
    CREATE TABLE BOOK (ID VARCHAR PRIMARY KEY, NAME VARCHAR, URL VARCHAR, FILE_SIZE INT8,
                       DELETED_DATE DATETIME, SERIES_ID VARCHAR, NUMBER INT);
    CREATE TABLE READ_PROGRESS (BOOK_ID VARCHAR, USER_ID VARCHAR, PAGE INT, COMPLETED BOOLEAN,
                                READ_DATE DATETIME, LOCATOR BLOB);
    CREATE TABLE READLIST (ID VARCHAR, NAME VARCHAR, SUMMARY VARCHAR);
    CREATE TABLE READLIST_BOOK (READLIST_ID VARCHAR, BOOK_ID VARCHAR, NUMBER INT);
    CREATE TABLE COLLECTION (ID VARCHAR, NAME VARCHAR);
    CREATE TABLE COLLECTION_SERIES (COLLECTION_ID VARCHAR, SERIES_ID VARCHAR, NUMBER INT);
    INSERT INTO BOOK
    VALUES ('B1', 'Lantern 4', 'file:MEDIA/lantern.cbz', 5, NULL, 'S1', 1),
           ('B2', 'The Long Way', 'file:MEDIA/harbour%2Eepub', 5, NULL, 'S2', 1),
           ('B3', 'Deleted', 'file:MEDIA/Papers/Treatise.pdf', 5, '2024-01-01 00:00:00', 'S1', 2),
           ('B4', 'Notes', 'file:///MEDIA/Papers/Treatise.pdf', 5, NULL, 'S1', 3);
    INSERT INTO READLIST VALUES ('R1', 'To read', 'Soon');
    INSERT INTO READLIST_BOOK VALUES ('R1', 'B1', 2), ('R1', 'B2', 1);
    INSERT INTO COLLECTION VALUES ('C1', 'Series');
    INSERT INTO COLLECTION_SERIES VALUES ('C1', 'S2', 1), ('C1', 'S1', 0);";

/// Returns bytes as an SQL literal.
fn literal(bytes: &[u8]) -> String {
    let mut text = "x'".to_owned();
    for byte in bytes {
        write!(text, "{byte:02x}").expect("memory");
    }
    text.push('\'');
    text
}

fn packed(text: &[u8]) -> String {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text).expect("memory");
    literal(&encoder.finish().expect("memory"))
}

fn source(world: &World, progress: &str) -> std::path::PathBuf {
    world.database(
        "database.sqlite",
        &format!("{TABLES} INSERT INTO READ_PROGRESS VALUES {progress};"),
    )
}

/// Returns the place of a user in the EPUB: section and locator.
fn section(world: &World, user: &ledge_tests::Client) -> Option<i64> {
    world
        .progress(user, "harbour.epub")
        .map(|(section, ..)| section)
}

#[test]
fn pages_count_from_0_and_lists_belong_to_the_first_administrator() {
    let world = world();
    let ann = world.user("ann");
    let progress = "('B1', 'U2', 2, 0, '2024-05-01 10:00:00.5', NULL),
                    ('B4', 'U2', 9, 1, '2024-05-02 10:00:00', NULL),
                    ('B3', 'U1', 9, 1, '2024-05-02 10:00:00', NULL)";
    let path = source(&world, progress);
    let summary = world.import_thrice("komga", &path, &["--user", "boss=admin"]);
    has_numbers(
        &summary,
        &[
            ("taken.progress", 1),
            ("taken.finished", 1),
            ("taken.collections", 2),
            // The progress of a deleted book, and the book in the collection.
            ("unmatched", 2),
        ],
    );
    let at = "2024-05-01T10:00:00.500000Z".to_owned();
    assert_eq!(world.progress(&ann, "lantern.cbz"), Some((1, false, at)));
    let (_, finished, _) = world.progress(&ann, "Treatise.pdf").expect("progress");
    assert!(finished);
    let texts = |texts: &[&str]| {
        texts
            .iter()
            .map(|&text| text.to_owned())
            .collect::<Vec<_>>()
    };
    let lists = [
        (
            "Series".to_owned(),
            "admin".to_owned(),
            texts(&["In the Fog", "Notes", "The Long Way"]),
        ),
        (
            "To read".to_owned(),
            "admin".to_owned(),
            texts(&["The Long Way", "In the Fog"]),
        ),
    ];
    assert_eq!(world.lists(&ann, "collections"), lists);
}

#[test]
fn section_of_epub_comes_from_its_locator() {
    let world = world();
    let ann = world.user("ann");
    let item = world.item(&ann, "harbour.epub");
    let file = world.file("harbour.epub");
    let sections = item["files"][0]["extent"].as_i64().expect("sections");
    assert!(sections >= 3, "{sections}");
    let entries = ann
        .get(&format!("/kinds/books/files/{file}/entries"))
        .expect(200)
        .json();
    let pages = entries["items"].as_array().expect("entries").iter();
    let pages: Vec<&str> = pages
        .filter_map(|entry| entry["path"].as_str())
        .filter(|path| path.ends_with("html"))
        .collect();
    let chapter = pages
        .iter()
        .find(|path| path.contains('2'))
        .expect("a second chapter");
    let locator =
        json!({"href": chapter, "locations": {"progression": 0.5, "totalProgression": 0.99}});
    let progress = format!(
        "('B2', 'U2', 700, 0, '2024-05-01 10:00:00', {})",
        packed(locator.to_string().as_bytes())
    );
    let path = source(&world, &progress);
    world.import("komga", &path, &[]);
    let found = section(&world, &ann).expect("progress");
    // The last section would be the fraction of the whole book.
    assert!(
        found > 0 && found < sections - 1,
        "section {found} of {sections}: {pages:?}"
    );
    let path_of_progress = format!("/items/{}/progress", id_of(&item));
    let places = ann.get(&path_of_progress).expect(200).json();
    assert_eq!(places["items"][0]["within"], 0.5, "{places}");
    ann.delete(&path_of_progress).expect(204);
    std::fs::remove_file(&path).expect("gone");
    let locator = json!({
        "href": "no/such.xhtml", "locations": {"progression": 0.5, "totalProgression": 0.99}
    });
    let progress = format!(
        "('B2', 'U2', 700, 0, '2024-05-01 10:00:00', {})",
        packed(locator.to_string().as_bytes())
    );
    world.import("komga", &source(&world, &progress), &[]);
    assert_eq!(section(&world, &ann), Some(sections - 1));
    let places = ann.get(&path_of_progress).expect(200).json();
    assert_eq!(places["items"][0]["within"], json!(null), "{places}");
}

#[test]
fn bombs_and_damaged_locators_are_unsupported() {
    let world = world();
    let ann = world.user("ann");
    let bomb = packed(&vec![b' '; 256 << 20]);
    let progress = format!(
        "('B2', 'U2', 1, 0, '2024-05-01 10:00:00', {bomb}),
         ('B2', 'U1', 1, 0, '2024-05-01 10:00:00', 'text')"
    );
    let path = source(&world, &progress);
    let summary = world.import("komga", &path, &["--user", "boss@example.org=admin"]);
    has_numbers(
        &summary,
        &[("taken.progress", 0), ("skipped.unsupported", 2)],
    );
    assert_eq!(section(&world, &ann), None);
}

#[test]
fn lists_without_mapped_administrator_have_no_user() {
    let world = world();
    let ann = world.user("ann");
    let summary = world.import(
        "komga",
        &source(&world, "('B1', 'U2', 2, 0, 1714557600000, NULL)"),
        &[],
    );
    has_numbers(
        &summary,
        &[
            ("taken.progress", 1),
            ("taken.collections", 0),
            ("unmatched", 2),
        ],
    );
    assert_eq!(world.lists(&ann, "collections"), []);
    let at = "2024-05-01T10:00:00.000000Z".to_owned();
    assert_eq!(world.progress(&ann, "lantern.cbz"), Some((1, false, at)));
}

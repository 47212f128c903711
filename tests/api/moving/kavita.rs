//! Import from Kavita.

use serde_json::{Value, json};

use super::world::{has_numbers, world};
use crate::http::conventions::id_of;

const TABLES: &str = "
    CREATE TABLE __EFMigrationsHistory (MigrationId TEXT PRIMARY KEY, ProductVersion TEXT);
    INSERT INTO __EFMigrationsHistory
    VALUES ('20201213205325_Initial', '5'), ('20240808100353_Name', '8');
    CREATE TABLE AspNetUsers (Id INTEGER PRIMARY KEY, UserName TEXT);
    INSERT INTO AspNetUsers VALUES (1, 'Admin'), (2, 'ann');
    CREATE TABLE Series (Id INTEGER PRIMARY KEY, Name TEXT);
    INSERT INTO Series VALUES (1, 'Lantern'), (2, 'The Long Way'), (3, 'Both');
    CREATE TABLE Volume (Id INTEGER PRIMARY KEY, SeriesId INTEGER);
    INSERT INTO Volume VALUES (1, 1), (2, 2), (3, 3);
    CREATE TABLE Chapter (Id INTEGER PRIMARY KEY, Pages INTEGER, VolumeId INTEGER);
    INSERT INTO Chapter VALUES (1, 3, 1), (2, 5, 2), (3, 13, 3);
    CREATE TABLE MangaFile (Id INTEGER PRIMARY KEY, FilePath TEXT, Bytes INTEGER, Pages INTEGER,
                            ChapterId INTEGER);
    INSERT INTO MangaFile
    VALUES (1, 'MEDIA/lantern.cbz', 1, 3, 1), (2, 'MEDIA/harbour.epub', 1, 5, 2),
           (4, 'MEDIA/Papers/Treatise.pdf', 1, 10, 3), (3, 'MEDIA/lantern.cbz', 1, 3, 3);
    CREATE TABLE AppUserProgresses (Id INTEGER PRIMARY KEY, PagesRead INTEGER, ChapterId INTEGER,
                                    AppUserId INTEGER, LastModifiedUtc TEXT);
    CREATE TABLE AppUserRating (Id INTEGER PRIMARY KEY, AppUserId INTEGER, SeriesId INTEGER,
                                Rating REAL, HasBeenRated INTEGER);
    CREATE TABLE AppUserBookmark (Id INTEGER PRIMARY KEY, Page INTEGER, ChapterId INTEGER,
                                  AppUserId INTEGER);
    CREATE TABLE ReadingList (Id INTEGER PRIMARY KEY, Title TEXT, Summary TEXT, Promoted INTEGER,
                              AppUserId INTEGER);
    CREATE TABLE ReadingListItem (Id INTEGER PRIMARY KEY, ReadingListId INTEGER, ChapterId INTEGER,
                                  \"Order\" INTEGER);
    CREATE TABLE AppUserCollection (Id INTEGER PRIMARY KEY, Title TEXT, Promoted INTEGER,
                                    AppUserId INTEGER);
    CREATE TABLE AppUserCollectionSeries (CollectionsId INTEGER, ItemsId INTEGER);
    CREATE TABLE AppUserWantToRead (Id INTEGER PRIMARY KEY, SeriesId INTEGER, AppUserId INTEGER);";

const ROWS: &str = "
    INSERT INTO AppUserProgresses (PagesRead, ChapterId, AppUserId, LastModifiedUtc)
    VALUES (2, 1, 2, '2024-05-01 10:00:00.1234567'), (1, 2, 2, '2024-05-02 10:00:00'),
           (3, 1, 1, '2024-05-03 10:00:00'), (0, 2, 1, '2024-05-03 10:00:00');
    INSERT INTO AppUserRating (AppUserId, SeriesId, Rating, HasBeenRated)
    VALUES (2, 1, 3.5, 1), (2, 2, 4, 0), (2, 3, 5, 1);
    INSERT INTO AppUserBookmark (Page, ChapterId, AppUserId) VALUES (1, 1, 2);
    INSERT INTO ReadingList VALUES (1, 'Order', 'Text', 1, 1);
    INSERT INTO ReadingListItem (ReadingListId, ChapterId, \"Order\") VALUES (1, 2, 1), (1, 1, 0);
    INSERT INTO AppUserCollection VALUES (1, 'Fog', 0, 2);
    INSERT INTO AppUserCollectionSeries VALUES (1, 1), (1, 77);
    INSERT INTO AppUserWantToRead (SeriesId, AppUserId) VALUES (2, 2);";

#[test]
fn pages_and_ratings_are_imported() {
    let world = world();
    let ann = world.user("ann");
    let path = world.database("kavita.db", &format!("{TABLES}{ROWS}"));
    let summary = world.import_thrice("kavita", &path, &[]);
    assert_eq!(summary["version"], "20240808100353");
    has_numbers(
        &summary,
        &[
            ("taken.progress", 2),
            ("taken.finished", 1),
            ("taken.ratings", 1),
            ("taken.bookmarks", 1),
            ("taken.collections", 3),
            // The rating of a series of two items.
            ("skipped.unsupported", 1),
            ("unmatched", 1),
        ],
    );
    let at = "2024-05-01T10:00:00.123456Z".to_owned();
    assert_eq!(world.progress(&ann, "lantern.cbz"), Some((2, false, at)));
    assert_eq!(
        world
            .progress(&ann, "harbour.epub")
            .map(|(section, ..)| section),
        Some(1)
    );
    let (page, finished, _) = world
        .progress(&world.admin, "lantern.cbz")
        .expect("progress");
    assert_eq!((page, finished), (3, true));
    assert_eq!(world.item(&ann, "lantern.cbz")["rating"], 7);
    assert_eq!(world.item(&ann, "harbour.epub")["rating"], Value::Null);
}

#[test]
fn bookmarks_and_lists_belong_to_their_users() {
    let world = world();
    let ann = world.user("ann");
    let path = world.database("kavita.db", &format!("{TABLES}{ROWS}"));
    let summary = world.import("kavita", &path, &[]);
    let comic = id_of(&world.item(&ann, "lantern.cbz"));
    let notes = ann
        .get(&format!("/items/{comic}/annotations"))
        .expect(200)
        .json();
    assert_eq!(notes["items"][0]["position"], 1);
    let texts = |texts: &[&str]| {
        texts
            .iter()
            .map(|&text| text.to_owned())
            .collect::<Vec<_>>()
    };
    let order = (
        "Order".to_owned(),
        "admin".to_owned(),
        texts(&["In the Fog", "The Long Way"]),
    );
    assert_eq!(
        world.lists(&world.admin, "collections"),
        std::slice::from_ref(&order)
    );
    let lists = [
        ("Fog".to_owned(), "ann".to_owned(), texts(&["In the Fog"])),
        order,
        (
            "Want to read".to_owned(),
            "ann".to_owned(),
            texts(&["The Long Way"]),
        ),
    ];
    assert_eq!(world.lists(&ann, "collections"), lists);
    assert_eq!(world.undo(&summary)["skipped"], 0);
    assert_eq!(world.progress(&ann, "lantern.cbz"), None);
    assert_eq!(world.lists(&ann, "collections"), []);
}

#[test]
fn pages_of_a_chapter_are_divided_among_its_files() {
    let world = world();
    let ann = world.user("ann");
    let sql = format!(
        "{TABLES}
         INSERT INTO AppUserProgresses (PagesRead, ChapterId, AppUserId, LastModifiedUtc)
         VALUES (8, 3, 2, '2024-05-01 10:00:00');"
    );
    let path = world.database("kavita.db", &sql);
    has_numbers(
        &world.import("kavita", &path, &[]),
        &[("taken.progress", 1)],
    );
    // The files are in the order of their ids: three pages, then ten.
    let (_, finished, _) = world.progress(&ann, "lantern.cbz").expect("progress");
    assert!(finished);
    let (page, finished, _) = world.progress(&ann, "Treatise.pdf").expect("progress");
    assert_eq!((page, finished), (5, false));
}

#[test]
fn rating_of_a_chapter_is_imported_if_it_is_one_item() {
    let world = world();
    let ann = world.user("ann");
    let sql = format!(
        "{TABLES}
         CREATE TABLE AppUserChapterRating (Id INTEGER PRIMARY KEY, AppUserId INTEGER,
                                            ChapterId INTEGER, Rating REAL, HasBeenRated INTEGER);
         INSERT INTO AppUserChapterRating (AppUserId, ChapterId, Rating, HasBeenRated)
         VALUES (2, 1, 4.5, 1), (2, 3, 1, 1);"
    );
    let path = world.database("kavita.db", &sql);
    let summary = world.import("kavita", &path, &[]);
    has_numbers(
        &summary,
        &[("taken.ratings", 1), ("skipped.unsupported", 1)],
    );
    assert_eq!(world.item(&ann, "lantern.cbz")["rating"], json!(9));
}

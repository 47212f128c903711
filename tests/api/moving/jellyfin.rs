//! Import from Jellyfin.

use serde_json::json;

use super::world::{has_numbers, world};

const TABLES: &str = "
    CREATE TABLE __EFMigrationsHistory (MigrationId TEXT PRIMARY KEY, ProductVersion TEXT);
    INSERT INTO __EFMigrationsHistory VALUES ('20250401142247_Name', '9');
    CREATE TABLE Users (Id TEXT PRIMARY KEY, Username TEXT);
    INSERT INTO Users VALUES ('AAAAAAAA-0000-0000-0000-000000000001', 'Admin'),
                             ('BBBBBBBB-0000-0000-0000-000000000002', 'ann');
    CREATE TABLE BaseItems (Id TEXT PRIMARY KEY, Type TEXT, Path TEXT, Size INTEGER, Name TEXT,
                            IsFolder INTEGER, Data TEXT);
    INSERT INTO BaseItems (Id, Type, Path, Size, Name, IsFolder)
    VALUES ('C0000000-0000-0000-0000-000000000001', 'MediaBrowser.Controller.Entities.Movies.Movie',
            'MEDIA/Lantern (2001).mp4', 1, 'Lantern', 0),
           ('C0000000-0000-0000-0000-000000000002', 'MediaBrowser.Controller.Entities.Book',
            'MEDIA/harbour.epub', 1, 'The Long Way', 0),
           ('C0000000-0000-0000-0000-000000000003', 'MediaBrowser.Controller.Entities.Book',
            'MEDIA/lantern.cbz', 1, 'Lantern 4', 0),
           ('C0000000-0000-0000-0000-000000000004', 'MediaBrowser.Controller.Entities.Audio.Audio',
            'MEDIA/Album/01 - One.mp3', 1, 'One', 0),
           ('C0000000-0000-0000-0000-000000000005',
            'MediaBrowser.Controller.Entities.Audio.MusicAlbum', 'MEDIA/Album', NULL, 'Album', 1),
           ('C0000000-0000-0000-0000-000000000006', 'MediaBrowser.Controller.Entities.Audio.Audio',
            'MEDIA/Solo/Alone.mp3', 1, 'Alone', 0);
    CREATE TABLE UserData (ItemId TEXT, UserId TEXT, CustomDataKey TEXT,
                           PlaybackPositionTicks INTEGER, Played INTEGER, LastPlayedDate TEXT,
                           IsFavorite INTEGER, PlayCount INTEGER, Rating REAL, RetentionDate TEXT);";

const ROWS: &str = "
    INSERT INTO UserData
    VALUES ('c0000000-0000-0000-0000-000000000001', 'BBBBBBBB-0000-0000-0000-000000000002', 'old',
            10000000, 0, '2024-01-01 10:00:00', 0, 1, NULL, NULL),
           ('C0000000-0000-0000-0000-000000000001', 'BBBBBBBB-0000-0000-0000-000000000002', 'new',
            615000000, 0, '2024-05-01 10:00:00.1234567', 1, 3, 7.6, NULL),
           ('C0000000-0000-0000-0000-000000000002', 'BBBBBBBB-0000-0000-0000-000000000002', 'k',
            5000000, 0, '2024-05-02 10:00:00', 0, 0, NULL, NULL),
           ('C0000000-0000-0000-0000-000000000003', 'bbbbbbbb-0000-0000-0000-000000000002', 'k',
            20000, 0, '2024-05-03 10:00:00', 0, 0, NULL, NULL),
           ('C0000000-0000-0000-0000-000000000004', 'AAAAAAAA-0000-0000-0000-000000000001', 'k',
            0, 1, '2024-05-04 10:00:00', 1, 2, NULL, NULL),
           ('C0000000-0000-0000-0000-000000000005', 'AAAAAAAA-0000-0000-0000-000000000001', 'k',
            0, 0, NULL, 1, 0, NULL, NULL),
           ('00000000-0000-0000-0000-000000000001', 'AAAAAAAA-0000-0000-0000-000000000001', 'k',
            5, 0, NULL, 1, 0, NULL, NULL),
           ('C0000000-0000-0000-0000-000000000006', 'AAAAAAAA-0000-0000-0000-000000000001', 'k',
            0, 0, NULL, 1, 0, NULL, '2024-05-04 10:00:00');";

const PLAYLISTS: &str = "
    INSERT INTO BaseItems (Id, Type, Name, IsFolder, Data)
    VALUES ('D0000000-0000-0000-0000-000000000001', 'MediaBrowser.Controller.Playlists.Playlist',
            'Evening', 1,
            '{\"OwnerUserId\": \"bbbbbbbb000000000000000000000002\", \"OpenAccess\": true,
              \"LinkedChildren\": [
                {\"Path\": \"MEDIA/Solo/Alone.mp3\"},
                {\"ItemId\": \"c0000000000000000000000000000004\"},
                {\"Path\": \"MEDIA/harbour.epub\"}, 5]}'),
           ('D0000000-0000-0000-0000-000000000002',
            'MediaBrowser.Controller.Entities.Movies.BoxSet', 'Box', 1, '{}');";

fn files() -> String {
    format!("{TABLES}{ROWS}{PLAYLISTS}")
}

#[test]
fn ticks_have_the_unit_of_the_format() {
    let world = world();
    let ann = world.user("ann");
    let path = world.database("jellyfin.db", &files());
    let summary = world.import_thrice("jellyfin", &path, &[]);
    has_numbers(
        &summary,
        &[
            ("taken.progress", 3),
            ("taken.finished", 1),
            ("taken.favourites", 1),
            ("taken.ratings", 1),
            ("taken.plays", 2),
            ("taken.playlists", 1),
            ("taken.collections", 0),
            // A favourite track of three, and a book in a playlist.
            ("skipped.unsupported", 2),
            ("unmatched", 0),
        ],
    );
    let at = "2024-05-01T10:00:00.123456Z".to_owned();
    assert_eq!(
        world.progress(&ann, "Lantern (2001).mp4"),
        Some((61, false, at))
    );
    let film = world.item(&ann, "Lantern (2001).mp4");
    assert_eq!(
        (&film["rating"], &film["favourite"]),
        (&json!(8), &json!(true))
    );
    let sections = world.item(&ann, "harbour.epub")["files"][0]["extent"].as_i64();
    let half = sections.expect("sections") / 2;
    assert_eq!(
        world
            .progress(&ann, "harbour.epub")
            .map(|(section, ..)| section),
        Some(half)
    );
    assert_eq!(
        world.progress(&ann, "lantern.cbz").map(|(page, ..)| page),
        Some(2)
    );
    let (_, finished, _) = world
        .progress(&world.admin, "01 - One.mp3")
        .expect("progress");
    assert!(finished);
    assert_eq!(world.item(&world.admin, "Alone.mp3")["favourite"], false);
    let evening = ["Alone", "One"].map(str::to_owned).to_vec();
    let lists = [("Evening".to_owned(), "ann".to_owned(), evening)];
    assert_eq!(
        world.lists(&world.admin, "playlists"),
        lists,
        "it is public"
    );
}

#[test]
fn children_of_lists_come_from_their_table_if_it_exists() {
    let world = world();
    let ann = world.user("ann");
    let sql = format!(
        "{}
         CREATE TABLE LinkedChildren (ParentId TEXT, ChildId TEXT, SortOrder INTEGER);
         INSERT INTO LinkedChildren
         VALUES ('D0000000-0000-0000-0000-000000000001', 'C0000000-0000-0000-0000-000000000006', 2),
                ('d0000000-0000-0000-0000-000000000001', 'c0000000-0000-0000-0000-000000000004', 1),
                ('D0000000-0000-0000-0000-000000000002', 'C0000000-0000-0000-0000-000000000002', 1),
                ('D0000000-0000-0000-0000-000000000002', 'C0000000-0000-0000-0000-000000000001', 0);",
        files()
    );
    let path = world.database("jellyfin.db", &sql);
    let summary = world.import_thrice("jellyfin", &path, &[]);
    has_numbers(
        &summary,
        &[("taken.playlists", 1), ("taken.collections", 1)],
    );
    assert_eq!(world.lists(&ann, "playlists")[0].2, ["One", "Alone"]);
    let boxes = world.lists(&ann, "collections");
    assert_eq!(boxes[0].2, ["Lantern", "The Long Way"]);
}

#[test]
fn database_of_an_older_version_is_refused_with_the_remedy() {
    let world = world();
    let path = world.database("library.db", "CREATE TABLE TypedBaseItems (guid GUID);");
    let line = world.refused("jellyfin", &path, &[]);
    assert!(line.contains("10.11"), "{line}");
}

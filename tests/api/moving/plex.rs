//! Import from Plex.

use super::world::{has_numbers, world};

const TABLES: &str = "
    CREATE TABLE accounts (id INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO accounts VALUES (0, ''), (1, 'owner@example.org'), (77, 'Ann');
    CREATE TABLE metadata_items (id INTEGER PRIMARY KEY, parent_id INTEGER, guid TEXT,
                                 metadata_type INTEGER, title TEXT);
    INSERT INTO metadata_items
    VALUES (1, NULL, 'plex://movie/1', 1, 'Lantern'), (2, NULL, 'plex://movie/1', 1, 'Again'),
           (3, NULL, 'plex://track/3', 10, 'One'), (4, NULL, 'plex://track/4', 10, 'Alone'),
           (5, NULL, 'plex://album/5', 9, 'Album'), (6, 5, 'plex://track/6', 10, 'Two'),
           (10, NULL, 'x', 15, 'Evening'), (11, NULL, 'y', 15, 'Smart'),
           (12, NULL, 'z', 18, 'Shelf');
    CREATE TABLE media_items (id INTEGER PRIMARY KEY, metadata_item_id INTEGER);
    INSERT INTO media_items VALUES (1, 1), (2, 2), (3, 3), (4, 4), (6, 6);
    CREATE TABLE media_parts (id INTEGER PRIMARY KEY, media_item_id INTEGER, file TEXT, size INTEGER,
                              deleted_at INTEGER);
    INSERT INTO media_parts
    VALUES (1, 1, 'MEDIA/Lantern (2001).mp4', 1, NULL), (2, 2, '/gone/Lantern.mp4', 1, NULL),
           (3, 3, 'MEDIA/Album/01 - One.mp3', 1, NULL), (4, 4, 'MEDIA/Solo/Alone.mp3', 1, NULL),
           (6, 6, 'MEDIA/Album/02 - Two.mp3', 1, NULL), (7, 4, 'MEDIA/Papers/Treatise.pdf', 1, 1714557600);
    CREATE TABLE metadata_item_settings (id INTEGER PRIMARY KEY, account_id INTEGER, guid TEXT,
                                         rating FLOAT, view_offset INTEGER, view_count INTEGER,
                                         last_viewed_at INTEGER);
    CREATE TABLE metadata_item_views (id INTEGER PRIMARY KEY, account_id INTEGER, guid TEXT,
                                      viewed_at INTEGER);
    CREATE TABLE metadata_item_accounts (id INTEGER PRIMARY KEY, account_id INTEGER,
                                         metadata_item_id INTEGER);
    CREATE TABLE play_queue_generators (id INTEGER PRIMARY KEY, playlist_id INTEGER,
                                        metadata_item_id INTEGER, \"order\" FLOAT);
    CREATE TABLE tags (id INTEGER PRIMARY KEY, tag TEXT, tag_type INTEGER);
    CREATE TABLE taggings (id INTEGER PRIMARY KEY, metadata_item_id INTEGER, tag_id INTEGER);";

const ROWS: &str = "
    INSERT INTO metadata_item_settings
           (account_id, guid, rating, view_offset, view_count, last_viewed_at)
    VALUES (77, 'plex://movie/1', 8.0, 61500, 0, 1714557600),
           (1, 'plex://movie/1', NULL, 0, 2, '2024-05-02 10:00:00'),
           (77, 'plex://track/4', NULL, 0, 5, 1714557600),
           (77, 'plex://track/3', 6.0, NULL, 0, NULL),
           (0, 'plex://track/4', 10, 5, 5, 5),
           (77, 'plex://unknown', 10, 5, 5, 5);
    INSERT INTO metadata_item_views (account_id, guid, viewed_at)
    VALUES (77, 'plex://track/4', 1714557600), (0, 'plex://track/4', 1);
    INSERT INTO metadata_item_accounts (account_id, metadata_item_id) VALUES (77, 10), (77, 11);
    INSERT INTO play_queue_generators (playlist_id, metadata_item_id, \"order\")
    VALUES (10, 4, 2000.0), (10, 3, 1000.0), (11, NULL, 1.0);
    INSERT INTO tags VALUES (1, 'Shelf', 2), (2, 'Drama', 1);
    INSERT INTO taggings (metadata_item_id, tag_id) VALUES (12, 1), (5, 1), (1, 1), (3, 2);";

#[test]
fn settings_by_guid_playlists_and_collections_are_imported() {
    let world = world();
    let ann = world.user("ann");
    let path = world.database("plex.db", &format!("{TABLES}{ROWS}"));
    let summary = world.import_thrice("plex", &path, &["--user", "1=admin"]);
    has_numbers(
        &summary,
        &[
            ("taken.progress", 1),
            ("taken.finished", 1),
            ("taken.ratings", 1),
            ("taken.plays", 2),
            ("taken.playlists", 1),
            ("taken.collections", 1),
            ("taken.sessions", 1),
            // The rating of one track of several, a smart playlist.
            ("skipped.unsupported", 2),
            ("unmatched", 0),
        ],
    );
    let at = "2024-05-01T10:00:00.000000Z".to_owned();
    assert_eq!(
        world.progress(&ann, "Lantern (2001).mp4"),
        Some((61, false, at))
    );
    let (_, finished, at) = world
        .progress(&world.admin, "Lantern (2001).mp4")
        .expect("progress");
    assert_eq!(
        (finished, at.as_str()),
        (true, "2024-05-02T10:00:00.000000Z")
    );
    // A played track is not finished.
    assert_eq!(world.progress(&ann, "Alone.mp3"), None);
    assert_eq!(world.item(&ann, "Lantern (2001).mp4")["rating"], 8);
    assert_eq!(world.lists(&ann, "playlists")[0].2, ["One", "Alone"]);
    let shelf = ["Album", "Lantern"].map(str::to_owned).to_vec();
    let lists = [("Shelf".to_owned(), "admin".to_owned(), shelf)];
    assert_eq!(world.lists(&ann, "collections"), lists, "it is public");
    assert_eq!(world.undo(&summary)["skipped"], 0);
    assert_eq!(world.progress(&ann, "Lantern (2001).mp4"), None);
}

#[test]
fn required_tables_replace_the_version() {
    let world = world();
    for table in [
        "metadata_item_settings",
        "media_parts",
        "metadata_item_accounts",
        "play_queue_generators",
    ] {
        let path = world.database("plex.db", &format!("{TABLES} DROP TABLE {table};"));
        let line = world.refused("plex", &path, &[]);
        assert!(line.contains(&format!("`{table}`")), "{line}");
        std::fs::remove_file(path).expect("gone");
    }
}

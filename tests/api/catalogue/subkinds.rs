//! Subkinds: lists, letters and counts by the category of an item within its kind.

use std::fs;

use ledge_core::db::open;
use ledge_tests::Client;
use ledge_tests::server::scan;
use serde_json::{Value, json};

use crate::http::conventions::{id_of, library_of, list};

const SHELF: &[(&str, &str)] = &[
    ("Books/Austen, Jane - Emma (1815).epub", "1"),
    ("Books/Krazy Kat 1.cbz", "2"),
    ("Video/Metropolis (1927)/Metropolis (1927).mp4", "3"),
    ("Video/Test Pattern/Season 1/Test Pattern S01E01.mkv", "4"),
    ("Video/Test Pattern/Season 1/Test Pattern S01E02.mkv", "5"),
    ("Audio/Bach/Goldberg Variations/01 - Aria.mp3", "6"),
    ("Audio/Bach/Goldberg Variations/02 - Variatio.mp3", "7"),
    ("Audiobooks/Herman Melville/Moby-Dick/01.mp3", "8"),
    ("Audiobooks/Herman Melville/Moby-Dick/02.mp3", "9"),
    ("Games/Nova the Squirrel.nes", "10"),
    ("Games/Anguna.gba", "11"),
];

const SORTS: &[&str] = &[
    "title",
    "added",
    "year",
    "author",
    "series",
    "random",
    "rating",
    "last_played",
    "duration",
    "pages",
    "size",
    "released",
];

fn items(client: &Client, query: &str) -> Vec<Value> {
    let page = client.get(&format!("/items?{query}")).expect(200).json();
    page["items"].as_array().expect("items").clone()
}

fn titles(client: &Client, query: &str) -> Vec<String> {
    let mut titles: Vec<String> = items(client, query)
        .iter()
        .map(|item| item["title"].as_str().expect("a title").to_owned())
        .collect();
    titles.sort();
    titles
}

fn count(kind: &str, subkind: &str, items: u64) -> Value {
    json!({"kind": kind, "subkind": subkind, "items": items})
}

#[test]
fn subkind_filters_lists_and_letters_in_every_order() {
    let (_server, admin, library) = library_of(SHELF);
    for (kind, subkind, title) in [
        ("books", "prose", "Emma"),
        ("books", "comic", "Krazy Kat #1"),
        ("video", "film", "Metropolis"),
        ("video", "series", "Test Pattern"),
        ("audio", "album", "Goldberg Variations"),
        ("audio", "audiobook", "Moby-Dick"),
        ("games", "nes", "Nova the Squirrel"),
        ("games", "gba", "Anguna"),
    ] {
        for sort in SORTS {
            let query = format!("kind={kind}&subkind={subkind}&sort={sort}");
            assert_eq!(titles(&admin, &query), [title], "{query}");
        }
        let page = admin
            .get(&format!("/libraries/{library}/items?subkind={subkind}"))
            .expect(200)
            .json();
        assert_eq!(page["total"], 1, "{page}");
        assert_eq!(page["items"][0]["subkind"], subkind);
        let letters = list(&admin.get(&format!("/items/letters?kind={kind}&subkind={subkind}")));
        assert_eq!(letters.len(), 1, "{letters:?}");
    }
    let both = "kind=video&subkind=series&state=unstarted&missing=false&favourite=false";
    assert_eq!(titles(&admin, both), ["Test Pattern"]);
}

#[test]
fn counts_include_granted_libraries_only() {
    let (server, admin, library) = library_of(SHELF);
    let (mia, client) = server.user(&admin, "mia");
    let counts =
        |client: &Client, query: &str| list(&client.get(&format!("/items/subkinds{query}")));
    let none: [Value; 0] = [];
    assert_eq!(counts(&client, ""), none);
    assert_eq!(counts(&client, &format!("?library={library}")), none);
    let video = [count("video", "film", 1), count("video", "series", 1)];
    assert_eq!(counts(&admin, "?kind=video"), video);
    assert_eq!(
        counts(&admin, &format!("?kind=games&library={library}")),
        [count("games", "gba", 1), count("games", "nes", 1)]
    );
    assert_eq!(counts(&admin, "?library=98765"), none);
    admin
        .put(
            &format!("/users/{mia}/libraries"),
            &json!({"library_ids": [library]}),
        )
        .expect(204);
    assert_eq!(counts(&client, "?kind=video"), video);
}

#[test]
fn next_scan_assigns_subkinds_without_reading_files_again() {
    let (server, admin, library) = library_of(SHELF);
    // Simulates a database of the previous version: older grouping versions, and no subkinds.
    let database = open::writable(&server.database()).expect("the database");
    database
        .execute_batch(
            "UPDATE item SET subkind = NULL;
             UPDATE folder SET listing = zeroblob(length(listing)) WHERE listing IS NOT NULL;",
        )
        .expect("an older database");
    // Each read of a file updates its time.
    let inspected = "
        SELECT group_concat(ifnull(inspected_at, '-') || ' ' || ifnull(read_signature, '-'))
          FROM file";
    let before: String = database
        .query_row(inspected, [], |row| row.get(0))
        .expect("times");
    let none: [Value; 0] = [];
    assert_eq!(list(&admin.get("/items/subkinds")), none);
    let status = scan(&admin, library);
    assert_eq!(status["updated"], 0, "{status}");
    assert_eq!(titles(&admin, "subkind=series"), ["Test Pattern"]);
    assert_eq!(titles(&admin, "subkind=audiobook"), ["Moby-Dick"]);
    assert_eq!(list(&admin.get("/items/subkinds")).len(), 8);
    let after: String = database
        .query_row(inspected, [], |row| row.get(0))
        .expect("times");
    assert_eq!(before, after);
}

#[test]
fn subkind_follows_files() {
    let (server, admin, library) = library_of(&[("Video/Film (1990).mkv", "1")]);
    assert_eq!(titles(&admin, "subkind=film"), ["Film"]);
    let folder = server.folder().join("media/Video");
    fs::create_dir(folder.join("Season 1")).expect("a folder");
    fs::rename(
        folder.join("Film (1990).mkv"),
        folder.join("Season 1/Film S01E01.mkv"),
    )
    .expect("a move");
    scan(&admin, library);
    assert_eq!(titles(&admin, "subkind=film&missing=false").len(), 0);
    let moved = items(&admin, "subkind=series");
    assert_eq!(moved.len(), 1, "{moved:?}");
    let item = admin
        .get(&format!("/items/{}", id_of(&moved[0])))
        .expect(200)
        .json();
    assert_eq!(item["files"][0]["season"], 1);
}

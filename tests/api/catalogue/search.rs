//! Search: results, order, access, and robustness against any query.

use std::fs;
use std::path::Path;

use ledge_core::db::open;
use ledge_tests::Client;
use ledge_tests::server::{scan, scanned_library, until};
use serde_json::{Value, json};

use crate::http::conventions::{has_keys, invalid, library_of, write};

const SHELF: &[(&str, &str)] = &[
    (
        "Books/Rowling, J. K. - Harry Potter and the Goblet of Fire (2000).epub",
        "1",
    ),
    (
        "Books/Potter, Beatrix - The Tale of Peter Rabbit (1902).epub",
        "2",
    ),
    ("Books/Grass, Günter - Die Blechtrommel (1959).epub", "3"),
    ("Books/potters-field/Vase.epub", "4"),
    ("Books/夏目漱石 - 吾輩は猫である.epub", "5"),
    ("Video/Spider-Man (2002)/Spider-Man (2002).mp4", "6"),
    (
        "Video/L’Été meurtrier (1983)/L’Été meurtrier (1983).mp4",
        "7",
    ),
    ("Games/Nova the Squirrel.nes", "8"),
];

pub(super) fn encoded(query: &str) -> String {
    let bytes: Vec<String> = query.bytes().map(|byte| format!("%{byte:02X}")).collect();
    bytes.concat()
}

#[track_caller]
pub(super) fn search(client: &Client, query: &str) -> Value {
    let found = client.get(&format!("/search?q={}", encoded(query)));
    let found = found.expect(200).json();
    has_keys(&found, "query total corrected suggestions groups");
    assert_eq!(found["query"], query);
    let groups = found["groups"].as_array().expect("groups");
    for group in groups {
        has_keys(group, "kind total items");
        let items = group["items"].as_array().expect("items");
        assert!(items.iter().all(|item| item["kind"] == group["kind"]));
    }
    let sum: u64 = groups
        .iter()
        .filter_map(|group| group["total"].as_u64())
        .sum();
    assert_eq!(found["total"], sum);
    found
}

/// Returns the titles found, kind by kind.
#[track_caller]
pub(super) fn titles(client: &Client, query: &str) -> Vec<String> {
    let found = search(client, query);
    let groups = found["groups"].as_array().expect("groups");
    let items = groups.iter().filter_map(|group| group["items"].as_array());
    items
        .flatten()
        .filter_map(|item| item["title"].as_str().map(str::to_owned))
        .collect()
}

#[test]
fn terms_match_parts_of_titles_paths_and_authors() {
    let (_server, admin, _) = library_of(SHELF);
    for (query, title) in [
        ("goblet", "Harry Potter and the Goblet of Fire"),
        ("GOBL", "Harry Potter and the Goblet of Fire"),
        ("oblet of", "Harry Potter and the Goblet of Fire"),
        ("rowl goblet", "Harry Potter and the Goblet of Fire"),
        ("trommel", "Die Blechtrommel"),
        ("gunter", "Die Blechtrommel"),
        ("guenter", "Die Blechtrommel"),
        ("Günter", "Die Blechtrommel"),
        ("tters-field", "Vase"),
        ("spiderman", "Spider-Man"),
        ("spider man", "Spider-Man"),
        ("spider-man", "Spider-Man"),
        ("l'ete", "L’Été meurtrier"),
        ("l’été", "L’Été meurtrier"),
        ("猫である", "吾輩は猫である"),
        ("漱石", "吾輩は猫である"),
        ("no sq", "Nova the Squirrel"),
    ] {
        assert_eq!(titles(&admin, query), [title], "{query}");
    }
    // A term of two letters matches only at the start of a word.
    assert_eq!(titles(&admin, "ov"), [""; 0]);
    assert_eq!(titles(&admin, "goblet squirrel"), [""; 0]);
}

#[test]
fn titles_precede_authors_and_authors_precede_paths() {
    let (_server, admin, _) = library_of(SHELF);
    assert_eq!(
        titles(&admin, "potter"),
        [
            "Harry Potter and the Goblet of Fire",
            "The Tale of Peter Rabbit",
            "Vase"
        ]
    );
}

#[test]
fn exact_title_precedes_whole_words_and_word_starts() {
    let shelf = [
        "Dunes of the North",
        "Sandune",
        "Dune Messiah",
        "Arrakis or Dune",
        "Dune",
    ];
    let names: Vec<String> = shelf.iter().map(|title| format!("{title}.epub")).collect();
    let files: Vec<(&str, &str)> = names
        .iter()
        .map(|name| (name.as_str(), name.as_str()))
        .collect();
    let (_server, admin, _) = library_of(&files);
    assert_eq!(
        titles(&admin, "dune"),
        [
            "Dune",
            "Dune Messiah",
            "Arrakis or Dune",
            "Dunes of the North",
            "Sandune"
        ]
    );
}

#[test]
fn groups_are_limited_but_totals_are_complete() {
    let names: Vec<String> = (1..=30).map(|n| format!("Volume {n}.epub")).collect();
    let mut files: Vec<(&str, &str)> = names
        .iter()
        .map(|name| (name.as_str(), name.as_str()))
        .collect();
    files.push(("Volume (1999)/Volume (1999).mp4", "film"));
    let (_server, admin, _) = library_of(&files);
    let count = |path: &str| -> Vec<(Value, Value, usize)> {
        let found = admin.get(path).expect(200).json();
        let groups = found["groups"].as_array().expect("groups").clone();
        let len = |group: &Value| group["items"].as_array().map_or(0, Vec::len);
        groups
            .iter()
            .map(|group| (group["kind"].clone(), group["total"].clone(), len(group)))
            .collect()
    };
    let all = count("/search?q=volume");
    assert_eq!(all.iter().map(|group| group.2).collect::<Vec<_>>(), [20, 1]);
    assert_eq!(all[0].1, 30);
    assert_eq!(count("/search?q=volume&limit=3")[0].2, 3);
    let kind = all[0].0.as_str().expect("a kind");
    let one = count(&format!("/search?q=volume&limit=500&kind={kind}"));
    assert_eq!(one, [(json!(kind), json!(30), 30)]);
    for limit in ["0", "501", "-1", "x", "99999999999999999999"] {
        invalid(&admin.get(&format!("/search?q=a&limit={limit}")), "limit");
    }
    invalid(&admin.get("/search?q=a&kind=nothing"), "kind");
    invalid(&admin.get("/search?kind=%00"), "kind");
}

#[test]
fn blank_query_finds_nothing() {
    let (_server, admin, _) = library_of(SHELF);
    for path in [
        "/search",
        "/search?q=",
        "/search?q=%20%09",
        "/search?q=%E3%80%80",
        "/search?q=-",
    ] {
        let found = admin.get(path).expect(200).json();
        assert_eq!(
            (&found["total"], &found["groups"]),
            (&json!(0), &json!([])),
            "{path}"
        );
    }
}

#[test]
fn arbitrary_query_is_no_error_and_changes_nothing() {
    let (_server, admin, _) = library_of(SHELF);
    let deep = "(".repeat(5_000);
    let long = "potter ".repeat(3_000);
    for query in [
        "\"",
        "\"\"",
        "'",
        "\"potter",
        "potter\"",
        "potter*",
        "*",
        "pott* OR",
        "NOT potter",
        "potter AND",
        "NEAR(potter, 2)",
        "title:potter",
        "{title}:potter",
        "-potter",
        "^potter",
        "a + b",
        "(",
        ")",
        "potter) OR (1",
        "'; DROP TABLE item; --",
        "%",
        "_",
        "\\",
        "\0",
        "pot\0ter",
        "\u{feff}",
        "\u{202e}potter",
        "🦊",
        "🏴\u{200d}☠️",
        "ﷺ",
        "%s%n",
        "{{7*7}}",
        "../../etc/passwd",
        "<script>",
        "!!!",
        "a",
        "1",
        "۱۲۳",
        "\u{0301}",
        "\u{ffff}",
        deep.as_str(),
        long.as_str(),
    ] {
        search(&admin, query);
    }
    for raw in [
        "%FF",
        "%C3%28",
        "a%80b",
        "%ED%A0%80",
        "%",
        "%2",
        "%zz",
        "a&b",
        "a=b",
        "+",
        "%F0%9F",
    ] {
        admin.get(&format!("/search?q={raw}")).expect(200);
    }
    for (query, last) in [
        ("q=a&q=goblet", "goblet"),
        ("q=goblet&%71=vase&limit=5", "vase"),
        ("q=vase&q=", ""),
        ("q=a&q=b&q=%FF&q=c", "c"),
    ] {
        let found = admin.get(&format!("/search?{query}")).expect(200).json();
        assert_eq!(found["query"], last, "{query}: the last one counts");
    }
    assert_eq!(titles(&admin, "goblet").len(), 1);
    invalid(&admin.get("/search?q=a&limit=1&limit=0"), "limit");
    admin.get("/search?q=a&limit=0&limit=1").expect(200);
    let thirty = encoded(&"é".repeat(10_000));
    admin.get(&format!("/search?q={thirty}")).expect(200);
    assert_eq!(titles(&admin, "goblet").len(), 1);
    assert_eq!(admin.get("/items").expect(200).json()["total"], SHELF.len());
}

#[test]
fn ungranted_library_is_not_searched() {
    let (server, admin, library) = library_of(SHELF);
    let other = server.folder().join("other");
    fs::create_dir(&other).expect("a folder");
    write(&other, "Potter in the Attic.epub", "9");
    let (other, _) = scanned_library(&admin, "Other", &other);
    let (user, mia) = server.user(&admin, "mia");
    assert_eq!(search(&mia, "potter")["total"], 0);
    let grant = |library: i64| format!("/libraries/{library}/grants/{user}");
    mia_may(&admin, &grant(other));
    assert_eq!(titles(&mia, "potter"), ["Potter in the Attic"]);
    mia_may(&admin, &grant(library));
    assert_eq!(search(&mia, "potter")["total"], 4);
    admin.delete(&grant(other)).expect(204);
    assert_eq!(search(&mia, "potter")["total"], 3);
    // An administrator needs a grant too.
    let own = admin.get("/auth/me").expect(200).json()["id"].clone();
    admin
        .delete(&format!("/libraries/{library}/grants/{own}"))
        .expect(204);
    assert_eq!(titles(&admin, "potter"), ["Potter in the Attic"]);
}

fn mia_may(admin: &Client, grant: &str) {
    admin.send("PUT", grant, &[], None).expect(204);
}

#[test]
fn whole_words_precede_parts_in_paths() {
    let (_server, admin, _) = library_of(&[
        ("Books/sandunes/Alpha.epub", "1"),
        ("Books/dunes/Beta.epub", "2"),
        ("Books/a dune/Gamma.epub", "3"),
    ]);
    assert_eq!(titles(&admin, "dune"), ["Gamma", "Beta", "Alpha"]);
    assert_eq!(titles(&admin, "dune books"), ["Gamma", "Beta", "Alpha"]);
}

#[test]
fn edited_and_unlocked_item_is_found_by_current_values() {
    let (_server, admin, _) = library_of(SHELF);
    let id = search(&admin, "vase")["groups"][0]["items"][0]["id"]
        .as_i64()
        .expect("an id");
    let edit = |body: &Value| {
        let answer = admin.patch(&format!("/items/{id}"), body);
        answer.expect(200);
    };
    edit(&json!({"title": "Quicksilver Amphora"}));
    assert_eq!(titles(&admin, "quicks"), ["Quicksilver Amphora"]);
    assert_eq!(titles(&admin, "icksil"), ["Quicksilver Amphora"]);
    // The name of the file is unchanged.
    assert_eq!(titles(&admin, "vase"), ["Quicksilver Amphora"]);
    edit(&json!({"authors": ["Ursula Zwicky", "Quentin"]}));
    assert_eq!(titles(&admin, "zwicky amphora"), ["Quicksilver Amphora"]);
    edit(&json!({"authors": ["Quentin"]}));
    assert_eq!(titles(&admin, "zwicky"), [""; 0]);
    edit(&json!({"unlock": ["title", "authors"]}));
    assert_eq!(titles(&admin, "quicksilver"), [""; 0]);
    assert_eq!(titles(&admin, "amphora"), [""; 0]);
    assert_eq!(titles(&admin, "quentin"), [""; 0]);
    assert_eq!(titles(&admin, "vase"), ["Vase"]);
}

#[test]
fn missing_renamed_or_deleted_item_is_not_found_by_old_values() {
    let (server, admin, library) = library_of(SHELF);
    let media = server.folder().join("media");
    let vase = media.join("Books/potters-field/Vase.epub");
    fs::rename(&vase, media.join("Books/potters-field/Amphora.epub")).expect("a new name");
    fs::remove_file(media.join("Games/Nova the Squirrel.nes")).expect("a removal");
    scan(&admin, library);
    assert_eq!(titles(&admin, "vase"), [""; 0]);
    assert_eq!(titles(&admin, "amphora"), ["Amphora"]);
    assert_eq!(titles(&admin, "squirrel"), [""; 0]);
    write(&media, "Games/Nova the Squirrel.nes", "8");
    scan(&admin, library);
    assert_eq!(titles(&admin, "squirrel"), ["Nova the Squirrel"]);
    admin.delete(&format!("/libraries/{library}")).expect(204);
    assert_eq!(search(&admin, "potter")["total"], 0);
}

#[test]
fn index_segments_of_many_scans_are_merged() {
    let (server, admin, library) = library_of(&[("Tides 0.epub", "0")]);
    let root = admin
        .get(&format!("/libraries/{library}"))
        .expect(200)
        .json();
    let root = Path::new(root["path"].as_str().expect("a path")).to_owned();
    // Each scan writes at least one segment, and a search looks into all of them.
    for number in 1..=8 {
        let name = format!("Tides {number}.epub");
        fs::write(root.join(name), format!("{number}")).expect("a book");
        assert_eq!(scan(&admin, library)["status"], "done");
    }
    let segments = || -> i64 {
        let database = open::inspected(&server.database()).expect("the database");
        let sql = "SELECT max((SELECT count(DISTINCT segid) FROM search_word_idx),
                              (SELECT count(DISTINCT segid) FROM search_infix_idx))";
        let segments = database.query_row(sql, [], |row| row.get(0));
        segments.expect("a number")
    };
    until("a merged index", || (segments() <= 6).then_some(()));
    assert_eq!(search(&admin, "tides")["total"], 9);
}

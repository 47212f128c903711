//! Typo-tolerant search: similar words, corrected queries, suggestions, and access.

use std::fs;

use ledge_core::db::open;
use ledge_tests::server::{scan, scanned_library, until};
use ledge_tests::{Client, Server};
use serde_json::{Value, json};

use super::search::{encoded, search, titles};
use crate::http::conventions::{invalid, library_of, write};

const SHELF: &[(&str, &str)] = &[
    ("Herbert, Frank - Dune (1965).epub", "1"),
    ("Shelley, Mary - Frankenstein (1818).epub", "2"),
    ("Grass, Günter - Die Blechtrommel (1959).epub", "3"),
    ("夏目漱石 - 吾輩は猫である.epub", "4"),
    ("Bradbury, Ray - Fahrenheit 451 (1953).epub", "5"),
    ("Poe, Edgar - Ravens (1845).epub", "6"),
    ("Orwell, George - Animal Farm (1945).epub", "7"),
];

/// Returns the corrected query and the suggestions.
#[track_caller]
fn corrected(client: &Client, query: &str) -> (Value, Value) {
    let found = search(client, query);
    let suggestions = found["suggestions"].as_array().expect("suggestions");
    assert!(suggestions.len() <= 3, "{found}");
    (found["corrected"].clone(), found["suggestions"].clone())
}

fn item_titled(client: &Client, title: &str) -> i64 {
    let found = search(client, title);
    let id = found["groups"][0]["items"][0]["id"].as_i64();
    id.unwrap_or_else(|| panic!("no {title} in {found}"))
}

#[test]
fn misspelled_terms_find_similar_words() {
    let (_server, admin, _) = library_of(SHELF);
    for (query, title, correction) in [
        ("dunne", "Dune", "dune"),
        ("dnue", "Dune", "dune"),
        ("dimes", "", ""),
        ("dane", "Dune", "dune"),
        ("DANE herbert", "Dune", "dune herbert"),
        ("herbret", "Dune", "herbert"),
        ("frankenstien", "Frankenstein", "frankenstein"),
        ("frnkenstien", "Frankenstein", "frankenstein"),
        ("frnkenstn", "", ""),
        ("blechtromel", "Die Blechtrommel", "blechtrommel"),
        ("gunthre", "", ""),
        ("gunterr", "Die Blechtrommel", "gunter"),
        ("gümter", "Die Blechtrommel", "gunter"),
        ("animla frm", "", ""),
        ("animla frams", "", ""),
        ("animla fram", "Animal Farm", "animal farm"),
        ("farenheit 451", "Fahrenheit 451", "fahrenheit 451"),
    ] {
        let (expected, correction) = if title.is_empty() {
            (vec![], Value::Null)
        } else {
            (vec![title.to_owned()], json!(correction))
        };
        assert_eq!(titles(&admin, query), expected, "{query}");
        assert_eq!(corrected(&admin, query).0, correction, "{query}");
    }
}

#[test]
fn terms_without_similar_words_stay_exact() {
    let (_server, admin, _) = library_of(SHELF);
    // Three letters, digits, ideographs, the loss of a first letter of four, and two edits of seven.
    for query in [
        "dun3e",
        "451a",
        "fahrenheit 452",
        "吾輩は描である",
        "xoe",
        "xpoe",
        "pravenz",
    ] {
        assert_eq!(titles(&admin, query), [""; 0], "{query}");
        assert_eq!(
            corrected(&admin, query),
            (Value::Null, json!([])),
            "{query}"
        );
    }
    // The first letter of longer terms may be superfluous.
    assert_eq!(titles(&admin, "xdune"), ["Dune"]);
}

#[test]
fn fuzzy_false_disables_similar_words() {
    let (_server, admin, _) = library_of(SHELF);
    let found = |fuzzy: &str| admin.get(&format!("/search?q=dunne&fuzzy={fuzzy}"));
    assert_eq!(found("true").expect(200).json()["total"], 1);
    let exact = found("false").expect(200).json();
    assert_eq!(
        (
            &exact["total"],
            &exact["groups"],
            &exact["corrected"],
            &exact["suggestions"]
        ),
        (&json!(0), &json!([]), &Value::Null, &json!([]))
    );
    assert!(
        [400, 422].contains(&found("maybe").status),
        "{:?}",
        found("maybe").status
    );
    let kind = "books";
    let of_kind = admin
        .get(&format!("/search?q=dunne&kind={kind}"))
        .expect(200)
        .json();
    assert_eq!(of_kind["total"], 1);
    let of_kind = admin.get("/search?q=dunne&kind=games").expect(200).json();
    assert_eq!(
        (&of_kind["total"], &of_kind["corrected"]),
        (&json!(0), &Value::Null)
    );
}

#[test]
fn similar_words_follow_exact_matches_and_count() {
    let (_server, admin, _) = library_of(&[
        ("Harry Poter.epub", "1"),
        ("Potter.epub", "2"),
        ("Poker.epub", "3"),
        ("Poters.epub", "4"),
    ]);
    let found = search(&admin, "poter");
    let order = titles(&admin, "poter");
    // Two exact matches: a word, and the start of a word.
    assert_eq!(order[..2], ["Harry Poter", "Poters"]);
    assert_eq!(order[2..], ["Poker", "Potter"]);
    assert_eq!(found["total"], 4);
    assert_eq!(found["groups"][0]["total"], 4);
    assert!(found["corrected"] == "potter" || found["corrected"] == "poker");
    let limited = admin.get("/search?q=poter&limit=3").expect(200).json();
    assert_eq!(
        limited["groups"][0]["items"].as_array().map(Vec::len),
        Some(3)
    );
    assert_eq!(limited["total"], 4);
}

#[test]
fn five_exact_matches_suffice() {
    let files: Vec<(String, String)> = (1..=5)
        .map(|n| (format!("Tide {n}.epub"), n.to_string()))
        .chain([("Time.epub".to_owned(), "9".to_owned())])
        .collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    let (server, admin, library) = library_of(&files);
    assert_eq!(search(&admin, "tide")["total"], 5);
    assert_eq!(corrected(&admin, "tide"), (Value::Null, json!([])));
    fs::remove_file(server.folder().join("media/Tide 1.epub")).expect("a removal");
    scan(&admin, library);
    assert_eq!(search(&admin, "tide")["total"], 5);
    assert_eq!(
        titles(&admin, "tide").last().map(String::as_str),
        Some("Time")
    );
    assert_eq!(corrected(&admin, "tide").0, "time");
}

#[test]
fn suggestions_are_other_queries_with_matches() {
    let (_server, admin, _) = library_of(&[
        ("Bone.epub", "1"),
        ("Cone.epub", "2"),
        ("Done.epub", "3"),
        ("Gone.epub", "4"),
        ("Hone.epub", "5"),
    ]);
    let (correction, suggestions) = corrected(&admin, "xone");
    let suggestions = suggestions.as_array().expect("suggestions");
    assert_eq!(suggestions.len(), 3);
    assert!(!suggestions.contains(&correction));
    for query in suggestions.iter().chain([&correction]) {
        let query = query.as_str().expect("a text");
        assert!(search(&admin, query)["total"].as_u64() > Some(0), "{query}");
    }
}

#[test]
fn people_and_series_belong_to_the_vocabulary() {
    let (_server, admin, _) = library_of(SHELF);
    let id = item_titled(&admin, "ravens");
    let edit = |body: &Value| admin.patch(&format!("/items/{id}"), body).expect(200);
    edit(&json!({"series": "Midnight Library", "authors": ["Quentin Zwicky"]}));
    for query in [
        "midnight",
        "midnigth",
        "librery midnihgt",
        "quentn",
        "zwikcy ravens",
    ] {
        assert_eq!(titles(&admin, query), ["Ravens"], "{query}");
    }
    edit(&json!({"series": null, "authors": ["Edgar Poe"]}));
    for query in ["midnight", "midnigth", "quentn"] {
        assert_eq!(titles(&admin, query), [""; 0], "{query}");
        assert_eq!(corrected(&admin, query), (Value::Null, json!([])));
    }
}

#[test]
fn missing_items_have_no_words() {
    let (server, admin, library) = library_of(SHELF);
    assert_eq!(corrected(&admin, "ravesn").0, "ravens");
    let file = server.folder().join("media").join(SHELF[5].0);
    fs::remove_file(&file).expect("a removal");
    scan(&admin, library);
    assert_eq!(titles(&admin, "ravesn"), [""; 0]);
    assert_eq!(corrected(&admin, "ravesn"), (Value::Null, json!([])));
    write(&server.folder().join("media"), SHELF[5].0, SHELF[5].1);
    scan(&admin, library);
    assert_eq!(corrected(&admin, "ravesn").0, "ravens");
    admin.delete(&format!("/libraries/{library}")).expect(204);
    assert_eq!(corrected(&admin, "ravesn"), (Value::Null, json!([])));
}

/// Starts a server with two libraries. Mia may see only the second one.
fn two_libraries() -> (Server, Client, Client) {
    let (server, admin, _) = library_of(&[
        ("Quixote.epub", "1"),
        ("Ravens.epub", "2"),
        ("Smith, John - Falcon.epub", "3"),
        ("Hone.epub", "4"),
    ]);
    let other = server.folder().join("other");
    fs::create_dir(&other).expect("a folder");
    for (name, content) in [
        ("Ravine.epub", "11"),
        ("Cone.epub", "12"),
        ("Smyth, Ann - Owl.epub", "13"),
    ] {
        write(&other, name, content);
    }
    let (other, _) = scanned_library(&admin, "Other", &other);
    let id = item_titled(&admin, "falcon");
    admin
        .patch(&format!("/items/{id}"), &json!({"series": "Zephyrs"}))
        .expect(200);
    let (user, mia) = server.user(&admin, "mia");
    let grant = format!("/libraries/{other}/grants/{user}");
    admin.send("PUT", &grant, &[], None).expect(204);
    (server, admin, mia)
}

#[test]
fn words_of_invisible_libraries_never_correct_suggest_or_count() {
    let (_server, admin, mia) = two_libraries();
    let nothing = (Value::Null, json!([]));
    for query in ["quixoet", "falcno", "zephyrz", "ravenz"] {
        assert_ne!(corrected(&admin, query).0, Value::Null, "{query}");
        assert_eq!(search(&mia, query)["total"], 0, "{query}");
        assert_eq!(corrected(&mia, query), nothing, "{query}");
    }
    // The correction and its alternatives contain visible words only.
    assert_eq!(corrected(&mia, "xone"), (json!("cone"), json!([])));
    assert_eq!(search(&mia, "xone")["total"], 1);
    assert_eq!(search(&admin, "xone")["total"], 2);
    assert_eq!(corrected(&mia, "smath"), (json!("smyth"), json!([])));
    assert_eq!(titles(&mia, "smath"), ["Owl"]);
    // An exact invisible match does not count among the five.
    assert_eq!(titles(&mia, "hone"), ["Cone"]);
}

#[test]
fn database_of_an_older_version_gets_its_vocabulary() {
    let (mut server, admin, _) = library_of(SHELF);
    let id = item_titled(&admin, "ravens");
    admin
        .patch(&format!("/items/{id}"), &json!({"series": "Midnight"}))
        .expect(200);
    server.terminate();
    forget_vocabulary(&server);
    server.restart();
    until("the words of all items", || {
        (corrected(&admin, "ravesn").0 == "ravens" && corrected(&admin, "herbret").0 == "herbert")
            .then_some(())
    });
    assert_eq!(titles(&admin, "midnihgt"), ["Ravens"]);
}

/// Removes the words of all items, as if the database came from an older version.
fn forget_vocabulary(server: &Server) {
    let database = open::writable(&server.database()).expect("the database");
    database
        .execute_batch(
            "DELETE FROM search_vocabulary;
             INSERT INTO search_backlog (id, next_item) SELECT 1, max(id) FROM item;",
        )
        .expect("an older state");
}

#[test]
fn misspelled_query_with_signs_is_no_error() {
    let (_server, admin, _) = library_of(SHELF);
    for query in [
        "dunne*",
        "\"dunne\"",
        "-dunne",
        "dunne OR",
        "NEAR(dunne, 2)",
        "title:dunne",
        "dun\u{ad}ne",
    ] {
        let path = format!("/search?q={}", encoded(query));
        admin.get(&path).expect(200);
    }
    invalid(&admin.get("/search?q=dunne&limit=0"), "limit");
    assert_eq!(titles(&admin, "frankenstien-dune"), [""; 0]);
    assert_eq!(titles(&admin, "animla-farm"), ["Animal Farm"]);
}

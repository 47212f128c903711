//! People and series: lists, counts and access.

use std::fs;

use ledge_tests::Client;
use ledge_tests::server::{all_items, scanned_library};
use serde_json::json;

use crate::http::conventions::{has_keys, invalid, library_of, page, write};

const SHELF: &[(&str, &str)] = &[
    ("Books/Austen, Jane - Emma (1815).epub", "1"),
    ("Books/Austen, Jane - Persuasion (1817).epub", "2"),
    ("Books/Čapek, Karel - R.U.R. (1920).epub", "3"),
    ("Books/Verne, Jules - Nord contre Sud (1887).epub", "4"),
];

fn listed(client: &Client, path: &str) -> Vec<(String, i64)> {
    let answer = client.get(path);
    let items = page(&answer);
    assert_eq!(answer.json()["total"], items.len(), "{path}");
    let row = |item: &serde_json::Value| {
        has_keys(item, "id name items");
        (
            item["name"].as_str().expect("a name").to_owned(),
            item["items"].as_i64().expect("a number"),
        )
    };
    items.iter().map(row).collect()
}

#[test]
fn people_counts_match_item_lists() {
    let (server, admin, _) = library_of(SHELF);
    let people = listed(&admin, "/people");
    assert_eq!(people.len(), 3, "{people:?}");
    assert!(people.is_sorted_by_key(|(name, _)| name.to_lowercase()));
    for person in page(&admin.get("/people")) {
        let items = all_items(&admin, &format!("/items?author={}", person["id"]));
        assert_eq!(person["items"], items.len(), "{person}");
    }
    assert_eq!(listed(&admin, "/people?q=AUST")[0].1, 2);
    assert_eq!(listed(&admin, "/people?q=capek").len(), 1);
    assert_eq!(listed(&admin, "/people?q=%C4%8CAPEK%20karel").len(), 1);
    for nothing in ["nobody", "%25", "%00x", "%FF", "%22", "austen%20verne"] {
        assert_eq!(
            listed(&admin, &format!("/people?q={nothing}")),
            [],
            "{nothing}"
        );
    }
    let (user, mia) = server.user(&admin, "mia");
    assert_eq!(listed(&mia, "/people"), []);
    let other = server.folder().join("other");
    fs::create_dir(&other).expect("a folder");
    write(&other, "Austen, Jane - Sanditon (1817).epub", "5");
    let (other, _) = scanned_library(&admin, "Other", &other);
    let grant = format!("/libraries/{other}/grants/{user}");
    admin.send("PUT", &grant, &[], None).expect(204);
    assert_eq!(listed(&mia, "/people").len(), 1);
    assert_eq!(listed(&mia, "/people?q=austen")[0].1, 1);
    assert_eq!(listed(&admin, "/people?q=austen")[0].1, 3);
    admin.delete(&grant).expect(204);
    assert_eq!(listed(&mia, "/people"), []);
}

#[test]
fn series_counts_match_item_lists() {
    let (_server, admin, _) = library_of(&[
        ("Audiobooks/Pratchett, Terry/Discworld/01 - Mort.m4b", "1"),
        ("Books/Pratchett, Terry/Discworld/01 - Mort.epub", "1"),
        ("Books/Pratchett, Terry/Discworld/02 - Sourcery.epub", "2"),
    ]);
    let all = page(&admin.get("/series"));
    assert!(!all.is_empty());
    for series in &all {
        let items = all_items(&admin, &format!("/items?series={}", series["id"]));
        assert_eq!(series["items"], items.len(), "{series}");
        assert_ne!(items.len(), 0);
        let kind = items[0]["kind"].as_str().expect("a kind");
        let of_kind = page(&admin.get(&format!("/series?kind={kind}")));
        assert!(of_kind.contains(series), "{of_kind:?}");
    }
    assert_eq!(page(&admin.get("/series?q=discw")).len(), all.len());
    assert_eq!(
        admin.get("/series?q=nothing").expect(200).json()["items"],
        json!([])
    );
    assert_eq!(page(&admin.get("/series?kind=games")).len(), 0);
    invalid(&admin.get("/series?kind=nothing"), "kind");
}

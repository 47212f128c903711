//! Items: fields of lists and details, and the order, filters and pages of lists.

use std::collections::BTreeSet;
use std::fs;

use ledge_tests::Client;
use ledge_tests::server::{all_items, scan, scanned_library};
use serde_json::{Value, json};

use crate::http::conventions::{has_keys, id_of, is_time, library_of, list, page, refused, write};

pub(crate) const CARD: &str = "id library_id kind subkind title display_title badges year authors cover missing added_at duration pages size \
     released favourite rating progress plays plays_reason";
const DETAIL: &str = "backdrop logo details description people provider_ids missing_since views continue_file_id files facts \
    series_id sources locked genres genre_ids language tags work";
const FILE: &str = "id name path size mtime mime viewer missing missing_since container vcodec \
    acodec width height duration probed_at unit extent part season episode last_episode title chapters streams \
    progress content_url favourite rating plays played_at";

/// Files that make sorting difficult: articles, accents, case, numbers, years, authors.
const SHELF: &[(&str, &str)] = &[
    ("Books/Zola, Emile - Nana (1880).epub", "1"),
    ("Books/Austen, Jane - The Watsons (1805).epub", "2"),
    ("Books/Austen, Jane - Emma (1815).epub", "3"),
    ("Books/Verne, Jules - volume 10 (1874).epub", "4"),
    ("Books/Verne, Jules - Volume 2 (1870).epub", "5"),
    ("Books/Hugo, Victor - Éden (1862).epub", "6"),
    ("Books/1984.epub", "7"),
    ("Audio/Bach/Goldberg Variations/01 - Aria.mp3", "8"),
    ("Audio/Bach/Goldberg Variations/02 - Variatio.mp3", "9"),
    ("Video/Metropolis (1927)/Metropolis (1927).mp4", "10"),
    ("Games/Nova the Squirrel.nes", "11"),
];

fn titles(items: &[Value]) -> Vec<&str> {
    let title = |item: &Value| item["title"].as_str().map(str::len);
    assert!(items.iter().all(|item| title(item).is_some()));
    items
        .iter()
        .filter_map(|item| item["title"].as_str())
        .collect()
}

fn ids(items: &[Value]) -> Vec<i64> {
    items.iter().map(id_of).collect()
}

fn titled(client: &Client, title: &str) -> Value {
    let items = all_items(client, "/items");
    let found = items.into_iter().find(|item| item["title"] == title);
    let id = id_of(&found.unwrap_or_else(|| panic!("no {title}")));
    client.get(&format!("/items/{id}")).expect(200).json()
}

#[test]
fn cards_details_and_files_have_every_field() {
    let (_server, admin, library) = library_of(SHELF);
    let cards = page(&admin.get("/items"));
    assert_eq!(cards.len(), 10);
    for card in &cards {
        has_keys(card, CARD);
        is_time(&card["added_at"]);
        assert_eq!(card["library_id"], library);
        assert_eq!(
            (&card["missing"], &card["favourite"], &card["progress"]),
            (&json!(false), &json!(false), &Value::Null)
        );
        let detail = admin
            .get(&format!("/items/{}", card["id"]))
            .expect(200)
            .json();
        has_keys(&detail, &format!("{CARD} {DETAIL}"));
        for (key, value) in card.as_object().expect("a card") {
            assert_eq!(&detail[key], value, "{key}");
        }
        assert_eq!(
            (&detail["views"], &detail["missing_since"]),
            (&json!(0), &Value::Null)
        );
        assert!(detail["facts"].is_object() && detail["provider_ids"].is_object());
        for person in detail["people"].as_array().expect("people") {
            has_keys(person, "id name role character portrait");
        }
        for file in detail["files"].as_array().expect("files") {
            has_keys(file, FILE);
            is_time(&file["mtime"]);
            let content = format!("/api/v1/files/{}/content", file["id"]);
            assert_eq!(file["content_url"], content);
            assert!(file["chapters"].is_array() && file["streams"].is_array());
            let unit = file["unit"].as_str().expect("a unit");
            assert!(
                ["page", "section", "second", "none"].contains(&unit),
                "{unit}"
            );
        }
    }
}

#[test]
fn item_has_values_from_names() {
    let (_server, admin, _) = library_of(SHELF);
    let emma = titled(&admin, "Emma");
    assert_eq!(
        (&emma["kind"], &emma["year"]),
        (&json!("books"), &json!(1815))
    );
    assert!(
        emma["authors"]
            .as_str()
            .is_some_and(|text| text.contains("Austen")),
        "{emma}"
    );
    let file = &emma["files"][0];
    assert_eq!(file["path"], "Books/Austen, Jane - Emma (1815).epub");
    assert_eq!(file["name"], "Austen, Jane - Emma (1815).epub");
    assert_eq!((&file["size"], &file["part"]), (&json!(1), &Value::Null));
    assert_eq!(
        (&file["mime"], &file["viewer"]),
        (&json!("application/epub+zip"), &json!("epub"))
    );
    let album = titled(&admin, "Goldberg Variations");
    let parts: Vec<_> = album["files"]
        .as_array()
        .expect("files")
        .iter()
        .map(|file| (file["part"].clone(), file["name"].clone()))
        .collect();
    assert_eq!(
        parts,
        [
            (json!(1), json!("01 - Aria.mp3")),
            (json!(2), json!("02 - Variatio.mp3"))
        ]
    );
    let unknown = titled(&admin, "1984");
    assert_eq!(
        (&unknown["authors"], &unknown["description"]),
        (&json!(""), &Value::Null)
    );
}

#[test]
fn titles_are_sorted_naturally() {
    let (_server, admin, _) = library_of(SHELF);
    let expected = [
        "1984",
        "Éden",
        "Emma",
        "Goldberg Variations",
        "Metropolis",
        "Nana",
        "Nova the Squirrel",
        "Volume 2",
        "volume 10",
        "The Watsons",
    ];
    for query in ["", "?sort=title", "?sort=title&order=asc"] {
        let items = page(&admin.get(&format!("/items{query}")));
        assert_eq!(titles(&items), expected, "{query}");
    }
    let backwards = page(&admin.get("/items?order=desc"));
    assert!(
        titles(&backwards)
            .into_iter()
            .eq(expected.into_iter().rev())
    );
}

#[test]
fn every_order_is_sorted_by_its_key_in_both_directions() {
    let (_server, admin, _) = library_of(SHELF);
    for sort in ["title", "added", "year", "author", "series"] {
        let up = page(&admin.get(&format!("/items?sort={sort}")));
        let mut down = page(&admin.get(&format!("/items?sort={sort}&order=desc")));
        down.reverse();
        assert_eq!(ids(&up), ids(&down), "{sort}");
        let key = |item: &Value| match sort {
            "added" => item["added_at"].as_str().map(str::to_owned),
            "year" => item["year"].as_i64().map(|year| format!("{year:05}")),
            // Items without author are not sorted by author.
            "author" => item["authors"]
                .as_str()
                .filter(|text| !text.is_empty())
                .map(str::to_owned),
            _ => None,
        };
        let keys: Vec<String> = up.iter().filter_map(key).collect();
        assert!(keys.is_sorted(), "{sort}: {keys:?}");
        assert_eq!(
            keys.is_empty(),
            ["title", "series"].contains(&sort),
            "{sort}"
        );
    }
}

#[test]
fn shuffle_is_stable_per_seed() {
    let (_server, admin, _) = library_of(SHELF);
    let shuffled = |seed: i64| {
        ids(&page(
            &admin.get(&format!("/items?sort=random&seed={seed}")),
        ))
    };
    let all: BTreeSet<i64> = ids(&page(&admin.get("/items"))).into_iter().collect();
    let orders: BTreeSet<Vec<i64>> = (0..8)
        .map(|seed| {
            let order = shuffled(seed);
            assert_eq!(order, shuffled(seed), "{seed}");
            assert_eq!(order.iter().copied().collect::<BTreeSet<_>>(), all);
            order
        })
        .collect();
    assert!(orders.len() > 4, "{orders:?}");
}

#[test]
fn pages_combine_to_whole_list() {
    let (_server, admin, library) = library_of(SHELF);
    for query in [
        "/items?sort=title",
        "/items?sort=added",
        "/items?sort=year&order=desc",
        "/items?sort=author",
        "/items?sort=series",
        "/items?sort=random&seed=7",
        "/items?kind=books",
        "/items?state=unstarted&favourite=false",
        &format!("/libraries/{library}/items?missing=false"),
    ] {
        let whole = page(&admin.get(query));
        let mark = if query.contains('?') { '&' } else { '?' };
        let mut together = Vec::new();
        for offset in (0..12).step_by(3) {
            let answer = admin.get(&format!("{query}{mark}offset={offset}&limit=3"));
            together.extend(page(&answer));
            assert_eq!(answer.json()["total"], whole.len(), "{query}");
        }
        assert_eq!(ids(&together), ids(&whole), "{query}");
        assert!(!whole.is_empty(), "{query}");
    }
}

#[test]
fn letters_have_offsets_in_list() {
    let (_server, admin, library) = library_of(SHELF);
    let letter = |letter: &str, offset: u64| json!({"letter": letter, "offset": offset});
    let all = [
        letter("#", 0),
        letter("E", 1),
        letter("G", 3),
        letter("M", 4),
        letter("N", 5),
        letter("V", 7),
        letter("W", 9),
    ];
    for query in [
        "",
        "?missing=false",
        &format!("?library={library}"),
        "?state=unstarted",
    ] {
        assert_eq!(
            list(&admin.get(&format!("/items/letters{query}"))),
            all,
            "{query}"
        );
    }
    assert_eq!(
        list(&admin.get("/items/letters?kind=games")),
        [letter("N", 0)]
    );
    assert_eq!(
        list(&admin.get("/items/letters?kind=books&favourite=false")),
        [
            letter("#", 0),
            letter("E", 1),
            letter("N", 3),
            letter("V", 4),
            letter("W", 6)
        ]
    );
    let none: [Value; 0] = [];
    for query in [
        "?missing=true",
        "?library=98765",
        "?state=finished",
        "?favourite=true",
    ] {
        assert_eq!(
            list(&admin.get(&format!("/items/letters{query}"))),
            none,
            "{query}"
        );
    }
}

#[test]
fn filters_apply_to_lists_and_totals() {
    let (server, admin, first) = library_of(SHELF);
    let other = server.folder().join("other");
    write(&other, "Austen, Jane - Emma (1815).epub", "another copy");
    let (second, _) = scanned_library(&admin, "Other", &other);
    let emma = titled(&admin, "Emma");
    let author = id_of(&emma["people"][0]);
    for (query, total) in [
        (String::new(), 11),
        ("kind=books".to_owned(), 8),
        ("kind=audio".to_owned(), 1),
        ("kind=sheets".to_owned(), 0),
        (format!("library={first}"), 10),
        (format!("library={second}"), 1),
        (format!("library={second}&kind=games"), 0),
        ("library=98765".to_owned(), 0),
        (format!("author={author}"), 3),
        (format!("author={author}&library={first}"), 2),
        ("author=98765".to_owned(), 0),
        ("series=98765".to_owned(), 0),
        ("favourite=true".to_owned(), 0),
        ("favourite=false".to_owned(), 11),
        ("missing=true".to_owned(), 0),
        ("missing=false".to_owned(), 11),
        ("state=unstarted".to_owned(), 11),
        ("state=started".to_owned(), 0),
        ("state=finished".to_owned(), 0),
    ] {
        let answer = admin.get(&format!("/items?{query}"));
        assert_eq!(page(&answer).len(), total, "{query}");
        assert_eq!(answer.json()["total"], total, "{query}");
    }
    let (mia, client) = server.user(&admin, "mia");
    admin
        .put(
            &format!("/users/{mia}/libraries"),
            &json!({"library_ids": [second]}),
        )
        .expect(204);
    for (query, total) in [
        (String::new(), 1),
        (format!("library={first}"), 0),
        (format!("library={second}"), 1),
        (format!("author={author}"), 1),
        ("kind=games".to_owned(), 0),
    ] {
        let answer = client.get(&format!("/items?{query}"));
        assert_eq!(page(&answer).len(), total, "{query}");
        assert_eq!(answer.json()["total"], total, "{query}");
    }
}

#[test]
fn items_of_library_equal_items_filtered_by_library() {
    let (server, admin, first) = library_of(SHELF);
    let other = server.folder().join("other");
    write(&other, "Dracula.epub", "blood");
    let (second, _) = scanned_library(&admin, "Other", &other);
    for query in [
        "sort=title",
        "kind=books&order=desc",
        "sort=year&limit=2&offset=1",
    ] {
        for id in [first, second] {
            let of_library = admin.get(&format!("/libraries/{id}/items?{query}"));
            let narrowed = admin.get(&format!("/items?{query}&library={id}"));
            assert_eq!(of_library.expect(200).json(), narrowed.expect(200).json());
        }
    }
    // The path determines the library. The parameter does not override it.
    let both = admin.get(&format!("/libraries/{second}/items?library={first}"));
    assert_eq!(titles(&page(&both)), ["Dracula"]);
}

#[test]
fn missing_item_stays_in_lists_with_time() {
    let (server, admin, id) = library_of(SHELF);
    let before = titled(&admin, "Emma");
    let media = server.folder().join("media");
    fs::remove_file(media.join("Books/Austen, Jane - Emma (1815).epub")).expect("gone");
    scan(&admin, id);
    let after = titled(&admin, "Emma");
    assert_eq!(
        (&after["id"], &after["missing"]),
        (&before["id"], &json!(true))
    );
    is_time(&after["missing_since"]);
    let file = &after["files"][0];
    assert_eq!(
        (&file["missing"], &file["id"]),
        (&json!(true), &before["files"][0]["id"])
    );
    is_time(&file["missing_since"]);
    for (query, total) in [("", 10), ("?missing=true", 1), ("?missing=false", 9)] {
        assert_eq!(
            page(&admin.get(&format!("/items{query}"))).len(),
            total,
            "{query}"
        );
    }
    assert_eq!(
        list(&admin.get("/items/letters?missing=true")),
        [json!({"letter": "E", "offset": 0})]
    );
}

#[test]
fn user_without_grant_learns_nothing_about_item() {
    let (server, admin, _) = library_of(SHELF);
    let (_, client) = server.user(&admin, "mia");
    let id = id_of(&titled(&admin, "Emma"));
    let hidden = client.get(&format!("/items/{id}"));
    refused(&hidden, 404, "not_found");
    assert_eq!(hidden.body, client.get("/items/98765").body);
    assert_eq!(page(&client.get("/items")), [] as [Value; 0]);
}

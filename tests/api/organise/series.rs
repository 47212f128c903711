//! Series: numbers, gaps, the next item, and the shelf *Up next*.

use std::fs;

use ledge_tests::server::{scan, scanned_library};
use ledge_tests::{Client, Server};
use serde_json::{Value, json};

use crate::catalogue::items::CARD;
use crate::http::conventions::{has_keys, id_of, invalid, library_of, page, refused, write};

const BOOKS: &[(&str, &str)] = &[
    ("A.epub", "1"),
    ("B.epub", "2"),
    ("C.epub", "3"),
    ("D.epub", "4"),
    ("E.epub", "5"),
    ("Other.epub", "6"),
];

/// Numbers of the books in the series.
const NUMBERS: [(&str, Option<f64>); 5] = [
    ("A", None),
    ("B", Some(7.0)),
    ("C", Some(2.0)),
    ("D", Some(3.5)),
    ("E", Some(4.0)),
];

struct Shelf {
    server: Server,
    admin: Client,
    library: i64,
    series: i64,
}

impl Shelf {
    fn new() -> Self {
        let (server, admin, library) = library_of(BOOKS);
        for (title, index) in NUMBERS {
            number(&admin, title, "Saga", index);
        }
        let series = id_of(&page(&admin.get("/series"))[0]);
        Self {
            server,
            admin,
            library,
            series,
        }
    }

    fn detail(&self, client: &Client) -> Value {
        let detail = client.get(&format!("/series/{}", self.series)).expect(200);
        let detail = detail.json();
        has_keys(&detail, "id name kind items gaps next");
        detail
    }

    /// Returns the title of the next item.
    fn next(&self) -> Option<String> {
        let next = &self.detail(&self.admin)["next"];
        next["title"].as_str().map(str::to_owned)
    }

    fn up_next(&self) -> Vec<(String, String)> {
        up_next(&self.admin)
    }
}

fn item(client: &Client, title: &str) -> i64 {
    let items = page(&client.get("/items"));
    let found = items.iter().find(|item| item["title"] == title);
    id_of(found.unwrap_or_else(|| panic!("no {title}")))
}

/// Gives an item a number in a series.
fn number(admin: &Client, title: &str, series: &str, index: Option<f64>) {
    let path = format!("/items/{}", item(admin, title));
    let body = json!({"series": {"name": series, "index": index}});
    admin.patch(&path, &body).expect(200);
}

fn start(client: &Client, title: &str) {
    let path = format!("/items/{}/progress", item(client, title));
    client.put(&path, &json!({"position": 1})).expect(200);
}

fn finish(client: &Client, title: &str) {
    let path = format!("/items/{}/mark", item(client, title));
    client.post(&path, &json!({"finished": true})).expect(200);
}

fn reset(client: &Client, title: &str) {
    let path = format!("/items/{}/progress", item(client, title));
    client.delete(&path).expect(204);
}

/// Returns the titles of *Up next* with the names of their series.
fn up_next(client: &Client) -> Vec<(String, String)> {
    let home = client.get("/home").expect(200).json();
    let cards = home["up_next"].as_array().expect("cards").iter();
    let titles = cards.map(|entry| {
        has_keys(entry, "item series");
        has_keys(&entry["item"], CARD);
        has_keys(&entry["series"], "id name");
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        (
            text(&entry["item"]["title"]),
            text(&entry["series"]["name"]),
        )
    });
    let titles: Vec<_> = titles.collect();
    let going_on = home["continue"].as_array().expect("cards");
    let is_shown = |card: &Value| {
        let title = &card["item"]["title"];
        titles.iter().any(|(next, _)| *title == **next)
    };
    assert!(!going_on.iter().any(is_shown), "{home}");
    titles
}

/// An empty shelf.
const NONE: [(String, String); 0] = [];

fn of_saga(title: &str) -> (String, String) {
    (title.to_owned(), "Saga".to_owned())
}

#[test]
fn items_without_number_are_listed_by_year() {
    let (_server, admin, _) = library_of(BOOKS);
    for (title, year) in [
        ("A", Some(2001)),
        ("B", Some(1999)),
        ("C", None),
        ("D", Some(1999)),
    ] {
        number(&admin, title, "Saga", None);
        let path = format!("/items/{}", item(&admin, title));
        admin.patch(&path, &json!({ "year": year })).expect(200);
    }
    let series = format!("/series/{}", id_of(&page(&admin.get("/series"))[0]));
    let items = page(&admin.get(&format!("{series}/items")));
    let titles: Vec<&str> = items
        .iter()
        .map(|item| item["title"].as_str().expect("a title"))
        .collect();
    assert_eq!(titles, ["B", "D", "A", "C"]);
    for finished in titles {
        let detail = admin.get(&series).expect(200).json();
        assert_eq!(detail["next"]["title"], finished);
        finish(&admin, finished);
    }
}

#[test]
fn items_are_listed_by_number_with_unnumbered_last() {
    let shelf = Shelf::new();
    let path = format!("/series/{}/items", shelf.series);
    let items = page(&shelf.admin.get(&path));
    let numbered: Vec<(&str, Option<f64>)> = items
        .iter()
        .map(|item| {
            has_keys(item, &format!("{CARD} series_index"));
            let title = item["title"].as_str().expect("a title");
            (title, item["series_index"].as_f64())
        })
        .collect();
    assert_eq!(numbered, [2, 3, 4, 1, 0].map(|n| NUMBERS[n]));
    for (offset, limit, titles) in [
        (0, 2, vec!["C", "D"]),
        (3, 2, vec!["B", "A"]),
        (4, 9, vec!["A"]),
        (5, 9, vec![]),
    ] {
        let window = format!("{path}?offset={offset}&limit={limit}");
        let window = shelf.admin.get(&window).expect(200).json();
        assert_eq!(window["total"], 5);
        let items = window["items"].as_array().expect("items").iter();
        let found: Vec<&str> = items.filter_map(|item| item["title"].as_str()).collect();
        assert_eq!(found, titles, "{offset} {limit}");
    }
    invalid(&shelf.admin.get(&format!("{path}?limit=501")), "limit");
}

#[test]
fn series_has_count_gaps_and_next() {
    let shelf = Shelf::new();
    let detail = shelf.detail(&shelf.admin);
    assert_eq!(detail["id"], shelf.series);
    assert_eq!(
        (&detail["name"], &detail["kind"]),
        (&json!("Saga"), &json!("books"))
    );
    assert_eq!(
        (&detail["items"], &detail["gaps"]),
        (&json!(5), &json!([3, 5, 6]))
    );
    has_keys(&detail["next"], CARD);
    number(&shelf.admin, "B", "Saga", Some(500.0));
    let gaps = shelf.detail(&shelf.admin)["gaps"].clone();
    let gaps = gaps.as_array().expect("gaps");
    assert_eq!(
        (gaps.len(), &gaps[0], &gaps[99]),
        (100, &json!(3), &json!(103))
    );
}

#[test]
fn next_is_newest_started_then_after_finished_then_first() {
    let shelf = Shelf::new();
    let is_next = |title: &str| assert_eq!(shelf.next().as_deref(), Some(title));
    is_next("C");
    finish(&shelf.admin, "E");
    is_next("B");
    start(&shelf.admin, "D");
    is_next("D");
    start(&shelf.admin, "A");
    is_next("A");
    start(&shelf.admin, "D");
    is_next("D");
    for title in ["A", "B"] {
        finish(&shelf.admin, title);
    }
    is_next("D");
    finish(&shelf.admin, "D");
    is_next("C");
    finish(&shelf.admin, "C");
    assert_eq!(shelf.next(), None);
    // Progress belongs to one user.
    let (mia_id, mia) = shelf.server.user(&shelf.admin, "mia");
    let grant = format!("/libraries/{}/grants/{mia_id}", shelf.library);
    shelf.admin.send("PUT", &grant, &[], None).expect(204);
    assert_eq!(shelf.detail(&mia)["next"]["title"], "C");
}

#[test]
fn missing_item_is_no_gap_and_not_next() {
    let shelf = Shelf::new();
    let path = shelf.server.folder().join("media/C.epub");
    fs::remove_file(&path).expect("gone");
    scan(&shelf.admin, shelf.library);
    let detail = shelf.detail(&shelf.admin);
    assert_eq!(
        (&detail["items"], &detail["gaps"]),
        (&json!(5), &json!([3, 5, 6]))
    );
    assert_eq!(detail["next"]["title"], "D");
}

#[test]
fn only_visible_items_count() {
    let shelf = Shelf::new();
    let (mia_id, mia) = shelf.server.user(&shelf.admin, "mia");
    let other = shelf.server.folder().join("other");
    for name in ["F.epub", "G.epub"] {
        write(&other, name, name);
    }
    let (library, _) = scanned_library(&shelf.admin, "Other", &other);
    for (title, index) in [("F", 5.0), ("G", 9.0)] {
        number(&shelf.admin, title, "Saga", Some(index));
    }
    let paths = [
        format!("/series/{}", shelf.series),
        format!("/series/{}/items", shelf.series),
    ];
    let is_absent = || {
        for path in &paths {
            let absent = mia.get(&path.replace(&shelf.series.to_string(), "987654321"));
            let hidden = mia.get(path);
            refused(&hidden, 404, "not_found");
            assert_eq!(hidden.body, absent.body);
        }
    };
    is_absent();
    let grant = format!("/libraries/{library}/grants/{mia_id}");
    shelf.admin.send("PUT", &grant, &[], None).expect(204);
    let detail = shelf.detail(&mia);
    assert_eq!(
        (&detail["items"], &detail["gaps"]),
        (&json!(2), &json!([6, 7, 8]))
    );
    assert_eq!(detail["next"]["title"], "F");
    let items = mia.get(&paths[1]).expect(200).json();
    assert_eq!(items["total"], 2);
    assert_eq!(items["items"].as_array().map(Vec::len), Some(2));
    // Progress in the hidden library is not a reason for the shelf.
    finish(&mia, "F");
    assert_eq!(up_next(&mia), [of_saga("G")]);
    shelf.admin.delete(&grant).expect(204);
    is_absent();
    assert_eq!(up_next(&mia), NONE);
    let grant = format!("/libraries/{}/grants/{mia_id}", shelf.library);
    shelf.admin.send("PUT", &grant, &[], None).expect(204);
    assert_eq!(up_next(&mia), NONE);
    assert_eq!(shelf.detail(&mia)["next"]["title"], "C");
}

#[test]
fn up_next_needs_finished_and_no_started_item() {
    let shelf = Shelf::new();
    assert_eq!(shelf.up_next(), NONE);
    start(&shelf.admin, "C");
    assert_eq!(shelf.up_next(), NONE);
    finish(&shelf.admin, "C");
    assert_eq!(shelf.up_next(), [of_saga("D")]);
    start(&shelf.admin, "B");
    assert_eq!(shelf.up_next(), NONE);
    reset(&shelf.admin, "B");
    assert_eq!(shelf.up_next(), [of_saga("D")]);
    for title in ["D", "E", "B"] {
        finish(&shelf.admin, title);
    }
    assert_eq!(shelf.up_next(), [of_saga("A")]);
    finish(&shelf.admin, "A");
    assert_eq!(shelf.up_next(), NONE);
    let series = &shelf.admin.get("/home").expect(200).json()["up_next"];
    assert_eq!(*series, json!([]));
}

#[test]
fn items_added_since_the_last_finish_come_first() {
    let shelf = Shelf::new();
    for name in ["X1.epub", "X2.epub", "Y1.epub"] {
        write(&shelf.server.folder().join("media"), name, name);
    }
    scan(&shelf.admin, shelf.library);
    for (title, series, index) in [("X1", "X", 1.0), ("X2", "X", 2.0), ("Y1", "Y", 1.0)] {
        number(&shelf.admin, title, series, Some(index));
    }
    let up_next = || -> Vec<String> {
        let titles = shelf.up_next().into_iter();
        titles.map(|(title, _)| title).collect()
    };
    for title in ["Y1", "C", "X1"] {
        finish(&shelf.admin, title);
    }
    assert_eq!(up_next(), ["X2", "D"], "the latest finish first");
    write(&shelf.server.folder().join("media"), "Y2.epub", "Y2");
    scan(&shelf.admin, shelf.library);
    number(&shelf.admin, "Y2", "Y", Some(2.0));
    assert_eq!(up_next(), ["Y2", "X2", "D"]);
}

#[test]
fn up_next_has_at_most_twenty_entries() {
    let (server, admin, library) = library_of(&[("A.epub", "a")]);
    let media = server.folder().join("media");
    for n in 0..50 {
        write(&media, &format!("Book {n:02}.epub"), format!("{n}"));
    }
    scan(&admin, library);
    for n in 0..50 {
        let series = format!("Series {}", n / 2);
        number(
            &admin,
            &format!("Book {n:02}"),
            &series,
            Some(f64::from(n % 2)),
        );
    }
    for n in (0..50).step_by(2) {
        finish(&admin, &format!("Book {n:02}"));
    }
    let shown = up_next(&admin);
    assert_eq!(shown.len(), 20);
    assert_eq!(shown[0].0, "Book 49");
}

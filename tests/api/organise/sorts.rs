//! Orders by rating, last played, duration, pages, size and release: items without a value come
//! last.

use std::fs;

use ledge_fixtures::{AudioTags, EpubSpec};
use ledge_tests::server::{all_items, scan, scanned_library};
use ledge_tests::{Client, Server};
use serde_json::{Value, json};

use crate::catalogue::books::comic;
use crate::http::conventions::{id_of, write};

const SORTS: [&str; 6] = [
    "rating",
    "last_played",
    "duration",
    "pages",
    "size",
    "released",
];

struct Shelf {
    server: Server,
    admin: Client,
    library: i64,
}

fn song(album: &str, number: u32) -> Vec<u8> {
    ledge_fixtures::mp3(&AudioTags {
        title: format!("Track {number}"),
        artist: "Paper Orchestra".to_owned(),
        album: album.to_owned(),
        track: Some((number, 2)),
        ..AudioTags::default()
    })
}

/// Returns a book with the date in its description.
fn dated(title: &str, date: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>
         <FictionBook xmlns=\"http://www.gribuser.ru/xml/fictionbook/2.0\"><description><title-info>
         <book-title>{title}</book-title><date value=\"{date}\">{date}</date></title-info>
         </description><body><section><p>Text.</p></section></body></FictionBook>"
    )
}

/// Creates a library of nine items. Two of them have a duration, one has pages, and four have a
/// date or a year.
fn shelf() -> Shelf {
    let server = Server::start();
    let media = server.folder().join("media");
    let year_only = ledge_fixtures::epub(&EpubSpec {
        title: "Delta".to_owned(),
        year: Some(1999),
        ..EpubSpec::default()
    });
    for (name, bytes) in [
        ("Alpha/01.mp3", song("Alpha", 1)),
        ("Alpha/02.mp3", song("Alpha", 2)),
        ("Beta/01.mp3", song("Beta", 1)),
        ("comic.cbz", comic()),
        ("autumn.fb2", dated("Autumn", "1999-11-02").into_bytes()),
        ("spring.fb2", dated("Spring", "1999-05-04").into_bytes()),
        ("delta.epub", year_only),
        ("Zulu.nes", b"same".to_vec()),
        ("Yankee.nes", b"size".to_vec()),
        ("Xray.nes", b"four".to_vec()),
    ] {
        write(&media, name, bytes);
    }
    let admin = server.admin();
    let (library, status) = scanned_library(&admin, "Media", &media);
    assert_eq!(status["status"], "done", "{status}");
    Shelf {
        server,
        admin,
        library,
    }
}

impl Shelf {
    fn titled(&self, title: &str) -> Value {
        let items = all_items(&self.admin, "/items");
        let found = items.iter().find(|item| item["title"] == title);
        let id = id_of(found.unwrap_or_else(|| panic!("no {title}")));
        self.admin.get(&format!("/items/{id}")).expect(200).json()
    }

    fn id(&self, title: &str) -> i64 {
        id_of(&self.titled(title))
    }

    fn rate(&self, client: &Client, title: &str, rating: u8) {
        let path = format!("/items/{}/rating", self.id(title));
        let body = json!({ "rating": rating }).to_string();
        let headers = [("Content-Type", "application/json")];
        client
            .send("PUT", &path, &headers, Some(body.as_bytes()))
            .expect(204);
    }

    fn play(&self, client: &Client, title: &str) {
        let item = self.titled(title);
        let body = json!({ "file_id": item["files"][0]["id"], "position": 0 }).to_string();
        let headers = [("Content-Type", "application/json")];
        let path = format!("/items/{}/progress", item["id"]);
        client
            .send("PUT", &path, &headers, Some(body.as_bytes()))
            .expect(200);
    }
}

fn titles(client: &Client, query: &str) -> Vec<String> {
    let items = all_items(client, &format!("/items?{query}"));
    let title = |item: &Value| item["title"].as_str().expect("a title").to_owned();
    items.iter().map(title).collect()
}

/// Returns the value of a card that an order compares, as text of a fixed width.
fn value(card: &Value, sort: &str) -> Option<String> {
    match sort {
        "last_played" => card["progress"]["updated_at"].as_str().map(str::to_owned),
        // An unknown month comes before January.
        "released" => card["released"].as_str().map(str::to_owned),
        name => card[name].as_i64().map(|number| format!("{number:020}")),
    }
}

/// Returns the titles in the order of the contract.
fn expected(client: &Client, sort: &str, is_descending: bool) -> Vec<String> {
    let cards = all_items(client, "/items");
    let mut rows: Vec<_> = cards
        .iter()
        .map(|card| {
            let title = card["title"].as_str().expect("a title").to_owned();
            (value(card, sort), title, id_of(card))
        })
        .collect();
    rows.sort_by(|(a, a_title, a_id), (b, b_title, b_id)| {
        let by_value = match (a, b) {
            (Some(a), Some(b)) if is_descending => b.cmp(a),
            (Some(a), Some(b)) => a.cmp(b),
            _ => a.is_none().cmp(&b.is_none()),
        };
        by_value.then_with(|| (a_title, a_id).cmp(&(b_title, b_id)))
    });
    rows.into_iter().map(|(_, title, _)| title).collect()
}

#[test]
fn items_without_value_come_last_in_both_orders_and_ties_are_sorted_by_title() {
    let shelf = shelf();
    let admin = &shelf.admin;
    for (title, rating) in [("Zulu", 5), ("Alpha", 5), ("Delta", 10), ("Spring", 1)] {
        shelf.rate(admin, title, rating);
    }
    for title in ["Spring", "Alpha", "Zulu"] {
        shelf.play(admin, title);
    }
    for sort in SORTS {
        for (order, is_descending) in [("asc", false), ("desc", true)] {
            let expected = expected(admin, sort, is_descending);
            assert_eq!(expected.len(), 9);
            for query in [
                format!("sort={sort}&order={order}"),
                format!("sort={sort}&order={order}&library={}", shelf.library),
            ] {
                assert_eq!(titles(admin, &query), expected, "{query}");
            }
            for offset in 0..9 {
                let path = format!(
                    "/libraries/{}/items?sort={sort}&order={order}&offset={offset}&limit=2",
                    shelf.library
                );
                let page = admin.get(&path).expect(200).json();
                assert_eq!(page["total"], 9);
                let found = page["items"].as_array().expect("items");
                let found = found.iter().map(|card| card["title"].as_str());
                let wanted = expected.iter().skip(offset).take(2);
                assert!(found.eq(wanted.map(|title| Some(title.as_str()))), "{path}");
            }
        }
    }
    assert_eq!(
        titles(admin, "sort=rating&order=desc")[..4],
        ["Delta", "Alpha", "Zulu", "Spring"]
    );
    assert_eq!(
        titles(admin, "sort=last_played&order=desc")[..3],
        ["Zulu", "Alpha", "Spring"]
    );
    assert_eq!(
        titles(admin, "sort=rating&order=desc&state=started"),
        ["Alpha", "Zulu", "Spring"]
    );
    assert_eq!(
        titles(admin, "sort=size&kind=games&subkind=nes&order=desc"),
        ["Xray", "Yankee", "Zulu"]
    );
}

#[test]
fn totals_are_sums_of_present_files() {
    let shelf = shelf();
    let sum = |item: &Value, field: &str| -> i64 {
        let files = item["files"].as_array().expect("files").iter();
        let present = files.filter(|file| file["missing"] == false);
        present.filter_map(|file| file[field].as_i64()).sum()
    };
    let alpha = shelf.titled("Alpha");
    assert_eq!(alpha["files"].as_array().map(Vec::len), Some(2));
    assert!(sum(&alpha, "extent") >= 2);
    assert_eq!(alpha["duration"], sum(&alpha, "extent"));
    assert_eq!(alpha["size"], sum(&alpha, "size"));
    assert_eq!(alpha["pages"], Value::Null);
    let comic = shelf.titled("In the Fog");
    assert_eq!(
        (&comic["pages"], &comic["duration"]),
        (&json!(3), &Value::Null)
    );
    // Sections of a text do not count as pages.
    let delta = shelf.titled("Delta");
    assert_eq!(
        (&delta["pages"], &delta["duration"]),
        (&Value::Null, &Value::Null)
    );

    let media = shelf.server.folder().join("media");
    fs::remove_file(media.join("Alpha/02.mp3")).expect("gone");
    assert_eq!(scan(&shelf.admin, shelf.library)["status"], "done");
    let shorter = shelf.titled("Alpha");
    assert_eq!(shorter["size"], sum(&shorter, "size"));
    assert_eq!(shorter["duration"], sum(&shorter, "extent"));
    assert!(shorter["size"].as_i64() < alpha["size"].as_i64());

    // A missing item keeps the totals of its files.
    fs::remove_file(media.join("Alpha/01.mp3")).expect("gone");
    assert_eq!(scan(&shelf.admin, shelf.library)["status"], "done");
    let missing = shelf.titled("Alpha");
    assert_eq!(
        (&missing["missing"], &missing["size"]),
        (&json!(true), &alpha["size"])
    );

    write(&media, "Beta/02.mp3", song("Beta", 2));
    assert_eq!(scan(&shelf.admin, shelf.library)["status"], "done");
    let beta = shelf.titled("Beta");
    assert_eq!(beta["files"].as_array().map(Vec::len), Some(2));
    assert_eq!(beta["duration"], sum(&beta, "extent"));
    assert_eq!(beta["size"], sum(&beta, "size"));
}

#[test]
fn release_is_the_date_of_the_file_or_the_year() {
    let shelf = shelf();
    for (title, released) in [
        ("Autumn", json!("1999-11-02")),
        ("Spring", json!("1999-05-04")),
        ("Delta", json!("1999")),
        ("Zulu", Value::Null),
    ] {
        assert_eq!(shelf.titled(title)["released"], released, "{title}");
    }
    let query = "sort=released&year_from=1999&year_to=1999";
    assert_eq!(titles(&shelf.admin, query), ["Delta", "Spring", "Autumn"]);
    let descending = format!("{query}&order=desc");
    assert_eq!(
        titles(&shelf.admin, &descending),
        ["Autumn", "Spring", "Delta"]
    );
    // A year that a user enters replaces the date of the file.
    let path = format!("/items/{}", shelf.id("Autumn"));
    for (year, released) in [
        (json!(1987), json!("1987")),
        (Value::Null, Value::Null),
        (json!(1999), json!("1999-11-02")),
    ] {
        let item = shelf.admin.patch(&path, &json!({ "year": year }));
        assert_eq!(item.expect(200).json()["released"], released, "{year}");
    }
}

#[test]
fn ratings_and_times_of_others_and_invisible_items_have_no_effect() {
    let shelf = shelf();
    let attic = shelf.server.folder().join("attic");
    write(&attic, "Secret.nes", "secret");
    let (attic, _) = scanned_library(&shelf.admin, "Attic", &attic);
    let (mia_id, mia) = shelf.server.user(&shelf.admin, "mia");
    let grant = |library: i64, method: &str| {
        let path = format!("/libraries/{library}/grants/{mia_id}");
        shelf.admin.send(method, &path, &[], None).expect(204);
    };
    grant(shelf.library, "PUT");
    grant(attic, "PUT");
    for (client, title) in [(&mia, "Secret"), (&mia, "Yankee"), (&shelf.admin, "Zulu")] {
        shelf.rate(client, title, 9);
        shelf.play(client, title);
    }
    let first = |sort: &str| titles(&mia, &format!("sort={sort}&order=desc"));
    assert_eq!(first("rating")[..3], ["Secret", "Yankee", "Alpha"]);
    assert_eq!(first("last_played")[..3], ["Yankee", "Secret", "Alpha"]);
    grant(attic, "DELETE");
    for sort in SORTS {
        let seen = first(sort);
        assert_eq!(
            (seen.len(), seen.contains(&"Secret".to_owned())),
            (9, false)
        );
        assert_eq!(seen, expected(&mia, sort, true), "{sort}");
        let none = mia.get(&format!("/items?sort={sort}&library={attic}"));
        assert_eq!(none.expect(200).json()["total"], 0);
    }
    grant(shelf.library, "DELETE");
    for sort in SORTS {
        assert_eq!(first(sort), Vec::<String>::new());
    }
}

#[test]
fn rule_compares_the_numbers_that_cards_show() {
    let shelf = shelf();
    let found = |field: &str, op: &str, value: &Value| -> Vec<i64> {
        let rule = json!({"all": [{"field": field, "op": op, "value": value}]});
        let page = shelf
            .admin
            .post("/collections/preview", &json!({ "rule": rule }));
        let page = page.expect(200).json();
        let items = page["items"].as_array().expect("items").iter();
        items.map(id_of).collect()
    };
    let cards = all_items(&shelf.admin, "/items");
    for (field, known) in [("duration", 2), ("pages", 1), ("size", 9)] {
        let with_value = cards.iter().filter(|card| card[field].is_i64());
        let with_value: Vec<(i64, &Value)> =
            with_value.map(|card| (id_of(card), &card[field])).collect();
        assert_eq!(with_value.len(), known, "{field}");
        for (id, value) in &with_value {
            assert!(found(field, "is", value).contains(id), "{field} {value}");
            assert!(
                !found(field, "greater", value).contains(id),
                "{field} {value}"
            );
            let range = json!([value, value]);
            assert!(found(field, "between", &range).contains(id), "{field}");
        }
        assert_eq!(found(field, "greater", &json!(-1)).len(), known, "{field}");
        let others = cards.len() - found(field, "is", with_value[0].1).len();
        assert_eq!(found(field, "is_not", with_value[0].1).len(), others);
    }
}

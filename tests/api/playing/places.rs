//! Progress of users: storage, order by time, rejection, and restoring.

use std::fs;

use ledge_tests::server::scan;
use ledge_tests::{Answer, Client};
use serde_json::{Value, json};

use crate::http::conventions::{
    has_keys, id_of, invalid, is_time, library_of, list, page, refused,
};

const PLACE: &str = "file_id position extent fraction finished locator within updated_at";
const SAVED: &str = "applied item_fraction item_finished continue_file_id";
const CARD: &str =
    "file_id position extent fraction finished updated_at item_fraction item_finished";

const SHELF: &[(&str, &str)] = &[
    ("Emma.epub", "1"),
    ("Nana.epub", "2"),
    ("Bach/Goldberg/01 - Aria.mp3", "3"),
    ("Bach/Goldberg/02 - Variatio.mp3", "4"),
    ("Bach/Goldberg/03 - Quodlibet.mp3", "5"),
];

/// Returns an item by its title, and the ids of its files.
fn titled(client: &Client, title: &str) -> (i64, Vec<i64>) {
    let items = page(&client.get("/items"));
    let card = items.iter().find(|item| item["title"] == title);
    let id = id_of(card.unwrap_or_else(|| panic!("no {title} in {items:?}")));
    let detail = detail(client, id);
    let files = detail["files"].as_array().expect("files");
    (id, files.iter().map(id_of).collect())
}

fn detail(client: &Client, item: i64) -> Value {
    client.get(&format!("/items/{item}")).expect(200).json()
}

fn put(client: &Client, item: i64, body: &Value) -> Answer {
    client.put(&format!("/items/{item}/progress"), body)
}

fn save(client: &Client, item: i64, body: &Value) -> Value {
    let saved = put(client, item, body).expect(200).json();
    has_keys(&saved, &format!("{PLACE} {SAVED}"));
    is_time(&saved["updated_at"]);
    saved
}

fn places(client: &Client, item: i64) -> Vec<Value> {
    list(&client.get(&format!("/items/{item}/progress")))
}

fn past(client: &Client, item: i64, query: &str) -> Vec<Value> {
    let past = list(&client.get(&format!("/items/{item}/progress/history{query}")));
    for place in &past {
        has_keys(place, &format!("{PLACE} id replaced_at"));
        is_time(&place["replaced_at"]);
    }
    past
}

fn positions(places: &[Value]) -> Vec<i64> {
    let position = |place: &Value| place["position"].as_i64().expect("a number");
    places.iter().map(position).collect()
}

#[test]
fn progress_is_stored_and_shown_everywhere() {
    let (_server, admin, _) = library_of(SHELF);
    let (emma, files) = titled(&admin, "Emma");
    assert_eq!(places(&admin, emma), [] as [Value; 0]);
    let saved = save(&admin, emma, &json!({"position": 7, "locator": "p:nth(3)"}));
    assert_eq!(
        (&saved["file_id"], &saved["position"], &saved["locator"]),
        (&json!(files[0]), &json!(7), &json!("p:nth(3)"))
    );
    // Such a file has no known extent.
    assert_eq!(
        (&saved["extent"], &saved["fraction"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(
        (&saved["finished"], &saved["applied"]),
        (&json!(false), &json!(true))
    );
    let kept = places(&admin, emma);
    assert_eq!(kept.len(), 1);
    has_keys(&kept[0], PLACE);
    for (key, value) in kept[0].as_object().expect("a place") {
        assert_eq!(&saved[key], value, "{key}");
    }
    let detail = detail(&admin, emma);
    assert_eq!(detail["files"][0]["progress"], kept[0]);
    assert_eq!(detail["continue_file_id"], files[0]);
    has_keys(&detail["progress"], CARD);
    assert_eq!(detail["progress"]["position"], 7);
    assert_eq!(detail["progress"]["updated_at"], saved["updated_at"]);
    let cards = page(&admin.get("/items?state=started"));
    assert_eq!((cards.len(), id_of(&cards[0])), (1, emma));
    assert_eq!(cards[0]["progress"], detail["progress"]);
    assert_eq!(page(&admin.get("/items?state=unstarted")).len(), 2);
}

#[test]
fn invalid_progress_is_refused_with_field_name() {
    let (_server, admin, _) = library_of(SHELF);
    let (emma, _) = titled(&admin, "Emma");
    let (_, others) = titled(&admin, "Nana");
    let (album, _) = titled(&admin, "Goldberg");
    for (item, body, field) in [
        (emma, json!({}), "position"),
        (emma, json!({"position": -1}), "position"),
        (emma, json!({"position": 1.5}), "position"),
        (emma, json!({"position": "1"}), "position"),
        (emma, json!({"position": null}), "position"),
        (emma, json!({"position": 1, "finished": 1}), "finished"),
        (
            emma,
            json!({"position": 1, "file_id": others[0]}),
            "file_id",
        ),
        (emma, json!({"position": 1, "file_id": 98765}), "file_id"),
        (emma, json!({"position": 1, "file_id": "x"}), "file_id"),
        (album, json!({"position": 1}), "file_id"),
        (emma, json!({"position": 1, "locator": 5}), "locator"),
        (
            emma,
            json!({"position": 1, "locator": "é".repeat(513)}),
            "locator",
        ),
        (
            emma,
            json!({"position": 1, "recorded_at": "yesterday"}),
            "recorded_at",
        ),
        (emma, json!({"position": 1, "user_id": 2}), "user_id"),
    ] {
        invalid(&put(&admin, item, &body), field);
    }
    assert_eq!(places(&admin, emma), [] as [Value; 0]);
    save(
        &admin,
        emma,
        &json!({"position": 0, "locator": "é".repeat(512)}),
    );
    for (path, field) in [("history?late=x", "late"), ("history?before=x", "before")] {
        invalid(&admin.get(&format!("/items/{emma}/progress/{path}")), field);
    }
}

#[test]
fn stale_progress_changes_nothing_and_is_kept_in_history() {
    let (_server, admin, _) = library_of(SHELF);
    let (emma, _) = titled(&admin, "Emma");
    let write = |position: i64, recorded: &str| {
        save(
            &admin,
            emma,
            &json!({"position": position, "recorded_at": recorded}),
        )
    };
    let first = write(40, "2026-01-02T00:00:00Z");
    assert_eq!(first["updated_at"], "2026-01-02T00:00:00.000000Z");
    let late = write(3, "2026-01-01T23:59:59.999999Z");
    assert_eq!(late["applied"], false);
    assert_eq!(
        (&late["position"], &late["updated_at"]),
        (&first["position"], &first["updated_at"])
    );
    assert_eq!(past(&admin, emma, ""), [] as [Value; 0]);
    // A repeated one is still late.
    write(3, "2026-01-01T23:59:59.999999Z");
    let kept = past(&admin, emma, "?late=true");
    assert_eq!(positions(&kept), [3]);
    // At equal times, the later arrival counts.
    let equal = write(41, "2026-01-02T01:00:00+01:00");
    assert_eq!(
        (&equal["applied"], &equal["position"]),
        (&json!(true), &json!(41))
    );
    assert_eq!(positions(&past(&admin, emma, "")), [40]);
    // A repetition overwrites nothing.
    assert_eq!(write(41, "2026-01-02T00:00:00Z")["applied"], true);
    assert_eq!(positions(&past(&admin, emma, "")), [40]);
    // A future time becomes the current time.
    let future = write(42, "2999-01-01T00:00:00Z");
    assert!(future["updated_at"].as_str().expect("a time") < "2999");
    assert_eq!(
        save(&admin, emma, &json!({"position": 43}))["applied"],
        true
    );
    let restored = admin
        .send(
            "POST",
            &format!("/items/{emma}/progress/history/{}/restore", kept[0]["id"]),
            &[],
            None,
        )
        .expect(200)
        .json();
    assert_eq!(
        (&restored["position"], &restored["applied"]),
        (&json!(3), &json!(true))
    );
    assert_eq!(positions(&past(&admin, emma, "")), [43, 42, 41, 40]);
}

#[test]
fn last_fifty_overwritten_positions_are_listed_and_restorable() {
    let (_server, admin, _) = library_of(SHELF);
    let (emma, _) = titled(&admin, "Emma");
    for position in 0..=60 {
        save(
            &admin,
            emma,
            &json!({"position": position, "locator": format!("at {position}")}),
        );
    }
    let newest = past(&admin, emma, "");
    assert_eq!(positions(&newest), (10..60).rev().collect::<Vec<_>>());
    let older = past(&admin, emma, &format!("?before={}", newest[49]["id"]));
    assert_eq!(positions(&older), (0..10).rev().collect::<Vec<_>>());
    let restore = |entry: &Value| {
        let path = format!("/items/{emma}/progress/history/{entry}/restore");
        admin.send("POST", &path, &[], None)
    };
    let back = restore(&older[4]["id"]).expect(200).json();
    has_keys(&back, &format!("{PLACE} {SAVED}"));
    assert_eq!(
        (&back["position"], &back["locator"]),
        (&json!(5), &json!("at 5"))
    );
    assert!(back["updated_at"].as_str() > newest[0]["updated_at"].as_str());
    assert_eq!(positions(&places(&admin, emma)), [5]);
    let after = past(&admin, emma, "");
    assert_eq!(positions(&after[..2]), [60, 59]);
    for entry in [json!(98765), json!("x"), json!("-1")] {
        refused(&restore(&entry), 404, "not_found");
    }
    let id = after[0]["id"].to_string();
    for entry in [format!("+{id}"), format!("00{id}"), "x".to_owned()] {
        let path = format!("/items/{emma}/progress/history/{entry}/restore");
        refused(&admin.send("POST", &path, &[], None), 404, "not_found");
    }
    // An entry belongs to one item.
    let (nana, _) = titled(&admin, "Nana");
    let path = format!("/items/{nana}/progress/history/{}/restore", after[0]["id"]);
    refused(&admin.send("POST", &path, &[], None), 404, "not_found");
}

#[test]
fn item_of_parts_continues_with_next_and_ends_with_last() {
    let (server, admin, library) = library_of(SHELF);
    let (album, files) = titled(&admin, "Goldberg");
    let part = |n: usize, position: i64, finished: bool| {
        let body = json!({"file_id": files[n], "position": position, "finished": finished});
        save(&admin, album, &body)
    };
    let goes_on = |file: Option<i64>, fraction: f64| {
        let detail = detail(&admin, album);
        assert_eq!(detail["continue_file_id"], json!(file));
        assert_eq!(detail["progress"]["item_fraction"], fraction);
        assert_eq!(detail["progress"]["item_finished"], file.is_none());
    };
    let first = part(0, 30, true);
    assert_eq!(
        (&first["fraction"], &first["item_finished"]),
        (&json!(1.0), &json!(false))
    );
    assert_eq!(first["continue_file_id"], files[1]);
    goes_on(Some(files[1]), 1.0 / 3.0);
    part(1, 9, false);
    goes_on(Some(files[1]), 1.0 / 3.0);
    // A missing part is skipped, and counts again with its file.
    let track = server
        .folder()
        .join("media/Bach/Goldberg/02 - Variatio.mp3");
    fs::rename(&track, server.folder().join("away")).expect("gone");
    scan(&admin, library);
    goes_on(Some(files[2]), 1.0 / 3.0);
    fs::rename(server.folder().join("away"), &track).expect("back");
    scan(&admin, library);
    goes_on(Some(files[1]), 1.0 / 3.0);
    part(2, 9, true);
    goes_on(None, 1.0);
    assert_eq!(page(&admin.get("/items?state=finished")).len(), 1);
    assert_eq!(page(&admin.get("/items?state=started")).len(), 0);
    // A further part makes the item unfinished again.
    fs::write(track.with_file_name("04 - Da capo.mp3"), "6").expect("a file");
    scan(&admin, library);
    let (_, more) = titled(&admin, "Goldberg");
    goes_on(Some(more[3]), 0.5);
    assert_eq!(positions(&places(&admin, album)), [9, 9, 30]);
}

#[test]
fn item_without_progress_is_unstarted_and_progress_is_restorable() {
    let (_server, admin, _) = library_of(SHELF);
    let (album, files) = titled(&admin, "Goldberg");
    for (n, file) in files.iter().enumerate() {
        save(
            &admin,
            album,
            &json!({"file_id": file, "position": n, "finished": true}),
        );
    }
    for _ in 0..2 {
        admin
            .delete(&format!("/items/{album}/progress"))
            .expect(204);
        assert_eq!(places(&admin, album), [] as [Value; 0]);
        let detail = detail(&admin, album);
        assert_eq!(
            (&detail["progress"], &detail["continue_file_id"]),
            (&Value::Null, &Value::Null)
        );
        assert_eq!(page(&admin.get("/items?state=unstarted")).len(), 3);
        assert_eq!(page(&admin.get("/history")), [] as [Value; 0]);
    }
    let kept = past(&admin, album, "");
    assert_eq!(positions(&kept), [2, 1, 0]);
    let path = format!("/items/{album}/progress/history/{}/restore", kept[0]["id"]);
    admin.send("POST", &path, &[], None).expect(200);
    assert_eq!(page(&admin.get("/items?state=finished")).len(), 1);
}

#[test]
fn history_has_one_entry_per_item_newest_first() {
    let (_server, admin, _) = library_of(SHELF);
    let [(emma, _), (nana, _), (album, files)] =
        ["Emma", "Nana", "Goldberg"].map(|title| titled(&admin, title));
    save(&admin, album, &json!({"file_id": files[0], "position": 1}));
    save(&admin, emma, &json!({"position": 2, "finished": true}));
    save(&admin, nana, &json!({"position": 3}));
    save(&admin, album, &json!({"file_id": files[1], "position": 4}));
    let answer = admin.get("/history");
    let entries = page(&answer);
    assert_eq!(answer.json()["total"], 3);
    let items: Vec<i64> = entries.iter().map(|entry| id_of(&entry["item"])).collect();
    assert_eq!(items, [album, nana, emma]);
    for entry in &entries {
        has_keys(entry, "item file_id progress");
        has_keys(&entry["progress"], CARD);
        assert_eq!(entry["file_id"], entry["progress"]["file_id"]);
        assert_eq!(entry["item"]["progress"], entry["progress"]);
    }
    assert_eq!(entries[0]["file_id"], files[1]);
    assert_eq!(entries[2]["progress"]["finished"], true);
    let one = page(&admin.get("/history?offset=1&limit=1"));
    assert_eq!((one.len(), id_of(&one[0]["item"])), (1, nana));
}

#[test]
fn favourites_and_views_are_counted_once_per_user() {
    let (server, admin, library) = library_of(SHELF);
    let (emma, _) = titled(&admin, "Emma");
    let (mia, client) = server.user(&admin, "mia");
    admin
        .send(
            "PUT",
            &format!("/libraries/{library}/grants/{mia}"),
            &[],
            None,
        )
        .expect(204);
    let favourite = format!("/items/{emma}/favourite");
    for _ in 0..2 {
        let answer = admin.send("PUT", &favourite, &[], None).expect(204);
        assert_eq!(answer.body, b"");
        assert_eq!(detail(&admin, emma)["favourite"], true);
    }
    assert_eq!(page(&admin.get("/items?favourite=true")).len(), 1);
    assert_eq!(page(&admin.get("/items?favourite=false")).len(), 2);
    assert_eq!(page(&client.get("/items?favourite=true")).len(), 0);
    for n in 1..=3 {
        let path = format!("/items/{emma}/view");
        let views = admin.send("POST", &path, &[], None).expect(200).json();
        assert_eq!(views, json!({"views": n}));
    }
    assert_eq!(detail(&admin, emma)["views"], 3);
    assert_eq!(detail(&client, emma)["views"], 0);
    for _ in 0..2 {
        admin.delete(&favourite).expect(204);
        assert_eq!(detail(&admin, emma)["favourite"], false);
    }
}

#[test]
fn progress_is_private_and_hidden_without_grant() {
    let (server, admin, library) = library_of(SHELF);
    let (emma, _) = titled(&admin, "Emma");
    let (mia, client) = server.user(&admin, "mia");
    let grant = format!("/libraries/{library}/grants/{mia}");
    admin.send("PUT", &grant, &[], None).expect(204);
    for position in [1, 2] {
        save(&client, emma, &json!({"position": position}));
    }
    let entry = past(&client, emma, "")[0]["id"].clone();
    assert_eq!(places(&admin, emma), [] as [Value; 0]);
    assert_eq!(past(&admin, emma, ""), [] as [Value; 0]);
    assert_eq!(detail(&admin, emma)["progress"], Value::Null);
    assert_eq!(page(&admin.get("/history")), [] as [Value; 0]);
    let restore = format!("/items/{emma}/progress/history/{entry}/restore");
    refused(&admin.send("POST", &restore, &[], None), 404, "not_found");
    admin.delete(&format!("/items/{emma}/progress")).expect(204);
    assert_eq!(positions(&places(&client, emma)), [2]);

    admin.delete(&grant).expect(204);
    let item = format!("/items/{emma}");
    for (method, path) in [
        ("GET", "/progress"),
        ("PUT", "/progress"),
        ("DELETE", "/progress"),
        ("GET", "/progress/history"),
        ("PUT", "/favourite"),
        ("DELETE", "/favourite"),
        ("POST", "/view"),
    ] {
        let answer = client.send(method, &format!("{item}{path}"), &[], None);
        refused(&answer, 404, "not_found");
        let absent = client.send(method, &format!("/items/98765{path}"), &[], None);
        assert_eq!(answer.body, absent.body, "{method} {path}");
    }
    refused(&client.send("POST", &restore, &[], None), 404, "not_found");
    assert_eq!(client.get("/history").expect(200).json()["total"], 0);
    admin.send("PUT", &grant, &[], None).expect(204);
    assert_eq!(positions(&places(&client, emma)), [2]);
}

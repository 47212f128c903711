//! Files of documents: both digests, several files, unknown and hidden ones, and adoption.

use std::fs;

use serde_json::json;

use super::{book, grant, hex, partial, world};

const PLACE: &str = "/body/DocFragment[3]/body/section/p[4]/text().5";

#[test]
fn file_is_found_by_its_content_or_by_its_name() {
    let world = world();
    let by_content = partial(&book("Harbour"));
    let by_name = hex(b"harbour.epub");
    world.device.sync(&by_content, PLACE, 0.6);
    assert_eq!(world.place("Harbour")["position"], 2);
    let found = world.device.get(&by_name);
    assert_eq!(found["progress"], PLACE);
    assert_eq!(found["document"], by_name.as_str());
    world.device.sync(&by_name, "/body/DocFragment[2].0", 0.2);
    assert_eq!(world.place("Harbour")["position"], 1);
}

#[test]
fn of_several_files_the_newest_progress_decides_then_the_first() {
    let world = world();
    let content = book("Twin");
    world.add(world.books, "books/a/Twin one.epub", &content);
    world.add(world.books, "books/b/Twin two.epub", &content);
    let document = partial(&content);
    world.device.sync(&document, PLACE, 0.6);
    let items = ledge_tests::server::all_items(&world.mia, "/items?state=started");
    assert_eq!(items.len(), 1, "a write goes to one file");
    let first = items[0]["id"].clone();
    let all = ledge_tests::server::all_items(&world.mia, "/items");
    let twins = all.iter().filter(|item| item["title"] == "Twin");
    let mut ids = twins.map(|item| &item["id"]);
    let other = ids.find(|id| **id != first).expect("two items");
    assert!(first.as_i64() < other.as_i64());
    let path = format!("/items/{other}/progress");
    world.mia.put(&path, &json!({ "position": 1 })).expect(200);
    let found = world.device.get(&document);
    assert_eq!(found["device"], "Ledge");
    assert_eq!(found["progress"], "/body/DocFragment[2].0");
}

#[test]
fn position_of_a_missing_copy_is_returned_and_the_next_one_goes_to_the_present_copy() {
    let world = world();
    let content = book("Twin");
    world.add(world.books, "books/a/Twin one.epub", &content);
    world.add(world.books, "books/b/Twin two.epub", &content);
    let document = partial(&content);
    world.device.sync(&document, PLACE, 0.6);
    let started = || ledge_tests::server::all_items(&world.mia, "/items?state=started");
    let [first] = started().try_into().expect("one started item");
    let copy = world.server.folder().join("books/a/Twin one.epub");
    fs::remove_file(copy).expect("a file");
    ledge_tests::server::scan(&world.admin, world.books);
    let gone = world.mia.get(&format!("/items/{}", first["id"]));
    assert_eq!(gone.expect(200).json()["missing"], true);
    assert_eq!(world.device.get(&document)["progress"], PLACE);
    let later = "/body/DocFragment[2].0";
    world.device.sync(&document, later, 0.2);
    assert_eq!(world.device.get(&document)["progress"], later);
    let mut others = started();
    others.retain(|item| item["id"] != first["id"]);
    let [second] = others.try_into().expect("another started item");
    assert_eq!(second["progress"]["position"], 1);
    let places = world.mia.get(&format!("/items/{}", first["id"]));
    assert_eq!(places.expect(200).json()["progress"]["position"], 2);
}

#[test]
fn hidden_document_is_answered_like_an_unknown_one_and_adopted_after_a_grant() {
    let world = world();
    let hidden = partial(&book("Hidden"));
    let unknown = hex(b"nothing");
    for document in [&hidden, &unknown] {
        assert_eq!(world.device.get(document), json!({}));
        let stored = world.device.sync(document, PLACE, 0.6);
        assert_eq!(stored["document"], document.as_str());
        let found = world.device.get(document);
        assert_eq!(found["progress"], PLACE);
        assert_eq!(found["percentage"], 0.6);
        assert_eq!(found["device"], "Kobo Libra");
        assert_eq!(found["device_id"], "0A1B");
    }
    grant(&world.admin, world.secret, world.mia_id);
    world.wait();
    let place = world.place("Hidden");
    assert_eq!(place["position"], 2);
    assert!(place["locator"].is_string());
    assert_eq!(world.device.get(&hidden)["progress"], PLACE);
    assert_eq!(world.device.get(&unknown)["progress"], PLACE);
}

#[test]
fn document_is_adopted_when_its_file_is_added() {
    let world = world();
    let content = book("Later");
    let document = partial(&content);
    world.device.sync(&document, PLACE, 0.6);
    world.add(world.books, "books/later.epub", &content);
    assert_eq!(world.place("Later")["position"], 2);
    let found = world.device.get(&document);
    assert_eq!(
        (&found["progress"], &found["device"]),
        (&json!(PLACE), &json!("Kobo Libra"))
    );
}

#[test]
fn newer_progress_in_the_file_outlives_an_older_document() {
    let world = world();
    let hidden = partial(&book("Hidden"));
    world.device.sync(&hidden, PLACE, 0.6);
    // The user reads the book in the web interface after a grant, before the document is adopted.
    let path = format!("/items/{}/progress", world.item("Hidden"));
    grant(&world.admin, world.secret, world.mia_id);
    world.mia.put(&path, &json!({ "position": 3 })).expect(200);
    world.wait();
    assert_eq!(world.place("Hidden")["position"], 3);
    assert_eq!(world.device.get(&hidden)["device"], "Ledge");
}

#[test]
fn changed_file_is_found_by_its_new_content_only() {
    let world = world();
    let old = partial(&book("Harbour"));
    let new = [book("Harbour"), vec![0; 20_000]].concat();
    let path = world.server.folder().join("books/harbour.epub");
    fs::write(&path, &new).expect("a file");
    ledge_tests::server::scan(&world.admin, world.books);
    world.wait();
    world.device.sync(&hex(b"harbour.epub"), PLACE, 0.6);
    assert_eq!(world.device.get(&partial(&new))["progress"], PLACE);
    assert_eq!(world.device.get(&old), json!({}));
}

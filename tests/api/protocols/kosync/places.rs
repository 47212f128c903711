//! Positions: round trips between KOReader and the web interface, pages, history and hostile books.

use std::fs;

use serde_json::{Value, json};

use super::{book, hex, message, partial, world};

fn document() -> String {
    partial(&book("Harbour"))
}

fn within(place: &Value) -> f64 {
    place["within"].as_f64().expect("a relative position")
}

#[test]
fn current_progress_of_koreader_is_returned_as_it_was_sent() {
    let world = world();
    let mut sent = message(
        &document(),
        "/body/DocFragment[3]/body/section/p[4]/text().5",
        0.612_345,
    );
    sent["metadata"] = json!({ "title": "x" });
    let stored = world.device.put(&sent).expect(200).json();
    let mut expected = sent.clone();
    expected
        .as_object_mut()
        .expect("an object")
        .remove("metadata");
    expected["timestamp"] = stored["timestamp"].clone();
    assert_eq!(world.device.get(&document()), expected);
}

#[test]
fn position_keeps_its_paragraph_on_the_way_to_the_web_and_back() {
    let world = world();
    let pointer = "/body/DocFragment[3]/body/section/p[4]/text().5";
    world.device.sync(&document(), pointer, 0.6);
    let place = world.place("Harbour");
    assert_eq!(place["position"], 2);
    // The section contains the heading before its paragraphs.
    assert_eq!(place["locator"], "epubcfi(/6/6!/4/2/10/1:5)");
    let web = json!({
        "position": 2, "locator": place["locator"], "within": place["within"],
    });
    world.read("Harbour", &web);
    let found = world.device.get(&document());
    assert_eq!(found["device"], "Ledge");
    assert_eq!(found["progress"], pointer);
    let percentage = found["percentage"].as_f64().expect("a number");
    assert!((0.5..0.75).contains(&percentage), "{percentage}");
    let again = found["progress"].as_str().expect("a text");
    world.device.sync(&document(), again, percentage);
    let moved = world.place("Harbour");
    assert_eq!(moved["locator"], place["locator"]);
    assert!((within(&moved) - within(&place)).abs() < 1e-6);
}

#[test]
fn position_without_a_line_is_close_and_a_start_is_exact() {
    let world = world();
    world.read("Harbour", &json!({ "position": 1, "within": 0.5 }));
    let found = world.device.get(&document());
    let pointer = found["progress"].as_str().expect("a text");
    assert!(
        pointer.starts_with("/body/DocFragment[2]/body/section/p["),
        "{pointer}"
    );
    world.device.sync(&document(), pointer, 0.4);
    let place = world.place("Harbour");
    assert_eq!(place["position"], 1);
    assert!((within(&place) - 0.5).abs() < 0.1);
    world.read("Harbour", &json!({ "position": 3 }));
    assert_eq!(
        world.device.get(&document())["progress"],
        "/body/DocFragment[4].0"
    );
}

#[test]
fn last_write_wins_and_the_end_is_finished() {
    let world = world();
    world
        .device
        .sync(&document(), "/body/DocFragment[4].0", 0.9);
    world
        .device
        .sync(&document(), "/body/DocFragment[1].0", 0.01);
    assert_eq!(world.place("Harbour")["position"], 0);
    assert_eq!(world.place("Harbour")["finished"], false);
    world
        .device
        .sync(&document(), "/body/DocFragment[4].0", 0.9994);
    assert_eq!(world.place("Harbour")["finished"], false);
    world
        .device
        .sync(&document(), "/body/DocFragment[4].0", 0.9995);
    assert_eq!(world.place("Harbour")["finished"], true);
    world.read("Harbour", &json!({ "position": 4, "finished": true }));
    let found = world.device.get(&document());
    assert_eq!(found["percentage"], 1.0);
    assert_eq!(found["progress"], "/body/DocFragment[4].0");
}

#[test]
fn resent_positions_of_an_offline_device_keep_the_overwritten_progress() {
    let world = world();
    world.read("Harbour", &json!({ "position": 3, "locator": "web" }));
    for at in 0..200 {
        let pointer = format!("/body/DocFragment[{}].0", 1 + at % 3);
        world.device.sync(&document(), &pointer, 0.3);
    }
    assert_eq!(world.place("Harbour")["position"], 1);
    let item = world.item("Harbour");
    let (mut before, mut found) = (String::new(), Vec::new());
    loop {
        let path = format!("/items/{item}/progress/history{before}");
        let page = world.mia.get(&path).expect(200).json();
        let page = page["items"].as_array().expect("items").clone();
        let Some(last) = page.last() else { break };
        before = format!("?before={}", last["id"]);
        found.extend(page);
    }
    assert_eq!(found.len(), 200);
    assert_eq!(found[199]["locator"], "web");
    assert_eq!(world.history("Harbour").len(), 50);
}

#[test]
fn pages_count_from_one() {
    let world = world();
    let comic = hex(b"lantern.cbz");
    world.device.sync(&comic, "2", 0.66);
    assert_eq!(world.place("In the Fog")["position"], 1);
    world.read("In the Fog", &json!({ "position": 2 }));
    let found = world.device.get(&comic);
    assert_eq!(found["progress"], "3");
    assert_eq!(found["percentage"], 0.6666);
    // A page beyond the end is the last one.
    world.device.sync(&comic, "99999999999", 0.5);
    assert_eq!(world.place("In the Fog")["position"], 2);
}

#[test]
fn position_that_is_not_understood_follows_the_percentage() {
    let world = world();
    for progress in [
        "",
        "/body/DocFragment[77]/body",
        "what",
        "/FictionBook/body/p",
    ] {
        world.device.sync(&document(), progress, 0.99);
        assert_eq!(world.place("Harbour")["position"], 3, "{progress}");
        world.device.sync(&document(), progress, 0.0);
        assert_eq!(world.place("Harbour")["position"], 0, "{progress}");
    }
}

#[test]
fn unreadable_book_keeps_the_section_of_a_pointer() {
    let world = world();
    let book = world.server.folder().join("books/harbour.epub");
    fs::write(book, "no book").expect("a file");
    let harbour = hex(b"harbour.epub");
    let pointer = "/body/DocFragment[2]/body/section/p[4]/text().5";
    world.device.sync(&harbour, pointer, 0.99);
    assert_eq!(world.place("Harbour")["position"], 1);
    // Neither a section beyond the end nor a page of a book names a section.
    for other in ["/body/DocFragment[77].0", "2"] {
        world.device.sync(&harbour, other, 0.99);
        assert_eq!(world.place("Harbour")["position"], 3, "{other}");
    }
}

#[test]
fn hostile_book_is_answered_with_the_start_of_its_section() {
    let world = world();
    let damaged = vec![b'x'; 5_000];
    world.add(world.books, "books/damaged.epub", &damaged);
    let document = partial(&damaged);
    let deep = format!("/body/DocFragment[1]/body{}/text().3", "/p".repeat(400));
    world.device.sync(&document, &deep, 0.5);
    assert_eq!(world.device.get(&document)["progress"], deep.as_str());
    assert_eq!(world.place("damaged")["position"], 0);
    world.read(
        "damaged",
        &json!({ "position": 0, "locator": "epubcfi(/6/2!/4/2)" }),
    );
    assert_eq!(
        world.device.get(&document)["progress"],
        "/body/DocFragment[1].0"
    );
}

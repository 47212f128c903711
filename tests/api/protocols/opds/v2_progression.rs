//! Progress of files: round trips with the API, both forms, late and invalid documents.

use std::fs;

use ledge_fixtures::{Chapter, EpubSpec};
use ledge_tests::Answer;
use ledge_tests::server::scan;
use serde_json::{Value, json};

use super::v2::{follow, link, parsed};
use super::{Shelf, shelf};

const PROGRESSION: &str = "application/opds-progression+json";
const READIUM: &str = "application/vnd.readium.progression+json";

/// Position that the web interface's reader writes, and the path of its section.
const CFI: &str = "epubcfi(/6/6!/4/2/10/1:5)";
const SECTION: &str = "EPUB/chapter-03.xhtml";

/// A shelf with a book of four chapters.
struct World {
    shelf: Shelf,
    item: i64,
    file: i64,
    /// Path of the progress of the book.
    path: String,
}

fn world() -> World {
    let shelf = shelf();
    let chapter = |chapter: usize| Chapter {
        title: format!("Chapter {chapter}"),
        paragraphs: (0..10)
            .map(|paragraph| format!("Paragraph {paragraph} of four chapters, some words & more."))
            .collect(),
    };
    let book = ledge_fixtures::epub(&EpubSpec {
        title: "Chapters".to_owned(),
        language: "en".to_owned(),
        number: 7,
        chapters: (0..4).map(chapter).collect(),
        ..EpubSpec::default()
    });
    fs::write(shelf.server.folder().join("books/chapters.epub"), book).expect("a file");
    scan(&shelf.admin, shelf.books);
    let (item, file) = (shelf.item("Chapters"), shelf.file("Chapters"));
    World {
        path: format!("/opds/items/{item}/progression?file={file}"),
        shelf,
        item,
        file,
    }
}

impl World {
    fn get(&self, accept: &str) -> Answer {
        let headers = [("Accept", accept)];
        let answer = self.shelf.app.send_with("GET", &self.path, &headers);
        let answer = answer.expect(200);
        assert_eq!(answer.header("content-type"), accept);
        answer
    }

    fn put(&self, document: &Value) -> Answer {
        let body = document.to_string();
        self.shelf.app.put(&self.path, body.as_bytes())
    }

    fn refused(&self, document: &Value, status: u16, name: &str) {
        let answer = self.put(document).expect(status);
        assert_eq!(answer.header("content-type"), "application/problem+json");
        let problem = answer.json();
        let expected = format!("https://registry.opds.io/error#{name}");
        assert_eq!(problem["type"], expected);
        assert!(problem["title"].is_string());
    }

    /// Returns the progress of the user through the API.
    fn place(&self) -> Value {
        let path = format!("/items/{}/progress", self.item);
        let places = self.shelf.mia.get(&path).expect(200).json();
        places["items"][0].clone()
    }

    fn read(&self, place: &Value) {
        let path = format!("/items/{}/progress", self.item);
        self.shelf.mia.put(&path, place).expect(200);
    }
}

fn document(modified: &str, progression: f64) -> Value {
    json!({
        "modified": modified,
        "device": { "id": "urn:uuid:5f2d3a54-9a7e-4b5a-8b53-1f3f5f6b7a01", "name": "Tablet" },
        "progression": progression,
    })
}

#[test]
fn publications_link_to_the_progress_of_their_files() {
    let world = world();
    let path = format!("/opds/v2/items/{}", world.item);
    let publication = parsed(&world.shelf.app.get(&path).expect(200));
    for (rel, mime) in [
        ("http://opds-spec.org/progression", PROGRESSION),
        ("http://www.cantook.com/api/progression", READIUM),
    ] {
        let link = link(&publication, rel).expect(rel);
        assert_eq!(link["type"], mime);
        let answer = world.shelf.app.get(follow(&world.shelf, link)).expect(200);
        assert_eq!(answer.header("content-type"), mime);
        assert!(answer.body.is_empty(), "nothing is started");
        let atom = world.shelf.app.get(&format!("/opds/items/{}", world.item));
        assert!(super::xml(&atom.expect(200)).contains(&format!("rel=\"{rel}\"")));
    }
}

#[test]
fn document_is_stored_and_returned_unchanged_until_another_source_replaces_it() {
    let world = world();
    let mut sent = document("2026-03-01T10:00:00Z", 0.6);
    sent["title"] = json!("Chapter 2");
    sent["refs"] = json!([format!("{SECTION}#{CFI}"), SECTION]);
    let mut expected = sent.clone();
    let references = expected.as_object_mut().expect("an object").remove("refs");
    expected["references"] = references.expect("references");
    let first = world.put(&sent).expect(201);
    assert_eq!(first.header("content-type"), PROGRESSION);
    assert_eq!(first.json(), expected);
    assert_eq!(world.put(&sent).expect(200).json(), expected, "a repeat");
    assert_eq!(world.get(PROGRESSION).json(), expected);
    let place = world.place();
    assert_eq!(place["position"], 2);
    assert_eq!(place["locator"], CFI);
    assert_eq!(place["updated_at"], "2026-03-01T10:00:00.000000Z");
    world.read(&json!({ "position": 1, "within": 0.5 }));
    let own = world.get(PROGRESSION).json();
    assert_eq!(own["device"]["name"], "Ledge");
    assert!(
        own["device"]["id"]
            .as_str()
            .expect("an id")
            .starts_with("urn:uuid:")
    );
    let progression = own["progression"].as_f64().expect("a number");
    assert!((0.3..0.45).contains(&progression), "{progression}");
    let references = own["references"].as_array().expect("references");
    let exact = references[0].as_str().expect("a text");
    assert!(
        exact.starts_with("EPUB/chapter-02.xhtml#epubcfi(/6/4!"),
        "{exact}"
    );
    assert_eq!(references[1], "EPUB/chapter-02.xhtml");
    assert_eq!(own["modified"], world.place()["updated_at"]);
}

#[test]
fn position_of_the_web_survives_the_way_through_an_app() {
    let world = world();
    world.read(&json!({ "position": 2, "locator": CFI, "within": 0.4 }));
    let mut own = world.get(PROGRESSION).json();
    assert_eq!(own["references"][0], format!("{SECTION}#{CFI}"));
    own["modified"] = json!("2999-01-01T00:00:00Z");
    own["device"]["name"] = json!("Tablet");
    let stored = world.put(&own).expect(200).json();
    let place = world.place();
    assert_eq!(place["position"], 2);
    assert_eq!(place["locator"], CFI);
    // A time in the future counts as now.
    assert_eq!(stored["modified"], place["updated_at"]);
    assert_eq!(world.get(PROGRESSION).json(), stored);
    let mut section = document("2999-01-01T00:00:00Z", 0.99);
    section["references"] = json!(["#t=7", "EPUB/chapter%2D02.xhtml"]);
    world.put(&section).expect(200);
    assert_eq!(world.place()["position"], 1);
    // Without a reference that fits the file, the fraction decides.
    section["references"] = json!(["#page=1"]);
    world.put(&section).expect(200);
    assert_eq!(world.place()["position"], 3);
    section["progression"] = json!(1.0);
    world.put(&section).expect(200);
    assert_eq!(world.place()["finished"], true);
}

#[test]
fn older_form_exchanges_the_same_progress() {
    let world = world();
    let sent = json!({
        "modified": "2026-03-01T10:00:00Z",
        "device": { "id": "komga-app", "name": "Phone" },
        "locator": {
            "href": SECTION, "type": "application/xhtml+xml",
            "locations": { "position": 3, "progression": 0.25, "totalProgression": 0.99 },
        },
    });
    assert!(world.put(&sent).expect(204).body.is_empty());
    assert_eq!(world.get(READIUM).json(), sent);
    let place = world.place();
    assert_eq!(
        (&place["position"], &place["within"]),
        (&json!(2), &json!(0.25))
    );
    let other = world.get(PROGRESSION).json();
    assert_eq!(other["device"]["name"], "Ledge");
    let mut late = sent.clone();
    late["modified"] = json!("2026-02-01T10:00:00Z");
    world.refused(&late, 409, "progression-date");
    world.read(&json!({ "position": 1, "within": 0.5 }));
    let own = world.get(READIUM).json();
    assert_eq!(own["locator"]["href"], "EPUB/chapter-02.xhtml");
    assert_eq!(own["locator"]["locations"]["position"], 2);
    assert_eq!(own["locator"]["locations"]["progression"], 0.5);
    let comic = (
        world.shelf.item("In the Fog"),
        world.shelf.file("In the Fog"),
    );
    let path = format!("/opds/items/{}/progression?file={}", comic.0, comic.1);
    let page = json!({
        "modified": "2026-03-01T10:00:00Z",
        "device": { "id": "x", "name": "Phone" },
        "locator": { "href": "p", "type": "image/png", "locations": { "position": 2 } },
    });
    world
        .shelf
        .app
        .put(&path, page.to_string().as_bytes())
        .expect(204);
    let own = world.shelf.app.get(&path).expect(200).json();
    assert_eq!(own["references"], json!(["#page=2"]));
}

#[test]
fn late_and_invalid_documents_change_nothing() {
    let world = world();
    world
        .put(&document("2026-03-01T10:00:00Z", 0.6))
        .expect(201);
    let stored = world.get(PROGRESSION).json();
    world.refused(
        &document("2026-03-01T09:59:59Z", 0.1),
        409,
        "progression-date",
    );
    let mut unnamed = document("2026-03-02T10:00:00Z", 0.1);
    unnamed["device"] = json!({ "name": "Tablet" });
    let mut long = document("2026-03-02T10:00:00Z", 0.1);
    long["title"] = json!("x".repeat(1 << 20));
    for invalid in [
        unnamed,
        long,
        document("2026-03-02T10:00:00Z", 1.5),
        document("today", 0.1),
        json!([]),
    ] {
        world.refused(&invalid, 400, "progression-invalid-payload");
    }
    assert_eq!(world.get(PROGRESSION).json(), stored);
}

#[test]
fn progress_of_hidden_and_foreign_files_is_absent() {
    let world = world();
    let app = &world.shelf.app;
    let hidden = (world.shelf.item("Hidden"), world.shelf.file("Hidden"));
    let own = world.item;
    let sent = document("2026-03-01T10:00:00Z", 0.6).to_string();
    let absent = |path: &str| {
        let answer = app.get(path).expect(404);
        let written = app.put(path, sent.as_bytes()).expect(404);
        assert_eq!(answer.body, written.body, "{path}");
        answer.body
    };
    let path = |item: i64, file: i64| format!("/opds/items/{item}/progression?file={file}");
    assert_eq!(
        absent(&path(hidden.0, hidden.1)),
        absent(&path(99_999, 99_999))
    );
    assert_eq!(absent(&path(own, hidden.1)), absent(&path(own, 99_999)));
    let other = world.shelf.file("In the Fog");
    absent(&path(own, other));
    absent(&format!("/opds/items/{own}/progression?file=x"));
    let song = (world.shelf.item("song"), world.shelf.file("song"));
    absent(&path(song.0, song.1));
    // Progress belongs to its user.
    world
        .put(&document("2026-03-01T10:00:00Z", 0.6))
        .expect(201);
    let admin = crate::protocols::devices::reader(&world.shelf.server, &world.shelf.admin, "admin");
    assert!(
        admin
            .get(&path(own, world.file))
            .expect(200)
            .body
            .is_empty()
    );
}

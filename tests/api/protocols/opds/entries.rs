//! Entries of publications, their files, covers and pages.

use std::fs;

use ledge_tests::server::scan;
use roxmltree::Document;
use serde_json::json;

use super::{ATOM, DCTERMS, PSE, child, entries, links, path, shelf, titles, xml};
use crate::catalogue::books::epub;
use crate::protocols::devices::Device;

#[test]
fn entry_has_facts_files_images_and_pages() {
    let shelf = shelf();
    let harbour = shelf.item("The Quiet Harbour");
    let answer = shelf.app.get(&format!("/opds/items/{harbour}")).expect(200);
    assert_eq!(
        answer.header("content-type"),
        "application/atom+xml;type=entry;profile=opds-catalog"
    );
    let document = Document::parse(xml(&answer)).expect("well-formed XML");
    let entry = document.root_element();
    assert_eq!(child(entry, "title"), "The Quiet Harbour");
    assert_eq!(child(entry, "summary"), "Boats, mostly.");
    assert!(child(entry, "id").starts_with("urn:uuid:"));
    assert!(child(entry, "updated").ends_with('Z'));
    let authors = entry
        .children()
        .filter(|node| node.has_tag_name((ATOM, "author")));
    let authors: Vec<&str> = authors.map(|author| child(author, "name")).collect();
    assert_eq!(authors, ["Ann Example", "Bob Sample"]);
    let language = (DCTERMS, "language");
    let language = entry.children().find(|node| node.has_tag_name(language));
    assert_eq!(language.and_then(|node| node.text()), Some("en"));
    let [file] = links(entry, "http://opds-spec.org/acquisition")
        .try_into()
        .expect("one file");
    assert_eq!(file.attribute("type"), Some("application/epub+zip"));
    let href = file.attribute("href").expect("an address");
    assert!(href.ends_with("/harbour.epub"), "{href}");
    let content = shelf.app.get(path(&shelf, href)).expect(200);
    assert_eq!(content.body, epub());
    assert_eq!(
        file.attribute("length"),
        Some(content.body.len().to_string().as_str())
    );
    for rel in [
        "http://opds-spec.org/image",
        "http://opds-spec.org/image/thumbnail",
    ] {
        let [image] = links(entry, rel).try_into().expect("one image");
        let href = image.attribute("href").expect("an address");
        let image = shelf.app.get(path(&shelf, href)).expect(200);
        assert_eq!(image.header("content-type"), "image/jpeg");
        assert!(image.header("cache-control").contains("immutable"));
    }
    let [series] = links(entry, "related").try_into().expect("one series");
    assert_eq!(series.attribute("title"), Some("Harbours"));
    let href = series.attribute("href").expect("an address");
    assert_eq!(
        titles(&shelf.app.get(path(&shelf, href)).expect(200)),
        ["The Quiet Harbour"]
    );
}

#[test]
fn complete_entry_has_an_author_and_an_alternate_link_as_atom_requires() {
    let shelf = shelf();
    fs::write(shelf.server.folder().join("books/Nameless.epub"), b"x").expect("a file");
    scan(&shelf.admin, shelf.books);
    let item = shelf.item("Nameless");
    let answer = shelf.app.get(&format!("/opds/items/{item}")).expect(200);
    let document = Document::parse(xml(&answer)).expect("well-formed XML");
    let entry = document.root_element();
    for rel in ["self", "alternate"] {
        let [link] = links(entry, rel).try_into().expect(rel);
        let href = link.attribute("href").expect("an address");
        assert_eq!(path(&shelf, href), format!("/opds/items/{item}"));
    }
    let mut authors = entry
        .children()
        .filter(|node| node.has_tag_name((ATOM, "author")));
    let author = authors.next().expect("an author");
    assert_eq!(child(author, "name"), "Unknown");
    assert_eq!(child(author, "uri"), "");
    let feed = shelf.app.get("/opds/v1.2/publications?q=nameless");
    let feed = feed.expect(200);
    let document = Document::parse(xml(&feed)).expect("well-formed XML");
    let [listed] = entries(&document).try_into().expect("one entry");
    let is_author = |node: roxmltree::Node<'_, '_>| node.has_tag_name((ATOM, "author"));
    assert!(!listed.children().any(is_author), "the feed has one");
}

#[test]
fn pages_of_comics_are_streamed_without_moving_the_progress() {
    let shelf = shelf();
    let feed = shelf.app.get("/opds/v1.2/publications?q=fog").expect(200);
    let document = Document::parse(xml(&feed)).expect("well-formed XML");
    let [entry] = entries(&document).try_into().expect("one comic");
    let [stream] = links(entry, "http://vaemendis.net/opds-pse/stream")
        .try_into()
        .expect("pages");
    assert_eq!(stream.attribute((PSE, "count")), Some("3"));
    assert_eq!(stream.attribute((PSE, "lastRead")), None);
    let href = stream.attribute("href").expect("an address");
    assert!(href.ends_with("/{pageNumber}?width={maxWidth}"), "{href}");
    let template = path(&shelf, href).to_owned();
    let page = |app: &Device, n: &str, width: &str| {
        let path = template
            .replace("{pageNumber}", n)
            .replace("{maxWidth}", width);
        app.get(&path)
    };
    let whole = page(&shelf.app, "0", "4096").expect(200);
    assert_eq!(whole.header("content-type"), "image/png");
    let small = page(&shelf.app, "2", "100").expect(200);
    assert_eq!(small.header("content-type"), "image/jpeg");
    assert_eq!(
        page(&shelf.app, "0", "9999").expect(200).body,
        whole.body,
        "an ignored width"
    );
    for n in ["3", "-1", "00", "x", "999999999999999999999"] {
        page(&shelf.app, n, "100").expect(404);
    }
    let item = shelf.item("In the Fog");
    let detail = shelf.mia.get(&format!("/items/{item}")).expect(200).json();
    assert_eq!(detail["progress"], json!(null));
    // An app password can ask for it.
    let body = json!({"name": "Panels", "scopes": ["publications"], "pages_move_place": true});
    let issued = shelf.mia.post("/app-passwords", &body).expect(201).json();
    let moving = Device::new(
        &shelf.server,
        "mia",
        issued["secret"].as_str().expect("a secret"),
    );
    page(&moving, "1", "100").expect(200);
    page(&moving, "0", "100").expect(200);
    let detail = shelf.mia.get(&format!("/items/{item}")).expect(200).json();
    assert_eq!(detail["progress"]["position"], 1);
    let feed = shelf
        .app
        .get("/opds/v1.2/publications?state=started&sort=recent")
        .expect(200);
    let document = Document::parse(xml(&feed)).expect("well-formed XML");
    let [entry] = entries(&document).try_into().expect("one started comic");
    let [stream] = links(entry, "http://vaemendis.net/opds-pse/stream")
        .try_into()
        .expect("pages");
    assert_eq!(stream.attribute((PSE, "lastRead")), Some("2"));
    assert!(stream.attribute((PSE, "lastReadDate")).is_some());
}

#[test]
fn hostile_names_and_titles_stay_texts() {
    let shelf = shelf();
    let feed = shelf.app.get("/opds/v1.2/publications").expect(200);
    let document = Document::parse(xml(&feed)).expect("well-formed XML");
    let hostile = entries(&document).into_iter();
    let hostile = hostile.filter(|entry| child(*entry, "title").contains("<x>"));
    let [entry] = hostile
        .collect::<Vec<_>>()
        .try_into()
        .expect("the hostile book");
    let [file] = links(entry, "http://opds-spec.org/acquisition")
        .try_into()
        .expect("one file");
    let href = file.attribute("href").expect("an address");
    assert!(!href.contains(['"', '<', ' ', ';']), "{href}");
    let content = shelf.app.get(path(&shelf, href)).expect(200);
    let disposition = content.header("content-disposition");
    assert!(
        disposition.starts_with("attachment; filename=\""),
        "{disposition}"
    );
    // Any name in the path is accepted.
    shelf
        .app
        .get(&format!(
            "/opds/files/{}/x",
            shelf.file("The Quiet Harbour")
        ))
        .expect(200);
    let words = "%3C%5D%5D%3E%00%01%22";
    let searched = shelf
        .app
        .get(&format!("/opds/v1.2/publications?q={words}"))
        .expect(200);
    Document::parse(xml(&searched)).expect("well-formed XML");
}

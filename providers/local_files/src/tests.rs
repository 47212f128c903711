//! Tests with files as calibre and Audiobookshelf write them.

mod further;
mod local_pictures;
mod media;

use std::fs;
use std::path::Path;

use ledge_core::registry::provider::{AskError, ExternalId, ItemFolder, Query};
use ledge_kind_video as _;
use ledge_recorded::{Recorded, damage, opened};
use serde_json::{Value, json};

use crate::{PROVIDER, json as sidecar, opf};

const OPF: &str = r#"<?xml version='1.0' encoding='utf-8'?>
<package xmlns="http://www.idpf.org/2007/opf" unique-identifier="uuid_id" version="2.0">
  <metadata xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf">
    <dc:identifier opf:scheme="calibre" id="calibre_id">7</dc:identifier>
    <dc:identifier opf:scheme="uuid" id="uuid_id">00000000-0000-4000-8000-000000000002</dc:identifier>
    <dc:title>The Left Hand of Darkness</dc:title>
    <dc:creator opf:file-as="Guin, Ursula K. Le" opf:role="aut">Ursula K. Le Guin</dc:creator>
    <dc:contributor opf:file-as="calibre" opf:role="bkp">calibre (7.0) [https://calibre-ebook.com]</dc:contributor>
    <dc:contributor opf:role="nrt">George Guidall</dc:contributor>
    <dc:date>1969-03-01T00:00:00+00:00</dc:date>
    <dc:description>&lt;p&gt;Winter &amp;amp; ice.&lt;/p&gt;</dc:description>
    <dc:publisher>Ace</dc:publisher>
    <dc:identifier opf:scheme="ISBN">9780441478125</dc:identifier>
    <dc:language>eng</dc:language>
    <meta name="calibre:series" content="Hainish Cycle"/>
    <meta name="calibre:series_index" content="4.0"/>
  </metadata>
  <guide><reference type="cover" title="Cover" href="cover.jpg"/></guide>
</package>"#;

fn metadata() -> Value {
    json!({
        "tags": [], "chapters": [{ "id": 0, "start": 0, "end": 10, "title": "One" }],
        "title": "Leviathan Wakes", "subtitle": null, "authors": ["James S. A. Corey"],
        "narrators": ["Jefferson Mays"], "series": ["The Expanse #1"], "genres": ["Fiction"],
        "publishedYear": "2011", "publishedDate": null, "publisher": "Recorded Books",
        "description": "<p>The Ice Queen.</p>", "isbn": "9781456109691", "asin": "B0053WEZLO",
        "language": "English", "explicit": false, "abridged": false
    })
}

fn question(root: &Path, is_alone: bool) -> Query {
    Query {
        kind: "books".to_owned(),
        title: "anything".to_owned(),
        folders: vec![ItemFolder {
            root: root.to_owned(),
            folder: "Book".into(),
            stems: vec!["left_hand".into()],
            is_alone,
        }],
        ..Query::default()
    }
}

fn library() -> tempfile::TempDir {
    let root = tempfile::tempdir().expect("a folder");
    fs::create_dir(root.path().join("Book")).expect("a folder");
    root
}

fn put(root: &tempfile::TempDir, name: &str, text: &str) {
    fs::write(root.path().join("Book").join(name), text).expect("a file");
}

#[test]
fn calibre_opf_is_read() {
    let root = library();
    put(&root, "metadata.opf", OPF);
    let provider = opened(&PROVIDER, &[]);
    let net = Recorded::new();
    let found = provider
        .search(&question(root.path(), true), &net)
        .expect("candidates");
    let book = &found[0];
    assert_eq!(book.provider_id, "metadata.opf");
    assert!(book.is_certain);
    assert_eq!(
        (book.title.as_str(), book.year),
        ("The Left Hand of Darkness", Some(1969))
    );
    let people: Vec<_> = book
        .authors
        .iter()
        .map(|c| (c.name.as_str(), c.role.as_str()))
        .collect();
    assert_eq!(
        people,
        [
            ("Ursula K. Le Guin", "author"),
            ("George Guidall", "narrator")
        ]
    );
    assert_eq!(book.isbns, ["9780441478125"]);
    let series = book.series.clone().expect("a series");
    assert_eq!(
        (series.name.as_str(), series.index),
        ("Hainish Cycle", Some(4.0))
    );
    let details = &book.details;
    assert_eq!(details.released.as_deref(), Some("1969-03-01"));
    assert_eq!(
        (&*details.studios, &*details.genres),
        (&["Ace".to_owned()][..], &[][..])
    );
    assert_eq!(net.asked().len(), 0, "nothing leaves the machine");
}

#[test]
fn audiobookshelf_json_is_read() {
    let root = library();
    put(&root, "metadata.json", &metadata().to_string());
    let provider = opened(&PROVIDER, &[]);
    let found = provider.search(&question(root.path(), true), &Recorded::new());
    let book = &found.expect("candidates")[0];
    assert_eq!(
        (book.title.as_str(), book.year),
        ("Leviathan Wakes", Some(2011))
    );
    assert_eq!(book.authors[1].role, "narrator");
    let series = book.series.clone().expect("a series");
    assert_eq!(
        (series.name.as_str(), series.index),
        ("The Expanse", Some(1.0))
    );

    let details = &book.details;
    assert_eq!(details.genres, ["Fiction"]);
    assert_eq!(details.studios, ["Recorded Books"]);
    assert_eq!(details.released.as_deref(), Some("2011"));
    assert_eq!(
        (
            details.chapters[0].title.as_str(),
            details.chapters[0].start
        ),
        ("One", 0.0)
    );
    assert_eq!(book.external_ids, [ExternalId::new("asin", "B0053WEZLO")]);

    let older =
        json!({ "tags": [], "metadata": { "title": "Older", "authors": [{ "name": "A" }] } });
    let older = sidecar::read(older.to_string().as_bytes())
        .expect("JSON")
        .expect("a title");
    assert_eq!(
        (older.title.as_str(), older.authors[0].name.as_str()),
        ("Older", "A")
    );
}

#[test]
fn folder_metadata_is_ignored_if_folder_has_several_items() {
    let root = library();
    put(&root, "metadata.opf", OPF);
    let provider = opened(&PROVIDER, &[]);
    let found = provider.search(&question(root.path(), false), &Recorded::new());
    assert_eq!(found, Ok(Vec::new()));
    // An item's own metadata file is read in any folder.
    put(&root, "left_hand.opf", OPF);
    let found = provider.search(&question(root.path(), false), &Recorded::new());
    assert_eq!(found.expect("candidates")[0].provider_id, "left_hand.opf");
}

#[test]
fn by_id_reads_only_files_named_after_item_or_folder() {
    let root = library();
    put(&root, "metadata.opf", OPF);
    put(&root, "secret.opf", OPF);
    let provider = opened(&PROVIDER, &[]);
    let query = question(root.path(), true);
    let by_id = |id: &str| provider.by_id(id, &query, &Recorded::new());
    assert!(by_id("metadata.opf").expect("an answer").is_some());
    for id in [
        "metadata.json",
        "secret.opf",
        "../Book/metadata.opf",
        "/etc/passwd",
        "",
    ] {
        assert_eq!(by_id(id), Ok(None), "{id}");
    }
}

#[test]
fn broken_file_is_an_error_unless_another_is_readable() {
    let root = library();
    put(&root, "metadata.json", "{");
    let provider = opened(&PROVIDER, &[]);
    let search = || provider.search(&question(root.path(), true), &Recorded::new());
    assert!(
        matches!(search(), Err(AskError::Malformed(message)) if message.starts_with("metadata.json: "))
    );
    put(&root, "metadata.opf", OPF);
    assert_eq!(search().expect("candidates").len(), 1);
    put(&root, "metadata.json", &" ".repeat(3 << 20));
    fs::remove_file(root.path().join("Book/metadata.opf")).expect("gone");
    assert_eq!(search(), Err(AskError::TooLarge));
    fs::remove_file(root.path().join("Book/metadata.json")).expect("gone");
    assert_eq!(search(), Ok(Vec::new()));
}

#[test]
fn content_without_metadata_is_rejected() {
    for text in ["", "<html><body/></html>", "not xml at all"] {
        assert!(opf::read(text.as_bytes()).is_err(), "{text}");
    }
    assert_eq!(opf::read(b"<package><metadata/></package>"), Ok(None));
    for text in [
        "",
        "[",
        "nonsense",
        "null",
        "[]",
        "5",
        "{\"title\": []}",
        "{\"title\": {\"en\": \"Dune\"}}",
        "{\"metadata\": []}",
        "{\"metadata\": null}",
        "{\"metadata\": {\"title\": false}}",
    ] {
        assert!(sidecar::read(text.as_bytes()).is_err(), "{text}");
    }
    for text in [
        "{}",
        "{\"title\": null}",
        "{\"metadata\": {\"title\": null}}",
    ] {
        assert_eq!(sidecar::read(text.as_bytes()), Ok(None), "{text}");
    }
    assert!(sidecar::read(b"{\"title\": 5.5e300}").is_ok());
}

#[test]
fn damaged_files_are_parsed_or_rejected() {
    damage::bytes(OPF.as_bytes(), |bytes| {
        let _ = opf::read(bytes);
    });
    damage::bytes(metadata().to_string().as_bytes(), |bytes| {
        let _ = sidecar::read(bytes);
    });
    damage::values(&metadata(), |value| {
        if let Ok(Some(book)) = sidecar::read(value.to_string().as_bytes()) {
            assert!(!book.title.is_empty());
        }
    });
}

//! Contents of books: entries of EPUBs, pages of comics, and the metadata that a scan reads.

use std::fs;

use ledge_fixtures::{ComicSpec, EpubSpec, Fb2Spec, Story};
use ledge_tests::server::{all_items, scanned_library};
use ledge_tests::{Answer, Client, Server};
use serde_json::{Value, json};

use crate::http::conventions::{has_keys, id_of, invalid, refused};

/// Scanned library of an EPUB, a comic, a damaged file of each, and a game.
struct Shelf {
    _server: Server,
    admin: Client,
}

/// Returns an EPUB with a cover.
pub(crate) fn epub() -> Vec<u8> {
    ledge_fixtures::epub(&EpubSpec {
        title: "The Quiet Harbour".to_owned(),
        authors: vec!["Ann Example".to_owned(), "Bob Sample".to_owned()],
        language: "en".to_owned(),
        year: Some(1999),
        series: Some(("Harbours".to_owned(), 2)),
        description: "Boats, mostly.".to_owned(),
        cover: Some(ledge_fixtures::png(40, 60, 1)),
        ..EpubSpec::default()
    })
}

/// Returns a comic of three pages, 200 pixels wide.
pub(crate) fn comic() -> Vec<u8> {
    let page = vec!["One".to_owned()];
    ledge_fixtures::cbz(&ComicSpec {
        series: "Lantern".to_owned(),
        number: 4,
        title: "In the Fog".to_owned(),
        writer: "Ida Inks".to_owned(),
        summary: "Fog.".to_owned(),
        year: 2019,
        pages: vec![page.clone(), page.clone(), page],
        size: (200, 300),
    })
}

fn shelf() -> Shelf {
    let server = Server::start();
    let media = server.folder().join("media");
    fs::create_dir(&media).expect("a folder");
    for (name, bytes) in [
        ("harbour.epub", epub()),
        ("lantern.cbz", comic()),
        ("broken.epub", b"no book".to_vec()),
        ("broken.cbz", b"no comic".to_vec()),
        ("Nova.a26", b"no game".to_vec()),
    ] {
        fs::write(media.join(name), bytes).expect("a file");
    }
    let admin = server.admin();
    let (_, status) = scanned_library(&admin, "Shelf", &media);
    assert_eq!(status["status"], "done", "{status}");
    let errors = status["errors"].as_array().expect("errors");
    let named = |name: &str| errors.iter().any(|error| error.to_string().contains(name));
    assert_eq!(errors.len(), 2, "{status}");
    assert!(named("broken.epub") && named("broken.cbz"), "{status}");
    Shelf {
        _server: server,
        admin,
    }
}

impl Shelf {
    /// Returns the item with a file of this name, and that file.
    fn item(&self, name: &str) -> (Value, Value) {
        for card in all_items(&self.admin, "/items") {
            let item = self.admin.get(&format!("/items/{}", card["id"]));
            let item = item.expect(200).json();
            let files = item["files"].as_array().expect("files");
            if let Some(file) = files.iter().find(|file| file["path"] == name) {
                return (item.clone(), file.clone());
            }
        }
        panic!("no file {name}");
    }

    /// Returns the path of an entry of a file.
    fn inside(&self, name: &str, below: &str) -> String {
        format!("/kinds/books/files/{}/{below}", id_of(&self.item(name).1))
    }

    fn get(&self, name: &str, below: &str) -> Answer {
        self.admin.get(&self.inside(name, below))
    }

    fn get_if(&self, path: &str, header: &str, value: &str) -> Answer {
        self.admin.send("GET", path, &[(header, value)], None)
    }
}

/// Asserts the security headers of every response with bytes from a book.
#[track_caller]
fn is_guarded(answer: &Answer) {
    for (name, value) in [
        ("content-security-policy", "sandbox; default-src 'none'"),
        ("x-content-type-options", "nosniff"),
        ("cache-control", "private, no-cache"),
    ] {
        assert_eq!(answer.header(name), value, "{name} of {answer:?}");
    }
    let etag = answer.header("etag");
    assert!(etag.starts_with('"') && etag.ends_with('"'), "{etag}");
}

/// Asserts that a request with the entity tag gets a 304.
#[track_caller]
fn is_kept(shelf: &Shelf, path: &str) {
    let etag = shelf.admin.get(path).expect(200).header("etag").to_owned();
    let again = shelf.get_if(path, "If-None-Match", &etag).expect(304);
    assert!(again.body.is_empty());
    is_guarded(&again);
    let other = shelf.get_if(path, "If-Match", "\"other\"");
    refused(&other, 412, "precondition_failed");
    shelf.get_if(path, "If-Match", &etag).expect(200);
}

#[test]
fn scan_reads_metadata_of_books() {
    let shelf = shelf();
    let (book, file) = shelf.item("harbour.epub");
    assert_eq!(book["title"], "The Quiet Harbour");
    assert_eq!(book["authors"], "Ann Example, Bob Sample");
    assert_eq!(book["year"], 1999);
    assert_eq!(book["description"], "Boats, mostly.");
    assert_eq!(book["facts"]["language"], "en");
    assert_eq!(file["unit"], "section");
    assert!(file["extent"].as_i64().expect("a length") > 0);
    let (comic, file) = shelf.item("lantern.cbz");
    assert_eq!(comic["title"], "In the Fog");
    assert_eq!(comic["authors"], "Ida Inks");
    assert_eq!(
        (&file["unit"], &file["extent"]),
        (&json!("page"), &json!(3))
    );
    assert_eq!(shelf.item("broken.epub").0["title"], "broken");
}

#[test]
fn entries_of_epub_are_listed() {
    let shelf = shelf();
    let list = shelf.get("harbour.epub", "entries").expect(200).json();
    has_keys(&list, "items");
    let items = list["items"].as_array().expect("items");
    for item in items {
        has_keys(item, "path size mime");
    }
    let first = &items[0];
    assert_eq!(first["path"], "mimetype");
    assert_eq!(first["size"], "application/epub+zip".len());
    let mime = |path: &str| {
        let found = items.iter().find(|item| item["path"] == path);
        found.unwrap_or_else(|| panic!("no {path}"))["mime"].clone()
    };
    assert_eq!(mime("EPUB/package.opf"), "application/oebps-package+xml");
    assert_eq!(mime("EPUB/nav.xhtml"), "application/xhtml+xml");
    assert_eq!(mime("EPUB/cover.png"), "image/png");
}

#[test]
fn entry_is_served_unchanged_and_sandboxed() {
    let shelf = shelf();
    for (path, mime) in [
        ("mimetype", "application/octet-stream"),
        ("EPUB/cover.png", "image/png"),
        ("EPUB/nav.xhtml", "application/xhtml+xml"),
    ] {
        let answer = shelf
            .get("harbour.epub", &format!("entries/{path}"))
            .expect(200);
        is_guarded(&answer);
        assert_eq!(answer.header("content-type"), mime);
        assert_eq!(
            answer.header("content-length"),
            answer.body.len().to_string()
        );
    }
    let cover = shelf.get("harbour.epub", "entries/EPUB/cover.png");
    assert_eq!(cover.body, ledge_fixtures::png(40, 60, 1));
    let page = shelf.get("harbour.epub", "entries/EPUB/nav.xhtml");
    assert!(String::from_utf8_lossy(&page.body).contains("</html>"));
    is_kept(
        &shelf,
        &shelf.inside("harbour.epub", "entries/EPUB/nav.xhtml"),
    );
}

#[test]
fn only_listed_entries_are_served() {
    let shelf = shelf();
    for path in [
        "none",
        "epub/nav.xhtml",
        "EPUB",
        "EPUB/",
        "EPUB//nav.xhtml",
        "%2e%2e/harbour.epub",
        "EPUB/%2e%2e/mimetype",
        "..%2F..%2Fetc%2Fpasswd",
        "%2Fetc%2Fpasswd",
        "EPUB%5Cnav.xhtml",
        "mimetype%00",
        "%ff",
    ] {
        let answer = shelf.get("harbour.epub", &format!("entries/{path}"));
        refused(&answer, 404, "not_found");
    }
    let escaped = shelf.get("harbour.epub", "entries/EPUB%2Fnav.xhtml");
    assert_eq!(escaped.status, 200);
}

#[test]
fn pages_of_comic_are_listed_with_sizes() {
    let shelf = shelf();
    let list = shelf.get("lantern.cbz", "pages").expect(200).json();
    let page = |n: usize| json!({"n": n, "name": format!("{:03}.png", n + 1), "width": 200, "height": 300});
    assert_eq!(list, json!({"items": [page(0), page(1), page(2)]}));
}

#[test]
fn page_is_scaled_down_and_never_enlarged() {
    let shelf = shelf();
    let whole = shelf.get("lantern.cbz", "pages/1").expect(200);
    is_guarded(&whole);
    assert_eq!(whole.header("content-type"), "image/png");
    assert_eq!(size_of_png(&whole.body), (200, 300));
    let small = shelf.get("lantern.cbz", "pages/1?width=100").expect(200);
    is_guarded(&small);
    assert_eq!(small.header("content-type"), "image/jpeg");
    assert!(small.body.starts_with(b"\xff\xd8\xff"));
    assert_eq!(small.header("content-length"), small.body.len().to_string());
    assert_ne!(small.header("etag"), whole.header("etag"));
    for width in [200, 4096] {
        let same = shelf.get("lantern.cbz", &format!("pages/1?width={width}"));
        assert_eq!(same.expect(200).body, whole.body);
    }
    for path in ["pages/0", "pages/2?width=50"] {
        is_kept(&shelf, &shelf.inside("lantern.cbz", path));
    }
}

fn size_of_png(bytes: &[u8]) -> (u32, u32) {
    let side = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    (side(16), side(20))
}

#[test]
fn absent_pages_and_invalid_widths_are_refused() {
    let shelf = shelf();
    for n in [
        "3",
        "00",
        "-1",
        "+1",
        "x",
        "1.0",
        "%ff",
        "99999999999999999999",
    ] {
        // The page is absent, so its invalid width does not matter.
        for query in ["", "?width=100", "?width=1", "?width=x"] {
            let answer = shelf.get("lantern.cbz", &format!("pages/{n}{query}"));
            refused(&answer, 404, "not_found");
        }
    }
    for width in ["0", "15", "4097", "-1", "x"] {
        let answer = shelf.get("lantern.cbz", &format!("pages/0?width={width}"));
        invalid(&answer, "width");
    }
}

#[test]
fn other_files_have_neither_entries_nor_pages() {
    let shelf = shelf();
    for (name, below) in [
        ("harbour.epub", "pages"),
        ("harbour.epub", "pages/0"),
        ("lantern.cbz", "entries"),
        ("lantern.cbz", "entries/ComicInfo.xml"),
        ("Nova.a26", "entries"),
        ("Nova.a26", "pages"),
    ] {
        refused(&shelf.get(name, below), 404, "not_found");
    }
}

#[test]
fn damaged_book_is_reported_as_such() {
    let shelf = shelf();
    for (name, below) in [
        ("broken.epub", "entries"),
        ("broken.epub", "entries/mimetype"),
        ("broken.cbz", "pages"),
        ("broken.cbz", "pages/0"),
    ] {
        invalid(&shelf.get(name, below), "file");
    }
}

#[test]
fn zipped_fictionbook_is_book_and_zipped_game_is_not() {
    let server = Server::start();
    let media = server.folder().join("media");
    fs::create_dir(&media).expect("a folder");
    let book = ledge_fixtures::fb2(&Fb2Spec {
        story: Story {
            title: "The Quiet Harbour".to_owned(),
            authors: vec!["Ann Example".to_owned()],
            ..Story::default()
        },
    });
    let packed = ledge_fixtures::zipped("harbour.fb2", book);
    fs::write(media.join("harbour v2.1.fb2.zip"), packed).expect("a file");
    let game = ledge_fixtures::zipped("nova.gb", ledge_fixtures::gb_rom("NOVA"));
    fs::write(media.join("Nova.gb.zip"), game).expect("a file");
    let admin = server.admin();
    let (_, status) = scanned_library(&admin, "Shelf", &media);
    assert_eq!(status["errors"], json!([]), "{status}");
    let books = all_items(&admin, "/items?kind=books");
    assert_eq!(books.len(), 1, "{books:?}");
    assert_eq!(books[0]["title"], "The Quiet Harbour");
    assert_eq!(books[0]["authors"], "Ann Example");
    let path = format!("/items/{}", books[0]["id"]);
    let file = admin.get(&path).expect(200).json()["files"][0].clone();
    assert_eq!(file["viewer"], "epub", "{file}");
    let path = format!("/files/{}/content", file["id"]);
    let download = admin.get(&path).expect(200);
    let mime = "application/x-zip-compressed-fb2";
    assert_eq!(download.header("content-type"), mime);
    assert_eq!(all_items(&admin, "/items?kind=games").len(), 1);
}

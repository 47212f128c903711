//! Covers: on cards, as images, and access to them.

mod choice;

use std::fmt::Write as _;
use std::fs;
use std::io::Cursor;
use std::path::Path;

use image::{ImageFormat, Rgb, RgbImage};
use ledge_core::db::open;
use ledge_fixtures::{PdfSpec, Story};
use ledge_tests::server::{all_items, is_idle, program, scan, scanned_library, until};
use ledge_tests::{Client, Server};
use serde_json::Value;

use crate::http::conventions::invalid;

/// Returns a picture of one colour.
fn picture(width: u32, height: u32, colour: [u8; 3]) -> Vec<u8> {
    let mut body = Cursor::new(Vec::new());
    RgbImage::from_pixel(width, height, Rgb(colour))
        .write_to(&mut body, ImageFormat::Jpeg)
        .expect("an image");
    body.into_inner()
}

/// Returns a sheet of music with a picture.
fn sheet(picture: &[u8]) -> Vec<u8> {
    [b"X:1\n%%picture\n", picture].concat()
}

/// Returns the card of the only item, once it has a cover that `is_wanted` accepts.
fn card_with(client: &Client, is_wanted: impl Fn(&Value) -> bool) -> Value {
    until("a cover", || {
        let card = client.get("/items").expect(200).json()["items"][0].clone();
        (is_wanted(&card["cover"]) && is_idle(client)).then_some(card)
    })
}

/// Starts a server with one sheet that contains a picture of 1200 × 1800 pixels.
fn server(media_name: &str) -> (Server, Client, i64) {
    let server = Server::start();
    let media = server.folder().join(media_name);
    fs::create_dir(&media).expect("a folder");
    let sheet = sheet(&picture(1200, 1800, [200, 40, 30]));
    fs::write(media.join("Satie - Gymnopédies.abc"), sheet).expect("a file");
    let admin = server.admin();
    let (library, _) = scanned_library(&admin, "Sheets", &media);
    (server, admin, library)
}

fn path_of(card: &Value) -> String {
    let url = card["cover"]["url"].as_str().expect("a path");
    url.strip_prefix("/api/v1")
        .expect("below the API")
        .to_owned()
}

fn dimensions(body: &[u8]) -> (u32, u32) {
    let image = image::load_from_memory(body).expect("an image");
    (image.width(), image.height())
}

#[test]
fn card_has_cover_in_every_list() {
    let (_server, admin, _) = server("media");
    let card = card_with(&admin, |cover| !cover.is_null());
    let cover = card["cover"].clone();
    let keys: Vec<&String> = cover.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["height", "tint", "url", "width"]);
    assert_eq!(
        (&cover["width"], &cover["height"]),
        (&1200.into(), &1800.into())
    );
    let id = card["id"].as_i64().expect("an id");
    let url = cover["url"].as_str().expect("a path");
    let hash = url
        .strip_prefix(&format!("/api/v1/items/{id}/cover?v="))
        .expect("the item's");
    assert!(hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let tint = cover["tint"].as_str().expect("a colour");
    assert!(tint.starts_with("#c") && tint.len() == 7, "{tint}");
    for (path, at) in [
        (format!("/items/{id}"), "/cover"),
        ("/search?q=gymno".to_owned(), "/groups/0/items/0/cover"),
        ("/home".to_owned(), "/recently_added/0/items/0/cover"),
    ] {
        let answer = admin.get(&path).expect(200).json();
        let actual = answer.pointer(at);
        assert_eq!(actual, Some(&cover), "{path}: {answer}");
    }
}

#[test]
fn each_size_has_its_width_and_never_exceeds_picture() {
    let (server, admin, library) = server("media");
    let path = path_of(&card_with(&admin, |cover| !cover.is_null()));
    for (query, wanted) in [
        ("&size=small", (240, 360)),
        ("&size=medium", (480, 720)),
        ("", (480, 720)),
        ("&size=large", (960, 1440)),
    ] {
        let answer = admin.get(&format!("{path}{query}")).expect(200);
        assert_eq!(answer.header("content-type"), "image/jpeg");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(dimensions(&answer.body), wanted, "{query}");
    }
    invalid(&admin.get(&format!("{path}&size=huge")), "size");
    let before = path.clone();
    let tiny = sheet(&picture(100, 90, [10, 200, 10]));
    let file = server.folder().join("media/Satie - Gymnopédies.abc");
    fs::write(file, tiny).expect("a file");
    scan(&admin, library);
    let card = card_with(&admin, |cover| cover["width"] == 100);
    let path = path_of(&card);
    assert_ne!(path, before, "another picture has another address");
    for size in ["small", "medium", "large"] {
        let answer = admin.get(&format!("{path}&size={size}")).expect(200);
        assert_eq!(dimensions(&answer.body), (100, 90), "{size}");
    }
}

#[test]
fn versioned_cover_is_cached_for_a_year_and_others_are_revalidated() {
    let (_server, admin, _) = server("media");
    let path = path_of(&card_with(&admin, |cover| !cover.is_null()));
    let (plain, _) = path.split_once('?').expect("a state");
    let year = "private, max-age=31536000, immutable";
    let named = admin.get(&path).expect(200);
    assert_eq!(named.header("cache-control"), year);
    let tag = named.header("etag").to_owned();
    assert!(tag.starts_with('"') && tag.len() > 60, "{tag}");
    for other in [
        plain.to_owned(),
        format!("{plain}?v=0"),
        format!("{plain}?v="),
    ] {
        let answer = admin.get(&other).expect(200);
        assert_eq!(
            answer.header("cache-control"),
            "private, no-cache",
            "{other}"
        );
        assert_eq!(answer.header("etag"), tag);
        assert_eq!(answer.body, named.body);
    }
    for (target, caching) in [(path.as_str(), year), (plain, "private, no-cache")] {
        let unchanged = admin
            .send("GET", target, &[("If-None-Match", &tag)], None)
            .expect(304);
        assert!(unchanged.body.is_empty());
        assert_eq!(unchanged.header("etag"), tag);
        assert_eq!(unchanged.header("cache-control"), caching);
    }
    let small = admin.get(&format!("{plain}?size=small")).expect(200);
    assert_ne!(small.header("etag"), tag, "a size has a tag of its own");
    admin
        .send("GET", plain, &[("If-Match", "\"other\"")], None)
        .expect(412);
    let head = admin.send("HEAD", &path, &[], None).expect(200);
    assert!(head.body.is_empty());
    for name in ["content-type", "content-length", "etag", "cache-control"] {
        assert_eq!(head.header(name), named.header(name), "{name}");
    }
}

#[test]
fn item_without_cover_answers_like_absent_item() {
    let server = Server::start();
    let media = server.folder().join("media");
    fs::create_dir(&media).expect("a folder");
    fs::write(media.join("Satie - Vexations.abc"), "X:1").expect("a file");
    let admin = server.admin();
    scanned_library(&admin, "Sheets", &media);
    let card = card_with(&admin, Value::is_null);
    let none = admin
        .get(&format!("/items/{}/cover", card["id"]))
        .expect(404);
    let absent = admin.get("/items/987654321/cover").expect(404);
    assert_eq!(none.body, absent.body);
}

#[test]
fn next_scan_detects_added_changed_or_removed_picture() {
    let server = Server::start();
    let media = server.folder().join("media");
    fs::create_dir_all(media.join("Satie")).expect("folders");
    fs::write(media.join("Satie/Satie - Vexations.abc"), "X:1").expect("a file");
    let admin = server.admin();
    let (library, _) = scanned_library(&admin, "Sheets", &media);
    card_with(&admin, Value::is_null);
    let events = admin.events();
    let art = media.join("Satie/Titlepage.JPG");
    fs::write(&art, picture(300, 200, [20, 30, 220])).expect("a file");
    scan(&admin, library);
    card_with(&admin, |cover| cover["width"] == 300);
    let received = events.until(|name, _| name == "covers");
    let (_, last) = received.last().expect("an event");
    assert_eq!(last, &serde_json::json!({ "library_id": library }));
    fs::write(&art, picture(301, 200, [20, 30, 220])).expect("a file");
    scan(&admin, library);
    card_with(&admin, |cover| cover["width"] == 301);
    fs::remove_file(&art).expect("a removal");
    scan(&admin, library);
    card_with(&admin, Value::is_null);
}

#[test]
fn broken_picture_is_scan_error_with_file_name() {
    let server = Server::start();
    let media = server.folder().join("media");
    fs::create_dir(&media).expect("a folder");
    let torn = sheet(b"\x89PNG\r\n\x1a\n torn");
    fs::write(media.join("Satie - Vexations.abc"), torn).expect("a file");
    let admin = server.admin();
    let (library, _) = scanned_library(&admin, "Sheets", &media);
    card_with(&admin, Value::is_null);
    let status = admin
        .get(&format!("/libraries/{library}/scan/status"))
        .expect(200)
        .json();
    let line = status["errors"][0].as_str().expect("an error");
    assert!(
        line.starts_with("Satie - Vexations.abc: the picture is damaged"),
        "{line}"
    );
}

#[test]
fn covers_survive_kill_and_are_deleted_with_library() {
    let (mut server, admin, library) = server("media");
    card_with(&admin, |cover| !cover.is_null());
    server.kill();
    server.restart();
    let admin = server.admin();
    let path = path_of(&card_with(&admin, |cover| !cover.is_null()));
    admin.get(&path).expect(200);
    admin.delete(&format!("/libraries/{library}")).expect(204);
    admin.get(&path).expect(404);
    let covers = |path: &Path| -> i64 {
        let database = open::writable(path).expect("a database");
        let count = database.query_row("SELECT count(*) FROM cover_image", [], |row| row.get(0));
        count.expect("a count")
    };
    assert_eq!(covers(&server.database()), 0);
}

/// Returns a document whose first page draws two million shapes.
fn endless_pdf() -> Vec<u8> {
    let drawing = "0 0 400 500 re 10 10 380 480 re f*\n".repeat(2_000);
    let contents = "4 0 R ".repeat(1_000);
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Count 1/Kids[3 0 R]>>".to_owned(),
        format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 420 595]/Contents[{contents}]>>"),
        format!("<</Length {}>>stream\n{drawing}endstream", drawing.len()),
    ];
    let mut body = "%PDF-1.4\n".to_owned();
    let mut places = String::new();
    for (number, object) in (1..).zip(&objects) {
        writeln!(places, "{:010} 00000 n ", body.len()).expect("a write into memory");
        writeln!(body, "{number} 0 obj\n{object}\nendobj").expect("a write into memory");
    }
    let xref = body.len();
    write!(
        body,
        "xref\n0 5\n0000000000 65535 f \n{places}trailer\n<</Root 1 0 R/Size 5>>\nstartxref\n{xref}\n%%EOF"
    )
    .expect("a write into memory");
    body.into_bytes()
}

#[test]
fn pdf_cover_is_first_page_despite_other_pictures() {
    let server = Server::with(&program("ledge-example"), &[("LEDGE_LOG", "warn")]);
    let media = server.folder().join("media");
    fs::create_dir(&media).expect("a folder");
    let story = Story {
        title: "Sound".to_owned(),
        ..Story::default()
    };
    fs::write(media.join("endless.pdf"), endless_pdf()).expect("a file");
    fs::write(
        media.join("sound.pdf"),
        ledge_fixtures::pdf(&PdfSpec { story }),
    )
    .expect("a file");
    let admin = server.admin();
    let (library, _) = scanned_library(&admin, "Papers", &media);
    let status = until("covers", || {
        let status = admin.get(&format!("/libraries/{library}/scan/status"));
        let status = status.expect(200).json();
        let is_over = is_idle(&admin) && status["errors"][0].is_string();
        is_over.then_some(status)
    });
    let errors = status["errors"].as_array().expect("errors");
    assert_eq!(errors.len(), 1, "{status}");
    let line = errors[0].as_str().expect("a line");
    assert!(line.starts_with("endless.pdf: "), "{line}");
    assert!(line.contains("rendering page 1"), "{line}");
    let log = server.log();
    let is_told = |line: &str| line.contains("endless.pdf") && line.contains("rendering page 1");
    assert!(log.lines().any(is_told), "{log}");
    for card in all_items(&admin, "/items") {
        let has_cover = card["title"] == "Sound";
        assert_eq!(card["cover"].is_object(), has_cover, "{card}");
        if has_cover {
            let image = admin.get(&path_of(&card)).expect(200);
            let (width, height) = dimensions(&image.body);
            assert!(width > 100 && height > width, "{width} x {height}");
        }
    }
}

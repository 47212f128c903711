//! Fonts that are attached to films.

use std::fs;

use ledge_tests::server::scanned_library;
use ledge_tests::{Client, Server};
use serde_json::json;

use crate::http::conventions::{has_keys, id_of, list, refused, write};
use crate::playing::playback::titled;
use crate::playing::subtitles;

/// First attachment of the film.
const FONT: &[u8] = b"\0\x01\0\0 outlines";
const NAME: &str = "Films/Northern Glass (2018).mkv";

/// Returns the film with embedded subtitles and two attachments: a font, and a page that claims to
/// be one. They take the place of padding, so that no offset of the film changes.
pub(crate) fn film() -> Vec<u8> {
    let element = |id: &[u8], content: &[u8]| {
        let length = u8::try_from(content.len()).expect("short");
        [id, &[0x80 | length], content].concat()
    };
    let attached = |content: &[u8]| {
        let parts = [
            element(b"\x46\x6e", b"a"),
            element(b"\x46\x60", b"text/html"),
            element(b"\x46\x5c", content),
        ];
        element(b"\x61\xa7", &parts.concat())
    };
    let files = [attached(FONT), attached(b"<b>")].concat();
    let attachments = element(b"\x19\x41\xa4\x69", &files);

    let mut film = subtitles::film();
    let padding = b"\xec\x01\0\0\0\0\0\0\x52";
    let at = film.windows(9).position(|window| window == padding);
    let at = at.expect("padding");
    let rest = padding.len() + 0x52 - attachments.len();
    let rest = element(b"\xec", &vec![0; rest - 2]);
    let replaced = [attachments, rest].concat();
    film.splice(at..at + replaced.len(), replaced);
    film
}

fn cinema() -> (Server, Client, i64) {
    let server = Server::start();
    let media = server.folder().join("media");
    write(&media, NAME, film());
    let admin = server.admin();
    let (_, status) = scanned_library(&admin, "Cinema", &media);
    assert_eq!(status["errors"], json!([]), "{status}");
    let item = titled(&admin, "Northern Glass");
    let detail = admin.get(&format!("/items/{item}")).expect(200).json();
    (server, admin, id_of(&detail["files"][0]))
}

#[test]
fn only_attachments_that_are_fonts_are_listed_and_served() {
    let (_server, admin, file) = cinema();
    let fonts = list(&admin.get(&format!("/kinds/video/files/{file}/fonts")));
    assert_eq!(fonts.len(), 1);
    has_keys(&fonts[0], "index name mime size url");
    let path = format!("/kinds/video/files/{file}/fonts/0");
    let row = json!({"index": 0, "name": "a", "mime": "font/ttf", "size": FONT.len(),
        "url": format!("/api/v1{path}")});
    assert_eq!(fonts[0], row);

    let answer = admin.get(&path).expect(200);
    assert_eq!(answer.body, FONT);
    for (name, value) in [
        ("content-type", "font/ttf"),
        ("content-length", "13"),
        ("x-content-type-options", "nosniff"),
        ("cache-control", "private, no-cache"),
    ] {
        assert_eq!(answer.header(name), value);
    }
    let policy = answer.header("content-security-policy");
    assert!(policy.starts_with("sandbox"), "{policy}");
    // The page that claims to be a font, absent attachments, and other names of the first one.
    for index in ["1", "2", "00", "+0", "-1", "a", "0.ttf", "..%2F0"] {
        let answer = admin.get(&format!("/kinds/video/files/{file}/fonts/{index}"));
        refused(&answer, 404, "not_found");
    }
}

#[test]
fn font_is_sent_again_only_after_change() {
    let (server, admin, file) = cinema();
    let path = format!("/kinds/video/files/{file}/fonts/0");
    let etag = admin.get(&path).expect(200).header("etag").to_owned();
    let again = |headers: &[(&str, &str)]| admin.send("GET", &path, headers, None).status;
    assert_eq!(again(&[("If-None-Match", &etag)]), 304);
    assert_eq!(again(&[("If-Match", "\"other\"")]), 412);
    let name = server.folder().join("media").join(NAME);
    fs::write(&name, [film(), vec![0; 9]].concat()).expect("written");
    assert_eq!(again(&[("If-None-Match", &etag)]), 200);
    // Subtitles can be shown without fonts, so damaged films have an empty list.
    fs::write(&name, "no film at all").expect("written");
    let fonts = list(&admin.get(&format!("/kinds/video/files/{file}/fonts")));
    assert_eq!(fonts.len(), 0);
    refused(&admin.get(&path), 404, "not_found");
    fs::remove_file(&name).expect("gone");
    refused(&admin.get(&path), 404, "not_found");
}

#[test]
fn font_of_invisible_film_is_absent() {
    let (server, admin, file) = cinema();
    let (_, mia) = server.user(&admin, "mia");
    for rest in ["", "/0"] {
        let absent = admin.get(&format!("/kinds/video/files/987654321/fonts{rest}"));
        refused(&absent, 404, "not_found");
        let hidden = mia.get(&format!("/kinds/video/files/{file}/fonts{rest}"));
        assert_eq!((hidden.status, &hidden.body), (404, &absent.body));
    }
}

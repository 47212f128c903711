//! File contents: ranges, conditions, downloads, and protection against leaks.

mod downloads;
mod ranges;

use std::fs;
use std::os::unix::fs::symlink;

use ledge_tests::server::{all_items, scan};
use ledge_tests::{Answer, Client, Server};
use serde_json::{Value, json};

use crate::http::conventions::{id_of, invalid, library_of, refused, write};
use ranges::ranged;

/// Content of the file that most tests request.
const CONTENT: &str = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-";

/// Starts a server with one file. Returns the server, a client and the file's path below `/api/v1`.
fn one(name: &str) -> (Server, Client, String) {
    let (server, admin, _) = library_of(&[(name, CONTENT)]);
    let path = path_of(&admin, name);
    (server, admin, path)
}

fn path_of(client: &Client, name: &str) -> String {
    for card in all_items(client, "/items") {
        let item = client
            .get(&format!("/items/{}", card["id"]))
            .expect(200)
            .json();
        for file in item["files"].as_array().expect("files") {
            if file["path"] == name {
                return format!("/files/{}/content", id_of(file));
            }
        }
    }
    panic!("no file {name}");
}

fn ask(client: &Client, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
    client.send(method, path, headers, None)
}

/// Asserts the security headers of every response about a file.
#[track_caller]
fn is_guarded(answer: &Answer) {
    assert_eq!(
        answer.header("x-content-type-options"),
        "nosniff",
        "{answer:?}"
    );
    let policy = answer.header("content-security-policy");
    assert!(
        policy.split(';').any(|part| part.trim() == "sandbox"),
        "{answer:?}"
    );
    assert_eq!(answer.header("accept-ranges"), "bytes", "{answer:?}");
    assert_eq!(
        answer.header("cache-control"),
        "private, no-cache",
        "{answer:?}"
    );
    assert_eq!(answer.header("content-encoding"), "", "{answer:?}");
}

#[test]
fn file_is_served_unchanged() {
    let (_server, admin, path) = one("Moby-Dick.epub");
    for headers in [&[][..], &[("Accept-Encoding", "gzip, br")]] {
        let answer = ask(&admin, "GET", &path, headers).expect(200);
        assert_eq!(answer.body, CONTENT.as_bytes());
        is_guarded(&answer);
        assert_eq!(answer.header("content-type"), "application/epub+zip");
        assert_eq!(answer.header("content-length"), "64");
        assert_eq!(answer.header("content-disposition"), "");
        let etag = answer.header("etag");
        assert!(
            etag.len() > 2 && etag.starts_with('"') && etag.ends_with('"'),
            "{etag}"
        );
        assert!(
            answer.header("last-modified").ends_with(" GMT"),
            "{answer:?}"
        );
    }
}

#[test]
fn text_is_not_compressed_either() {
    let tune = "X:1\nK:C\n".repeat(10_000);
    let (_server, admin, _) = library_of(&[("Tune.abc", &tune)]);
    let path = path_of(&admin, "Tune.abc");
    for range in [None, Some("bytes=0-"), Some("bytes=0-1,4-5")] {
        let mut headers = vec![("Accept-Encoding", "gzip")];
        headers.extend(range.map(|range| ("Range", range)));
        let answer = ask(&admin, "GET", &path, &headers);
        assert_eq!(answer.status, if range.is_some() { 206 } else { 200 });
        is_guarded(&answer);
        let length: usize = answer.header("content-length").parse().expect("a length");
        assert_eq!(answer.body.len(), length);
    }
}

#[test]
fn head_has_headers_of_get_without_body() {
    let (_server, admin, path) = one("Moby-Dick.epub");
    for query in ["", "?download=1"] {
        let path = format!("{path}{query}");
        let get = ask(&admin, "GET", &path, &[]).expect(200);
        let head = ask(&admin, "HEAD", &path, &[]).expect(200);
        assert!(head.body.is_empty());
        for name in [
            "content-length",
            "content-type",
            "content-disposition",
            "etag",
            "last-modified",
            "accept-ranges",
            "cache-control",
            "content-security-policy",
            "x-content-type-options",
        ] {
            assert_eq!(head.header(name), get.header(name), "{name}");
        }
    }
    refused(&admin.get("/files/98765/content"), 404, "not_found");
    assert_eq!(ask(&admin, "HEAD", "/files/98765/content", &[]).status, 404);
}

#[test]
fn download_has_name_of_file() {
    let names = [
        (
            "Moby-Dick.epub",
            "attachment; filename=\"Moby-Dick.epub\"; filename*=UTF-8''Moby-Dick.epub",
        ),
        (
            "say \"hi\"; x=1.epub",
            "attachment; filename=\"say _hi_; x=1.epub\"; \
             filename*=UTF-8''say%20%22hi%22%3B%20x%3D1.epub",
        ),
        (
            "Żółw 亀.epub",
            "attachment; filename=\"___w _.epub\"; \
             filename*=UTF-8''%C5%BB%C3%B3%C5%82w%20%E4%BA%80.epub",
        ),
        (
            "100% 'pure'.epub",
            "attachment; filename=\"100_ 'pure'.epub\"; \
             filename*=UTF-8''100%25%20%27pure%27.epub",
        ),
    ];
    let files: Vec<(&str, &str)> = names.iter().map(|(name, _)| (*name, *name)).collect();
    let (_server, admin, _) = library_of(&files);
    for (name, expected) in names {
        let path = path_of(&admin, name);
        for query in ["?download=1", "?download=1&x=y"] {
            let answer = admin.get(&format!("{path}{query}")).expect(200);
            assert_eq!(answer.header("content-disposition"), expected);
            assert_eq!(answer.body, name.as_bytes());
            is_guarded(&answer);
        }
        for query in ["", "?download=0"] {
            let answer = admin.get(&format!("{path}{query}")).expect(200);
            assert_eq!(answer.header("content-disposition"), "", "{name}");
        }
        for query in ["?download=yes", "?download=2", "?download=-1"] {
            invalid(&admin.get(&format!("{path}{query}")), "download");
        }
    }
}

#[test]
fn name_cannot_inject_header() {
    let name = "a\r\nSet-Cookie: x=1\u{202e}.epub";
    let (_server, admin, _) = library_of(&[(name, CONTENT)]);
    let file = all_items(&admin, "/items")[0]["id"].clone();
    let item = admin.get(&format!("/items/{file}")).expect(200).json();
    let path = format!("/files/{}/content?download=1", item["files"][0]["id"]);
    let answer = admin.get(&path).expect(200);
    assert!(!answer.headers.contains_key("set-cookie"), "{answer:?}");
    let actual = answer.header("content-disposition");
    assert!(actual.starts_with("attachment; "), "{actual}");
    for hidden in ["%0D", "%0A", "%E2%80%AE"] {
        assert!(!actual.contains(hidden), "{actual}");
    }
}

#[test]
fn empty_file_has_no_bytes_and_no_ranges() {
    let (_server, admin, _) = library_of(&[("Empty.epub", "")]);
    let path = path_of(&admin, "Empty.epub");
    let answer = admin.get(&path).expect(200);
    assert_eq!(
        (answer.body.len(), answer.header("content-length")),
        (0, "0")
    );
    let answer = ranged(&admin, &path, "bytes=0-");
    refused(&answer, 416, "range_not_satisfiable");
    assert_eq!(answer.header("content-range"), "bytes */0");
}

#[test]
fn removed_file_is_404_before_next_scan() {
    let (server, admin, path) = one("Books/Moby-Dick.epub");
    let file = server.folder().join("media/Books/Moby-Dick.epub");
    fs::remove_file(&file).expect("gone");
    refused(&admin.get(&path), 404, "not_found");
    fs::create_dir(&file).expect("a folder of that name");
    refused(&admin.get(&path), 404, "not_found");
    fs::remove_dir(&file).expect("gone");
    write(
        &server.folder().join("media"),
        "Books/Moby-Dick.epub",
        "back",
    );
    assert_eq!(admin.get(&path).expect(200).body, b"back");
}

#[test]
fn link_out_of_library_is_404() {
    let (server, admin, path) = one("Books/Moby-Dick.epub");
    let media = server.folder().join("media");
    let outside = server.folder().join("outside");
    write(&outside, "Moby-Dick.epub", "secret");
    // A sibling folder whose name begins like the root's is outside too.
    write(
        &server.folder().join("media-private"),
        "Moby-Dick.epub",
        "secret",
    );
    let file = media.join("Books/Moby-Dick.epub");
    for target in [
        outside.join("Moby-Dick.epub"),
        "../../outside/Moby-Dick.epub".into(),
        "../../media-private/Moby-Dick.epub".into(),
        "/etc/passwd".into(),
        "Moby-Dick.epub".into(),
    ] {
        fs::remove_file(&file).expect("gone");
        symlink(&target, &file).expect("a link");
        for method in ["GET", "HEAD"] {
            assert_eq!(ask(&admin, method, &path, &[]).status, 404, "{target:?}");
        }
        refused(&admin.get(&path), 404, "not_found");
    }
    // The folder on the way becomes a link that leads out.
    fs::remove_file(&file).expect("gone");
    fs::remove_dir(media.join("Books")).expect("gone");
    symlink(&outside, media.join("Books")).expect("a link");
    refused(&admin.get(&path), 404, "not_found");
    // A link inside the root leads to the file.
    fs::remove_file(media.join("Books")).expect("gone");
    write(&media, "Elsewhere/Moby-Dick.epub", "inside");
    symlink("Elsewhere", media.join("Books")).expect("a link");
    assert_eq!(admin.get(&path).expect(200).body, b"inside");
}

#[test]
fn content_requires_current_grant() {
    let (server, admin, path) = one("Moby-Dick.epub");
    let (mia, client) = server.user(&admin, "mia");
    let hidden = client.get(&path);
    refused(&hidden, 404, "not_found");
    assert_eq!(hidden.body, client.get("/files/98765/content").body);
    let library = admin.get("/libraries").expect(200).json()["items"][0]["id"].clone();
    let grants = |ids: Value| {
        let body = json!({"library_ids": ids});
        admin
            .put(&format!("/users/{mia}/libraries"), &body)
            .expect(204)
    };
    grants(json!([library]));
    assert_eq!(client.get(&path).expect(200).body, CONTENT.as_bytes());
    grants(json!([]));
    refused(&client.get(&path), 404, "not_found");
    let ranged = ask(
        &client,
        "GET",
        &path,
        &[("If-None-Match", "*"), ("Range", "bytes=0-")],
    );
    refused(&ranged, 404, "not_found");
    refused(&server.client().get(&path), 401, "unauthenticated");
}

#[test]
fn moved_file_keeps_url() {
    let (server, admin, path) = one("Moby-Dick.epub");
    let media = server.folder().join("media");
    fs::create_dir(media.join("Shelf")).expect("a folder");
    fs::rename(media.join("Moby-Dick.epub"), media.join("Shelf/Whale.epub")).expect("a move");
    refused(&admin.get(&path), 404, "not_found");
    let library = admin.get("/libraries").expect(200).json()["items"][0].clone();
    scan(&admin, id_of(&library));
    assert_eq!(admin.get(&path).expect(200).body, CONTENT.as_bytes());
}

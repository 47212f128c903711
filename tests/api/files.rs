//! The bytes of files: ranges, conditions, downloads, and what never gets out.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

use ledge_tests::server::{all_items, scan};
use ledge_tests::{Answer, Client, Server};
use serde_json::{Value, json};

use crate::conventions::{id_of, invalid, library_of, refused, write};

/// Bytes of the file that most tests ask for.
const CONTENT: &str = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-";

/// One file, its server and its path below `/api/v1`.
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

fn ranged(client: &Client, path: &str, range: &str) -> Answer {
    ask(client, "GET", path, &[("Range", range)])
}

/// What every answer about a file says.
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
fn a_file_comes_whole_as_it_lies_on_disk() {
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
fn head_says_what_get_says_without_the_bytes() {
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
fn one_range_is_answered_with_its_bytes() {
    let (_server, admin, path) = one("Moby-Dick.epub");
    for (range, first, last) in [
        ("bytes=0-0", 0, 0),
        ("bytes=0-63", 0, 63),
        ("bytes=10-19", 10, 19),
        ("bytes=60-1000", 60, 63),
        ("bytes=63-", 63, 63),
        ("bytes=0-", 0, 63),
        ("bytes=-1", 63, 63),
        ("bytes=-10", 54, 63),
        ("bytes=-1000", 0, 63),
        ("Bytes=5-6", 5, 6),
        ("bytes=5-6, 100-", 5, 6),
        ("bytes=0-99999999999999999999999", 0, 63),
    ] {
        let answer = ranged(&admin, &path, range).expect(206);
        assert_eq!(answer.body, &CONTENT.as_bytes()[first..=last], "{range}");
        let told = format!("bytes {first}-{last}/64");
        assert_eq!(answer.header("content-range"), told, "{range}");
        let length = (last - first + 1).to_string();
        assert_eq!(answer.header("content-length"), length, "{range}");
        assert_eq!(answer.header("content-type"), "application/epub+zip");
        assert!(!answer.header("etag").is_empty());
        is_guarded(&answer);
    }
}

#[test]
fn several_ranges_are_parts_of_one_answer() {
    let (_server, admin, path) = one("Moby-Dick.epub");
    let sixteen: Vec<(usize, usize)> = (0..16).map(|n| (n * 4, n * 4 + 1)).collect();
    for ranges in [
        vec![(0, 0), (63, 63)],
        vec![(40, 49), (0, 9)],
        vec![(0, 9), (10, 19)],
        sixteen,
    ] {
        let spelled: Vec<String> = ranges.iter().map(|(a, b)| format!("{a}-{b}")).collect();
        let answer = ranged(&admin, &path, &format!("bytes={}", spelled.join(","))).expect(206);
        is_guarded(&answer);
        assert_eq!(answer.header("content-range"), "", "each part has its own");
        let mime = answer.header("content-type");
        let boundary = mime
            .strip_prefix("multipart/byteranges; boundary=")
            .expect("a boundary");
        let part = |(first, last): &(usize, usize)| {
            let bytes = String::from_utf8_lossy(&CONTENT.as_bytes()[*first..=*last]);
            format!(
                "--{boundary}\r\nContent-Type: application/epub+zip\r\n\
                 Content-Range: bytes {first}-{last}/64\r\n\r\n{bytes}\r\n"
            )
        };
        let parts: Vec<String> = ranges.iter().map(part).collect();
        let expected = format!("{}--{boundary}--\r\n", parts.concat());
        assert_eq!(String::from_utf8_lossy(&answer.body), expected);
        assert_eq!(answer.header("content-length"), expected.len().to_string());
    }
}

#[test]
fn what_is_no_honest_range_gets_the_whole_file() {
    let (_server, admin, path) = one("Moby-Dick.epub");
    let seventeen: Vec<String> = (0..17).map(|n| format!("{}-{}", n * 3, n * 3)).collect();
    let seventeen = format!("bytes={}", seventeen.join(","));
    for range in [
        &seventeen,
        "bytes=0-9,5-14",
        "bytes=0-,-1",
        "bytes=0-0,0-0",
        "bytes=9-5",
        "bytes=",
        "bytes=-",
        "bytes=a-b",
        "bytes=1-2-3",
        "bytes= 1 - 2",
        "bytes=+1-2",
        "bytes 0-1",
        "items=0-1",
        "0-1",
        "nonsense",
    ] {
        let answer = ranged(&admin, &path, range);
        assert_eq!(answer.status, 200, "{range}: {answer:?}");
        assert_eq!(answer.body, CONTENT.as_bytes(), "{range}");
        assert_eq!(answer.header("content-range"), "", "{range}");
    }
    let twice = [("Range", "bytes=0-0"), ("Range", "bytes=1-1")];
    assert_eq!(ask(&admin, "GET", &path, &twice).status, 200);
}

#[test]
fn a_range_beyond_the_file_is_416_with_its_size() {
    let (_server, admin, path) = one("Moby-Dick.epub");
    for range in [
        "bytes=64-",
        "bytes=64-70",
        "bytes=-0",
        "bytes=100-,200-",
        "bytes=99999999999999999999-",
    ] {
        let answer = ranged(&admin, &path, range);
        refused(&answer, 416, "range_not_satisfiable");
        assert_eq!(answer.header("content-range"), "bytes */64", "{range}");
    }
}

#[test]
fn a_client_that_has_the_file_does_not_get_it_again() {
    let (_server, admin, path) = one("Moby-Dick.epub");
    let whole = admin.get(&path).expect(200);
    let (etag, modified) = (whole.header("etag"), whole.header("last-modified"));
    let old = "Sun, 06 Nov 1994 08:49:37 GMT";
    let list = format!("\"other\", {etag}");
    let weak = format!("W/{etag}");
    for (headers, status) in [
        (vec![("If-None-Match", etag)], 304),
        (vec![("If-None-Match", "*")], 304),
        (vec![("If-None-Match", &list)], 304),
        (vec![("If-None-Match", &weak)], 304),
        (vec![("If-None-Match", "\"other\"")], 200),
        (vec![("If-Modified-Since", modified)], 304),
        (vec![("If-Modified-Since", old)], 200),
        (vec![("If-Modified-Since", "yesterday")], 200),
        // The tag decides where both are sent.
        (
            vec![
                ("If-None-Match", "\"other\""),
                ("If-Modified-Since", modified),
            ],
            200,
        ),
        (vec![("If-None-Match", etag), ("Range", "bytes=0-0")], 304),
        (vec![("If-Match", etag)], 200),
        (vec![("If-Match", "\"other\"")], 412),
        (vec![("If-Match", etag), ("Range", "bytes=0-0")], 206),
    ] {
        for method in ["GET", "HEAD"] {
            let answer = ask(&admin, method, &path, &headers);
            // Ranges are for GET alone.
            let expected = if (method, status) == ("HEAD", 206) {
                200
            } else {
                status
            };
            assert_eq!(answer.status, expected, "{method} {headers:?}: {answer:?}");
            if status == 304 {
                assert!(answer.body.is_empty());
                assert_eq!(answer.header("etag"), etag);
                assert_eq!(answer.header("cache-control"), "private, no-cache");
            }
        }
    }
}

#[test]
fn a_range_of_another_state_is_the_whole_file() {
    let (server, admin, path) = one("Moby-Dick.epub");
    // A date says nothing about what changed within its second.
    let file = fs::File::options()
        .write(true)
        .open(server.folder().join("media/Moby-Dick.epub"))
        .expect("the file");
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    file.set_modified(long_ago).expect("a time");
    let whole = admin.get(&path).expect(200);
    let (etag, modified) = (whole.header("etag"), whole.header("last-modified"));
    assert_eq!(modified, "Tue, 14 Nov 2023 22:13:20 GMT");
    let weak = format!("W/{etag}");
    for (state, status) in [
        (etag, 206),
        (modified, 206),
        (weak.as_str(), 200),
        ("\"other\"", 200),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 200),
        ("Sun, 06 Nov 2044 08:49:37 GMT", 200),
        ("nonsense", 200),
    ] {
        let headers = [("Range", "bytes=1-2"), ("If-Range", state)];
        let answer = ask(&admin, "GET", &path, &headers);
        assert_eq!(answer.status, status, "{state}");
        let expected: &[u8] = if status == 206 {
            b"12"
        } else {
            CONTENT.as_bytes()
        };
        assert_eq!(answer.body, expected, "{state}");
        // Beyond the file, but of another state: no refusal either.
        let headers = [("Range", "bytes=64-"), ("If-Range", state)];
        let expected = if status == 206 { 416 } else { 200 };
        assert_eq!(
            ask(&admin, "GET", &path, &headers).status,
            expected,
            "{state}"
        );
    }
    file.set_modified(long_ago + Duration::from_nanos(100))
        .expect("a time");
    assert_ne!(admin.get(&path).expect(200).header("etag"), etag);
}

#[test]
fn two_files_of_one_content_have_two_tags() {
    let (_server, admin, _) = library_of(&[("A.epub", CONTENT), ("B.epub", CONTENT)]);
    let etag = |name| {
        let answer = admin.get(&path_of(&admin, name)).expect(200);
        answer.header("etag").to_owned()
    };
    assert_ne!(etag("A.epub"), etag("B.epub"));
}

#[test]
fn a_download_bears_the_files_name() {
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
fn a_name_cannot_break_a_header() {
    let name = "a\r\nSet-Cookie: x=1\u{202e}.epub";
    let (_server, admin, _) = library_of(&[(name, CONTENT)]);
    let file = all_items(&admin, "/items")[0]["id"].clone();
    let item = admin.get(&format!("/items/{file}")).expect(200).json();
    let path = format!("/files/{}/content?download=1", item["files"][0]["id"]);
    let answer = admin.get(&path).expect(200);
    assert!(!answer.headers.contains_key("set-cookie"), "{answer:?}");
    let told = answer.header("content-disposition");
    assert!(told.starts_with("attachment; "), "{told}");
    for hidden in ["%0D", "%0A", "%E2%80%AE"] {
        assert!(!told.contains(hidden), "{told}");
    }
}

#[test]
fn an_empty_file_has_no_bytes_and_no_ranges() {
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
fn a_file_that_is_gone_is_404_before_the_next_scan_notices() {
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
fn what_a_link_leads_out_to_is_404() {
    let (server, admin, path) = one("Books/Moby-Dick.epub");
    let media = server.folder().join("media");
    let outside = server.folder().join("outside");
    write(&outside, "Moby-Dick.epub", "secret");
    // A sibling whose name begins like the root's is outside, too.
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
    // The folder on the way is a link out.
    fs::remove_file(&file).expect("gone");
    fs::remove_dir(media.join("Books")).expect("gone");
    symlink(&outside, media.join("Books")).expect("a link");
    refused(&admin.get(&path), 404, "not_found");
    // One that stays inside leads to the file.
    fs::remove_file(media.join("Books")).expect("gone");
    write(&media, "Elsewhere/Moby-Dick.epub", "inside");
    symlink("Elsewhere", media.join("Books")).expect("a link");
    assert_eq!(admin.get(&path).expect(200).body, b"inside");
}

#[test]
fn bytes_are_for_whoever_is_granted_them_now() {
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
fn a_file_keeps_its_address_when_it_moves() {
    let (server, admin, path) = one("Moby-Dick.epub");
    let media = server.folder().join("media");
    fs::create_dir(media.join("Shelf")).expect("a folder");
    fs::rename(media.join("Moby-Dick.epub"), media.join("Shelf/Whale.epub")).expect("a move");
    refused(&admin.get(&path), 404, "not_found");
    let library = admin.get("/libraries").expect(200).json()["items"][0].clone();
    scan(&admin, id_of(&library));
    assert_eq!(admin.get(&path).expect(200).body, CONTENT.as_bytes());
}

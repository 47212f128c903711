//! Range and conditional requests for files.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, SystemTime};

use ledge_tests::server::{all_items, scanned_library, until};
use ledge_tests::{Answer, Client, Server};
use serde_json::Value;

use super::{CONTENT, ask, is_guarded, one, path_of};
use crate::catalogue::books::{comic, epub};
use crate::http::conventions::{library_of, refused};

pub(super) fn ranged(client: &Client, path: &str, range: &str) -> Answer {
    ask(client, "GET", path, &[("Range", range)])
}

#[test]
fn single_range_returns_its_bytes() {
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
        let expected = format!("bytes {first}-{last}/64");
        assert_eq!(answer.header("content-range"), expected, "{range}");
        let length = (last - first + 1).to_string();
        assert_eq!(answer.header("content-length"), length, "{range}");
        assert_eq!(answer.header("content-type"), "application/epub+zip");
        assert!(!answer.header("etag").is_empty());
        is_guarded(&answer);
    }
}

#[test]
fn several_ranges_are_parts_of_one_response() {
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
fn invalid_range_returns_whole_file() {
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
fn range_beyond_file_is_416_with_size() {
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
fn client_with_current_file_gets_304() {
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
        // If both are sent, the tag decides.
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
            // Ranges apply to GET only.
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
fn range_of_changed_file_returns_whole_file() {
    let (server, admin, path) = one("Moby-Dick.epub");
    // A date cannot detect a change within its second.
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
        // A range beyond the file is not refused if the file has changed.
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
fn files_of_equal_content_have_different_tags() {
    let (_server, admin, _) = library_of(&[("A.epub", CONTENT), ("B.epub", CONTENT)]);
    let etag = |name| {
        let answer = admin.get(&path_of(&admin, name)).expect(200);
        answer.header("etag").to_owned()
    };
    assert_ne!(etag("A.epub"), etag("B.epub"));
}

/// Returns the response to a request with this `Range`. The usual client sends no header of this
/// size.
fn raw(server: &Server, admin: &Client, path: &str, range: &str) -> Vec<u8> {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).expect("a connection");
    let token = admin.token().expect("a token");
    let request = format!(
        "GET /api/v1{path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\
         Connection: close\r\nRange: {range}\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).expect("a request");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    answer
}

/// Asserts that the response to this `Range` is the whole content.
#[track_caller]
fn is_whole(server: &Server, admin: &Client, path: &str, range: &str, whole: &[u8]) {
    let answer = raw(server, admin, path, range);
    assert!(answer.starts_with(b"HTTP/1.1 200"), "{path} {range:.40}");
    assert!(answer.ends_with(whole), "{path} {range:.40}");
    let end = answer.windows(4).position(|end| end == b"\r\n\r\n");
    let length = answer.len() - end.expect("a head") - 4;
    assert_eq!(length, whole.len(), "{path} {range:.40}");
}

/// Returns headers with far more ranges than any client needs.
fn long_lists() -> Vec<String> {
    let list = |count: usize| {
        let ranges: Vec<String> = (0..count).map(|n| format!("{0}-{0}", n * 2)).collect();
        format!("bytes={}", ranges.join(","))
    };
    vec![
        list(1_000),
        list(16_000),
        // Few ranges, spread over 100,000 characters.
        format!("bytes=0-0{}2-2", ",".repeat(100_000)),
        format!("bytes={}", ",".repeat(100_000)),
        format!("bytes={}-", "9".repeat(100_000)),
    ]
}

#[test]
fn thousand_ranges_are_the_whole_file() {
    let (server, admin, path) = one("Moby-Dick.epub");
    let peak = || {
        let status = fs::read_to_string(format!("/proc/{}/status", server.pid()));
        let status = status.expect("a status");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
        let kilobytes: Option<u64> = kilobytes.and_then(|text| text.parse().ok());
        kilobytes.expect("a peak")
    };
    ranged(&admin, &path, "bytes=0-0").expect(206);
    let before = peak();
    for _ in 0..20 {
        for range in long_lists() {
            is_whole(&server, &admin, &path, &range, CONTENT.as_bytes());
        }
    }
    let grown = peak() - before;
    assert!(grown < 8 << 10, "{grown} KiB for the lists");
}

#[test]
fn thousand_ranges_change_nothing_if_ranges_are_not_supported() {
    let server = Server::start();
    let media = server.folder().join("media");
    fs::create_dir(&media).expect("a folder");
    fs::write(media.join("harbour.epub"), epub()).expect("a file");
    fs::write(media.join("lantern.cbz"), comic()).expect("a file");
    let admin = server.admin();
    scanned_library(&admin, "Books", &media);
    let files = |name: &str, rest: &str| {
        let file = path_of(&admin, name);
        format!("/kinds/books{}", file.replace("content", rest))
    };
    let covers = until("covers", || {
        let cards = all_items(&admin, "/items");
        let has_cover = |card: &Value| !card["cover"].is_null();
        let ids = cards.iter().map(|card| card["id"].clone());
        (cards.len() == 2 && cards.iter().all(has_cover)).then(|| ids.collect::<Vec<_>>())
    });
    for path in [
        files("harbour.epub", "entries/EPUB/nav.xhtml"),
        files("lantern.cbz", "pages/1"),
        format!("/items/{}/cover", covers[0]),
        format!("/items/{}/cover", covers[1]),
    ] {
        let plain = admin.get(&path).expect(200);
        for range in long_lists() {
            is_whole(&server, &admin, &path, &range, &plain.body);
        }
    }
}

//! Compression of API responses, and responses that must never be compressed.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;

use ledge_tests::{Answer, Client};
use serde_json::{Value, json};

use crate::http::conventions::{id_of, library_of, page};

const BROTLI: (&str, &str) = ("Accept-Encoding", "gzip, deflate, br");
const ALL: (&str, &str) = ("Accept-Encoding", "gzip, deflate, br, zstd");
const GZIP: (&str, &str) = ("Accept-Encoding", "gzip");

fn get(client: &Client, path: &str, headers: &[(&str, &str)]) -> Answer {
    client.send("GET", path, headers, None)
}

/// Creates a library whose item list is longer than a kibibyte.
fn shelf() -> (ledge_tests::Server, Client, i64) {
    let files: Vec<(String, String)> = (1..=20)
        .map(|n| (format!("Volume {n}.epub"), format!("{n:08}").repeat(1_000)))
        .collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, content)| (name.as_str(), content.as_str()))
        .collect();
    library_of(&files)
}

fn unpacked(response: &Answer) -> Value {
    let mut text = Vec::new();
    let mut decoder = flate2::read::GzDecoder::new(response.body.as_slice());
    decoder.read_to_end(&mut text).expect("gzip");
    serde_json::from_slice(&text).expect("JSON")
}

#[test]
fn large_json_is_compressed_for_clients_that_accept_it() {
    let (_server, admin, _) = shelf();
    for path in [
        "/items",
        "/home",
        "/search?q=volume",
        "/openapi.json",
        "/kinds/games/platforms",
        "/kinds/games/cores",
    ] {
        let plain = get(&admin, path, &[]).expect(200);
        assert_eq!(plain.header("content-encoding"), "", "{path}");
        let length = plain.body.len().to_string();
        assert_eq!(plain.header("content-length"), length, "{path}");
        for (coding, expected) in [(GZIP, "gzip"), (BROTLI, "br"), (ALL, "zstd")] {
            let response = get(&admin, path, &[coding]).expect(200);
            assert_eq!(response.header("content-encoding"), expected, "{path}");
            assert_eq!(response.header("vary"), "accept-encoding", "{path}");
            assert_eq!(response.header("content-length"), "", "{path}");
            assert_eq!(response.header("content-type"), "application/json");
            assert_eq!(response.header("cache-control"), "no-store", "{path}");
            assert!(response.body.len() < plain.body.len() / 2, "{path}");
        }
        let response = get(&admin, path, &[GZIP]).expect(200);
        // The Explore shelf of the home page differs between requests.
        let is_stable = path != "/home";
        let unpacked = unpacked(&response);
        assert!(!is_stable || unpacked == plain.json(), "{path}: {unpacked}");
        let head = admin.send("HEAD", path, &[GZIP], None).expect(200);
        assert_eq!(head.header("content-encoding"), "gzip", "{path}");
        assert_eq!(head.header("content-length"), "", "{path}");
        assert!(head.body.is_empty(), "{path}");
        let refused = get(&admin, path, &[("Accept-Encoding", "*;q=0")]).expect(200);
        assert_eq!(refused.header("content-encoding"), "", "{path}");
        assert!(!is_stable || refused.json() == plain.json(), "{path}");
    }
}

#[test]
fn short_json_errors_and_logins_are_not_compressed() {
    let (server, admin, _) = shelf();
    for path in [
        "/version",
        "/auth/me",
        "/nothing",
        "/items/98765",
        "//healthz",
    ] {
        let response = get(&admin, path, &[ALL]);
        assert_eq!(response.header("content-encoding"), "", "{path}");
        assert!(response.json().is_object(), "{path}");
    }
    let long = json!({"username": "x".repeat(2_000), "password": "y".repeat(2_000)});
    let body = long.to_string();
    let headers = [ALL, ("Content-Type", "application/json")];
    let login = server.client();
    let login = login.send("POST", "/auth/login", &headers, Some(body.as_bytes()));
    assert_eq!(login.header("content-encoding"), "", "{login:?}");
}

#[test]
fn media_are_not_compressed() {
    let (server, admin, _) = shelf();
    let item = id_of(&page(&admin.get("/items"))[0]);
    let detail = admin.get(&format!("/items/{item}")).expect(200).json();
    let content = format!("/files/{}/content", id_of(&detail["files"][0]));
    let whole = get(&admin, &content, &[ALL]).expect(200);
    assert_eq!(whole.header("content-encoding"), "");
    assert_eq!(whole.body.len(), 8_000);
    let part = get(&admin, &content, &[ALL, ("Range", "bytes=0-1999")]).expect(206);
    assert_eq!(part.header("content-encoding"), "");
    assert_eq!(part.body.len(), 2_000);
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).expect("a connection");
    let token = admin.token().expect("a session");
    let request = format!(
        "GET /api/v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\
         Accept-Encoding: gzip\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).expect("a request");
    let mut lines = BufReader::new(stream).lines();
    let head: Vec<String> = std::iter::from_fn(|| lines.next()?.ok())
        .take_while(|line| !line.is_empty())
        .collect();
    let head = head.join("\n").to_lowercase();
    assert!(head.starts_with("http/1.1 200"), "{head}");
    assert!(!head.contains("content-encoding"), "{head}");
}

//! Embedded web interface: pages, files, compression and caching.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;

use ledge_tests::{Answer, Server};

use crate::http::conventions::refused;

const GZIP: &[u8] = &[0x1f, 0x8b];

fn get(server: &Server, path: &str, headers: &[(&str, &str)]) -> Answer {
    server
        .client()
        .send("GET", &format!("/{path}"), headers, None)
}

/// Returns the files that the entry document refers to, such as `/assets/index-1a2b3c.js`.
fn referred(server: &Server) -> Vec<String> {
    let entry = get(server, "/", &[]).expect(200);
    let text = String::from_utf8(entry.body).expect("text");
    text.split('"')
        .filter(|part| part.starts_with('/') && part.contains('.'))
        .map(str::to_owned)
        .collect()
}

/// Returns the whole response to a path that is sent without normalization.
fn raw(server: &Server, path: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).expect("a connection");
    let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("a request");
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).expect("an answer");
    String::from_utf8_lossy(&bytes).into_owned()
}

fn has_extension(path: &str, extension: &str) -> bool {
    Path::new(path)
        .extension()
        .is_some_and(|found| found == extension)
}

#[test]
fn unknown_path_is_entry_document() {
    let server = Server::start();
    let entry = get(&server, "/", &[]).expect(200);
    assert_eq!(entry.header("content-type"), "text/html; charset=utf-8");
    assert_eq!(entry.header("cache-control"), "no-cache");
    assert!(entry.body.starts_with(b"<!doctype html>"), "{entry:?}");
    for path in [
        "/index.html",
        "/items/7",
        "/browse/books?sort=year",
        "/no.such.file",
        "/apis",
        "/healthzz",
        "/healthz.html",
        "/settings/api",
        "/assets/absent.js",
        "/assets/index-00000000.js",
        "/assets/x/y.css",
    ] {
        let answer = get(&server, path, &[]).expect(200);
        assert_eq!(answer.body, entry.body, "{path}");
        assert_eq!(answer.header("cache-control"), "no-cache", "{path}");
        // A browser that requested a script must not run the document.
        let mime = answer.header("content-type");
        assert_eq!(mime, "text/html; charset=utf-8", "{path}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        let head = server.client().send("HEAD", &format!("/{path}"), &[], None);
        assert_eq!((head.status, head.body.len()), (200, 0), "{path}");
    }
    for method in ["POST", "PUT", "DELETE", "PATCH"] {
        let answer = server.client().send(method, "//items/7", &[], None);
        refused(&answer, 405, "method_not_allowed");
        assert!(answer.header("allow").contains("GET"), "{answer:?}");
    }
}

#[test]
fn entry_document_permits_own_scripts_only() {
    let server = Server::start();
    let answer = get(&server, "/", &[]).expect(200);
    let policy = answer.header("content-security-policy");
    let directive = |name: &str| {
        let found = policy.split(';').map(str::trim);
        found
            .filter_map(|part| part.strip_prefix(name))
            .map(str::trim)
            .next()
    };
    assert_eq!(directive("default-src"), Some("'none'"), "{policy}");
    let scripts = directive("script-src").expect("a directive");
    assert!(scripts.contains("'self'"), "{policy}");
    for loose in [
        "'unsafe-inline'",
        "'unsafe-eval'",
        "*",
        "http:",
        "https:",
        "blob:",
        "data:",
    ] {
        assert!(
            !scripts.split(' ').any(|source| source == loose),
            "{policy}"
        );
    }
    assert_eq!(directive("object-src"), Some("'none'"), "{policy}");
    assert_eq!(directive("base-uri"), Some("'none'"), "{policy}");
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
}

#[test]
fn unchanged_file_is_304() {
    let server = Server::start();
    for accepted in ["identity", "gzip"] {
        let encoding = ("Accept-Encoding", accepted);
        let first = get(&server, "/", &[encoding]).expect(200);
        let etag = first.header("etag");
        assert!(!etag.is_empty());
        let again = get(&server, "/", &[encoding, ("If-None-Match", etag)]);
        assert_eq!((again.status, again.body.len()), (304, 0));
        assert_eq!(again.header("etag"), etag);
        let other = [encoding, ("If-None-Match", "\"other\"")];
        assert_eq!(get(&server, "/", &other).status, 200);
    }
}

#[test]
fn response_is_compressed_under_all_four_conditions_only() {
    let server = Server::start();
    let plain = get(&server, "/", &[]).expect(200);
    for (headers, compressed) in [
        (vec![], false),
        (vec![("Accept-Encoding", "gzip")], true),
        (vec![("Accept-Encoding", "br, GZIP;q=0.5")], true),
        (vec![("Accept-Encoding", "*")], true),
        (vec![("Accept-Encoding", "br")], false),
        (vec![("Accept-Encoding", "identity")], false),
        (vec![("Accept-Encoding", "gzip;q=0")], false),
        (
            vec![("Accept-Encoding", "gzip"), ("Range", "bytes=0-9")],
            false,
        ),
    ] {
        let answer = get(&server, "/", &headers).expect(200);
        assert_eq!(
            answer.header("vary").to_lowercase(),
            "accept-encoding",
            "{headers:?}"
        );
        if compressed {
            assert_eq!(answer.header("content-encoding"), "gzip", "{headers:?}");
            assert_eq!(answer.header("content-length"), "", "{headers:?}");
            assert!(answer.body.starts_with(GZIP), "{headers:?}");
            assert_ne!(answer.header("etag"), plain.header("etag"), "{headers:?}");
        } else {
            assert_eq!(answer.header("content-encoding"), "", "{headers:?}");
            assert_eq!(answer.body, plain.body, "{headers:?}");
            assert_eq!(
                answer.header("content-length"),
                plain.body.len().to_string()
            );
        }
    }
    // Pictures are incompressible, and short JSON fits into one packet.
    let accept = [("Accept-Encoding", "gzip")];
    for path in ["/healthz", "/api/v1/version", "/api/nothing"] {
        assert_eq!(
            get(&server, path, &accept).header("content-encoding"),
            "",
            "{path}"
        );
    }
    for path in referred(&server)
        .iter()
        .filter(|path| has_extension(path, "png"))
    {
        let answer = get(&server, path, &accept).expect(200);
        assert_eq!(answer.header("content-encoding"), "", "{path}");
        assert_eq!(answer.header("content-type"), "image/png");
    }
}

#[test]
fn files_of_entry_document_exist_and_hashed_ones_are_cached_for_a_year() {
    let server = Server::start();
    let files = referred(&server);
    let entry = get(&server, "/", &[]).expect(200);
    for path in &files {
        let answer = get(&server, path, &[]).expect(200);
        assert_ne!(answer.body, entry.body, "{path}");
        let kept = if path.starts_with("/assets/") {
            "public, max-age=31536000, immutable"
        } else {
            "no-cache"
        };
        assert_eq!(answer.header("cache-control"), kept, "{path}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        let mime = answer.header("content-type");
        if has_extension(path, "js") {
            assert_eq!(mime, "text/javascript; charset=utf-8", "{path}");
        }
        if has_extension(path, "css") {
            assert_eq!(mime, "text/css; charset=utf-8", "{path}");
        }
    }
    // The placeholder page of a build without the interface refers to no files.
    let text = String::from_utf8_lossy(&entry.body).into_owned();
    let built = !text.contains("built without its web interface");
    assert_eq!(
        files.iter().any(|path| path.starts_with("/assets/")),
        built,
        "{files:?}"
    );
}

#[test]
fn api_path_in_any_spelling_is_not_entry_document() {
    let server = Server::start();
    for path in [
        "//api/x",
        "/api%2fx",
        "/API/v1",
        "/%61pi/v1/items",
        "/assets/../api",
        "/assets/..%2fapi/v1",
        "/assets/%2e%2e/healthz/x",
    ] {
        let response = raw(&server, path);
        assert!(response.starts_with("HTTP/1.1 404"), "{path}: {response}");
        let is_json = response.contains("content-type: application/json");
        assert!(is_json, "{path}: {response}");
    }
}

#[test]
fn entry_document_describes_the_program_and_robots_are_disallowed() {
    let server = Server::start();
    let entry = String::from_utf8(get(&server, "/", &[]).expect(200).body).expect("text");
    assert!(
        entry.contains("<meta name=\"description\" content=\""),
        "{entry}"
    );
    let robots = get(&server, "/robots.txt", &[]).expect(200);
    assert_eq!(robots.header("content-type"), "text/plain; charset=utf-8");
    assert_eq!(robots.body, b"User-agent: *\nDisallow: /\n");
    let head = server.client().send("HEAD", "//robots.txt", &[], None);
    assert_eq!((head.status, head.body.len()), (200, 0));
}

#[test]
fn compressed_response_is_chunked() {
    let server = Server::start();
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).expect("a connection");
    let request = "GET / HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).expect("a request");
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).expect("an answer");
    let text = String::from_utf8_lossy(&bytes).to_lowercase();
    let head = text.split("\r\n\r\n").next().expect("a head");
    assert!(head.starts_with("http/1.1 200"), "{head}");
    assert!(head.contains("\r\ntransfer-encoding: chunked"), "{head}");
    assert!(!head.contains("content-length"), "{head}");
    assert!(bytes.ends_with(b"0\r\n\r\n"));
}

#[test]
fn only_files_of_build_are_served() {
    let server = Server::start();
    let entry = get(&server, "/", &[]).expect(200);
    for path in [
        "/../Cargo.toml",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/..%2f..%2fetc/passwd",
        "//etc/passwd",
        "/assets/../index.html",
        "/assets/..%2f..%2fledge.db",
        "/ledge.db",
    ] {
        let mut stream = TcpStream::connect(("127.0.0.1", server.port())).expect("a connection");
        let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("a request");
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("an answer");
        let page = bytes.ends_with(&entry.body);
        let absent = bytes.starts_with(b"HTTP/1.1 404");
        assert!(
            page || absent,
            "{path}: {}",
            String::from_utf8_lossy(&bytes)
        );
    }
}

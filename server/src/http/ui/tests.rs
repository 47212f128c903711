//! Tests of the web UI's files over the whole router. The files depend on the build; the entry
//! document always exists.

use std::io::Read as _;

use axum::http::StatusCode;
use serde_json::Value;

use crate::http::test_app::{Answer, TestApp};

const GZIP: (&str, &str) = ("accept-encoding", "gzip, br");

async fn entry(headers: &[(&str, &str)]) -> Answer {
    TestApp::new().get("/", headers).await
}

fn unzipped(answer: &Answer) -> Vec<u8> {
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(answer.bytes.as_slice())
        .read_to_end(&mut bytes)
        .expect("gzip");
    bytes
}

#[tokio::test]
async fn every_page_path_returns_the_entry_document() {
    let app = TestApp::new();
    let entry = app.get("/", &[]).await;
    assert_eq!(
        entry.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    assert_eq!(entry.header("cache-control"), Some("no-cache"));
    let policy = entry.header("content-security-policy").expect("a policy");
    assert!(policy.starts_with("default-src 'none'; script-src 'self' 'wasm-unsafe-eval';"));
    for path in [
        "/browse/books",
        "/items/7",
        "/assets",
        "/apis",
        "/a.b.c",
        "/%",
        "/assets/index-00000000.js",
        "/assets/x/y.css",
    ] {
        let answer = app.get(path, &[]).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}");
        assert_eq!(answer.bytes, entry.bytes, "{path}");
        assert_eq!(answer.header("cache-control"), Some("no-cache"), "{path}");
    }
}

#[tokio::test]
async fn robots_file_disallows_everything() {
    let app = TestApp::new();
    let answer = app.get("/robots.txt", &[]).await;
    assert_eq!(answer.status, StatusCode::OK);
    let mime = answer.header("content-type");
    assert_eq!(mime, Some("text/plain; charset=utf-8"));
    assert_eq!(answer.bytes, b"User-agent: *\nDisallow: /\n");
}

#[tokio::test]
async fn compressed_response_has_vary_and_no_length() {
    let plain = entry(&[]).await;
    let zipped = entry(&[GZIP]).await;
    assert_eq!(zipped.header("content-encoding"), Some("gzip"));
    assert_eq!(zipped.header("vary"), Some("Accept-Encoding"));
    assert_eq!(zipped.header("content-length"), None);
    assert_eq!(unzipped(&zipped), plain.bytes);
    assert_ne!(zipped.header("etag"), plain.header("etag"));
    assert_eq!(plain.header("content-encoding"), None);
    let length = plain.bytes.len().to_string();
    assert_eq!(plain.header("content-length"), Some(length.as_str()));
}

#[tokio::test]
async fn range_request_or_refused_gzip_returns_the_plain_file() {
    let plain = entry(&[]).await;
    for headers in [
        &[GZIP, ("range", "bytes=0-9")][..],
        &[("accept-encoding", "gzip;q=0")],
        &[("accept-encoding", "identity")],
    ] {
        let answer = entry(headers).await;
        assert_eq!(answer.status, StatusCode::OK);
        assert_eq!(answer.header("content-encoding"), None);
        assert_eq!(answer.bytes, plain.bytes);
    }
}

#[tokio::test]
async fn cached_file_is_not_sent_again() {
    for coding in [&[][..], &[GZIP]] {
        let first = entry(coding).await;
        let etag = first.header("etag").expect("a tag");
        let listed = format!("\"other\", W/{etag}");
        for tag in [etag, &listed, "*"] {
            let headers = [coding, &[("if-none-match", tag)]].concat();
            let answer = entry(&headers).await;
            assert_eq!(answer.status, StatusCode::NOT_MODIFIED, "{tag}");
            assert!(answer.bytes.is_empty());
            assert_eq!(answer.header("etag"), Some(etag));
            assert_eq!(answer.header("cache-control"), Some("no-cache"));
        }
        let headers = [coding, &[("if-none-match", "\"other\"")]].concat();
        assert_eq!(entry(&headers).await.status, StatusCode::OK);
    }
}

#[tokio::test]
async fn head_response_equals_get_without_the_body() {
    let app = TestApp::new();
    for headers in [&[][..], &[GZIP]] {
        let get = app.get("/", headers).await;
        let head = app.ask("HEAD", "/", headers, Value::Null).await;
        assert_eq!(head.status, StatusCode::OK);
        assert!(head.bytes.is_empty());
        for name in [
            "content-type",
            "content-length",
            "content-encoding",
            "etag",
            "vary",
        ] {
            assert_eq!(head.header(name), get.header(name), "{name}");
        }
    }
}

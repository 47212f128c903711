use std::io::Read as _;

use axum::Json;
use axum::response::IntoResponse as _;
use flate2::read::GzDecoder;
use http_body_util::BodyExt as _;
use ledge_core::http::{ApiJson, SecretJson};

use super::*;

fn long() -> Vec<String> {
    (0..100).map(|n| format!("item number {n}")).collect()
}

fn accepted(codings: &str) -> AcceptedCodings {
    let request = Request::builder().header(ACCEPT_ENCODING, codings);
    AcceptedCodings::of_request(&request.body(Body::empty()).expect("a request"))
}

fn coding(response: &AnyResponse) -> &str {
    let header = response.headers().get("content-encoding");
    header.map_or("", |value| value.to_str().expect("text"))
}

async fn bytes(response: AnyResponse) -> Vec<u8> {
    let body = response.into_body().collect().await.expect("a body");
    body.to_bytes().to_vec()
}

#[tokio::test]
async fn large_json_is_compressed_in_the_preferred_coding() {
    let plain = bytes(ApiJson(long()).into_response()).await;
    for (codings, expected) in [
        ("gzip, deflate", "gzip"),
        ("gzip, deflate, br", "br"),
        ("gzip, deflate, br, zstd", "zstd"),
        ("gzip, br", "br"),
        ("gzip;q=1, br;q=0.5, zstd;q=0.1", "gzip"),
        ("identity", ""),
        ("gzip;q=0", ""),
        ("identity;q=0", ""),
        ("*;q=0", ""),
    ] {
        let response = ApiJson(long()).into_response();
        let response = accepted(codings).compress(response).await;
        assert_eq!(response.status(), 200, "{codings}");
        assert_eq!(coding(&response), expected, "{codings}");
        assert_eq!(response.headers()["vary"], "accept-encoding", "{codings}");
        let is_compressed = !expected.is_empty();
        let has_length = response.headers().contains_key(CONTENT_LENGTH);
        assert!(!(is_compressed && has_length), "{codings}");
        let body = bytes(response).await;
        assert_eq!(body.len() < plain.len(), is_compressed, "{codings}");
        if expected == "gzip" {
            let mut text = Vec::new();
            let mut decoder = GzDecoder::new(body.as_slice());
            decoder.read_to_end(&mut text).expect("gzip");
            assert_eq!(text, plain);
        }
    }
}

#[tokio::test]
async fn small_unmarked_and_secret_responses_are_not_compressed() {
    for response in [
        ApiJson(vec!["short"]).into_response(),
        Json(long()).into_response(),
        SecretJson(long()).into_response(),
        "text ".repeat(1_000).into_response(),
    ] {
        let response = accepted("gzip, br, zstd").compress(response).await;
        assert_eq!(coding(&response), "");
    }
}

#[tokio::test]
async fn request_for_a_range_gets_plain_json() {
    let request = Request::builder()
        .header(ACCEPT_ENCODING, "gzip")
        .header(RANGE, "bytes=0-9")
        .body(Body::empty())
        .expect("a request");
    let accepted = AcceptedCodings::of_request(&request);
    let response = accepted.compress(ApiJson(long()).into_response()).await;
    assert_eq!(coding(&response), "");
}

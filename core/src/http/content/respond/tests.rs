use std::io::Write;

use axum::http::HeaderName;
use http_body_util::BodyExt;

use super::*;

const BYTES: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyz";
const THEN: &str = "Fri, 20 Nov 2026 17:26:00 GMT";
const BEFORE: &str = "Fri, 20 Nov 2026 17:25:59 GMT";
/// Modification time of the file, in seconds since 1970.
const TIME: u32 = 1_795_195_560;
const ETAG: &str = "\"24-18e9d0d9b8289000-7\"";

fn media_file(bytes: &[u8]) -> MediaFile {
    let mut file = tempfile::tempfile().expect("a file");
    file.write_all(bytes).expect("bytes");
    MediaFile {
        file,
        size: bytes.len() as u64,
        mtime_ns: i128::from(TIME) * 1_000_000_000,
    }
}

async fn ask(
    method: Method,
    bytes: &[u8],
    list: &[(&'static str, &str)],
) -> (StatusCode, HeaderMap, Vec<u8>) {
    let mut headers = HeaderMap::new();
    for (name, value) in list {
        let value = HeaderValue::try_from(*value).expect("a value");
        headers.append(HeaderName::from_static(name), value);
    }
    let presentation = Presentation {
        mime: "audio/mpeg",
        id: 7,
        download: None,
        direct: None,
    };
    let response = respond(media_file(bytes), &presentation, &method, &headers)
        .unwrap_or_else(IntoResponse::into_response);
    let (parts, body) = response.into_parts();
    let bytes = body.collect().await.expect("a body").to_bytes().to_vec();
    (parts.status, parts.headers, bytes)
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers
        .get(name)
        .map_or("", |value| value.to_str().expect("ASCII"))
}

#[tokio::test]
async fn whole_file_is_sent_with_all_headers() {
    for method in [Method::GET, Method::HEAD] {
        let (status, headers, body) = ask(method.clone(), BYTES, &[]).await;
        assert_eq!(status, 200);
        for (name, value) in [
            ("content-type", "audio/mpeg"),
            ("content-length", "36"),
            ("accept-ranges", "bytes"),
            ("cache-control", "private, no-cache"),
            ("x-content-type-options", "nosniff"),
            ("content-security-policy", "sandbox"),
            ("etag", ETAG),
            ("last-modified", THEN),
            ("content-encoding", ""),
            ("content-disposition", ""),
        ] {
            assert_eq!(text(&headers, name), value, "{name}");
        }
        let expected = if method == Method::GET { BYTES } else { b"" };
        assert_eq!(body, expected);
    }
}

/// Request headers with the status, range and body of the response.
const CASES: &[(&[(&str, &str)], u16, &str, &[u8])] = &[
    (&[("range", "bytes=0-3")], 206, "bytes 0-3/36", b"0123"),
    (&[("range", "bytes=34-")], 206, "bytes 34-35/36", b"yz"),
    (&[("range", "bytes=-2")], 206, "bytes 34-35/36", b"yz"),
    (&[("range", "bytes=0-99")], 206, "bytes 0-35/36", BYTES),
    (&[("range", "bytes=5-4")], 200, "", BYTES),
    (&[("range", "pages=5-6")], 200, "", BYTES),
    (&[("range", "bytes=0-3,2-5")], 200, "", BYTES),
    (
        &[("range", "bytes=0-3"), ("range", "bytes=5-6")],
        200,
        "",
        BYTES,
    ),
    (
        &[("range", "bytes=0-3"), ("if-range", ETAG)],
        206,
        "bytes 0-3/36",
        b"0123",
    ),
    (
        &[("range", "bytes=0-3"), ("if-range", THEN)],
        206,
        "bytes 0-3/36",
        b"0123",
    ),
    (
        &[("range", "bytes=0-3"), ("if-range", "\"old\"")],
        200,
        "",
        BYTES,
    ),
    (
        &[("range", "bytes=0-3"), ("if-range", BEFORE)],
        200,
        "",
        BYTES,
    ),
    // A range outside the file is not an error if the file has changed.
    (
        &[("range", "bytes=99-"), ("if-range", "\"old\"")],
        200,
        "",
        BYTES,
    ),
    // Conditions are evaluated before ranges.
    (
        &[("range", "bytes=0-3"), ("if-none-match", ETAG)],
        304,
        "",
        b"",
    ),
    (
        &[("range", "bytes=99-"), ("if-modified-since", THEN)],
        304,
        "",
        b"",
    ),
    (
        &[("range", "bytes=0-3"), ("if-modified-since", BEFORE)],
        206,
        "bytes 0-3/36",
        b"0123",
    ),
];

#[tokio::test]
async fn ranges_and_conditions_are_combined_as_specified() {
    for &(list, status, content_range, body) in CASES {
        let (got, headers, bytes) = ask(Method::GET, BYTES, list).await;
        assert_eq!(got, status, "{list:?}");
        assert_eq!(text(&headers, "content-range"), content_range, "{list:?}");
        assert_eq!(text(&headers, "etag"), ETAG, "{list:?}");
        assert_eq!(bytes, body, "{list:?}");
        if status != 304 {
            assert_eq!(
                text(&headers, "content-length"),
                body.len().to_string(),
                "{list:?}"
            );
        }
    }
}

#[tokio::test]
async fn head_ignores_ranges() {
    let (status, headers, body) = ask(Method::HEAD, BYTES, &[("range", "bytes=0-3")]).await;
    assert_eq!(status, 200);
    assert_eq!(text(&headers, "content-length"), "36");
    assert!(body.is_empty());
}

#[tokio::test]
async fn several_ranges_are_sent_as_multipart() {
    let (status, headers, body) =
        ask(Method::GET, BYTES, &[("range", "bytes=30-31, 0-0,-2")]).await;
    assert_eq!(status, 206);
    assert_eq!(text(&headers, "content-range"), "");
    assert_eq!(text(&headers, "content-length"), body.len().to_string());
    let boundary = text(&headers, "content-type")
        .strip_prefix("multipart/byteranges; boundary=")
        .expect("a boundary")
        .to_owned();
    let part = |range: &str, bytes: &str| {
        format!(
            "--{boundary}\r\nContent-Type: audio/mpeg\r\nContent-Range: bytes {range}/36\r\n\r\n\
             {bytes}\r\n"
        )
    };
    let expected = format!(
        "{}{}{}--{boundary}--\r\n",
        part("30-31", "uv"),
        part("0-0", "0"),
        part("34-35", "yz")
    );
    assert_eq!(String::from_utf8(body).expect("text"), expected);
}

#[tokio::test]
async fn range_outside_file_is_refused_with_size() {
    for (bytes, range, content_range) in [
        (BYTES, "bytes=36-", "bytes */36"),
        (BYTES, "bytes=-0", "bytes */36"),
        (b"", "bytes=0-", "bytes */0"),
    ] {
        let (status, headers, body) = ask(Method::GET, bytes, &[("range", range)]).await;
        assert_eq!(status, 416);
        assert_eq!(text(&headers, "content-range"), content_range);
        assert_eq!(text(&headers, "content-type"), "application/json");
        assert_eq!(text(&headers, "cache-control"), "no-store");
        let body: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
        assert_eq!(body["error"]["code"], "range_not_satisfiable");
    }
}

#[tokio::test]
async fn empty_file_is_empty_response() {
    let (status, headers, body) = ask(Method::GET, b"", &[]).await;
    assert_eq!(status, 200);
    assert_eq!(text(&headers, "content-length"), "0");
    assert!(body.is_empty());
}

#[tokio::test]
async fn failed_precondition_is_412() {
    let (status, _, body) = ask(Method::GET, BYTES, &[("if-match", "\"x\"")]).await;
    assert_eq!(status, 412);
    let body: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
    assert_eq!(body["error"]["code"], "precondition_failed");
}

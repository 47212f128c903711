//! Assertions on responses.

use std::fs;
use std::path::Path;

use ledge_tests::server::scanned_library;
use ledge_tests::{Answer, Client, Server};
use serde_json::Value;

/// Asserts that the response is this error, in the common format.
#[track_caller]
pub(crate) fn refused(answer: &Answer, status: u16, code: &str) {
    assert_eq!(answer.status, status, "{answer:?}");
    assert_eq!(
        answer.header("content-type"),
        "application/json",
        "{answer:?}"
    );
    assert!(!answer.header("x-request-id").is_empty(), "{answer:?}");
    let body = answer.json();
    has_keys(&body, "error");
    let keys = if status == 422 {
        "code message field"
    } else {
        "code message"
    };
    has_keys(&body["error"], keys);
    assert_eq!(body["error"]["code"], code, "{answer:?}");
    let message = body["error"]["message"].as_str().expect("a message");
    assert!(!message.is_empty());
}

/// Asserts that the response is a 422 that names this field.
#[track_caller]
pub(crate) fn invalid(answer: &Answer, field: &str) {
    refused(answer, 422, "invalid");
    assert_eq!(answer.json()["error"]["field"], field, "{answer:?}");
}

/// Asserts that the object has exactly these keys.
#[track_caller]
pub(crate) fn has_keys(object: &Value, keys: &str) {
    let mut expected: Vec<&str> = keys.split_whitespace().collect();
    expected.sort_unstable();
    let mut found: Vec<&String> = object.as_object().expect("an object").keys().collect();
    found.sort_unstable();
    assert_eq!(found, expected, "{object}");
}

/// Asserts that the response is a paged list, and returns its items.
#[track_caller]
pub(crate) fn page(answer: &Answer) -> Vec<Value> {
    assert_eq!(answer.status, 200, "{answer:?}");
    let body = answer.json();
    has_keys(&body, "items total offset limit");
    assert!(body["total"].is_u64() && body["offset"].is_u64() && body["limit"].is_u64());
    body["items"].as_array().expect("items").clone()
}

/// Asserts that the response is a complete list, and returns its items.
#[track_caller]
pub(crate) fn list(answer: &Answer) -> Vec<Value> {
    assert_eq!(answer.status, 200, "{answer:?}");
    let body = answer.json();
    has_keys(&body, "items");
    body["items"].as_array().expect("items").clone()
}

/// Asserts that the value is a timestamp: UTC, fixed width, microseconds.
#[track_caller]
pub(crate) fn is_time(value: &Value) {
    let text = value.as_str().unwrap_or_default();
    let form: String = text
        .chars()
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect();
    assert_eq!(form, "0000-00-00T00:00:00.000000Z", "{value}");
}

/// Returns the id of an object.
#[track_caller]
pub(crate) fn id_of(object: &Value) -> i64 {
    object["id"].as_i64().expect("an id")
}

/// Writes a file, and creates its folders.
pub(crate) fn write(folder: &Path, name: &str, content: impl AsRef<[u8]>) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    fs::write(path, content).expect("a file");
}

/// Starts a server with one scanned library of these files in its folder `media`.
pub(crate) fn library_of(files: &[(&str, &str)]) -> (Server, Client, i64) {
    let server = Server::start();
    let media = server.folder().join("media");
    fs::create_dir(&media).expect("a folder");
    for (name, content) in files {
        write(&media, name, content);
    }
    let admin = server.admin();
    let (id, status) = scanned_library(&admin, "Media", &media);
    assert_eq!(status["status"], "done", "{status}");
    (server, admin, id)
}

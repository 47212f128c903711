//! Validation of request bodies.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use ledge_tests::Server;
use ledge_tests::server::PASSWORD;
use serde_json::{Value, json};

use super::answers::{invalid, library_of, refused};
use super::{JSON, send};

/// Returns every route with a JSON body, with a valid body.
fn json_routes(user: i64, library: i64) -> Vec<(&'static str, String, Value)> {
    vec![
        (
            "POST",
            "/auth/login".to_owned(),
            json!({"username": "admin", "password": PASSWORD}),
        ),
        (
            "PUT",
            "/auth/password".to_owned(),
            json!({"current_password": PASSWORD, "new_password": PASSWORD}),
        ),
        (
            "POST",
            "/users".to_owned(),
            json!({"username": "new", "password": PASSWORD}),
        ),
        ("PATCH", format!("/users/{user}"), json!({"role": "user"})),
        (
            "PUT",
            format!("/users/{user}/password"),
            json!({"password": PASSWORD}),
        ),
        (
            "PUT",
            format!("/users/{user}/libraries"),
            json!({"library_ids": []}),
        ),
        (
            "POST",
            "/libraries".to_owned(),
            json!({"name": "Etc", "path": "/etc"}),
        ),
        (
            "PATCH",
            format!("/libraries/{library}"),
            json!({"name": "Media"}),
        ),
        (
            "POST",
            format!("/libraries/{library}/scan"),
            json!({"accept_missing": false}),
        ),
        (
            "POST",
            "/playback/resolve".to_owned(),
            json!({"item_id": 1, "engines": []}),
        ),
        (
            "PUT",
            "/items/1/progress".to_owned(),
            json!({"position": 7}),
        ),
        ("PATCH", "/items/1".to_owned(), json!({"year": 1900})),
        (
            "POST",
            format!("/libraries/{library}/enrich"),
            json!({"force": false}),
        ),
        (
            "POST",
            "/items/1/enrich".to_owned(),
            json!({"force": false}),
        ),
    ]
}

#[test]
fn body_must_be_json_with_json_media_type() {
    let (server, admin, library) = library_of(&[("A.epub", "a")]);
    let (user, _) = server.user(&admin, "mia");
    for (method, path, good) in json_routes(user, library) {
        let case = |mime, body: &[u8]| send(&admin, method, &path, mime, body);
        let text = good.to_string();
        for mime in [
            None,
            Some("text/plain"),
            Some("application/x-www-form-urlencoded"),
        ] {
            // The content is not examined.
            for body in [text.as_bytes(), b"{"] {
                refused(&case(mime, body), 415, "unsupported_media_type");
            }
        }
        for broken in [
            &b"{"[..],
            b"nope",
            b"{}}",
            b"{'a': 1}",
            b"\xff\xfe{}",
            b"{\"a\xff\": 1}",
        ] {
            refused(&case(JSON, broken), 400, "bad_request");
        }
        for other in [&b"[]"[..], b"5", b"\"text\"", b"null"] {
            let answer = case(JSON, other);
            refused(&answer, 422, "invalid");
        }
        // A typing error, or a right that the client claims.
        for field in ["usrname", "user_id", "owner", "is_admin"] {
            let mut more = good.clone();
            more[field] = json!(1);
            invalid(&case(JSON, more.to_string().as_bytes()), field);
        }
        let charset = Some("application/json; charset=utf-8");
        let answer = case(charset, text.as_bytes());
        assert!(answer.status < 300, "{method} {path}: {answer:?}");
    }
}

#[test]
fn field_of_wrong_type_or_missing_field_is_named() {
    let (server, admin, library) = library_of(&[]);
    let (user, _) = server.user(&admin, "mia");
    let user_path = format!("/users/{user}");
    let grants = format!("/users/{user}/libraries");
    let library = format!("/libraries/{library}");
    let scan = format!("{library}/scan");
    for (method, path, body, field) in [
        ("POST", "/auth/login", json!({}), "username"),
        (
            "POST",
            "/auth/login",
            json!({"username": 5, "password": "x"}),
            "username",
        ),
        ("POST", "/auth/login", json!({"username": "a"}), "password"),
        (
            "POST",
            "/users",
            json!({"username": "a", "password": null}),
            "password",
        ),
        (
            "POST",
            "/users",
            json!({"username": "a", "password": PASSWORD, "role": "boss"}),
            "role",
        ),
        ("PATCH", &user_path, json!({"disabled": "yes"}), "disabled"),
        ("PATCH", &user_path, json!({"role": true}), "role"),
        ("PUT", &grants, json!({}), "library_ids"),
        ("PUT", &grants, json!({"library_ids": 1}), "library_ids"),
        ("PUT", &grants, json!({"library_ids": ["1"]}), "library_ids"),
        ("PUT", &grants, json!({"library_ids": [1.5]}), "library_ids"),
        ("POST", "/libraries", json!({"name": "x"}), "path"),
        ("POST", "/libraries", json!({"path": "/"}), "name"),
        (
            "POST",
            "/libraries",
            json!({"name": "x", "path": "/", "kinds": "books"}),
            "kinds",
        ),
        (
            "POST",
            "/libraries",
            json!({"name": "x", "path": "/", "kinds": [1]}),
            "kinds",
        ),
        ("PATCH", &library, json!({"name": null}), "name"),
        ("PATCH", &library, json!({"path": null}), "path"),
        (
            "POST",
            &scan,
            json!({"accept_missing": 1}),
            "accept_missing",
        ),
    ] {
        let body = body.to_string();
        let answer = send(&admin, method, path, JSON, body.as_bytes());
        invalid(&answer, field);
    }
}

#[test]
fn body_over_one_mebibyte_is_413_and_client_receives_it() {
    let (server, admin, library) = library_of(&[("A.epub", "a")]);
    let (user, _) = server.user(&admin, "mia");
    let padded = |good: &Value, size: usize| {
        let mut text = good.to_string().into_bytes();
        text.resize(size, b' ');
        text
    };
    for (method, path, good) in json_routes(user, library) {
        // The login, which needs no session, has a lower limit.
        let limit = if path == "/auth/login" {
            64 << 10
        } else {
            1 << 20
        };
        let answer = send(&admin, method, &path, JSON, &padded(&good, limit));
        assert!(answer.status < 300, "{method} {path}: {answer:?}");
        for size in [limit + 1, 8 << 20] {
            let answer = send(&admin, method, &path, JSON, &padded(&good, size));
            refused(&answer, 413, "payload_too_large");
        }
    }
    // The password reset has ended the session.
    let mia = server.client().sign_in("mia", PASSWORD);
    let long = vec![b' '; 24 << 20];
    let anonymous = server.client();
    refused(
        &send(anonymous, "POST", "/users", JSON, &long),
        401,
        "unauthenticated",
    );
    refused(&send(&mia, "POST", "/users", JSON, &long), 403, "forbidden");
    refused(
        &send(&admin, "PATCH", "/users/98765", JSON, &long),
        404,
        "not_found",
    );
    refused(
        &send(&admin, "POST", "/users", None, &long),
        415,
        "unsupported_media_type",
    );
}

#[test]
fn connection_serves_next_request_after_a_body_that_no_handler_read() {
    let server = Server::start();
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).expect("a connection");
    stream.set_nodelay(true).expect("a socket option");
    let limit = Some(Duration::from_secs(10));
    stream.set_read_timeout(limit).expect("a socket option");
    for _ in 0..3 {
        let head = "GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n";
        stream.write_all(head.as_bytes()).expect("a request");
        let mut answer = [0; 4096];
        let length = stream.read(&mut answer).expect("an answer");
        assert!(answer[..length].starts_with(b"HTTP/1.1 200"), "{length}");
        stream.write_all(b"null").expect("the late body");
    }
}

//! Conventions of all routes: errors, bodies, queries, lists, timestamps, and the order of checks.
//! `answers` contains the assertions that the other files share.

mod answers;
mod bodies;

use ledge_tests::server::{is_idle, until};
use ledge_tests::{Answer, Client, Server};
use serde_json::json;

pub(crate) use answers::{
    has_keys, id_of, invalid, is_time, library_of, list, page, refused, write,
};

fn ask(client: &Client, method: &str, path: &str) -> Answer {
    client.send(method, path, &[], None)
}

fn send(client: &Client, method: &str, path: &str, mime: Option<&str>, body: &[u8]) -> Answer {
    let headers: Vec<_> = mime.iter().map(|mime| ("Content-Type", *mime)).collect();
    client.send(method, path, &headers, Some(body))
}

const JSON: Option<&str> = Some("application/json");

#[test]
fn unknown_path_is_same_json_404_for_every_role() {
    let server = Server::start();
    let admin = server.admin();
    let (_, user) = server.user(&admin, "mia");
    for path in [
        "/nothing",
        "/",
        "//api",
        "//api/",
        "//api/v1",
        "//api/v2/items",
        "//api/index.html",
        "/items/1/nothing",
        "/items/1/",
        "/auth",
        "//healthz/anything",
        "//healthz/",
    ] {
        for method in ["GET", "POST", "DELETE"] {
            let answers = [server.client(), &user, &admin].map(|c| ask(c, method, path));
            for answer in &answers {
                refused(answer, 404, "not_found");
                assert_eq!(answer.body, answers[0].body, "{method} {path}");
            }
        }
        let head = ask(server.client(), "HEAD", path);
        assert_eq!((head.status, head.body.len()), (404, 0), "{path}");
    }
}

#[test]
fn wrong_method_is_405_with_allow_header() {
    let server = Server::start();
    let admin = server.admin();
    for (method, path, allowed) in [
        ("DELETE", "//healthz", "GET"),
        ("POST", "/version", "GET"),
        ("PATCH", "/media-types", "GET"),
        ("GET", "/auth/login", "POST"),
        ("GET", "/auth/logout", "POST"),
        ("POST", "/auth/me", "GET"),
        ("POST", "/auth/password", "PUT"),
        ("DELETE", "/users", "GET POST"),
        ("PUT", "/users/1", "GET PATCH DELETE"),
        ("PATCH", "/libraries", "GET POST"),
        ("POST", "/libraries/1", "GET PATCH DELETE"),
        ("GET", "/libraries/1/scan", "POST DELETE"),
        ("GET", "/libraries/1/purge", "POST"),
        ("POST", "/libraries/1/grants/1", "PUT DELETE"),
        ("POST", "/items", "GET PATCH"),
        ("POST", "/files/1/content", "GET HEAD"),
        ("DELETE", "/missing", "GET"),
        ("DELETE", "/jobs", "GET"),
        ("GET", "/jobs/1/retry", "POST"),
    ] {
        for client in [server.client(), &admin] {
            let answer = ask(client, method, path);
            refused(&answer, 405, "method_not_allowed");
            let allow = answer.header("allow");
            let methods: Vec<&str> = allow.split(',').map(str::trim).collect();
            for method in allowed.split(' ') {
                assert!(methods.contains(&method), "{method} {path}: {allow}");
            }
            assert!(!methods.contains(&method), "{method} {path}: {allow}");
        }
    }
}

#[test]
fn non_integer_id_is_404() {
    let (_server, admin, library) = library_of(&[("A.epub", "a")]);
    for (method, before, after) in [
        ("GET", "/items/", ""),
        ("GET", "/files/", "/content"),
        ("GET", "/users/", ""),
        ("PATCH", "/users/", ""),
        ("GET", "/libraries/", ""),
        ("GET", "/libraries/", "/items"),
        ("GET", "/libraries/", "/scan/status"),
        ("POST", "/libraries/", "/scan"),
        ("POST", "/jobs/", "/retry"),
        ("PUT", &format!("/libraries/{library}/grants/"), ""),
    ] {
        let absent = ask(&admin, method, &format!("{before}987654321{after}"));
        refused(&absent, 404, "not_found");
        for id in [
            "x",
            "1x",
            "1.0",
            "-1",
            "0",
            "99999999999999999999",
            "%31x",
            "%00",
            "1%2F2",
            "null",
        ] {
            let answer = ask(&admin, method, &format!("{before}{id}{after}"));
            refused(&answer, 404, "not_found");
            assert_eq!(answer.body, absent.body, "{method} {before}{id}{after}");
        }
    }
}

#[test]
fn invalid_page_window_is_refused_and_never_clamped() {
    let files: Vec<String> = (1..=5).map(|n| format!("Book {n}.epub")).collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|name| (name.as_str(), name.as_str()))
        .collect();
    let (_server, admin, library) = library_of(&files);
    for path in [
        "/items",
        &format!("/libraries/{library}/items"),
        "/missing",
        "/people",
        "/series",
        "/jobs",
    ] {
        let ask = |query: &str| admin.get(&format!("{path}?{query}"));
        let total = ask("").expect(200).json()["total"].clone();
        for (query, offset, limit) in [
            ("", 0, 60),
            ("limit=1", 0, 1),
            ("limit=500", 0, 500),
            ("offset=3", 3, 60),
            ("offset=1&limit=2", 1, 2),
            ("offset=9223372036854775807&limit=500", i64::MAX, 500),
        ] {
            let answer = ask(query);
            let items = page(&answer);
            let body = answer.json();
            let window = (body["offset"].as_i64(), body["limit"].as_i64());
            assert_eq!(window, (Some(offset), Some(limit)), "{path}?{query}");
            assert_eq!(body["total"], total, "{path}?{query}");
            let left = (total.as_i64().expect("a number") - offset).clamp(0, limit);
            assert_eq!(items.len(), usize::try_from(left).expect("small"));
        }
        for limit in [
            "0",
            "501",
            "-1",
            "x",
            "1.5",
            "1e2",
            "0x10",
            "99999999999999999999",
            "true",
        ] {
            invalid(&ask(&format!("limit={limit}")), "limit");
        }
        for offset in ["-1", "x", "1.5", "99999999999999999999"] {
            invalid(&ask(&format!("offset={offset}")), "offset");
        }
    }
}

#[test]
fn unknown_query_parameter_is_ignored_and_invalid_known_one_is_refused() {
    let (_server, admin, library) = library_of(&[("A.epub", "a")]);
    until("the end of all jobs", || is_idle(&admin).then_some(()));
    for path in [
        "/items",
        "/items/letters",
        "/missing",
        "/jobs",
        "/users",
        "/libraries",
        "/version",
        "/auth/me",
        &format!("/libraries/{library}"),
    ] {
        let plain = admin.get(path).expect(200);
        let more = admin
            .get(&format!("{path}?lmit=0&Limit=0&x[]=%00&=&%FF"))
            .expect(200);
        assert_eq!(plain.json(), more.json(), "{path}");
    }
    for (path, field) in [
        ("/items?library=x", "library"),
        ("/items?library=1.5", "library"),
        ("/items?author=x", "author"),
        ("/items?series=x", "series"),
        ("/items?favourite=maybe", "favourite"),
        ("/items?missing=2", "missing"),
        ("/items?state=begun", "state"),
        ("/items?sort=weight", "sort"),
        ("/items?sort=Title", "sort"),
        ("/items?order=up", "order"),
        ("/items?sort=random&seed=x", "seed"),
        ("/items?kind=films", "kind"),
        ("/items?kind=", "kind"),
        ("/search?q=a&kind=", "kind"),
        ("/items/letters?kind=films", "kind"),
        ("/items?subkind=", "subkind"),
        ("/items?kind=books&subkind=film", "subkind"),
        ("/items/letters?subkind=nothing", "subkind"),
        ("/items/subkinds?kind=films", "kind"),
        ("/items/letters?library=x", "library"),
        ("/jobs?status=odd", "status"),
        ("/jobs?limit=1&limit=2", "limit"),
    ] {
        invalid(&admin.get(path), field);
    }
}

#[test]
fn checks_are_made_in_documented_order() {
    let (server, admin, library) = library_of(&[("A.epub", "a")]);
    let (mia, user) = server.user(&admin, "mia");
    server.user(&admin, "tom");
    let anonymous = server.client();
    let mia = format!("/users/{mia}");
    // The role is checked before the id: an ordinary user learns nothing about ids.
    for path in [
        "/users/98765",
        "/users/x",
        "/libraries/98765",
        "/libraries/x",
    ] {
        let nonsense = |client: &Client| send(client, "PATCH", path, None, b"{");
        refused(&nonsense(anonymous), 401, "unauthenticated");
        refused(&nonsense(&user), 403, "forbidden");
        refused(&nonsense(&admin), 404, "not_found");
    }
    // The order is: route, role, id, format of the body, content of the body, existing data.
    refused(
        &ask(anonymous, "PUT", "/users/x"),
        405,
        "method_not_allowed",
    );
    let patch = |mime, body: &str| send(&admin, "PATCH", &mia, mime, body.as_bytes());
    refused(&patch(None, "{"), 415, "unsupported_media_type");
    refused(&patch(JSON, "{"), 400, "bad_request");
    let long = format!("{{{}", " ".repeat(1 << 20));
    refused(&patch(None, &long), 415, "unsupported_media_type");
    refused(&patch(JSON, &long), 413, "payload_too_large");
    invalid(
        &patch(JSON, r#"{"username": "tom", "role": "boss"}"#),
        "role",
    );
    refused(&patch(JSON, r#"{"username": "tom"}"#), 409, "conflict");
    let taken = json!({"name": "Media", "path": "/nowhere"});
    invalid(&admin.post("/libraries", &taken), "path");
    // An invisible object is absent before its query is read.
    let items = format!("/libraries/{library}/items?limit=0");
    refused(&anonymous.get(&items), 401, "unauthenticated");
    refused(&user.get(&items), 404, "not_found");
    invalid(&admin.get(&items), "limit");
    let file = |client: &Client, id: i64| client.get(&format!("/files/{id}/content?download=x"));
    let item = id_of(&page(&admin.get("/items"))[0]);
    let detail = admin.get(&format!("/items/{item}")).expect(200).json();
    let file_id = id_of(&detail["files"][0]);
    refused(&file(anonymous, file_id), 401, "unauthenticated");
    refused(&file(&user, file_id), 404, "not_found");
    refused(&file(&admin, 98765), 404, "not_found");
    invalid(&file(&admin, file_id), "download");
    // A cross-site page learns only the public facts about routes and sessions.
    let foreign = [("Origin", "http://evil.example")];
    let cookie = format!("ledge_session={}", admin.token().expect("a token"));
    let with_cookie = [foreign[0], ("Cookie", cookie.as_str())];
    let from = |headers: &[_], method, path: &str| anonymous.send(method, path, headers, None);
    refused(
        &from(&foreign, "POST", "/auth/logout"),
        401,
        "unauthenticated",
    );
    refused(&from(&with_cookie, "POST", "/nothing"), 404, "not_found");
    refused(
        &from(&with_cookie, "POST", "/auth/me"),
        405,
        "method_not_allowed",
    );
    refused(
        &from(&with_cookie, "PATCH", "/users/98765"),
        403,
        "forbidden",
    );
}

#[test]
fn json_is_never_cached_and_never_sniffed() {
    let (_server, admin, _) = library_of(&[("A.epub", "a")]);
    for path in [
        "//healthz",
        "/version",
        "/media-types",
        "/openapi.json",
        "/auth/me",
        "/users",
        "/libraries",
        "/items",
        "/items/letters",
        "/missing",
        "/jobs",
        "/nothing",
    ] {
        let answer = admin.get(path);
        assert_eq!(answer.header("cache-control"), "no-store", "{path}");
        assert_eq!(answer.header("content-type"), "application/json", "{path}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(answer.header("content-encoding"), "", "{path}");
        assert!(!answer.header("x-request-id").is_empty(), "{path}");
    }
}

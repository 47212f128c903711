//! Sessions: cookie, bearer token, expiry, and cross-site requests.

use std::fs;

use ledge_core::db::open;
use ledge_tests::server::{PASSWORD, program};
use ledge_tests::{Answer, Client, Server};
use serde_json::{Value, json};

use crate::http::conventions::{has_keys, id_of, invalid, is_time, refused};

const COOKIE_ENDS: &str = "; HttpOnly; SameSite=Lax; Path=/; Max-Age=2592000";

fn login(client: &Client, username: &str, password: &str, headers: &[(&str, &str)]) -> Answer {
    let body = json!({"username": username, "password": password}).to_string();
    let mut all = vec![("Content-Type", "application/json")];
    all.extend_from_slice(headers);
    client.send("POST", "/auth/login", &all, Some(body.as_bytes()))
}

/// Sends `GET /auth/me` with this header and no other credential.
fn me(server: &Server, name: &str, value: &str) -> u16 {
    server
        .client()
        .send("GET", "/auth/me", &[(name, value)], None)
        .status
}

fn sessions(server: &Server) -> i64 {
    let database = open::writable(&server.database()).expect("the database");
    database
        .query_row("SELECT count(*) FROM session", [], |row| row.get(0))
        .expect("a number")
}

#[test]
fn login_returns_user_token_and_cookie() {
    let server = Server::start();
    let answer = login(server.client(), "admin", PASSWORD, &[]).expect(200);
    let body = answer.json();
    has_keys(&body, "user token expires_at");
    has_keys(
        &body["user"],
        "id username role disabled created_at last_seen_at",
    );
    is_time(&body["expires_at"]);
    is_time(&body["user"]["created_at"]);
    assert_eq!(body["user"]["username"], "admin");
    assert_eq!(body["user"]["role"], "admin");
    assert_eq!(body["user"]["disabled"], false);
    let token = body["token"].as_str().expect("a token");
    let base64url = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    assert!(token.len() == 43 && token.chars().all(base64url), "{token}");
    let cookies: Vec<_> = answer.headers.get_all("set-cookie").iter().collect();
    assert_eq!(cookies, [&format!("ledge_session={token}{COOKIE_ENDS}")]);
    assert_eq!(answer.header("cache-control"), "no-store");
    let again = login(server.client(), "admin", PASSWORD, &[]).expect(200);
    assert_ne!(again.json()["token"], body["token"]);
}

#[test]
fn cookie_and_bearer_token_are_the_same_session() {
    let server = Server::start();
    let admin = server.admin();
    let token = admin.token().expect("a token");
    let answer = admin.get("/auth/me").expect(200);
    has_keys(
        &answer.json(),
        "id username role disabled created_at last_seen_at",
    );
    let cookie = |name: &str| format!("a=b; {name}={token}; c=d");
    for (name, value, status) in [
        ("Authorization", format!("Bearer {token}"), 200),
        ("Authorization", format!("bearer {token}"), 200),
        ("Authorization", format!("Basic {token}"), 401),
        ("Authorization", token.to_owned(), 401),
        ("Authorization", "Bearer ".to_owned(), 401),
        ("Authorization", format!("Bearer {token}x"), 401),
        ("Authorization", format!("Bearer x{token}"), 401),
        ("Cookie", cookie("ledge_session"), 200),
        ("Cookie", cookie("__Host-ledge_session"), 401),
        ("Cookie", cookie("session"), 401),
        ("Cookie", "ledge_session=".to_owned(), 401),
        ("Cookie", format!("ledge_session={token}x"), 401),
        ("X-Token", token.to_owned(), 401),
    ] {
        assert_eq!(me(&server, name, &value), status, "{name}: {value}");
    }
    refused(&server.client().get("/auth/me"), 401, "unauthenticated");
    // A URL never carries a session.
    let in_url = server.client().get(&format!("/auth/me?token={token}"));
    refused(&in_url, 401, "unauthenticated");
}

#[test]
fn failed_login_does_not_reveal_reason() {
    let server = Server::start();
    let admin = server.admin();
    let (id, _) = server.user(&admin, "mia");
    admin
        .patch(&format!("/users/{id}"), &json!({"disabled": true}))
        .expect(200);
    let answers = [
        login(server.client(), "admin", "wrong password", &[]),
        login(server.client(), "nobody", PASSWORD, &[]),
        login(server.client(), "mia", PASSWORD, &[]),
        login(server.client(), "", "", &[]),
        login(server.client(), "admin\0", PASSWORD, &[]),
        login(server.client(), "%", PASSWORD, &[]),
        login(server.client(), "admi_", PASSWORD, &[]),
        login(server.client(), "admin' OR '1'='1", PASSWORD, &[]),
    ];
    for answer in &answers {
        refused(answer, 401, "unauthenticated");
        assert_eq!(answer.body, answers[0].body);
        assert!(!answer.headers.contains_key("set-cookie"), "{answer:?}");
    }
}

#[test]
fn username_ignores_case() {
    let server = Server::start();
    let answer = login(server.client(), "ADMIN", PASSWORD, &[]).expect(200);
    assert_eq!(answer.json()["user"]["username"], "admin");
    // The password is case-sensitive.
    let loud = PASSWORD.to_uppercase();
    refused(
        &login(server.client(), "admin", &loud, &[]),
        401,
        "unauthenticated",
    );
}

#[test]
fn logout_ends_session_and_deletes_cookie() {
    let server = Server::start();
    let (one, other) = (server.admin(), server.admin());
    let before = sessions(&server);
    let answer = one.post("/auth/logout", &json!({})).expect(204);
    assert!(answer.body.is_empty());
    let cookie = answer.header("set-cookie");
    assert!(
        cookie.starts_with("ledge_session=;") && cookie.contains("Max-Age=0"),
        "{cookie}"
    );
    assert_eq!(sessions(&server), before - 1);
    refused(&one.get("/auth/me"), 401, "unauthenticated");
    refused(
        &one.post("/auth/logout", &json!({})),
        401,
        "unauthenticated",
    );
    other.get("/auth/me").expect(200);
    let anonymous = server.client().post("/auth/logout", &json!({}));
    refused(&anonymous, 401, "unauthenticated");
}

#[test]
fn database_contains_no_token_and_no_password() {
    let server = Server::start();
    let token = server.admin().token().expect("a token").to_owned();
    for entry in fs::read_dir(server.folder()).expect("the folder") {
        let path = entry.expect("an entry").path();
        let bytes = fs::read(&path).expect("a file");
        for secret in [&token, PASSWORD] {
            let found = bytes
                .windows(secret.len())
                .any(|part| part == secret.as_bytes());
            assert!(!found, "{}", path.display());
        }
    }
}

#[test]
fn session_survives_restart() {
    let mut server = Server::start();
    let admin = server.admin();
    server.terminate();
    server.restart();
    admin.get("/auth/me").expect(200);
}

#[test]
fn password_change_ends_other_sessions() {
    let server = Server::start();
    let admin = server.admin();
    let (_, mia) = server.user(&admin, "mia");
    let other = server.client().sign_in("mia", PASSWORD);
    let change = |current: &str, new: &str| {
        mia.put(
            "/auth/password",
            &json!({"current_password": current, "new_password": new}),
        )
    };
    refused(&change("wrong password", "new password"), 403, "forbidden");
    for new in ["", "7 bytes", "äöü", &"x".repeat(1025)] {
        invalid(&change(PASSWORD, new), "new_password");
    }
    other.get("/auth/me").expect(200);
    assert!(change(PASSWORD, "äöüß").expect(204).body.is_empty());
    mia.get("/auth/me").expect(200);
    refused(&other.get("/auth/me"), 401, "unauthenticated");
    admin.get("/auth/me").expect(200);
    let longest = "x".repeat(1024);
    change("äöüß", &longest).expect(204);
    refused(
        &login(server.client(), "mia", PASSWORD, &[]),
        401,
        "unauthenticated",
    );
    login(server.client(), "mia", &longest, &[]).expect(200);
}

#[test]
fn five_failures_block_username_for_address_temporarily() {
    let server = Server::start();
    let admin = server.admin();
    server.user(&admin, "mia");
    for attempt in 1..=5 {
        let name = if attempt % 2 == 0 { "Mia" } else { "mia" };
        let answer = login(server.client(), name, "wrong password", &[]);
        refused(&answer, 401, "unauthenticated");
    }
    for password in ["wrong password", PASSWORD] {
        let answer = login(server.client(), "MIA", password, &[]);
        refused(&answer, 429, "too_many_requests");
        let wait: u64 = answer.header("retry-after").parse().expect("seconds");
        assert!((1..=900).contains(&wait), "{wait}");
    }
    // Other usernames and existing sessions are not affected.
    login(server.client(), "admin", PASSWORD, &[]).expect(200);
    admin.get("/auth/me").expect(200);
    // Unknown usernames are blocked in the same way.
    for _ in 1..=5 {
        login(server.client(), "nobody", PASSWORD, &[]).expect(401);
    }
    login(server.client(), "nobody", PASSWORD, &[]).expect(429);
}

#[test]
fn failed_password_changes_are_blocked_like_failed_logins() {
    let server = Server::start();
    let admin = server.admin();
    let (_, mia) = server.user(&admin, "mia");
    let change = |current: &str| {
        let body = json!({"current_password": current, "new_password": "a new secret of hers"});
        mia.put("/auth/password", &body)
    };
    for _ in 1..=5 {
        change("wrong password").expect(403);
    }
    refused(&change(PASSWORD), 429, "too_many_requests");
    refused(
        &login(server.client(), "mia", PASSWORD, &[]),
        429,
        "too_many_requests",
    );
}

#[test]
fn successful_login_resets_failure_count() {
    let server = Server::start();
    for _ in 0..2 {
        for _ in 1..=4 {
            login(server.client(), "admin", "wrong password", &[]).expect(401);
        }
        login(server.client(), "admin", PASSWORD, &[]).expect(200);
    }
}

/// Returns request headers, with `true` if a state change with a cookie is permitted.
fn sites(server: &Server) -> Vec<(Vec<(&'static str, String)>, bool)> {
    let own = server.client().base().to_owned();
    let other_port = format!("http://127.0.0.1:{}", server.port() ^ 1);
    let fetch = |site: &str| ("Sec-Fetch-Site", site.to_owned());
    let origin = |origin: &str| ("Origin", origin.to_owned());
    vec![
        (vec![], true),
        (vec![fetch("same-origin")], true),
        (vec![fetch("none")], true),
        (vec![fetch("same-site")], false),
        (vec![fetch("cross-site")], false),
        (vec![fetch("")], false),
        (vec![origin(&own)], true),
        (vec![origin("http://evil.example")], false),
        (vec![origin(&other_port)], false),
        (vec![origin("http://127.0.0.1")], false),
        (vec![origin("null")], false),
        // If the browser sends the site, that header decides.
        (
            vec![fetch("same-origin"), origin("http://evil.example")],
            true,
        ),
        (vec![fetch("cross-site"), origin(&own)], false),
        // Only a trusted proxy may set the host.
        (
            vec![
                origin("http://evil.example"),
                ("X-Forwarded-Host", "evil.example".to_owned()),
            ],
            false,
        ),
    ]
}

fn borrowed<'a>(headers: &'a [(&'static str, String)]) -> Vec<(&'static str, &'a str)> {
    headers
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect()
}

/// Sends a `PATCH /users/{id}` without changes, with headers of a site.
fn change(client: &Client, id: i64, headers: &[(&str, &str)]) -> Answer {
    let mut all = vec![("Content-Type", "application/json")];
    all.extend_from_slice(headers);
    client.send("PATCH", &format!("/users/{id}"), &all, Some(b"{}"))
}

#[test]
fn cross_site_request_with_cookie_changes_nothing() {
    let server = Server::start();
    let admin = server.admin();
    let id = id_of(&admin.get("/auth/me").expect(200).json());
    let cookie = format!("ledge_session={}", admin.token().expect("a token"));
    for (headers, passes) in sites(&server) {
        let site = borrowed(&headers);
        let mut with_cookie = site.clone();
        with_cookie.push(("Cookie", &cookie));
        let by_cookie = change(server.client(), id, &with_cookie);
        let by_login = login(server.client(), "admin", PASSWORD, &site);
        for answer in [&by_cookie, &by_login] {
            if passes {
                assert_eq!(answer.status, 200, "{headers:?}: {answer:?}");
            } else {
                refused(answer, 403, "forbidden");
                assert!(!answer.headers.contains_key("set-cookie"));
                let message = answer.json()["error"]["message"].to_string();
                assert!(message.contains("LEDGE_PUBLIC_URL"), "{message}");
            }
        }
        // A site cannot make a browser send a bearer token, and reading has no side effects.
        assert_eq!(change(&admin, id, &site).status, 200, "{headers:?}");
        let read = server.client().send("GET", "/auth/me", &with_cookie, None);
        assert_eq!(read.status, 200, "{headers:?}");
    }
}

#[test]
fn cross_site_logout_keeps_session() {
    let server = Server::start();
    let admin = server.admin();
    let cookie = format!("ledge_session={}", admin.token().expect("a token"));
    let headers = [
        ("Cookie", cookie.as_str()),
        ("Sec-Fetch-Site", "cross-site"),
    ];
    let answer = server.client().send("POST", "/auth/logout", &headers, None);
    refused(&answer, 403, "forbidden");
    admin.get("/auth/me").expect(200);
}

#[test]
fn public_url_counts_as_same_site() {
    let settings = [("LEDGE_PUBLIC_URL", "https://books.example")];
    let server = Server::with(&program("ledge"), &settings);
    for (origin, status) in [
        ("https://books.example", 200),
        ("https://books.example:8443", 403),
        ("https://other.example", 403),
        (server.client().base(), 200),
    ] {
        let answer = login(server.client(), "admin", PASSWORD, &[("Origin", origin)]);
        assert_eq!(answer.status, status, "{origin}: {answer:?}");
    }
}

#[test]
fn trusted_proxy_sets_host_and_scheme() {
    let settings = [("LEDGE_TRUSTED_PROXIES", "127.0.0.0/8")];
    let server = Server::with(&program("ledge"), &settings);
    let headers = [
        ("Origin", "https://books.example"),
        ("X-Forwarded-Host", "books.example"),
        ("X-Forwarded-Proto", "https"),
        ("X-Forwarded-For", "203.0.113.7"),
    ];
    let answer = login(server.client(), "admin", PASSWORD, &headers).expect(200);
    let token: Value = answer.json()["token"].clone();
    let token = token.as_str().expect("a token");
    assert_eq!(
        answer.header("set-cookie"),
        format!("__Host-ledge_session={token}{COOKIE_ENDS}; Secure")
    );
    let over_https = |cookie: &str| {
        let headers = [("Cookie", cookie), ("X-Forwarded-Proto", "https")];
        server
            .client()
            .send("GET", "/auth/me", &headers, None)
            .status
    };
    assert_eq!(over_https(&format!("__Host-ledge_session={token}")), 200);
    assert_eq!(over_https(&format!("ledge_session={token}")), 401);
}

#[test]
fn untrusted_client_cannot_set_host_and_scheme() {
    let server = Server::start();
    let headers = [("X-Forwarded-Proto", "https")];
    let answer = login(server.client(), "admin", PASSWORD, &headers).expect(200);
    let cookie = answer.header("set-cookie");
    assert!(
        cookie.starts_with("ledge_session=") && !cookie.contains("Secure"),
        "{cookie}"
    );
    // The same applies to the address: another one does not unblock a username.
    for n in 0..5 {
        let address = format!("203.0.113.{n}");
        let headers = [("X-Forwarded-For", address.as_str())];
        login(server.client(), "mia", "wrong password", &headers).expect(401);
    }
    let headers = [("X-Forwarded-For", "203.0.113.99")];
    login(server.client(), "mia", "wrong password", &headers).expect(429);
}

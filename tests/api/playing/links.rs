//! Links for external players: one file, one user, six hours, and no other access.

use std::fs;

use ledge_tests::server::{program, scanned_library, until};
use ledge_tests::{Client, Server};
use serde_json::Value;

use crate::http::conventions::{has_keys, id_of, is_time, library_of, page, refused, write};

fn first_file(client: &Client) -> Value {
    nth_file(client, 0)
}

fn nth_file(client: &Client, n: usize) -> Value {
    let item = id_of(&page(&client.get("/items"))[n]);
    client.get(&format!("/items/{item}")).expect(200).json()["files"][0]["id"].clone()
}

fn link(client: &Client, file: &Value) -> Value {
    let answer = client.send("POST", &format!("/files/{file}/link"), &[], None);
    answer.expect(200).json()
}

/// Returns the link's path and query, relative to the client's root.
fn below(server: &Server, url: &Value) -> String {
    let url = url.as_str().expect("an address");
    let rest = url
        .strip_prefix(server.client().base())
        .expect("the server's own");
    format!("/{rest}")
}

#[test]
fn link_works_without_session() {
    let (server, admin, _) = library_of(&[("Emma.epub", "0123456789")]);
    let made = link(&admin, &first_file(&admin));
    has_keys(&made, "url expires_at");
    is_time(&made["expires_at"]);
    let path = below(&server, &made["url"]);
    let anonymous = server.client();
    assert_eq!(anonymous.get(&path).expect(200).body, b"0123456789");
    let part = anonymous.send("GET", &path, &[("Range", "bytes=2-4")], None);
    assert_eq!(part.expect(206).body, b"234");
    let saved = anonymous.get(&format!("{path}&download=1")).expect(200);
    assert!(
        saved
            .header("content-disposition")
            .starts_with("attachment")
    );
    anonymous.send("HEAD", &path, &[], None).expect(200);
}

#[test]
fn ticket_opens_no_other_route() {
    let (server, admin, _) = library_of(&[("Emma.epub", "a"), ("Nana.epub", "b")]);
    let [file, other] = [0, 1].map(|n| nth_file(&admin, n));
    let made = link(&admin, &file);
    let url = made["url"].as_str().expect("an address");
    let ticket = url.rsplit('=').next().expect("a ticket");
    let document = admin.get("/openapi.json").expect(200).json();
    let mut asked = 0;
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for (method, route) in methods.as_object().expect("methods") {
            // Public routes have an empty security requirement.
            let public = route["security"]
                .as_array()
                .is_some_and(|s| !s.is_empty() && s[0] == serde_json::json!({}))
                || [
                    "/healthz",
                    // Absent, because no monitoring token is configured.
                    "/metrics",
                    "/api/v1/version",
                    "/api/v1/media-types",
                    "/api/v1/auth/login",
                ]
                .contains(&path.as_str());
            if public || path.ends_with("/content") || route["responses"].is_null() {
                continue;
            }
            let mut target = format!("/{path}?ticket={ticket}");
            while let (Some(start), Some(end)) = (target.find('{'), target.find('}')) {
                target.replace_range(start..=end, "1");
            }
            let answer = server
                .client()
                .send(&method.to_uppercase(), &target, &[], None);
            assert_eq!(answer.status, 401, "{method} {target}: {answer:?}");
            asked += 1;
        }
    }
    assert!(asked > 20, "{asked}");
    // The ticket opens neither another file nor an absent one.
    server
        .client()
        .get(&below(&server, &made["url"]))
        .expect(200);
    for id in [other, Value::from(987_654)] {
        let elsewhere = url.replace(&format!("/files/{file}/"), &format!("/files/{id}/"));
        assert_ne!(elsewhere, url);
        let path = below(&server, &Value::from(elsewhere));
        refused(&server.client().get(&path), 401, "unauthenticated");
    }
}

#[test]
fn log_contains_no_ticket() {
    let server = Server::with(&program("ledge-example"), &[("LEDGE_LOG", "trace")]);
    let media = server.folder().join("media");
    write(&media, "Emma.epub", "0123456789");
    let admin = server.admin();
    scanned_library(&admin, "Media", &media);
    let url = link(&admin, &first_file(&admin))["url"].clone();
    let path = below(&server, &url);
    let anonymous = server.client();
    anonymous.get(&path).expect(200);
    let wrong = format!("{path}x");
    anonymous.get(&wrong).expect(401);
    let far = [("Range", "bytes=99-")];
    anonymous.send("GET", &path, &far, None).expect(416);
    anonymous.send("POST", &path, &[], None).expect(405);
    fs::remove_file(media.join("Emma.epub")).expect("gone");
    anonymous.get(&path).expect(404);
    let ticket = url.as_str().and_then(|url| url.rsplit('=').next());
    let ticket = ticket.expect("a ticket");
    let address = path.split('?').next().expect("a path").replace("//", "/");
    let log = until("the request's line", || {
        let log = server.log();
        (log.matches(&address).count() >= 5).then_some(log)
    });
    assert!(!log.contains(ticket), "{log}");
    assert!(!log.contains("ticket="), "{log}");
    let token = admin.token().expect("a token");
    assert!(!log.contains(token), "{log}");
}

#[test]
fn revoked_grant_invalidates_link() {
    let (server, admin, library) = library_of(&[("Emma.epub", "a")]);
    let file = first_file(&admin);
    let (mia, client) = server.user(&admin, "mia");
    refused(
        &client.send("POST", &format!("/files/{file}/link"), &[], None),
        404,
        "not_found",
    );
    let grant = format!("/libraries/{library}/grants/{mia}");
    admin.send("PUT", &grant, &[], None).expect(204);
    let path = below(&server, &link(&client, &file)["url"]);
    server.client().get(&path).expect(200);
    admin.delete(&grant).expect(204);
    server.client().get(&path).expect(404);
    admin.send("PUT", &grant, &[], None).expect(204);
    server.client().get(&path).expect(200);
    client.send("POST", "/auth/logout", &[], None).expect(204);
    refused(&server.client().get(&path), 401, "unauthenticated");
}

#[test]
fn database_contains_no_ticket() {
    let (server, admin, _) = library_of(&[("Emma.epub", "a")]);
    let url = link(&admin, &first_file(&admin))["url"].clone();
    server.client().get(&below(&server, &url)).expect(200);
    let ticket = url
        .as_str()
        .and_then(|url| url.rsplit('=').next())
        .expect("a ticket");
    for entry in fs::read_dir(server.folder()).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_file() {
            let bytes = fs::read(&path).expect("bytes");
            let found = bytes
                .windows(ticket.len())
                .any(|part| part == ticket.as_bytes());
            assert!(!found, "{}", path.display());
        }
    }
}

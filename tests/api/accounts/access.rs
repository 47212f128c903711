//! Access matrix: every route × every role. A route without a row fails the test.

mod house;
mod matrix;

use std::collections::BTreeSet;
use std::fs;

use self::house::house;
use self::matrix::{MATRIX, Who};
use ledge_tests::server::PASSWORD;
use ledge_tests::{Answer, Client};
use serde_json::json;

/// Returns the path with ids that were never used.
fn absent(path: &str) -> String {
    let mut path = path.to_owned();
    while let (Some(start), Some(end)) = (path.find('{'), path.find('}')) {
        path.replace_range(start..=end, "987654321");
    }
    path
}

fn ask(client: &Client, method: &str, path: &str) -> Answer {
    // An event stream does not end. Its header is sufficient.
    let method = if path == "/events" { "HEAD" } else { method };
    client.send(method, path, &[], None)
}

#[test]
fn every_route_has_a_row_and_every_row_a_route() {
    let house = house();
    let document = house.admin.get("/openapi.json").expect(200).json();
    let paths = document["paths"].as_object().expect("paths");
    let mut routes: BTreeSet<(String, String)> = BTreeSet::new();
    for (path, methods) in paths {
        for method in methods.as_object().expect("methods").keys() {
            if [
                "get", "put", "post", "delete", "patch", "head", "options", "trace",
            ]
            .contains(&method.as_str())
            {
                let path = match path.strip_prefix("/api/v1") {
                    Some(below) => below.to_owned(),
                    None => format!("/{path}"),
                };
                routes.insert((method.to_uppercase(), path));
            }
        }
    }
    let rows: BTreeSet<(String, String)> = MATRIX
        .iter()
        .map(|(method, path, _)| ((*method).to_owned(), (*path).to_owned()))
        .collect();
    let without_row: Vec<_> = routes.difference(&rows).collect();
    let without_route: Vec<_> = rows.difference(&routes).collect();
    assert!(
        without_row.is_empty(),
        "routes without a row: {without_row:?}"
    );
    assert!(
        without_route.is_empty(),
        "rows without a route: {without_route:?}"
    );
}

#[test]
fn every_route_answers_every_role_as_specified() {
    let house = house();
    let anonymous = house.server.client().clone();
    for (method, path, who) in MATRIX {
        // Requests with side effects use ids of absent objects.
        let changes = !matches!(*method, "GET" | "HEAD");
        let target = if changes {
            absent(path)
        } else {
            house.real(path)
        };
        let status = |client: &Client| ask(client, method, &target).status;
        let case = format!("{method} {path}");
        if *who == Who::Public {
            assert!(
                ![401, 403, 404, 405].contains(&status(&anonymous)),
                "{case}: anonymous"
            );
            continue;
        }
        if *who == Who::Monitoring {
            for client in [&anonymous, &house.granted, &house.admin] {
                assert_eq!(status(client), 404, "{case}");
            }
            continue;
        }
        assert_eq!(status(&anonymous), 401, "{case}: anonymous");
        if *path == "/auth/logout" {
            continue;
        }
        let passes = |code: u16| {
            // The item has no form to hand a position over to, which only its readers learn.
            if path.ends_with("/handover") {
                code == 422
            } else if changes {
                ![401, 403, 405].contains(&code)
            } else {
                code < 300
            }
        };
        let everybody = [
            &house.ungranted,
            &house.revoked,
            &house.granted,
            &house.admin,
        ];
        let codes = everybody.map(status);
        match who {
            Who::Public | Who::Monitoring => unreachable!("done above"),
            Who::SignedIn => {
                for code in codes {
                    assert!(passes(code), "{case}: {code}");
                }
            }
            Who::Admin => {
                assert_eq!(codes[..3], [403; 3], "{case}");
                assert!(passes(codes[3]), "{case}: {}", codes[3]);
            }
            Who::GrantedAdmin => {
                // The house's administrator has no grant.
                assert_eq!(codes, [403, 403, 403, 404], "{case}");
            }
            Who::Granted => {
                assert_eq!(codes[..2], [404; 2], "{case}");
                assert!(passes(codes[2]), "{case}: {}", codes[2]);
                assert_eq!(codes[3], 404, "{case}: an administrator without the grant");
            }
            Who::GrantedOrAdmin => {
                assert_eq!(codes[..2], [404; 2], "{case}");
                assert!(passes(codes[2]) && passes(codes[3]), "{case}: {codes:?}");
            }
        }
    }
}

#[test]
fn invisible_and_absent_have_identical_responses() {
    let house = house();
    for (method, path, who) in MATRIX {
        if !matches!(who, Who::Granted | Who::GrantedOrAdmin) {
            continue;
        }
        let comparable = |client: &Client, path: &str| {
            let answer = ask(client, method, path);
            let mut headers: Vec<(String, String)> = answer
                .headers
                .iter()
                .filter(|(name, _)| !["date", "x-request-id"].contains(&name.as_str()))
                .map(|(name, value)| (name.to_string(), format!("{value:?}")))
                .collect();
            headers.sort();
            (answer.status, headers, answer.body)
        };
        let mut clients = vec![&house.ungranted, &house.revoked];
        if *who == Who::Granted {
            // Administrator without the grant.
            clients.push(&house.admin);
        }
        for client in clients {
            let invisible = comparable(client, &house.real(path));
            assert_eq!(invisible.0, 404, "{method} {path}");
            assert_eq!(
                invisible,
                comparable(client, &absent(path)),
                "{method} {path}"
            );
        }
    }
}

#[test]
fn user_without_grants_sees_nothing_anywhere() {
    let house = house();
    fs::remove_dir_all(house.server.folder().join("media")).expect("gone");
    fs::create_dir(house.server.folder().join("media")).expect("empty");
    let status = ledge_tests::server::scan(&house.admin, house.library);
    assert_eq!(status["missing"], 7, "{status}");
    for client in [&house.ungranted, &house.revoked] {
        for path in [
            "/libraries",
            "/items",
            "/items?kind=books",
            "/missing",
            "/items/letters",
            "/items/subkinds",
            "/people",
            "/series",
        ] {
            let json = client.get(path).expect(200).json();
            assert_eq!(json["items"], json!([]), "{path}: {json}");
            assert!(
                json["total"].is_null() || json["total"] == 0,
                "{path}: {json}"
            );
        }
        let home = client.get("/home").expect(200).json();
        for (shelf, cards) in home.as_object().expect("shelves") {
            assert_eq!(cards, &json!([]), "{shelf}");
        }
        let asked = format!("/items?library={}", house.library);
        assert_eq!(client.get(&asked).expect(200).json()["total"], 0);
    }
    assert_eq!(house.granted.get("/missing").expect(200).json()["total"], 7);
}

#[test]
fn other_spellings_of_path_never_bypass_checks() {
    let house = house();
    let anonymous = house.server.client();
    for spelling in [
        "//api//v1/items",
        "//api/v1//items",
        "//api/v1/items/",
        "//API/v1/items",
        "//api/v1/Items",
        "//api/v1/./items",
        "//api/v1/x/../items",
        "//api/v1/%69tems",
        "//api/v1%2Fitems",
        "//api/v1/items%00",
        "//api/v1/items.",
        "//api/v1/items;x=1",
        "//api/v1/items?token=x",
        "//api/v1/users%2F1",
        "//api/v1/files/1%2Fcontent",
        "//api/v1/libraries/1/..%2f1/items",
    ] {
        let answer = ask(anonymous, "GET", spelling);
        assert!(
            matches!(answer.status, 401 | 404 | 400),
            "{spelling}: {answer:?}"
        );
        assert_eq!(
            answer.header("content-type"),
            "application/json",
            "{spelling}"
        );
    }
}

#[test]
fn no_route_is_reached_without_session_by_other_spelling() {
    let house = house();
    let anonymous = house.server.client();
    let mut asked = 0;
    for (method, path, who) in MATRIX {
        if matches!(who, Who::Public | Who::Monitoring) {
            continue;
        }
        let real = house.real(path);
        let (above, last) = real.rsplit_once('/').expect("a path");
        let below = real.trim_start_matches('/');
        let first = below.bytes().next().expect("a letter");
        for spelling in [
            format!("//api//v1{real}"),
            format!("//api/v1/{real}"),
            format!("//api/v1{real}/"),
            format!("//api/v1{real}."),
            format!("//api/v1{real}%00"),
            format!("//api/v1{real}%20"),
            format!("//api/v1{real};x=1"),
            format!("//api/v1{real}?token=x&ticket=x"),
            format!("//api/v1{}", real.to_uppercase()),
            format!("//api/v1/.{real}"),
            format!("//api/v1/auth/login/..{real}"),
            format!("//api/v1{above}%2F{last}"),
            format!("//api/v1{above}%5C{last}"),
            format!("//api/v1/%{first:02x}{}", below.split_at(1).1),
        ] {
            let answer = ask(anonymous, method, &spelling);
            assert!(
                matches!(answer.status, 400 | 401 | 404 | 405),
                "{method} {spelling}: {answer:?}"
            );
            asked += 1;
        }
    }
    assert!(asked > 1_000, "{asked}");
}

#[test]
fn extra_fields_that_claim_rights_change_nothing() {
    let house = house();
    let claim = json!({"username": "eve", "password": PASSWORD, "user_id": 1});
    house.admin.post("/users", &claim).expect(422);
    let claim =
        json!({"current_password": PASSWORD, "new_password": "another horse", "role": "admin"});
    house.ungranted.put("/auth/password", &claim).expect(422);
    assert_eq!(
        house
            .ungranted
            .get("/users?role=admin&is_admin=true")
            .status,
        403
    );
}

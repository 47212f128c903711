//! The access matrix: every route × every role. A route without a row fails.

use std::collections::BTreeSet;
use std::fs;

use ledge_tests::server::{PASSWORD, all_items, scanned_library, until};
use ledge_tests::{Answer, Client, Server};
use serde_json::json;

/// Who may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Who {
    /// Everybody.
    Public,
    /// Whoever is signed in.
    SignedIn,
    /// Administrators.
    Admin,
    /// Whoever is granted the library; administrators like everybody.
    Granted,
    /// Whoever is granted the library, and every administrator.
    GrantedOrAdmin,
    /// Whoever has the token for monitoring: here none is set, so it is not there.
    Monitoring,
}

/// One row a route. Paths are those of the OpenAPI document.
const MATRIX: &[(&str, &str, Who)] = &[
    ("GET", "//healthz", Who::Public),
    ("GET", "//metrics", Who::Monitoring),
    ("GET", "/version", Who::Public),
    ("GET", "/media-types", Who::Public),
    ("GET", "/openapi.json", Who::SignedIn),
    ("GET", "/events", Who::SignedIn),
    ("POST", "/auth/login", Who::Public),
    ("POST", "/auth/logout", Who::SignedIn),
    ("GET", "/auth/me", Who::SignedIn),
    ("PUT", "/auth/password", Who::SignedIn),
    ("GET", "/users", Who::Admin),
    ("POST", "/users", Who::Admin),
    ("GET", "/users/{id}", Who::Admin),
    ("PATCH", "/users/{id}", Who::Admin),
    ("DELETE", "/users/{id}", Who::Admin),
    ("PUT", "/users/{id}/password", Who::Admin),
    ("PUT", "/users/{id}/libraries", Who::Admin),
    ("GET", "/libraries", Who::SignedIn),
    ("POST", "/libraries", Who::Admin),
    ("GET", "/libraries/{id}", Who::GrantedOrAdmin),
    ("PATCH", "/libraries/{id}", Who::Admin),
    ("DELETE", "/libraries/{id}", Who::Admin),
    ("GET", "/libraries/{id}/items", Who::Granted),
    ("GET", "/libraries/{id}/grants", Who::Admin),
    ("PUT", "/libraries/{id}/grants/{user_id}", Who::Admin),
    ("DELETE", "/libraries/{id}/grants/{user_id}", Who::Admin),
    ("POST", "/libraries/{id}/scan", Who::Admin),
    ("DELETE", "/libraries/{id}/scan", Who::Admin),
    ("GET", "/libraries/{id}/scan/status", Who::GrantedOrAdmin),
    ("POST", "/libraries/{id}/purge", Who::Admin),
    ("POST", "/libraries/{id}/enrich", Who::Admin),
    ("DELETE", "/libraries/{id}/enrich", Who::Admin),
    ("GET", "/libraries/{id}/enrich/status", Who::Admin),
    ("GET", "/providers", Who::SignedIn),
    ("GET", "/items/{id}/matches", Who::Granted),
    // Whether they are granted is asked after the role: see `edits`.
    ("POST", "/items/{id}/enrich", Who::Admin),
    ("PUT", "/items/{id}/matches/{provider}", Who::Admin),
    ("DELETE", "/items/{id}/matches/{provider}", Who::Admin),
    ("POST", "/items/{id}/matches/{provider}/search", Who::Admin),
    ("GET", "/directories", Who::Admin),
    ("GET", "/home", Who::SignedIn),
    ("GET", "/items", Who::SignedIn),
    ("GET", "/items/letters", Who::SignedIn),
    ("GET", "/items/subkinds", Who::SignedIn),
    ("GET", "/items/{id}", Who::Granted),
    ("GET", "/items/{id}/cover", Who::Granted),
    ("HEAD", "/items/{id}/cover", Who::Granted),
    ("GET", "/items/{id}/progress", Who::Granted),
    ("PUT", "/items/{id}/progress", Who::Granted),
    ("DELETE", "/items/{id}/progress", Who::Granted),
    ("GET", "/items/{id}/progress/history", Who::Granted),
    (
        "POST",
        "/items/{id}/progress/history/{entry}/restore",
        Who::Granted,
    ),
    ("PUT", "/items/{id}/favourite", Who::Granted),
    ("DELETE", "/items/{id}/favourite", Who::Granted),
    ("POST", "/items/{id}/view", Who::Granted),
    ("GET", "/history", Who::SignedIn),
    // Whether it is granted is asked after the role: see `edits`.
    ("PATCH", "/items/{id}", Who::Admin),
    ("GET", "/items/{id}/annotations", Who::Granted),
    ("POST", "/items/{id}/annotations", Who::Granted),
    (
        "PATCH",
        "/items/{id}/annotations/{annotation}",
        Who::Granted,
    ),
    (
        "DELETE",
        "/items/{id}/annotations/{annotation}",
        Who::Granted,
    ),
    ("POST", "/files/{id}/link", Who::Granted),
    ("GET", "/missing", Who::SignedIn),
    ("GET", "/search", Who::SignedIn),
    ("GET", "/people", Who::SignedIn),
    ("GET", "/series", Who::SignedIn),
    ("GET", "/files/{id}/content", Who::Granted),
    ("HEAD", "/files/{id}/content", Who::Granted),
    ("GET", "/playback/engines", Who::SignedIn),
    ("POST", "/playback/resolve", Who::SignedIn),
    ("GET", "/jobs", Who::Admin),
    ("POST", "/jobs/{id}/retry", Who::Admin),
    ("GET", "/kinds/audio/files/{id}/lyrics", Who::Granted),
    ("GET", "/kinds/books/files/{id}/entries", Who::Granted),
    (
        "GET",
        "/kinds/books/files/{id}/entries/{path}",
        Who::Granted,
    ),
    ("GET", "/kinds/books/files/{id}/pages", Who::Granted),
    ("GET", "/kinds/books/files/{id}/pages/{n}", Who::Granted),
    ("GET", "/kinds/games/platforms", Who::SignedIn),
    ("GET", "/kinds/games/cores", Who::SignedIn),
    ("GET", "/kinds/games/cores/{file}", Who::SignedIn),
    ("PUT", "/kinds/games/cores/{file}", Who::Admin),
    ("DELETE", "/kinds/games/cores/{file}", Who::Admin),
    ("GET", "/kinds/games/bios/{name}", Who::SignedIn),
    ("PUT", "/kinds/games/bios/{name}", Who::Admin),
    ("DELETE", "/kinds/games/bios/{name}", Who::Admin),
    ("GET", "/kinds/video/files/{id}/subtitles", Who::Granted),
    (
        "GET",
        "/kinds/video/files/{id}/subtitles/{track}",
        Who::Granted,
    ),
    ("GET", "/items/{id}/saves", Who::Granted),
    ("GET", "/items/{id}/saves/{slot}", Who::Granted),
    ("PUT", "/items/{id}/saves/{slot}", Who::Granted),
    ("DELETE", "/items/{id}/saves/{slot}", Who::Granted),
    ("GET", "/items/{id}/saves/{slot}/versions", Who::Granted),
    ("GET", "/items/{id}/saves/{slot}/versions/{n}", Who::Granted),
];

struct House {
    server: Server,
    /// An administrator who manages the library and is not granted it.
    admin: Client,
    granted: Client,
    ungranted: Client,
    /// Signed in while granted; the grant was taken away since.
    revoked: Client,
    item: i64,
    /// A game in which `granted` has saved twice to the slot `quick`.
    game: i64,
    file: i64,
    /// The file of an EPUB that can be opened, and of a comic.
    epub: i64,
    comic: i64,
    /// A film with subtitles in its file.
    video: i64,
    /// The file of a song.
    song: i64,
    library: i64,
    user: i64,
}

fn house() -> House {
    let server = Server::start();
    let media = server.folder().join("media");
    fs::create_dir(&media).expect("a folder");
    fs::write(media.join("Melville, Herman - Moby-Dick.epub"), "no book").expect("a file");
    let picture = ledge_fixtures::png(60, 90, 1);
    fs::write(media.join("Melville, Herman - Moby-Dick.png"), picture).expect("a file");
    fs::write(media.join("Lantern Drift.sfc"), "no game").expect("a file");
    fs::write(media.join("Quiet.epub"), crate::books::epub()).expect("a file");
    fs::write(media.join("Fog.cbz"), crate::books::comic()).expect("a file");
    fs::write(media.join("Two Tongues.mkv"), crate::subtitles::film()).expect("a file");
    let song = ledge_fixtures::mp3(&ledge_fixtures::AudioTags::default());
    fs::write(media.join("Song.mp3"), song).expect("a file");
    for (folder, name) in [("cores", "mgba.wasm"), ("bios", "disksys.rom")] {
        let folder = server.folder().join(folder);
        fs::create_dir(&folder).expect("a folder");
        fs::write(folder.join(name), "added").expect("a file");
    }
    let admin = server.admin();
    let (library, status) = scanned_library(&admin, "Books", &media);
    assert_eq!(status["status"], "done", "{status}");
    let only = |kind: &str| {
        let list = admin.get(&format!("/items?kind={kind}")).expect(200);
        list.json()["items"][0]["id"].as_i64().expect("an item")
    };
    let titled = |title: &str| {
        let items = all_items(&admin, "/items?kind=books");
        let found = items.iter().find(|item| item["title"] == title);
        found.expect(title)["id"].as_i64().expect("an item")
    };
    let file_of = |item: i64| {
        let detail = admin.get(&format!("/items/{item}")).expect(200).json();
        detail["files"][0]["id"].as_i64().expect("a file")
    };
    let (item, game) = (titled("Moby-Dick"), only("games"));
    let file = file_of(item);
    let (epub, comic) = (titled("The Quiet Harbour"), titled("In the Fog"));
    let (epub, comic) = (file_of(epub), file_of(comic));
    let video = file_of(only("video"));
    let song = file_of(only("audio"));
    until("a cover", || {
        let detail = admin.get(&format!("/items/{item}")).expect(200).json();
        (!detail["cover"].is_null()).then_some(())
    });
    let (granted_id, granted) = server.user(&admin, "granted");
    let (revoked_id, revoked) = server.user(&admin, "revoked");
    let (user, ungranted) = server.user(&admin, "ungranted");
    for id in [granted_id, revoked_id] {
        admin
            .send(
                "PUT",
                &format!("/libraries/{library}/grants/{id}"),
                &[],
                None,
            )
            .expect(204);
    }
    revoked.get(&format!("/items/{item}")).expect(200);
    admin
        .delete(&format!("/libraries/{library}/grants/{revoked_id}"))
        .expect(204);
    for state in ["one", "two"] {
        let headers = [("Content-Type", "application/octet-stream")];
        let path = format!("/items/{game}/saves/quick");
        let saved = granted.send("PUT", &path, &headers, Some(state.as_bytes()));
        assert!(saved.status < 300, "{saved:?}");
    }
    // The first of each in this database: an annotation, and a place that was overwritten.
    let annotation = json!({"file_id": file, "position": 3, "type": "bookmark"});
    let annotations = format!("/items/{item}/annotations");
    let annotation = granted.post(&annotations, &annotation).expect(201).json();
    assert_eq!(annotation["id"], 1);
    for position in 1..3 {
        let place = json!({"file_id": file, "position": position}).to_string();
        let headers = [("Content-Type", "application/json")];
        let path = format!("/items/{item}/progress");
        let kept = granted.send("PUT", &path, &headers, Some(place.as_bytes()));
        assert_eq!(kept.status, 200, "{kept:?}");
    }
    let own = admin.get("/auth/me").expect(200).json()["id"]
        .as_i64()
        .expect("an id");
    admin
        .delete(&format!("/libraries/{library}/grants/{own}"))
        .expect(204);
    House {
        server,
        admin,
        granted,
        ungranted,
        revoked,
        item,
        game,
        file,
        epub,
        comic,
        video,
        song,
        library,
        user,
    }
}

impl House {
    /// The path with the ids of things that are there.
    fn real(&self, path: &str) -> String {
        let id = match path.split('/').nth(1) {
            Some("libraries") => self.library,
            Some("items") if path.contains("/saves") => self.game,
            Some("items") => self.item,
            Some("files") => self.file,
            Some("users") => self.user,
            Some("kinds") if path.contains("/entries") => self.epub,
            Some("kinds") if path.contains("/video/") => self.video,
            Some("kinds") if path.contains("/lyrics") => self.song,
            Some("kinds") => self.comic,
            _ => 1,
        };
        let path = path
            .replace("{id}", &id.to_string())
            .replace("{user_id}", &self.user.to_string())
            .replace("{slot}", "quick")
            .replace("{path}", "mimetype")
            .replace("{track}", "e2.vtt")
            .replace("{file}", "mgba.wasm")
            .replace("{name}", "disksys.rom")
            .replace("{n}", "1")
            .replace("{provider}", "openlibrary")
            .replace("{entry}", "1")
            .replace("{annotation}", "1");
        assert!(!path.contains('{'), "{path} asks for nothing that is there");
        path
    }
}

/// The path with ids that nothing ever had.
fn absent(path: &str) -> String {
    let mut path = path.to_owned();
    while let (Some(start), Some(end)) = (path.find('{'), path.find('}')) {
        path.replace_range(start..=end, "987654321");
    }
    path
}

fn ask(client: &Client, method: &str, path: &str) -> Answer {
    // A stream of events does not end; its head says as much.
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
fn every_route_answers_every_role_as_its_row_says() {
    let house = house();
    let anonymous = house.server.client().clone();
    for (method, path, who) in MATRIX {
        // What would change the house is asked of things that are not there.
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
            if changes {
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
fn invisible_and_absent_are_the_same_to_the_byte() {
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
            // An administrator without the grant.
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
fn who_is_granted_nothing_sees_nothing_anywhere() {
    let house = house();
    fs::remove_dir_all(house.server.folder().join("media")).expect("gone");
    fs::create_dir(house.server.folder().join("media")).expect("empty");
    let status = ledge_tests::server::scan(&house.admin, house.library);
    assert_eq!(status["missing"], 6, "{status}");
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
    assert_eq!(house.granted.get("/missing").expect(200).json()["total"], 6);
}

#[test]
fn other_spellings_of_a_path_never_reach_a_handler_unasked() {
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
fn no_route_is_reached_unasked_by_another_spelling_of_it() {
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
fn extra_fields_that_claim_a_right_change_nothing() {
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

//! Details of a match: credits with characters, further pictures, and their removal.

use ledge_tests::{Asked, Reply};
use serde_json::{Value, json};

use super::{House, TUNE, carolan, picture};

/// Work with all details.
fn detailed() -> Value {
    let mut work = carolan();
    let details = json!({
        "backdrop": "https://sheetcat.example/wide.jpg",
        "logo": "https://sheetcat.example/logo.png",
        "released": "1723-05-03",
        "genres": ["Planxty", "Slow air"],
        "links": [["Notes", "https://notes.example/1"], ["Trap", "javascript:alert(1)"]],
        "people": [
            { "id": "p1", "name": "Derek Bell", "role": "player", "character": "Harp",
              "picture": "https://sheetcat.example/bell.jpg" },
            { "id": "p2", "name": "Ann Nobody", "role": "player" }
        ]
    });
    for (name, value) in details.as_object().expect("an object") {
        work[name] = value.clone();
    }
    work
}

fn answer(asked: &Asked) -> Reply {
    match asked.path.as_str() {
        "/wide.jpg" => Reply::bytes("image/jpeg", picture([10, 20, 90])),
        "/logo.png" => Reply::bytes("image/png", ledge_fixtures::png(300, 100, 3)),
        "/bell.jpg" => Reply::bytes("image/jpeg", picture([90, 20, 10])),
        "/works/SC1" => Reply::json(&detailed()),
        path if path.contains("Bheag") => Reply::json(&json!({ "works": [detailed()] })),
        _ => Reply::json(&json!({ "works": [] })),
    }
}

fn house() -> House {
    let house = House::new(&[TUNE]);
    house.first.answer(answer);
    assert_eq!(house.enrich(&json!({}))["matched"], 1);
    house
}

fn asked_for(house: &House, path: &str) -> usize {
    house
        .first
        .asked()
        .iter()
        .filter(|asked| asked.path == path)
        .count()
}

fn image(house: &House, url: &Value) -> (String, usize) {
    let path = url
        .as_str()
        .expect("a URL")
        .trim_start_matches("/api/v1")
        .to_owned();
    let found = house.admin.get(&path).expect(200);
    let kind = found.header("content-type").to_owned();
    (kind, found.body.len())
}

#[test]
fn match_writes_details_credits_and_pictures() {
    let house = house();
    let item = house.item(TUNE);
    assert_eq!(item["details"]["released"], "1723-05-03");
    assert_eq!(item["details"]["provider"], "sheetcat");
    assert_eq!(item["details"]["provider_label"], "Sheet catalogue");
    assert_eq!(item["details"]["attribution"], Value::Null);
    let links = json!([{ "label": "Notes", "url": "https://notes.example/1" }]);
    assert_eq!(item["details"]["links"], links);
    assert_eq!(item["genres"], json!(["Planxty", "Slow air"]));
    let people = item["people"].as_array().expect("people");
    let roles: Vec<_> = people
        .iter()
        .map(|one| (&one["name"], &one["role"]))
        .collect();
    let (composer, bell) = (json!("Turlough O'Carolan"), json!("Derek Bell"));
    let (author, player) = (json!("author"), json!("player"));
    assert_eq!(roles[..2], [(&composer, &author), (&bell, &player)]);
    assert_eq!(people[1]["character"], "Harp");
    assert_eq!(people[2]["portrait"], Value::Null);
    assert_eq!(item["authors"], "Turlough O'Carolan");
    let (kind, length) = image(&house, &item["backdrop"]["url"]);
    assert!(kind == "image/jpeg" && length > 100, "{kind} {length}");
    assert_eq!(image(&house, &item["logo"]["url"]).0, "image/png");
}

#[test]
fn portrait_is_fetched_when_a_page_shows_it_and_only_once() {
    let house = house();
    let item = house.item(TUNE);
    assert_eq!(asked_for(&house, "/bell.jpg"), 0);
    for _ in 0..3 {
        assert_eq!(
            image(&house, &item["people"][1]["portrait"]).0,
            "image/jpeg"
        );
    }
    assert_eq!(asked_for(&house, "/bell.jpg"), 1);
    let without = format!("/people/{}/picture", item["people"][2]["id"]);
    house.admin.get(&without).expect(404);
    let person = house
        .admin
        .get(&format!("/people/{}", item["people"][1]["id"]))
        .expect(200)
        .json();
    assert_eq!(person["name"], "Derek Bell");
    assert_eq!(person["external_ids"], json!({ "players": "p1" }));
    assert_eq!(
        person["roles"],
        json!([{ "role": "player", "kind": "sheets", "items": 1 }])
    );
}

#[test]
fn user_without_grant_gets_no_picture_and_no_person() {
    let house = house();
    let item = house.item(TUNE);
    let stranger = house.server.user(&house.admin, "stranger").1;
    let portrait = item["people"][1]["portrait"].as_str().expect("a URL");
    let urls = [
        item["backdrop"]["url"].as_str().expect("a URL"),
        item["logo"]["url"].as_str().expect("a URL"),
        portrait,
        portrait.trim_end_matches("/picture"),
    ];
    for url in urls {
        let path = url.trim_start_matches("/api/v1");
        stranger.get(path).expect(404);
    }
    assert_eq!(asked_for(&house, "/bell.jpg"), 0);
}

#[test]
fn repeated_enrichment_fetches_no_picture_again() {
    let house = house();
    house.enrich(&json!({ "force": true }));
    assert_eq!(asked_for(&house, "/wide.jpg"), 1);
    assert_eq!(asked_for(&house, "/logo.png"), 1);
}

#[test]
fn unlinked_match_takes_its_details_along() {
    let house = house();
    let item = house.item(TUNE);
    let path = format!("/items/{}/matches/sheetcat", item["id"]);
    house.admin.delete(&path).expect(204);
    let after = house.item(TUNE);
    for name in ["details", "backdrop", "logo"] {
        assert_eq!(after[name], Value::Null, "{name}");
    }
    assert_eq!(after["genres"], json!([]));
    assert!(
        after["people"]
            .as_array()
            .expect("people")
            .iter()
            .all(|one| one["role"] == "author")
    );
    house
        .admin
        .get(
            item["backdrop"]["url"]
                .as_str()
                .expect("a URL")
                .trim_start_matches("/api/v1"),
        )
        .expect(404);
}

#[test]
fn edited_authors_and_genres_stay_and_cast_is_added() {
    let house = House::new(&[TUNE]);
    let path = format!("/items/{}", house.item(TUNE)["id"]);
    let edit = json!({ "authors": ["T. O'Carolan"], "genres": ["Own"] });
    house.admin.patch(&path, &edit).expect(200);
    house.first.answer(answer);
    assert_eq!(house.enrich(&json!({ "force": true }))["matched"], 1);
    let item = house.item(TUNE);
    assert_eq!(
        (&item["authors"], &item["genres"]),
        (&json!("T. O'Carolan"), &json!(["Own"]))
    );
    let people = item["people"].as_array().expect("people");
    assert!(
        people.iter().any(|one| one["name"] == "Derek Bell"),
        "{people:?}"
    );
}

#[test]
fn namesakes_with_different_ids_are_different_people() {
    let house = House::new(&[TUNE, "Anon - The Butterfly.abc"]);
    let tune = |id: &str, title: &str, author: &str, player: &str| {
        json!({ "id": id, "title": title, "authors": [author], "people": [
            { "id": player, "name": "Derek Bell", "role": "player" }
        ] })
    };
    house.first.answer(move |asked: &Asked| {
        let found = if asked.path.contains("Bheag") {
            tune("SC1", "Si Bheag Si Mhor", "Turlough O'Carolan", "p1")
        } else {
            tune("SC2", "The Butterfly", "Anon", "p9")
        };
        Reply::json(&json!({ "works": [found] }))
    });
    assert_eq!(house.enrich(&json!({}))["matched"], 2);
    let player = |name: &str| {
        let item = house.item(name);
        let people = item["people"].as_array().expect("people").clone();
        people
            .into_iter()
            .find(|one| one["role"] == "player")
            .expect("a player")["id"]
            .clone()
    };
    assert_ne!(player(TUNE), player("Anon - The Butterfly.abc"));
}

#[test]
fn failing_picture_costs_the_match_nothing_and_is_fetched_later() {
    let house = House::new(&[TUNE]);
    house
        .first
        .answer(|asked: &Asked| match asked.path.as_str() {
            "/wide.jpg" => Reply::status(503),
            "/logo.png" => Reply::bytes("image/png", b"no picture".to_vec()),
            _ => answer(asked),
        });
    assert_eq!(house.enrich(&json!({}))["matched"], 1);
    assert_eq!(house.item(TUNE)["backdrop"], Value::Null);
    house.first.answer(answer);
    house.enrich(&json!({}));
    let item = house.item(TUNE);
    assert!(item["backdrop"].is_object(), "{item}");
    // Bytes that are no picture are not requested again.
    assert_eq!(item["logo"], Value::Null);
}

//! Details of people: requested after a page showed the person, once, and kept for 30 days.

use ledge_core::db::open;
use ledge_tests::server::until;
use ledge_tests::{After, Asked, Client, Reply};
use serde_json::{Value, json};

use super::{House, TUNE, picture};

const PLAYERS: [&str; 7] = ["p1", "broken", "large", "torn", "page", "late", "gone"];

/// Returns a work with all players.
fn tune() -> Value {
    let players =
        PLAYERS.map(|id| json!({ "id": id, "name": format!("Player {id}"), "role": "player" }));
    json!({ "id": "SC1", "title": "Si Bheag, Si Mhor", "authors": ["Turlough O'Carolan"],
            "people": players })
}

fn player() -> Value {
    json!({
        "biography": "<p>Plays &amp; sings.</p><script>alert(1)</script><p>A <b>second</b> one.</p>",
        "born": "1935-10-21", "died": "soon", "birthplace": "Belfast\u{0}\n",
        "performer": "t 1", "picture": "https://sheetcat.example/late.jpg",
        "links": [["Site", "https://bell.example/"], ["Trap", "javascript:alert(1)"]]
    })
}

fn answer(asked: &Asked) -> Reply {
    match asked.path.as_str() {
        "/people/p1" => Reply::json(&player()),
        "/people/broken" => Reply::status(500),
        "/people/large" => Reply::bytes("application/json", "{").then(After::Endless),
        "/people/torn" => Reply::bytes("application/json", "{\"biography\": [\""),
        "/people/page" => Reply::bytes("text/html", "<html>{}</html>"),
        "/people/late" => Reply::status(429).header("Retry-After", "1"),
        "/late.jpg" => Reply::bytes("image/jpeg", picture([90, 20, 10])),
        path if path.contains("Bheag") => Reply::json(&json!({ "works": [tune()] })),
        _ => Reply::status(404),
    }
}

fn house() -> House {
    let house = House::new(&[TUNE]);
    house.first.answer(answer);
    assert_eq!(house.enrich(&json!({}))["matched"], 1);
    house
}

impl House {
    /// Returns the path of the player with this external id.
    fn player(&self, id: &str) -> String {
        let people = self.item(TUNE)["people"].clone();
        let name = format!("Player {id}");
        let mut people = people.as_array().expect("people").iter();
        let found = people.find(|one| one["name"] == name.as_str());
        format!("/people/{}", found.expect("a player")["id"])
    }

    /// Returns a player once the server requests nothing about them.
    fn known(&self, id: &str) -> Value {
        let path = self.player(id);
        until("the details", || {
            let person = self.admin.get(&path).expect(200).json();
            (person["is_pending"] == false).then_some(person)
        })
    }

    /// Makes the validity of all stored details end.
    fn expire(&self) {
        let database = open::existing(&self.server.database()).expect("a database");
        let sql = "UPDATE person_detail SET due_at = '2020-01-01T00:00:00.000000Z'";
        assert!(database.execute(sql, []).expect("a change") > 0);
    }

    fn stored(&self) -> i64 {
        let database = open::existing(&self.server.database()).expect("a database");
        let sql = "SELECT count(*) FROM person_detail";
        database
            .query_row(sql, [], |row| row.get(0))
            .expect("a number")
    }
}

#[track_caller]
fn assert_unknown(person: &Value) {
    for field in ["biography", "born", "died", "birthplace"] {
        assert_eq!(person[field], Value::Null, "{field}: {person}");
    }
    assert_eq!(
        (&person["links"], &person["attribution"]),
        (&json!([]), &json!([]))
    );
}

#[test]
fn text_appears_after_page_was_requested_and_is_requested_once() {
    let house = house();
    assert_eq!(
        house.first.count("/people/"),
        0,
        "a match requests no texts"
    );
    let path = house.player("p1");
    let first = house.admin.get(&path).expect(200).json();
    assert_eq!(first["is_pending"], true);
    assert_unknown(&first);
    let person = house.known("p1");
    assert_eq!(person["birthplace"], "Belfast");
    assert_eq!(
        (&person["born"], &person["died"]),
        (&json!("1935-10-21"), &Value::Null)
    );
    assert_eq!(person["is_group"], false);
    assert_eq!(
        person["attribution"],
        json!([{
            "provider": "sheetcat", "provider_label": "Sheet catalogue",
            "attribution": { "text": "Players from the sheet catalogue",
                             "url": "https://sheetcat.example/players" }
        }])
    );
    for _ in 0..3 {
        assert_eq!(house.admin.get(&path).expect(200).json(), person);
    }
    assert_eq!(house.first.count("/people/p1"), 1);
    assert_eq!(
        house.first.asked().last().map(|asked| asked.path.clone()),
        Some("/people/p1".to_owned())
    );
    let portrait = person["portrait"].as_str().expect("a URL");
    let portrait = house.admin.get(portrait.trim_start_matches("/api/v1"));
    assert_eq!(portrait.expect(200).header("content-type"), "image/jpeg");
    house.expire();
    house.known("p1");
    assert_eq!(house.first.count("/people/p1"), 2, "a month later");
}

#[test]
fn hostile_values_become_plain_text_or_nothing() {
    let person = house().known("p1");
    assert_eq!(person["biography"], "Plays & sings.\n\nA second one.");
    assert_eq!(
        person["links"],
        json!([{ "label": "Site", "url": "https://bell.example/" }])
    );
    assert_eq!(
        person["external_ids"],
        json!({ "players": "p1" }),
        "an id has no spaces"
    );
}

#[test]
fn person_unknown_to_provider_is_not_requested_again() {
    let house = house();
    assert_unknown(&house.known("gone"));
    let again = house.admin.get(&house.player("gone")).expect(200).json();
    assert_eq!(again["is_pending"], false);
    assert_eq!(house.first.count("/people/gone"), 1);
    house.expire();
    assert_unknown(&house.known("gone"));
    assert_eq!(house.first.count("/people/gone"), 2);
}

#[test]
fn failure_is_retried_later_and_costs_no_known_text() {
    let house = house();
    let failing = ["broken", "large", "torn", "page", "late"];
    for id in failing {
        assert_unknown(&house.known(id));
        assert_unknown(&house.admin.get(&house.player(id)).expect(200).json());
        assert_eq!(house.first.count(&format!("/people/{id}")), 1, "{id}");
    }
    house
        .first
        .answer(|asked: &Asked| match asked.path.as_str() {
            path if path.starts_with("/people/") => Reply::json(&player()),
            _ => answer(asked),
        });
    house.expire();
    for id in failing {
        until("the text", || {
            let person = house.admin.get(&house.player(id)).expect(200).json();
            (person["born"] == "1935-10-21").then_some(())
        });
        assert_eq!(house.first.count(&format!("/people/{id}")), 2, "{id}");
    }
    house.first.answer(|_: &Asked| Reply::status(503));
    house.expire();
    assert_eq!(house.known("torn")["born"], "1935-10-21");
    assert_eq!(house.first.count("/people/torn"), 3);
}

#[test]
fn answer_leads_to_the_next_provider_until_there_is_a_text() {
    let house = house();
    house
        .first
        .answer(|asked: &Asked| match asked.path.as_str() {
            "/people/p1" => Reply::json(&json!({ "born": "1935", "performer": "t1" })),
            "/people/gone" => Reply::json(&json!({ "biography": "Known.", "performer": "t2" })),
            _ => answer(asked),
        });
    house
        .second
        .answer(|asked: &Asked| match asked.path.as_str() {
            "/people/t1" => Reply::json(&json!({ "biography": "A harper.", "born": "1999" })),
            _ => Reply::status(404),
        });
    let person = house.known("p1");
    assert_eq!(
        (&person["biography"], &person["born"]),
        (&json!("A harper."), &json!("1935"))
    );
    let sources = person["attribution"].as_array().expect("a list").iter();
    let sources: Vec<_> = sources.map(|one| one["provider"].clone()).collect();
    assert_eq!(sources, ["sheetcat", "tunebook"]);
    assert_eq!(
        person["external_ids"],
        json!({ "players": "p1", "performers": "t1" })
    );
    assert_eq!(house.known("gone")["biography"], "Known.");
    assert_eq!(house.second.count("/people/"), 1, "a text is enough");
}

#[test]
fn hidden_person_is_absent_and_causes_no_request() {
    let house = house();
    let (path, other) = (house.player("p1"), house.player("gone"));
    let stranger: Client = house.server.user(&house.admin, "stranger").1;
    stranger.get(&other).expect(404);
    stranger.get(&path).expect(404);
    // Requests are sent after the response: those of the other user would precede this one.
    house.known("p1");
    assert_eq!(house.first.count("/people/p1"), 1);
    assert_eq!(house.first.count("/people/gone"), 0);
    stranger.get(&path).expect(404);
}

#[test]
fn nothing_is_requested_without_permission_of_an_administrator() {
    let house = house();
    let path = house.player("p1");
    for change in [
        json!({ "remote": false }),
        json!({ "remote": true, "providers": { "sheetcat": { "enabled": false } } }),
    ] {
        house.admin.patch("/metadata/settings", &change).expect(200);
        for _ in 0..2 {
            let person = house.admin.get(&path).expect(200).json();
            assert_eq!(person["is_pending"], false, "{change}");
        }
    }
    assert_eq!(house.first.count("/people/"), 0);
    assert_eq!(house.stored(), 0);
}

#[test]
fn undone_match_takes_details_of_its_people_along() {
    let house = house();
    house.known("p1");
    assert_eq!(house.stored(), 1);
    let path = format!("/items/{}/matches/sheetcat", house.item(TUNE)["id"]);
    house.admin.delete(&path).expect(204);
    assert_eq!(house.stored(), 0);
}

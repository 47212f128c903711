//! Rules: every field and operator, groups, negation, missing items, and the paths of errors.

mod errors;
mod fields;

use ledge_tests::{Client, Server};
use serde_json::{Value, json};

use crate::http::conventions::library_of;

const SHELF: &[(&str, &str)] = &[
    ("Books/Austen, Jane - Emma (1815).epub", "1"),
    ("Books/Austen, Jane - Persuasion (1817).epub", "2"),
    ("Books/Krazy Kat/Krazy Kat 1.cbz", "3"),
    ("Video/Métropolis (1927)/Métropolis (1927).mp4", "4"),
    ("Games/Nova the Squirrel.nes", "6"),
];

struct Room {
    server: Server,
    admin: Client,
    library: i64,
}

fn room() -> Room {
    let (server, admin, library) = library_of(SHELF);
    let room = Room {
        server,
        admin,
        library,
    };
    for (title, edit) in [
        (
            "Emma",
            json!({"genres": ["Satire", "Café Noir"], "language": "en"}),
        ),
        (
            "Persuasion",
            json!({"genres": ["Romance"], "language": "en"}),
        ),
        ("Métropolis", json!({"genres": ["Drama"], "language": "de"})),
    ] {
        room.admin.patch(&room.item(title), &edit).expect(200);
    }
    room
}

impl Room {
    /// Returns the path of an item.
    fn item(&self, title: &str) -> String {
        let items = self.admin.get("/items").expect(200).json()["items"].clone();
        let items = items.as_array().expect("items").iter();
        let mut found = items.filter(|item| item["title"].as_str().unwrap_or("").contains(title));
        format!("/items/{}", found.next().expect(title)["id"])
    }

    #[track_caller]
    fn found(&self, rule: &Value) -> String {
        found_by(&self.admin, rule)
    }

    /// Checks the items that one condition selects.
    #[track_caller]
    fn selects(&self, field: &str, op: &str, value: &Value, expected: &str) {
        let rule = json!({"all": [{"field": field, "op": op, "value": value}]});
        assert_eq!(self.found(&rule), expected, "{rule}");
    }
}

/// Returns the first words of the titles that a rule selects for a reader.
#[track_caller]
fn found_by(reader: &Client, rule: &Value) -> String {
    let answer = reader.post("/collections/preview", &json!({ "rule": rule }));
    let page = answer.expect(200).json();
    let items = page["items"].as_array().expect("items");
    assert_eq!(page["total"], items.len(), "{rule}");
    let first = |item: &Value| {
        let title = item["title"].as_str().expect("a title");
        title.split(' ').next().unwrap_or(title).to_owned()
    };
    items.iter().map(first).collect::<Vec<_>>().join(" ")
}

#[test]
fn dates_are_whole_days_in_utc() {
    let room = room();
    let emma = admin_item(&room, "Emma");
    let file = emma["files"][0]["id"].clone();
    let path = format!("/items/{}/progress", emma["id"]);
    let place = json!({
        "file_id": file, "position": 0, "finished": true, "recorded_at": "2024-02-29T23:59:59.999Z",
    });
    room.admin.put(&path, &place).expect(200);
    for (op, value, expected) in [
        ("between", json!(["2024-02-29", "2024-02-29"]), "Emma"),
        ("between", json!(["2024-02-28", "2024-02-28"]), ""),
        ("before", json!("2024-02-29"), ""),
        ("before", json!("2024-03-01"), "Emma"),
        ("after", json!("2024-02-29"), ""),
        ("after", json!("2024-02-28"), "Emma"),
        ("before", json!("2024-02-29T23:59:59.999Z"), ""),
        ("after", json!("2024-02-29T23:59:59.998Z"), "Emma"),
    ] {
        room.selects("finished_at", op, &value, expected);
    }
}

fn admin_item(room: &Room, title: &str) -> Value {
    room.admin.get(&room.item(title)).expect(200).json()
}

#[test]
fn tags_are_own_and_shared_ones_of_the_reader() {
    let room = room();
    let (mia_id, mia) = room.server.user(&room.admin, "mia");
    let grant = format!("/libraries/{}/grants/{mia_id}", room.library);
    room.admin.send("PUT", &grant, &[], None).expect(204);
    let tag = |client: &Client, title: &str, name: &str, shared: bool| {
        let body = json!({"tags": [name], "shared": shared});
        client
            .put(&format!("{}/tags", room.item(title)), &body)
            .expect(200);
    };
    tag(&room.admin, "Emma", "Later", false);
    tag(&mia, "Nova", "later", false);
    tag(&room.admin, "Krazy", "LATER", true);
    let rule = json!({"all": [{"field": "tag", "op": "is", "value": "later"}]});
    assert_eq!(room.found(&rule), "Emma Krazy");
    assert_eq!(found_by(&mia, &rule), "Krazy Nova");
    let none = json!({"all": [{"field": "tag", "op": "is_not", "value": "later"}]});
    assert_eq!(found_by(&mia, &none), "Emma Métropolis Persuasion");
    let part = json!({"all": [{"field": "tag", "op": "contains", "value": "ate"}]});
    assert_eq!(found_by(&mia, &part), "Krazy Nova");
}

#[test]
fn groups_combine_conditions() {
    let room = room();
    let is = |field: &str, value: Value| json!({"field": field, "op": "is", "value": value});
    let not = |field: &str, value: Value| json!({"field": field, "op": "is_not", "value": value});
    let all = "Emma Krazy Métropolis Nova Persuasion";
    for (rule, expected) in [
        (json!({"all": []}), all),
        (
            json!({"all": [is("kind", json!("books")), is("language", json!("en"))]}),
            "Emma Persuasion",
        ),
        (
            json!({"any": [is("kind", json!("games")), is("year", json!(1815))]}),
            "Emma Nova",
        ),
        (
            json!({"any": [not("kind", json!("books")), is("year", json!(1815))]}),
            "Emma Métropolis Nova",
        ),
        (
            json!({"all": [
                not("kind", json!("games")),
                {"any": [is("genre", json!("Drama")), {"all": [
                    is("author", json!("Jane Austen")), not("genre", json!("Romance")),
                ]}]},
            ]}),
            "Emma Métropolis",
        ),
        (
            json!({"all": [not("kind", json!("games")), not("kind", json!("books"))]}),
            "Métropolis",
        ),
        (
            json!({"any": [not("kind", json!("games")), not("kind", json!("books"))]}),
            all,
        ),
        (
            json!({"all": [is("kind", json!("books")),
                           {"field": "title", "op": "contains", "value": "a"}]}),
            "Emma Krazy Persuasion",
        ),
        (
            json!({"any": [is("kind", json!("games")),
                           {"field": "title", "op": "contains", "value": "mm"}]}),
            "Emma Nova",
        ),
        (
            json!({"all": [is("kind", json!("books"))], "sort": "year", "order": "desc"}),
            "Persuasion Emma Krazy",
        ),
    ] {
        assert_eq!(room.found(&rule), expected, "{rule}");
    }
}

#[test]
fn missing_items_match_only_if_a_condition_asks() {
    let room = room();
    std::fs::remove_file(
        room.server
            .folder()
            .join("media/Games/Nova the Squirrel.nes"),
    )
    .expect("gone");
    ledge_tests::server::scan(&room.admin, room.library);
    room.selects("kind", "is", &json!("games"), "");
    room.selects("kind", "is_not", &json!("books"), "Métropolis");
    room.selects("missing", "is", &json!(true), "Nova");
    let rule = json!({"any": [
        {"field": "missing", "op": "is", "value": true},
        {"field": "kind", "op": "is", "value": "video"},
    ]});
    assert_eq!(room.found(&rule), "Métropolis Nova");
}

#[test]
fn invisible_items_are_never_selected() {
    let room = room();
    let (_, mia) = room.server.user(&room.admin, "mia");
    for rule in [
        json!({"all": []}),
        json!({"all": [{"field": "kind", "op": "is_not", "value": "games"}]}),
        json!({"any": [{"field": "genre", "op": "is", "value": "Drama"}]}),
        json!({"all": [{"field": "title", "op": "contains", "value": "a"}], "sort": "random"}),
        json!({"all": [{"field": "library", "op": "is", "value": room.library}]}),
    ] {
        assert_eq!(found_by(&mia, &rule), "", "{rule}");
    }
}

//! Edits: values written by a user stay until they are unlocked.

use std::fs;

use ledge_core::db::open;
use ledge_tests::server::scan;
use ledge_tests::{Answer, Client};
use serde_json::{Value, json};

use crate::http::conventions::{id_of, invalid, library_of, page, refused, write};
use crate::playing::playback::titled;

const EMMA: &str = "Books/Austen, Jane - Emma (1815).epub";

fn item(client: &Client, id: i64) -> Value {
    client.get(&format!("/items/{id}")).expect(200).json()
}

/// Returns an item without the ids of its people. A person who lost the last credit and gets
/// another one has a new id.
fn without_ids(mut item: Value) -> Value {
    for person in item["people"].as_array_mut().expect("people") {
        person["id"].take();
    }
    item
}

fn edit(client: &Client, id: i64, body: &Value) -> Answer {
    client.patch(&format!("/items/{id}"), body)
}

fn edited(client: &Client, id: i64, body: &Value) -> Value {
    let answer = edit(client, id, body).expect(200).json();
    assert_eq!(answer, item(client, id), "the answer is the item");
    answer
}

fn names(item: &Value) -> Vec<(&str, &str)> {
    let people = item["people"].as_array().expect("people");
    let credit = |person: &'_ Value| -> (String, String) {
        let text = |key: &str| person[key].as_str().expect("text").to_owned();
        (text("name"), text("role"))
    };
    assert!(people.iter().map(credit).all(|(name, _)| !name.is_empty()));
    people
        .iter()
        .filter_map(|person| Some((person["name"].as_str()?, person["role"].as_str()?)))
        .collect()
}

#[test]
fn edited_fields_are_shown_sorted_and_locked() {
    let (_server, admin, _) = library_of(&[(EMMA, "emma"), ("Books/Middlemarch.epub", "m")]);
    let id = titled(&admin, "Emma");
    let before = item(&admin, id);
    assert_eq!(before["locked"], json!([]));
    let sources = |item: &Value| {
        ["title", "year", "authors", "description", "series", "cover"].map(|field| {
            item["sources"][field]
                .as_str()
                .expect("a source")
                .to_owned()
        })
    };
    assert_eq!(sources(&before), ["name"; 6]);
    let after = edited(
        &admin,
        id,
        &json!({
            "title": "  The Zealous Matchmaker ", "year": 1816,
            "authors": ["Jane Austen", "A. Lady"], "description": "A comedy.\nOf manners.",
            "series": "Classics", "series_index": 4.5,
        }),
    );
    assert_eq!(after["title"], "The Zealous Matchmaker");
    assert_eq!(
        (&after["year"], &after["authors"]),
        (&json!(1816), &json!("Jane Austen, A. Lady"))
    );
    assert_eq!(
        names(&after),
        [("Jane Austen", "author"), ("A. Lady", "author")]
    );
    assert_eq!(after["description"], "A comedy.\nOf manners.");
    assert_eq!(
        (&after["facts"]["series"], &after["facts"]["series_index"]),
        (&json!("Classics"), &json!(4.5))
    );
    assert_eq!(
        after["locked"],
        json!(["title", "year", "authors", "description", "series"])
    );
    assert_eq!(sources(&after)[..5], ["person"; 5].map(str::to_owned));
    // The order follows the new title, without its article.
    let order: Vec<i64> = page(&admin.get("/items")).iter().map(id_of).collect();
    assert_eq!(order.last(), Some(&id));
    let letters = admin.get("/items/letters").expect(200).json();
    assert_eq!(
        letters["items"],
        json!([{"letter": "M", "offset": 0}, {"letter": "Z", "offset": 1}])
    );
    let author = id_of(&after["people"][1]);
    let of_author = page(&admin.get(&format!("/items?author={author}")));
    assert_eq!(of_author.iter().map(id_of).collect::<Vec<_>>(), [id]);
    let of_series = page(&admin.get(&format!("/items?series={}", after["series_id"])));
    assert_eq!(of_series.iter().map(id_of).collect::<Vec<_>>(), [id]);
}

#[test]
fn null_clears_field_and_omitted_field_stays() {
    let (_server, admin, _) = library_of(&[(EMMA, "emma")]);
    let id = titled(&admin, "Emma");
    edited(
        &admin,
        id,
        &json!({"description": "Long.", "series": "Classics", "series_index": 2}),
    );
    let same = edited(&admin, id, &json!({}));
    assert_eq!(same["description"], "Long.");
    let numbered = edited(&admin, id, &json!({"series_index": 3}));
    assert_eq!(
        (
            &numbered["facts"]["series"],
            &numbered["facts"]["series_index"]
        ),
        (&json!("Classics"), &json!(3.0))
    );
    let body = json!({"year": null, "description": null, "series": null, "authors": []});
    let cleared = edited(&admin, id, &body);
    assert_eq!(
        [
            &cleared["year"],
            &cleared["description"],
            &cleared["facts"]["series"],
            &cleared["series_id"]
        ],
        [&Value::Null; 4]
    );
    assert_eq!((&cleared["authors"], names(&cleared)), (&json!(""), vec![]));
    assert_eq!(
        cleared["locked"],
        json!(["year", "authors", "description", "series"])
    );
    assert_eq!(cleared["title"], "Emma");
}

#[test]
fn scan_keeps_edited_fields() {
    let (server, admin, library) = library_of(&[(EMMA, "emma"), ("Books/Middlemarch.epub", "m")]);
    let media = server.folder().join("media");
    let id = titled(&admin, "Emma");
    let edits = json!({"title": "Emma, annotated", "authors": ["A. Scholar"], "year": 2001});
    edited(&admin, id, &edits);
    let holds = |what: &str| {
        let now = item(&admin, id);
        assert_eq!(
            (&now["title"], &now["authors"], &now["year"]),
            (
                &json!("Emma, annotated"),
                &json!("A. Scholar"),
                &json!(2001)
            ),
            "{what}"
        );
        now
    };
    write(&media, EMMA, "emma in other words");
    let status = scan(&admin, library);
    assert_eq!(status["updated"], 1, "{status}");
    holds("the file changed");
    fs::create_dir(media.join("Classics")).expect("a folder");
    let renamed = media.join("Classics/Bronte, Anne - Agnes Grey (1847).epub");
    fs::rename(media.join(EMMA), renamed).expect("renamed");
    let status = scan(&admin, library);
    assert_eq!(status["moved"], 1, "{status}");
    let moved = holds("the file was moved and renamed");
    assert_eq!(
        moved["files"][0]["path"],
        "Classics/Bronte, Anne - Agnes Grey (1847).epub"
    );
    // Unlocked fields get the current values from the names.
    let freed = edited(&admin, id, &json!({"unlock": ["title", "year", "authors"]}));
    assert_eq!(
        (&freed["title"], &freed["year"]),
        (&json!("Agnes Grey"), &json!(1847))
    );
    assert_eq!(freed["authors"], "Anne Bronte");
    assert_eq!(
        (&freed["locked"], &freed["sources"]["title"]),
        (&json!([]), &json!("name"))
    );
}

#[test]
fn unlocked_field_takes_value_from_names_and_follows_them() {
    let (server, admin, library) = library_of(&[(EMMA, "emma")]);
    let id = titled(&admin, "Emma");
    let before = item(&admin, id);
    let all = json!({
        "title": "X", "year": null, "authors": ["Y"], "description": "Z", "series": "S",
    });
    edited(&admin, id, &all);
    edited(&admin, id, &json!({"title": "XX"}));
    let fields = json!(["title", "year", "authors", "description", "series", "cover"]);
    let freed = edited(&admin, id, &json!({"unlock": fields}));
    assert_eq!(without_ids(freed.clone()), without_ids(before));
    // A second unlock changes nothing.
    assert_eq!(edited(&admin, id, &json!({"unlock": fields})), freed);
    let media = server.folder().join("media");
    fs::rename(media.join(EMMA), media.join("Books/Persuasion (1817).epub")).expect("renamed");
    scan(&admin, library);
    let renamed = item(&admin, id);
    assert_eq!(
        (&renamed["title"], &renamed["year"]),
        (&json!("Persuasion"), &json!(1817))
    );
}

#[test]
fn edited_series_keeps_spelling_and_is_deleted_with_last_item() {
    let (server, admin, _) = library_of(&[(EMMA, "emma"), ("Books/Middlemarch.epub", "m")]);
    let (emma, other) = (titled(&admin, "Emma"), titled(&admin, "Middlemarch"));
    edited(
        &admin,
        emma,
        &json!({"series": "clasics", "series_index": 1}),
    );
    edited(
        &admin,
        other,
        &json!({"series": "Clasics", "series_index": 2}),
    );
    assert_eq!(item(&admin, emma)["facts"]["series"], "Clasics");
    edited(&admin, emma, &json!({"series": "Classics"}));
    assert_eq!(item(&admin, emma)["facts"]["series_index"], 1.0);
    let stored = || -> Vec<String> {
        let connection = open::writable(&server.database()).expect("a database");
        let mut names = connection
            .prepare("SELECT name FROM series ORDER BY name")
            .expect("a statement");
        let rows = names.query_map([], |row| row.get(0)).expect("rows");
        rows.collect::<Result<_, _>>().expect("names")
    };
    assert_eq!(stored(), ["Clasics", "Classics"]);
    edited(&admin, other, &json!({"series": "Classics"}));
    assert_eq!(stored(), ["Classics"]);
    for id in [emma, other] {
        edited(&admin, id, &json!({"unlock": ["series"]}));
    }
    assert_eq!(stored(), [] as [&str; 0]);
}

#[test]
fn edited_author_spelling_applies_to_all_items() {
    let (_server, admin, _) = library_of(&[
        (EMMA, "emma"),
        ("Books/Austen, Jane - Persuasion (1817).epub", "persuasion"),
        ("Books/Melville, Herman - Typee.epub", "typee"),
    ]);
    let (emma, other) = (titled(&admin, "Emma"), titled(&admin, "Persuasion"));
    assert_eq!(item(&admin, other)["authors"], "Jane Austen");
    let person = id_of(&item(&admin, emma)["people"][0]);
    for spelling in ["JANE AUSTEN", "Jane Austén", "Jane, Austen", "Jane Austen"] {
        let after = edited(&admin, emma, &json!({"authors": [spelling]}));
        assert_eq!(after["authors"], spelling);
        assert_eq!(after["locked"], json!(["authors"]));
        assert_eq!(names(&after), [(spelling, "author")]);
        assert_eq!(id_of(&after["people"][0]), person);
        let twin = item(&admin, other);
        assert_eq!(
            (&twin["authors"], &twin["locked"]),
            (&json!(spelling), &json!([]))
        );
        let people = page(&admin.get("/people?q=jane"));
        assert_eq!((people.len(), &people[0]["name"]), (1, &json!(spelling)));
    }
    // The first of several equal names counts.
    let doubled = json!({"authors": ["jane austen", "JANE AUSTEN", "Herman Melville"]});
    let after = edited(&admin, emma, &doubled);
    assert_eq!(after["authors"], "jane austen, Herman Melville");
    assert_eq!(item(&admin, other)["authors"], "jane austen");
}

#[test]
fn unlocked_field_takes_value_from_file() {
    let tune = |title: &str| format!("X:1\nT:{title}\nC:Ann Harper\nN:Slow.\nK:G\n");
    let path = "Turlough - Si Bheag.abc";
    let (server, admin, library) = library_of(&[(path, &tune("The Fairies"))]);
    let id = titled(&admin, "The Fairies");
    let before = item(&admin, id);
    assert_eq!(before["authors"], "Ann Harper");
    assert_eq!(
        (
            &before["sources"]["title"],
            &before["sources"]["description"]
        ),
        (&json!("file"), &json!("file"))
    );
    let mine = json!({"title": "Mine", "authors": ["Me"], "description": "Fast."});
    let fields = json!({"unlock": ["title", "authors", "description"]});
    edited(&admin, id, &mine);
    let freed = edited(&admin, id, &fields);
    assert_eq!(without_ids(freed), without_ids(before));
    // The value is the file's current one, not the one at the time of the edit.
    edited(&admin, id, &mine);
    write(
        &server.folder().join("media"),
        path,
        tune("The Little Fairies, renamed"),
    );
    assert_eq!(scan(&admin, library)["updated"], 1);
    assert_eq!(item(&admin, id)["title"], "Mine");
    let freed = edited(&admin, id, &fields);
    assert_eq!(
        (
            &freed["title"],
            &freed["sources"]["title"],
            &freed["locked"]
        ),
        (
            &json!("The Little Fairies, renamed"),
            &json!("file"),
            &json!([])
        )
    );
    assert_eq!(
        (&freed["authors"], &freed["description"]),
        (&json!("Ann Harper"), &json!("Slow."))
    );
}

#[test]
fn invalid_field_is_named_and_changes_nothing() {
    let (_server, admin, _) = library_of(&[(EMMA, "emma")]);
    let id = titled(&admin, "Emma");
    let before = item(&admin, id);
    let long = |length: usize| "x".repeat(length);
    for (field, body) in [
        ("title", json!({"title": ""})),
        ("title", json!({"title": " \t "})),
        ("title", json!({"title": null})),
        ("title", json!({"title": "a\nb"})),
        ("title", json!({"title": long(501)})),
        ("year", json!({"year": 0})),
        ("year", json!({"year": 10_000})),
        ("year", json!({"year": "1815"})),
        ("authors", json!({"authors": null})),
        ("authors", json!({"authors": [""]})),
        ("authors", json!({"authors": ["Jane", " "]})),
        ("authors", json!({"authors": [long(201)]})),
        ("authors", json!({"authors": vec!["Jane"; 101]})),
        ("description", json!({"description": long(20_001)})),
        ("description", json!({"description": "\u{0}"})),
        ("series", json!({"series": long(201)})),
        ("series_index", json!({"series_index": 1})),
        ("series_index", json!({"series": "S", "series_index": -1})),
        ("unlock", json!({"unlock": ["publisher"]})),
        ("unlock", json!({"unlock": "title"})),
        ("unlock", json!({"title": "New", "unlock": ["title"]})),
        ("isbn", json!({"isbn": "0"})),
        // The change is atomic.
        ("year", json!({"title": "New", "year": 0})),
        ("series_index", json!({"title": "New", "series_index": 1})),
    ] {
        invalid(&edit(&admin, id, &body), field);
    }
    assert_eq!(item(&admin, id), before);
    for body in [
        json!({"title": "ü".repeat(500)}),
        json!({"year": -380}),
        json!({"authors": vec!["Jane"; 100], "year": 9999}),
        json!({"description": long(20_000), "series": long(200), "series_index": 0}),
    ] {
        edit(&admin, id, &body).expect(200);
    }
    assert_eq!(item(&admin, id)["authors"], "Jane");
}

#[test]
fn only_administrators_with_grant_can_edit() {
    let (server, admin, library) = library_of(&[(EMMA, "emma")]);
    let id = titled(&admin, "Emma");
    let (mia, client) = server.user(&admin, "mia");
    let grant = |user: i64, granted: bool| {
        let method = if granted { "PUT" } else { "DELETE" };
        let path = format!("/libraries/{library}/grants/{user}");
        admin.send(method, &path, &[], None).expect(204);
    };
    grant(mia, true);
    let body = json!({"title": "Mine"});
    for target in [id, 98765] {
        refused(&edit(&client, target, &body), 403, "forbidden");
        refused(
            &edit(server.client(), target, &body),
            401,
            "unauthenticated",
        );
    }
    grant(id_of(&admin.get("/auth/me").expect(200).json()), false);
    let hidden = edit(&admin, id, &body);
    refused(&hidden, 404, "not_found");
    assert_eq!(hidden.body, edit(&admin, 98765, &body).body);
    assert_eq!(item(&client, id)["title"], "Emma");
}

//! Edits of many items by one request: fields, roles, selections and previews.

mod batches;
mod sharing;
mod undo;

use ledge_tests::{Answer, Client, Server};
use serde_json::{Value, json};

use crate::http::conventions::{has_keys, id_of, invalid, library_of, refused};

/// Four books in one library.
const BOOKS: &[(&str, &str)] = &[
    ("Jane Austen - Emma.epub", "1"),
    ("Jane Austen - Persuasion.epub", "2"),
    ("Mary Shelley - Frankenstein.epub", "3"),
    ("Mary Shelley - Mathilda.epub", "4"),
];

/// Server with the library [`BOOKS`].
struct Books {
    server: Server,
    admin: Client,
    library: i64,
    /// Ids by title: Emma, Frankenstein, Mathilda, Persuasion.
    ids: Vec<i64>,
}

impl Books {
    fn new() -> Self {
        let (server, admin, library) = library_of(BOOKS);
        let items = admin.get("/items").expect(200).json()["items"].clone();
        let ids = items.as_array().expect("items").iter().map(id_of).collect();
        Self {
            server,
            admin,
            library,
            ids,
        }
    }

    /// Creates a user with a grant.
    fn user(&self, name: &str) -> (i64, Client) {
        let (id, user) = self.server.user(&self.admin, name);
        self.grant(id, true);
        (id, user)
    }

    fn grant(&self, user: i64, is_granted: bool) {
        let path = format!("/libraries/{}/grants/{user}", self.library);
        let method = if is_granted { "PUT" } else { "DELETE" };
        self.admin.send(method, &path, &[], None).expect(204);
    }

    fn item(&self, client: &Client, n: usize) -> Value {
        let path = format!("/items/{}", self.ids[n]);
        client.get(&path).expect(200).json()
    }
}

/// Sends a bulk edit of these items.
fn edit(client: &Client, ids: &[i64], set: &Value) -> Answer {
    client.patch("/items", &json!({ "ids": ids, "set": set }))
}

/// Sends a bulk edit, and returns the batch. `changed` is the expected number of items.
#[track_caller]
fn batch(client: &Client, ids: &[i64], set: &Value, changed: u64) -> i64 {
    let edited = edit(client, ids, set).expect(200).json();
    has_keys(&edited, "batch changed");
    assert_eq!(edited["changed"], changed, "{edited}");
    edited["batch"].as_i64().expect("a batch")
}

/// Undoes a batch, and returns the numbers of restored and skipped items.
#[track_caller]
fn undo(client: &Client, batch: i64) -> (u64, u64) {
    let path = format!("/edits/{batch}/undo");
    let undone = client.send("POST", &path, &[], None).expect(200).json();
    has_keys(&undone, "restored skipped");
    let number = |name: &str| undone[name].as_u64().expect("a number");
    (number("restored"), number("skipped"))
}

/// Returns the names of an item's tags.
fn tags(item: &Value) -> Vec<String> {
    let tags = item["tags"].as_array().expect("tags").iter();
    tags.map(|tag| tag["name"].as_str().expect("a name").to_owned())
        .collect()
}

#[test]
fn user_sets_own_data_of_many_items() {
    let books = Books::new();
    let (_, mia) = books.user("mia");
    let set = json!({
        "favourite": true, "finished": true, "rating": 7, "tags_add": ["summer", "To read"],
    });
    batch(&mia, &books.ids[..2], &set, 2);
    for n in 0..2 {
        let item = books.item(&mia, n);
        assert_eq!(
            (&item["favourite"], &item["rating"]),
            (&json!(true), &json!(7))
        );
        assert_eq!(item["progress"]["item_finished"], true);
        assert_eq!(tags(&item), ["summer", "To read"]);
        let others = books.item(&books.admin, n);
        assert_eq!(
            (&others["favourite"], &others["rating"]),
            (&json!(false), &Value::Null)
        );
        assert_eq!(others["progress"], Value::Null);
    }
    assert_eq!(books.item(&mia, 2)["favourite"], false);
    let set = json!({
        "favourite": false, "finished": false, "rating": null, "tags_remove": ["SUMMER", "none"],
    });
    batch(&mia, &books.ids, &set, 2);
    let item = books.item(&mia, 0);
    assert_eq!(
        (&item["favourite"], &item["rating"]),
        (&json!(false), &Value::Null)
    );
    assert_eq!(item["progress"], Value::Null);
    assert_eq!(tags(&item), ["To read"]);
}

#[test]
fn administrator_sets_shared_fields_and_locks_them() {
    let books = Books::new();
    let admin = &books.admin;
    let number = json!({"series": {"name": "Old", "index": 4.5}});
    let path = format!("/items/{}", books.ids[0]);
    admin.patch(&path, &number).expect(200);
    let set = json!({
        "authors": ["A. Lady", "Mary Shelley"], "series": {"name": "Novels"},
        "genres": ["Satire", "satire", "Drama"], "language": "EN", "year": 1815,
        "shared_tags_add": ["School"],
    });
    batch(admin, &books.ids[..2], &set, 2);
    for n in 0..2 {
        let item = books.item(admin, n);
        assert_eq!(item["authors"], "A. Lady, Mary Shelley");
        assert_eq!(item["facts"]["series"], "Novels", "{item}");
        assert_eq!(item["genres"], json!(["Satire", "Drama"]));
        assert_eq!(
            (&item["language"], &item["year"]),
            (&json!("en"), &json!(1815))
        );
        let locked = json!(["year", "authors", "series", "genres", "language"]);
        assert_eq!(item["locked"], locked, "{item}");
        assert_eq!(tags(&item), ["School"]);
        assert_eq!(item["tags"][0]["shared"], true);
    }
    // The number in the series is kept.
    assert_eq!(books.item(admin, 0)["facts"]["series_index"], 4.5);
    assert_eq!(books.item(admin, 1)["facts"]["series_index"], Value::Null);
    let found = admin.get("/search?q=lady").expect(200).json();
    assert_eq!(found["total"], 2, "{found}");
    let set = json!({
        "genres_add": ["Comedy", "DRAMA"], "genres_remove": ["satire"], "series": null,
        "year": null, "language": null, "shared_tags_remove": ["school"],
    });
    batch(admin, &books.ids[..1], &set, 1);
    let item = books.item(admin, 0);
    assert_eq!(item["genres"], json!(["Drama", "Comedy"]));
    assert_eq!(
        (&item["series_id"], &item["year"], &item["language"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    assert_eq!(tags(&item), Vec::<String>::new());
}

#[test]
fn write_without_lock_leaves_fields_unlocked() {
    let books = Books::new();
    let set = json!({"year": 1818, "genres": ["Horror"], "language": "en"});
    let body = json!({"ids": [books.ids[1]], "set": set, "lock": false});
    let edited = books.admin.patch("/items", &body).expect(200).json();
    assert_eq!(edited["changed"], 1);
    let item = books.item(&books.admin, 1);
    assert_eq!(
        (&item["year"], &item["genres"]),
        (&json!(1818), &json!(["Horror"]))
    );
    assert_eq!(item["locked"], json!([]));
    assert_eq!(
        undo(&books.admin, edited["batch"].as_i64().expect("a batch")),
        (1, 0)
    );
    let item = books.item(&books.admin, 1);
    assert_eq!((&item["year"], &item["genres"]), (&Value::Null, &json!([])));
}

#[test]
fn edit_without_effect_creates_no_batch() {
    let books = Books::new();
    let set = json!({"favourite": true, "tags_add": ["a"], "rating": 3, "finished": true});
    batch(&books.admin, &books.ids, &set, 4);
    let edited = edit(&books.admin, &books.ids, &set).expect(200).json();
    assert_eq!(edited, json!({"batch": null, "changed": 0}));
    let set = json!({"year": 1800});
    batch(&books.admin, &books.ids, &set, 4);
    let edited = edit(&books.admin, &books.ids, &set).expect(200).json();
    assert_eq!(edited, json!({"batch": null, "changed": 0}));
    let twice = [books.ids[0], books.ids[0]];
    batch(&books.admin, &twice, &json!({"rating": 9}), 1);
    assert_eq!(books.admin.get("/edits").expect(200).json()["total"], 3);
}

#[test]
fn shared_fields_are_for_administrators() {
    let books = Books::new();
    let (_, mia) = books.user("mia");
    for set in [
        json!({"authors": ["A"]}),
        json!({"series": null}),
        json!({"genres": []}),
        json!({"genres_add": ["A"]}),
        json!({"genres_remove": ["A"]}),
        json!({"language": "en"}),
        json!({"year": 1815}),
        json!({"shared_tags_add": ["A"]}),
        json!({"shared_tags_remove": ["A"], "rating": 3}),
    ] {
        refused(&edit(&mia, &books.ids, &set), 403, "forbidden");
        let preview = json!({"ids": books.ids, "set": set, "preview": true});
        refused(&mia.patch("/items", &preview), 403, "forbidden");
    }
    assert_eq!(books.item(&mia, 0)["rating"], Value::Null);
    assert_eq!(mia.get("/edits").expect(200).json()["total"], 0);
}

#[test]
fn unknown_fields_and_invalid_values_are_named() {
    let books = Books::new();
    let many: Vec<String> = (0..51).map(|n| format!("t{n}")).collect();
    for (set, field) in [
        (json!({"title": "A"}), "set.title"),
        (json!({"description": "A"}), "set.description"),
        (json!({"cover": 1}), "set.cover"),
        (json!({}), "set"),
        (json!({"favourite": null}), "set.favourite"),
        (json!({"finished": "yes"}), "set.finished"),
        (json!({"rating": 0}), "set.rating"),
        (json!({"rating": 11}), "set.rating"),
        (json!({"rating": 7.5}), "set.rating"),
        (json!({"tags_add": "a"}), "set.tags_add"),
        (json!({"tags_add": [" "]}), "set.tags_add"),
        (json!({"tags_remove": ["x".repeat(61)]}), "set.tags_remove"),
        (json!({"tags_add": many}), "set.tags_add"),
        (json!({"authors": ["a\u{7}"]}), "set.authors"),
        (json!({"series": "A"}), "set.series"),
        (json!({"series": ["A"]}), "set.series"),
        (json!({"series": {"name": "A", "index": 2}}), "set.series"),
        (json!({"series": {"name": ""}}), "set.series"),
        (json!({"genres": many}), "set.genres"),
        (json!({"genres_add": [1]}), "set.genres_add"),
        (json!({"language": "x"}), "set.language"),
        (json!({"year": 10_000}), "set.year"),
        (json!({"shared_tags_add": [null]}), "set.shared_tags_add"),
    ] {
        invalid(&edit(&books.admin, &books.ids, &set), field);
    }
    assert_eq!(books.admin.get("/edits").expect(200).json()["total"], 0);
    let (_, mia) = books.user("mia");
    invalid(&edit(&mia, &books.ids, &json!({"title": "A"})), "set.title");
}

#[test]
fn invisible_items_are_refused_and_nothing_is_written() {
    let books = Books::new();
    let (id, mia) = books.user("mia");
    for absent in [0, 9_999, -1] {
        let ids = [books.ids[0], absent];
        invalid(&edit(&mia, &ids, &json!({"rating": 5})), "ids");
    }
    assert_eq!(books.item(&mia, 0)["rating"], Value::Null);
    books.grant(id, false);
    let refused = edit(&mia, &books.ids, &json!({"rating": 5}));
    invalid(&refused, "ids");
    let absent = edit(&mia, &[books.ids[0] + 1_000], &json!({"rating": 5}));
    assert_eq!(refused.status, absent.status);
    let preview = json!({"ids": books.ids, "set": {"rating": 5}, "preview": true});
    invalid(&mia.patch("/items", &preview), "ids");
    for ids in [json!([]), json!((1..=1_001).collect::<Vec<i64>>())] {
        let body = json!({"ids": ids, "set": {"rating": 5}});
        invalid(&books.admin.patch("/items", &body), "ids");
    }
    invalid(
        &books.admin.patch("/items", &json!({"set": {"rating": 5}})),
        "ids",
    );
    invalid(
        &books.admin.patch("/items", &json!({"ids": books.ids})),
        "set",
    );
    let both = json!({"ids": books.ids, "filter": {}, "set": {"rating": 5}});
    invalid(&books.admin.patch("/items", &both), "filter");
}

#[test]
fn items_that_cannot_have_a_value_leave_all_unchanged() {
    let books = Books::new();
    let many: Vec<String> = (0..50).map(|n| format!("t{n}")).collect();
    batch(
        &books.admin,
        &books.ids[1..2],
        &json!({"tags_add": many}),
        1,
    );
    let set = json!({"tags_add": ["t1", "one more"], "rating": 4});
    invalid(&edit(&books.admin, &books.ids, &set), "set.tags_add");
    assert_eq!(books.item(&books.admin, 0)["rating"], Value::Null);
    assert_eq!(tags(&books.item(&books.admin, 0)), Vec::<String>::new());
    batch(&books.admin, &books.ids[..1], &json!({"genres": many}), 1);
    let set = json!({"genres_add": ["one more"]});
    invalid(&edit(&books.admin, &books.ids, &set), "set.genres_add");
    assert_eq!(books.item(&books.admin, 1)["genres"], json!([]));
}

#[test]
fn filter_requires_the_count_of_a_preview() {
    let books = Books::new();
    let admin = &books.admin;
    let people = admin.get("/people").expect(200).json();
    let author = people["items"][0]["id"].clone();
    let filter = json!({"author": author, "kind": "books"});
    let preview = json!({"filter": filter, "set": {"rating": 6}, "preview": true});
    let preview = admin.patch("/items", &preview).expect(200).json();
    has_keys(&preview, "count sample");
    assert_eq!(preview["count"], 2);
    let card = &preview["sample"][0];
    assert!(
        card["title"].is_string() && card["cover"].is_null(),
        "{card}"
    );
    assert_eq!(admin.get("/edits").expect(200).json()["total"], 0);
    let body = |expected: Option<u64>| {
        let mut body = json!({"filter": filter, "set": {"rating": 6}});
        if let Some(expected) = expected {
            body["expected"] = json!(expected);
        }
        body
    };
    invalid(&admin.patch("/items", &body(None)), "expected");
    refused(
        &admin.patch("/items", &body(Some(3))),
        412,
        "precondition_failed",
    );
    assert_eq!(
        admin.get("/items?rating_min=1").expect(200).json()["total"],
        0
    );
    let edited = admin.patch("/items", &body(Some(2))).expect(200).json();
    assert_eq!(edited["changed"], 2);
    assert_eq!(
        admin.get("/items?rating_min=6").expect(200).json()["total"],
        2
    );
    // The filter selects the rated items now.
    let rated = json!({"filter": {"rating_min": 6}, "set": {"rating": 2}, "expected": 2});
    assert_eq!(
        admin.patch("/items", &rated).expect(200).json()["changed"],
        2
    );
    refused(&admin.patch("/items", &rated), 412, "precondition_failed");
}

#[test]
fn filter_accepts_the_criteria_of_item_lists() {
    let books = Books::new();
    let admin = &books.admin;
    batch(
        admin,
        &books.ids[..1],
        &json!({"genres": ["Satire"], "language": "en"}),
        1,
    );
    let genre = admin.get("/genres").expect(200).json()["items"][0]["id"].clone();
    let (_, mia) = books.user("mia");
    for (filter, count) in [
        (json!({}), 4),
        (json!({"genre": genre}), 1),
        (json!({"genre": genre.to_string()}), 1),
        (json!({"genre": [genre, 999]}), 1),
        (json!({"language": "en,de", "missing": false}), 1),
        (json!({"library": books.library}), 4),
        (json!({"library": 999}), 0),
        (json!({"favourite": true}), 0),
        (json!({"state": "finished", "year_to": 1900}), 0),
    ] {
        let body = json!({"filter": filter, "set": {"rating": 6}, "preview": true});
        let preview = mia.patch("/items", &body).expect(200).json();
        assert_eq!(preview["count"], count, "{filter}");
        let length = preview["sample"].as_array().expect("cards").len();
        assert_eq!(length, count.min(5), "{filter}");
    }
    for (filter, field) in [
        (json!({"title": "Emma"}), "filter.title"),
        (json!({"kind": "none"}), "filter.kind"),
        (json!({"genre": "x"}), "filter.genre"),
        (json!({"genre": []}), "filter.genre"),
        (json!({"library": "x"}), "filter.library"),
        (json!({"decade": 1995}), "filter.decade"),
        (json!({"favourite": null}), "filter.favourite"),
    ] {
        let body = json!({"filter": filter, "set": {"rating": 6}, "preview": true});
        invalid(&admin.patch("/items", &body), field);
    }
    let ids = json!({"ids": books.ids, "set": {"rating": 6}, "preview": true});
    let preview = mia.patch("/items", &ids).expect(200).json();
    assert_eq!(preview["count"], 4);
    assert_eq!(
        mia.get("/items?rating_min=1").expect(200).json()["total"],
        0
    );
}

#[test]
fn filter_selects_only_visible_items() {
    let books = Books::new();
    let (id, mia) = books.user("mia");
    books.grant(id, false);
    let body = json!({"filter": {}, "set": {"rating": 6}, "expected": 0});
    let edited = mia.patch("/items", &body).expect(200).json();
    assert_eq!(edited, json!({"batch": null, "changed": 0}));
    let body = json!({"filter": {}, "set": {"rating": 6}, "expected": 4});
    refused(&mia.patch("/items", &body), 412, "precondition_failed");
}

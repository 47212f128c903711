//! Smart collections, from rules that select few items to rules that select nearly all.

use ledge_tests::Client;
use serde_json::{Value, json};

/// Creates a smart collection, and returns its path. An earlier run's collection is used again.
pub(crate) fn smart(owner: &Client, name: &str, rule: &Value) -> String {
    let own = owner.get("/collections?own=true&limit=500").expect(200);
    let own = own.json()["items"].clone();
    let mut lists = own.as_array().expect("collections").iter();
    if let Some(list) = lists.find(|list| list["name"] == name) {
        return format!("/collections/{}", list["id"]);
    }
    let body = json!({"name": name, "kind": "smart", "rule": rule});
    let made = owner.post("/collections", &body).expect(201).json();
    format!("/collections/{}", made["id"])
}

/// Returns rules with their names.
pub(crate) fn rules() -> Vec<(&'static str, Value)> {
    let one =
        |field: &str, op: &str, value: Value| json!({"field": field, "op": op, "value": value});
    vec![
        (
            "all items",
            json!({"all": [], "sort": "added", "order": "desc"}),
        ),
        ("books", json!({"all": [one("kind", "is", json!("books"))]})),
        (
            "genre or rating, not finished",
            json!({"all": [
                {"any": [one("genre", "contains", json!("1")), one("rating", "greater", json!(7))]},
                one("state", "is_not", json!("finished")),
            ]}),
        ),
        (
            "books of thirty years by size",
            json!({"all": [
                one("kind", "is", json!("books")),
                one("year", "between", json!([1970, 1999])),
            ], "sort": "size", "order": "desc"}),
        ),
        (
            "added since 2000",
            json!({"all": [one("added_at", "after", json!("2000-01-01"))]}),
        ),
        (
            "books since 1990",
            json!({"all": [
                one("kind", "is", json!("books")),
                one("year", "greater", json!(1989)),
            ]}),
        ),
        (
            "eight letters of a title",
            json!({"all": [one("title", "contains", json!("ovel 123"))]}),
        ),
        (
            "part of a title",
            json!({"all": [one("title", "contains", json!("qx"))]}),
        ),
    ]
}

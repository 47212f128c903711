//! Paths of the errors of rules.

use serde_json::{Value, json};

use crate::http::conventions::{invalid, library_of};

/// Invalid name, field, operator, and value as JSON.
const CONDITIONS: &[(&str, &str, &str, &str)] = &[
    ("value", "kind", "is", r#""boats""#),
    ("value", "kind", "one_of", "[]"),
    ("value", "kind", "one_of", r#""books""#),
    ("value", "subkind", "is", r#""boat""#),
    ("value", "state", "is", r#""done""#),
    ("value", "library", "is", r#""1""#),
    ("value", "plays", "is", r#""gramophone""#),
    ("value", "title", "is", r#"" ""#),
    ("value", "title", "is", r#"["a"]"#),
    ("value", "year", "is", r#""1999""#),
    ("value", "year", "between", "[1999]"),
    ("value", "year", "between", "[2, 1]"),
    ("value", "added_at", "before", r#""yesterday""#),
    ("value", "added_at", "before", r#""2024-02-30""#),
    (
        "value",
        "added_at",
        "between",
        r#"["2024-01-02", "2024-01-01"]"#,
    ),
    ("value", "added_at", "within_days", "0"),
    ("value", "added_at", "within_days", "36501"),
    ("value", "favourite", "is", r#""yes""#),
    ("op", "favourite", "is_not", "true"),
    ("op", "added_at", "is", r#""2024-01-01""#),
    ("op", "kind", "like", r#""books""#),
    ("op", "kind", "greater", r#""books""#),
    ("field", "colour", "is", "1"),
];

/// Returns groups of this depth.
fn nested(levels: usize) -> Value {
    let innermost = json!({"field": "kind", "op": "is", "value": "books"});
    (0..levels).fold(innermost, |member, _| json!({"all": [member]}))
}

fn one(condition: &Value) -> Value {
    json!({"all": [condition]})
}

fn condition(field: &str, op: &str, value: &Value) -> Value {
    one(&json!({"field": field, "op": op, "value": value}))
}

/// Returns invalid rules with the paths of their errors.
fn rules() -> Vec<(&'static str, Value)> {
    let books = json!({"field": "kind", "op": "is", "value": "books"});
    let many: Vec<Value> = std::iter::repeat_n(books.clone(), 31).collect();
    let texts: Vec<String> = (0..101).map(|n| n.to_string()).collect();
    let wrong = json!({"field": "kind", "op": "greater", "value": 1});
    let named = json!({"field": "kind", "op": "is", "value": "books", "why": 1});
    vec![
        ("rule", json!(null)),
        ("rule", json!([])),
        ("rule", json!({})),
        ("rule", json!({"any": []})),
        ("rule", json!({"all": [], "any": []})),
        ("rule", json!({"all": [books], "any": [books]})),
        ("rule", json!({ "all": many })),
        ("rule.all", json!({"all": {}})),
        ("rule.colour", json!({"all": [], "colour": 1})),
        ("rule.sort", json!({"all": [], "sort": "colour"})),
        ("rule.order", json!({"all": [], "order": "up"})),
        ("rule.limit", json!({"all": [], "limit": 0})),
        ("rule.limit", json!({"all": [], "limit": 10_001})),
        ("rule.limit", json!({"all": [], "limit": "1"})),
        ("rule.all[0]", one(&json!(1))),
        ("rule.all[0]", one(&json!({"any": []}))),
        (
            "rule.all[1].any[0].op",
            json!({"all": [books, {"any": [wrong]}]}),
        ),
        ("rule.all[0].all[0].all[0]", nested(4)),
        ("rule.all[0].field", one(&json!({}))),
        (
            "rule.all[0].op",
            one(&json!({"field": "kind", "value": "books"})),
        ),
        (
            "rule.all[0].value",
            one(&json!({"field": "kind", "op": "is"})),
        ),
        ("rule.all[0].why", one(&named)),
        (
            "rule.all[0].value",
            condition("title", "one_of", &json!(texts)),
        ),
    ]
}

#[test]
fn error_names_the_path_of_the_value() {
    let (_server, admin, _) = library_of(&[("A.epub", "a")]);
    let preview = |rule: &Value| admin.post("/collections/preview", &json!({ "rule": rule }));
    for (path, rule) in rules() {
        invalid(&preview(&rule), path);
    }
    for (name, field, op, value) in CONDITIONS {
        let value = serde_json::from_str(value).expect("JSON");
        let rule = condition(field, op, &value);
        invalid(&preview(&rule), &format!("rule.all[0].{name}"));
    }
}

#[test]
fn largest_rules_are_accepted() {
    let (_server, admin, _) = library_of(&[("A.epub", "a")]);
    let books = json!({"field": "kind", "op": "is", "value": "books"});
    let many: Vec<Value> = std::iter::repeat_n(books, 30).collect();
    for rule in [nested(3), json!({ "all": many })] {
        let answer = admin.post("/collections/preview", &json!({ "rule": rule }));
        answer.expect(200);
    }
}

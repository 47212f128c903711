//! Fields and operators of conditions.

use serde_json::{Value, json};

use super::room;

/// Field, operator, value as JSON, and the first words of the selected titles.
type Case = (&'static str, &'static str, &'static str, &'static str);

const ALL: &str = "Emma Krazy Métropolis Nova Persuasion";

const TEXTS: &[Case] = &[
    ("title", "is", r#""emma""#, "Emma"),
    ("title", "is", r#""METROPOLIS""#, "Métropolis"),
    ("title", "is", r#""Emm""#, ""),
    (
        "title",
        "is_not",
        r#""emma""#,
        "Krazy Métropolis Nova Persuasion",
    ),
    ("title", "contains", r#""ÉTRO""#, "Métropolis"),
    ("title", "contains", r#""a""#, "Emma Krazy Nova Persuasion"),
    ("title", "contains", r#""mm""#, "Emma"),
    ("title", "contains", r#""suasion""#, "Persuasion"),
    ("title", "contains", r#""austen""#, ""),
    ("title", "contains", r#""%""#, ""),
    (
        "title",
        "one_of",
        r#"["Emma", "persuasion", "x"]"#,
        "Emma Persuasion",
    ),
    ("author", "is", r#""jane austen""#, "Emma Persuasion"),
    (
        "author",
        "is_not",
        r#""Jane Austen""#,
        "Krazy Métropolis Nova",
    ),
    ("author", "contains", r#""aust""#, "Emma Persuasion"),
    ("series", "is", r#""krazy kat""#, "Krazy"),
    ("series", "contains", r#""kat""#, "Krazy"),
    ("genre", "is", r#""cafe noir""#, "Emma"),
    (
        "genre",
        "is_not",
        r#""Satire""#,
        "Krazy Métropolis Nova Persuasion",
    ),
    ("genre", "contains", r#""a""#, "Emma Métropolis Persuasion"),
    (
        "genre",
        "one_of",
        r#"["drama", "satire"]"#,
        "Emma Métropolis",
    ),
    ("language", "is", r#""EN""#, "Emma Persuasion"),
    ("language", "one_of", r#"["de", "fr"]"#, "Métropolis"),
    ("language", "is_not", r#""en""#, "Krazy Métropolis Nova"),
    ("language", "contains", r#""d""#, "Métropolis"),
    ("codec", "is", r#""no such codec""#, ""),
];

const VALUES: &[Case] = &[
    ("kind", "is", r#""games""#, "Nova"),
    ("kind", "is_not", r#""books""#, "Métropolis Nova"),
    ("kind", "one_of", r#"["games", "video"]"#, "Métropolis Nova"),
    ("subkind", "is", r#""comic""#, "Krazy"),
    (
        "subkind",
        "one_of",
        r#"["comic", "film"]"#,
        "Krazy Métropolis",
    ),
    ("subkind", "is_not", r#""prose""#, "Krazy Métropolis Nova"),
    ("year", "is", "1815", "Emma"),
    ("year", "is_not", "1815", "Krazy Métropolis Nova Persuasion"),
    ("year", "greater", "1815", "Métropolis Persuasion"),
    ("year", "less", "1817", "Emma"),
    ("year", "less", "1817.5", "Emma Persuasion"),
    ("year", "between", "[1815, 1817]", "Emma Persuasion"),
    ("rating", "is", "8", "Emma"),
    ("rating", "greater", "8", ""),
    ("rating", "less", "9", "Emma"),
    ("rating", "is_not", "8", "Krazy Métropolis Nova Persuasion"),
    ("state", "is", r#""finished""#, "Emma"),
    ("state", "is", r#""started""#, ""),
    ("state", "is_not", r#""unstarted""#, "Emma"),
    (
        "state",
        "one_of",
        r#"["started", "unstarted"]"#,
        "Krazy Métropolis Nova Persuasion",
    ),
    ("favourite", "is", "true", "Nova"),
    (
        "favourite",
        "is",
        "false",
        "Emma Krazy Métropolis Persuasion",
    ),
    ("missing", "is", "true", ""),
    ("missing", "is", "false", ALL),
    ("plays", "is", r#""html5""#, ""),
    ("plays", "one_of", r#"["html5"]"#, ""),
    ("added_at", "within_days", "1", ALL),
    ("added_at", "before", r#""2020-01-01""#, ""),
    ("added_at", "after", r#""2020-01-01""#, ALL),
    (
        "added_at",
        "between",
        r#"["2020-01-01", "2090-01-01T00:00:00Z"]"#,
        ALL,
    ),
    ("finished_at", "within_days", "1", "Emma"),
    ("finished_at", "after", r#""2020-01-01T12:00:00Z""#, "Emma"),
    ("finished_at", "before", r#""2020-01-01""#, ""),
];

fn check(room: &super::Room, cases: &[Case]) {
    for (field, op, value, expected) in cases {
        let value: Value = serde_json::from_str(value).expect("JSON");
        room.selects(field, op, &value, expected);
    }
}

#[test]
fn texts_are_compared_folded() {
    check(&room(), TEXTS);
}

#[test]
fn identifiers_numbers_states_and_times_are_compared() {
    let room = room();
    let admin = &room.admin;
    admin
        .put(
            &format!("{}/rating", room.item("Emma")),
            &json!({"rating": 8}),
        )
        .expect(204);
    let favourite = format!("{}/favourite", room.item("Nova"));
    admin.send("PUT", &favourite, &[], None).expect(204);
    let emma = admin.get(&room.item("Emma")).expect(200).json();
    let place = json!({"file_id": emma["files"][0]["id"], "position": 0, "finished": true});
    admin
        .put(&format!("{}/progress", room.item("Emma")), &place)
        .expect(200);
    check(&room, VALUES);
}

#[test]
fn invisible_library_matches_nothing() {
    let room = room();
    for (op, value, expected) in [
        ("is", json!(room.library), ALL),
        ("is", json!(987_654_321), ""),
        ("is_not", json!(987_654_321), ALL),
        ("one_of", json!([room.library, 9]), ALL),
    ] {
        room.selects("library", op, &value, expected);
    }
}

//! People: description, dates, place and links.

use ledge_core::registry::provider::{AskError, ExternalId, PersonDetails};
use ledge_recorded::{Recorded, damage};
use serde_json::{Value, json};

use super::{day, item, provider, statement, text};

fn entry(id: &str, claims: &Value) -> Value {
    json!({ "entities": { id: {
        "type": "item", "id": id,
        "labels": { "en": { "language": "en", "value": "Someone" } },
        "descriptions": { "de": { "language": "de", "value": "irischer Harfenist" },
                          "en": { "language": "en", "value": "Irish harper" } },
        "claims": claims,
        "sitelinks": { "dewiki": { "site": "dewiki", "title": "Jemand",
                                   "url": "https://de.wikipedia.org/wiki/Jemand" } }
    } }, "success": 1 })
}

fn harper() -> Value {
    let claims = json!({
        "P31": [statement(&item("Q5"), "normal")],
        "P569": [statement(&day("+1670-00-00T00:00:00Z", 9), "normal")],
        "P570": [statement(&day("+1738-03-25T00:00:00Z", 11), "normal")],
        "P571": [statement(&day("+1900-00-00T00:00:00Z", 9), "normal")],
        "P19": [statement(&item("Q3339"), "normal")],
        "P740": [statement(&item("Q1"), "normal")],
        "P18": [statement(&text("A harper.jpg"), "normal")],
        "P856": [statement(&text("https://harper.example/"), "normal")]
    });
    entry("Q42", &claims)
}

fn band() -> Value {
    let claims = json!({
        "P31": [statement(&item("Q215380"), "normal")],
        "P569": [statement(&day("+1900-00-00T00:00:00Z", 9), "normal")],
        "P571": [statement(&day("+1962-11-00T00:00:00Z", 10), "normal")],
        "P576": [statement(&day("+2021-00-00T00:00:00Z", 9), "normal")],
        "P740": [statement(&item("Q1761"), "normal")]
    });
    entry("Q43", &claims)
}

fn place(id: &str, name: &str) -> Value {
    json!({ "entities": { id: { "id": id, "labels": { "de": { "value": name } } } } })
}

fn ask(id: &str, net: &Recorded) -> Result<Option<PersonDetails>, AskError> {
    let ids = [
        ExternalId::new("musicbrainz", "x"),
        ExternalId::new("wikidata", id),
    ];
    provider().person(&ids, &["de-AT".to_owned()], net)
}

#[test]
fn person_has_description_dates_place_and_links() {
    let net = Recorded::new()
        .answers("ids=Q42&", &harper())
        .answers("ids=Q3339&", &place("Q3339", "Nobber"));
    let found = ask("Q42", &net).expect("an answer").expect("a person");
    assert_eq!(found.biography.as_deref(), Some("irischer Harfenist"));
    assert_eq!(found.born.as_deref(), Some("1670"));
    assert_eq!(found.died.as_deref(), Some("1738-03-25"));
    assert_eq!(found.birthplace.as_deref(), Some("Nobber"));
    assert!(!found.is_group);
    assert_eq!(found.portrait, None, "its licence cannot be shown");
    let urls: Vec<&str> = found.links.iter().map(|link| link.url.as_str()).collect();
    assert_eq!(
        urls,
        [
            "https://www.wikidata.org/wiki/Q42",
            "https://de.wikipedia.org/wiki/Jemand",
            "https://harper.example/",
            "https://commons.wikimedia.org/wiki/File:A_harper.jpg"
        ]
    );
    assert_eq!(net.asked().len(), 2, "{:?}", net.asked());
}

#[test]
fn group_has_dates_and_place_of_its_foundation() {
    let net = Recorded::new()
        .answers("ids=Q43&", &band())
        .answers("ids=Q1761&", &place("Q1761", "Dublin"));
    let found = ask("Q43", &net).expect("an answer").expect("a group");
    assert!(found.is_group);
    assert_eq!(found.born.as_deref(), Some("1962-11"));
    assert_eq!(found.died.as_deref(), Some("2021"));
    assert_eq!(found.birthplace.as_deref(), Some("Dublin"));
}

#[test]
fn item_without_class_is_a_person() {
    let claims = json!({ "P569": [statement(&day("+1900-00-00T00:00:00Z", 9), "normal")] });
    let net = Recorded::new().answers("ids=Q44", &entry("Q44", &claims));
    let found = ask("Q44", &net).expect("an answer").expect("a person");
    assert_eq!(
        (found.is_group, found.born.as_deref()),
        (false, Some("1900"))
    );
}

#[test]
fn unknown_person_is_absent_and_failures_are_errors() {
    for id in ["", "nonsense", "P31"] {
        let net = Recorded::new();
        assert_eq!(ask(id, &net), Ok(None), "{id}");
        assert!(net.asked().is_empty(), "{id}");
    }
    let missing = json!({ "entities": { "Q42": { "id": "Q42", "missing": "" } }, "success": 1 });
    assert_eq!(
        ask("Q42", &Recorded::new().answers("ids=", &missing)),
        Ok(None)
    );
    for code in [429, 500, 503] {
        let error = ask("Q42", &Recorded::new().refuses("ids=Q42", code)).expect_err("a failure");
        assert!(error.has_status(code));
        let net = Recorded::new()
            .answers("ids=Q42&", &harper())
            .refuses("ids=Q3339", code);
        assert!(ask("Q42", &net).expect_err("a failure").has_status(code));
    }
    for malformed in [
        json!(null),
        json!({}),
        json!({ "error": { "code": "maxlag" } }),
    ] {
        let found = ask("Q42", &Recorded::new().answers("ids=", &malformed));
        assert!(
            matches!(found, Err(AskError::Malformed(_))),
            "{malformed}: {found:?}"
        );
    }
    damage::values(&harper(), |damaged| {
        let net = Recorded::new()
            .answers("ids=Q42&", damaged)
            .answers("ids=", &place("Q3339", "Nobber"));
        let _ = ask("Q42", &net);
    });
}

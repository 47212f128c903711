//! Tests with responses in Wikidata's documented form.

mod people;

use ledge_core::registry::provider::{
    AskError, Candidate, ExternalId, Lookup, Net, Query, Response,
};
use ledge_recorded::{Recorded, damage, opened};
use serde_json::{Value, json};

use crate::{PROVIDER, entity};

fn item(id: &str) -> Value {
    json!({ "type": "wikibase-entityid",
            "value": { "entity-type": "item", "numeric-id": 1, "id": id } })
}

fn text(text: &str) -> Value {
    json!({ "type": "string", "value": text })
}

fn day(time: &str, precision: u8) -> Value {
    json!({ "type": "time", "value": { "time": time, "precision": precision, "timezone": 0 } })
}

fn statement(value: &Value, rank: &str) -> Value {
    json!({ "rank": rank, "type": "statement",
            "mainsnak": { "snaktype": "value", "datavalue": value } })
}

fn film() -> Value {
    json!({ "entities": { "Q83495": {
        "type": "item", "id": "Q83495",
        "labels": { "en": { "language": "en", "value": "Some Film" },
                    "de": { "language": "de", "value": "Ein Film" } },
        "descriptions": { "en": { "language": "en", "value": "1999 film" } },
        "claims": {
            "P345": [statement(&text("tt0133093"), "normal")],
            "P4947": [statement(&text("603"), "normal")],
            "P577": [
                statement(&day("+1999-06-17T00:00:00Z", 11), "normal"),
                statement(&day("+1999-03-31T00:00:00Z", 11), "normal"),
                statement(&day("+1899-01-01T00:00:00Z", 11), "deprecated"),
                { "rank": "normal", "mainsnak": { "snaktype": "somevalue" } }
            ],
            "P144": [statement(&item("Q190192"), "normal")],
            "P136": [statement(&item("Q471839"), "preferred"), statement(&item("Q1"), "normal")],
            "P18": [statement(&text("Some picture (1999).jpg"), "normal")],
            "P856": [statement(&text("https://example.org/"), "normal")]
        },
        "sitelinks": {
            "dewiki": { "site": "dewiki", "title": "Ein Film",
                        "url": "https://de.wikipedia.org/wiki/Ein_Film" }
        }
    } }, "success": 1 })
}

fn labels() -> Value {
    json!({ "entities": {
        "Q190192": { "id": "Q190192", "labels": { "de": { "value": "Ein Roman" } } },
        "Q471839": { "id": "Q471839", "labels": { "en": { "value": "science fiction film" } } }
    } })
}

fn found(ids: &[&str]) -> Value {
    let found: Vec<Value> = ids
        .iter()
        .map(|id| json!({ "ns": 0, "title": id }))
        .collect();
    json!({ "batchcomplete": true, "query": { "searchinfo": { "totalhits": ids.len() },
                                              "search": found } })
}

fn question(ids: &[(&str, &str)]) -> Query {
    Query {
        kind: "video".to_owned(),
        title: "Some Film".to_owned(),
        stored_title: "Some Film (Director's Cut)".to_owned(),
        subkind: Some("film".to_owned()),
        external_ids: ids
            .iter()
            .map(|(database, id)| ExternalId::new(database, *id))
            .collect(),
        languages: vec!["de-AT".to_owned()],
        ..Query::default()
    }
}

fn recorded() -> Recorded {
    Recorded::new()
        .answers("list=search", &found(&["Q83495"]))
        .answers("ids=Q83495", &film())
        .answers("ids=Q190192|Q471839", &labels())
}

fn provider() -> Box<dyn Lookup> {
    opened(&PROVIDER, &[])
}

#[track_caller]
fn only(found: Result<Vec<Candidate>, AskError>) -> Candidate {
    let mut found = found.expect("candidates");
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

#[test]
fn item_is_found_by_its_ids_and_keeps_its_title() {
    let net = recorded();
    let query = question(&[("imdb", "tt0133093"), ("tmdb", "603")]);
    let film = only(provider().search(&query, &net));
    assert!(film.is_certain);
    assert_eq!(film.provider_id, "Q83495");
    assert_eq!(film.title, "Some Film (Director's Cut)");
    assert_eq!(film.description.as_deref(), Some("1999 film"));
    assert_eq!(film.year, Some(1999));
    assert_eq!(film.details.released.as_deref(), Some("1999-03-31"));
    assert_eq!(film.details.genres, ["science fiction film"]);
    let links: Vec<_> = film
        .details
        .links
        .iter()
        .map(|link| (link.label.as_str(), link.url.as_str()))
        .collect();
    assert_eq!(
        links,
        [
            ("Wikidata", "https://www.wikidata.org/wiki/Q83495"),
            ("Wikipedia (de)", "https://de.wikipedia.org/wiki/Ein_Film"),
            (
                "Based on: Ein Roman",
                "https://www.wikidata.org/wiki/Q190192"
            ),
            ("Official site", "https://example.org/"),
            (
                "Picture at Wikimedia Commons",
                "https://commons.wikimedia.org/wiki/File:Some_picture_(1999).jpg"
            )
        ]
    );
    assert_eq!(film.cover, None, "its licence cannot be shown");
    for id in [
        ExternalId::new("wikidata", "Q83495"),
        ExternalId::new("imdb", "tt0133093"),
        ExternalId::new("tmdb", "603"),
    ] {
        assert!(film.external_ids.contains(&id), "{:?}", film.external_ids);
    }
    let asked = net.asked();
    assert!(asked[0].starts_with("https://www.wikidata.org/w/api.php?action=query&list=search"));
    assert!(
        asked[0].contains("srsearch=haswbstatement:P345=tt0133093|P4947=603&"),
        "{asked:?}"
    );
    assert!(
        asked[1].contains("languages=de|en&sitefilter=dewiki|enwiki&"),
        "{asked:?}"
    );
    assert_eq!(asked.len(), 3);
}

#[test]
fn item_without_ids_causes_no_request() {
    let net = Recorded::new();
    for query in [
        question(&[]),
        question(&[("unknown", "1")]),
        question(&[("imdb", "x|P31=Q5")]),
        question(&[("wikidata", "nonsense")]),
    ] {
        assert_eq!(provider().search(&query, &net), Ok(Vec::new()));
    }
    assert_eq!(net.asked().len(), 0);
}

#[test]
fn id_of_wikidata_needs_no_search() {
    let net = Recorded::new().answers("ids=Q83495", &film());
    let query = question(&[("wikidata", "Q83495"), ("imdb", "tt0000000")]);
    // The labels are missing: the film has none of the links that need them.
    assert!(provider().search(&query, &net).is_err());
    let net = recorded();
    assert_eq!(only(provider().search(&query, &net)).provider_id, "Q83495");
    assert_eq!(net.asked().len(), 2, "{:?}", net.asked());
}

#[test]
fn several_items_or_another_item_are_no_match() {
    let query = question(&[("imdb", "tt0133093")]);
    for ids in [&[][..], &["Q1", "Q2"], &["Property:P1"]] {
        let net = Recorded::new().answers("list=search", &found(ids));
        assert_eq!(provider().search(&query, &net), Ok(Vec::new()), "{ids:?}");
    }
    // The item has no longer the id by which the index found it.
    let other = question(&[("imdb", "tt9999999")]);
    assert_eq!(provider().search(&other, &recorded()), Ok(Vec::new()));
}

#[test]
fn by_id_accepts_numbers_and_pages() {
    for id in ["Q83495", "https://www.wikidata.org/wiki/Q83495"] {
        let found = provider().by_id(id, &question(&[]), &recorded());
        let film = found.expect("an answer").expect("an item");
        assert_eq!(film.title, question(&[]).stored_title, "{id}");
        assert_eq!(film.other_titles[0], "Ein Film", "{id}");
    }
    let missing = json!({ "entities": { "Q9": { "id": "Q9", "missing": "" } }, "success": 1 });
    let unknown = json!({ "error": { "code": "no-such-entity", "info": "Could not find." } });
    for answer in [missing, unknown] {
        let net = Recorded::new().answers("ids=Q9", &answer);
        assert_eq!(provider().by_id("Q9", &question(&[]), &net), Ok(None));
    }
    for id in ["", "nonsense", "P31", "../Q1x"] {
        let found = provider().by_id(id, &question(&[]), &Recorded::new());
        assert_eq!(found, Ok(None), "{id}");
    }
}

#[test]
fn configured_base_url_applies() {
    let provider = opened(
        &PROVIDER,
        &[("LEDGE_WIKIDATA_URL", "http://127.0.0.1:8080")],
    );
    let net = recorded();
    only(provider.search(&question(&[("imdb", "tt0133093")]), &net));
    let is_configured = |asked: &String| asked.starts_with("http://127.0.0.1:8080/w/api.php?");
    assert!(net.asked().iter().all(is_configured), "{:?}", net.asked());
}

#[test]
fn failed_and_undocumented_responses_are_errors() {
    let query = question(&[("imdb", "tt0133093")]);
    for code in [429, 500, 503] {
        let net = Recorded::new().refuses("list=search", code);
        let error = provider().search(&query, &net).expect_err("a failure");
        assert!(error.has_status(code));
    }
    for malformed in [
        json!(null),
        json!([]),
        json!({}),
        json!({ "error": { "code": "ratelimited" } }),
        json!({ "query": { "search": null } }),
        json!({ "query": { "search": [null] } }),
    ] {
        let net = Recorded::new().answers("list=search", &malformed);
        let error = provider().search(&query, &net);
        assert!(
            matches!(error, Err(AskError::Malformed(_))),
            "{malformed}: {error:?}"
        );
    }
    for malformed in [
        json!(null),
        json!({}),
        json!({ "error": { "code": "maxlag" } }),
        json!({ "entities": [] }),
        json!({ "entities": {} }),
        json!({ "entities": { "Q83495": null } }),
        json!({ "entities": { "Q83495": { "id": 5 } } }),
    ] {
        let net = Recorded::new().answers("ids=Q83495", &malformed);
        let error = provider().by_id("Q83495", &query, &net);
        assert!(
            matches!(error, Err(AskError::Malformed(_))),
            "{malformed}: {error:?}"
        );
    }
}

#[test]
fn damaged_responses_are_parsed_or_rejected() {
    let languages = ["de".to_owned(), "en".to_owned()];
    damage::values(&film(), |film| {
        if let Ok(Some(item)) = entity::entity(film, "Q83495", &languages) {
            assert!(item.related().len() <= 10);
            assert!(!item.candidate(&[]).provider_id.is_empty());
        }
    });
    damage::values(&labels(), |labels| {
        let _ = entity::labels(labels, &languages);
    });
    damage::bytes(film().to_string().as_bytes(), |bytes| {
        let answer = Response {
            status: 200,
            content_type: String::new(),
            body: bytes.to_vec(),
        };
        let net = Recorded::new().gives("ids=", Ok(answer));
        let _ = provider().by_id("Q83495", &question(&[]), &net as &dyn Net);
    });
}

//! Tests with recorded responses in Open Library's documented form.

use ledge_core::registry::provider::{AskError, Base, Candidate, Cover, Net, Query, Response};
use ledge_recorded::{Recorded, damage, opened};
use serde_json::{Value, json};

use crate::{PROVIDER, parse};

fn covers() -> Base {
    Base::of("https://covers.openlibrary.org", None).expect("an address")
}

fn answer() -> Value {
    json!({
        "numFound": 2, "start": 0, "numFoundExact": true, "num_found": 2, "q": "",
        "docs": [
            {
                "key": "/works/OL893415W", "title": "Dune", "author_name": ["Frank Herbert"],
                "author_key": ["OL79034A"], "first_publish_year": 1965, "cover_i": 11_481_354,
                "language": ["eng", "ger"], "edition_count": 120,
                "editions": { "numFound": 1, "start": 0, "docs": [
                    { "key": "/books/OL26243200M", "title": "Der Wüstenplanet",
                      "subtitle": "Roman", "isbn": ["9783453186835"], "cover_i": 5 }
                ] }
            },
            {
                "key": "/works/OL893502W", "title": "Dune Messiah", "author_name": ["Frank Herbert"],
                "first_publish_year": 1969
            }
        ]
    })
}

fn record() -> Value {
    json!({
        "key": "/works/OL893415W", "title": "Dune", "type": { "key": "/type/work" },
        "description": { "type": "/type/text", "value": "Set on the desert planet.\n\n----\nAlso in: x" },
        "covers": [-1, 11_481_354], "authors": [{ "author": { "key": "/authors/OL79034A" } }],
        "first_publish_date": "August 1965"
    })
}

fn question() -> Query {
    Query {
        kind: "books".to_owned(),
        title: "Dune".to_owned(),
        authors: vec!["Herbert, Frank".to_owned()],
        ..Query::default()
    }
}

fn address(candidate: &Candidate) -> &str {
    match &candidate.cover {
        Some(Cover::Address(url)) => url,
        other => panic!("no address: {other:?}"),
    }
}

#[test]
fn search_by_title_and_surname_returns_described_work() {
    let net = Recorded::new()
        .answers("search.json", &answer())
        .answers("works/OL893415W.json", &record());
    let found = opened(&PROVIDER, &[])
        .search(&question(), &net)
        .expect("candidates");
    assert_eq!(found.len(), 2);
    let dune = &found[0];
    assert_eq!(
        (dune.provider_id.as_str(), dune.title.as_str()),
        ("OL893415W", "Dune")
    );
    assert_eq!(dune.year, Some(1965));
    assert_eq!(dune.authors[0].name, "Frank Herbert");
    assert_eq!(dune.other_titles, ["Der Wüstenplanet: Roman"]);
    assert_eq!(dune.isbns, ["9783453186835"]);
    assert_eq!(
        dune.description.as_deref(),
        Some("Set on the desert planet.")
    );
    assert_eq!(
        address(dune),
        "https://covers.openlibrary.org/b/id/11481354-L.jpg?default=false"
    );
    assert_eq!(found[1].cover, None);
    let asked = net.asked();
    assert!(asked[0].starts_with(
        "https://openlibrary.org/search.json?title=Dune&author=Herbert&limit=10&fields=key,title,"
    ));
    assert_eq!(asked.len(), 2);
}

#[test]
fn search_tries_isbn_first() {
    let net = Recorded::new()
        .answers("isbn=9783453186835", &answer())
        .answers("works/OL893415W.json", &record());
    let by_isbn = Query {
        title: "scan 1".to_owned(),
        authors: Vec::new(),
        isbns: vec!["9783453186835".to_owned()],
        ..question()
    };
    let found = opened(&PROVIDER, &[])
        .search(&by_isbn, &net)
        .expect("candidates");
    assert!(
        found[0].description.is_some(),
        "the chosen work has a description"
    );
    assert_eq!(net.asked().len(), 2, "{:?}", net.asked());
}

#[test]
fn search_without_result_is_repeated_without_subtitle() {
    let none = json!({ "numFound": 0, "docs": [] });
    let net = Recorded::new()
        .answers("title=Dune: Book", &none)
        .answers("title=Dune&", &answer())
        .answers("works/OL893415W.json", &record());
    let long = Query {
        title: "Dune: Book One of All".to_owned(),
        ..question()
    };
    assert_eq!(
        opened(&PROVIDER, &[])
            .search(&long, &net)
            .expect("candidates")
            .len(),
        2
    );
}

#[test]
fn by_id_follows_redirects_and_editions() {
    let moved = json!({ "key": "/works/OL1W", "type": { "key": "/type/redirect" },
                        "location": "/works/OL893415W" });
    let net = Recorded::new()
        .answers("works/OL1W.json", &moved)
        .answers("works/OL893415W.json", &record())
        .answers("q=key:/works/OL893415W", &answer());
    let provider = opened(&PROVIDER, &[]);
    let dune = provider
        .by_id("OL1W", &question(), &net)
        .expect("an answer")
        .expect("a work");
    assert_eq!(
        (dune.provider_id.as_str(), dune.year),
        ("OL893415W", Some(1965))
    );
    assert_eq!(dune.authors[0].name, "Frank Herbert");
    assert_eq!(
        dune.description.as_deref(),
        Some("Set on the desert planet.")
    );

    let edition = json!({ "key": "/books/OL2M", "works": [{ "key": "/works/OL893415W" }] });
    let net = Recorded::new()
        .answers("books/OL2M.json", &edition)
        .answers("works/OL893415W.json", &record())
        .answers("q=key:", &json!({ "numFound": 0, "docs": [] }));
    let by_edition = provider
        .by_id("/books/OL2M", &question(), &net)
        .expect("an answer");
    assert_eq!(by_edition.expect("a work").title, "Dune");

    for id in ["OL9W", "OL9M", "nonsense", "../search", ""] {
        assert_eq!(
            provider.by_id(id, &question(), &Recorded::new()),
            Ok(None),
            "{id}"
        );
    }
}

#[test]
fn configured_base_urls_apply_to_requests_and_covers() {
    let net = Recorded::new().answers("http://127.0.0.1:8080/search.json", &answer());
    let provider = opened(
        &PROVIDER,
        &[
            ("LEDGE_OPENLIBRARY_URL", "http://127.0.0.1:8080"),
            ("LEDGE_OPENLIBRARY_COVERS_URL", "http://127.0.0.1:8081"),
        ],
    );
    let found = provider.search(&question(), &net).expect("candidates");
    assert!(address(&found[0]).starts_with("http://127.0.0.1:8081/b/id/11481354-L.jpg"));
}

#[test]
fn failed_requests_are_errors_except_too_large_descriptions() {
    let provider = opened(&PROVIDER, &[]);
    for code in [429, 500, 503] {
        let net = Recorded::new().refuses("search.json", code);
        let error = provider.search(&question(), &net).expect_err("a failure");
        assert!(error.has_status(code));
    }
    let broken = Response {
        status: 200,
        content_type: "text/html".to_owned(),
        body: b"<html>".to_vec(),
    };
    let net = Recorded::new().gives("search.json", Ok(broken.clone()));
    let error = provider.search(&question(), &net).expect_err("a failure");
    assert!(matches!(error, AskError::Malformed(_)));
    let net = Recorded::new()
        .answers("search.json", &answer())
        .gives("works/", Ok(broken));
    let error = provider.search(&question(), &net).expect_err("a failure");
    assert!(matches!(error, AskError::Malformed(_)));
    let net = Recorded::new()
        .answers("search.json", &answer())
        .gives("works/", Err(AskError::TooLarge));
    let found = provider.search(&question(), &net).expect("candidates");
    assert_eq!(found[0].description, None);
}

#[track_caller]
fn is_malformed<T: std::fmt::Debug>(answer: &Value, result: &Result<T, AskError>) {
    assert!(
        matches!(result, Err(AskError::Malformed(_))),
        "{answer}: {result:?}"
    );
}

#[test]
fn undocumented_responses_are_errors() {
    let provider = opened(&PROVIDER, &[]);
    for malformed in [
        json!(null),
        json!([]),
        json!("text"),
        json!({}),
        json!({ "error": "Too many requests" }),
        json!({ "numFound": 0, "docs": null }),
        json!({ "numFound": 0, "docs": {} }),
        json!({ "numFound": 1, "docs": [null] }),
        json!({ "numFound": 1, "docs": [{}] }),
        json!({ "numFound": 1, "docs": [{ "key": 5, "title": "Dune" }] }),
        json!({ "numFound": 1, "docs": [{ "key": "/works/OL1W", "title": [] }] }),
    ] {
        let net = Recorded::new().answers("search.json", &malformed);
        is_malformed(&malformed, &provider.search(&question(), &net));
        let net = Recorded::new()
            .answers("works/", &record())
            .answers("search.json", &malformed);
        is_malformed(&malformed, &provider.by_id("OL893415W", &question(), &net));
    }
    for malformed in [
        json!(null),
        json!([record()]),
        json!({}),
        json!({ "error": "notfound" }),
        json!({ "key": "/works/OL893415W", "title": "Dune", "description": [] }),
    ] {
        let net = Recorded::new()
            .answers("search.json", &answer())
            .answers("works/", &malformed);
        is_malformed(&malformed, &provider.search(&question(), &net));
    }
    for malformed in [
        json!(null),
        json!([record()]),
        json!({ "error": "notfound" }),
        json!({ "key": [], "title": "Dune" }),
        json!({ "key": "/works/OL1W", "title": {} }),
        json!({ "type": { "key": "/type/redirect" }, "location": 5 }),
    ] {
        let net = Recorded::new().answers("works/", &malformed);
        is_malformed(&malformed, &provider.by_id("OL893415W", &question(), &net));
    }
    for malformed in [
        json!(null),
        json!([]),
        json!({ "error": "notfound" }),
        json!({ "key": "/books/OL1M", "works": {} }),
        json!({ "key": "/books/OL1M", "works": [5] }),
    ] {
        let net = Recorded::new().answers("books/", &malformed);
        is_malformed(&malformed, &provider.by_id("OL1M", &question(), &net));
    }
}

#[test]
fn documented_responses_without_works_are_empty() {
    let provider = opened(&PROVIDER, &[]);
    let nothing = json!({ "numFound": 0, "start": 0, "docs": [] });
    let net = Recorded::new().answers("search.json", &nothing);
    assert_eq!(provider.search(&question(), &net), Ok(Vec::new()));
    let deleted = json!({ "key": "/works/OL1W", "type": { "key": "/type/delete" } });
    let net = Recorded::new().answers("works/", &deleted);
    assert_eq!(provider.by_id("OL1W", &question(), &net), Ok(None));
    let old = json!({ "key": "/books/OL1M", "title": "Dune" });
    let net = Recorded::new().answers("books/", &old);
    assert_eq!(provider.by_id("OL1M", &question(), &net), Ok(None));
}

#[test]
fn damaged_responses_are_parsed_or_rejected() {
    damage::values(&answer(), |answer| {
        for one in parse::search(answer, &covers()).unwrap_or_default() {
            assert!(!one.title.is_empty() && one.provider_id.starts_with("OL"));
        }
    });
    damage::values(&record(), |record| {
        let _ = parse::work(record, &covers());
        let _ = parse::work_of_edition(record);
    });
    damage::bytes(answer().to_string().as_bytes(), |bytes| {
        let answer = Response {
            status: 200,
            content_type: String::new(),
            body: bytes.to_vec(),
        };
        let net = Recorded::new().gives("search.json", Ok(answer));
        let _ = opened(&PROVIDER, &[]).search(&question(), &net as &dyn Net);
    });
}

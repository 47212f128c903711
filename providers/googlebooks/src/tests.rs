//! Tests with recorded responses in Google Books' documented form.

use ledge_core::registry::provider::{AskError, Base, Cover, Query, Response};
use ledge_recorded::{Recorded, damage, opened};
use serde_json::{Value, json};

use crate::{PROVIDER, parse};

fn answer() -> Value {
    json!({
        "kind": "books#volumes", "totalItems": 1,
        "items": [{
            "kind": "books#volume", "id": "B1hSG45JCX4C", "etag": "x",
            "selfLink": "https://www.googleapis.com/books/v1/volumes/B1hSG45JCX4C",
            "volumeInfo": {
                "title": "Dune", "subtitle": "A Novel", "authors": ["Frank Herbert"],
                "publisher": "Penguin", "publishedDate": "2003-08-26",
                "description": "<p>Set on the desert planet.</p>",
                "industryIdentifiers": [
                    { "type": "ISBN_13", "identifier": "9781101658055" },
                    { "type": "ISBN_10", "identifier": "1101658053" },
                    { "type": "OTHER", "identifier": "UOM:39015076106452" }
                ],
                "pageCount": 624, "categories": ["Fiction"], "language": "en",
                "imageLinks": {
                    "smallThumbnail": "http://books.google.com/books/content?id=B1hSG45JCX4C&zoom=5&edge=curl&source=gbs_api",
                    "thumbnail": "http://books.google.com/books/content?id=B1hSG45JCX4C&zoom=1&edge=curl&source=gbs_api"
                }
            },
            "saleInfo": { "country": "US" }
        }]
    })
}

fn base() -> Base {
    Base::of("https://www.googleapis.com/books/v1", None).expect("an address")
}

fn question() -> Query {
    Query {
        kind: "books".to_owned(),
        title: "Dune: A \"Novel\"".to_owned(),
        authors: vec!["Frank Herbert".to_owned()],
        ..Query::default()
    }
}

#[test]
fn search_by_title_returns_parsed_volume() {
    let net = Recorded::new().answers(
        "/books/v1/volumes?q=intitle:\"Dune\" inauthor:\"Herbert\"",
        &answer(),
    );
    let found = opened(&PROVIDER, &[])
        .search(&question(), &net)
        .expect("candidates");
    let dune = &found[0];
    assert_eq!(
        (dune.provider_id.as_str(), dune.title.as_str()),
        ("B1hSG45JCX4C", "Dune")
    );
    assert_eq!(
        (dune.subtitle.as_deref(), dune.year),
        (Some("A Novel"), Some(2003))
    );
    assert_eq!(dune.isbns, ["9781101658055", "1101658053"]);
    assert_eq!(dune.languages, ["en"]);
    let cover = "https://books.google.com/books/content?id=B1hSG45JCX4C&zoom=1&source=gbs_api";
    assert_eq!(dune.cover, Some(Cover::Address(cover.to_owned())));
    assert!(net.asked()[0].contains("printType=books"));
    assert_eq!(net.asked().len(), 1);
}

#[test]
fn search_tries_isbn_first_and_words_last() {
    let by_isbn = Query {
        isbns: vec!["1101658053".to_owned()],
        ..question()
    };
    let provider = opened(&PROVIDER, &[]);
    let net = Recorded::new().answers("q=isbn:1101658053", &answer());
    assert_eq!(
        provider.search(&by_isbn, &net).expect("candidates").len(),
        1
    );
    assert_eq!(net.asked().len(), 1);

    // A response without results has no list.
    let none = json!({ "kind": "books#volumes", "totalItems": 0 });
    let net = Recorded::new()
        .answers("q=isbn:", &none)
        .answers("q=intitle:", &none)
        .answers("q=Dune A Novel Herbert&", &answer());
    assert_eq!(
        provider.search(&by_isbn, &net).expect("candidates").len(),
        1
    );
}

#[test]
fn by_id_returns_volume_and_none_for_unknown_ids() {
    let provider = opened(&PROVIDER, &[]);
    let net = Recorded::new().answers("/books/v1/volumes/B1hSG45JCX4C", &answer()["items"][0]);
    let found = provider
        .by_id("B1hSG45JCX4C", &question(), &net)
        .expect("an answer");
    assert_eq!(found.expect("a volume").title, "Dune");
    for id in ["absent", "", "../x", "a b", "x?y=1"] {
        assert_eq!(
            provider.by_id(id, &question(), &Recorded::new()),
            Ok(None),
            "{id}"
        );
    }
    let net = Recorded::new().refuses("volumes/busy", 503);
    assert!(
        provider
            .by_id("busy", &question(), &net)
            .expect_err("a failure")
            .has_status(503)
    );
}

#[test]
fn configured_base_url_also_applies_to_covers() {
    let net = Recorded::new().answers("http://127.0.0.1:9/books/v1/volumes?", &answer());
    let provider = opened(
        &PROVIDER,
        &[("LEDGE_GOOGLEBOOKS_URL", "http://127.0.0.1:9")],
    );
    let found = provider.search(&question(), &net).expect("candidates");
    let cover = "http://127.0.0.1:9/books/content?id=B1hSG45JCX4C&zoom=1&source=gbs_api";
    assert_eq!(found[0].cover, Some(Cover::Address(cover.to_owned())));
}

#[test]
fn covers_with_other_url_schemes_are_ignored() {
    for address in [
        "ftp://x/y.jpg",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "x",
    ] {
        let mut answer = answer();
        answer["items"][0]["volumeInfo"]["imageLinks"] = json!({ "large": address });
        let volumes = parse::volumes(&answer, &base()).expect("volumes");
        assert_eq!(volumes[0].cover, None, "{address}");
    }
}

#[test]
fn undocumented_responses_are_errors() {
    let provider = opened(&PROVIDER, &[]);
    for malformed in [
        json!(null),
        json!([]),
        json!("text"),
        json!({ "error": { "code": 429, "message": "Quota exceeded" } }),
        json!({ "message": "not now" }),
        json!({ "totalItems": "none" }),
        json!({ "kind": "books#volumes", "totalItems": 0, "items": null }),
        json!({ "kind": "books#volumes", "totalItems": 1, "items": {} }),
        json!({ "items": [null] }),
        json!({ "items": [{ "id": "B1hSG45JCX4C" }] }),
        json!({ "items": [{ "id": 5, "volumeInfo": [] }] }),
        json!({ "items": [{ "id": "B1hSG45JCX4C", "volumeInfo": { "title": [] } }] }),
    ] {
        let net = Recorded::new().answers("volumes?", &malformed);
        let found = provider.search(&question(), &net);
        assert!(
            matches!(found, Err(AskError::Malformed(_))),
            "{malformed}: {found:?}"
        );
    }
    for malformed in [
        json!(null),
        json!([answer()["items"][0]]),
        json!({}),
        json!({ "error": { "code": 503 } }),
        json!({ "id": "B1hSG45JCX4C", "volumeInfo": "Dune" }),
    ] {
        let net = Recorded::new().answers("volumes/", &malformed);
        let found = provider.by_id("B1hSG45JCX4C", &question(), &net);
        assert!(
            matches!(found, Err(AskError::Malformed(_))),
            "{malformed}: {found:?}"
        );
    }
}

#[test]
fn documented_responses_without_volumes_are_empty() {
    let provider = opened(&PROVIDER, &[]);
    // The field mask can remove every field of a response without volumes.
    for nothing in [
        json!({}),
        json!({ "totalItems": 0 }),
        json!({ "kind": "books#volumes", "totalItems": 0 }),
        json!({ "kind": "books#volumes", "totalItems": 0, "items": [] }),
    ] {
        // One response each for the search by ISBN, by phrases and by words.
        let net = (0..3).fold(Recorded::new(), |net, _| net.answers("volumes?", &nothing));
        assert_eq!(
            provider.search(&question(), &net),
            Ok(Vec::new()),
            "{nothing}"
        );
    }
}

#[test]
fn damaged_responses_are_parsed_or_rejected() {
    damage::values(&answer(), |answer| {
        for one in parse::volumes(answer, &base()).unwrap_or_default() {
            assert!(!one.title.is_empty() && parse::is_id(&one.provider_id));
        }
    });
    damage::bytes(answer().to_string().as_bytes(), |bytes| {
        let answer = Response {
            status: 200,
            content_type: String::new(),
            body: bytes.to_vec(),
        };
        let net = Recorded::new().gives("volumes?", Ok(answer));
        let _ = opened(&PROVIDER, &[]).search(&question(), &net);
    });
}

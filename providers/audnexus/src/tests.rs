//! Tests with responses in Audnexus's documented form.

use ledge_core::registry::provider::{
    AskError, Base, Candidate, Cover, ExternalId, Lookup, Net, Query, Response,
};
use ledge_recorded::{Recorded, damage, opened};
use serde_json::{Value, json};

use crate::{PROVIDER, parse};

const ASIN: &str = "B08G9PRS1K";

fn book() -> Value {
    json!({
        "asin": ASIN, "authors": [{ "asin": "B00G0WYW92", "name": "Andy Weir" }],
        "copyright": 2021, "description": "Ryland Grace is…", "formatType": "unabridged",
        "genres": [
            { "asin": "18580628011", "name": "Science Fiction", "type": "tag" },
            { "asin": "18580606011", "name": "Science Fiction & Fantasy", "type": "genre" }
        ],
        "image": "https://m.media-amazon.com/images/I/91vS2L5YfEL.jpg", "isAdult": false,
        "isbn": "9781603935470", "language": "english", "literatureType": "fiction",
        "narrators": [{ "name": "Ray Porter" }], "publisherName": "Audible Studios",
        "rating": "4.9", "region": "us", "releaseDate": "2021-05-04T00:00:00.000Z",
        "runtimeLengthMin": 970, "summary": "<p>A lone astronaut.</p>",
        "seriesPrimary": { "asin": "B0182NWM9I", "name": "Some Series", "position": "1.5" },
        "subtitle": "A Novel", "title": "Project Hail Mary"
    })
}

fn chapters() -> Value {
    json!({
        "asin": ASIN, "brandIntroDurationMs": 2043, "brandOutroDurationMs": 5061,
        "chapters": [
            { "lengthMs": 13307, "startOffsetMs": 0, "startOffsetSec": 0, "title": "Opening Credits" },
            { "lengthMs": 5909, "startOffsetMs": 13307, "startOffsetSec": 13, "title": "Dedication" },
            { "lengthMs": 1, "startOffsetMs": -1, "title": "Odd" }
        ],
        "isAccurate": true, "region": "us", "runtimeLengthMs": 58_252_995,
        "runtimeLengthSec": 58253
    })
}

fn question(asin: &str) -> Query {
    Query {
        kind: "audio".to_owned(),
        title: "Anything".to_owned(),
        subkind: Some("audiobook".to_owned()),
        external_ids: vec![ExternalId::new("asin", asin)],
        ..Query::default()
    }
}

fn provider() -> Box<dyn Lookup> {
    opened(&PROVIDER, &[])
}

fn recorded() -> Recorded {
    Recorded::new()
        .answers(&format!("books/{ASIN}/chapters?region="), &chapters())
        .answers(&format!("books/{ASIN}?region="), &book())
}

#[track_caller]
fn only(found: Result<Vec<Candidate>, AskError>) -> Candidate {
    let mut found = found.expect("candidates");
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

#[test]
fn book_is_found_by_its_asin_with_narrators_and_chapters() {
    let net = recorded();
    let found = only(provider().search(&question("b08g9prs1k"), &net));
    assert!(found.is_certain);
    assert_eq!(
        (found.provider_id.as_str(), found.title.as_str(), found.year),
        (ASIN, "Project Hail Mary", Some(2021))
    );
    let people: Vec<_> = found
        .authors
        .iter()
        .map(|credit| (credit.name.as_str(), credit.role.as_str()))
        .collect();
    assert_eq!(
        people,
        [("Andy Weir", "author"), ("Ray Porter", "narrator")]
    );
    let series = found.series.as_ref().expect("a series");
    assert_eq!(
        (series.name.as_str(), series.index),
        ("Some Series", Some(1.5))
    );
    assert_eq!(
        found.description.as_deref(),
        Some("<p>A lone astronaut.</p>")
    );
    assert_eq!(found.isbns, ["9781603935470"]);
    let details = &found.details;
    assert_eq!(details.released.as_deref(), Some("2021-05-04"));
    assert_eq!(details.runtime, Some(970));
    assert_eq!(
        details.genres,
        ["Science Fiction & Fantasy", "Science Fiction"]
    );
    assert_eq!(details.studios, ["Audible Studios"]);
    assert_eq!(details.form.as_deref(), Some("unabridged"));
    assert_eq!(
        details.people[0].ids,
        [ExternalId::new("audible", "B00G0WYW92")]
    );
    assert_eq!(
        details.links[0].url,
        "https://www.audible.com/pd/B08G9PRS1K"
    );
    let starts: Vec<_> = details
        .chapters
        .iter()
        .map(|chapter| (chapter.title.as_str(), chapter.start))
        .collect();
    assert_eq!(starts, [("Opening Credits", 0.0), ("Dedication", 13.307)]);
    assert_eq!(net.asked().len(), 2, "{:?}", net.asked());
}

#[test]
fn book_without_asin_causes_no_request() {
    let net = Recorded::new();
    for query in [question("nonsense"), question("../x"), Query::default()] {
        assert_eq!(provider().search(&query, &net), Ok(Vec::new()));
    }
    assert_eq!(net.asked().len(), 0);
}

#[test]
fn region_is_configured_or_follows_from_the_language() {
    let german = Query {
        language: Some("de".to_owned()),
        ..question(ASIN)
    };
    let net = recorded();
    only(provider().search(&german, &net));
    assert!(net.asked()[0].contains("region=de"), "{:?}", net.asked());
    // `gb` is the code of the country.
    let british = opened(&PROVIDER, &[("LEDGE_AUDNEXUS_REGION", "gb")]);
    // The book is absent there.
    let net = Recorded::new()
        .refuses("region=uk", 404)
        .answers("chapters?region=us", &chapters())
        .answers("region=us", &book());
    only(british.search(&german, &net));
    assert_eq!(net.asked().len(), 3, "{:?}", net.asked());
    let net = Recorded::new();
    assert_eq!(british.search(&german, &net), Ok(Vec::new()));
    assert_eq!(net.asked().len(), 2, "{:?}", net.asked());
}

#[test]
fn by_id_accepts_asins_and_pages() {
    for id in [ASIN, "https://www.audible.com/pd/Some-Title/B08G9PRS1K?x=1"] {
        let found = provider().by_id(id, &question(""), &recorded());
        assert_eq!(
            found.expect("an answer").expect("a book").provider_id,
            ASIN,
            "{id}"
        );
    }
    for id in ["", "nonsense", "../books", "B000000000"] {
        let found = provider().by_id(id, &question(""), &Recorded::new());
        assert_eq!(found, Ok(None), "{id}");
    }
}

#[test]
fn configured_base_url_applies_to_requests_and_covers() {
    let provider = opened(
        &PROVIDER,
        &[("LEDGE_AUDNEXUS_URL", "http://127.0.0.1:8080")],
    );
    let net = Recorded::new().answers("http://127.0.0.1:8080/books/", &book());
    let found = only(provider.search(&question(ASIN), &net));
    let url = "http://127.0.0.1:8080/images/I/91vS2L5YfEL.jpg".to_owned();
    assert_eq!(found.cover, Some(Cover::Address(url)));
}

#[test]
fn inaccurate_or_absent_chapters_are_omitted() {
    let mut inaccurate = chapters();
    inaccurate["isAccurate"] = json!(false);
    assert_eq!(parse::chapters(&inaccurate), Ok(Vec::new()));
    for error in [
        AskError::TooLarge,
        AskError::Status {
            code: 404,
            retry_after: None,
        },
    ] {
        let net = Recorded::new()
            .gives("chapters", Err(error))
            .answers("books/", &book());
        let found = only(provider().search(&question(ASIN), &net));
        assert_eq!(found.details.chapters, []);
    }
}

#[test]
fn failed_and_undocumented_responses_are_errors() {
    for code in [400, 429, 500, 503] {
        let net = Recorded::new().refuses("books/", code);
        let error = provider().search(&question(ASIN), &net);
        assert!(error.expect_err("a failure").has_status(code));
        let net = Recorded::new()
            .refuses("chapters", code)
            .answers("books/", &book());
        let error = provider().search(&question(ASIN), &net);
        assert!(error.expect_err("a failure").has_status(code));
    }
    for malformed in [
        json!(null),
        json!([book()]),
        json!({}),
        json!({ "statusCode": 400, "error": "Bad Request" }),
        json!({ "asin": "1", "title": "Title" }),
        json!({ "asin": ASIN, "title": {} }),
    ] {
        let net = Recorded::new().answers("books/", &malformed);
        let error = provider().search(&question(ASIN), &net);
        assert!(
            matches!(error, Err(AskError::Malformed(_))),
            "{malformed}: {error:?}"
        );
    }
    for malformed in [
        json!(null),
        json!([]),
        json!({}),
        json!({ "chapters": null }),
    ] {
        let net = Recorded::new()
            .answers("chapters", &malformed)
            .answers("books/", &book());
        let error = provider().search(&question(ASIN), &net);
        assert!(
            matches!(error, Err(AskError::Malformed(_))),
            "{malformed}: {error:?}"
        );
    }
}

#[test]
fn damaged_responses_are_parsed_or_rejected() {
    let base = Base::of("https://api.audnex.us", None).expect("an address");
    damage::values(&book(), |book| {
        if let Ok(Some(book)) = parse::book(book, "us", &base) {
            assert!(!book.title.is_empty() && book.provider_id.len() == 10);
        }
    });
    damage::values(&chapters(), |chapters| {
        let _ = parse::chapters(chapters);
    });
    damage::bytes(book().to_string().as_bytes(), |bytes| {
        let answer = Response {
            status: 200,
            content_type: String::new(),
            body: bytes.to_vec(),
        };
        let net = Recorded::new().gives("books/", Ok(answer));
        let _ = provider().search(&question(ASIN), &net as &dyn Net);
    });
}

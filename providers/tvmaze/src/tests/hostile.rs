//! Failures, undocumented responses and hostile values.

use ledge_core::registry::provider::{AskError, ExternalId, Query, Response};
use ledge_recorded::{Recorded, damage};
use serde_json::json;

use super::{complete, episodes, question, results, tvmaze};

#[test]
fn failed_requests_are_errors_except_too_many_episodes() {
    for code in [429, 500, 503] {
        for part in ["search/shows", "shows/1?", "shows/1/episodes"] {
            let net = Recorded::new()
                .refuses(part, code)
                .answers("search/shows", &results())
                .answers("shows/1?", &complete())
                .answers("shows/1/episodes", &episodes());
            let error = tvmaze().search(&question(), &net).expect_err(part);
            assert!(error.has_status(code), "{part}");
        }
        let identified = Query {
            external_ids: vec![ExternalId::new("imdb", "tt1")],
            ..question()
        };
        let net = Recorded::new().refuses("lookup/shows", code);
        assert!(tvmaze().search(&identified, &net).is_err());
    }
    let net = Recorded::new()
        .answers("shows/1?", &complete())
        .gives("shows/1/episodes", Err(AskError::TooLarge));
    let found = tvmaze().by_id("1", &question(), &net).expect("an answer");
    assert!(found.expect("a show").details.episodes.is_empty());
    // A search is always available, so a 404 is not an answer.
    let found = tvmaze().search(&question(), &Recorded::new());
    assert!(matches!(found, Err(AskError::Malformed(_))), "{found:?}");
}

#[test]
fn undocumented_responses_are_errors() {
    for malformed in [
        json!(null),
        json!("text"),
        json!({}),
        json!({ "name": "Too Many Requests", "status": 429 }),
        json!([null]),
        json!([{ "score": 1 }]),
        json!([{ "show": { "id": 1 } }]),
        json!([{ "show": { "id": -1, "name": "x" } }]),
    ] {
        let net = Recorded::new().answers("search/shows", &malformed);
        let found = tvmaze().search(&question(), &net);
        assert!(
            matches!(found, Err(AskError::Malformed(_))),
            "{malformed}: {found:?}"
        );
        let net = Recorded::new().answers("shows/1?", &malformed);
        let found = tvmaze().by_id("1", &question(), &net);
        assert!(
            matches!(found, Err(AskError::Malformed(_))),
            "{malformed}: {found:?}"
        );
    }
    let net = Recorded::new().answers("shows/2?", &complete());
    let found = tvmaze().by_id("2", &question(), &net);
    assert!(matches!(found, Err(AskError::Malformed(_))), "{found:?}");
    for malformed in [json!(null), json!({}), json!([5])] {
        let net = Recorded::new()
            .answers("shows/1?", &complete())
            .answers("shows/1/episodes", &malformed);
        let found = tvmaze().by_id("1", &question(), &net);
        assert!(
            matches!(found, Err(AskError::Malformed(_))),
            "{malformed}: {found:?}"
        );
    }
}

#[test]
fn hostile_values_are_bounded_or_unknown() {
    let mut hostile = complete();
    for (path, value) in [
        ("/image/original", json!("http://169.254.169.254/latest")),
        (
            "/image/medium",
            json!("https://x/uploads/images/../../etc/passwd"),
        ),
        ("/averageRuntime", json!(-60)),
        ("/premiered", json!("2013-06-2x")),
        ("/externals/imdb", json!("tt1/?x")),
        ("/externals/thetvdb", json!(-5)),
        ("/network/country/code", json!("../")),
        (
            "/_embedded/akas",
            json!(vec![json!({ "name": "x" }); 50_000]),
        ),
        (
            "/_embedded/cast",
            json!(vec![json!({ "person": { "name": "x" } }); 50_000]),
        ),
    ] {
        *hostile.pointer_mut(path).expect("a field") = value;
    }
    let many: Vec<_> = (-5..50_000)
        .map(|number| json!({ "season": 1, "number": number, "name": "<b>x</b>" }))
        .collect();
    let net = Recorded::new()
        .answers("shows/1?", &hostile)
        .answers("shows/1/episodes", &json!(many));
    let found = tvmaze()
        .by_id("1", &question(), &net)
        .expect("an answer")
        .expect("a show");
    assert_eq!(found.cover, None);
    assert_eq!(
        (found.details.runtime, found.details.released),
        (None, None)
    );
    assert!(found.details.countries.is_empty());
    assert_eq!(found.external_ids, [ExternalId::new("tvmaze", "1")]);
    assert!(found.other_titles.len() <= 100 && found.details.people.len() <= 100);
    assert!(found.details.episodes.len() <= 10_000);
    assert!(found.details.episodes.iter().all(|one| one.number >= 0));
}

#[test]
fn damaged_responses_are_parsed_or_rejected() {
    damage::values(&results(), |answer| {
        let net = Recorded::new().answers("search/shows", answer);
        for one in tvmaze().search(&question(), &net).unwrap_or_default() {
            assert!(!one.title.is_empty() && one.provider_id.parse::<u64>().is_ok());
        }
    });
    damage::values(&complete(), |answer| {
        let net = Recorded::new().answers("shows/1?", answer);
        let _ = tvmaze().by_id("1", &question(), &net);
    });
    damage::values(&episodes(), |answer| {
        let net = Recorded::new()
            .answers("shows/1?", &complete())
            .answers("shows/1/episodes", answer);
        let _ = tvmaze().by_id("1", &question(), &net);
    });
    damage::bytes(complete().to_string().as_bytes(), |bytes| {
        let answer = Response {
            status: 200,
            content_type: String::new(),
            body: bytes.to_vec(),
        };
        let net = Recorded::new().gives("shows/1?", Ok(answer));
        let _ = tvmaze().by_id("1", &question(), &net);
    });
}

//! Failures, undocumented responses and hostile values.

use ledge_core::registry::provider::{AskError, Response};
use ledge_recorded::{Recorded, damage};
use serde_json::json;

use super::{KEY, answer, batman, comicvine, complete, issues, volumes};

#[test]
fn failed_requests_are_errors_without_the_key() {
    for (sent, expected) in [(401, 401), (420, 429), (429, 429), (500, 500), (503, 503)] {
        for part in ["search/", "issues/", "issue/4000-676000/"] {
            let net = Recorded::new()
                .refuses(part, sent)
                .answers("search/", &volumes())
                .answers("issues/", &issues())
                .answers("issue/4000-676000/", &complete());
            let error = comicvine().search(&batman(), &net).expect_err(part);
            assert!(error.has_status(expected), "{part}: {error}");
            assert!(!format!("{error} {error:?} {:?}", comicvine()).contains(KEY));
        }
    }
    // Comic Vine also reports errors in successful responses.
    for (status_code, expected) in [(100, 401), (107, 429)] {
        let reported = json!({ "error": KEY, "status_code": status_code, "results": [] });
        let net = Recorded::new().answers("search/", &reported);
        let error = comicvine().search(&batman(), &net).expect_err("a failure");
        assert!(error.has_status(expected));
        assert!(!format!("{error} {error:?}").contains(KEY));
    }
}

#[test]
fn undocumented_responses_are_errors_without_the_key() {
    for malformed in [
        json!(null),
        json!("text"),
        json!([]),
        json!({}),
        json!({ "error": KEY, "status_code": 104, "results": [] }),
        json!({ "error": "OK", "status_code": 1 }),
        answer(&json!(null)),
        answer(&json!([null])),
        answer(&json!([{ "name": "Batman" }])),
        answer(&json!([{ "id": -1, "name": "Batman" }])),
    ] {
        for part in ["search/", "issues/"] {
            let net = Recorded::new()
                .answers(part, &malformed)
                .answers("search/", &volumes());
            let found = comicvine().search(&batman(), &net);
            assert!(
                matches!(found, Err(AskError::Malformed(_))),
                "{malformed}: {found:?}"
            );
            assert!(!format!("{found:?}").contains(KEY));
        }
        let net = Recorded::new().answers("issue/", &malformed);
        let found = comicvine().by_id("676000", &batman(), &net);
        assert!(
            matches!(found, Err(AskError::Malformed(_))),
            "{malformed}: {found:?}"
        );
    }
    let net = Recorded::new().answers("issue/4000-7/", &complete());
    let found = comicvine().by_id("7", &batman(), &net);
    assert!(matches!(found, Err(AskError::Malformed(_))), "{found:?}");
}

#[test]
fn hostile_values_are_bounded_or_unknown() {
    let mut hostile = complete();
    for (path, value) in [
        (
            "/results/image/super_url",
            json!("https://x/a/uploads/../../etc/passwd"),
        ),
        ("/results/issue_number", json!("NaN")),
        ("/results/cover_date", json!("2018-09-0x")),
        ("/results/description", json!("<".repeat(500_000))),
        ("/results/story_arc_credits", json!([5, { "name": [] }])),
        (
            "/results/person_credits",
            json!(vec![
                json!({
            "name": "x", "id": -5, "role": "writer,".repeat(200) });
                2000
            ]),
        ),
    ] {
        *hostile.pointer_mut(path).expect("a field") = value;
    }
    let net = Recorded::new().answers("issue/4000-676000/", &hostile);
    let found = comicvine()
        .by_id("676000", &batman(), &net)
        .expect("an answer");
    let found = found.expect("an issue");
    assert_eq!((found.cover, found.details.released), (None, None));
    assert_eq!(found.details.collection, None);
    assert_eq!(found.details.people.len(), 1);
    assert!(found.description.is_some_and(|text| text.len() <= 100_000));
}

#[test]
fn damaged_responses_are_parsed_or_rejected() {
    damage::values(&volumes(), |answer| {
        let net = Recorded::new()
            .answers("search/", answer)
            .answers("issues/", &issues());
        let _ = comicvine().search(&batman(), &net);
    });
    damage::values(&issues(), |answer| {
        let net = Recorded::new()
            .answers("search/", &volumes())
            .answers("issues/", answer);
        for one in comicvine().search(&batman(), &net).unwrap_or_default() {
            assert!(!one.title.is_empty() && one.provider_id.starts_with("4000-"));
        }
    });
    damage::values(&complete(), |answer| {
        let net = Recorded::new().answers("issue/", answer);
        let _ = comicvine().by_id("676000", &batman(), &net);
    });
    damage::bytes(complete().to_string().as_bytes(), |bytes| {
        let answer = Response {
            status: 200,
            content_type: String::new(),
            body: bytes.to_vec(),
        };
        let net = Recorded::new().gives("issue/", Ok(answer));
        let _ = comicvine().by_id("676000", &batman(), &net);
    });
}

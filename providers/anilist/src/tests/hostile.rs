//! Failures, undocumented responses and hostile values.

use ledge_core::registry::provider::{AskError, Response};
use ledge_recorded::{Recorded, damage};
use serde_json::json;

use super::{anilist, bebop, berserk, complete, manga, question, results};

#[test]
fn failed_requests_are_errors() {
    for code in [403, 429, 500, 503] {
        let net = Recorded::new().refuses("search", code);
        let error = anilist().search(&question(), &net).expect_err("a failure");
        assert!(error.has_status(code));
        let net = Recorded::new().refuses("\"id\":1", code);
        let error = anilist()
            .by_id("1", &question(), &net)
            .expect_err("a failure");
        assert!(error.has_status(code));
        // AniList also reports errors in successful responses.
        let reported = json!({ "data": null, "errors": [{ "message": "x", "status": code }] });
        let net = Recorded::new().answers("search", &reported);
        let error = anilist().search(&question(), &net).expect_err("a failure");
        assert!(error.has_status(code));
    }
}

#[test]
fn undocumented_responses_are_errors() {
    for malformed in [
        json!(null),
        json!("text"),
        json!([]),
        json!({}),
        json!({ "data": null }),
        json!({ "data": {} }),
        json!({ "data": { "Page": null, "Media": null } }),
        json!({ "data": { "Page": { "media": {} }, "Media": [] } }),
        json!({ "data": { "Page": { "media": [null] }, "Media": {} } }),
        json!({ "data": { "Page": { "media": [{ "id": 1 }] }, "Media": { "id": 1 } } }),
        json!({ "data": { "Page": { "media": [{ "id": -1, "title": { "romaji": "x" } }] },
                          "Media": { "id": 2, "title": { "romaji": "x" } } } }),
        json!({ "data": null, "errors": [{ "message": "secret", "status": 7 }] }),
    ] {
        let net = Recorded::new().answers("search", &malformed);
        let found = anilist().search(&question(), &net);
        assert!(
            matches!(found, Err(AskError::Malformed(_))),
            "{malformed}: {found:?}"
        );
        let net = Recorded::new().answers("\"id\":1", &malformed);
        let found = anilist().by_id("1", &question(), &net);
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
        (
            "/data/Media/coverImage/extraLarge",
            json!("http://169.254.169.254/x.jpg"),
        ),
        (
            "/data/Media/coverImage/large",
            json!("https://x/file/anilistcdn/../../etc/passwd"),
        ),
        ("/data/Media/bannerImage", json!("/file/anilistcdn/a?b")),
        ("/data/Media/duration", json!(-24)),
        (
            "/data/Media/startDate",
            json!({ "year": 1998, "month": 13, "day": -1 }),
        ),
        ("/data/Media/idMal", json!(-1)),
        ("/data/Media/countryOfOrigin", json!("<b>")),
        (
            "/data/Media/trailer",
            json!({ "id": "\"><script>", "site": "youtube" }),
        ),
        ("/data/Media/description", json!("~!".repeat(50_000))),
        ("/data/Media/synonyms", json!(vec!["x"; 50_000])),
        (
            "/data/Media/staff/edges",
            json!(vec![
                json!({ "role": "Director",
            "node": { "name": { "full": "x" } } });
                50_000
            ]),
        ),
    ] {
        *hostile.pointer_mut(path).expect("a field") = value;
    }
    let net = Recorded::new().answers("\"id\":1", &hostile);
    let found = anilist()
        .by_id("1", &question(), &net)
        .expect("an answer")
        .expect("a series");
    assert_eq!((found.cover, found.details.backdrop), (None, None));
    assert_eq!(
        (found.details.runtime, found.details.released.as_deref()),
        (None, Some("1998"))
    );
    assert!(found.details.countries.is_empty() && found.external_ids.len() == 1);
    assert_eq!(found.details.links.len(), 1);
    assert!(found.other_titles.len() <= 102 && found.details.people.len() <= 60);
}

#[test]
fn damaged_responses_are_parsed_or_rejected() {
    damage::values(&results(&[bebop()]), |answer| {
        let net = Recorded::new().answers("search", answer);
        for one in anilist().search(&question(), &net).unwrap_or_default() {
            assert!(!one.title.is_empty() && one.provider_id.parse::<u64>().is_ok());
        }
    });
    damage::values(&complete(), |answer| {
        let net = Recorded::new().answers("\"id\":1", answer);
        let _ = anilist().by_id("1", &question(), &net);
    });
    damage::values(&json!({ "data": { "Media": berserk() } }), |answer| {
        let net = Recorded::new().answers("\"id\":30002", answer);
        let third = manga("Berserk Vol. 3", Some(("Berserk", 3.0)));
        let _ = anilist().by_id("30002", &third, &net);
    });
    damage::bytes(complete().to_string().as_bytes(), |bytes| {
        let answer = Response {
            status: 200,
            content_type: String::new(),
            body: bytes.to_vec(),
        };
        let net = Recorded::new().gives("\"id\":1", Ok(answer));
        let _ = anilist().by_id("1", &question(), &net);
    });
}

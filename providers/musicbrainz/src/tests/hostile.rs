//! Failed, undocumented and damaged responses.

use ledge_core::registry::provider::{AskError, Base, Net, Response};
use ledge_recorded::{Recorded, damage};
use serde_json::json;

use super::*;
use crate::parse;

fn covers() -> Base {
    Base::of("https://coverartarchive.org", None).expect("an address")
}

#[test]
fn failed_requests_are_errors_except_too_large_details() {
    for code in [429, 500, 503] {
        let net = Recorded::new().refuses("release", code);
        let error = provider().search(&album([1.0, 1.0]), &net);
        assert!(error.expect_err("a failure").has_status(code));
        let net = Recorded::new().refuses("release", code);
        let error = provider().search(&tagged("musicbrainz_release", STUDIO), &net);
        assert!(error.expect_err("a failure").has_status(code));
    }
    let list = found(&[listed(STUDIO, "Some Album", GROUP, &[], "1975", 2)]);
    let net = Recorded::new()
        .answers("release?query", &list)
        .gives("release/", Err(AskError::TooLarge));
    let found = provider().search(&album([1.0, 1.0]), &net);
    assert_eq!(found.expect("candidates")[0].title, "Some Album");
    let page = Response {
        status: 200,
        content_type: "text/html".to_owned(),
        body: b"<html>".to_vec(),
    };
    let net = Recorded::new().gives("release?query", Ok(page));
    let error = provider().search(&album([1.0, 1.0]), &net);
    assert!(matches!(error, Err(AskError::Malformed(_))), "{error:?}");
}

#[test]
fn undocumented_responses_are_errors() {
    for malformed in [
        json!(null),
        json!([]),
        json!("text"),
        json!({}),
        json!({ "error": "Your requests are exceeding the allowable rate limit." }),
        json!({ "releases": null }),
        json!({ "releases": [null] }),
        json!({ "releases": [{ "id": "12", "title": "Some Album" }] }),
        json!({ "releases": [{ "id": STUDIO, "title": [] }] }),
    ] {
        let net = Recorded::new().answers("release?query", &malformed);
        let error = provider().search(&album([1.0, 1.0]), &net);
        assert!(
            matches!(error, Err(AskError::Malformed(_))),
            "{malformed}: {error:?}"
        );
    }
    for malformed in [
        json!(null),
        json!([]),
        json!({}),
        json!({ "error": "Invalid mbid." }),
        json!({ "id": 5, "title": "Some Album" }),
        json!({ "id": "../..", "title": "Some Album" }),
        json!({ "id": STUDIO, "title": {} }),
    ] {
        let net = Recorded::new().answers("release/", &malformed);
        let error = provider().by_id(STUDIO, &album([1.0, 1.0]), &net);
        assert!(
            matches!(error, Err(AskError::Malformed(_))),
            "{malformed}: {error:?}"
        );
        let net = Recorded::new().answers("recording/", &malformed);
        let error = provider().by_id(RECORDING, &song(), &net);
        assert!(
            matches!(error, Err(AskError::Malformed(_))),
            "{malformed}: {error:?}"
        );
    }
}

#[test]
fn optional_fields_of_other_forms_are_unknown() {
    let release = json!({
        "id": STUDIO, "title": "Some Album", "date": "1975-??-??", "media": {}, "genres": 5,
        "artist-credit": [{ "name": null, "artist": [] }, 5],
        "release-group": { "id": "../x", "first-release-date": "-1", "secondary-types": "Live" },
        "label-info": [{ "label": "A" }], "relations": [{ "type": "wikidata", "url": {
            "resource": "https://www.wikidata.org/wiki/Q1/../../x" } }],
        "cover-art-archive": { "front": true }
    });
    let net = Recorded::new().answers("release/", &release);
    let found = provider().by_id(STUDIO, &album([1.0, 1.0]), &net);
    let found = found.expect("an answer").expect("a release");
    assert_eq!((found.year, found.authors.len()), (None, 0));
    let details = &found.details;
    assert_eq!(
        (details.released.as_ref(), details.track_seconds.len()),
        (None, 0)
    );
    assert_eq!(details.form.as_deref(), Some("live"));
    assert_eq!(
        found.external_ids,
        [ExternalId::new("musicbrainz_release", STUDIO)]
    );
}

#[test]
fn damaged_responses_are_parsed_or_rejected() {
    let list = found(&[listed(STUDIO, "Some Album", GROUP, &["Live"], "1975", 2)]);
    damage::values(&list, |list| {
        for release in parse::releases(list, &covers()).unwrap_or_default() {
            assert!(!release.candidate.title.is_empty());
        }
    });
    let release = detailed(STUDIO, "Some Album", GROUP, &[], [200_000, 100_000]);
    damage::values(&release, |release| {
        let _ = parse::release(release, &covers());
    });
    damage::values(&recorded_track(RECORDING, "live", 1), |recording| {
        let _ = parse::recording(recording, &covers());
    });
    damage::bytes(list.to_string().as_bytes(), |bytes| {
        let answer = Response {
            status: 200,
            content_type: String::new(),
            body: bytes.to_vec(),
        };
        let net = Recorded::new().gives("release?query", Ok(answer));
        let _ = provider().search(&album([1.0, 1.0]), &net as &dyn Net);
    });
}

//! Single tracks: the recording of a length and a version.

use ledge_core::enrich::best_match;
use ledge_core::enrich::matching::Choice;

use super::*;

pub(super) fn recorded_track(id: &str, comment: &str, length: u32) -> Value {
    json!({
        "id": id, "score": 100, "title": "Some Song", "length": length, "disambiguation": comment,
        "video": null, "artist-credit": credit(), "first-release-date": "1975-08",
        "genres": [{ "name": "pop", "count": 1 }],
        "releases": [
            { "id": LIVE, "status": "Official", "date": "1974",
              "release-group": { "id": LIVE_GROUP, "primary-type": "Album",
                                 "secondary-types": ["Compilation"] } },
            { "id": STUDIO, "status": "Official", "date": "1975",
              "release-group": { "id": GROUP, "primary-type": "Album" } }
        ]
    })
}

pub(super) fn song() -> Query {
    Query {
        title: "Some Song".to_owned(),
        subkind: Some("track".to_owned()),
        parts: parts(&[180.0]),
        ..album([0.0, 0.0])
    }
}

#[test]
fn track_is_the_recording_of_its_length_and_version() {
    let list = json!({ "count": 3, "recordings": [
        recorded_track(LIVE, "live, 1994-02-12", 181_000),
        recorded_track(REMASTER, "", 240_000),
        recorded_track(RECORDING, "", 179_000),
    ] });
    let net = Recorded::new()
        .answers(
            "recording?query=recording:\"Some Song\" AND (artist:",
            &list,
        )
        .answers(
            &format!("recording/{RECORDING}?inc=artist-credits releases"),
            &recorded_track(RECORDING, "", 179_000),
        );
    let found = provider().search(&song(), &net).expect("candidates");
    let best = &found[0];
    assert_eq!(best.provider_id, RECORDING);
    assert_eq!(best.year, Some(1975));
    assert_eq!(best.details.track_seconds, [179.0]);
    let url = format!("https://coverartarchive.org/release-group/{GROUP}/front-500");
    assert_eq!(address(best), Some(url.as_str()), "the cover of the album");
    assert!(matches!(
        best_match(&song(), &found),
        Choice::Match { index: 0, .. }
    ));
    let nameless = Query {
        authors: Vec::new(),
        ..song()
    };
    assert_eq!(
        provider().search(&nameless, &Recorded::new()),
        Ok(Vec::new())
    );
}

#[test]
fn recording_in_tags_is_certain() {
    let net = Recorded::new().answers(
        &format!("recording/{RECORDING}"),
        &recorded_track(RECORDING, "", 179_000),
    );
    let query = Query {
        external_ids: vec![ExternalId::new("musicbrainz_recording", RECORDING)],
        ..song()
    };
    assert!(only(provider().search(&query, &net)).is_certain);
}

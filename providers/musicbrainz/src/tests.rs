//! Tests with responses in MusicBrainz's documented form.

mod artists;
mod hostile;
mod tracks;

use ledge_core::registry::provider::{
    AskError, Candidate, Cover, ExternalId, KnownPart, Lookup, Query,
};
use ledge_recorded::{Recorded, opened};
use serde_json::{Value, json};

use crate::PROVIDER;
use tracks::{recorded_track, song};

/// Release, its remaster, the live album and their groups.
const STUDIO: &str = "1dfd97d0-96cb-4ab4-9d90-1e9e9ea4a2b1";
const REMASTER: &str = "2dfd97d0-96cb-4ab4-9d90-1e9e9ea4a2b1";
const LIVE: &str = "3dfd97d0-96cb-4ab4-9d90-1e9e9ea4a2b1";
const GROUP: &str = "4dfd97d0-96cb-4ab4-9d90-1e9e9ea4a2b1";
const LIVE_GROUP: &str = "5dfd97d0-96cb-4ab4-9d90-1e9e9ea4a2b1";
const ARTIST: &str = "6dfd97d0-96cb-4ab4-9d90-1e9e9ea4a2b1";
const GUEST: &str = "7dfd97d0-96cb-4ab4-9d90-1e9e9ea4a2b1";
const RECORDING: &str = "8dfd97d0-96cb-4ab4-9d90-1e9e9ea4a2b1";

fn credit() -> Value {
    json!([
        { "name": "The Band", "joinphrase": " feat. ",
          "artist": { "id": ARTIST, "name": "The Band", "sort-name": "Band, The" } },
        { "name": "A Guest", "joinphrase": "",
          "artist": { "id": GUEST, "name": "Guest", "sort-name": "Guest" } }
    ])
}

/// Entry of a search: a release without tracks.
fn listed(id: &str, title: &str, group: &str, kinds: &[&str], date: &str, tracks: u32) -> Value {
    json!({
        "id": id, "score": 100, "title": title, "status": "Official", "date": date,
        "artist-credit": credit(), "track-count": tracks,
        "release-group": { "id": group, "title": title, "primary-type": "Album",
                           "secondary-types": kinds },
        "media": [{ "format": "CD", "disc-count": 1, "track-count": tracks }],
        "label-info": [{ "label": { "id": ARTIST, "name": "A Label" } }]
    })
}

/// Entry of a release with two tracks of these lengths in milliseconds.
fn detailed(id: &str, title: &str, group: &str, kinds: &[&str], lengths: [u32; 2]) -> Value {
    json!({
        "id": id, "title": title, "status": "Official", "date": "2011-09-26", "country": "GB",
        "asin": null, "barcode": "", "artist-credit": credit(),
        "release-group": { "id": group, "title": title, "primary-type": "Album",
                           "secondary-types": kinds, "first-release-date": "1975-09-12",
                           "genres": [{ "name": "rock", "count": 2, "id": ARTIST },
                                      { "name": "art rock", "count": 9, "id": ARTIST }] },
        "genres": [], "cover-art-archive": { "front": true, "artwork": true, "count": 3 },
        "label-info": [{ "label": { "name": "A Label" } }, { "label": { "name": "A Label" } },
                       { "label": { "name": "[no label]" } }, { "label": null }],
        "media": [
            { "position": 2, "format": "DVD-Video", "track-count": 9, "tracks": [] },
            { "position": 1, "format": "CD", "track-count": 2, "tracks": [
                { "id": ARTIST, "position": 1, "number": "1", "title": "One",
                  "length": lengths[0], "artist-credit": credit(),
                  "recording": { "id": ARTIST, "length": 1 } },
                { "id": ARTIST, "position": 2, "number": "2", "title": "Two", "length": null,
                  "recording": { "id": ARTIST, "length": lengths[1] },
                  "artist-credit": [{ "name": "Other", "artist": { "id": LIVE } }] }
            ] }
        ],
        "relations": [
            { "type": "wikidata", "target-type": "url", "ended": false,
              "url": { "resource": "https://www.wikidata.org/wiki/Q42" } },
            { "type": "discogs", "url": { "resource": "http://www.discogs.com/release/1" } },
            { "type": "discogs", "ended": true,
              "url": { "resource": "https://www.discogs.com/release/2" } },
            { "type": "part of", "url": { "resource": "https://example.org/" } }
        ]
    })
}

fn found(releases: &[Value]) -> Value {
    json!({ "created": "2026-11-01T00:00:00.000Z", "count": releases.len(), "offset": 0,
            "releases": releases })
}

fn album(seconds: [f64; 2]) -> Query {
    Query {
        kind: "audio".to_owned(),
        title: "Some Album".to_owned(),
        authors: vec!["Band, The".to_owned()],
        year: Some(2011),
        subkind: Some("album".to_owned()),
        parts: parts(&seconds),
        ..Query::default()
    }
}

fn parts(seconds: &[f64]) -> Vec<KnownPart> {
    let numbers = (1..).zip(seconds);
    let part = |(number, seconds): (i64, &f64)| KnownPart {
        number: Some(number),
        seconds: Some(*seconds),
        ..KnownPart::default()
    };
    numbers.map(part).collect()
}

fn tagged(database: &str, id: &str) -> Query {
    Query {
        external_ids: vec![ExternalId::new(database, id)],
        ..album([200.0, 100.0])
    }
}

fn provider() -> Box<dyn Lookup> {
    opened(&PROVIDER, &[])
}

fn address(candidate: &Candidate) -> Option<&str> {
    match &candidate.cover {
        Some(Cover::Address(url)) => Some(url),
        _ => None,
    }
}

#[track_caller]
fn only(found: Result<Vec<Candidate>, AskError>) -> Candidate {
    let mut found = found.expect("candidates");
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

#[test]
fn release_in_tags_is_certain_and_complete() {
    let net = Recorded::new().answers(
        &format!("release/{STUDIO}?inc=artist-credits labels recordings"),
        &detailed(STUDIO, "Some Album", GROUP, &[], [200_500, 100_000]),
    );
    let query = tagged("musicbrainz_release", STUDIO);
    let release = only(provider().search(&query, &net));
    assert!(release.is_certain);
    assert_eq!(net.asked().len(), 1, "{:?}", net.asked());
    assert!(net.asked()[0].contains("&fmt=json"), "{:?}", net.asked());
    assert_eq!(release.provider_id, STUDIO);
    // The year is that of the first release. The date of the edition is kept separately.
    assert_eq!(release.year, Some(1975));
    let details = &release.details;
    assert_eq!(details.released.as_deref(), Some("1975-09-12"));
    assert_eq!(details.edition_released.as_deref(), Some("2011-09-26"));
    let authors: Vec<_> = release
        .authors
        .iter()
        .map(|credit| (credit.name.as_str(), credit.role.as_str()))
        .collect();
    assert_eq!(authors, [("The Band", "author"), ("A Guest", "performer")]);
    let people: Vec<_> = details
        .people
        .iter()
        .map(|person| {
            (
                person.name.as_str(),
                person.role.as_str(),
                person.ids[0].id.as_str(),
            )
        })
        .collect();
    assert_eq!(
        people,
        [
            ("The Band", "author", ARTIST),
            ("A Guest", "performer", GUEST),
            ("Other", "performer", LIVE)
        ]
    );
}

#[test]
fn release_has_labels_lengths_links_and_ids() {
    let entry = detailed(STUDIO, "Some Album", GROUP, &[], [200_500, 100_000]);
    let net = Recorded::new().answers("release/", &entry);
    let release = only(provider().search(&tagged("musicbrainz_release", STUDIO), &net));
    let details = &release.details;
    assert_eq!(details.genres, ["art rock", "rock"]);
    assert_eq!(details.studios, ["A Label"]);
    assert_eq!(details.form.as_deref(), Some("album"));
    assert_eq!(details.track_seconds, [200.5, 100.0]);
    let urls: Vec<_> = details.links.iter().map(|link| link.url.as_str()).collect();
    assert_eq!(
        urls,
        [
            &format!("https://musicbrainz.org/release/{STUDIO}"),
            "https://www.wikidata.org/wiki/Q42"
        ]
    );
    for id in [
        ExternalId::new("wikidata", "Q42"),
        ExternalId::new("musicbrainz_release", STUDIO),
        ExternalId::new("musicbrainz_release_group", GROUP),
    ] {
        assert!(
            release.external_ids.contains(&id),
            "{:?}",
            release.external_ids
        );
    }
    let url = format!("https://coverartarchive.org/release/{STUDIO}/front-500");
    assert_eq!(address(&release), Some(url.as_str()));
}

#[test]
fn unknown_release_in_tags_falls_back_to_its_group() {
    let list = found(&[
        listed(REMASTER, "Some Album", GROUP, &[], "2011-09-26", 15),
        listed(STUDIO, "Some Album", GROUP, &[], "1975-09-12", 2),
    ]);
    let net = Recorded::new()
        .answers(&format!("release?release-group={GROUP}&inc="), &list)
        .answers(
            &format!("release/{STUDIO}"),
            &detailed(STUDIO, "Some Album", GROUP, &[], [200_000, 100_000]),
        );
    let mut query = tagged("musicbrainz_release", LIVE);
    query
        .external_ids
        .push(ExternalId::new("musicbrainz_release_group", GROUP));
    let release = only(provider().search(&query, &net));
    assert!(release.is_certain);
    assert_eq!(release.provider_id, STUDIO, "two tracks as the album");
    // A text that is no id never becomes part of a URL.
    let net = Recorded::new();
    let query = tagged("musicbrainz_release", "../artist?x=");
    assert!(provider().search(&query, &net).is_err());
    assert!(
        net.asked()
            .iter()
            .all(|asked| asked.contains("/ws/2/release?query="))
    );
}

#[test]
fn studio_album_its_remaster_and_its_live_album_are_distinguished() {
    let list = found(&[
        listed(LIVE, "Some Album", LIVE_GROUP, &["Live"], "2011-01-01", 2),
        listed(REMASTER, "Some Album", GROUP, &[], "2011-09-26", 2),
        listed(STUDIO, "Some Album", GROUP, &[], "1975-09-12", 2),
    ]);
    let answers = |net: Recorded| {
        net.answers("release?query=", &list)
            .answers(
                &format!("release/{REMASTER}"),
                &detailed(REMASTER, "Some Album", GROUP, &[], [260_000, 160_000]),
            )
            .answers(
                &format!("release/{STUDIO}"),
                &detailed(STUDIO, "Some Album", GROUP, &[], [200_000, 100_000]),
            )
    };
    for (seconds, expected) in [([201.0, 99.0], STUDIO), ([261.0, 159.0], REMASTER)] {
        let net = answers(Recorded::new());
        let query = album(seconds);
        let found = provider().search(&query, &net).expect("candidates");
        assert_eq!(found[0].provider_id, expected, "{seconds:?}");
        assert_eq!(found[2].provider_id, LIVE);
        assert_eq!(found[2].details.form.as_deref(), Some("live"));
        assert!(found.iter().all(|one| !one.is_certain));
        // Editions of one group have one year, so that none is preferred for its own.
        assert_eq!((found[0].year, found[1].year), (Some(1975), Some(1975)));
        assert_eq!(net.asked().len(), 3, "{:?}", net.asked());
    }
    let net = answers(Recorded::new());
    let query = Query {
        title: "Some Album (Live)".to_owned(),
        ..album([200.0, 100.0])
    };
    let found = provider().search(&query, &net).expect("candidates");
    assert_eq!(found[0].provider_id, REMASTER, "its tracks are as long");
}

#[test]
fn search_is_escaped_and_becomes_wider_if_nothing_is_found() {
    let none = found(&[]);
    let net = Recorded::new()
        .answers("query=", &none)
        .answers("query=", &none)
        .answers(
            "query=",
            &found(&[listed(STUDIO, "AC/DC", GROUP, &[], "1975", 2)]),
        );
    let query = Query {
        title: "AC/DC: \"Live\" (Deluxe)".to_owned(),
        ..album([1.0, 2.0])
    };
    let found = provider().search(&query, &net).expect("candidates");
    assert_eq!(found[0].year, Some(1975));
    let asked = net.asked();
    let artist = "(artist:\"Band, The\" OR artistname:\"Band, The\")";
    let title = "AC\\/DC\\: \\\"Live\\\"";
    for (asked, expected) in asked.iter().zip([
        format!("release:\"{title} \\(Deluxe\\)\" AND {artist} AND tracks:2&"),
        format!("release:\"{title} \\(Deluxe\\)\" AND {artist}&"),
        format!("release:\"{title}\" AND {artist}&"),
    ]) {
        assert!(asked.contains(&expected), "{asked}");
    }
    // The details of the release do not exist: the result of the search is used.
    assert_eq!(asked.len(), 4, "{asked:?}");
}

#[test]
fn artist_in_tags_precedes_its_name() {
    let net = Recorded::new().answers("query=", &found(&[]));
    let _ = provider().search(&tagged("musicbrainz_artist", ARTIST), &net);
    let expected = format!(
        "release:\"Some Album\" AND arid:\"{}\"",
        ARTIST.replace('-', "\\-")
    );
    assert!(net.asked()[0].contains(&expected), "{:?}", net.asked());
}

#[test]
fn copies_of_tracks_in_two_formats_count_once() {
    let mut query = album([200.0, 100.0]);
    query.parts.extend(parts(&[200.0, 100.0]));
    let net = Recorded::new();
    assert_eq!(
        provider().search(&query, &net),
        Err(AskError::Status {
            code: 404,
            retry_after: None
        })
    );
    assert!(net.asked()[0].contains("tracks:2&"), "{:?}", net.asked());
}

#[test]
fn by_id_accepts_ids_and_pages() {
    let release = detailed(STUDIO, "Some Album", GROUP, &[], [200_000, 100_000]);
    let by_id = |id: &str, query: &Query, net: &Recorded| provider().by_id(id, query, net);
    for id in [
        STUDIO.to_owned(),
        format!("https://musicbrainz.org/release/{STUDIO}"),
    ] {
        let net = Recorded::new().answers(&format!("release/{STUDIO}"), &release);
        let found = by_id(&id, &album([1.0, 1.0]), &net).expect("an answer");
        assert_eq!(found.expect("a release").title, "Some Album", "{id}");
    }
    let net = Recorded::new()
        .answers(
            "release?release-group=",
            &found(&[listed(STUDIO, "Some Album", GROUP, &[], "1975", 2)]),
        )
        .answers(&format!("release/{STUDIO}"), &release);
    let group = format!("https://musicbrainz.org/release-group/{GROUP}");
    let best = by_id(&group, &album([1.0, 1.0]), &net).expect("an answer");
    assert_eq!(best.expect("a release").provider_id, STUDIO);
    let net = Recorded::new().answers(
        &format!("recording/{RECORDING}"),
        &recorded_track(RECORDING, "", 1),
    );
    let track = by_id(RECORDING, &song(), &net).expect("an answer");
    assert_eq!(track.expect("a recording").title, "Some Song");
    for id in ["", "nonsense", "../artist", STUDIO, LIVE_GROUP] {
        let found = by_id(id, &album([1.0, 1.0]), &Recorded::new());
        assert_eq!(found, Ok(None), "{id}");
    }
}

#[test]
fn configured_base_urls_apply_to_requests_and_covers() {
    let provider = opened(
        &PROVIDER,
        &[
            ("LEDGE_MUSICBRAINZ_URL", "http://127.0.0.1:8080"),
            ("LEDGE_COVERARTARCHIVE_URL", "http://127.0.0.1:8081"),
        ],
    );
    let net = Recorded::new().answers(
        "http://127.0.0.1:8080/ws/2/release/",
        &detailed(STUDIO, "Some Album", GROUP, &[], [1, 1]),
    );
    let release = only(provider.search(&tagged("musicbrainz_release", STUDIO), &net));
    let url = address(&release).expect("a cover");
    assert!(url.starts_with("http://127.0.0.1:8081/release/"), "{url}");
}

//! Artists: life span, place of origin, links and the id of Wikidata.

use ledge_core::registry::provider::{AskError, ExternalId, PersonDetails};
use ledge_recorded::{Recorded, damage};
use serde_json::{Value, json};

use super::{ARTIST, provider};

fn artist() -> Value {
    json!({
        "id": ARTIST, "name": "The Band", "sort-name": "Band, The", "type": "Group",
        "disambiguation": "", "country": "IE", "gender": null,
        "area": { "id": "390b05d4-11ec-3bce-a343-703a366b34a5", "name": "Ireland" },
        "begin-area": { "id": "afff1a94-a98b-4322-8874-3148139ab6da", "name": "Dublin" },
        "end-area": null,
        "life-span": { "begin": "1962", "end": "2021-10", "ended": true },
        "relations": [
            { "type": "official homepage", "ended": true, "url": {
                "resource": "https://old.example/" } },
            { "type": "official homepage", "ended": false, "url": {
                "resource": "https://band.example/" } },
            { "type": "wikidata", "ended": false, "url": {
                "resource": "https://www.wikidata.org/wiki/Q500" } },
            { "type": "lyrics", "ended": false, "url": { "resource": "https://lyrics.example/" } }
        ]
    })
}

fn ask(net: &Recorded) -> Result<Option<PersonDetails>, AskError> {
    let ids = [ExternalId::new("musicbrainz", ARTIST)];
    provider().person(&ids, &["de".to_owned()], net)
}

#[test]
fn artist_has_life_span_place_links_and_id_of_wikidata() {
    let net = Recorded::new().answers(&format!("artist/{ARTIST}?inc=url-rels&fmt=json"), &artist());
    let found = ask(&net).expect("an answer").expect("an artist");
    assert_eq!(found.born.as_deref(), Some("1962"));
    assert_eq!(found.died.as_deref(), Some("2021-10"));
    assert_eq!(found.birthplace.as_deref(), Some("Dublin"));
    assert!(found.is_group);
    assert_eq!((found.biography, found.portrait), (None, None));
    assert_eq!(found.external_ids, [ExternalId::new("wikidata", "Q500")]);
    let urls: Vec<&str> = found.links.iter().map(|link| link.url.as_str()).collect();
    assert_eq!(
        urls,
        [
            &format!("https://musicbrainz.org/artist/{ARTIST}"),
            "https://band.example/",
            "https://www.wikidata.org/wiki/Q500"
        ]
    );
    assert_eq!(net.asked().len(), 1);
}

#[test]
fn unknown_artist_is_absent_and_failures_are_errors() {
    assert_eq!(ask(&Recorded::new()), Ok(None));
    for id in ["", "nonsense", "../release"] {
        let net = Recorded::new();
        let ids = [ExternalId::new("musicbrainz", id)];
        assert_eq!(provider().person(&ids, &[], &net), Ok(None), "{id}");
        assert!(net.asked().is_empty());
    }
    for code in [429, 500, 503] {
        let error = ask(&Recorded::new().refuses("artist/", code)).expect_err("a failure");
        assert!(error.has_status(code));
    }
    for malformed in [
        json!(null),
        json!([]),
        json!({ "error": "Invalid mbid." }),
        json!({ "id": "12" }),
    ] {
        let found = ask(&Recorded::new().answers("artist/", &malformed));
        assert!(
            matches!(found, Err(AskError::Malformed(_))),
            "{malformed}: {found:?}"
        );
    }
    let other = json!({ "id": ARTIST, "life-span": [], "begin-area": "Dublin", "type": 5,
                        "relations": {} });
    let found = ask(&Recorded::new().answers("artist/", &other)).expect("an answer");
    let found = found.expect("an artist");
    assert_eq!((found.born, found.birthplace), (None, None));
    damage::values(&artist(), |damaged| {
        let _ = ask(&Recorded::new().answers("artist/", damaged));
    });
}

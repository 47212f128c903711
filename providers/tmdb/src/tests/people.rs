//! People: biography, dates, ids and portrait.

use ledge_core::registry::provider::{AskError, ExternalId, PersonDetails};
use ledge_recorded::{Recorded, damage};
use serde_json::{Value, json};

use super::tmdb;

fn person() -> Value {
    json!({
        "adult": false, "also_known_as": ["A. Actor"], "gender": 2, "id": 6384,
        "biography": "", "birthday": "1964-09-02", "deathday": null,
        "homepage": "https://actor.example", "imdb_id": "nm0000206",
        "known_for_department": "Acting", "name": "An Actor",
        "place_of_birth": "Beirut, Lebanon", "popularity": 1.5, "profile_path": "/actor.jpg",
        "external_ids": { "id": 6384, "imdb_id": "nm0000206", "wikidata_id": "Q43416",
                          "facebook_id": null, "twitter_id": "" },
        "translations": { "translations": [
            { "iso_639_1": "en", "iso_3166_1": "US", "name": "English",
              "data": { "biography": "An actor.\n\nLives by the sea.", "name": "" } },
            { "iso_639_1": "de", "iso_3166_1": "DE", "name": "Deutsch",
              "data": { "biography": "", "name": "" } },
            { "iso_639_1": "fr", "iso_3166_1": "FR", "name": "Français",
              "data": { "biography": "Un acteur.", "name": "" } }
        ] }
    })
}

fn ask(languages: &[&str], net: &Recorded) -> Result<Option<PersonDetails>, AskError> {
    let languages: Vec<String> = languages.iter().map(|one| (*one).to_owned()).collect();
    tmdb().person(&[ExternalId::new("tmdb", "6384")], &languages, net)
}

#[test]
fn person_has_text_dates_ids_and_portrait() {
    let net = Recorded::new().answers("person/6384?", &person());
    let found = ask(&["de"], &net).expect("an answer").expect("a person");
    let text = found.biography.as_deref();
    assert_eq!(text, Some("An actor.\n\nLives by the sea."));
    assert_eq!(found.born.as_deref(), Some("1964-09-02"));
    assert_eq!((found.died, found.is_group), (None, false));
    assert_eq!(found.birthplace.as_deref(), Some("Beirut, Lebanon"));
    assert_eq!(found.links[0].url, "https://actor.example");
    assert_eq!(
        found.external_ids,
        [
            ExternalId::new("imdb", "nm0000206"),
            ExternalId::new("wikidata", "Q43416")
        ]
    );
    let portrait = "https://image.tmdb.org/t/p/h632/actor.jpg";
    assert_eq!(found.portrait.as_deref(), Some(portrait));
    let asked = net.asked();
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert!(
        asked[0].contains("language=de&append_to_response=external_ids,translations "),
        "{asked:?}"
    );
}

#[test]
fn text_is_in_first_language_that_has_one() {
    for (languages, expected) in [
        (&["fr", "en"][..], "Un acteur."),
        (&["de", "fr"][..], "Un acteur."),
        (&["de"][..], "An actor."),
    ] {
        let net = Recorded::new().answers("person/6384?", &person());
        let found = ask(languages, &net).expect("an answer").expect("a person");
        let text = found.biography.expect("a text");
        assert!(text.starts_with(expected), "{languages:?}: {text}");
    }
    let mut own = person();
    own["biography"] = json!("Ein Schauspieler.");
    own["translations"] = json!(null);
    let net = Recorded::new()
        .gives("translations", Err(AskError::TooLarge))
        .answers("person/6384?", &own);
    let found = ask(&["de"], &net).expect("an answer").expect("a person");
    assert_eq!(found.biography.as_deref(), Some("Ein Schauspieler."));
}

#[test]
fn unknown_person_is_absent_and_failures_are_errors() {
    assert_eq!(ask(&["en"], &Recorded::new()), Ok(None));
    for ids in [
        vec![],
        vec![ExternalId::new("imdb", "nm1")],
        vec![ExternalId::new("tmdb", "../movie/1")],
    ] {
        let net = Recorded::new();
        assert_eq!(tmdb().person(&ids, &[], &net), Ok(None), "{ids:?}");
        assert!(net.asked().is_empty());
    }
    for code in [401, 429, 500] {
        let net = Recorded::new().refuses("person/", code);
        let error = ask(&["en"], &net).expect_err("a failure");
        assert!(error.has_status(code));
    }
    for malformed in [
        json!(null),
        json!([]),
        json!({}),
        json!({ "id": "6384" }),
        json!({ "id": 7, "biography": "Another one." }),
        json!({ "status_code": 7, "success": false }),
    ] {
        let net = Recorded::new().answers("person/", &malformed);
        let found = ask(&["en"], &net);
        assert!(
            matches!(found, Err(AskError::Malformed(_))),
            "{malformed}: {found:?}"
        );
    }
    damage::values(&person(), |damaged| {
        let net = Recorded::new().answers("person/", damaged);
        let _ = ask(&["de"], &net);
    });
}

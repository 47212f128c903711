//! Tests with responses in AniList's documented form.

mod hostile;

use ledge_core::registry::naming::Series;
use ledge_core::registry::provider::{Candidate, Cover, ExternalId, Lookup, Query};
use ledge_recorded::{Recorded, opened};
use serde_json::{Value, json};

use crate::PROVIDER;

fn anilist() -> Box<dyn Lookup> {
    opened(&PROVIDER, &[])
}

fn question() -> Query {
    Query {
        kind: "video".to_owned(),
        subkind: Some("series".to_owned()),
        title: "Cowboy Bebop".to_owned(),
        year: Some(1998),
        ..Query::default()
    }
}

fn manga(title: &str, series: Option<(&str, f64)>) -> Query {
    Query {
        kind: "books".to_owned(),
        subkind: Some("comic".to_owned()),
        title: title.to_owned(),
        series: series.map(|(name, index)| Series {
            name: name.to_owned(),
            index: Some(index),
        }),
        authors: vec!["Kentarou Miura".to_owned()],
        ..Query::default()
    }
}

fn bebop() -> Value {
    json!({
        "id": 1, "idMal": 1, "type": "ANIME", "format": "TV", "episodes": 26, "isAdult": false,
        "synonyms": ["カウボーイビバップ"],
        "title": { "romaji": "Cowboy Bebop", "english": "Cowboy Bebop",
                   "native": "カウボーイビバップ" },
        "startDate": { "year": 1998, "month": 4, "day": 3 },
        "description": "Bounty hunters.<br>In space. ~!A secret.!~",
        "coverImage": {
            "extraLarge": "https://s4.anilist.co/file/anilistcdn/media/anime/cover/large/bx1-x.png",
            "large": "https://s4.anilist.co/file/anilistcdn/media/anime/cover/medium/bx1-x.png"
        }
    })
}

fn complete() -> Value {
    let mut media = bebop();
    let further = json!({
        "bannerImage": "https://s4.anilist.co/file/anilistcdn/media/anime/banner/1-OquNCN.jpg",
        "genres": ["Action", "Drama"], "duration": 24, "status": "FINISHED",
        "countryOfOrigin": "JP", "siteUrl": "https://anilist.co/anime/1",
        "trailer": { "id": "qig4KOK2R2g", "site": "youtube" },
        "studios": { "edges": [
            { "isMain": true, "node": { "name": "Sunrise" } },
            { "isMain": false, "node": { "name": "Bandai Visual" } }
        ] },
        "staff": { "edges": [
            { "role": "Music", "node": { "id": 97_009, "name": { "full": "Yoko Kanno" } } },
            { "role": "Director", "node": { "id": 97_197, "name": { "full": "Shinichirou Watanabe" },
              "image": { "large":
                "https://s4.anilist.co/file/anilistcdn/staff/large/n97197-0.jpg" } } },
            { "role": "Script (eps 1, 5)",
              "node": { "id": 97_250, "name": { "full": "Keiko Nobumoto" } } },
            { "role": "Key Animation", "node": { "id": 5, "name": { "full": "Somebody" } } }
        ] },
        "characters": { "edges": [
            { "role": "MAIN", "node": { "name": { "full": "Spike Spiegel" } }, "voiceActors": [
                { "id": 95_011, "name": { "full": "Kouichi Yamadera" },
                  "image": { "large":
                    "https://s4.anilist.co/file/anilistcdn/staff/large/default.jpg" } }
            ] },
            { "role": "MAIN", "node": { "name": { "full": "Ein" } }, "voiceActors": [] }
        ] }
    });
    for (field, value) in further.as_object().expect("fields") {
        media[field] = value.clone();
    }
    json!({ "data": { "Media": media } })
}

fn berserk() -> Value {
    json!({
        "id": 30_002, "idMal": 2, "type": "MANGA", "format": "MANGA", "episodes": null,
        "isAdult": false, "synonyms": ["Berserk: The Prototype"],
        "title": { "romaji": "Berserk", "english": "Berserk", "native": "ベルセルク" },
        "startDate": { "year": 1989, "month": 8, "day": 25 },
        "description": "A swordsman.", "status": "RELEASING",
        "coverImage": { "extraLarge":
            "https://s4.anilist.co/file/anilistcdn/media/manga/cover/large/bx30002.jpg" },
        "staff": { "edges": [
            { "role": "Story & Art", "node": { "id": 96_868, "name": { "full": "Kentarou Miura" } } },
            { "role": "Art", "node": { "id": 1, "name": { "full": "Studio Gaga" } } }
        ] }
    })
}

fn results(media: &[Value]) -> Value {
    json!({ "data": { "Page": { "media": media } } })
}

fn people(found: &Candidate) -> Vec<(&str, &str, Option<&str>)> {
    let people = found.details.people.iter();
    people
        .map(|one| {
            (
                one.name.as_str(),
                one.role.as_str(),
                one.character.as_deref(),
            )
        })
        .collect()
}

#[test]
fn search_returns_series_with_details() {
    let net = Recorded::new()
        .answers("\"search\":\"Cowboy Bebop\"", &results(&[bebop()]))
        .answers("\"variables\":{\"id\":1}", &complete());
    let found = anilist().search(&question(), &net).expect("candidates");
    let asked = net.asked();
    assert_eq!(asked.len(), 2, "{asked:?}");
    assert!(
        asked[0].starts_with("https://graphql.anilist.co "),
        "{}",
        asked[0]
    );
    assert!(asked[0].contains("isAdult: false"));
    assert!(asked[0].contains("\"type\":\"ANIME\""));
    let found = &found[0];
    assert_eq!(
        (found.provider_id.as_str(), found.title.as_str()),
        ("1", "Cowboy Bebop")
    );
    assert_eq!(found.year, Some(1998));
    assert_eq!(found.other_titles, ["カウボーイビバップ"]);
    let description = found.description.as_deref().expect("a text");
    assert!(description.contains("Bounty hunters") && !description.contains("secret"));
    let ids = [("anilist", "1"), ("mal", "1")];
    assert_eq!(
        found.external_ids,
        ids.map(|(database, id)| ExternalId::new(database, id))
    );
    let cover = image("media/anime/cover/large/bx1-x.png");
    assert_eq!(found.cover, Some(Cover::Address(cover)));
}

fn image(name: &str) -> String {
    format!("https://s4.anilist.co/file/anilistcdn/{name}")
}

#[test]
fn complete_entry_has_all_details() {
    let net = Recorded::new().answers("\"variables\":{\"id\":1}", &complete());
    let found = anilist().by_id("1", &question(), &net);
    let found = found.expect("an answer").expect("a series");
    let details = &found.details;
    let banner = image("media/anime/banner/1-OquNCN.jpg");
    assert_eq!(details.backdrop, Some(Cover::Address(banner)));
    assert_eq!(details.released.as_deref(), Some("1998-04-03"));
    assert_eq!(
        details.original_title.as_deref(),
        Some("カウボーイビバップ")
    );
    assert_eq!(
        (details.runtime, details.form.as_deref()),
        (Some(24), Some("ended"))
    );
    assert_eq!(details.studios, ["Sunrise"]);
    assert_eq!(details.countries, ["JP"]);
    let links: Vec<_> = details.links.iter().map(|link| link.url.as_str()).collect();
    assert_eq!(
        links,
        [
            "https://www.youtube.com/watch?v=qig4KOK2R2g",
            "https://anilist.co/anime/1",
            "https://myanimelist.net/anime/1",
        ]
    );
    assert_eq!(
        people(&found),
        [
            ("Shinichirou Watanabe", "author", None),
            ("Kouichi Yamadera", "actor", Some("Spike Spiegel")),
            ("Yoko Kanno", "composer", None),
            ("Keiko Nobumoto", "writer", None),
        ]
    );
    let portrait = image("staff/large/n97197-0.jpg");
    assert_eq!(details.people[0].picture, Some(portrait));
    assert_eq!(details.people[1].picture, None, "a default picture");
}

#[test]
fn title_is_native_for_users_with_japanese() {
    let net = Recorded::new().answers("\"id\":1", &complete());
    let japanese = Query {
        languages: vec!["ja-JP".to_owned()],
        ..question()
    };
    let found = anilist().by_id("1", &japanese, &net).expect("an answer");
    assert_eq!(found.expect("a series").title, "カウボーイビバップ");
}

#[test]
fn entries_of_other_types_and_for_adults_are_excluded() {
    let with = |field: &str, value: Value| {
        let mut media = bebop();
        media[field] = value;
        media
    };
    let media = [
        with("type", json!("MANGA")),
        with("format", json!("MOVIE")),
        with("isAdult", json!(true)),
        with("episodes", json!(1)),
    ];
    let net = Recorded::new().answers("search", &results(&media));
    assert_eq!(anilist().search(&question(), &net), Ok(Vec::new()));
    // A film is a film, or has one episode.
    let film = Query {
        subkind: Some("film".to_owned()),
        ..question()
    };
    let special = with("format", json!("SPECIAL"));
    let net = Recorded::new().answers("search", &results(std::slice::from_ref(&special)));
    assert_eq!(anilist().search(&film, &net), Ok(Vec::new()));
    let mut single = special;
    single["episodes"] = json!(1);
    let net = Recorded::new()
        .answers("\"search\":", &results(&[single]))
        .answers("\"id\":1", &complete());
    assert_eq!(anilist().search(&film, &net).expect("candidates").len(), 1);
}

#[test]
fn entry_for_adults_is_found_by_the_item_id() {
    let mut adult = complete();
    adult["data"]["Media"]["isAdult"] = json!(true);
    let net = Recorded::new().answers("\"id\":1", &adult);
    let identified = Query {
        external_ids: vec![ExternalId::new("anilist", "1")],
        ..question()
    };
    let found = anilist().search(&identified, &net).expect("candidates");
    assert!(found[0].is_certain);
    assert_eq!(net.asked().len(), 1);
}

#[test]
fn volume_of_manga_is_searched_by_series_and_keeps_its_number() {
    let complete = json!({ "data": { "Media": berserk() } });
    let net = Recorded::new()
        .answers("\"search\":\"Berserk\"", &results(&[berserk()]))
        .answers("\"id\":30002", &complete);
    let third = manga("Berserk Vol. 3", Some(("Berserk", 3.0)));
    let found = anilist().search(&third, &net).expect("candidates");
    assert_eq!(net.asked().len(), 2, "the authors agree: {:?}", net.asked());
    assert!(net.asked()[0].contains("\"formats\":[\"MANGA\",\"ONE_SHOT\"]"));
    let volume = &found[0];
    assert_eq!(volume.provider_id, "30002/3");
    assert_eq!(volume.title, "Berserk Vol. 3");
    assert_eq!(
        volume.other_titles,
        ["ベルセルク Vol. 3", "Berserk: The Prototype Vol. 3"]
    );
    assert_eq!(
        (volume.year, volume.cover.clone()),
        (None, None),
        "of the first volume"
    );
    assert_eq!(
        people(volume),
        [
            ("Kentarou Miura", "author", None),
            ("Studio Gaga", "artist", None)
        ]
    );
    let series = volume.series.as_ref().expect("a series");
    assert_eq!((series.name.as_str(), series.index), ("Berserk", Some(3.0)));
}

#[test]
fn first_volume_has_year_and_cover_of_entry() {
    let complete = json!({ "data": { "Media": berserk() } });
    let net = Recorded::new().answers("\"id\":30002", &complete);
    let first = manga("Berserk Vol. 1", Some(("Berserk", 1.0)));
    let found = anilist().by_id("30002", &first, &net).expect("an answer");
    let found = found.expect("a manga");
    assert_eq!(
        (found.provider_id.as_str(), found.year),
        ("30002/1", Some(1989))
    );
    assert!(found.cover.is_some());
    let net = Recorded::new().answers("\"id\":30002", &complete);
    let whole = manga("Berserk", None);
    let found = anilist().by_id("30002/1", &whole, &net).expect("an answer");
    assert_eq!(found.expect("a manga").provider_id, "30002");
}

#[test]
fn prose_is_not_searched() {
    let prose = Query {
        subkind: Some("prose".to_owned()),
        ..manga("Berserk", None)
    };
    let net = Recorded::new();
    assert_eq!(anilist().search(&prose, &net), Ok(Vec::new()));
    assert!(net.asked().is_empty());
}

#[test]
fn by_id_returns_entry_and_none_for_unknown_ids() {
    for id in ["1", "https://anilist.co/anime/1/Cowboy-Bebop/"] {
        let net = Recorded::new().answers("\"id\":1", &complete());
        let found = anilist().by_id(id, &question(), &net).expect("an answer");
        assert_eq!(found.expect("a series").provider_id, "1", "{id}");
    }
    for id in ["", "x", "-1", "0", "8", "1; drop"] {
        assert_eq!(
            anilist().by_id(id, &question(), &Recorded::new()),
            Ok(None),
            "{id}"
        );
    }
    let absent = json!({ "data": { "Media": null },
                         "errors": [{ "message": "Not Found.", "status": 404 }] });
    let net = Recorded::new().answers("\"id\":9", &absent);
    assert_eq!(anilist().by_id("9", &question(), &net), Ok(None));
}

#[test]
fn configured_base_urls_apply_to_requests_and_pictures() {
    let net = Recorded::new().answers("http://127.0.0.1:8080 ", &complete());
    let provider = opened(
        &PROVIDER,
        &[
            ("LEDGE_ANILIST_URL", "http://127.0.0.1:8080"),
            ("LEDGE_ANILIST_IMAGES_URL", "http://127.0.0.1:8081"),
        ],
    );
    let found = provider.by_id("1", &question(), &net).expect("an answer");
    let cover = "http://127.0.0.1:8081/file/anilistcdn/media/anime/cover/large/bx1-x.png";
    assert_eq!(
        found.expect("a series").cover,
        Some(Cover::Address(cover.to_owned()))
    );
}

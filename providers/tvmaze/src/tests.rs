//! Tests with responses in TVmaze's documented form.

mod hostile;

use ledge_core::registry::provider::{Cover, ExternalId, KnownPart, Lookup, Query, SeasonPoster};
use ledge_recorded::{Recorded, opened};
use serde_json::{Value, json};

use crate::PROVIDER;

fn tvmaze() -> Box<dyn Lookup> {
    opened(&PROVIDER, &[])
}

fn question() -> Query {
    Query {
        kind: "video".to_owned(),
        subkind: Some("series".to_owned()),
        title: "Under the Dome".to_owned(),
        year: Some(2013),
        ..Query::default()
    }
}

fn show() -> Value {
    json!({
        "id": 1, "url": "https://www.tvmaze.com/shows/1/under-the-dome",
        "name": "Under the Dome", "type": "Scripted", "language": "English",
        "genres": ["Drama", "Science-Fiction"], "status": "Ended", "runtime": null,
        "averageRuntime": 60, "premiered": "2013-06-24", "ended": "2015-09-10",
        "network": { "id": 2, "name": "CBS", "country": { "name": "United States", "code": "US" } },
        "webChannel": null,
        "externals": { "tvrage": 25988, "thetvdb": 264_492, "imdb": "tt1553656" },
        "image": {
            "medium": "https://static.tvmaze.com/uploads/images/medium_portrait/81/202627.jpg",
            "original": "https://static.tvmaze.com/uploads/images/original_untouched/81/202627.jpg"
        },
        "summary": "<p><b>Under the Dome</b> is about a town.</p>"
    })
}

fn results() -> Value {
    json!([
        { "score": 1.2, "show": show() },
        { "score": 0.8, "show": { "id": 2, "name": "Under the Dome: Inside",
                                  "premiered": "2013-01-01", "image": null } }
    ])
}

fn complete() -> Value {
    let mut show = show();
    show["_embedded"] = json!({
        "cast": [{
            "person": { "id": 1, "name": "Mike Vogel", "image": {
                "original": "https://static.tvmaze.com/uploads/images/original_untouched/0/1815.jpg"
            } },
            "character": { "id": 1, "name": "Dale \"Barbie\" Barbara" }, "self": false
        }],
        "crew": [
            { "type": "Executive Producer", "person": { "id": 9, "name": "Neal Baer" } },
            { "type": "Creator", "person": { "id": 4, "name": "Brian K. Vaughan" } }
        ],
        "akas": [{ "name": "Kuppelstadt", "country": { "code": "DE" } },
                 { "name": "Under the Dome", "country": null }],
        "images": [
            { "type": "poster", "resolutions": { "original": {
                "url": "https://static.tvmaze.com/uploads/images/original_untouched/1/2.jpg" } } },
            { "type": "background", "resolutions": { "original": {
                "url": "https://static.tvmaze.com/uploads/images/original_untouched/3/4.jpg" } } }
        ],
        "seasons": [
            { "id": 1, "number": 1, "name": "", "episodeOrder": 13, "image": {
                "original": "https://static.tvmaze.com/uploads/images/original_untouched/24/60941.jpg"
            } },
            { "id": 2, "number": 2, "image": { "original": "https://example.org/2.jpg" } },
            { "id": 3, "number": 3, "image": null },
            { "id": 4, "number": null, "image": {
                "original": "https://static.tvmaze.com/uploads/images/original_untouched/4.jpg" } }
        ]
    });
    show
}

fn episodes() -> Value {
    json!([
        { "id": 1, "name": "Pilot", "season": 1, "number": 1, "type": "regular",
          "airdate": "2013-06-24", "summary": "<p>It falls.</p>", "image": {
            "original": "https://static.tvmaze.com/uploads/images/original_untouched/1/4388.jpg" } },
        { "id": 3, "name": "Inside Chester's Mill", "season": 1, "number": null,
          "type": "significant_special", "airdate": "2013-07-01", "summary": null, "image": null },
        { "id": 4, "name": "Lost Special", "season": 1, "number": null,
          "type": "insignificant_special", "airdate": "", "summary": null, "image": null },
        { "id": 2, "name": "The Fire", "season": 1, "number": 2, "type": "regular",
          "airdate": "2013-07-01", "summary": "", "image": null }
    ])
}

fn image(name: &str) -> String {
    format!("https://static.tvmaze.com/uploads/images/original_untouched/{name}")
}

#[test]
fn search_by_title_returns_show_with_details() {
    let net = Recorded::new()
        .answers("search/shows?q=Under the Dome", &results())
        .answers(
            "shows/1?embed[]=cast&embed[]=crew&embed[]=akas&embed[]=images&embed[]=seasons",
            &complete(),
        )
        .answers("shows/1/episodes?specials=1", &episodes());
    let found = tvmaze().search(&question(), &net).expect("candidates");
    assert_eq!(net.asked().len(), 3, "{:?}", net.asked());
    assert_eq!(found.len(), 2);
    let dome = &found[0];
    assert_eq!((dome.provider_id.as_str(), dome.year), ("1", Some(2013)));
    assert_eq!(dome.other_titles, ["Kuppelstadt"]);
    assert_eq!(dome.cover, Some(Cover::Address(image("81/202627.jpg"))));
    assert!(
        dome.description
            .as_deref()
            .is_some_and(|text| text.contains("is about a town"))
    );
    let ids = [("tvmaze", "1"), ("imdb", "tt1553656"), ("tvdb", "264492")];
    assert_eq!(
        dome.external_ids,
        ids.map(|(database, id)| ExternalId::new(database, id))
    );
}

#[test]
fn complete_show_has_all_details() {
    let net = Recorded::new()
        .answers("shows/1?", &complete())
        .answers("shows/1/episodes", &episodes());
    let found = tvmaze().by_id("1", &question(), &net);
    let details = found.expect("an answer").expect("a show").details;
    assert_eq!(details.runtime, Some(60));
    assert_eq!(details.genres, ["Drama", "Science-Fiction"]);
    assert_eq!(
        (details.studios.as_slice(), details.countries.as_slice()),
        (["CBS".to_owned()].as_slice(), ["US".to_owned()].as_slice())
    );
    assert_eq!(details.form.as_deref(), Some("ended"));
    assert_eq!(details.released.as_deref(), Some("2013-06-24"));
    assert_eq!(details.backdrop, Some(Cover::Address(image("3/4.jpg"))));
    let poster = SeasonPoster {
        season: 1,
        url: image("24/60941.jpg"),
    };
    assert_eq!(details.season_posters, [poster]);
    let people: Vec<_> = details
        .people
        .iter()
        .map(|one| {
            (
                one.name.as_str(),
                one.role.as_str(),
                one.character.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        people,
        [
            ("Brian K. Vaughan", "author", None),
            ("Mike Vogel", "actor", Some("Dale \"Barbie\" Barbara")),
        ]
    );
    assert_eq!(details.people[1].picture, Some(image("0/1815.jpg")));
    let links: Vec<_> = details.links.iter().map(|link| link.url.as_str()).collect();
    assert_eq!(
        links,
        [
            "https://www.imdb.com/title/tt1553656/",
            "https://www.tvmaze.com/shows/1"
        ]
    );
}

#[test]
fn special_has_the_number_of_the_file_with_its_title() {
    let special = KnownPart {
        season: Some(0),
        number: Some(7),
        title: Some("Inside Chesters Mill".to_owned()),
        seconds: None,
    };
    for (parts, expected) in [
        (
            vec![special],
            vec![(1, 1, Some(1)), (0, 7, None), (1, 2, Some(2))],
        ),
        (Vec::new(), vec![(1, 1, Some(1)), (1, 2, Some(2))]),
    ] {
        let net = Recorded::new()
            .answers("shows/1?", &complete())
            .answers("shows/1/episodes", &episodes());
        let with_parts = Query {
            parts,
            ..question()
        };
        let found = tvmaze().by_id("1", &with_parts, &net).expect("an answer");
        let episodes = found.expect("a show").details.episodes;
        let numbers: Vec<_> = episodes
            .iter()
            .map(|one| (one.season, one.number, one.absolute))
            .collect();
        assert_eq!(numbers, expected);
        assert_eq!(episodes[0].aired.as_deref(), Some("2013-06-24"));
        assert_eq!(episodes[0].still, Some(image("1/4388.jpg")));
    }
}

#[test]
fn external_ids_precede_names_and_are_certain() {
    for (database, id, asked) in [
        ("imdb", "tt1553656", "lookup/shows?imdb=tt1553656"),
        ("tvdb", "264492", "lookup/shows?thetvdb=264492"),
        ("tvmaze", "1", "shows/1?"),
    ] {
        let net = Recorded::new()
            .answers("lookup/shows", &show())
            .answers("shows/1?", &complete())
            .answers("shows/1/episodes", &episodes());
        let identified = Query {
            title: "scan 1".to_owned(),
            year: None,
            external_ids: vec![ExternalId::new(database, id)],
            ..question()
        };
        let found = tvmaze().search(&identified, &net).expect("a show");
        assert_eq!(found.len(), 1);
        assert!(found[0].is_certain);
        assert_eq!(found[0].details.episodes.len(), 2);
        assert!(net.asked()[0].contains(asked), "{:?}", net.asked());
    }
}

#[test]
fn unknown_and_unusable_external_ids_lead_to_search() {
    for (database, id) in [
        ("imdb", "nm1"),
        ("imdb", "tt9"),
        ("tvdb", "9"),
        ("tvmaze", "../1"),
    ] {
        let net = Recorded::new()
            .answers("search/shows", &results())
            .answers("shows/1?", &complete());
        let identified = Query {
            external_ids: vec![ExternalId::new(database, id)],
            ..question()
        };
        let found = tvmaze().search(&identified, &net).expect("candidates");
        assert_eq!(
            (found[0].provider_id.as_str(), found[0].is_certain),
            ("1", false),
            "{id}"
        );
    }
}

#[test]
fn show_is_found_by_alternative_title_of_its_details() {
    let net = Recorded::new()
        .answers("search/shows", &results())
        .answers("shows/1?", &complete());
    let regional = Query {
        title: "Kuppelstadt".to_owned(),
        ..question()
    };
    let found = tvmaze().search(&regional, &net).expect("candidates");
    assert_eq!(found[0].other_titles, ["Kuppelstadt"]);
}

#[test]
fn search_without_result_is_repeated_without_subtitle() {
    let net = Recorded::new()
        .answers("q=Under the Dome: A Town ", &json!([]))
        .answers("q=Under the Dome ", &results());
    let long = Query {
        title: "Under the Dome: A Town".to_owned(),
        ..question()
    };
    assert_eq!(tvmaze().search(&long, &net).expect("candidates").len(), 2);
}

#[test]
fn films_are_not_searched() {
    let film = Query {
        subkind: Some("film".to_owned()),
        ..question()
    };
    let net = Recorded::new();
    assert_eq!(tvmaze().search(&film, &net), Ok(Vec::new()));
    assert!(net.asked().is_empty());
}

#[test]
fn by_id_returns_show_and_none_for_unknown_ids() {
    for id in [
        "1",
        "shows/1",
        "https://www.tvmaze.com/shows/1/under-the-dome",
    ] {
        let net = Recorded::new().answers("shows/1?", &complete());
        let found = tvmaze().by_id(id, &question(), &net).expect("an answer");
        assert_eq!(found.expect("a show").title, "Under the Dome", "{id}");
    }
    for id in ["", "x", "-1", "0", "8", "../shows/1x"] {
        let none = tvmaze().by_id(id, &question(), &Recorded::new());
        assert_eq!(none, Ok(None), "{id}");
    }
}

#[test]
fn configured_base_urls_apply_to_requests_and_pictures() {
    let net = Recorded::new().answers("http://127.0.0.1:8080/shows/1?", &complete());
    let provider = opened(
        &PROVIDER,
        &[
            ("LEDGE_TVMAZE_URL", "http://127.0.0.1:8080"),
            ("LEDGE_TVMAZE_IMAGES_URL", "http://127.0.0.1:8081"),
        ],
    );
    let found = provider.by_id("1", &question(), &net).expect("an answer");
    let poster = "http://127.0.0.1:8081/uploads/images/original_untouched/81/202627.jpg";
    assert_eq!(
        found.expect("a show").cover,
        Some(Cover::Address(poster.to_owned()))
    );
}

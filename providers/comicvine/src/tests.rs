//! Tests with responses in Comic Vine's documented form.

mod hostile;

use ledge_core::registry::naming::Series;
use ledge_core::registry::provider::{Absent, Cover, ExternalId, Lookup, Query, Settings};
use ledge_recorded::{Recorded, opened};
use serde_json::{Value, json};

use crate::PROVIDER;

const KEY: &str = "0123456789abcdef0123456789abcdef01234567";

fn comicvine() -> Box<dyn Lookup> {
    opened(&PROVIDER, &[("LEDGE_COMICVINE_KEY", KEY)])
}

fn question(title: &str, number: f64, year: i32) -> Query {
    Query {
        kind: "books".to_owned(),
        subkind: Some("comic".to_owned()),
        title: title.to_owned(),
        year: Some(year),
        series: Some(Series {
            name: "Batman".to_owned(),
            index: Some(number),
        }),
        ..Query::default()
    }
}

fn batman() -> Query {
    question("Batman #50", 50.0, 2018)
}

fn answer(results: &Value) -> Value {
    json!({
        "error": "OK", "limit": 100, "offset": 0, "number_of_page_results": 1,
        "number_of_total_results": 1, "status_code": 1, "results": results, "version": "1.0"
    })
}

fn volumes() -> Value {
    answer(&json!([
        { "id": 796, "name": "Batman", "start_year": "1940", "count_of_issues": 716,
          "aliases": null, "publisher": { "id": 10, "name": "DC Comics" } },
        { "id": 91_273, "name": "Batman", "start_year": "2016", "count_of_issues": 160,
          "aliases": "Batman Rebirth\nThe Batman", "publisher": { "id": 10, "name": "DC Comics" } },
        { "id": 5, "name": "Batman and Robin", "start_year": "2011", "count_of_issues": 40,
          "aliases": null, "publisher": null },
        { "id": 6, "name": "Batman", "start_year": "2025", "count_of_issues": 50,
          "aliases": null, "publisher": null }
    ]))
}

fn listed(id: u64, volume: i64, number: &str, name: Option<&str>, date: &str) -> Value {
    json!({
        "id": id, "issue_number": number, "name": name, "cover_date": date, "store_date": null,
        "deck": null, "volume": { "id": volume, "name": "Batman" },
        "image": { "super_url":
            "https://comicvine.gamespot.com/a/uploads/scale_large/6/67663/6482651-50.jpg" }
    })
}

fn issues() -> Value {
    answer(&json!([
        listed(1000, 796, "50", None, "1948-12-01"),
        listed(676_000, 91_273, "50", Some("The Wedding"), "2018-09-01"),
        listed(9, 91_273, "500", None, "2018-09-01")
    ]))
}

fn complete() -> Value {
    let mut issue = listed(676_000, 91_273, "50", Some("The Wedding"), "2018-09-01");
    issue["description"] = json!("<p>They <em>marry</em>.</p>");
    issue["story_arc_credits"] = json!([{ "id": 1, "name": "The Wedding of Batman" }]);
    issue["person_credits"] = json!([
        { "id": 40_439, "name": "Mikel Janín", "role": "penciler, inker, cover" },
        { "id": 41_596, "name": "Tom King", "role": "writer" },
        { "id": 3, "name": "Somebody", "role": "journalist" },
        { "id": 4, "name": "Nobody", "role": null }
    ]);
    answer(&issue)
}

#[test]
fn search_returns_issue_of_volume_and_year_with_details() {
    let net = Recorded::new()
        .answers("search/?resources=volume&query=Batman&", &volumes())
        .answers(
            "issues/?filter=volume:796|91273,issue_number:50&",
            &issues(),
        )
        .answers("issue/4000-676000/?", &complete());
    let found = comicvine().search(&batman(), &net).expect("candidates");
    let asked = net.asked();
    assert_eq!(asked.len(), 3, "{asked:?}");
    assert!(asked[0].starts_with("https://comicvine.gamespot.com/api/search/?"));
    assert!(
        asked
            .iter()
            .all(|one| one.contains(&format!("format=json&api_key={KEY}")))
    );
    let ids: Vec<_> = found.iter().map(|one| one.provider_id.as_str()).collect();
    assert_eq!(
        ids,
        ["4000-1000", "4000-676000"],
        "issue 500 is another number"
    );
    let wedding = &found[1];
    assert_eq!(
        (wedding.title.as_str(), wedding.year),
        ("Batman #50", Some(2018))
    );
    assert_eq!(
        wedding.other_titles,
        ["The Wedding", "Batman #50 - The Wedding"]
    );
    let series = wedding.series.as_ref().expect("a series");
    assert_eq!((series.name.as_str(), series.index), ("Batman", Some(50.0)));
    let cover = "https://comicvine.gamespot.com/a/uploads/scale_large/6/67663/6482651-50.jpg";
    assert_eq!(wedding.cover, Some(Cover::Address(cover.to_owned())));
    assert!(
        wedding
            .description
            .as_deref()
            .is_some_and(|text| text.contains("marry"))
    );
    assert_eq!(
        wedding.external_ids,
        [ExternalId::new("comicvine", "4000-676000")]
    );
    assert_eq!(wedding.details.studios, ["DC Comics"]);
    assert_eq!(wedding.authors.len(), 4);
}

#[test]
fn complete_issue_has_arc_date_and_people() {
    let net = Recorded::new().answers("issue/4000-676000/?", &complete());
    let found = comicvine().by_id("676000", &batman(), &net);
    let details = found.expect("an answer").expect("an issue").details;
    assert_eq!(details.collection.as_deref(), Some("The Wedding of Batman"));
    assert_eq!(details.released.as_deref(), Some("2018-09-01"));
    let link = "https://comicvine.gamespot.com/issue/4000-676000/";
    assert_eq!(details.links[0].url, link);
    let people: Vec<_> = details
        .people
        .iter()
        .map(|one| (one.name.as_str(), one.role.as_str()))
        .collect();
    assert_eq!(
        people,
        [
            ("Tom King", "author"),
            ("Mikel Janín", "penciller"),
            ("Mikel Janín", "inker"),
            ("Mikel Janín", "cover_artist"),
        ]
    );
    assert_eq!(
        details.people[0].ids,
        [ExternalId::new("comicvine", "4040-41596")]
    );
}

#[test]
fn volumes_of_a_series_are_searched_once() {
    let net = Recorded::new()
        .answers("search/", &volumes())
        .answers("issues/", &issues())
        .answers("issues/", &answer(&json!([])));
    comicvine().search(&batman(), &net).expect("candidates");
    let second = question("Batman #51", 51.0, 2018);
    assert_eq!(comicvine().search(&second, &net), Ok(Vec::new()));
    let searches = net
        .asked()
        .iter()
        .filter(|one| one.contains("/search/"))
        .count();
    assert_eq!(searches, 1);
}

#[test]
fn issues_and_collected_editions_are_not_confused() {
    let both = answer(&json!([
        listed(1, 91_273, "1", Some("Part One"), "2016-08-01"),
        listed(2, 91_273, "1", Some("Vol. 1: I Am Gotham"), "2017-01-01"),
    ]));
    let ids = |title: &str| -> Vec<String> {
        let net = Recorded::new()
            .answers("search/", &volumes())
            .answers("issues/", &both);
        let found = comicvine().search(&question(title, 1.0, 2016), &net);
        let found = found.expect("candidates").into_iter();
        found.map(|one| one.provider_id).collect()
    };
    assert_eq!(ids("Batman #1"), ["4000-1"]);
    assert_eq!(ids("Batman Vol. 1"), ["4000-2"]);
    assert_eq!(
        ids("I Am Gotham"),
        ["4000-1", "4000-2"],
        "the form is unknown"
    );
    assert!(ids("Batman Ch. 1").is_empty(), "Comic Vine has no chapters");
}

#[test]
fn comic_without_number_is_the_only_issue_of_its_volume() {
    let single = answer(&json!([
        { "id": 7, "name": "The Killing Joke", "start_year": "1988", "count_of_issues": 1,
          "aliases": null, "publisher": null },
        { "id": 8, "name": "Killing Joke", "start_year": "1988", "count_of_issues": 4,
          "aliases": null, "publisher": null }
    ]));
    let mut only = listed(30, 7, "1", None, "1988-03-31");
    only["volume"]["name"] = json!("The Killing Joke");
    let net = Recorded::new()
        .answers("search/", &single)
        .answers(
            "filter=volume:7,issue_number:1&",
            &answer(&json!([only.clone()])),
        )
        .answers("issue/4000-30/", &answer(&only));
    let novel = Query {
        title: "The Killing Joke".to_owned(),
        series: None,
        ..question("", 1.0, 1988)
    };
    let found = comicvine().search(&novel, &net).expect("candidates");
    assert_eq!(found[0].title, "The Killing Joke");
    assert_eq!(net.asked().len(), 3);
}

#[test]
fn external_id_precedes_names_and_is_certain() {
    for id in ["676000", "4000-676000"] {
        let net = Recorded::new().answers("issue/4000-676000/", &complete());
        let identified = Query {
            external_ids: vec![ExternalId::new("comicvine", id)],
            ..question("scan 1", 1.0, 1900)
        };
        let found = comicvine().search(&identified, &net).expect("candidates");
        assert!(found[0].is_certain);
        assert_eq!(net.asked().len(), 1);
    }
}

#[test]
fn prose_is_not_searched() {
    let prose = Query {
        subkind: Some("prose".to_owned()),
        ..batman()
    };
    let net = Recorded::new();
    assert_eq!(comicvine().search(&prose, &net), Ok(Vec::new()));
    assert!(net.asked().is_empty());
}

#[test]
fn by_id_returns_issue_and_none_for_unknown_ids() {
    for id in [
        "4000-676000",
        " 676000 ",
        "https://comicvine.gamespot.com/batman-50-the-wedding/4000-676000/",
    ] {
        let net = Recorded::new().answers("issue/4000-676000/", &complete());
        let found = comicvine().by_id(id, &batman(), &net).expect("an answer");
        assert_eq!(found.expect("an issue").provider_id, "4000-676000", "{id}");
    }
    for id in ["", "x", "-1", "4050-91273", "8", "../4000-x"] {
        assert_eq!(
            comicvine().by_id(id, &batman(), &Recorded::new()),
            Ok(None),
            "{id}"
        );
    }
    let absent = json!({ "error": "Object Not Found", "status_code": 101, "results": [] });
    let net = Recorded::new().answers("issue/4000-9/", &absent);
    assert_eq!(comicvine().by_id("9", &batman(), &net), Ok(None));
}

#[test]
fn configured_base_urls_apply_to_requests_and_pictures() {
    let net = Recorded::new().answers("http://127.0.0.1:8080/api/issue/4000-676000/", &complete());
    let provider = opened(
        &PROVIDER,
        &[
            ("LEDGE_COMICVINE_KEY", KEY),
            ("LEDGE_COMICVINE_URL", "http://127.0.0.1:8080"),
            ("LEDGE_COMICVINE_IMAGES_URL", "http://127.0.0.1:8081"),
        ],
    );
    let found = provider
        .by_id("676000", &batman(), &net)
        .expect("an answer");
    let cover = "http://127.0.0.1:8081/a/uploads/scale_large/6/67663/6482651-50.jpg";
    assert_eq!(
        found.expect("an issue").cover,
        Some(Cover::Address(cover.to_owned()))
    );
}

#[test]
fn missing_key_is_named_in_absent() {
    let settings = Settings::defaults(PROVIDER.settings);
    let missing = vec!["LEDGE_COMICVINE_KEY"];
    let absent = (PROVIDER.open)(&settings).expect_err("no key");
    assert_eq!(absent, Absent { missing });
}

//! Comic Vine: comics with a key. Its rate limit is low, so the tests send few requests.

use ledge_fixtures::ComicSpec;
use ledge_tests::{Asked, Fake, Reply};
use serde_json::{Value, json};

use super::failures::{pointed, without_entries};
use super::malformed::World;
use super::picture;

const KEY: &str = "0123456789abcdef0123456789abcdef01234567";

fn answer(results: &Value) -> Reply {
    Reply::json(&json!({ "error": "OK", "status_code": 1, "results": results }))
}

fn issue() -> Value {
    json!({
        "id": 676_000, "issue_number": "50", "name": "The Wedding", "cover_date": "2018-09-01",
        "volume": { "id": 91_273, "name": "Batman" }, "image": null,
        "description": "<p>They <em>marry</em>.</p>",
        "person_credits": [{ "id": 41_596, "name": "Tom King", "role": "writer" },
                           { "id": 40_439, "name": "Mikel Janín", "role": "penciler, cover" }]
    })
}

fn comicvine(asked: &Asked) -> Reply {
    match asked.path.split('?').next().unwrap_or_default() {
        "/api/search/" => answer(&json!([
            { "id": 91_273, "name": "Batman", "start_year": "2016", "count_of_issues": 160 },
            { "id": 796, "name": "Batman", "start_year": "1940", "count_of_issues": 716 }
        ])),
        "/api/issues/" => answer(&json!([
            issue(),
            { "id": 9, "issue_number": "50", "name": null, "cover_date": "1948-12-01",
              "volume": { "id": 796, "name": "Batman" } }
        ])),
        "/api/issue/4000-676000/" => answer(&issue()),
        "/api/issue/4000-7/" => {
            let mut covered = issue();
            covered["id"] = json!(7);
            let url = "https://comicvine.gamespot.com/a/uploads/scale_large/7.jpg";
            covered["image"] = json!({ "super_url": url });
            answer(&covered)
        }
        "/a/uploads/scale_large/7.jpg" => picture(),
        _ => Reply::json(&json!({ "error": "Object Not Found", "status_code": 101 })),
    }
}

fn comic() -> Vec<u8> {
    ledge_fixtures::cbz(&ComicSpec {
        series: "Batman".to_owned(),
        number: 50,
        title: String::new(),
        writer: "Tom King".to_owned(),
        summary: String::new(),
        year: 2018,
        pages: vec![vec!["1".to_owned()]],
        size: (60, 90),
    })
}

/// Calls `run` with an item, and a server that uses the fake as Comic Vine.
fn with_world(fake: &Fake, run: impl FnOnce(&World)) {
    let (url, others) = (fake.url(), without_entries());
    let others = others.url();
    let mut settings = pointed(&others);
    settings.extend([
        ("LEDGE_COMICVINE_URL", url.as_str()),
        ("LEDGE_COMICVINE_IMAGES_URL", url.as_str()),
        ("LEDGE_COMICVINE_KEY", KEY),
        ("LEDGE_LOG", "trace"),
    ]);
    let world = World::new("comicvine", "Batman 050.cbz", comic(), &settings);
    run(&world);
    assert!(!world.server.log().contains(KEY), "the key was logged");
}

#[test]
fn issue_is_matched_by_series_number_and_year() {
    let fake = Fake::start(comicvine);
    with_world(&fake, |world| {
        let attempt = world.attempt();
        assert_eq!(attempt["outcome"], "ok", "{attempt}");
        assert_eq!(attempt["provider_id"], "4000-676000");
        let path = format!("/items/{}", world.item);
        let item = world.admin.get(&path).expect(200).json();
        assert_eq!(
            item["provider_ids"],
            json!({ "comicvine": "4000-676000" }),
            "{item}"
        );
        assert_eq!(item["description"], "They marry.");
        assert_eq!(
            (&item["year"], &item["authors"]),
            (&json!(2018), &json!("Tom King"))
        );
        let filter = "filter=volume%3A91273%7C796%2Cissue_number%3A50";
        assert!(
            fake.asked()[1].path.contains(filter),
            "{:?}",
            fake.asked()[1].path
        );
    });
}

#[test]
fn chosen_issue_has_its_cover() {
    let fake = Fake::start(comicvine);
    with_world(&fake, |world| {
        let path = format!("/items/{}/matches/comicvine", world.item);
        let chosen = world.admin.put(&path, &json!({ "provider_id": "4000-7" }));
        let item = chosen.expect(200).json();
        assert_eq!(item["provider_ids"], json!({ "comicvine": "4000-7" }));
        assert_eq!(item["cover"]["width"], 200, "{item}");
    });
}

#[test]
fn absent_issue_is_refused() {
    let fake = Fake::start(comicvine);
    with_world(&fake, |world| {
        let path = format!("/items/{}/matches/comicvine", world.item);
        let refused = world.admin.put(&path, &json!({ "provider_id": "4000-8" }));
        assert_eq!(refused.status, 422, "{refused:?}");
    });
}

#[test]
fn failures_are_retried_and_do_not_contain_the_key() {
    let replies = [
        Reply::status(500),
        Reply::status(420).header("Retry-After", "3600"),
        Reply::json(&json!({ "error": KEY, "status_code": 107, "results": [] })),
        Reply::json(&json!({ "error": "OK", "status_code": 1, "results": [null] })),
    ];
    for reply in replies {
        let fake = Fake::start(move |_| reply.clone());
        with_world(&fake, |world| {
            let attempt = world.is_failure(&json!("a failure"));
            assert!(!attempt.to_string().contains(KEY), "{attempt}");
        });
    }
}

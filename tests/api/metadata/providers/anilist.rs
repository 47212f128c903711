//! AniList: anime and manga without a key.

use ledge_fixtures::ComicSpec;
use ledge_tests::{Asked, Fake, Reply};
use serde_json::{Value, json};

use super::failures::{are_retried, pointed, without_entries};
use super::malformed::World;
use super::{enriched, media, picture, put, server, text};

fn bebop() -> Value {
    json!({
        "id": 1, "idMal": 1, "type": "ANIME", "format": "TV", "episodes": 26, "isAdult": false,
        "title": { "romaji": "Cowboy Bebop", "english": "Cowboy Bebop" }, "synonyms": [],
        "startDate": { "year": 1998, "month": 4, "day": 3 },
        "description": "Bounty hunters.<br>~!A secret.!~",
        "coverImage": { "extraLarge": "https://s4.anilist.co/file/anilistcdn/media/1.png" },
        "staff": { "edges": [
            { "role": "Director", "node": { "id": 1, "name": { "full": "Shinichirou Watanabe" } } }
        ] }
    })
}

fn berserk() -> Value {
    json!({
        "id": 30_002, "type": "MANGA", "format": "MANGA", "isAdult": false, "synonyms": [],
        "title": { "romaji": "Berserk", "english": "Berserk" }, "startDate": { "year": 1989 },
        "description": "A swordsman.",
        "staff": { "edges": [
            { "role": "Story & Art", "node": { "id": 2, "name": { "full": "Kentarou Miura" } } }
        ] }
    })
}

fn anilist(asked: &Asked) -> Reply {
    if asked.path == "/file/anilistcdn/media/1.png" {
        return picture();
    }
    let body: Value = serde_json::from_slice(&asked.body).expect("a query");
    let page = |media: &[Value]| Reply::json(&json!({ "data": { "Page": { "media": media } } }));
    let variables = &body["variables"];
    match (variables["id"].as_i64(), variables["search"].as_str()) {
        (Some(1), _) => Reply::json(&json!({ "data": { "Media": bebop() } })),
        (Some(30_002), _) => Reply::json(&json!({ "data": { "Media": berserk() } })),
        (Some(_), _) => Reply::status(404),
        (_, Some("Cowboy Bebop")) => page(&[bebop()]),
        (_, Some("Berserk")) => page(&[berserk()]),
        _ => page(&[]),
    }
}

fn with_settings<T>(url: &str, run: impl FnOnce(&[(&str, &str)]) -> T) -> T {
    let others = without_entries();
    let others = others.url();
    let mut settings = pointed(&others);
    settings.retain(|(variable, _)| *variable != "LEDGE_ANILIST_URL");
    settings.extend([
        ("LEDGE_ANILIST_URL", url),
        ("LEDGE_ANILIST_IMAGES_URL", url),
    ]);
    run(&settings)
}

fn enriched_item(fake: &Fake, name: &str, bytes: Vec<u8>) -> (Value, Vec<Value>) {
    with_settings(&fake.url(), |settings| {
        let server = server(settings);
        let (_folder, media) = media();
        put(&media, name, bytes);
        enriched(&server.admin(), &media)
    })
}

#[test]
fn anime_gets_year_description_director_and_cover() {
    let fake = Fake::start(anilist);
    let name = "Cowboy Bebop (1998)/Season 01/Cowboy Bebop S01E01.mkv";
    let (item, matches) = enriched_item(&fake, name, b"8".to_vec());
    assert_eq!(item["year"], 1998, "{matches:?}");
    assert_eq!(item["description"], "Bounty hunters.");
    assert_eq!(item["authors"], "Shinichirou Watanabe", "{item}");
    assert_eq!(item["provider_ids"], json!({ "anilist": "1" }));
    assert_eq!(item["cover"]["width"], 200, "{item}");
    let asked = fake.asked();
    assert_eq!(asked[0].header("content-type"), "application/json");
    assert!(text(&asked[0]).contains("isAdult: false"));
}

#[test]
fn volume_of_manga_is_matched_by_series_and_author() {
    let fake = Fake::start(anilist);
    let comic = ledge_fixtures::cbz(&ComicSpec {
        series: "Berserk".to_owned(),
        number: 3,
        title: String::new(),
        writer: "Kentarou Miura".to_owned(),
        summary: String::new(),
        year: 1991,
        pages: vec![vec!["1".to_owned()]],
        size: (60, 90),
    });
    let (item, matches) = enriched_item(&fake, "Berserk/Berserk v03.cbz", comic);
    assert_eq!(
        item["provider_ids"],
        json!({ "anilist": "30002/3" }),
        "{matches:?}"
    );
    assert_eq!(
        item["year"], 1991,
        "the year of the first volume is not written"
    );
    assert_eq!(item["description"], "A swordsman.");
}

#[test]
fn absent_anime_is_not_found_and_failures_are_retried() {
    let fake = Fake::start(anilist);
    with_settings(&fake.url(), |settings| {
        let name = "Quiet Harbour (2001).mkv";
        let world = World::new("anilist", name, b"8".to_vec(), settings);
        assert_eq!(world.attempt()["outcome"], "notfound");
        let path = format!("/items/{}/matches/anilist", world.item);
        let refused = world.admin.put(&path, &json!({ "provider_id": "7" }));
        assert_eq!(refused.status, 422, "{refused:?}");
        are_retried(&fake, &world, "no secret");
    });
}

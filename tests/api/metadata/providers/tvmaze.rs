//! TVmaze: series without a key.

use ledge_tests::{Asked, Fake, Reply};
use serde_json::{Value, json};

use super::failures::{are_retried, pointed, without_entries};
use super::malformed::World;
use super::{enriched, media, picture, put, server};

const EPISODE: &str = "Under the Dome (2013)/Season 01/Under the Dome S01E01.mkv";

fn show() -> Value {
    json!({
        "id": 1, "name": "Under the Dome", "language": "English", "premiered": "2013-06-24",
        "externals": { "thetvdb": 264_492, "imdb": "tt1553656" },
        "image": { "original": "https://static.tvmaze.com/uploads/images/original_untouched/1.jpg" },
        "summary": "<p><b>Under the Dome</b> is about a town.</p>",
        "_embedded": { "crew": [
            { "type": "Creator", "person": { "id": 4, "name": "Brian K. Vaughan" } }
        ] }
    })
}

fn tvmaze(asked: &Asked) -> Reply {
    match asked.path.split('?').next().unwrap_or_default() {
        "/search/shows" if asked.path.contains("Dome") => {
            Reply::json(&json!([{ "score": 1.0, "show": show() }]))
        }
        "/search/shows" => Reply::json(&json!([])),
        // The lookup redirects to the show.
        "/lookup/shows" if asked.path.ends_with("imdb=tt1553656") => {
            Reply::status(301).header("Location", "/shows/1")
        }
        "/shows/1" => Reply::json(&show()),
        "/shows/1/episodes" => Reply::json(&json!([
            { "id": 1, "name": "Pilot", "season": 1, "number": 1, "airdate": "2013-06-24" }
        ])),
        "/uploads/images/original_untouched/1.jpg" => picture(),
        _ => Reply::status(404),
    }
}

fn with_settings<T>(url: &str, run: impl FnOnce(&[(&str, &str)]) -> T) -> T {
    let others = without_entries();
    let others = others.url();
    let mut settings = pointed(&others);
    settings.retain(|(variable, _)| *variable != "LEDGE_TVMAZE_URL");
    settings.extend([("LEDGE_TVMAZE_URL", url), ("LEDGE_TVMAZE_IMAGES_URL", url)]);
    run(&settings)
}

fn enriched_series(fake: &Fake, name: &str) -> (Value, Vec<Value>) {
    with_settings(&fake.url(), |settings| {
        let server = server(settings);
        let (_folder, media) = media();
        put(&media, name, "8");
        enriched(&server.admin(), &media)
    })
}

#[test]
fn series_gets_year_description_creator_and_poster() {
    let fake = Fake::start(tvmaze);
    let (item, matches) = enriched_series(&fake, EPISODE);
    assert_eq!(item["title"], "Under the Dome", "{matches:?}");
    assert_eq!(item["year"], 2013);
    assert_eq!(item["description"], "Under the Dome is about a town.");
    assert_eq!(item["authors"], "Brian K. Vaughan", "{item}");
    assert_eq!(item["provider_ids"], json!({ "tvmaze": "1" }));
    assert_eq!(item["cover"]["width"], 200, "{item}");
    let ours = matches.iter().find(|one| one["provider"] == "tvmaze");
    assert_eq!(ours.expect("an attempt")["outcome"], "ok");
    assert_eq!(fake.count("/shows/1/episodes?specials=1"), 1);
}

#[test]
fn id_in_name_is_looked_up_through_a_redirect() {
    let fake = Fake::start(tvmaze);
    let name = "Scan [imdbid-tt1553656]/Season 01/Scan S01E01.mkv";
    let (item, matches) = enriched_series(&fake, name);
    assert_eq!(
        item["provider_ids"],
        json!({ "tvmaze": "1" }),
        "{matches:?}"
    );
    assert_eq!(fake.count("/search"), 0);
}

#[test]
fn absent_series_is_not_found_and_failures_are_retried() {
    let fake = Fake::start(tvmaze);
    with_settings(&fake.url(), |settings| {
        let name = "Quiet Harbour (2001)/Season 01/Quiet Harbour S01E01.mkv";
        let world = World::new("tvmaze", name, b"8".to_vec(), settings);
        assert_eq!(world.attempt()["outcome"], "notfound");
        let path = format!("/items/{}/matches/tvmaze", world.item);
        let refused = world.admin.put(&path, &json!({ "provider_id": "7" }));
        assert_eq!(refused.status, 422, "{refused:?}");
        are_retried(&fake, &world, "no secret");
    });
}

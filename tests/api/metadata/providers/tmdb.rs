//! TMDB: films and series with a key.

use ledge_fixtures::png;
use ledge_tests::{Asked, Fake, Reply};
use serde_json::{Value, json};

use super::failures::{are_retried, pointed, without_entries};
use super::malformed::World;
use super::{enrich, enriched, media, picture, put, server};
use crate::http::conventions::list;

const TOKEN: &str = "eyJhbGciOiJIUzI1NiJ9.c2VjcmV0.c2lnbmF0dXJl";
const FILM: &str = "The Matrix (1999)/The Matrix (1999).mkv";

fn film() -> Value {
    json!({
        "id": 603, "imdb_id": "tt0133093", "title": "The Matrix", "original_title": "The Matrix",
        "original_language": "en", "overview": "A hacker <b>doubts</b>.", "runtime": 136,
        "release_date": "1999-03-31", "poster_path": "/matrix.jpg",
        "belongs_to_collection": { "id": 2344, "name": "The Matrix Collection" },
        "credits": { "cast": [{ "id": 6384, "name": "Keanu Reeves", "character": "Neo" }],
                     "crew": [{ "id": 9340, "name": "Lana Wachowski", "job": "Director" }] }
    })
}

fn series() -> Value {
    json!({
        "id": 1399, "name": "Game of Thrones", "original_name": "Game of Thrones",
        "original_language": "en", "overview": "Seven houses.", "first_air_date": "2011-04-17",
        "poster_path": "/got.jpg", "backdrop_path": "/wide.jpg", "created_by": [{ "id": 9813, "name": "David Benioff" }],
        "seasons": [{ "season_number": 1, "poster_path": "/s1.jpg" },
                    { "season_number": 2, "poster_path": "/s2.jpg" }],
        "season/1": { "episodes": [
            { "episode_number": 1, "name": "Winter Is Coming", "overview": "Ned travels." }
        ] },
        "season/2": { "episodes": [{ "episode_number": 1, "name": "The North Remembers" }] }
    })
}

fn results(entries: &[Value]) -> Reply {
    Reply::json(&json!({ "page": 1, "results": entries, "total_results": entries.len() }))
}

fn tmdb(asked: &Asked) -> Reply {
    let path = asked.path.split('?').next().unwrap_or_default();
    match path {
        "/3/search/movie" if asked.path.contains("query=The+Matrix") => results(&[film()]),
        "/3/search/tv" if asked.path.contains("query=Game+of+Thrones") => results(&[series()]),
        "/3/search/movie" | "/3/search/tv" => results(&[]),
        "/3/movie/603" => Reply::json(&film()),
        "/3/tv/1399" => Reply::json(&series()),
        "/3/find/tt0133093" => Reply::json(&json!({
            "movie_results": [film()], "person_results": [], "tv_results": [],
            "tv_episode_results": [], "tv_season_results": []
        })),
        "/t/p/w780/matrix.jpg"
        | "/t/p/w780/got.jpg"
        | "/t/p/w780/s1.jpg"
        | "/t/p/w1280/wide.jpg" => picture(),
        _ => Reply::status(404),
    }
}

/// Calls `run` with the settings that point TMDB to a fake and all others to an empty server.
fn with_settings<T>(url: &str, key: &str, run: impl FnOnce(&[(&str, &str)]) -> T) -> T {
    let others = without_entries();
    let others = others.url();
    let mut settings = pointed(&others);
    settings.extend([
        ("LEDGE_TMDB_URL", url),
        ("LEDGE_TMDB_IMAGES_URL", url),
        ("LEDGE_TMDB_KEY", key),
        ("LEDGE_LOG", "trace"),
    ]);
    run(&settings)
}

fn enriched_video(fake: &Fake, key: &str, name: &str) -> (Value, Vec<Value>, String) {
    with_settings(&fake.url(), key, |settings| {
        let server = server(settings);
        let (_folder, media) = media();
        put(&media, name, "8");
        let (item, matches) = enriched(&server.admin(), &media);
        (item, matches, server.log())
    })
}

#[test]
fn film_gets_year_description_director_and_poster() {
    let fake = Fake::start(tmdb);
    let (item, matches, log) = enriched_video(&fake, TOKEN, FILM);
    assert_eq!(item["title"], "The Matrix", "{matches:?}");
    assert_eq!(item["year"], 1999);
    assert_eq!(item["description"], "A hacker doubts.");
    assert_eq!(item["authors"], "Lana Wachowski", "{item}");
    assert_eq!(item["provider_ids"], json!({ "tmdb": "movie/603" }));
    assert_eq!(item["cover"]["width"], 200, "{item}");
    let ours = &matches[0];
    assert_eq!(
        (&ours["provider"], &ours["outcome"]),
        (&json!("tmdb"), &json!("ok"))
    );
    let asked = fake.asked();
    assert!(
        asked[0].path.contains("primary_release_year=1999"),
        "{}",
        asked[0].path
    );
    let bearer = format!("Bearer {TOKEN}");
    let requests = asked.iter().filter(|one| one.path.starts_with("/3/"));
    assert!(requests.clone().count() >= 2);
    assert!(
        requests
            .clone()
            .all(|one| one.header("authorization") == bearer)
    );
    // The host of the pictures does not receive the key.
    let pictures = asked.iter().filter(|one| one.path.starts_with("/t/p/"));
    assert!(
        pictures
            .clone()
            .all(|one| one.header("authorization").is_empty())
    );
    assert!(!log.contains(TOKEN), "the key was logged");
}

#[test]
fn film_belongs_to_the_series_of_its_collection_until_the_match_is_removed() {
    let fake = Fake::start(tmdb);
    with_settings(&fake.url(), TOKEN, |settings| {
        let server = server(settings);
        let (_folder, media) = media();
        put(&media, FILM, "8");
        let admin = server.admin();
        let (item, _) = enriched(&admin, &media);
        assert_eq!(item["facts"]["series"], "The Matrix Collection", "{item}");
        assert_eq!(item["sources"]["series"], "provider");
        let found = admin.get("/search?q=matrix%20collection&fuzzy=false");
        let found = found.expect(200).json();
        assert_eq!(found["total"], 1, "{found}");
        let path = format!("/items/{}", item["id"]);
        admin.delete(&format!("{path}/matches/tmdb")).expect(204);
        let item = admin.get(&path).expect(200).json();
        assert_eq!(item["facts"]["series"], Value::Null);
        assert_eq!(item["series_id"], Value::Null);
        let series = admin.get("/series").expect(200).json();
        assert_eq!(series["total"], 0, "{series}");
    });
}

#[test]
fn series_of_a_metadata_file_precedes_the_collection() {
    let fake = Fake::start(tmdb);
    with_settings(&fake.url(), TOKEN, |settings| {
        let server = server(settings);
        let (_folder, media) = media();
        put(&media, FILM, "8");
        let nfo = "<movie><title>The Matrix</title><set><name>Own</name></set></movie>";
        put(&media, &FILM.replace(".mkv", ".nfo"), nfo);
        let (item, matches) = enriched(&server.admin(), &media);
        assert_eq!(item["provider_ids"]["tmdb"], "movie/603", "{matches:?}");
        assert_eq!(item["facts"]["series"], "Own");
        assert_eq!(item["sources"]["series"], "file");
    });
}

#[test]
fn series_is_found_by_title_and_year() {
    let fake = Fake::start(tmdb);
    let name = "Game of Thrones (2011)/Season 01/Game of Thrones S01E01.mkv";
    let (item, matches, _) = enriched_video(&fake, TOKEN, name);
    assert_eq!(
        item["provider_ids"],
        json!({ "tmdb": "tv/1399" }),
        "{matches:?}"
    );
    assert_eq!(item["year"], 2011);
    assert_eq!(item["authors"], "David Benioff");
    assert_eq!(item["cover"]["width"], 200, "{item}");
    assert_eq!(fake.count("/3/search/movie"), 0);
}

#[test]
fn season_with_a_file_has_its_poster() {
    let fake = Fake::start(tmdb);
    with_settings(&fake.url(), TOKEN, |settings| {
        let server = server(settings);
        let (_folder, media) = media();
        let name = "Game of Thrones (2011)/Season 01/Game of Thrones S01E01.mkv";
        put(&media, name, "8");
        let admin = server.admin();
        let (item, matches) = enriched(&admin, &media);
        let seasons = list(&admin.get(&format!("/items/{}/seasons", item["id"])));
        let [season] = seasons.as_slice() else {
            panic!("{seasons:?} {matches:?}");
        };
        let poster = &season["poster"];
        let size = (&poster["width"], &poster["height"]);
        assert_eq!(size, (&json!(200), &json!(300)));
        let url = poster["url"].as_str().expect("a URL");
        let path = url.strip_prefix("/api/v1").expect("a path");
        let start = format!("/items/{}/season-posters/1?v=", item["id"]);
        assert!(path.starts_with(&start), "{path}");
        let found = admin.get(path).expect(200);
        assert!(found.header("content-type").starts_with("image/"));
        for absent in ["2", "0", "-1", "x"] {
            let path = format!("/items/{}/season-posters/{absent}", item["id"]);
            admin.get(&path).expect(404);
        }
        // The library lacks this season, so that its poster is not fetched.
        assert_eq!(fake.count("/t/p/w780/s2.jpg"), 0);
        assert_eq!(fake.count("/t/p/w780/s1.jpg"), 1);
    });
}

#[test]
fn pictures_of_the_folder_precede_those_of_the_provider() {
    let fake = Fake::start(tmdb);
    with_settings(&fake.url(), TOKEN, |settings| {
        let server = server(settings);
        let (_folder, media) = media();
        let show = "Game of Thrones (2011)";
        put(
            &media,
            &format!("{show}/Season 01/Game of Thrones S01E01.mkv"),
            "8",
        );
        put(
            &media,
            &format!("{show}/season01-poster.jpg"),
            png(120, 180, 3),
        );
        let backdrop = format!("{show}/fanart.jpg");
        put(&media, &backdrop, "no picture");
        let admin = server.admin();
        let (item, matches) = enriched(&admin, &media);
        // A file that is no picture leaves that of the provider.
        assert_eq!(item["backdrop"]["width"], 200, "{item}");
        put(&media, &backdrop, png(320, 180, 4));
        let id = item["id"].as_i64().expect("an id");
        let (item, _) = enrich(&admin, id);
        assert_eq!(item["provider_ids"]["tmdb"], "tv/1399", "{matches:?}");
        assert_eq!(item["backdrop"]["width"], 320, "{item}");
        let seasons = list(&admin.get(&format!("/items/{}/seasons", item["id"])));
        assert_eq!(seasons[0]["poster"]["width"], 120, "{seasons:?}");
        assert_eq!(fake.count("/t/p/w780/s1.jpg"), 0);
    });
}

#[test]
fn id_in_name_precedes_the_title() {
    for name in [
        "Scan {tmdb-603}/Scan {tmdb-603}.mkv",
        "Scan [imdbid-tt0133093].mkv",
    ] {
        let fake = Fake::start(tmdb);
        let (item, matches, _) = enriched_video(&fake, TOKEN, name);
        assert_eq!(
            item["provider_ids"],
            json!({ "tmdb": "movie/603" }),
            "{name}: {matches:?}"
        );
        assert_eq!(item["year"], 1999, "{name}");
        assert_eq!(fake.count("/3/search"), 0, "{name}");
    }
}

#[test]
fn key_in_query_is_not_logged() {
    let key = "0123456789abcdef0123456789abcdef";
    let fake = Fake::start(tmdb);
    let (item, _, log) = enriched_video(&fake, key, FILM);
    assert_eq!(item["provider_ids"], json!({ "tmdb": "movie/603" }));
    assert!(fake.asked()[0].path.contains(&format!("api_key={key}")));
    assert!(!log.contains(key), "the key was logged");
}

#[test]
fn absent_film_is_not_found_and_failures_are_retried() {
    let fake = Fake::start(tmdb);
    with_settings(&fake.url(), TOKEN, |settings| {
        let world = World::new("tmdb", "Quiet Harbour (2001).mkv", b"8".to_vec(), settings);
        let attempt = world.attempt();
        assert_eq!(attempt["outcome"], "notfound", "{attempt}");
        assert!(attempt["expires_at"].is_string(), "{attempt}");
        let path = format!("/items/{}/matches/tmdb", world.item);
        let refused = world.admin.put(&path, &json!({ "provider_id": "movie/7" }));
        assert_eq!(refused.status, 422, "{refused:?}");
        are_retried(&fake, &world, TOKEN);
        assert!(!world.server.log().contains(TOKEN), "the key was logged");
    });
}

#[test]
fn provider_without_key_is_disabled_and_logged_once() {
    let server = server(&[("LEDGE_LOG", "info")]);
    let log = server.log();
    for variable in ["LEDGE_TMDB_KEY", "LEDGE_COMICVINE_KEY"] {
        assert_eq!(log.matches(variable).count(), 1, "{log}");
    }
}

//! Failures, undocumented responses and hostile values.

use ledge_core::registry::provider::{AskError, Response};
use ledge_recorded::{Recorded, damage};
use serde_json::{Value, json};

use super::fixtures::{TOKEN, film, film_results, seasons, series};
use super::{question, series_question, tmdb, with_id};

#[test]
fn failed_requests_are_errors_without_the_key() {
    for code in [401, 429, 500, 503] {
        let net = Recorded::new().refuses("search/movie", code);
        let error = tmdb().search(&question(), &net).expect_err("a failure");
        assert!(error.has_status(code));
        assert!(!format!("{error} {error:?} {:?}", tmdb()).contains(TOKEN));
        let net = Recorded::new().refuses("movie/603?", code);
        let error = tmdb()
            .by_id("603", &question(), &net)
            .expect_err("a failure");
        assert!(error.has_status(code));
        let net = Recorded::new()
            .answers("append_to_response=external_ids", &series())
            .refuses("append_to_response=season", code);
        let error = tmdb()
            .by_id("tv/1399", &series_question(), &net)
            .expect_err("a failure");
        assert!(error.has_status(code));
        let net = Recorded::new().refuses("find/", code);
        let error = tmdb()
            .search(&with_id("imdb", "tt1"), &net)
            .expect_err("a failure");
        assert!(error.has_status(code));
    }
    // A search is always available, so a 404 is not an answer.
    let found = tmdb().search(&question(), &Recorded::new());
    assert!(matches!(found, Err(AskError::Malformed(_))), "{found:?}");
}

#[test]
fn undocumented_responses_are_errors() {
    for malformed in [
        json!(null),
        json!("text"),
        json!([]),
        json!({}),
        json!({ "status_code": 7, "status_message": "Invalid API key", "success": false }),
        json!({ "results": null }),
        json!({ "results": [null] }),
        json!({ "results": [{ "id": 603 }] }),
        json!({ "results": [{ "id": -603, "title": "x" }] }),
        json!({ "results": [{ "id": "603", "title": "x" }] }),
    ] {
        let net = Recorded::new().answers("search/movie", &malformed);
        let found = tmdb().search(&question(), &net);
        assert!(
            matches!(found, Err(AskError::Malformed(_))),
            "{malformed}: {found:?}"
        );
        let net = Recorded::new().answers("movie/603?", &malformed);
        let found = tmdb().by_id("603", &question(), &net);
        assert!(
            matches!(found, Err(AskError::Malformed(_))),
            "{malformed}: {found:?}"
        );
        let net = Recorded::new().answers("find/", &malformed);
        let found = tmdb().search(&with_id("imdb", "tt1"), &net);
        assert!(
            matches!(found, Err(AskError::Malformed(_))),
            "{malformed}: {found:?}"
        );
    }
    let other = json!({ "id": 604, "title": "Another Film" });
    let net = Recorded::new().answers("movie/603?", &other);
    let found = tmdb().by_id("603", &question(), &net);
    assert!(matches!(found, Err(AskError::Malformed(_))), "{found:?}");
    for malformed in [json!(null), json!([])] {
        let net = Recorded::new()
            .answers("append_to_response=external_ids", &series())
            .answers("append_to_response=season", &malformed);
        let found = tmdb().by_id("tv/1399", &series_question(), &net);
        assert!(
            matches!(found, Err(AskError::Malformed(_))),
            "{malformed}: {found:?}"
        );
    }
}

#[test]
fn hostile_values_are_bounded_or_unknown() {
    let mut hostile = film();
    for (path, value) in [
        ("/poster_path", json!("/../../etc/passwd.jpg")),
        ("/backdrop_path", json!("//169.254.169.254/x.jpg")),
        ("/runtime", json!(-5)),
        ("/release_date", json!("1999-03-31; x")),
        ("/imdb_id", json!("tt1/../x")),
        (
            "/external_ids",
            json!({ "tvdb_id": -1, "wikidata_id": "javascript:x" }),
        ),
        ("/origin_country", json!(["../", "us", 5])),
        ("/videos/results/0/key", json!("x\"><script>")),
        ("/videos/results/1/key", json!("a/b")),
        ("/images/logos/2/file_path", json!("/x.png?y")),
        ("/images/logos/1/file_path", json!("https://x/y.png")),
        (
            "/credits/cast",
            json!(vec![
                json!({ "id": -1, "name": "x", "profile_path": 5 });
                50_000
            ]),
        ),
        (
            "/alternative_titles/titles",
            json!(vec![json!({ "title": "y" }); 50_000]),
        ),
    ] {
        *hostile.pointer_mut(path).expect("a field") = value;
    }
    let net = Recorded::new().answers("movie/603?", &hostile);
    let found = tmdb()
        .by_id("603", &question(), &net)
        .expect("an answer")
        .expect("a film");
    assert_eq!(found.cover, None);
    let details = found.details;
    assert_eq!((details.backdrop, details.logo), (None, None));
    assert_eq!((details.runtime, details.released), (None, None));
    assert_eq!(found.external_ids.len(), 1);
    assert_eq!(details.countries, ["US"]);
    let links: Vec<_> = details
        .links
        .iter()
        .map(|link| link.label.as_str())
        .collect();
    assert_eq!(links, ["TMDB"]);
    assert!(details.people.len() <= 100);
    assert!(
        details
            .people
            .iter()
            .all(|one| one.picture.is_none() && one.role != "actor" || one.ids.is_empty())
    );
    assert!(found.other_titles.len() <= 150);
}

#[test]
fn hostile_seasons_are_bounded() {
    let mut hostile = series();
    let numbers: Vec<Value> = (-5..3000)
        .map(|one| json!({ "season_number": one }))
        .collect();
    hostile["seasons"] = json!(numbers);
    let episodes: Vec<Value> = (-5..5000)
        .map(|one| json!({ "episode_number": one, "name": "x", "overview": "x" }))
        .collect();
    let mut answer = json!({ "id": 1399 });
    for season in 0..20 {
        answer[format!("season/{season}")] = json!({ "episodes": episodes });
    }
    let net = Recorded::new()
        .answers("append_to_response=external_ids", &hostile)
        .answers("append_to_response=season/0,", &answer);
    let found = tmdb().by_id("tv/1399", &series_question(), &net);
    let episodes = found
        .expect("an answer")
        .expect("a series")
        .details
        .episodes;
    assert_eq!(net.asked().len(), 6, "100 seasons in five requests");
    assert!(episodes.len() <= 10_000);
    assert!(
        episodes
            .iter()
            .all(|one| one.season >= 0 && one.number >= 0)
    );
}

#[test]
fn damaged_responses_are_parsed_or_rejected() {
    damage::values(&film_results(), |answer| {
        let net = Recorded::new().answers("search/movie", answer);
        for one in tmdb().search(&question(), &net).unwrap_or_default() {
            assert!(!one.title.is_empty() && one.provider_id.starts_with("movie/"));
        }
    });
    damage::values(&film(), |answer| {
        let net = Recorded::new().answers("movie/603?", answer);
        if let Ok(Some(found)) = tmdb().by_id("603", &question(), &net) {
            assert!(!found.title.is_empty() && found.provider_id == "movie/603");
        }
    });
    damage::values(&series(), |answer| {
        let net = Recorded::new().answers("tv/1399?", answer);
        let _ = tmdb().by_id("tv/1399", &series_question(), &net);
    });
    damage::values(&seasons(), |answer| {
        let net = Recorded::new()
            .answers("append_to_response=external_ids", &series())
            .answers("append_to_response=season", answer);
        let _ = tmdb().by_id("tv/1399", &series_question(), &net);
    });
    damage::bytes(film().to_string().as_bytes(), |bytes| {
        let answer = Response {
            status: 200,
            content_type: String::new(),
            body: bytes.to_vec(),
        };
        let net = Recorded::new().gives("movie/603?", Ok(answer));
        let _ = tmdb().by_id("603", &question(), &net);
    });
}

//! Tests with responses in TMDB's documented form.

mod entries;
mod fixtures;
mod hostile;
mod people;

use ledge_core::registry::provider::{Absent, Cover, ExternalId, Lookup, Query, Settings};
use ledge_recorded::{Recorded, opened};
use serde_json::json;

use crate::PROVIDER;
use fixtures::{TOKEN, film, film_results, none, series, series_results};

fn tmdb() -> Box<dyn Lookup> {
    opened(&PROVIDER, &[("LEDGE_TMDB_KEY", TOKEN)])
}

fn question() -> Query {
    Query {
        kind: "video".to_owned(),
        subkind: Some("film".to_owned()),
        title: "The Matrix".to_owned(),
        year: Some(1999),
        languages: vec!["de".to_owned(), "en".to_owned()],
        ..Query::default()
    }
}

fn series_question() -> Query {
    Query {
        subkind: Some("series".to_owned()),
        title: "Game of Thrones".to_owned(),
        year: Some(2011),
        ..question()
    }
}

fn with_id(database: &str, id: &str) -> Query {
    Query {
        title: "scan 1".to_owned(),
        year: None,
        external_ids: vec![ExternalId::new(database, id)],
        ..question()
    }
}

#[test]
fn search_by_title_and_year_returns_film_with_details() {
    let net = Recorded::new()
        .answers("search/movie", &film_results())
        .answers("movie/603?", &film());
    let found = tmdb().search(&question(), &net).expect("candidates");
    let matrix = found.first().expect("a film");
    assert_eq!(matrix.provider_id, "movie/603");
    assert_eq!(matrix.title, "Matrix");
    assert_eq!(matrix.year, Some(1999));
    assert_eq!(matrix.details.runtime, Some(136));
    assert!(!matrix.is_certain);
    let asked = net.asked();
    assert_eq!(asked.len(), 2, "{asked:?}");
    let (search, details) = (&asked[0], &asked[1]);
    assert!(search.starts_with(
        "https://api.themoviedb.org/3/search/movie?query=The Matrix&include_adult=false\
         &language=de&primary_release_year=1999 "
    ));
    assert!(details.contains("append_to_response=external_ids,release_dates,alternative_titles"));
    assert!(details.contains("include_image_language=de,en,null"));
    for one in &asked {
        assert!(
            one.contains(&format!("Authorization: Bearer {TOKEN}")),
            "{one}"
        );
        assert!(!one.contains("api_key"), "{one}");
    }
}

#[test]
fn search_without_result_in_year_is_repeated_in_all_years() {
    let net = Recorded::new()
        .answers("primary_release_year=1998", &none())
        .answers("search/movie", &film_results())
        .answers("movie/603?", &film());
    let other_year = Query {
        year: Some(1998),
        ..question()
    };
    let found = tmdb().search(&other_year, &net).expect("candidates");
    assert_eq!(found[0].provider_id, "movie/603");
    assert!(found[0].details.runtime.is_some());
    assert_eq!(net.asked().len(), 3);
}

#[test]
fn film_is_found_by_alternative_title_of_its_details() {
    let net = Recorded::new()
        .answers("search/movie", &film_results())
        .answers("search/movie", &film_results())
        .answers("movie/603?", &film());
    let regional = Query {
        title: "黑客帝国".to_owned(),
        ..question()
    };
    let found = tmdb().search(&regional, &net).expect("candidates");
    assert_eq!(net.asked().len(), 3, "the other film is of another year");
    assert!(found[0].other_titles.contains(&"黑客帝国".to_owned()));
}

#[test]
fn search_without_result_is_repeated_without_subtitle() {
    let net = Recorded::new()
        .answers("query=The Matrix: A New World", &none())
        .answers("query=The Matrix: A New World", &none())
        .answers("query=The Matrix&", &film_results());
    let long = Query {
        title: "The Matrix: A New World".to_owned(),
        ..question()
    };
    let found = tmdb().search(&long, &net).expect("candidates");
    assert_eq!(found.len(), 2);
}

#[test]
fn external_ids_precede_names_and_are_certain() {
    let found_by_imdb = json!({
        "movie_results": [{ "id": 603, "title": "Matrix" }], "person_results": [],
        "tv_results": [], "tv_episode_results": [], "tv_season_results": []
    });
    let net = Recorded::new()
        .answers("find/tt0133093?external_source=imdb_id", &found_by_imdb)
        .answers("movie/603?", &film());
    let found = tmdb()
        .search(&with_id("imdb", "tt0133093"), &net)
        .expect("a film");
    assert_eq!(found.len(), 1);
    assert!(found[0].is_certain);
    assert_eq!(found[0].provider_id, "movie/603");

    let net = Recorded::new().answers("movie/603?", &film());
    let found = tmdb()
        .search(&with_id("tmdb", "603"), &net)
        .expect("a film");
    assert!(found[0].is_certain);
    assert_eq!(net.asked().len(), 1);

    let by_tvdb = json!({
        "movie_results": [], "person_results": [], "tv_season_results": [],
        "tv_results": [{ "id": 1399, "name": "Game of Thrones" }], "tv_episode_results": []
    });
    let net = Recorded::new()
        .answers("find/121361?external_source=tvdb_id", &by_tvdb)
        .answers("tv/1399?", &series());
    let of_series = Query {
        subkind: Some("series".to_owned()),
        ..with_id("tvdb", "121361")
    };
    let found = tmdb().search(&of_series, &net).expect("a series");
    assert_eq!(
        (found[0].provider_id.as_str(), found[0].is_certain),
        ("tv/1399", true)
    );
}

#[test]
fn id_of_episode_identifies_its_series() {
    let episode = json!({
        "movie_results": [], "person_results": [], "tv_results": [], "tv_season_results": [],
        "tv_episode_results": [{ "id": 63_056, "show_id": 1399, "name": "Winter Is Coming" }]
    });
    let net = Recorded::new()
        .answers("find/tt1480055", &episode)
        .answers("tv/1399?", &series());
    let of_series = Query {
        subkind: Some("series".to_owned()),
        ..with_id("imdb", "tt1480055")
    };
    let found = tmdb().search(&of_series, &net).expect("a series");
    assert_eq!(found[0].provider_id, "tv/1399");
}

#[test]
fn unknown_and_unusable_external_ids_lead_to_search() {
    for (database, id) in [
        ("tmdb", "9"),
        ("tmdb", "../x"),
        ("imdb", "nm1"),
        ("imdb", "tt99"),
    ] {
        let net = Recorded::new()
            .answers("search/movie", &film_results())
            .answers("movie/603?", &film());
        let titled = Query {
            title: "The Matrix".to_owned(),
            year: Some(1999),
            ..with_id(database, id)
        };
        let found = tmdb().search(&titled, &net).expect("candidates");
        assert_eq!(found[0].provider_id, "movie/603", "{id}");
        assert!(!found[0].is_certain, "{id}");
        assert!(
            net.asked().iter().all(|asked| !asked.contains("..")),
            "{id}"
        );
    }
}

#[test]
fn other_subkinds_are_not_searched() {
    let net = Recorded::new();
    let other = Query {
        subkind: Some("clip".to_owned()),
        ..with_id("imdb", "tt0133093")
    };
    assert_eq!(tmdb().search(&other, &net), Ok(Vec::new()));
    assert!(net.asked().is_empty());
    // A user's words have no subkind.
    let words = Query {
        subkind: None,
        ..question()
    };
    let net = Recorded::new()
        .answers("search/movie", &film_results())
        .answers("movie/603?", &film())
        .answers("search/tv", &series_results());
    let found = tmdb().search(&words, &net).expect("candidates");
    let ids: Vec<_> = found.iter().map(|one| one.provider_id.as_str()).collect();
    assert_eq!(ids, ["movie/603", "movie/604", "tv/1399"]);
}

#[test]
fn by_id_returns_entry_and_none_for_unknown_ids() {
    for id in [
        "603",
        "movie/603",
        "https://www.themoviedb.org/movie/603-the-matrix",
    ] {
        let net = Recorded::new().answers("movie/603?", &film());
        let found = tmdb().by_id(id, &question(), &net).expect("an answer");
        assert_eq!(found.expect("a film").provider_id, "movie/603", "{id}");
    }
    for id in ["", "x", "-1", "movie/../603", "604", "tv/7"] {
        let none = tmdb().by_id(id, &question(), &Recorded::new());
        assert_eq!(none, Ok(None), "{id}");
    }
    let net = Recorded::new().answers("tv/1399?", &series());
    let found = tmdb()
        .by_id("1399", &series_question(), &net)
        .expect("an answer");
    assert_eq!(found.expect("a series").provider_id, "tv/1399");
}

#[test]
fn configured_base_urls_apply_to_requests_and_pictures() {
    let net = Recorded::new().answers("http://127.0.0.1:8080/3/movie/603?", &film());
    let provider = opened(
        &PROVIDER,
        &[
            ("LEDGE_TMDB_KEY", TOKEN),
            ("LEDGE_TMDB_URL", "http://127.0.0.1:8080"),
            ("LEDGE_TMDB_IMAGES_URL", "http://127.0.0.1:8081"),
        ],
    );
    let found = provider.by_id("603", &question(), &net).expect("an answer");
    let poster = "http://127.0.0.1:8081/t/p/w780/matrix.jpg".to_owned();
    assert_eq!(found.expect("a film").cover, Some(Cover::Address(poster)));
}

#[test]
fn missing_key_is_named_and_old_key_is_sent_in_query() {
    let settings = Settings::defaults(PROVIDER.settings);
    let missing = vec!["LEDGE_TMDB_KEY"];
    let absent = (PROVIDER.open)(&settings).expect_err("no key");
    assert_eq!(absent, Absent { missing });

    let key = "0123456789abcdef0123456789abcdef";
    let provider = opened(&PROVIDER, &[("LEDGE_TMDB_KEY", key)]);
    let net = Recorded::new().answers("movie/603?", &film());
    provider.by_id("603", &question(), &net).expect("an answer");
    let asked = net.asked();
    assert!(asked[0].contains(&format!("api_key={key}")));
    assert!(!asked[0].contains("Authorization"));
    assert!(!format!("{provider:?}").contains(key));
}

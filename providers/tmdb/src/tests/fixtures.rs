//! Responses in TMDB's documented form, with short texts.

use serde_json::{Value, json};

pub(super) const TOKEN: &str = "eyJhbGciOiJIUzI1NiJ9.eyJhdWQiOiJ4In0.c2lnbmF0dXJl";

pub(super) fn none() -> Value {
    json!({ "page": 1, "results": [], "total_pages": 1, "total_results": 0 })
}

pub(super) fn film_results() -> Value {
    json!({
        "page": 1, "total_pages": 1, "total_results": 2,
        "results": [
            { "adult": false, "id": 603, "title": "Matrix", "original_title": "The Matrix",
              "original_language": "en", "release_date": "1999-03-31", "genre_ids": [28, 878],
              "overview": "Ein Hacker zweifelt.", "poster_path": "/matrix.jpg" },
            { "adult": false, "id": 604, "title": "Matrix Reloaded",
              "original_title": "The Matrix Reloaded", "release_date": "2003-05-15",
              "overview": "", "poster_path": null },
            { "adult": true, "id": 9, "title": "The Matrix", "release_date": "1999-01-01" }
        ]
    })
}

pub(super) fn film() -> Value {
    json!({
        "adult": false, "id": 603, "imdb_id": "tt0133093", "title": "Matrix",
        "original_title": "The Matrix", "original_language": "en", "overview": "",
        "tagline": "", "release_date": "1999-03-31", "runtime": 136, "status": "Released",
        "poster_path": "/matrix.jpg", "backdrop_path": "/wide.jpg", "origin_country": ["US"],
        "belongs_to_collection": { "id": 2344, "name": "Matrix Filmreihe" },
        "genres": [{ "id": 28, "name": "Action" }, { "id": 878, "name": "Science Fiction" }],
        "production_companies": [{ "id": 79, "name": "Village Roadshow Pictures" }],
        "production_countries": [{ "iso_3166_1": "US", "name": "United States of America" }],
        "external_ids": { "imdb_id": "tt0133093", "wikidata_id": "Q83495" },
        "release_dates": { "results": [
            { "iso_3166_1": "DE", "release_dates": [
                { "certification": "", "type": 1 },
                { "certification": "12", "type": 5 },
                { "certification": "16", "type": 3 } ] },
            { "iso_3166_1": "US", "release_dates": [{ "certification": "R", "type": 3 }] },
            { "iso_3166_1": "FR", "release_dates": [{ "certification": "", "type": 3 }] }
        ] },
        "alternative_titles": { "titles": [
            { "iso_3166_1": "AT", "title": "Die Matrix", "type": "" },
            { "iso_3166_1": "FR", "title": "Matrix", "type": "" }
        ] },
        "translations": { "translations": [
            { "iso_639_1": "de", "iso_3166_1": "DE",
              "data": { "title": "Matrix", "overview": "", "tagline": "" } },
            { "iso_639_1": "en", "iso_3166_1": "US",
              "data": { "title": "", "overview": "A hacker doubts.", "tagline": "Free your mind." } },
            { "iso_639_1": "zh", "iso_3166_1": "CN",
              "data": { "title": "黑客帝国", "overview": "x", "tagline": "" } }
        ] },
        "images": { "backdrops": [], "posters": [], "logos": [
            { "file_path": "/vector.svg", "iso_639_1": "de" },
            { "file_path": "/plain.png", "iso_639_1": null },
            { "file_path": "/english.png", "iso_639_1": "en" }
        ] },
        "videos": { "results": [
            { "site": "YouTube", "key": "abc_DEF-123", "type": "Trailer", "name": "Official Trailer",
              "iso_639_1": "en", "official": true },
            { "site": "Vimeo", "key": "12345", "type": "Trailer", "name": "Trailer auf Deutsch",
              "iso_639_1": "de", "official": false },
            { "site": "YouTube", "key": "clip", "type": "Clip", "name": "Clip", "iso_639_1": "en" },
            { "site": "Elsewhere", "key": "x", "type": "Trailer", "name": "x", "iso_639_1": "en" }
        ] },
        "credits": film_credits()
    })
}

fn film_credits() -> Value {
    json!({
        "cast": [
            { "id": 6384, "name": "Keanu Reeves", "character": "Neo", "order": 0,
              "profile_path": "/keanu.jpg" },
            { "id": 2975, "name": "Laurence Fishburne", "character": "Morpheus", "order": 1 }
        ],
        "crew": [
            { "id": 9340, "name": "Lana Wachowski", "department": "Writing", "job": "Writer" },
            { "id": 9340, "name": "Lana Wachowski", "department": "Directing",
              "job": "Director" },
            { "id": 9339, "name": "Lilly Wachowski", "department": "Directing",
              "job": "Director" },
            { "id": 9341, "name": "Don Davis", "job": "Original Music Composer" },
            { "id": 1, "name": "Somebody", "job": "Catering" }
        ]
    })
}

pub(super) fn series_results() -> Value {
    json!({
        "page": 1, "total_pages": 1, "total_results": 1,
        "results": [
            { "id": 1399, "name": "Game of Thrones", "original_name": "Game of Thrones",
              "first_air_date": "2011-04-17", "original_language": "en", "overview": "Häuser.",
              "poster_path": "/got.jpg", "origin_country": ["US"] }
        ]
    })
}

pub(super) fn series() -> Value {
    json!({
        "adult": false, "id": 1399, "name": "Game of Thrones",
        "original_name": "Game of Thrones", "original_language": "en",
        "overview": "Sieben Häuser.", "first_air_date": "2011-04-17", "status": "Ended",
        "episode_run_time": [60], "poster_path": "/got.jpg", "backdrop_path": "/wall.jpg",
        "created_by": [
            { "id": 9813, "name": "David Benioff", "profile_path": "/david.jpg" },
            { "id": 228_068, "name": "D. B. Weiss", "profile_path": null }
        ],
        "genres": [{ "id": 18, "name": "Drama" }],
        "networks": [{ "id": 49, "name": "HBO" }],
        "production_companies": [{ "id": 12_525, "name": "Grok! Television" },
                                 { "id": 3268, "name": "HBO" }],
        "origin_country": ["US"],
        "external_ids": { "imdb_id": "tt0944947", "tvdb_id": 121_361, "wikidata_id": "Q23572" },
        "content_ratings": { "results": [
            { "iso_3166_1": "DE", "rating": "16" }, { "iso_3166_1": "US", "rating": "TV-MA" }
        ] },
        "alternative_titles": { "results": [
            { "iso_3166_1": "DE", "title": "Das Lied von Eis und Feuer", "type": "" }
        ] },
        "translations": { "translations": [] },
        "images": { "logos": [] }, "videos": { "results": [] },
        "aggregate_credits": {
            "cast": [
                { "id": 22_970, "name": "Peter Dinklage", "order": 0, "profile_path": "/peter.jpg",
                  "roles": [{ "character": "Tyrion Lannister", "episode_count": 67 }],
                  "total_episode_count": 67 }
            ],
            "crew": [
                { "id": 44_797, "name": "Tim Van Patten", "department": "Directing",
                  "jobs": [{ "job": "Director", "episode_count": 2 }] },
                { "id": 10_930, "name": "Ramin Djawadi", "department": "Sound",
                  "jobs": [{ "job": "Original Music Composer", "episode_count": 73 }] }
            ]
        },
        "seasons": [
            { "season_number": 0, "episode_count": 1, "poster_path": "//example.org/s0.jpg" },
            { "season_number": 2, "episode_count": 1, "poster_path": "/s2.jpg" },
            { "season_number": 1, "episode_count": 2, "poster_path": "/s1.jpg" },
            { "season_number": -1, "episode_count": 0, "poster_path": "/negative.jpg" },
            { "season_number": 1, "episode_count": 0, "poster_path": 7 }
        ]
    })
}

/// Returns the series with its appended seasons in German. Not all texts are translated.
pub(super) fn seasons() -> Value {
    json!({
        "id": 1399, "name": "Game of Thrones",
        "season/0": { "season_number": 0, "episodes": [
            { "season_number": 0, "episode_number": 1, "name": "Inside Game of Thrones",
              "overview": "Ein Blick hinein.", "air_date": "2010-12-05", "still_path": null }
        ] },
        "season/1": { "season_number": 1, "episodes": [
            { "season_number": 1, "episode_number": 1, "name": "Der Winter naht",
              "overview": "Ned reist.", "air_date": "2011-04-17", "still_path": "/s1e1.jpg" },
            { "season_number": 1, "episode_number": 2, "name": "Episode 2",
              "overview": "", "air_date": "2011-04-24", "still_path": null }
        ] },
        "season/2": { "season_number": 2, "episodes": [
            { "season_number": 2, "episode_number": 1, "name": "Der Norden vergisst nicht",
              "overview": "Krieg.", "air_date": "2012-04-01", "still_path": "/s2e1.jpg" }
        ] }
    })
}

/// Returns the first season in English.
pub(super) fn english_seasons() -> Value {
    json!({
        "id": 1399, "name": "Game of Thrones",
        "season/1": { "season_number": 1, "episodes": [
            { "season_number": 1, "episode_number": 1, "name": "Winter Is Coming",
              "overview": "Ned travels.", "air_date": "2011-04-17" },
            { "season_number": 1, "episode_number": 2, "name": "The Kingsroad",
              "overview": "They travel.", "air_date": "2011-04-24", "still_path": "/s1e2.jpg" }
        ] }
    })
}

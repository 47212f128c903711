//! Fields of complete entries: texts, people, pictures, episodes.

use ledge_core::registry::provider::{
    AskError, Candidate, Cover, EpisodeDetails, ExternalId, Query, SeasonPoster,
};
use ledge_recorded::Recorded;
use serde_json::{Value, json};

use super::fixtures::{english_seasons, film, seasons, series};
use super::{question, series_question, tmdb};

fn film_of(answer: &Value, question: &Query) -> Candidate {
    let net = Recorded::new().answers("movie/603?", answer);
    let found = tmdb().by_id("603", question, &net).expect("an answer");
    found.expect("a film")
}

/// Returns the name, role and character of each person.
fn people(found: &Candidate) -> Vec<(&str, &str, Option<&str>)> {
    let people = found.details.people.iter();
    let credit = people.map(|one| {
        let character = one.character.as_deref();
        (one.name.as_str(), one.role.as_str(), character)
    });
    credit.collect()
}

fn image(size_and_name: &str) -> String {
    format!("https://image.tmdb.org/t/p/{size_and_name}")
}

#[test]
fn film_has_texts_in_the_first_language_that_has_them() {
    let found = film_of(&film(), &question());
    assert_eq!(found.title, "Matrix");
    assert_eq!(found.details.original_title.as_deref(), Some("The Matrix"));
    assert_eq!(found.other_titles, ["The Matrix", "Die Matrix", "黑客帝国"]);
    assert_eq!(found.description.as_deref(), Some("A hacker doubts."));
    assert_eq!(found.details.tagline.as_deref(), Some("Free your mind."));
    let english = Query {
        languages: vec!["fr".to_owned(), "en-GB".to_owned()],
        ..question()
    };
    assert_eq!(film_of(&film(), &english).title, "The Matrix");
}

#[test]
fn film_has_all_details() {
    let found = film_of(&film(), &question());
    let details = &found.details;
    assert_eq!(details.released.as_deref(), Some("1999-03-31"));
    assert_eq!(details.runtime, Some(136));
    assert_eq!(details.genres, ["Action", "Science Fiction"]);
    assert_eq!(details.studios, ["Village Roadshow Pictures"]);
    assert_eq!(details.countries, ["US"]);
    assert_eq!(details.collection.as_deref(), Some("Matrix Filmreihe"));
    let series = found.series.as_ref();
    assert_eq!(
        series.map(|series| (series.name.as_str(), series.index)),
        Some(("Matrix Filmreihe", None))
    );
    assert_eq!(details.form, None);
    let certificates: Vec<_> = details
        .certificates
        .iter()
        .map(|one| (one.country.as_str(), one.rating.as_str()))
        .collect();
    assert_eq!(certificates, [("DE", "16"), ("US", "R")]);
    let ids = [
        ("tmdb", "603"),
        ("imdb", "tt0133093"),
        ("wikidata", "Q83495"),
    ];
    assert_eq!(
        found.external_ids,
        ids.map(|(database, id)| ExternalId::new(database, id))
    );
    assert_eq!(found.cover, Some(Cover::Address(image("w780/matrix.jpg"))));
    assert_eq!(
        details.backdrop,
        Some(Cover::Address(image("w1280/wide.jpg")))
    );
    assert_eq!(
        details.logo,
        Some(Cover::Address(image("w500/english.png")))
    );
    let links: Vec<_> = details
        .links
        .iter()
        .map(|link| (link.label.as_str(), link.url.as_str()))
        .collect();
    assert_eq!(
        links,
        [
            ("Trailer auf Deutsch", "https://vimeo.com/12345"),
            (
                "Official Trailer",
                "https://www.youtube.com/watch?v=abc_DEF-123"
            ),
            ("IMDb", "https://www.imdb.com/title/tt0133093/"),
            ("TMDB", "https://www.themoviedb.org/movie/603"),
        ]
    );
}

#[test]
fn people_are_authors_then_cast_then_crew() {
    let found = film_of(&film(), &question());
    let people = people(&found);
    assert_eq!(
        people,
        [
            ("Lana Wachowski", "author", None),
            ("Lilly Wachowski", "author", None),
            ("Keanu Reeves", "actor", Some("Neo")),
            ("Laurence Fishburne", "actor", Some("Morpheus")),
            ("Lana Wachowski", "writer", None),
            ("Don Davis", "composer", None),
        ]
    );
    let keanu = &found.details.people[2];
    assert_eq!(keanu.ids, [ExternalId::new("tmdb", "6384")]);
    assert_eq!(keanu.picture, Some(image("h632/keanu.jpg")));
    let credits: Vec<_> = found.authors.iter().map(|one| one.name.as_str()).collect();
    let names: Vec<_> = people.iter().map(|(name, ..)| *name).collect();
    assert_eq!(credits, names);
}

fn episode(season: i64, number: i64, absolute: Option<i64>) -> EpisodeDetails {
    EpisodeDetails {
        season,
        number,
        absolute,
        ..EpisodeDetails::default()
    }
}

#[test]
fn series_has_creators_and_episodes_with_specials() {
    let net = Recorded::new()
        .answers("append_to_response=external_ids", &series())
        .answers(
            "language=de&append_to_response=season/0,season/1,season/2",
            &seasons(),
        )
        .answers(
            "language=en&append_to_response=season/0",
            &english_seasons(),
        );
    let found = tmdb().by_id("tv/1399", &series_question(), &net);
    let found = found.expect("an answer").expect("a series");
    assert_eq!(net.asked().len(), 3);
    assert_eq!(
        people(&found),
        [
            ("David Benioff", "author", None),
            ("D. B. Weiss", "author", None),
            ("Peter Dinklage", "actor", Some("Tyrion Lannister")),
            ("Ramin Djawadi", "composer", None),
        ]
    );
    assert_eq!(found.details.studios, ["HBO", "Grok! Television"]);
    assert_eq!(found.details.form.as_deref(), Some("ended"));
    assert_eq!(found.details.runtime, Some(60));
    assert_eq!(found.other_titles, ["Das Lied von Eis und Feuer"]);
    assert_eq!(found.external_ids[2], ExternalId::new("tvdb", "121361"));
    let episodes = &found.details.episodes;
    let numbers: Vec<_> = episodes
        .iter()
        .map(|one| episode(one.season, one.number, one.absolute))
        .collect();
    let expected = [
        episode(0, 1, None),
        episode(1, 1, Some(1)),
        episode(1, 2, Some(2)),
        episode(2, 1, Some(3)),
    ];
    assert_eq!(numbers, expected);
    let texts = |at: usize| {
        (
            episodes[at].title.as_deref(),
            episodes[at].description.as_deref(),
        )
    };
    assert_eq!(texts(1), (Some("Der Winter naht"), Some("Ned reist.")));
    assert_eq!(texts(2), (Some("The Kingsroad"), Some("They travel.")));
    assert_eq!(episodes[2].still, Some(image("w780/s1e2.jpg")));
    assert_eq!(episodes[1].aired.as_deref(), Some("2011-04-17"));
}

#[test]
fn series_has_the_posters_of_its_seasons() {
    let net = Recorded::new()
        .answers("append_to_response=external_ids", &series())
        .answers("append_to_response=season", &seasons());
    let found = tmdb().by_id("tv/1399", &series_question(), &net);
    let details = found.expect("an answer").expect("a series").details;
    let poster = |season: i64, name: &str| SeasonPoster {
        season,
        url: image(name),
    };
    // The paths of the other seasons do not name pictures.
    let expected = [poster(1, "w780/s1.jpg"), poster(2, "w780/s2.jpg")];
    assert_eq!(details.season_posters, expected);
}

#[test]
fn seasons_are_requested_in_batches_and_in_halves_if_too_large() {
    let numbers: Vec<Value> = (1..=21)
        .map(|one| json!({ "season_number": one }))
        .collect();
    let mut long = series();
    long["seasons"] = json!(numbers);
    let season = |number: i64| {
        let mut answer = json!({ "id": 1399 });
        answer[format!("season/{number}")] = json!({ "episodes": [
            { "episode_number": number, "name": "x", "overview": "x" }
        ] });
        answer
    };
    let net = Recorded::new()
        .answers("append_to_response=external_ids", &long)
        .gives("season/20 ", Err(AskError::TooLarge))
        .answers("season/10 ", &season(1))
        .answers("season/20 ", &season(20))
        .answers("season/21 ", &season(21));
    let found = tmdb().by_id("tv/1399", &series_question(), &net);
    let found = found.expect("an answer").expect("a series");
    let episodes = found.details.episodes;
    let seasons: Vec<_> = episodes.iter().map(|one| one.season).collect();
    assert_eq!(seasons, [1, 20, 21]);
    // Seasons are absent, so that a count would be wrong.
    assert!(
        episodes.iter().all(|one| one.absolute.is_none()),
        "{episodes:?}"
    );
}

#[test]
fn numbers_that_continue_across_seasons_are_absolute() {
    let mut answer = seasons();
    answer["season/2"]["episodes"][0]["episode_number"] = json!(3);
    let net = Recorded::new()
        .answers("append_to_response=external_ids", &series())
        .answers("append_to_response=season", &answer);
    let found = tmdb().by_id("tv/1399", &series_question(), &net);
    let episodes = found
        .expect("an answer")
        .expect("a series")
        .details
        .episodes;
    assert_eq!(episodes[3].absolute, Some(3));
    assert_eq!((episodes[3].season, episodes[3].number), (2, 3));
}

#[test]
fn entry_that_is_too_large_is_requested_without_details() {
    let net = Recorded::new()
        .gives(
            "append_to_response=external_ids,release_dates",
            Err(AskError::TooLarge),
        )
        .answers("append_to_response=external_ids,credits", &film());
    let found = tmdb()
        .by_id("movie/603", &question(), &net)
        .expect("an answer");
    assert_eq!(found.expect("a film").title, "Matrix");
}

#[test]
fn absent_optional_fields_are_unknown() {
    let bare = json!({ "id": 603, "title": "The Matrix" });
    let found = film_of(&bare, &question());
    assert_eq!((found.year, found.cover.clone()), (None, None));
    assert_eq!(found.description, None);
    assert!(found.authors.is_empty() && found.details.genres.is_empty());
    assert_eq!(found.details.links.len(), 1);
}

//! Seasons and episodes of a show.

use std::collections::BTreeSet;

use ledge_core::enrich::{lenient_json, shape};
use ledge_core::registry::provider::{AskError, Base, EpisodeDetails, KnownPart, SeasonPoster};
use serde_json::Value;

use crate::parse::{date, image};

/// Most seasons of a show.
const MAX_SEASONS: usize = 200;
/// Most episodes of a show.
const MAX_EPISODES: usize = 10_000;
/// Largest number of a season or of an episode.
const MAX_NUMBER: i64 = 100_000;

/// Returns the posters of a show's embedded seasons. TVmaze has no season of specials.
pub(crate) fn posters(show: &Value, images: &Base) -> Vec<SeasonPoster> {
    let embedded = show.get("_embedded").unwrap_or(&Value::Null);
    let seasons = lenient_json::list(embedded, "seasons").take(MAX_SEASONS);
    let posters = seasons.filter_map(|found| {
        let season = lenient_json::integer(found, "number")?;
        let url = image(found.get("image")?, images)?;
        (1..=MAX_NUMBER)
            .contains(&season)
            .then_some(SeasonPoster { season, url })
    });
    posters.collect()
}

/// Parses the list of episodes. `parts` are the files of the item.
///
/// TVmaze does not number specials. A special gets the number of the file in season 0 with the same
/// title; a special without such a file is left out, because any other number could be wrong.
pub(crate) fn read(
    answer: &Value,
    parts: &[KnownPart],
    images: &Base,
) -> Result<Vec<EpisodeDetails>, AskError> {
    let episodes = shape::entries(answer)?;
    let mut numbers = BTreeSet::new();
    let mut found = Vec::new();
    let mut before = 0;
    for episode in episodes.iter().take(MAX_EPISODES) {
        shape::object(episode)?;
        let title = lenient_json::line(episode, "name");
        let season = lenient_json::integer(episode, "season");
        let number = lenient_json::integer(episode, "number");
        let (season, number, absolute) = match (season, number) {
            (Some(season), Some(number)) if season > 0 => {
                before += 1;
                (season, number, Some(before))
            }
            _ => match special(title.as_deref(), parts) {
                Some(number) => (0, number, None),
                None => continue,
            },
        };
        let is_plausible = season <= MAX_NUMBER && (0..=MAX_NUMBER).contains(&number);
        if !is_plausible || !numbers.insert((season, number)) {
            continue;
        }
        found.push(EpisodeDetails {
            season,
            number,
            absolute,
            title,
            description: lenient_json::long(episode, "summary"),
            aired: date(episode, "airdate"),
            still: episode
                .get("image")
                .and_then(|picture| image(picture, images)),
        });
    }
    Ok(found)
}

/// Returns the number of the file in season 0 with this title.
fn special(title: Option<&str>, parts: &[KnownPart]) -> Option<i64> {
    let title = letters(title?);
    let mut same = parts.iter().filter(|part| {
        let own = part.title.as_deref().map(letters);
        part.season == Some(0) && !title.is_empty() && own.as_ref() == Some(&title)
    });
    same.next()?.number
}

/// Returns the letters and digits of a title in lower case.
fn letters(title: &str) -> String {
    let letters = title.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

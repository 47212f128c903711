//! Seasons and episodes of a series.

use std::collections::{BTreeMap, BTreeSet};

use ledge_core::enrich::lenient_json;
use ledge_core::registry::provider::{Base, EpisodeDetails, SeasonPoster};
use serde_json::Value;

use super::{POSTER, date, picture};

/// Most seasons of a series. Some daily programmes have one per year.
const MAX_SEASONS: usize = 100;
/// Most episodes of a season and of a series.
const MAX_EPISODES: usize = 2000;
pub(crate) const MAX_ALL_EPISODES: usize = 10_000;
/// Largest number of a season or of an episode.
const MAX_NUMBER: i64 = 100_000;
/// Width of stills.
const STILL: &str = "w780";

/// Returns the numbers of the seasons of an entry, in order. Season 0 contains the specials.
pub(crate) fn seasons(entry: &Value) -> Vec<i64> {
    let seasons = entry.get("seasons").and_then(Value::as_array);
    let numbers = seasons.into_iter().flatten().filter_map(|season| {
        let number = lenient_json::integer(season, "season_number")?;
        (0..=MAX_NUMBER).contains(&number).then_some(number)
    });
    let numbers: BTreeSet<i64> = numbers.take(10 * MAX_SEASONS).collect();
    numbers.into_iter().take(MAX_SEASONS).collect()
}

/// Returns the posters of the seasons of an entry, in order.
pub(crate) fn posters(entry: &Value, images: &Base) -> Vec<SeasonPoster> {
    let seasons = lenient_json::list(entry, "seasons").take(10 * MAX_SEASONS);
    let posters = seasons.filter_map(|season| {
        let number = lenient_json::integer(season, "season_number")?;
        let url = picture(season.get("poster_path")?, POSTER, images)?;
        (0..=MAX_NUMBER).contains(&number).then_some((number, url))
    });
    let posters: BTreeMap<i64, String> = posters.collect();
    let posters = posters
        .into_iter()
        .map(|(season, url)| SeasonPoster { season, url });
    posters.take(MAX_SEASONS).collect()
}

/// Returns the episodes of an appended season, or `None` if the response does not contain it.
pub(crate) fn read(answer: &Value, season: i64, images: &Base) -> Option<Vec<EpisodeDetails>> {
    let episodes = answer.get(format!("season/{season}"))?.get("episodes")?;
    let episodes = episodes.as_array()?.iter().take(MAX_EPISODES);
    let mut numbers = BTreeSet::new();
    let read = episodes.filter_map(|episode| {
        let number = lenient_json::integer(episode, "episode_number")?;
        if !(0..=MAX_NUMBER).contains(&number) || !numbers.insert(number) {
            return None;
        }
        let still = episode.get("still_path");
        Some(EpisodeDetails {
            season,
            number,
            absolute: None,
            title: lenient_json::line(episode, "name"),
            description: lenient_json::long(episode, "overview"),
            aired: date(episode, "air_date"),
            still: still.and_then(|path| picture(path, STILL, images)),
        })
    });
    Some(read.collect())
}

/// Returns `true` if an episode has no texts in the requested language.
pub(crate) fn is_untranslated(episode: &EpisodeDetails) -> bool {
    episode.description.is_none()
}

/// Adds the texts of another language to episodes without texts. TMDB replaces an unknown title by
/// a word and the number: `Episode 3`, `Folge 3`.
pub(crate) fn fall_back(episode: &mut EpisodeDetails, other: EpisodeDetails) {
    let is_generic = |title: &Option<String>| {
        let title = title.as_deref().unwrap_or_default();
        let number = episode.number.to_string();
        title.is_empty() || title.split_whitespace().count() <= 2 && title.contains(&number)
    };
    if is_generic(&episode.title) && !is_generic(&other.title) {
        episode.title = other.title;
    }
    episode.description = episode.description.take().or(other.description);
    episode.still = episode.still.take().or(other.still);
}

/// Counts the episodes of all seasons except for the specials. A series whose numbers continue
/// across its seasons keeps them.
pub(crate) fn count_absolute(episodes: &mut [EpisodeDetails]) {
    let regular = || episodes.iter().filter(|episode| episode.season > 0);
    let numbers: Vec<i64> = regular().map(|episode| episode.number).collect();
    let continues = numbers.windows(2).all(|pair| pair.first() < pair.last());
    let regular = episodes.iter_mut().filter(|episode| episode.season > 0);
    for (count, episode) in (1..).zip(regular) {
        episode.absolute = Some(if continues { episode.number } else { count });
    }
}

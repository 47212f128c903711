//! Parser for TMDB's responses: results of a search, and complete entries.

pub(crate) mod episodes;
mod extras;
mod people;
pub(crate) mod person;

use ledge_core::enrich::{lenient_json, shape};
use ledge_core::registry::naming::{Credit, Series};
use ledge_core::registry::provider::{AskError, Base, Candidate, Cover, Details, ExternalId};
use serde_json::Value;

use crate::id::{Id, MediaType};
use crate::language::{Languages, Translation, Translations};

pub(crate) use extras::is_numbered;

/// Most candidates of a response.
const MAX_CANDIDATES: usize = 20;
/// Most alternative titles of an entry.
const MAX_TITLES: usize = 150;
/// Longest plausible length of a film or an episode, in minutes.
const MAX_RUNTIME: i64 = 6000;
/// Width of posters and backdrops.
const POSTER: &str = "w780";
const BACKDROP: &str = "w1280";

/// Returns the entries in the field `list` of a response to a search.
pub(crate) fn results(
    answer: &Value,
    list: &str,
    media: MediaType,
    images: &Base,
) -> Result<Vec<Candidate>, AskError> {
    let results = shape::list(answer, list)?;
    shape::read_entries(results, MAX_CANDIDATES, |result| {
        let found = basic(result, media, images)?;
        let is_adult = result.get("adult").and_then(Value::as_bool) == Some(true);
        Ok(Some(found).filter(|_| !is_adult))
    })
}

/// Returns the numbers of the entries that an external id identifies. An episode identifies its
/// series.
pub(crate) fn identified(answer: &Value, media: MediaType) -> Result<Vec<u64>, AskError> {
    let (entries, of_episode) = match media {
        MediaType::Film => ("movie_results", None),
        MediaType::Series => ("tv_results", Some("tv_episode_results")),
    };
    let entries = shape::list(answer, entries)?;
    let found = shape::read_entries(entries, 2, |entry| number(entry, "id").map(Some))?;
    match of_episode.and_then(|field| lenient_json::list(answer, field).next()) {
        Some(episode) if found.is_empty() => Ok(number(episode, "show_id").into_iter().collect()),
        _ => Ok(found),
    }
}

fn number(value: &Value, field: &str) -> Result<u64, AskError> {
    let number = shape::object(value)?.get(field);
    number
        .and_then(Value::as_u64)
        .filter(|number| *number > 0)
        .ok_or_else(|| shape::unexpected(&format!("`{field}` is not an identifier")))
}

/// Names of the fields that differ between films and series: title, original title, release.
fn names(media: MediaType) -> (&'static str, &'static str, &'static str) {
    match media {
        MediaType::Film => ("title", "original_title", "release_date"),
        MediaType::Series => ("name", "original_name", "first_air_date"),
    }
}

/// Parses the fields that results and complete entries have in common.
fn basic(entry: &Value, media: MediaType, images: &Base) -> Result<Candidate, AskError> {
    let (title, original, released) = names(media);
    let number = number(entry, "id")?;
    let title = shape::text(entry, title)?
        .ok_or_else(|| shape::unexpected(&format!("an entry has no `{title}`")))?;
    let original = lenient_json::line(entry, original).filter(|original| *original != title);
    let poster = entry
        .get("poster_path")
        .and_then(|path| picture(path, POSTER, images));
    Ok(Candidate {
        provider_id: Id { media, number }.to_string(),
        title,
        other_titles: original.into_iter().collect(),
        year: lenient_json::year(entry, released),
        description: lenient_json::long(entry, "overview"),
        languages: lenient_json::line(entry, "original_language")
            .into_iter()
            .collect(),
        cover: poster.map(Cover::Address),
        external_ids: vec![ExternalId::new("tmdb", number.to_string())],
        ..Candidate::default()
    })
}

/// Parses a complete entry with its appended responses. Returns `None` if it is another entry.
pub(crate) fn entry(
    entry: &Value,
    id: Id,
    languages: &Languages,
    images: &Base,
) -> Result<Option<Candidate>, AskError> {
    let basic = basic(entry, id.media, images)?;
    if basic.provider_id != id.to_string() {
        return Ok(None);
    }
    let translations = Translations::read(entry);
    let (_, original, released) = names(id.media);
    let original = lenient_json::line(entry, original);
    let language = lenient_json::line(entry, "original_language");
    let title = translations.title(
        languages,
        (language.as_deref(), original.as_deref()),
        &basic.title,
    );
    let translated = |text: fn(&Translation) -> Option<&String>| {
        translations.wanted(languages).find_map(text).cloned()
    };
    let people = people::read(entry, images);
    let credits = people.iter().map(|one| Credit {
        name: one.name.clone(),
        role: one.role.clone(),
    });
    let details = Details {
        original_title: original.clone().filter(|original| *original != title),
        tagline: lenient_json::line(entry, "tagline")
            .or_else(|| translated(|one| one.tagline.as_ref())),
        released: date(entry, released),
        ..extras::read(entry, id, languages, images)
    };
    Ok(Some(Candidate {
        other_titles: other_titles(entry, &title, &basic, original, (&translations, languages)),
        description: basic
            .description
            .or_else(|| translated(|one| one.overview.as_ref())),
        authors: credits.collect(),
        external_ids: extras::external_ids(entry, id),
        series: details
            .collection
            .clone()
            .map(|name| Series { name, index: None }),
        details: Details { people, ..details },
        title,
        ..basic
    }))
}

/// Returns the alternative titles. The core compares only the first ones, so the original title and
/// the wanted languages precede.
fn other_titles(
    entry: &Value,
    title: &str,
    basic: &Candidate,
    original: Option<String>,
    (translations, languages): (&Translations, &Languages),
) -> Vec<String> {
    let mut titles: Vec<String> = Vec::new();
    let alternative = ["titles", "results"].into_iter().find_map(|list| {
        let list = entry.get("alternative_titles")?.get(list)?;
        list.as_array().map(Vec::as_slice)
    });
    let alternative = alternative.unwrap_or_default().iter().take(MAX_TITLES);
    let wanted = translations.wanted(languages);
    let all = original
        .into_iter()
        .chain([basic.title.clone()])
        .chain(wanted.filter_map(|one| one.title.clone()))
        .chain(alternative.filter_map(|one| lenient_json::line(one, "title")))
        .chain(translations.titles().map(str::to_owned));
    for other in all {
        if titles.len() < MAX_TITLES && other != title && !titles.contains(&other) {
            titles.push(other);
        }
    }
    titles
}

/// Returns a date of the form `YYYY-MM-DD`.
fn date(value: &Value, field: &str) -> Option<String> {
    let text = lenient_json::line(value, field)?;
    let is_part = |part: Option<&str>, length: usize| {
        part.is_some_and(|part| part.len() == length && part.bytes().all(|b| b.is_ascii_digit()))
    };
    let mut parts = text.split('-');
    let is_date = is_part(parts.next(), 4) && is_part(parts.next(), 2) && is_part(parts.next(), 2);
    (is_date && parts.next().is_none()).then_some(text)
}

/// Returns the URL of a picture of this size. The path is untrusted.
fn picture(path: &Value, size: &str, images: &Base) -> Option<String> {
    let name = path.as_str()?.strip_prefix('/')?;
    let (stem, extension) = name.rsplit_once('.')?;
    let is_stem = (1..=128).contains(&stem.len())
        && stem
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    let is_picture = ["jpg", "jpeg", "png", "webp"].contains(&extension);
    (is_stem && is_picture).then(|| images.join(&format!("{size}/{name}")))
}

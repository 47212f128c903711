//! Further details of an entry: ids, pictures, certificates, links.

use ledge_core::enrich::lenient_json;
use ledge_core::registry::provider::{Base, Certificate, Cover, DetailLink, Details, ExternalId};
use serde_json::Value;

use super::{BACKDROP, MAX_RUNTIME, picture};
use crate::id::{Id, MediaType};
use crate::language::Languages;

/// Most trailers of an entry.
const MAX_TRAILERS: usize = 3;
/// Width of logos.
const LOGO: &str = "w500";
/// Release in cinemas, for which most certificates are issued.
const THEATRICAL: i64 = 3;

/// States of a series with the forms that they map to.
const STATES: &[(&str, &str)] = &[
    ("Returning Series", "running"),
    ("Ended", "ended"),
    ("Canceled", "cancelled"),
    ("Planned", "announced"),
    ("In Production", "announced"),
    ("Pilot", "announced"),
];

/// Reads the details that need no texts of other languages.
pub(super) fn read(entry: &Value, id: Id, languages: &Languages, images: &Base) -> Details {
    let backdrop = entry.get("backdrop_path");
    let backdrop = backdrop.and_then(|path| picture(path, BACKDROP, images));
    let collection = entry.get("belongs_to_collection");
    let state = lenient_json::line(entry, "status").filter(|_| id.media == MediaType::Series);
    let state = STATES
        .iter()
        .find(|(known, _)| state.as_deref() == Some(*known));
    let networks = names(entry, "networks");
    let companies = names(entry, "production_companies");
    Details {
        runtime: runtime(entry),
        genres: names(entry, "genres").collect(),
        studios: without_repetitions(networks.chain(companies)),
        countries: countries(entry),
        collection: collection.and_then(|found| lenient_json::line(found, "name")),
        certificates: match id.media {
            MediaType::Film => film_certificates(entry),
            MediaType::Series => series_certificates(entry),
        },
        form: state.map(|(_, form)| (*form).to_owned()),
        backdrop: backdrop.map(Cover::Address),
        logo: logo(entry, languages, images).map(Cover::Address),
        links: links(entry, id, languages),
        ..Details::default()
    }
}

fn names<'a>(entry: &'a Value, field: &str) -> impl Iterator<Item = String> + use<'a> {
    lenient_json::list(entry, field).filter_map(|one| lenient_json::line(one, "name"))
}

fn without_repetitions(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for name in names {
        if !kept.contains(&name) {
            kept.push(name);
        }
    }
    kept
}

fn runtime(entry: &Value) -> Option<u32> {
    let of_episodes = || lenient_json::list(entry, "episode_run_time").find_map(Value::as_i64);
    let minutes = lenient_json::integer(entry, "runtime").filter(|minutes| *minutes > 0);
    let minutes = minutes.or_else(of_episodes)?;
    let is_plausible = (1..=MAX_RUNTIME).contains(&minutes);
    u32::try_from(minutes).ok().filter(|_| is_plausible)
}

fn countries(entry: &Value) -> Vec<String> {
    let produced = lenient_json::list(entry, "production_countries");
    let produced = produced.filter_map(|one| country(one, "iso_3166_1"));
    let origin = lenient_json::lines(entry, "origin_country");
    let origin = origin.into_iter().filter(|code| is_country(code));
    without_repetitions(produced.chain(origin))
}

fn country(value: &Value, field: &str) -> Option<String> {
    lenient_json::line(value, field).filter(|code| is_country(code))
}

fn is_country(code: &str) -> bool {
    code.len() == 2 && code.bytes().all(|b| b.is_ascii_uppercase())
}

/// Returns one certificate per country. The one of the release in cinemas precedes.
fn film_certificates(entry: &Value) -> Vec<Certificate> {
    let Some(dates) = entry.get("release_dates") else {
        return Vec::new();
    };
    let of_country = |found: &Value| {
        let mut rated: Vec<(bool, String)> = lenient_json::list(found, "release_dates")
            .filter_map(|release| {
                let is_theatrical = lenient_json::integer(release, "type") == Some(THEATRICAL);
                Some((
                    !is_theatrical,
                    lenient_json::line(release, "certification")?,
                ))
            })
            .collect();
        rated.sort_by_key(|(is_other, _)| *is_other);
        Some(Certificate {
            country: country(found, "iso_3166_1")?,
            rating: rated.into_iter().next()?.1,
        })
    };
    lenient_json::list(dates, "results")
        .filter_map(of_country)
        .collect()
}

fn series_certificates(entry: &Value) -> Vec<Certificate> {
    let Some(ratings) = entry.get("content_ratings") else {
        return Vec::new();
    };
    let certificate = |found: &Value| {
        Some(Certificate {
            country: country(found, "iso_3166_1")?,
            rating: lenient_json::line(found, "rating")?,
        })
    };
    lenient_json::list(ratings, "results")
        .filter_map(certificate)
        .collect()
}

/// Returns the first logo in the first wanted language that has one. Logos without a language come
/// last. TMDB also has logos in SVG, which are skipped.
fn logo(entry: &Value, languages: &Languages, images: &Base) -> Option<String> {
    let logos: Vec<&Value> = lenient_json::list(entry.get("images")?, "logos").collect();
    let of = |language: Option<&str>| {
        let mut found = logos
            .iter()
            .filter(|logo| lenient_json::line(logo, "iso_639_1").as_deref() == language);
        found.find_map(|logo| picture(logo.get("file_path")?, LOGO, images))
    };
    let in_language = languages.primary().find_map(|language| of(Some(language)));
    in_language.or_else(|| of(None))
}

/// Returns the ids of the entry in other databases.
pub(super) fn external_ids(entry: &Value, id: Id) -> Vec<ExternalId> {
    let mut ids = vec![ExternalId::new("tmdb", id.number.to_string())];
    ids.extend(imdb(entry, "tt").map(|found| ExternalId::new("imdb", found)));
    let others = entry.get("external_ids");
    let tvdb = others.and_then(|others| lenient_json::integer(others, "tvdb_id"));
    let tvdb = tvdb.filter(|id| *id > 0);
    ids.extend(tvdb.map(|found| ExternalId::new("tvdb", found.to_string())));
    ids.extend(wikidata(entry));
    ids
}

/// Returns the ids of a person in other databases.
pub(super) fn person_ids(entry: &Value) -> Vec<ExternalId> {
    let imdb = imdb(entry, "nm").map(|found| ExternalId::new("imdb", found));
    imdb.into_iter().chain(wikidata(entry)).collect()
}

/// Returns the id in IMDb, whose prefix depends on the type of the entry.
fn imdb(entry: &Value, prefix: &str) -> Option<String> {
    let outside = || lenient_json::line(entry.get("external_ids")?, "imdb_id");
    let id = lenient_json::line(entry, "imdb_id").or_else(outside)?;
    is_numbered(&id, prefix).then_some(id)
}

fn wikidata(entry: &Value) -> Option<ExternalId> {
    let id = lenient_json::line(entry.get("external_ids")?, "wikidata_id")?;
    is_numbered(&id, "Q").then(|| ExternalId::new("wikidata", id))
}

/// Returns `true` for a number after this prefix.
pub(crate) fn is_numbered(id: &str, prefix: &str) -> bool {
    let digits = id.strip_prefix(prefix).unwrap_or_default();
    (1..=12).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit())
}

fn links(entry: &Value, id: Id, languages: &Languages) -> Vec<DetailLink> {
    let mut links = trailers(entry, languages);
    let imdb = imdb(entry, "tt").map(|id| format!("https://www.imdb.com/title/{id}/"));
    links.extend(imdb.map(|url| DetailLink::new("IMDb", url)));
    let own = format!("https://www.themoviedb.org/{id}");
    links.push(DetailLink::new("TMDB", own));
    links
}

/// Returns links to trailers: in the wanted languages first, official ones first.
fn trailers(entry: &Value, languages: &Languages) -> Vec<DetailLink> {
    let Some(videos) = entry.get("videos") else {
        return Vec::new();
    };
    let place = |video: &Value| {
        let language = lenient_json::line(video, "iso_639_1");
        let mut wanted = languages.primary();
        let place = wanted.position(|one| language.as_deref() == Some(one));
        let is_official = video.get("official").and_then(Value::as_bool) == Some(true);
        (place.unwrap_or(usize::MAX), !is_official)
    };
    let mut trailers: Vec<_> = lenient_json::list(videos, "results")
        .filter(|video| lenient_json::line(video, "type").as_deref() == Some("Trailer"))
        .filter_map(|video| Some((place(video), trailer(video)?)))
        .collect();
    trailers.sort_by_key(|(place, _)| *place);
    let trailers = trailers.into_iter().map(|(_, trailer)| trailer);
    trailers.take(MAX_TRAILERS).collect()
}

fn trailer(video: &Value) -> Option<DetailLink> {
    let key = lenient_json::line(video, "key")?;
    let is_key = (1..=64).contains(&key.len())
        && key
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    let page = match lenient_json::line(video, "site")?.as_str() {
        "YouTube" => "https://www.youtube.com/watch?v=",
        "Vimeo" => "https://vimeo.com/",
        _ => return None,
    };
    is_key.then(|| {
        let label = lenient_json::line(video, "name").unwrap_or_else(|| "Trailer".to_owned());
        DetailLink::new(label, format!("{page}{key}"))
    })
}

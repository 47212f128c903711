//! Parser for AniList's entries.

use ledge_core::enrich::{lenient_json, shape};
use ledge_core::registry::naming::{Credit, Series};
use ledge_core::registry::provider::{
    AskError, Base, Candidate, Cover, DetailLink, Details, ExternalId, Query,
};
use serde_json::Value;

use crate::id::Id;
use crate::people;
use crate::query::Wanted;

/// Most candidates of a response.
const MAX_CANDIDATES: usize = 20;
/// Longest plausible episode or film, in minutes.
const MAX_RUNTIME: i64 = 6000;

/// States of an entry with the forms that they map to.
const STATES: &[(&str, &str)] = &[
    ("RELEASING", "running"),
    ("FINISHED", "ended"),
    ("NOT_YET_RELEASED", "announced"),
    ("CANCELLED", "cancelled"),
    ("HIATUS", "hiatus"),
];

/// Returns the `data` of a response. AniList also reports errors in responses with the status 200.
pub(crate) fn data(answer: &Value) -> Result<&Value, AskError> {
    let fields = shape::object(answer)?;
    if let Some(error) = lenient_json::list(answer, "errors").next() {
        let status = lenient_json::integer(error, "status");
        let code = status.and_then(|status| u16::try_from(status).ok());
        return Err(match code.filter(|code| (400..600).contains(code)) {
            Some(code) => AskError::Status {
                code,
                retry_after: None,
            },
            None => shape::unexpected("it reports an error"),
        });
    }
    let data = fields.get("data");
    data.ok_or_else(|| shape::unexpected("it has no `data`"))
}

/// Returns the entries of a search that can be the item.
pub(crate) fn search(
    answer: &Value,
    wanted: Wanted,
    question: &Query,
    images: &Base,
) -> Result<Vec<Candidate>, AskError> {
    let page = shape::object(data(answer)?)?.get("Page");
    let page = page.ok_or_else(|| shape::unexpected("it has no `Page`"))?;
    let media = shape::list(page, "media")?;
    shape::read_entries(media, MAX_CANDIDATES, |found| {
        let candidate = entry(found, question, images)?;
        let is_adult = found.get("isAdult").and_then(Value::as_bool) == Some(true);
        Ok(Some(candidate).filter(|_| !is_adult && wanted.accepts(found)))
    })
}

/// Parses one entry. For a numbered comic, it becomes the description of that volume.
pub(crate) fn entry(found: &Value, question: &Query, images: &Base) -> Result<Candidate, AskError> {
    let number = shape::object(found)?.get("id").and_then(Value::as_u64);
    let number = number.filter(|number| *number > 0);
    let number = number.ok_or_else(|| shape::unexpected("`id` is not an identifier"))?;
    let names = found.get("title").unwrap_or(&Value::Null);
    let mut titles = titles(names, question).into_iter();
    let title = titles
        .next()
        .ok_or_else(|| shape::unexpected("an entry has no `title`"))?;
    let synonyms = lenient_json::lines(found, "synonyms");
    let mut other_titles: Vec<String> = Vec::new();
    for other in titles.chain(synonyms) {
        if other != title && !other_titles.contains(&other) {
            other_titles.push(other);
        }
    }
    let people = people::read(found, images);
    let credits = people.iter().map(|one| Credit {
        name: one.name.clone(),
        role: one.role.clone(),
    });
    let cover = found.get("coverImage").and_then(|cover| {
        picture(cover, "extraLarge", images).or_else(|| picture(cover, "large", images))
    });
    let candidate = Candidate {
        provider_id: number.to_string(),
        title,
        other_titles,
        authors: credits.collect(),
        year: found.get("startDate").and_then(year),
        description: lenient_json::long(found, "description").map(|text| without_spoilers(&text)),
        cover: cover.map(Cover::Address),
        external_ids: external_ids(found, number),
        details: Details {
            people,
            ..details(found, number, names, images)
        },
        ..Candidate::default()
    };
    Ok(as_volume(candidate, number, question))
}

/// Returns the titles, the one for the user's language first.
fn titles(names: &Value, question: &Query) -> Vec<String> {
    let is_japanese = question
        .languages
        .first()
        .is_some_and(|tag| tag.starts_with("ja"));
    let order = if is_japanese {
        ["native", "romaji", "english"]
    } else {
        ["english", "romaji", "native"]
    };
    order
        .into_iter()
        .filter_map(|field| lenient_json::line(names, field))
        .collect()
}

/// Converts the entry of a manga to the volume or chapter that the item is. Year and cover of an
/// entry are those of the first volume.
fn as_volume(entry: Candidate, number: u64, question: &Query) -> Candidate {
    let series = question
        .series
        .as_ref()
        .filter(|_| question.kind == "books");
    let Some((name, index)) = series.and_then(|series| Some((&series.name, series.index?))) else {
        return entry;
    };
    let rest = question
        .title
        .strip_prefix(name.as_str())
        .unwrap_or_default();
    // Issues are not manga.
    if rest.contains(" #") {
        return entry;
    }
    let rest = if rest.is_empty() {
        format!(" {index}")
    } else {
        rest.to_owned()
    };
    let numbered = |title: &String| format!("{title}{rest}");
    let id = Id {
        entry: number,
        number: Some(index),
    };
    let is_first = index <= 1.0;
    Candidate {
        provider_id: id.to_string(),
        title: numbered(&entry.title),
        other_titles: entry.other_titles.iter().map(numbered).collect(),
        series: Some(Series {
            name: entry.title.clone(),
            index: Some(index),
        }),
        year: entry.year.filter(|_| is_first),
        cover: entry.cover.filter(|_| is_first),
        details: Details {
            released: entry.details.released.filter(|_| is_first),
            ..entry.details
        },
        ..entry
    }
}

fn details(found: &Value, number: u64, names: &Value, images: &Base) -> Details {
    let runtime = lenient_json::integer(found, "duration");
    let runtime = runtime.filter(|minutes| (1..=MAX_RUNTIME).contains(minutes));
    let state = lenient_json::line(found, "status");
    let state = STATES
        .iter()
        .find(|(known, _)| state.as_deref() == Some(*known));
    let country = lenient_json::line(found, "countryOfOrigin");
    let country =
        country.filter(|code| code.len() == 2 && code.bytes().all(|b| b.is_ascii_uppercase()));
    Details {
        original_title: lenient_json::line(names, "native"),
        released: found.get("startDate").and_then(date),
        runtime: runtime.and_then(|minutes| u32::try_from(minutes).ok()),
        genres: lenient_json::lines(found, "genres"),
        studios: studios(found),
        countries: country.into_iter().collect(),
        form: state.map(|(_, form)| (*form).to_owned()),
        backdrop: picture(found, "bannerImage", images).map(Cover::Address),
        links: links(found, number),
        ..Details::default()
    }
}

/// Returns the main studios. The others are producers and licensees.
fn studios(found: &Value) -> Vec<String> {
    let studios = found.get("studios").unwrap_or(&Value::Null);
    let main = lenient_json::list(studios, "edges")
        .filter(|edge| edge.get("isMain").and_then(Value::as_bool) == Some(true));
    main.filter_map(|edge| lenient_json::line(edge.get("node")?, "name"))
        .collect()
}

fn year(date: &Value) -> Option<i32> {
    lenient_json::year(date, "year")
}

/// Returns a date with as many parts as are known.
fn date(date: &Value) -> Option<String> {
    let part = |field: &str, most: i64| {
        lenient_json::integer(date, field).filter(|part| (1..=most).contains(part))
    };
    let year = year(date)?;
    Some(match (part("month", 12), part("day", 31)) {
        (Some(month), Some(day)) => format!("{year:04}-{month:02}-{day:02}"),
        (Some(month), None) => format!("{year:04}-{month:02}"),
        (None, _) => format!("{year:04}"),
    })
}

fn is_anime(found: &Value) -> bool {
    found.get("type").and_then(Value::as_str) == Some("ANIME")
}

fn mal(found: &Value) -> Option<i64> {
    lenient_json::integer(found, "idMal").filter(|id| *id > 0)
}

fn external_ids(found: &Value, number: u64) -> Vec<ExternalId> {
    let mal = mal(found).map(|id| ExternalId::new("mal", id.to_string()));
    [ExternalId::new("anilist", number.to_string())]
        .into_iter()
        .chain(mal)
        .collect()
}

fn links(found: &Value, number: u64) -> Vec<DetailLink> {
    let section = if is_anime(found) { "anime" } else { "manga" };
    let trailer = found.get("trailer").and_then(trailer);
    let trailer = trailer.map(|url| DetailLink::new("Trailer", url));
    let own = DetailLink::new("AniList", format!("https://anilist.co/{section}/{number}"));
    let mal = mal(found).map(|id| {
        DetailLink::new(
            "MyAnimeList",
            format!("https://myanimelist.net/{section}/{id}"),
        )
    });
    trailer.into_iter().chain([own]).chain(mal).collect()
}

fn trailer(found: &Value) -> Option<String> {
    let id = lenient_json::line(found, "id")?;
    let is_id = (1..=64).contains(&id.len())
        && id
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    let page = match lenient_json::line(found, "site")?.as_str() {
        "youtube" => "https://www.youtube.com/watch?v=",
        "dailymotion" => "https://www.dailymotion.com/video/",
        _ => return None,
    };
    is_id.then(|| format!("{page}{id}"))
}

/// Removes the parts between `~!` and `!~`, which the site hides.
fn without_spoilers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, hidden)) = rest.split_once("~!") {
        out.push_str(before);
        rest = hidden.split_once("!~").map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out.trim().to_owned()
}

/// Returns the URL of a picture on the configured host. The host of the response is not used.
pub(crate) fn picture(found: &Value, field: &str, images: &Base) -> Option<String> {
    const FOLDER: &str = "/file/anilistcdn/";
    let url = lenient_json::line(found, field)?;
    let name = url.get(url.find(FOLDER)? + FOLDER.len()..)?;
    let is_part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
    };
    let is_name = name.len() <= 200 && name.split('/').all(is_part);
    // AniList has a picture of its own for entries and people without one.
    let is_default = name.ends_with("/default.jpg");
    (is_name && !is_default).then(|| images.join(&format!("{FOLDER}{name}")))
}

//! Parser for Audnexus's responses: books and lists of chapters.

use ledge_core::enrich::{lenient_json, shape};
use ledge_core::registry::naming::{Credit, Series};
use ledge_core::registry::provider::{
    AskError, Base, Candidate, ChapterDetails, Cover, DetailLink, Details, ExternalId, PersonCredit,
};
use ledge_core::text::markup::text;
use serde_json::Value;

use crate::{asin, region};

/// Most genres that are kept.
const MAX_GENRES: usize = 10;
/// Most chapters that are kept.
const MAX_CHAPTERS: usize = 2_000;

/// Parses a book. Returns `None` if it has no title.
pub(crate) fn book(book: &Value, region: &str, base: &Base) -> Result<Option<Candidate>, AskError> {
    let id = shape::text(book, "asin")?;
    let id = id
        .and_then(|id| asin::parse(&id))
        .ok_or_else(|| shape::unexpected("`asin` is not an identifier"))?;
    let Some(title) = shape::text(book, "title")? else {
        return Ok(None);
    };
    let people = [
        people(book, "authors", "author"),
        people(book, "narrators", "narrator"),
    ]
    .concat();
    let released = lenient_json::line(book, "releaseDate").and_then(|date| day(&date));
    let page = region::page(region, &id).map(|url| DetailLink::new("Audible", url));
    Ok(Some(Candidate {
        title,
        subtitle: lenient_json::line(book, "subtitle"),
        authors: people
            .iter()
            .map(|person| Credit {
                name: person.name.clone(),
                role: person.role.clone(),
            })
            .collect(),
        year: released.as_deref().and_then(lenient_json::year_in),
        description: lenient_json::long(book, "summary")
            .or_else(|| lenient_json::long(book, "description")),
        isbns: lenient_json::lines(book, "isbn"),
        languages: lenient_json::lines(book, "language"),
        series: series(book, "seriesPrimary").or_else(|| series(book, "seriesSecondary")),
        cover: lenient_json::line(book, "image")
            .filter(|url| url.starts_with(&format!("https://{}/", crate::COVER_HOST)))
            .map(|url| Cover::Address(base.rehost(&url))),
        external_ids: vec![ExternalId::new("asin", &*id)],
        details: Details {
            released,
            runtime: lenient_json::integer(book, "runtimeLengthMin")
                .and_then(|minutes| u32::try_from(minutes).ok()),
            genres: genres(book),
            studios: lenient_json::lines(book, "publisherName"),
            form: lenient_json::line(book, "formatType"),
            people,
            links: page.into_iter().collect(),
            ..Details::default()
        },
        provider_id: id,
        ..Candidate::default()
    }))
}

fn people(book: &Value, field: &str, role: &str) -> Vec<PersonCredit> {
    let person = |person: &Value| {
        let id = lenient_json::line(person, "asin").and_then(|id| asin::parse(&id));
        Some(PersonCredit {
            name: lenient_json::line(person, "name")?,
            role: role.to_owned(),
            ids: id
                .map(|id| ExternalId::new("audible", id))
                .into_iter()
                .collect(),
            ..PersonCredit::default()
        })
    };
    lenient_json::list(book, field).filter_map(person).collect()
}

/// Returns genres first, then the finer tags.
fn genres(book: &Value) -> Vec<String> {
    let of_type = |kind: &'static str| {
        let genres = lenient_json::list(book, "genres");
        genres.filter(move |genre| lenient_json::line(genre, "type").as_deref() == Some(kind))
    };
    let genres = of_type("genre").chain(of_type("tag"));
    let names = genres.filter_map(|genre| lenient_json::line(genre, "name"));
    names.take(MAX_GENRES).collect()
}

fn series(book: &Value, field: &str) -> Option<Series> {
    let series = book.get(field)?;
    let position = lenient_json::line(series, "position");
    Some(Series {
        name: lenient_json::line(series, "name")?,
        index: position.as_deref().and_then(text::number),
    })
}

/// Returns the day of a time such as `2021-05-04T00:00:00.000Z`.
fn day(time: &str) -> Option<String> {
    let day = time.get(..10)?;
    let is_day = day.split('-').map(str::len).eq([4, 2, 2])
        && day
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'-');
    is_day.then(|| day.to_owned())
}

/// Parses a list of chapters. Chapters that Audible itself describes as inaccurate are omitted.
pub(crate) fn chapters(list: &Value) -> Result<Vec<ChapterDetails>, AskError> {
    let entries = shape::list(list, "chapters")?;
    if list.get("isAccurate").and_then(Value::as_bool) == Some(false) {
        return Ok(Vec::new());
    }
    let chapter = |entry: &Value| {
        let start = lenient_json::integer(entry, "startOffsetMs")?;
        Some(ChapterDetails {
            title: lenient_json::line(entry, "title")?,
            start: f64::from(u32::try_from(start).ok()?) / 1000.0,
        })
    };
    let chapters = entries.iter().take(MAX_CHAPTERS).filter_map(chapter);
    Ok(chapters.collect())
}

//! Parser for TVmaze's shows.

use ledge_core::enrich::{lenient_json, shape};
use ledge_core::registry::naming::Credit;
use ledge_core::registry::provider::{
    AskError, Base, Candidate, Cover, DetailLink, Details, ExternalId, PersonCredit,
};
use serde_json::Value;

/// Most candidates of a response.
const MAX_CANDIDATES: usize = 20;
/// Most people of a show.
const MAX_PEOPLE: usize = 100;
/// Longest plausible episode, in minutes.
const MAX_RUNTIME: i64 = 6000;

/// Types of crew members with the roles that they map to. Creators are in the author line.
const CREW: &[(&str, &str)] = &[
    ("Creator", "author"),
    ("Co-Creator", "author"),
    ("Writer", "writer"),
    ("Composer", "composer"),
    ("Producer", "producer"),
];

/// States of a show with the forms that they map to.
const STATES: &[(&str, &str)] = &[
    ("Running", "running"),
    ("To Be Determined", "running"),
    ("Ended", "ended"),
    ("In Development", "announced"),
];

/// Returns the shows of a response to a search.
pub(crate) fn search(answer: &Value, images: &Base) -> Result<Vec<Candidate>, AskError> {
    let results = shape::entries(answer)?;
    shape::read_entries(results, MAX_CANDIDATES, |result| {
        let found = shape::object(result)?.get("show");
        let found = found.ok_or_else(|| shape::unexpected("a result has no `show`"))?;
        show(found, images).map(Some)
    })
}

/// Returns the number of a show.
pub(crate) fn number(show: &Value) -> Result<u64, AskError> {
    let number = shape::object(show)?.get("id").and_then(Value::as_u64);
    number
        .filter(|number| *number > 0)
        .ok_or_else(|| shape::unexpected("`id` is not a show identifier"))
}

/// Parses a show with its embedded people, titles and pictures. The episodes are not part of it.
pub(crate) fn show(show: &Value, images: &Base) -> Result<Candidate, AskError> {
    let number = number(show)?;
    let title =
        shape::text(show, "name")?.ok_or_else(|| shape::unexpected("a show has no `name`"))?;
    let embedded = show.get("_embedded").unwrap_or(&Value::Null);
    let people = people(embedded, images);
    let credits = people.iter().map(|one| Credit {
        name: one.name.clone(),
        role: one.role.clone(),
    });
    let mut other_titles: Vec<String> = Vec::new();
    for aka in lenient_json::list(embedded, "akas") {
        other_titles.extend(lenient_json::line(aka, "name").filter(|name| *name != title));
    }
    let poster = show.get("image").and_then(|found| image(found, images));
    Ok(Candidate {
        provider_id: number.to_string(),
        other_titles,
        year: lenient_json::year(show, "premiered"),
        description: lenient_json::long(show, "summary"),
        authors: credits.collect(),
        languages: lenient_json::line(show, "language").into_iter().collect(),
        cover: poster.map(Cover::Address),
        external_ids: external_ids(show, number),
        details: details(show, number, (embedded, images), people),
        title,
        ..Candidate::default()
    })
}

fn details(
    show: &Value,
    number: u64,
    (embedded, images): (&Value, &Base),
    people: Vec<PersonCredit>,
) -> Details {
    let stations: Vec<&Value> = ["network", "webChannel"]
        .into_iter()
        .filter_map(|field| show.get(field))
        .collect();
    let mut countries: Vec<String> = Vec::new();
    for station in &stations {
        let code = station
            .get("country")
            .and_then(|one| lenient_json::line(one, "code"));
        let is_code =
            |code: &String| code.len() == 2 && code.bytes().all(|b| b.is_ascii_uppercase());
        countries.extend(code.filter(|code| is_code(code) && !countries.contains(code)));
    }
    let state = lenient_json::line(show, "status");
    let state = STATES
        .iter()
        .find(|(known, _)| state.as_deref() == Some(*known));
    let backdrop = lenient_json::list(embedded, "images").find_map(|picture| {
        let is_wide = lenient_json::line(picture, "type").as_deref() == Some("background");
        let original = picture
            .pointer("/resolutions/original")
            .filter(|_| is_wide)?;
        address(original, "url", images)
    });
    Details {
        released: date(show, "premiered"),
        runtime: ["runtime", "averageRuntime"]
            .into_iter()
            .find_map(|field| runtime(show, field)),
        genres: lenient_json::lines(show, "genres"),
        studios: stations
            .iter()
            .filter_map(|one| lenient_json::line(one, "name"))
            .collect(),
        countries,
        form: state.map(|(_, form)| (*form).to_owned()),
        people,
        backdrop: backdrop.map(Cover::Address),
        links: links(show, number),
        ..Details::default()
    }
}

fn runtime(show: &Value, field: &str) -> Option<u32> {
    let minutes = lenient_json::integer(show, field)?;
    let is_plausible = (1..=MAX_RUNTIME).contains(&minutes);
    u32::try_from(minutes).ok().filter(|_| is_plausible)
}

/// Returns the people of a show: the creators, the cast in billing order, then the crew.
fn people(embedded: &Value, images: &Base) -> Vec<PersonCredit> {
    let mut crew: Vec<PersonCredit> = Vec::new();
    for member in lenient_json::list(embedded, "crew") {
        let kind = lenient_json::line(member, "type");
        let role = CREW
            .iter()
            .find(|(known, _)| kind.as_deref() == Some(*known));
        let found = role.and_then(|(_, role)| person(member.get("person")?, role, images));
        crew.extend(found.filter(|found| !crew.contains(found)));
    }
    let cast = lenient_json::list(embedded, "cast").filter_map(|member| {
        let character = member.get("character");
        Some(PersonCredit {
            character: character.and_then(|found| lenient_json::line(found, "name")),
            ..person(member.get("person")?, "actor", images)?
        })
    });
    let (mut people, others): (Vec<_>, Vec<_>) =
        crew.into_iter().partition(|one| one.role == "author");
    people.extend(cast);
    people.extend(others);
    people.truncate(MAX_PEOPLE);
    people
}

fn person(found: &Value, role: &str, images: &Base) -> Option<PersonCredit> {
    let number = found
        .get("id")
        .and_then(Value::as_u64)
        .filter(|number| *number > 0);
    let id = number.map(|number| ExternalId::new("tvmaze", number.to_string()));
    Some(PersonCredit {
        name: lenient_json::line(found, "name")?,
        role: role.to_owned(),
        character: None,
        ids: id.into_iter().collect(),
        picture: found
            .get("image")
            .and_then(|picture| image(picture, images)),
    })
}

fn external_ids(show: &Value, number: u64) -> Vec<ExternalId> {
    let mut ids = vec![ExternalId::new("tvmaze", number.to_string())];
    let Some(externals) = show.get("externals") else {
        return ids;
    };
    ids.extend(imdb(externals).map(|id| ExternalId::new("imdb", id)));
    let tvdb = lenient_json::integer(externals, "thetvdb").filter(|id| *id > 0);
    ids.extend(tvdb.map(|id| ExternalId::new("tvdb", id.to_string())));
    ids
}

fn imdb(externals: &Value) -> Option<String> {
    lenient_json::line(externals, "imdb").filter(|id| is_imdb(id))
}

/// Returns `true` for an id of IMDb's titles.
pub(crate) fn is_imdb(id: &str) -> bool {
    let digits = id.strip_prefix("tt").unwrap_or_default();
    (1..=12).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit())
}

/// Returns links to pages of the show. The licence requires the one to TVmaze.
fn links(show: &Value, number: u64) -> Vec<DetailLink> {
    let imdb = show.get("externals").and_then(imdb);
    let imdb = imdb.map(|id| DetailLink::new("IMDb", format!("https://www.imdb.com/title/{id}/")));
    let own = DetailLink::new("TVmaze", format!("https://www.tvmaze.com/shows/{number}"));
    imdb.into_iter().chain([own]).collect()
}

/// Returns a date of the form `YYYY-MM-DD`.
pub(crate) fn date(value: &Value, field: &str) -> Option<String> {
    let text = lenient_json::line(value, field)?;
    let is_date = text.len() == 10
        && text.bytes().enumerate().all(|(at, b)| match at {
            4 | 7 => b == b'-',
            _ => b.is_ascii_digit(),
        });
    is_date.then_some(text)
}

/// Returns the URL of the largest form of a picture.
pub(crate) fn image(found: &Value, images: &Base) -> Option<String> {
    address(found, "original", images).or_else(|| address(found, "medium", images))
}

/// Returns the URL of a picture on the configured host. The host of the response is not used.
fn address(found: &Value, field: &str, images: &Base) -> Option<String> {
    const FOLDER: &str = "/uploads/images/";
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
    is_name.then(|| images.join(&format!("{FOLDER}{name}")))
}

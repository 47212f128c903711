//! Parser for issues. Collected editions are issues, too.

use ledge_core::enrich::{lenient_json, shape};
use ledge_core::registry::naming::{Credit, Series};
use ledge_core::registry::provider::{
    AskError, Base, Candidate, Cover, DetailLink, Details, ExternalId, PersonCredit,
};
use serde_json::Value;

use crate::number::{Comic, Form, letters};

/// Prefix of the identifiers of issues.
const PREFIX: &str = "4000-";
/// Most people of an issue.
const MAX_PEOPLE: usize = 100;

/// Roles of people with the roles that they map to. Writers are the authors, as in ComicInfo.xml.
const ROLES: &[(&str, &str)] = &[
    ("writer", "author"),
    ("penciler", "penciller"),
    ("penciller", "penciller"),
    ("inker", "inker"),
    ("artist", "artist"),
    ("colorist", "colorist"),
    ("letterer", "letterer"),
    ("cover", "cover_artist"),
    ("editor", "editor"),
    ("translator", "translator"),
];

/// Words in the name of an issue that is a collected edition.
const COLLECTED: &[&str] = &[
    "vol",
    "volume",
    "tome",
    "tpb",
    "hc",
    "gn",
    "omnibus",
    "compendium",
    "deluxe",
    "hardcover",
    "paperback",
];

/// Parses an id: `4000-6`, `6`, or the address of a page.
pub(crate) fn number(text: &str) -> Option<u64> {
    let text = text.trim().trim_end_matches('/');
    let last = text.rsplit('/').next()?;
    let digits = last.strip_prefix(PREFIX).unwrap_or(last);
    let is_number = (1..=12).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    digits
        .parse()
        .ok()
        .filter(|number| is_number && *number > 0)
}

/// Returns the id of an issue in the API and on the site.
pub(crate) fn id(number: u64) -> String {
    format!("{PREFIX}{number}")
}

/// Returns `true` if an issue of a list can be the comic: its number and its form do not differ.
pub(crate) fn accepts(issue: &Value, comic: &Comic<'_>) -> bool {
    let number: Option<f64> =
        lenient_json::line(issue, "issue_number").and_then(|number| number.parse().ok());
    let wanted = comic.number.unwrap_or(1.0);
    // Both numbers are decimal texts with few digits.
    let is_number = number.is_some_and(|number| (number - wanted).abs() < 1e-6);
    let name = lenient_json::line(issue, "name")
        .unwrap_or_default()
        .to_lowercase();
    let mut words = name.split(|c: char| !c.is_alphanumeric());
    let is_collected = words.any(|word| COLLECTED.contains(&word));
    is_number
        && match comic.form {
            Form::Issue => !is_collected,
            Form::Collected => is_collected,
            Form::Unknown => true,
        }
}

/// Parses an issue of a list, or a complete one.
pub(crate) fn read(
    issue: &Value,
    comic: Option<&Comic<'_>>,
    images: &Base,
) -> Result<Candidate, AskError> {
    let number = shape::object(issue)?.get("id").and_then(Value::as_u64);
    let number = number.filter(|number| *number > 0);
    let number = number.ok_or_else(|| shape::unexpected("`id` is not an issue identifier"))?;
    let volume = issue.get("volume").unwrap_or(&Value::Null);
    let volume = lenient_json::line(volume, "name");
    let volume = volume.ok_or_else(|| shape::unexpected("an issue has no `volume`"))?;
    let shown = lenient_json::line(issue, "issue_number");
    let index = shown.as_deref().and_then(|shown| shown.parse().ok());
    let index = index.filter(|index: &f64| index.is_finite());
    let name = lenient_json::line(issue, "name");
    let (title, other_titles) = titles(&volume, shown.as_deref(), name.as_deref(), comic);
    let people = people(issue);
    let credits = people.iter().map(|one| Credit {
        name: one.name.clone(),
        role: one.role.clone(),
    });
    let mut arcs = lenient_json::list(issue, "story_arc_credits");
    let details = Details {
        released: date(issue),
        collection: arcs.find_map(|arc| lenient_json::line(arc, "name")),
        links: vec![DetailLink::new(
            "Comic Vine",
            format!("https://comicvine.gamespot.com/issue/{}/", id(number)),
        )],
        ..Details::default()
    };
    Ok(Candidate {
        provider_id: id(number),
        title,
        other_titles,
        authors: credits.collect(),
        year: ["cover_date", "store_date"]
            .into_iter()
            .find_map(|field| lenient_json::year(issue, field)),
        description: ["description", "deck"]
            .into_iter()
            .find_map(|field| lenient_json::long(issue, field)),
        series: Some(Series {
            name: volume,
            index,
        }),
        cover: issue.get("image").and_then(|found| cover(found, images)),
        external_ids: vec![ExternalId::new("comicvine", id(number))],
        details: Details { people, ..details },
        ..Candidate::default()
    })
}

/// Returns the title, and further titles. The number of the issue is already compared, so the title
/// has the form of the item's own title.
fn titles(
    volume: &str,
    number: Option<&str>,
    name: Option<&str>,
    comic: Option<&Comic<'_>>,
) -> (String, Vec<String>) {
    let numbered = match (number, comic) {
        (_, Some(comic)) if !comic.rest.is_empty() => format!("{volume}{}", comic.rest),
        (_, Some(comic)) if comic.number.is_none() => volume.to_owned(),
        (Some(number), _) => format!("{volume} #{number}"),
        (None, _) => volume.to_owned(),
    };
    let mut others = Vec::new();
    if let Some(name) = name {
        others.push(name.to_owned());
        others.push(format!("{numbered} - {name}"));
    }
    // The volume may have the item's name as an alias.
    if let Some(comic) = comic.filter(|comic| letters(comic.series) != letters(volume)) {
        others.push(format!("{}{}", comic.series, comic.rest));
    }
    (numbered, others)
}

fn people(issue: &Value) -> Vec<PersonCredit> {
    let mut people: Vec<PersonCredit> = Vec::new();
    for person in lenient_json::list(issue, "person_credits") {
        let Some(name) = lenient_json::line(person, "name") else {
            continue;
        };
        let number = person
            .get("id")
            .and_then(Value::as_u64)
            .filter(|number| *number > 0);
        let ids = number.map(|number| ExternalId::new("comicvine", format!("4040-{number}")));
        let ids: Vec<ExternalId> = ids.into_iter().collect();
        // One person may have several roles: `writer, cover`.
        let roles = lenient_json::line(person, "role")
            .unwrap_or_default()
            .to_lowercase();
        for role in roles.split(',').map(str::trim).take(20) {
            let role = ROLES.iter().find(|(known, _)| *known == role);
            let credit = role.map(|(_, role)| PersonCredit {
                name: name.clone(),
                role: (*role).to_owned(),
                ids: ids.clone(),
                ..PersonCredit::default()
            });
            people.extend(credit.filter(|credit| !people.contains(credit)));
        }
    }
    people.truncate(MAX_PEOPLE);
    people.sort_by_key(|one| one.role != "author");
    people
}

/// Returns the date on the cover, `YYYY-MM-DD`.
fn date(issue: &Value) -> Option<String> {
    let text = lenient_json::line(issue, "cover_date")?;
    let is_date = text.len() == 10
        && text.bytes().enumerate().all(|(at, b)| match at {
            4 | 7 => b == b'-',
            _ => b.is_ascii_digit(),
        });
    is_date.then_some(text)
}

/// Returns the URL of the large cover on the configured host. The host of the response is not used.
fn cover(image: &Value, images: &Base) -> Option<Cover> {
    const FOLDER: &str = "/a/uploads/";
    let address = |field: &str| {
        let url = lenient_json::line(image, field)?;
        let name = url.get(url.find(FOLDER)? + FOLDER.len()..)?;
        let is_part = |part: &str| {
            !part.is_empty()
                && !part.starts_with('.')
                && part
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'%'))
        };
        // Issues without a cover have a picture of their own.
        let is_cover = name.len() <= 300 && name.split('/').all(is_part);
        let is_placeholder = name.contains("img_broken");
        (is_cover && !is_placeholder).then(|| images.join(&format!("{FOLDER}{name}")))
    };
    let url = ["super_url", "original_url", "medium_url"]
        .into_iter()
        .find_map(address);
    url.map(Cover::Address)
}

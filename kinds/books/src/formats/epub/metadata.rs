//! Interpretation of a package's metadata: main title, credits, series and facts.

use std::collections::BTreeMap;

use ledge_core::registry::naming::{Credit, Series};
use ledge_core::registry::reading::Inspection;
use ledge_core::text::language;
use ledge_core::text::names::people;
use serde_json::{Value, json};

use super::package::{Entry, Package};
use crate::formats::{date, relators};
use crate::names::book::is_unknown_author;
use crate::text::number;
use crate::{html, isbn, text};

/// Most credits of a book.
const MOST_CREDITS: usize = 200;
/// Most subjects that are kept.
const MOST_SUBJECTS: usize = 50;

/// Returns the book's metadata.
pub(super) fn inspection(package: &Package) -> Inspection {
    let date = date_of(package);
    Inspection {
        title: title(package),
        year: date.and_then(date::year),
        credits: credits(package),
        series: series(package),
        description: package
            .all("description")
            .find_map(|entry| html::plain(&entry.text)),
        facts: facts(package, date),
        extent: Some(package.spine).filter(|sections| *sections > 0),
        ..Inspection::default()
    }
}

/// Returns the title of type `main`, otherwise the first title.
fn title(package: &Package) -> Option<String> {
    let titles = || package.all("title");
    let main = titles().filter(|title| is_type(package, title, "main"));
    main.chain(titles())
        .find_map(|title| text::line(&title.text))
}

fn subtitle(package: &Package) -> Option<String> {
    package
        .all("title")
        .filter(|title| is_type(package, title, "subtitle"))
        .find_map(|title| text::line(&title.text))
}

fn is_type(package: &Package, title: &Entry, kind: &str) -> bool {
    package
        .refinements(title.id.as_deref(), "title-type")
        .any(|value| value == kind)
}

/// Returns the creators in display order, then the contributors.
fn credits(package: &Package) -> Vec<Credit> {
    let mut creators: Vec<&Entry> = package.all("creator").collect();
    creators.sort_by_key(|creator| {
        let position = package.refinement(creator.id.as_deref(), "display-seq");
        position
            .and_then(|position| position.parse::<u32>().ok())
            .unwrap_or(u32::MAX)
    });
    let creators = creators.into_iter().map(|entry| (entry, "aut"));
    let contributors = package.all("contributor").map(|entry| (entry, "ctb"));
    let mut credits = Vec::new();
    for (entry, default) in creators.chain(contributors) {
        let name = text::line(&entry.text).filter(|name| !is_unknown_author(name));
        let Some(name) = name else {
            continue;
        };
        let name = people::direct(&name);
        for role in roles(package, entry, default) {
            let credit = Credit {
                name: name.clone(),
                role,
            };
            if credits.len() < MOST_CREDITS && !credits.contains(&credit) {
                credits.push(credit);
            }
        }
    }
    credits
}

fn roles(package: &Package, entry: &Entry, default: &str) -> Vec<String> {
    let mut codes: Vec<&str> = package.refinements(entry.id.as_deref(), "role").collect();
    codes.extend(entry.role.as_deref());
    codes.retain(|code| !code.is_empty());
    if codes.is_empty() {
        codes.push(default);
    }
    let mut roles: Vec<String> = codes.into_iter().filter_map(relators::role).collect();
    roles.dedup();
    roles
}

/// Returns the series: calibre's value, otherwise a collection of type `series`, otherwise a
/// collection with a position.
fn series(package: &Package) -> Option<Series> {
    calibre_series(package).or_else(|| collection(package))
}

fn calibre_series(package: &Package) -> Option<Series> {
    let name = text::line(package.meta("calibre:series")?)?;
    let index = package.meta("calibre:series_index").and_then(number);
    Some(Series { name, index })
}

fn collection(package: &Package) -> Option<Series> {
    let kind = |id| package.refinement(id, "collection-type");
    let position = |id| package.refinement(id, "group-position");
    let collections = || {
        package
            .metas
            .iter()
            .filter(|meta| meta.name == "belongs-to-collection")
            .map(|meta| (meta, meta.id.as_deref()))
    };
    let is_series = |id| kind(id).is_some_and(|kind| kind.eq_ignore_ascii_case("series"));
    let typed = collections().filter(|(_, id)| is_series(*id));
    let numbered = collections().filter(|(_, id)| kind(*id).is_none() && position(*id).is_some());
    let mut found = typed.chain(numbered);
    found.find_map(|(meta, id)| {
        Some(Series {
            name: text::line(&meta.value)?,
            index: position(id).and_then(number),
        })
    })
}

/// Returns the date of publication, otherwise one that is not a date of modification or conversion.
fn date_of(package: &Package) -> Option<&str> {
    let event = |entry: &Entry| entry.event.as_deref().unwrap_or_default().to_lowercase();
    let dates = |wanted: fn(&str) -> bool| {
        package
            .all("date")
            .filter(move |entry| wanted(&event(entry)))
            .map(|entry| entry.text.trim())
            .find(|date| date::year(date).is_some())
    };
    dates(|event| event.contains("publication"))
        .or_else(|| dates(str::is_empty))
        .or_else(|| dates(|event| !event.contains("modif") && !event.contains("conver")))
        .or_else(|| package.meta("dcterms:issued"))
}

fn facts(package: &Package, date: Option<&str>) -> BTreeMap<String, Value> {
    let first = |name| package.all(name).find_map(|entry| text::line(&entry.text));
    let language = package
        .all("language")
        .find_map(|entry| language::tag(&entry.text));
    let mut facts = BTreeMap::new();
    let mut fact = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            facts.insert(name.to_owned(), value);
        }
    };
    fact("subtitle", subtitle(package).map(Value::from));
    fact("language", language.map(Value::from));
    fact("publisher", first("publisher").map(Value::from));
    fact("date", date.and_then(text::line).map(Value::from));
    fact("isbn", isbn(package).map(Value::from));
    fact("subjects", subjects(package));
    fact("fixed_layout", is_fixed(package).then_some(json!(true)));
    let direction = package.direction.as_deref();
    fact(
        "direction",
        direction.filter(|value| *value == "rtl").map(Value::from),
    );
    facts
}

/// Returns true for a fixed layout, in the notation of EPUB 3 or of older readers.
fn is_fixed(package: &Package) -> bool {
    let has_value = |name: &str, value: &str| {
        package
            .meta(name)
            .is_some_and(|found| found.eq_ignore_ascii_case(value))
    };
    has_value("rendition:layout", "pre-paginated") || has_value("fixed-layout", "true")
}

fn isbn(package: &Package) -> Option<String> {
    let is_named = |entry: &&Entry| {
        let scheme = entry.scheme.as_deref().unwrap_or_default();
        let kind = package.refinement(entry.id.as_deref(), "identifier-type");
        // ONIX code list 5 has 02 for ISBN-10 and 15 for ISBN-13.
        scheme.to_lowercase().starts_with("isbn")
            || entry.text.to_lowercase().contains("isbn")
            || kind.is_some_and(|kind| matches!(kind, "02" | "15"))
    };
    let identifiers = || package.all("identifier");
    identifiers()
        .filter(is_named)
        .chain(identifiers())
        .find_map(|entry| isbn::parse(&entry.text))
}

fn subjects(package: &Package) -> Option<Value> {
    let mut subjects: Vec<String> = Vec::new();
    for subject in package
        .all("subject")
        .filter_map(|entry| text::line(&entry.text))
    {
        if subjects.len() < MOST_SUBJECTS && !subjects.contains(&subject) {
            subjects.push(subject);
        }
    }
    (!subjects.is_empty()).then(|| json!(subjects))
}

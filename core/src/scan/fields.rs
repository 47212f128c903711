//! What a scan says about an item: the files' own words before those of their names.

use std::collections::BTreeMap;

use serde_json::Value;

use super::change::{PreparedFile, PreparedGroup};
use super::name;
use crate::registry::naming::{Credit, ItemNames};
use crate::registry::reading::{Inspection, Share, Together};
use crate::registry::{Format, ItemTraits};
use crate::store::catalogue::beneath::scanned;
use crate::store::catalogue::{Fields, Sourced, StoredItem, source};
use crate::store::person;

/// Longest title, in characters.
const MAX_TITLE: usize = 500;

/// The fields of an item, from the names of a group and from what was read of its files just now.
///
/// The first file that says something about a field has the word. A field that came from a file
/// stays as it is stored unless the group's first file was read anew and says another, or all files
/// were and none says any: files that did not change are not read, and what they once said still
/// holds. What the files say together is made of all of them, read anew or not.
pub(super) fn fields(group: &PreparedGroup, stored: Option<&StoredItem>) -> Fields {
    let names = &group.names;
    let each = Voice::of(&group.files);
    let voice = group
        .together
        .as_deref()
        .map_or_else(|| each.clone(), Voice::together);
    let file_facts = voice.facts(stored);
    let mut facts = names.facts.clone();
    facts.extend(file_facts.clone());
    let title = voice
        .first(|said| said.title.as_deref().map(clean).filter(|t| !t.is_empty()))
        .map(file_says)
        .or_else(|| Some(name_says(clean(&names.title))));
    let year = voice
        .first(|said| said.year.and_then(plausible))
        .map(|year| file_says(Some(year)))
        .or_else(|| Some(name_says(names.year.and_then(plausible))));
    let description = each
        .first(|said| said.description.clone().filter(|text| !text.is_empty()))
        .map(|text| file_says(Some(text)))
        .or_else(|| Some(name_says(None)));
    let series = voice
        .first(|said| said.series.clone())
        .map(|series| file_says(Some(series)))
        .or_else(|| Some(name_says(names.series.clone())));
    let file = Scanned::of(stored);
    Fields {
        title: voice.unless_kept(title, file.title),
        year: voice.unless_kept(year, file.year),
        description: each.unless_kept(description, file.description),
        series: voice.unless_kept(series, file.series),
        credits: voice.unless_kept(Some(credits(names, &voice)), file.credits),
        subkind: subkind(group, &facts),
        facts: json(&facts),
        file_facts: json(&file_facts),
    }
}

/// The subkind that the kind assigns to the item; one that it does not declare is none.
fn subkind(group: &PreparedGroup, facts: &BTreeMap<String, Value>) -> Option<&'static str> {
    let format = |file: &PreparedFile| group.kind.format_of(&name::display(&file.name));
    let formats: Vec<&Format> = group.files.iter().filter_map(format).collect();
    let traits = ItemTraits {
        facts,
        formats: &formats,
        has_episodes: group
            .files
            .iter()
            .any(|file| file.member.season.is_some() || file.member.episode.is_some()),
    };
    let id = (group.kind.subkind_of)(&traits)?;
    group.kind.subkind(id).map(|subkind| subkind.id)
}

/// Which fields a file gave when it was read, also those that bear another's value now.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "one for each field")]
struct Scanned {
    title: bool,
    year: bool,
    description: bool,
    series: bool,
    credits: bool,
}

impl Scanned {
    fn of(stored: Option<&StoredItem>) -> Self {
        let Some(item) = stored else {
            return Self::default();
        };
        let under = &item.beneath;
        let is_file = |source| source == source::FILE;
        Self {
            title: is_file(scanned(item.title.source, under.title.as_ref())),
            year: is_file(scanned(item.year.source, under.year.as_ref())),
            description: is_file(scanned(item.description.source, under.description.as_ref())),
            series: is_file(scanned(item.series.source, under.series.as_ref())),
            credits: is_file(scanned(item.authors_source, under.credits.as_ref())),
        }
    }
}

/// What the files of a group said just now.
#[derive(Clone)]
struct Voice<'a> {
    said: Vec<&'a Inspection>,
    /// Whether the group's first file was read anew.
    leads: bool,
    /// Whether every file was.
    is_whole: bool,
}

impl<'a> Voice<'a> {
    fn of(files: &'a [PreparedFile]) -> Self {
        let inspection = |file: &'a PreparedFile| file.reading.as_ref()?.inspection.as_deref();
        Self {
            said: files.iter().filter_map(inspection).collect(),
            leads: files.first().is_some_and(PreparedFile::was_read),
            is_whole: files.iter().all(PreparedFile::was_read),
        }
    }

    fn together(together: &'a Together) -> Self {
        Self {
            said: vec![&together.inspection],
            leads: together.share != Share::Later,
            is_whole: together.share == Share::Whole,
        }
    }

    fn first<T>(&self, field: impl Fn(&Inspection) -> Option<T>) -> Option<T> {
        self.said.iter().find_map(|said| field(said))
    }

    /// A field that a file gave before is left to that file while it has not been read again.
    fn unless_kept<T>(&self, fresh: Option<Sourced<T>>, is_from_file: bool) -> Option<Sourced<T>> {
        fresh.filter(|fresh| {
            !is_from_file || self.is_whole || (self.leads && fresh.source == source::FILE)
        })
    }

    fn facts(&self, stored: Option<&StoredItem>) -> BTreeMap<String, Value> {
        let mut facts = BTreeMap::new();
        for said in self.said.iter().rev() {
            facts.extend(said.facts.clone());
        }
        if !self.is_whole
            && let Some(item) = stored
        {
            let known: BTreeMap<String, Value> =
                serde_json::from_str(&item.file_facts).unwrap_or_default();
            for (name, value) in known {
                if self.leads {
                    facts.entry(name).or_insert(value);
                } else {
                    facts.insert(name, value);
                }
            }
        }
        facts
    }
}

/// Where a file names no author, the names' authors stand before the others it names.
fn credits(names: &ItemNames, voice: &Voice<'_>) -> Sourced<Vec<Credit>> {
    let said = voice.first(|said| (!said.credits.is_empty()).then(|| said.credits.clone()));
    let Some(said) = said else {
        return name_says(person::tidy(&names.credits));
    };
    let is_author = |credit: &Credit| credit.role == person::AUTHOR;
    if said.iter().any(is_author) {
        return file_says(person::tidy(&said));
    }
    let authors = names
        .credits
        .iter()
        .filter(|credit| is_author(credit))
        .cloned();
    let all: Vec<Credit> = authors.chain(said).collect();
    file_says(person::tidy(&all))
}

fn file_says<T>(value: T) -> Sourced<T> {
    Sourced {
        value,
        source: source::FILE,
    }
}

fn name_says<T>(value: T) -> Sourced<T> {
    Sourced {
        value,
        source: source::NAME,
    }
}

fn clean(title: &str) -> String {
    let spaced: String = title
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(MAX_TITLE)
        .collect();
    spaced.trim().to_owned()
}

/// Years before the first are negative, -1 the last of them; there is none between.
fn plausible(year: i32) -> Option<i64> {
    let is_year = year != 0 && (-9999..=9999).contains(&year);
    is_year.then_some(year.into())
}

fn json(facts: &BTreeMap<String, Value>) -> String {
    // A map of JSON values is JSON.
    serde_json::to_string(facts).unwrap_or_else(|_| "{}".to_owned())
}

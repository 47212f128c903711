//! Item fields that a scan writes. Values from the content of files precede values from names.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::path;
use crate::registry::naming::{Credit, ItemNames};
use crate::registry::reading::{Coverage, Inspection, ItemSummary};
use crate::registry::{Format, ItemTraits};
use crate::scan::diff::folder_change::{PreparedFile, PreparedGroup};
use crate::store::catalogue::field::{Sourced, source};
use crate::store::catalogue::scanned_values::scanned_source;
use crate::store::catalogue::{Fields, StoredItem, genre, person};

/// Maximum length of a title, in characters.
const MAX_TITLE: usize = 500;

/// Returns the fields of an item, from the names of a group and from the files that this scan read.
///
/// The first file that has a value for a field determines it. A stored value that came from a file
/// stays unchanged in most cases, because unchanged files are not read again. It changes only if
/// the group's first file was read and has another value, or if all files were read and none has a
/// value. The merged metadata of the kind covers all files, including those that were not read.
pub(crate) fn fields(group: &PreparedGroup, stored: Option<&StoredItem>) -> Fields {
    let names = &group.names;
    let each = FieldSources::of(&group.files);
    let sources = group
        .summary
        .as_deref()
        .map_or_else(|| each.clone(), FieldSources::from_summary);
    let file_facts = sources.facts(stored);
    let mut facts = names.facts.clone();
    facts.extend(file_facts.clone());
    let title = sources
        .first(|inspection| {
            inspection
                .title
                .as_deref()
                .map(clean)
                .filter(|t| !t.is_empty())
        })
        .map(file_says)
        .or_else(|| Some(name_says(clean(&names.title))));
    let year = sources
        .first(|inspection| inspection.year.and_then(plausible))
        .map(|year| file_says(Some(year)))
        .or_else(|| Some(name_says(names.year.and_then(plausible))));
    let description = each
        .first(|inspection| {
            inspection
                .description
                .clone()
                .filter(|text| !text.is_empty())
        })
        .map(|text| file_says(Some(text)))
        .or_else(|| Some(name_says(None)));
    let series = sources
        .first(|inspection| inspection.series.clone())
        .map(|series| file_says(Some(series)))
        .or_else(|| Some(name_says(names.series.clone())));
    let file = Scanned::of(stored);
    Fields {
        title: sources.unless_stored(title, file.title),
        year: sources.unless_stored(year, file.year),
        description: each.unless_stored(description, file.description),
        series: sources.unless_stored(series, file.series),
        credits: sources.unless_stored(Some(credits(names, &sources)), file.credits),
        genres: Some(genre::sourced(&facts, &file_facts, genre::in_facts)),
        language: Some(genre::sourced(
            &facts,
            &file_facts,
            genre::language_in_facts,
        )),
        subkind: subkind(group, &facts),
        facts: json(&facts),
        file_facts: json(&file_facts),
    }
}

/// Returns the subkind that the kind assigns to the item, or `None` if the kind does not declare
/// it.
fn subkind(group: &PreparedGroup, facts: &BTreeMap<String, Value>) -> Option<&'static str> {
    let format = |file: &PreparedFile| group.kind.format_of(&path::display(&file.name));
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

/// Fields that came from a file in the last scan, including fields that another source has
/// overridden.
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
        let scanned = &item.scanned_values;
        let is_file = |source| source == source::FILE;
        Self {
            title: is_file(scanned_source(item.title.source, scanned.title.as_ref())),
            year: is_file(scanned_source(item.year.source, scanned.year.as_ref())),
            description: is_file(scanned_source(
                item.description.source,
                scanned.description.as_ref(),
            )),
            series: is_file(scanned_source(item.series.source, scanned.series.as_ref())),
            credits: is_file(scanned_source(
                item.authors_source,
                scanned.credits.as_ref(),
            )),
        }
    }
}

/// Metadata of the files of a group that this scan read.
#[derive(Clone)]
struct FieldSources<'a> {
    inspections: Vec<&'a Inspection>,
    /// `true` if the group's first file was read.
    leads: bool,
    /// `true` if every file was read.
    is_whole: bool,
}

impl<'a> FieldSources<'a> {
    fn of(files: &'a [PreparedFile]) -> Self {
        let inspection = |file: &'a PreparedFile| file.reading.as_ref()?.inspection.as_deref();
        Self {
            inspections: files.iter().filter_map(inspection).collect(),
            leads: files.first().is_some_and(PreparedFile::was_read),
            is_whole: files.iter().all(PreparedFile::was_read),
        }
    }

    fn from_summary(summary: &'a ItemSummary) -> Self {
        Self {
            inspections: vec![&summary.inspection],
            leads: summary.coverage != Coverage::Later,
            is_whole: summary.coverage == Coverage::Whole,
        }
    }

    fn first<T>(&self, field: impl Fn(&Inspection) -> Option<T>) -> Option<T> {
        self.inspections
            .iter()
            .find_map(|inspection| field(inspection))
    }

    /// Drops a new value if the stored value came from a file that was not read in this scan.
    fn unless_stored<T>(
        &self,
        fresh: Option<Sourced<T>>,
        is_from_file: bool,
    ) -> Option<Sourced<T>> {
        fresh.filter(|fresh| {
            !is_from_file || self.is_whole || (self.leads && fresh.source == source::FILE)
        })
    }

    fn facts(&self, stored: Option<&StoredItem>) -> BTreeMap<String, Value> {
        let mut facts = BTreeMap::new();
        for inspection in self.inspections.iter().rev() {
            facts.extend(inspection.facts.clone());
        }
        if !self.is_whole
            && let Some(item) = stored
        {
            let stored_facts: BTreeMap<String, Value> =
                serde_json::from_str(&item.file_facts).unwrap_or_default();
            for (name, value) in stored_facts {
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

/// Returns the credits. If the files name no author, authors from the names come first.
fn credits(names: &ItemNames, sources: &FieldSources<'_>) -> Sourced<Vec<Credit>> {
    let credits = sources
        .first(|inspection| (!inspection.credits.is_empty()).then(|| inspection.credits.clone()));
    let Some(credits) = credits else {
        return name_says(person::sanitize(&names.credits));
    };
    let is_author = |credit: &Credit| credit.role == person::AUTHOR;
    if credits.iter().any(is_author) {
        return file_says(person::sanitize(&credits));
    }
    let authors = names
        .credits
        .iter()
        .filter(|credit| is_author(credit))
        .cloned();
    let all: Vec<Credit> = authors.chain(credits).collect();
    file_says(person::sanitize(&all))
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

/// Returns the year if it is plausible. Negative years are BC, -1 is 1 BC, and year 0 does not
/// exist.
fn plausible(year: i32) -> Option<i64> {
    let is_year = year != 0 && (-9999..=9999).contains(&year);
    is_year.then_some(year.into())
}

fn json(facts: &BTreeMap<String, Value>) -> String {
    // Serialization of a map of JSON values cannot fail.
    serde_json::to_string(facts).unwrap_or_else(|_| "{}".to_owned())
}

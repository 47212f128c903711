//! Facts that rule out a candidate by the rules of a kind.

use std::collections::BTreeSet;

use super::people::{self, People};
use super::thresholds;
use super::words::words;
use super::{Offered, Wanted};
use crate::registry::{MatchRules, YearRule};

/// Words in brackets that name no work: they describe the edition.
const EDITION_WORDS: &[&str] = &[
    "album",
    "anniversary",
    "bonus",
    "cd",
    "deluxe",
    "disc",
    "edition",
    "expanded",
    "extended",
    "lp",
    "mono",
    "remaster",
    "remastered",
    "reissue",
    "special",
    "stereo",
    "super",
    "the",
    "version",
    "vinyl",
];

/// Word for another recording if it follows a name: `(Artist's Version)`.
const VERSION: &str = "version";

/// Words of a subtitle that only count or describe.
const COUNTING_WORDS: &[&str] = &[
    "a",
    "an",
    "and",
    "book",
    "complete",
    "collection",
    "deluxe",
    "edition",
    "issue",
    "new",
    "no",
    "of",
    "omnibus",
    "one",
    "part",
    "the",
    "two",
    "three",
    "vol",
    "volume",
];

/// Returns `true` if the rules make the candidate another work.
pub(super) fn rule_out(
    rules: &MatchRules,
    wanted: &Wanted<'_>,
    offered: &Offered<'_>,
    people: People,
) -> bool {
    has_other_year(rules.year, wanted, offered, people)
        || has_other_marks(rules.marks, wanted, offered)
        || (rules.compares_brackets && has_other_brackets(wanted.title, offered.title))
        || (rules.compares_all_people && has_other_people(wanted, offered))
        || (rules.compares_subtitles
            && (lacks_subtitle(wanted, offered) || has_other_binding(wanted.title, offered.title)))
}

fn has_other_year(
    rule: YearRule,
    wanted: &Wanted<'_>,
    offered: &Offered<'_>,
    people: People,
) -> bool {
    let (Some(own), Some(theirs)) = (wanted.year, offered.year) else {
        return false;
    };
    let apart = own.abs_diff(theirs);
    match rule {
        YearRule::Any => false,
        YearRule::Near => {
            apart > thresholds::NEAR_YEARS || (apart > 0 && names_country(wanted.title))
        }
        YearRule::NearWithoutPeople => apart > thresholds::NEAR_YEARS && people == People::Unknown,
        YearRule::NotBefore => {
            apart > thresholds::NEAR_YEARS && (own < theirs || is_self_titled(wanted))
        }
    }
}

/// Returns `true` for a title such as `Utopia (UK)`: versions of several countries exist.
fn names_country(title: &str) -> bool {
    let inner = brackets(title).pop();
    inner.is_some_and(|text| {
        (2..=3).contains(&text.len()) && text.chars().all(|c| c.is_ascii_uppercase())
    })
}

fn is_self_titled(wanted: &Wanted<'_>) -> bool {
    let title = words(without_brackets(wanted.title));
    wanted.authors.iter().any(|name| words(name) == title)
}

fn has_other_marks(marks: &[&str], wanted: &Wanted<'_>, offered: &Offered<'_>) -> bool {
    if marks.is_empty() {
        return false;
    }
    let of = |title: &str, subtitle: Option<&str>| -> BTreeSet<usize> {
        let text = words(&format!("{title} {}", subtitle.unwrap_or_default())).join(" ");
        let text = format!(" {text} ");
        let found = marks.iter().enumerate();
        let found = found.filter(|(_, mark)| text.contains(&format!(" {mark} ")));
        found.map(|(place, _)| place).collect()
    };
    let own = of(wanted.title, wanted.subtitle);
    let others = offered.other_titles.iter().map(|title| of(title, None));
    own != of(offered.title, offered.subtitle) && others.into_iter().all(|marks| marks != own)
}

fn has_other_brackets(own: &str, theirs: &str) -> bool {
    let in_brackets = |title: &str| -> BTreeSet<String> {
        let texts = brackets(title);
        texts.iter().flat_map(|text| words(text)).collect()
    };
    let telling = |all: &BTreeSet<String>| -> BTreeSet<String> {
        let telling = all.iter().filter(|word| {
            let is_number = word.bytes().all(|b| b.is_ascii_digit());
            !is_number && !EDITION_WORDS.contains(&word.as_str())
        });
        telling.cloned().collect()
    };
    let (own, theirs) = (in_brackets(own), in_brackets(theirs));
    let (own_telling, their_telling) = (telling(&own), telling(&theirs));
    match (own_telling.is_empty(), their_telling.is_empty()) {
        (true, true) => false,
        (false, true) => own.contains(VERSION),
        (true, false) => theirs.contains(VERSION),
        (false, false) => own_telling.is_disjoint(&their_telling),
    }
}

/// Returns the texts in brackets.
fn brackets(title: &str) -> Vec<&str> {
    let mut texts = Vec::new();
    let mut rest = title;
    while let Some(start) = rest.find(['(', '[']) {
        rest = rest.get(start + 1..).unwrap_or_default();
        let end = rest.find([')', ']']).unwrap_or(rest.len());
        texts.push(rest.get(..end).unwrap_or_default());
        rest = rest.get(end..).unwrap_or_default();
    }
    texts
}

fn without_brackets(title: &str) -> &str {
    let end = title.find(['(', '[']).unwrap_or(title.len());
    title.get(..end).unwrap_or_default()
}

/// Returns the title without brackets that only describe an edition: `(2011 Remaster)`.
pub(super) fn without_editions(title: &str) -> String {
    let mut text = title.to_owned();
    for inner in brackets(title) {
        let words = words(inner);
        let describes = |word: &String| {
            let is_number = word.bytes().next().is_some_and(|b| b.is_ascii_digit());
            is_number || EDITION_WORDS.contains(&word.as_str())
        };
        if !words.is_empty() && words.iter().all(describes) {
            for (open, close) in [('(', ')'), ('[', ']')] {
                text = text.replace(&format!("{open}{inner}{close}"), " ");
            }
        }
    }
    let rest = text.trim();
    if rest.is_empty() {
        title.to_owned()
    } else {
        rest.to_owned()
    }
}

/// Returns `true` if each side names a person whom the other side lacks.
fn has_other_people(wanted: &Wanted<'_>, offered: &Offered<'_>) -> bool {
    let own: Vec<&str> = wanted.authors.iter().map(String::as_str).collect();
    let lacks = |one: &[&str], other: &[&str]| {
        one.iter().any(|name| {
            let names = other.iter().copied();
            people::compare([*name].into_iter(), names) == People::Differ
        })
    };
    lacks(&own, &offered.authors) && lacks(&offered.authors, &own)
}

/// Returns `true` if one title counts books and the other one volumes or issues: collections of
/// different extent are numbered separately.
fn has_other_binding(own: &str, theirs: &str) -> bool {
    let counts_books = |title: &str| {
        let text = crate::search::fold(title);
        let mut words = text.split(|c: char| !c.is_alphanumeric());
        words.find_map(|word| match word {
            "book" | "bk" => Some(true),
            "vol" | "volume" | "issue" => Some(false),
            _ => None,
        })
    };
    let pair = counts_books(own).zip(counts_books(theirs));
    pair.is_some_and(|(own, theirs)| own != theirs)
}

/// Returns `true` if the item's title has a subtitle with a word that no title of the candidate has.
fn lacks_subtitle(wanted: &Wanted<'_>, offered: &Offered<'_>) -> bool {
    let title = wanted.title;
    let split = title.split_once(": ").or_else(|| title.split_once(" - "));
    let Some((_, subtitle)) = split else {
        return false;
    };
    let mut theirs: BTreeSet<String> = words(offered.title).into_iter().collect();
    theirs.extend(offered.subtitle.iter().flat_map(|text| words(text)));
    theirs.extend(offered.other_titles.iter().flat_map(|text| words(text)));
    theirs.extend(offered.series.iter().flat_map(|(name, _)| words(name)));
    words(subtitle)
        .iter()
        .filter(|word| !COUNTING_WORDS.contains(&word.as_str()))
        .any(|word| !word.bytes().all(|b| b.is_ascii_digit()) && !theirs.contains(word))
}

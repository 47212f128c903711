//! Parser for titles, and their similarity.

use super::edition_words::{ARTICLES, EDITION, SORTS};
use super::marks::Marks;
use super::near::distance;
use super::thresholds;
use super::words::{is_number, words};
use crate::text::names::{articles, brackets, year};

/// Parsed title.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Title {
    /// Parts between colons and dashes, without leading articles and edition names.
    parts: Vec<Vec<String>>,
    /// Markers in the title, including those in brackets.
    marks: Marks,
    /// Year in brackets.
    pub(super) year: Option<i32>,
    /// `true` if the title equals the series name and this is the first volume.
    is_first: bool,
    /// Words of the series name.
    series: Vec<String>,
    /// Words of the parts in brackets.
    tags: Vec<Vec<String>>,
}

/// Evidence in addition to the two titles.
#[derive(Debug, Clone, Copy)]
pub(super) struct Evidence<'a> {
    /// `true` if the authors are the same.
    pub(super) same_people: bool,
    /// Words of author names, which may precede a title.
    pub(super) names: &'a [Vec<String>],
}

impl Title {
    /// Parses a title, its separate subtitle, and its position in a series.
    pub(super) fn read(
        title: &str,
        subtitle: Option<&str>,
        series: Option<(&str, Option<f64>)>,
    ) -> Self {
        let title: String = title.chars().take(400).collect();
        let (outside, tags) = brackets::split(&title);
        let (outside, tags) = if words(&outside).is_empty() {
            (title.clone(), Vec::new())
        } else {
            (outside, tags)
        };
        let mut read = Self {
            year: year::in_tags(&tags),
            ..Self::default()
        };
        read.add(&articles::restore(outside.trim()));
        for tag in &tags {
            read.add_tag(&words(tag.text));
            read.tags.push(without_article(&words(tag.text)));
        }
        if let Some(subtitle) = subtitle {
            let subtitle: String = subtitle.chars().take(400).collect();
            let (outside, tags) = brackets::split(&subtitle);
            read.add(&outside);
            for tag in tags {
                read.marks = read.marks.and(Marks::of(&words(tag.text)));
            }
        }
        read.place(series);
        read
    }

    /// Returns `true` if nothing is left to compare.
    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Returns `true` if the title is so specific that two works are unlikely to share it.
    pub(super) fn is_distinctive(&self) -> bool {
        let words: Vec<&String> = self.parts.iter().flatten().collect();
        let letters: usize = words.iter().map(|word| word.chars().count()).sum();
        words.len() >= thresholds::DISTINCTIVE_WORDS && letters >= thresholds::DISTINCTIVE_LETTERS
    }

    /// Returns `true` if exactly one of them is a bundle of works, or a product about a work.
    pub(super) fn is_different_product(&self, other: &Self) -> bool {
        let of = Marks::BUNDLE.and(Marks::STUDY);
        self.marks.differ_in(other.marks, of)
    }

    fn add(&mut self, text: &str) {
        if is_joined_of_several(text) {
            self.marks = self.marks.and(Marks::BUNDLE);
        }
        for part in separated(text) {
            let all = words(part);
            self.marks = self.marks.and(Marks::of(&all));
            let part = without_article(&without_edition(&all));
            let is_first = self.parts.is_empty();
            if part.is_empty() || (!is_first && is_sort(&part)) {
                continue;
            }
            match self.parts.last_mut() {
                // `Naruto: Volume 3` is the title "Naruto 3".
                Some(last) if part.iter().all(|word| is_number(word)) => last.extend(part),
                _ => self.parts.push(part),
            }
        }
    }

    /// Adds a bracketed part. A single number in brackets is part of the title.
    fn add_tag(&mut self, tag: &[String]) {
        self.marks = self.marks.and(Marks::of(tag));
        if let [number] = tag
            && is_number(number)
            && number.len() <= thresholds::BRACKET_DIGITS
            && let Some(first) = self.parts.first_mut()
        {
            first.push(number.clone());
        }
    }

    /// Applies the position in a series. If the title equals the series name, the number becomes
    /// part of it.
    fn place(&mut self, series: Option<(&str, Option<f64>)>) {
        let Some((name, index)) = series else { return };
        self.series = without_article(&words(name));
        let Some(index) = index else { return };
        if self.flat() != run(&self.series) {
            return;
        }
        if index <= 1.0 {
            self.is_first = true;
        } else if let Some(first) = self.parts.first_mut() {
            first.extend(words(&index.to_string()));
        }
    }

    fn flat(&self) -> String {
        let words: Vec<String> = self.parts.iter().flatten().cloned().collect();
        run(&words)
    }

    /// Returns the similarity of two titles from 0 to 1, or `None` if they name different works.
    pub(super) fn like(&self, other: &Self, evidence: Evidence<'_>) -> Option<f64> {
        if self.is_empty() || other.is_empty() || self.marks != other.marks {
            return None;
        }
        if self.flat() == other.flat() {
            return Some(thresholds::SAME);
        }
        if self.is_first_of(other) || other.is_first_of(self) {
            return Some(thresholds::FIRST);
        }
        if !evidence.same_people {
            return None;
        }
        if self.is_reordered(other) {
            return Some(thresholds::REARRANGED);
        }
        let (one, rest) = self.parts.split_first()?;
        let (other_one, other_rest) = other.parts.split_first()?;
        if run(one) == run(other_one) {
            return self.with_rest(other, rest, other_rest);
        }
        self.led(other, evidence)
            .or_else(|| other.led(self, evidence))
            .or_else(|| self.misspelt(other))
    }

    /// Returns `true` for `Saga 1` if this is the first volume of the series "Saga".
    fn is_first_of(&self, other: &Self) -> bool {
        let flat = other.flat();
        let numbered = [self.parts.concat(), vec!["1".to_owned()]].concat();
        self.is_first && flat == run(&numbered)
    }

    /// Returns `true` for `Mistborn 1 - The Final Empire`, `The Final Empire: Mistborn, Book 1` and
    /// `The Final Empire (Mistborn 1)`.
    fn is_reordered(&self, other: &Self) -> bool {
        let parts = |title: &Self, has_tags: bool| {
            let tags = title.tags.iter().filter(|_| has_tags);
            let mut parts: Vec<String> = title.parts.iter().chain(tags).map(|p| run(p)).collect();
            parts.sort_unstable();
            parts
        };
        let (own, theirs) = (parts(self, true), parts(other, true));
        let plain = || parts(self, false) == parts(other, false);
        own.len() > 1 && (own == theirs || (self.parts.len() > 1 && plain()))
    }

    /// Compares titles with equal first parts.
    fn with_rest(
        &self,
        other: &Self,
        rest: &[Vec<String>],
        other_rest: &[Vec<String>],
    ) -> Option<f64> {
        // A title that begins with its series name is another volume of the series.
        let first = self.parts.first().map(|part| run(part)).unwrap_or_default();
        let is_series = |title: &Self| !title.series.is_empty() && run(&title.series) == first;
        if is_series(self) || is_series(other) {
            return None;
        }
        let (short, long) = if rest.concat().len() <= other_rest.concat().len() {
            (rest.concat(), other_rest.concat())
        } else {
            (other_rest.concat(), rest.concat())
        };
        let more = long.get(short.len()..)?;
        if more.iter().any(|word| is_number(word)) || !long.starts_with(&short) {
            return None;
        }
        Some(if short.is_empty() {
            thresholds::BARE
        } else {
            thresholds::REARRANGED
        })
    }

    /// Returns the similarity if this title is a prefix followed by the whole other title.
    fn led(&self, other: &Self, evidence: Evidence<'_>) -> Option<f64> {
        let (lead, rest) = self.parts.split_first()?;
        let rest = rest.concat();
        if rest.is_empty() || run(&rest) != other.flat() {
            return None;
        }
        let lead = run(lead);
        let is_series = [&self.series, &other.series]
            .into_iter()
            .any(|s| run(s) == lead);
        let is_name = evidence.names.iter().any(|name| run(name) == lead);
        if is_series || is_name {
            return Some(thresholds::REARRANGED);
        }
        let is_distinctive = rest.concat().chars().count() >= thresholds::PREFIXED_LETTERS;
        is_distinctive.then_some(thresholds::PREFIXED)
    }

    /// Returns the similarity if the titles differ by one typing error. The title must be long
    /// enough, and a plural is another word.
    fn misspelt(&self, other: &Self) -> Option<f64> {
        let (one, two) = (self.flat(), other.flat());
        if one.chars().count().min(two.chars().count()) < thresholds::MISSPELT_LETTERS {
            return None;
        }
        let (mine, theirs) = (self.parts.concat(), other.parts.concat());
        let numbers = |words: &[String]| -> Vec<String> {
            words
                .iter()
                .filter(|word| is_number(word))
                .cloned()
                .collect()
        };
        if numbers(&mine) != numbers(&theirs) || mine.len() != theirs.len() {
            return None;
        }
        let mut differing = mine.iter().zip(&theirs).filter(|(one, two)| one != two);
        let (a, b) = differing.next()?;
        let shorter = a.chars().count().min(b.chars().count());
        let is_ending = a.starts_with(b.as_str()) || b.starts_with(a.as_str());
        let is_error = shorter >= thresholds::MISSPELT_WORD_LETTERS
            && !is_ending
            && distance(a, b, thresholds::MISSPELT_EDITS).is_some();
        (is_error && differing.next().is_none()).then_some(thresholds::MISSPELT)
    }
}

/// Joins words without spaces, so that `Fire Fly` equals "Firefly". Adjacent numbers stay separate.
pub(super) fn run(words: &[String]) -> String {
    let mut out = String::new();
    let mut before_is_number = false;
    for word in words {
        let is_number = is_number(word);
        if is_number && before_is_number {
            out.push(' ');
        }
        out.push_str(word);
        before_is_number = is_number;
    }
    out
}

/// Returns the parts of a title between colons, dashes, semicolons and `, or`.
fn separated(text: &str) -> impl Iterator<Item = &str> {
    text.split([';', ':', '：', '—', '–'])
        .flat_map(|part| part.split(" - "))
        .flat_map(|part| part.split(" / "))
        .flat_map(|part| part.split(", or "))
        .map(|part| {
            let bare = part.trim();
            let bare = bare.strip_prefix("or, ").unwrap_or(bare);
            bare.strip_prefix("or ").unwrap_or(bare)
        })
}

/// Returns `true` if a text contains several titles: `One / Two`, `One; Two`. A part after `; or, `
/// is an alternative title instead.
fn is_joined_of_several(text: &str) -> bool {
    let halves = |text: &str, at: &str| {
        text.split_once(at).is_some_and(|(before, after)| {
            let other = after.trim_start().to_lowercase();
            !words(before).is_empty()
                && !words(after).is_empty()
                && !other.starts_with("or ")
                && !other.starts_with("or,")
        })
    };
    halves(text, " / ") || halves(text, ";")
}

/// Returns `true` if a subtitle only describes the genre or edition.
fn is_sort(part: &[String]) -> bool {
    let ends = part
        .last()
        .is_some_and(|word| SORTS.contains(&word.as_str()));
    let is_only = |word: &String| EDITION.contains(&word.as_str()) || is_number(word);
    (ends && part.len() <= thresholds::GENRE_WORDS)
        || (part.iter().all(is_only) && !part.iter().all(|word| is_number(word)))
}

/// Removes an edition name from the end: `2nd edition`, `Revised Edition`.
fn without_edition(part: &[String]) -> Vec<String> {
    const ENDS: &[&str] = &["edition", "ed", "auflage", "aufl", "ausgabe", "unabridged"];
    let mut kept = part.to_vec();
    if !kept
        .last()
        .is_some_and(|word| ENDS.contains(&word.as_str()))
    {
        return kept;
    }
    let mut cut = 0;
    while let Some(word) = kept.last() {
        let is_ordinal = is_number(word) && cut > 0;
        if !(is_ordinal || EDITION.contains(&word.as_str())) || (cut > 0 && kept.len() == 1) {
            break;
        }
        kept.pop();
        cut += 1;
    }
    kept
}

fn without_article(part: &[String]) -> Vec<String> {
    match part.split_first() {
        Some((first, rest)) if !rest.is_empty() && ARTICLES.contains(&first.as_str()) => {
            rest.to_vec()
        }
        _ => part.to_vec(),
    }
}

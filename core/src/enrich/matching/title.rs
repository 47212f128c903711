//! Titles taken apart, and how alike two of them are.

use super::marks::Marks;
use super::near::distance;
use super::words::{is_number, words};
use crate::names::{articles, brackets, year};

/// Articles in front of a title, or of a part of it.
const ARTICLES: &[&str] = &[
    "the", "a", "an", "der", "die", "das", "ein", "eine", "le", "la", "les", "l", "un", "une",
    "el", "los", "las", "il", "lo", "gli", "het", "een",
];

/// Words that say which edition it is or what sort of book; a subtitle of nothing else is none.
const EDITION: &[&str] = &[
    "edition",
    "editions",
    "ed",
    "auflage",
    "aufl",
    "ausgabe",
    "novel",
    "novella",
    "roman",
    "memoir",
    "thriller",
    "mystery",
    "romance",
    "story",
    "stories",
    "tale",
    "fiction",
    "revised",
    "illustrated",
    "unabridged",
    "anniversary",
    "classic",
    "classics",
    "updated",
    "expanded",
    "new",
    "deluxe",
    "special",
    "international",
    "bestseller",
    "kindle",
    "ebook",
    "annotated",
    "original",
    "large",
    "print",
    "paperback",
    "hardcover",
    "reprint",
    "reissue",
    "penguin",
    "oxford",
    "worlds",
    "modern",
    "library",
    "vintage",
    "signet",
    "movie",
    "tie",
    "in",
    "with",
    "introduction",
    "st",
    "nd",
    "rd",
    "th",
    "ungekurzt",
    "ungekurzte",
    "lesung",
    "romanzo",
    "novela",
    "audiobook",
    "us",
    "uk",
    "english",
    "german",
    "french",
    "spanish",
    "italian",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "of",
    "for",
    "and",
    "version",
    "book",
    "text",
];

/// A subtitle that ends with one of these only says what sort of book it is: "A Harry Hole Thriller".
const SORTS: &[&str] = &[
    "novel", "thriller", "mystery", "roman", "novella", "krimi", "romance",
];

/// How alike titles are: the same.
const SAME: f64 = 1.0;
/// The same, with a number that only says that it is the first.
const FIRST: f64 = 0.95;
/// The same but for a subtitle that one of them has in part.
const SHORTER: f64 = 0.93;
/// The same but for a subtitle that only one of them has.
const BARE: f64 = 0.9;
/// The same but for the series or author in front.
const LED: f64 = 0.92;
/// The same but for something in front that nobody knows.
const PREFIXED: f64 = 0.86;
/// The same but for a typing error.
const MISSPELT: f64 = 0.88;

/// A title taken apart.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Title {
    /// Its parts as colons and dashes separate them, articles in front left out; what only names
    /// an edition is left out.
    parts: Vec<Vec<String>>,
    /// What it says it is, in brackets too.
    marks: Marks,
    /// Year in brackets.
    pub(super) year: Option<i32>,
    /// The title is its series' name, and this is the first of it.
    is_first: bool,
    /// The words of its series' name.
    series: Vec<String>,
}

/// What is known besides two titles.
#[derive(Debug, Clone, Copy)]
pub(super) struct Beside<'a> {
    /// Their authors are the same.
    pub(super) same_people: bool,
    /// Words of names of authors, which some put in front of titles.
    pub(super) names: &'a [Vec<String>],
}

impl Title {
    /// Reads a title, the subtitle that is kept apart from it, and the place in a series.
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

    /// Whether it says something to compare.
    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Whether nobody would give it to two works by chance.
    pub(super) fn is_telling(&self) -> bool {
        let words: Vec<&String> = self.parts.iter().flatten().collect();
        let letters: usize = words.iter().map(|word| word.chars().count()).sum();
        words.len() >= 4 && letters >= 16
    }

    /// Whether one is a bundle of works, or about one, and the other is not.
    pub(super) fn is_other_thing(&self, other: &Self) -> bool {
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

    /// A number that stands in brackets by itself is part of the title.
    fn add_tag(&mut self, tag: &[String]) {
        self.marks = self.marks.and(Marks::of(tag));
        if let [number] = tag
            && is_number(number)
            && number.len() < 4
            && let Some(first) = self.parts.first_mut()
        {
            first.push(number.clone());
        }
    }

    /// Where the title is the series' own name, the number belongs to it.
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

    /// How alike two titles are, from 0 to 1; `None` where they name two works.
    pub(super) fn like(&self, other: &Self, beside: Beside<'_>) -> Option<f64> {
        if self.is_empty() || other.is_empty() || self.marks != other.marks {
            return None;
        }
        if self.flat() == other.flat() {
            return Some(SAME);
        }
        if self.is_first_of(other) || other.is_first_of(self) {
            return Some(FIRST);
        }
        if !beside.same_people {
            return None;
        }
        let (one, rest) = self.parts.split_first()?;
        let (other_one, other_rest) = other.parts.split_first()?;
        if run(one) == run(other_one) {
            return self.with_rest(other, rest, other_rest);
        }
        self.led(other, beside)
            .or_else(|| other.led(self, beside))
            .or_else(|| self.misspelt(other))
    }

    /// `Saga 1` where this is the first of the series "Saga".
    fn is_first_of(&self, other: &Self) -> bool {
        let flat = other.flat();
        let numbered = [self.parts.concat(), vec!["1".to_owned()]].concat();
        self.is_first && flat == run(&numbered)
    }

    /// Titles that begin alike.
    fn with_rest(
        &self,
        other: &Self,
        rest: &[Vec<String>],
        other_rest: &[Vec<String>],
    ) -> Option<f64> {
        // What begins with its series' name is another of the series.
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
        Some(if short.is_empty() { BARE } else { SHORTER })
    }

    /// This one with something in front of the whole of the other.
    fn led(&self, other: &Self, beside: Beside<'_>) -> Option<f64> {
        let (lead, rest) = self.parts.split_first()?;
        let rest = rest.concat();
        if rest.is_empty() || run(&rest) != other.flat() {
            return None;
        }
        let lead = run(lead);
        let is_series = [&self.series, &other.series]
            .into_iter()
            .any(|s| run(s) == lead);
        let is_name = beside.names.iter().any(|name| run(name) == lead);
        if is_series || is_name {
            return Some(LED);
        }
        let is_telling = rest.len() >= 2 || rest.concat().chars().count() >= 7;
        is_telling.then_some(PREFIXED)
    }

    /// A typing error in a title long enough to have one; a plural is another word.
    fn misspelt(&self, other: &Self) -> Option<f64> {
        const SHORTEST: usize = 9;
        let (one, two) = (self.flat(), other.flat());
        if one.chars().count().min(two.chars().count()) < SHORTEST {
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
        let is_error = shorter >= 5 && !is_ending && distance(a, b, 1).is_some();
        (is_error && differing.next().is_none()).then_some(MISSPELT)
    }
}

/// Words in one piece, so that `Fire Fly` is "Firefly"; numbers stay apart.
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

/// The parts of a title between colons, dashes, semicolons and `, or`.
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

/// Several titles in one: `One / Two`, `One; Two`. `; or, ` stands before a second title of one.
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

/// A subtitle that says only what sort of book it is.
fn is_sort(part: &[String]) -> bool {
    let ends = part
        .last()
        .is_some_and(|word| SORTS.contains(&word.as_str()));
    let is_only = |word: &String| EDITION.contains(&word.as_str()) || is_number(word);
    (ends && part.len() <= 6)
        || (part.iter().all(is_only) && !part.iter().all(|word| is_number(word)))
}

/// Cuts what names an edition off the end: `2nd edition`, `Revised Edition`.
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

//! Release marks in ROM file names, in the conventions of No-Intro, Redump, TOSEC and GoodTools.

use std::collections::BTreeMap;

use ledge_core::text::names::brackets::Tag;
use ledge_core::text::names::{brackets, year};
use serde_json::{Value, json};

/// Parsed release marks of a name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Release {
    /// Full English region names.
    pub regions: Vec<&'static str>,
    /// Two-letter language codes in lower case.
    pub languages: Vec<String>,
    /// Revision, such as `1` or `A` of `(Rev 1)` or `(Rev A)`.
    pub revision: Option<String>,
    /// Version, such as `1.1` of `(v1.1)`.
    pub version: Option<String>,
    /// Verification and status marks as words: `verified`, `bad dump`, `beta`, ….
    pub marks: Vec<&'static str>,
    /// Year, from names of TOSEC.
    pub year: Option<i32>,
    /// Publisher, which follows the year in names of TOSEC.
    pub publisher: Option<String>,
}

/// Region names of No-Intro and Redump, with the codes of TOSEC and GoodTools.
const REGIONS: &[(&str, &[&str])] = &[
    ("World", &["W", "JUE", "UEJ"]),
    ("USA", &["U", "US"]),
    ("Europe", &["E", "EU"]),
    ("Japan", &["J", "JP"]),
    ("Asia", &["As", "AS"]),
    ("Argentina", &["AR"]),
    ("Australia", &["A", "AU"]),
    ("Austria", &["AT"]),
    ("Belgium", &["BE"]),
    ("Brazil", &["B", "BR"]),
    ("Canada", &["CA"]),
    ("China", &["C", "CN"]),
    ("Croatia", &["HR"]),
    ("Czech", &["CZ"]),
    ("Denmark", &["DK"]),
    ("Finland", &["FN", "FI"]),
    ("France", &["F", "FR"]),
    ("Germany", &["G", "DE"]),
    ("Greece", &["Gr", "GR"]),
    ("Hong Kong", &["HK"]),
    ("Hungary", &["HU"]),
    ("India", &["IN"]),
    ("Ireland", &["IE"]),
    ("Israel", &["IL"]),
    ("Italy", &["I", "IT"]),
    ("Korea", &["K", "KR"]),
    ("Latin America", &[]),
    ("Mexico", &["MX"]),
    ("Netherlands", &["D", "NL"]),
    ("New Zealand", &["NZ"]),
    ("Norway", &["No", "NO"]),
    ("Poland", &["PL"]),
    ("Portugal", &["PT"]),
    ("Russia", &["R", "RU"]),
    ("Scandinavia", &[]),
    ("South Africa", &["ZA"]),
    ("Spain", &["S", "ES"]),
    ("Sweden", &["Sw", "SE"]),
    ("Switzerland", &["CH"]),
    ("Taiwan", &["TW"]),
    ("Turkey", &["TR"]),
    ("UK", &["GB"]),
    ("Ukraine", &["UA"]),
    ("United Kingdom", &[]),
    ("Unknown", &["Unk"]),
];

/// Combined region letters of GoodTools.
const COMBINED: &[(&str, &[&str])] = &[
    ("JU", &["Japan", "USA"]),
    ("UJ", &["Japan", "USA"]),
    ("UE", &["USA", "Europe"]),
    ("EU", &["Europe"]),
    ("JE", &["Japan", "Europe"]),
    ("EJ", &["Japan", "Europe"]),
];

const LANGUAGES: &[&str] = &[
    "af", "ar", "bg", "ca", "cs", "cy", "da", "de", "el", "en", "es", "et", "eu", "fi", "fr", "ga",
    "gd", "gl", "he", "hi", "hr", "hu", "id", "is", "it", "ja", "ko", "la", "lt", "lv", "nl", "no",
    "pl", "pt", "ro", "ru", "sk", "sl", "sr", "sv", "th", "tr", "uk", "vi", "zh",
];

/// Marks in round brackets, by their first words.
const STATUS: &[(&str, &str)] = &[
    ("aftermarket", "aftermarket"),
    ("alt", "alternate"),
    ("alpha", "alpha"),
    ("beta", "beta"),
    ("possible proto", "prototype"),
    ("proto", "prototype"),
    ("prototype", "prototype"),
    ("preview", "preview"),
    ("demo", "demo"),
    ("taikenban", "demo"),
    ("sample", "sample"),
    ("kiosk", "demo"),
    ("tech demo", "demo"),
    ("debug", "debug"),
    ("promo", "promotional"),
    ("unl", "unlicensed"),
    ("pirate", "pirate"),
    ("hack", "hack"),
    ("homebrew", "homebrew"),
    ("pd", "public domain"),
    ("public domain", "public domain"),
    ("virtual console", "virtual console"),
    ("program", "program"),
    ("test program", "program"),
];

/// Codes in square brackets, without an appended number.
const CODES: &[(&str, &str)] = &[
    ("!", "verified"),
    ("!p", "pending"),
    ("a", "alternate"),
    ("b", "bad dump"),
    ("BF", "bung fix"),
    ("C", "colour"),
    ("S", "super game boy"),
    ("cr", "cracked"),
    ("f", "fixed"),
    ("h", "hack"),
    ("hI", "hack"),
    ("hIR", "hack"),
    ("M", "monochrome"),
    ("m", "modified"),
    ("o", "overdump"),
    ("p", "pirate"),
    ("t", "trained"),
    ("u", "underdump"),
    ("v", "virus"),
    ("x", "bad checksum"),
];

impl Release {
    /// Parses the marks of a file name without its extension.
    pub fn parse(stem: &str) -> Self {
        let (_, tags) = brackets::split(stem);
        let mut release = Self::default();
        for (at, tag) in tags.iter().enumerate() {
            if tag.open == '(' {
                let before = at.checked_sub(1).and_then(|at| tags.get(at));
                release.round(tag.text, before);
            } else {
                release.square(tag.text);
            }
        }
        if let Some(outside) = unbracketed_version(stem) {
            release.version.get_or_insert(outside.to_owned());
        }
        release
    }

    /// Returns the known marks as facts of an item.
    pub fn facts(&self) -> BTreeMap<String, Value> {
        let mut facts = BTreeMap::new();
        let mut put = |name: &str, value: Value| facts.insert(name.to_owned(), value);
        if !self.regions.is_empty() {
            put("region", json!(self.regions.join(", ")));
        }
        if !self.languages.is_empty() {
            put("languages", json!(self.languages));
        }
        if let Some(revision) = &self.revision {
            put("revision", json!(revision));
        }
        if let Some(version) = &self.version {
            put("version", json!(version));
        }
        if let Some(publisher) = &self.publisher {
            put("publisher", json!(publisher));
        }
        if !self.marks.is_empty() {
            put("marks", json!(self.marks));
        }
        facts
    }

    fn round(&mut self, text: &str, before: Option<&Tag<'_>>) {
        if let Some(year) = year::leading(text) {
            self.year.get_or_insert(year);
        } else if let Some(regions) = regions(text) {
            for region in regions {
                push(&mut self.regions, region);
            }
        } else if let Some(languages) = languages(text) {
            self.languages.extend(languages);
        } else if let Some(revision) = after_word(text, &["Rev ", "REV", "Revision ", "PRG"]) {
            self.revision.get_or_insert(revision.trim().to_owned());
        } else if let Some(version) = version(text) {
            self.version.get_or_insert(version.to_owned());
        } else if let Some(mark) = status(text) {
            push(&mut self.marks, mark);
        } else if before.is_some_and(|tag| is_tosec_year(tag.text)) && text != "-" {
            self.publisher.get_or_insert(text.to_owned());
        }
    }

    fn square(&mut self, text: &str) {
        if text.starts_with("T+") || text.starts_with("T-") || text.starts_with("tr ") {
            push(&mut self.marks, "translation");
            return;
        }
        let first = text.split_whitespace().next().unwrap_or(text);
        let code = first.trim_end_matches(|c: char| c.is_ascii_digit());
        // In `[h1C]`, the letter after the number describes the change and is ignored.
        let short = text.len() <= 4;
        let letter = code.get(..1).filter(|_| short && text.len() > 1);
        let known = |code: &str| CODES.iter().find(|(known, _)| *known == code);
        let with_number = text.bytes().any(|b| b.is_ascii_digit());
        let mark = known(code).or_else(|| letter.filter(|_| with_number).and_then(known));
        if let Some((_, mark)) = mark {
            push(&mut self.marks, mark);
        }
    }
}

/// Returns true if a tag is a release mark rather than part of a title.
pub fn is_mark(tag: &Tag<'_>) -> bool {
    Release::parse(&format!(
        "x {}{}{}",
        tag.open,
        tag.text,
        if tag.open == '(' { ')' } else { ']' }
    )) != Release::default()
}

fn push<T: PartialEq>(list: &mut Vec<T>, value: T) {
    if !list.contains(&value) {
        list.push(value);
    }
}

/// Parses `USA, Europe`, `JU` or `US-EU`. Every part must be a region.
fn regions(text: &str) -> Option<Vec<&'static str>> {
    if let Some((_, regions)) = COMBINED.iter().find(|(code, _)| *code == text) {
        return Some(regions.to_vec());
    }
    let parts = text.split([',', '-']).map(str::trim);
    parts.map(region).collect()
}

fn region(text: &str) -> Option<&'static str> {
    let found = REGIONS
        .iter()
        .find(|(name, codes)| name.eq_ignore_ascii_case(text) || codes.contains(&text));
    found.map(|(name, _)| *name)
}

/// Parses `En,Fr,De`, `En+De`, `en-fr` or `En`. Every part must be a language.
fn languages(text: &str) -> Option<Vec<String>> {
    let parts = text.split([',', '+', '-']).map(str::trim);
    let code = |part: &str| {
        let lower = part.to_lowercase();
        LANGUAGES.contains(&lower.as_str()).then_some(lower)
    };
    parts.map(code).collect()
}

fn after_word<'a>(text: &'a str, words: &[&str]) -> Option<&'a str> {
    let rest = words.iter().find_map(|word| text.strip_prefix(word))?;
    let sound = !rest.is_empty() && rest.len() <= 8 && !rest.trim().is_empty();
    sound.then_some(rest)
}

/// Parses `v1.1`, `V1.0` or `Version 2`.
fn version(text: &str) -> Option<&str> {
    let rest = ["Version ", "version ", "v", "V"]
        .iter()
        .find_map(|word| text.strip_prefix(word))?;
    let first = rest.split_whitespace().next()?;
    first
        .starts_with(|c: char| c.is_ascii_digit())
        .then_some(first)
}

/// Parses the version between title and year in names of TOSEC: `Legend v1.2 (1989)`.
fn unbracketed_version(stem: &str) -> Option<&str> {
    let outside = stem.split(['(', '[']).next()?;
    version(outside.trim_end().rsplit_once(' ')?.1)
}

fn status(text: &str) -> Option<&'static str> {
    let lower = text.to_lowercase();
    let begins = |word: &str| {
        lower.strip_prefix(word).is_some_and(|rest| {
            rest.is_empty()
                || rest.starts_with([' ', '-', ','])
                || rest.bytes().all(|b| b.is_ascii_digit())
        })
    };
    STATUS
        .iter()
        .find(|(word, _)| begins(word))
        .map(|(_, mark)| *mark)
}

/// Returns true for a year, also with unknown digits: `19xx`, `198x`.
fn is_tosec_year(text: &str) -> bool {
    let digits = text.get(..4).unwrap_or_default();
    (digits.starts_with("19") || digits.starts_with("20"))
        && digits.bytes().all(|b| b.is_ascii_digit() || b == b'x')
}

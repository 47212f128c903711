//! File names of comics and manga: series, volume, issue or chapter, subtitle.
//!
//! Titles contain series and number: `Batman #1`, `Saga Vol. 1`, `Berserk Ch. 12`.

use ledge_core::registry::naming::{ItemNames, Series};
use ledge_core::text::names::{articles, brackets, clean};
use serde_json::{Value, json};

use crate::names::folders::ParentFolders;
use crate::names::number::{self, Mark, Number};
use crate::names::tags;

/// Parsed parts of a name.
#[derive(Debug, Default)]
struct Comic {
    series: String,
    subtitle: String,
    volume: Option<Number>,
    issue: Option<Number>,
    chapter: Option<Number>,
}

/// Parses the name of a comic without its extension.
pub fn read(stem: &str, folders: &ParentFolders) -> ItemNames {
    let spaced = clean::spaced(stem);
    let (text, bracketed) = brackets::split(&spaced);
    let mut comic = Comic::parse(&text);
    if comic.series.is_empty()
        && let Some(folder) = folders.innermost()
    {
        comic.series.clone_from(&folder.name);
    }
    if comic.volume.is_none() {
        comic.volume.clone_from(&folders.volume);
    }
    let mut names = ItemNames::titled(comic.title());
    names.year = bracketed.iter().find_map(|tag| tags::year(tag.text));
    names.series = comic.in_series(folders);
    let language = bracketed.iter().find_map(|tag| tags::language(tag.text));
    let count = bracketed
        .iter()
        .find_map(|tag| tag.text.strip_prefix("of ").and_then(number::number));
    let mut put = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            names.facts.insert(name.to_owned(), value);
        }
    };
    put("volume", comic.volume.map(|number| json!(number.shown)));
    put("issue", comic.issue.map(|number| json!(number.shown)));
    put("chapter", comic.chapter.map(|number| json!(number.shown)));
    put("issue_count", count.map(|number| json!(number.shown)));
    put("language", language.map(|code| json!(code)));
    names
}

impl Comic {
    fn parse(text: &str) -> Self {
        let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
        let mut comic = Self::default();
        let (mut from, mut end) = (words.len(), 0);
        let mut at = 0;
        while let Some(rest) = words.get(at..).filter(|rest| !rest.is_empty()) {
            let Some(found) = number::marked(rest).filter(|found| comic.is_free(found.mark)) else {
                at += 1;
                continue;
            };
            from = from.min(at);
            at += found.words;
            end = at;
            comic.take(found.mark, found.number);
        }
        if comic.issue.is_none()
            && comic.chapter.is_none()
            && let Some((at, number)) = bare_issue(&words, end)
        {
            from = from.min(at);
            end = at + 1;
            comic.issue = Some(number);
        }
        let joined = |words: Option<&[&str]>| {
            clean::trimmed(&words.unwrap_or_default().join(" ")).to_owned()
        };
        comic.series = articles::restore(&joined(words.get(..from)));
        comic.subtitle = joined(words.get(end.max(from)..));
        comic
    }

    fn is_free(&self, mark: Mark) -> bool {
        match mark {
            Mark::Issue => self.issue.is_none(),
            Mark::Volume => self.volume.is_none(),
            Mark::Chapter => self.chapter.is_none(),
            Mark::Book => false,
        }
    }

    fn take(&mut self, mark: Mark, number: Number) {
        match mark {
            Mark::Issue => self.issue = Some(number),
            Mark::Volume => self.volume = Some(number),
            Mark::Chapter => self.chapter = Some(number),
            Mark::Book => {}
        }
    }

    fn title(&self) -> String {
        let mut title = self.series.clone();
        // A year as the volume distinguishes runs of a series and is left out of the title.
        if let Some(volume) = self.volume.as_ref().filter(|volume| volume.value < 1900.0) {
            title.extend([" Vol. ", &volume.shown]);
        }
        if let Some(chapter) = &self.chapter {
            title.extend([" Ch. ", &chapter.shown]);
        }
        if let Some(issue) = &self.issue {
            title.extend([" #", &issue.shown]);
        }
        if !self.subtitle.is_empty() {
            title.extend([" - ", &self.subtitle]);
        }
        title
    }

    /// Returns the series of a numbered comic. A comic without a number belongs to a series only if
    /// its folder has the same name.
    fn in_series(&self, folders: &ParentFolders) -> Option<Series> {
        let number = [&self.issue, &self.chapter, &self.volume]
            .into_iter()
            .flatten()
            .next();
        let index = number.map(|number| number.value);
        let in_folder = || {
            folders
                .innermost()
                .is_some_and(|folder| folder.is(&self.series))
        };
        if self.series.is_empty() || index.is_none() && !in_folder() {
            return None;
        }
        Some(Series {
            name: self.series.clone(),
            index,
        })
    }
}

/// Finds the issue number in words without marks, from index `from` on. A zero-padded number
/// (`001`) is preferred to a number at the end of the name or before a dash. Years are skipped.
fn bare_issue(words: &[&str], from: usize) -> Option<(usize, Number)> {
    let candidates = words.iter().enumerate().skip(from).rev();
    let mut found: Option<(usize, Number)> = None;
    for (at, word) in candidates {
        let Some(number) = number::number_word(word) else {
            continue;
        };
        let like_year = word.len() == 4 && (1900.0..2100.0).contains(&number.value);
        if like_year && words.len() > 1 {
            continue;
        }
        if number.padded || word.len() == 3 && at > 0 {
            return Some((at, number));
        }
        let ends = words
            .get(at + 1)
            .is_none_or(|next| *next == "-" || *next == "–");
        if ends && (at > 0 || words.len() == 1 || words.get(1).is_some_and(|next| *next == "-")) {
            found.get_or_insert((at, number));
        }
    }
    found
}

//! File names of books.
//!
//! If a dash separates author and title, either may come first. A part with the name of a folder
//! above is the author. Otherwise the part that looks like people's names is the author; if both
//! do, the first one is.

use std::collections::BTreeMap;

use ledge_core::registry::naming::{Credit, ItemNames, Series};
use ledge_core::text::names::brackets;
use ledge_core::text::names::brackets::Part;
use ledge_core::text::names::{articles, clean, people, year};
use serde_json::{Value, json};

use crate::isbn;
use crate::names::folders::ParentFolders;
use crate::names::number::{self, Mark};
use crate::names::tags;

/// State of a name that is being parsed.
#[derive(Debug, Default)]
struct Book {
    title: String,
    authors: Vec<String>,
    series: Option<String>,
    index: Option<f64>,
    year: Option<i32>,
    facts: BTreeMap<String, Value>,
    /// Text in brackets that may be the authors, as in file names of shadow libraries.
    bracketed: Option<String>,
    from_site: bool,
    /// Brackets contain the number of a volume without a name: `Title (Volume 1)`.
    is_volume: bool,
    /// Layout `Author/Title (id)/Title - Author` of calibre, in which the number in brackets is not
    /// a year.
    calibre: bool,
}

/// Parses the name of a book without its extension.
pub fn read(stem: &str, folders: &ParentFolders) -> ItemNames {
    let mut book = Book::default();
    if !book.archive_record(stem) {
        let text = book.without_tags(&clean::spaced(stem));
        let text = book.without_litter(&text, !stem.contains(' '));
        book.segments(&text, folders);
    }
    book.complete_from_folders(folders);
    book.into_names()
}

impl Book {
    /// Parses `Title -- Authors -- City, Publisher, Year -- ISBN -- Hash -- Anna’s Archive`.
    fn archive_record(&mut self, stem: &str) -> bool {
        let fields: Vec<&str> = stem.split(" -- ").map(str::trim).collect();
        let [title, authors, rest @ ..] = fields.as_slice() else {
            return false;
        };
        if rest.is_empty() || title.is_empty() {
            return false;
        }
        self.title = clean::spaced(title);
        self.authors = people::split(&authors.replace('_', ";"));
        for field in rest {
            let last = field.rsplit([',', ' ']).next().unwrap_or(field);
            self.year = self.year.or_else(|| year::parse(last.trim()));
            self.take_isbn(last);
        }
        true
    }

    /// Extracts the values of bracketed tags and removes them. Unknown tags in round brackets stay
    /// part of the title. Other unknown tags are removed as marks of the file's maker.
    fn without_tags(&mut self, text: &str) -> String {
        let mut left = String::with_capacity(text.len());
        for part in brackets::parts(text) {
            match part {
                Part::Text(text) => left.push_str(text),
                Part::Tag(tag) if self.take_tag(tag.open, tag.text, left.trim().is_empty()) => {
                    left.push(' ');
                }
                Part::Tag(tag) if tag.open == '(' => left.extend(["(", tag.text, ")"]),
                Part::Tag(_) => left.push(' '),
            }
        }
        if clean::trimmed(&left).is_empty() {
            return text.to_owned();
        }
        clean::plain(&left)
    }

    fn take_tag(&mut self, open: char, text: &str, first: bool) -> bool {
        if let Some(year) = tags::year(text) {
            self.year = Some(year);
        } else if tags::is_site(text) {
            self.from_site = true;
        } else if self.take_isbn(text) || tags::is_noise(text) {
        } else if let Some(code) = tags::language(text) {
            self.facts.insert("language".to_owned(), json!(code));
        } else if let Some(found) = in_series(text).filter(|found| found.certain || open == '[') {
            self.is_volume |= found.marked && found.name.is_empty();
            self.take_series(&found);
        } else if open == '[' && first && !text.is_empty() {
            self.series.get_or_insert(text.to_owned());
        } else if open == '(' && people::looks_like_people(text) {
            // A tag may also be a publisher's series. Only a tag of a site makes it certain that it
            // contains the authors.
            self.bracketed = Some(text.to_owned());
            return false;
        } else {
            return false;
        }
        true
    }

    fn take_isbn(&mut self, text: &str) -> bool {
        let isbn = isbn::parse(text);
        let found = isbn.is_some();
        if let Some(isbn) = isbn {
            self.facts.entry("isbn".to_owned()).or_insert(json!(isbn));
        }
        found
    }

    /// Removes ISBNs. In names without spaces, also removes the suffix of release groups.
    fn without_litter(&mut self, text: &str, is_release: bool) -> String {
        let mut words: Vec<&str> = text.split(' ').collect();
        let sole = words.len() == 1;
        words.retain(|word| !self.take_isbn(word) || sole);
        if is_release && let Some(at) = words.iter().skip(1).position(|word| begins_litter(word)) {
            words.truncate(at + 1);
            if words.len() > 1
                && let Some(year) = words.last().and_then(|last| year::parse(last))
            {
                self.year = self.year.or(Some(year));
                words.pop();
            }
        }
        let mut text = words.join(" ");
        if let (true, Some(authors)) = (self.from_site, self.bracketed.take()) {
            text = clean::plain(&text.replace(&format!("({authors})"), ""));
            self.authors = people::split(&authors);
        }
        clean::trimmed(&text).to_owned()
    }

    /// Parses the parts between dashes: author, series with number, and title, in various orders.
    fn segments(&mut self, text: &str, folders: &ParentFolders) {
        let dashed = text.replace(" – ", " - ").replace(" — ", " - ");
        let mut parts: Vec<&str> = dashed
            .split(" - ")
            .map(clean::trimmed)
            .filter(|p| !p.is_empty())
            .collect();
        if parts.len() > 1 && parts.last().is_some_and(|last| is_unknown_author(last)) {
            parts.pop();
        }
        self.take_leading_year(&mut parts, folders);
        if self.authors.is_empty() {
            self.take_author(&mut parts, folders);
        }
        self.take_number(&mut parts);
        self.title = parts.join(" - ");
        if let [only] = parts.as_slice() {
            self.single(only, folders);
        }
    }

    /// Takes the year of `1951 - Foundation` in an author's folder.
    fn take_leading_year(&mut self, parts: &mut Vec<&str>, folders: &ParentFolders) {
        let in_authors = folders.innermost().is_some_and(|folder| folder.people);
        if let [first, _, ..] = parts.as_slice()
            && let Some(year) = year::parse(first)
            && in_authors
        {
            self.year = self.year.or(Some(year));
            parts.remove(0);
        }
    }

    fn take_author(&mut self, parts: &mut Vec<&str>, folders: &ParentFolders) {
        let [first, rest @ ..] = parts.as_slice() else {
            return;
        };
        let (Some(second), Some(last)) = (rest.first(), rest.last()) else {
            return;
        };
        let numbered = number::number(second).is_some() && parts.len() > 2;
        let of_folder = |text: &str| folders.named(text).is_some();
        let at_start = if of_folder(last) && number::number(last).is_none() {
            false
        } else if of_folder(first) || numbered {
            // `Series - 01 - Title` in the folder of its series or in a generic folder.
            let at = folders.named(first);
            let author = at.is_some_and(|(depth, _)| depth > 0);
            let titled = at.is_some_and(|(depth, folder)| depth == 0 && !folder.people);
            let by_last = !numbered && titled && people::looks_like_people(last);
            if numbered && !author {
                return;
            }
            !by_last
        } else if number::number(first)
            .is_some_and(|number| number.padded || !people::looks_like_people(last))
        {
            return;
        } else if in_series(first).is_some_and(|found| found.certain) {
            if !people::looks_like_people(last) || parts.len() < 3 {
                return;
            }
            false
        } else if people::looks_like_people(first) {
            true
        } else if people::looks_like_people(last) {
            false
        } else {
            return;
        };
        let calibre = |last: &&str| folders.named(last).is_some_and(|(depth, _)| depth == 1);
        self.calibre = folders
            .innermost()
            .is_some_and(|innermost| innermost.numbered)
            && calibre(last);
        let author = if at_start { parts.remove(0) } else { last };
        self.authors = people::split(author);
        if !at_start {
            parts.pop();
        }
    }

    /// Takes the number of `01 - Title`, `Series 01 - Title` or `Series - 01 - Title`.
    fn take_number(&mut self, parts: &mut Vec<&str>) {
        match parts.as_slice() {
            [first, _, ..]
                if number::number(first).is_some_and(|n| n.padded || first.len() < 4) =>
            {
                self.index = self
                    .index
                    .or(number::number(first).map(|number| number.value));
                parts.remove(0);
            }
            [series, number, _, ..] if number::number(number).is_some() => {
                self.index = number::number(number).map(|number| number.value);
                self.series = Some((*series).to_owned());
                parts.drain(..2);
            }
            [first, _, ..] => {
                if let Some(found) = in_series(first) {
                    self.take_series(&found);
                    parts.remove(0);
                }
            }
            _ => {}
        }
    }

    /// Parses a title without dashes: `Title by Author`, `01. Title`, `Series, Vol. 3`, `Vol. 3`.
    fn single(&mut self, text: &str, folders: &ParentFolders) {
        if self.authors.is_empty()
            && let Some((title, author)) = text.rsplit_once(" by ")
            && people::looks_like_people(author)
        {
            self.authors = people::split(author);
            title.trim().clone_into(&mut self.title);
        } else if let Some((number, title)) = leading_number(text) {
            self.index = self.index.or(Some(number));
            title.clone_into(&mut self.title);
        } else if self.series.is_none()
            && let Some(found) = in_series(text).filter(|found| found.marked)
        {
            if found.name.is_empty() {
                let folder = folders
                    .innermost()
                    .map(|folder| format!("{} {text}", folder.name));
                self.title = folder.unwrap_or_else(|| text.to_owned());
            }
            self.take_series(&found);
        }
    }

    fn take_series(&mut self, found: &InSeries<'_>) {
        if !found.name.is_empty() {
            self.series = Some(found.name.to_owned());
        }
        self.index = Some(found.index);
    }

    /// Completes missing values from the folders: series of a numbered book, authors, and year.
    fn complete_from_folders(&mut self, folders: &ParentFolders) {
        let innermost = folders.innermost();
        let mut authors_from = 0;
        if self.index.is_some() && self.series.is_none() {
            // A folder that looks like people's names is a series only inside another such folder.
            let series = innermost.filter(|innermost| {
                let below_people = folders.parent().is_some_and(|parent| parent.people);
                !self.is_author(&innermost.name) && (!innermost.people || below_people)
            });
            if let Some(series) = series {
                self.series = Some(series.name.clone());
                authors_from = 1;
            } else if self.is_volume {
                self.series = Some(self.title.clone());
            }
        } else if let Some(series) = &self.series
            && innermost.is_some_and(|innermost| innermost.is(series))
        {
            authors_from = 1;
        }
        if let Some(innermost) = innermost.filter(|innermost| innermost.is(&self.title)) {
            authors_from = 1;
            self.year = self.year.or(innermost.year.filter(|_| !self.calibre));
        }
        if self.authors.is_empty()
            && let Some(folder) = folders.people(authors_from)
        {
            self.authors = people::split(&folder.name);
        }
    }

    fn is_author(&self, name: &str) -> bool {
        let direct = people::direct(name);
        self.authors.contains(&direct)
    }

    fn into_names(self) -> ItemNames {
        let index = self.index;
        let series = self.series.map(|name| Series {
            name: articles::restore(&name),
            index,
        });
        ItemNames {
            title: self.title,
            year: self.year,
            credits: self.authors.into_iter().map(Credit::author).collect(),
            series,
            facts: self.facts,
        }
    }
}

/// Returns true for the placeholders that programs write for an unknown author.
pub(crate) fn is_unknown_author(text: &str) -> bool {
    ["unknown", "unknown author", "anonymous"].contains(&text.to_lowercase().as_str())
}

/// Series name with a number at its end.
struct InSeries<'a> {
    name: &'a str,
    index: f64,
    /// True for an explicit mark such as `Book 1` or `#1`.
    marked: bool,
    /// True if marked or zero-padded: `Mistborn 01`, but not `Catch 22`.
    certain: bool,
}

fn in_series(text: &str) -> Option<InSeries<'_>> {
    let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
    for count in [2, 1] {
        let Some(last) = words
            .len()
            .checked_sub(count)
            .and_then(|at| words.get(at..))
        else {
            continue;
        };
        let Some(found) =
            number::marked(last).filter(|f| f.words == count && f.mark != Mark::Chapter)
        else {
            continue;
        };
        return Some(InSeries {
            name: before(text, last),
            index: found.number.value,
            marked: true,
            certain: true,
        });
    }
    let [_, .., last] = words.as_slice() else {
        return None;
    };
    let number = number::number(last).filter(|_| year::parse(last).is_none())?;
    let name = before(text, &[*last]);
    (!name.is_empty()).then_some(InSeries {
        name,
        index: number.value,
        marked: false,
        certain: number.padded,
    })
}

/// Returns the text before its last words.
fn before<'a>(text: &'a str, last: &[&str]) -> &'a str {
    let head = last
        .iter()
        .rev()
        .try_fold(text, |text, word| text.trim_end().strip_suffix(word));
    clean::trimmed(head.unwrap_or_default())
}

/// Parses `01. Title`, `1) Title` or `01 Title`. A number without punctuation or leading zero
/// belongs to the title.
fn leading_number(text: &str) -> Option<(f64, &str)> {
    let (first, title) = text.split_once(' ')?;
    let pointed = first.ends_with(['.', ')']);
    let number = number::number_word(first)?;
    (pointed || number.padded && !first.contains('-')).then_some((number.value, title.trim()))
}

/// Returns true if a word starts the suffix that release groups add after a title.
fn begins_litter(word: &str) -> bool {
    let first = word.split('-').next().unwrap_or(word);
    tags::is_noise_word(first) && first.chars().next().is_some_and(char::is_alphabetic)
}

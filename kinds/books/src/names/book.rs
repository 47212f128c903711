//! Names of books.
//!
//! Where a dash parts author and title, either may come first. The folders decide: a part that
//! bears the name of a folder above is the author. Else the part that looks like people is, and
//! where both do, the first.

use std::collections::BTreeMap;

use ledge_core::names::brackets::{self, Part};
use ledge_core::names::{articles, clean, people, year};
use ledge_core::registry::naming::{Credit, ItemNames, Series};
use serde_json::{Value, json};

use crate::names::number::{self, Mark};
use crate::names::place::Place;
use crate::names::tags;

/// A name that is being taken apart.
#[derive(Debug, Default)]
struct Book {
    title: String,
    authors: Vec<String>,
    series: Option<String>,
    index: Option<f64>,
    year: Option<i32>,
    facts: BTreeMap<String, Value>,
    /// Authors in brackets, as some sites name their files.
    bracketed: Option<String>,
    from_site: bool,
    /// `Author/Title (id)/Title - Author`: the number in brackets is no year.
    calibre: bool,
}

/// Reads the name of a book without its extension.
pub fn read(stem: &str, place: &Place) -> ItemNames {
    let mut book = Book::default();
    if !book.archive_record(stem) {
        let text = book.without_tags(&clean::spaced(stem));
        let text = book.without_litter(&text, !stem.contains(' '));
        book.segments(&text, place);
    }
    book.ask_folders(place);
    book.into_names()
}

impl Book {
    /// `Title -- Authors -- City, Publisher, Year -- ISBN -- Hash -- Anna’s Archive`.
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

    /// Takes what brackets tell and leaves the rest: round ones that tell nothing belong to the
    /// title, others are marks of those who made the file.
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
            self.take_series(&found);
        } else if open == '[' && first && !text.is_empty() {
            self.series.get_or_insert(text.to_owned());
        } else if open == '(' && people::looks_like_people(text) {
            // Only a site's name tells them from a publisher's row.
            self.bracketed = Some(text.to_owned());
            return false;
        } else {
            return false;
        }
        true
    }

    fn take_isbn(&mut self, text: &str) -> bool {
        let isbn = tags::isbn(text);
        let found = isbn.is_some();
        if let Some(isbn) = isbn {
            self.facts.entry("isbn".to_owned()).or_insert(json!(isbn));
        }
        found
    }

    /// Cuts ISBNs, and in names without spaces what release groups put behind the title.
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

    /// Parts between dashes: author, series with number, title, in the orders people use.
    fn segments(&mut self, text: &str, place: &Place) {
        let dashed = text.replace(" – ", " - ").replace(" — ", " - ");
        let mut parts: Vec<&str> = dashed
            .split(" - ")
            .map(clean::trimmed)
            .filter(|p| !p.is_empty())
            .collect();
        if parts.len() > 1 && parts.last().is_some_and(|last| is_nobody(last)) {
            parts.pop();
        }
        self.take_leading_year(&mut parts, place);
        if self.authors.is_empty() {
            self.take_author(&mut parts, place);
        }
        self.take_number(&mut parts);
        self.title = parts.join(" - ");
        if let [only] = parts.as_slice() {
            self.single(only, place);
        }
    }

    /// `1951 - Foundation` in an author's folder.
    fn take_leading_year(&mut self, parts: &mut Vec<&str>, place: &Place) {
        let in_authors = place.own().is_some_and(|folder| folder.people);
        if let [first, _, ..] = parts.as_slice()
            && let Some(year) = year::parse(first)
            && in_authors
        {
            self.year = self.year.or(Some(year));
            parts.remove(0);
        }
    }

    fn take_author(&mut self, parts: &mut Vec<&str>, place: &Place) {
        let [first, rest @ ..] = parts.as_slice() else {
            return;
        };
        let (Some(second), Some(last)) = (rest.first(), rest.last()) else {
            return;
        };
        let numbered = number::number(second).is_some() && parts.len() > 2;
        let of_folder = |text: &str| place.named(text).is_some();
        let at_start = if of_folder(last) && number::number(last).is_none() {
            false
        } else if of_folder(first) || numbered {
            // `Series - 01 - Title` in its series' or in no telling folder.
            let at = place.named(first);
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
        let calibre = |last: &&str| place.named(last).is_some_and(|(depth, _)| depth == 1);
        self.calibre = place.own().is_some_and(|own| own.numbered) && calibre(last);
        let author = if at_start { parts.remove(0) } else { last };
        self.authors = people::split(author);
        if !at_start {
            parts.pop();
        }
    }

    /// `01 - Title`, `Series 01 - Title`, `Series - 01 - Title`.
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

    /// A title by itself: `Title by Author`, `01. Title`, `Series, Vol. 3`, `Vol. 3`.
    fn single(&mut self, text: &str, place: &Place) {
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
                let folder = place.own().map(|folder| format!("{} {text}", folder.name));
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

    /// What the name left open: series of a numbered book, authors, the year of a title's folder.
    fn ask_folders(&mut self, place: &Place) {
        let own = place.own();
        let mut authors_from = 0;
        if self.index.is_some() && self.series.is_none() {
            // A folder named like people holds a series only inside a folder of people.
            let series = own.filter(|own| {
                let below_people = place.parent().is_some_and(|parent| parent.people);
                !self.is_author(&own.name) && (!own.people || below_people)
            });
            if let Some(series) = series {
                self.series = Some(series.name.clone());
                authors_from = 1;
            }
        } else if let Some(series) = &self.series
            && own.is_some_and(|own| own.is(series))
        {
            authors_from = 1;
        }
        if let Some(own) = own.filter(|own| own.is(&self.title)) {
            authors_from = 1;
            self.year = self.year.or(own.year.filter(|_| !self.calibre));
        }
        if self.authors.is_empty()
            && let Some(folder) = place.people(authors_from)
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

/// What programs write where they know no author.
pub(crate) fn is_nobody(text: &str) -> bool {
    ["unknown", "unknown author", "anonymous"].contains(&text.to_lowercase().as_str())
}

/// A series and a number at its end.
struct InSeries<'a> {
    name: &'a str,
    index: f64,
    /// `Book 1`, `#1`: nothing else than a number in a series.
    marked: bool,
    /// Marked, or written like numbers in a row: `Mistborn 01`, but not `Catch 22`.
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

/// The text before its last words.
fn before<'a>(text: &'a str, last: &[&str]) -> &'a str {
    let head = last
        .iter()
        .rev()
        .try_fold(text, |text, word| text.trim_end().strip_suffix(word));
    clean::trimmed(head.unwrap_or_default())
}

/// `01. Title`, `1) Title`, `01 Title`; a number without point or zero belongs to the title.
fn leading_number(text: &str) -> Option<(f64, &str)> {
    let (first, title) = text.split_once(' ')?;
    let pointed = first.ends_with(['.', ')']);
    let number = number::number_word(first)?;
    (pointed || number.padded && !first.contains('-')).then_some((number.value, title.trim()))
}

/// Whether a word begins what release groups put behind a title.
fn begins_litter(word: &str) -> bool {
    let first = word.split('-').next().unwrap_or(word);
    tags::is_noise_word(first) && first.chars().next().is_some_and(char::is_alphabetic)
}

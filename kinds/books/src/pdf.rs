//! PDF: what its information and metadata say, and how many pages it has (ISO 32000-2). No more of
//! the file is read than that takes.

pub mod cover;
mod file;
pub mod locked;
mod object;
mod predictor;
mod string;
mod xmp;
mod xref;

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;
use std::time::{Duration, Instant};

use ledge_core::language;
use ledge_core::names::people;
use ledge_core::registry::naming::Credit;
use ledge_core::registry::reading::{Inspection, ReadError};
use serde_json::{Value, json};

use crate::archive::{ReadResult, damaged};
use crate::{isbn, text};
use file::Pdf;
use object::{Dictionary, Object};
use xmp::Xmp;

/// Most people, and most pages of a document.
const MOST_CREDITS: usize = 200;
const MOST_PAGES: i64 = 1_000_000;
/// Most nodes of the tree of pages that are counted where its root does not say how many it has.
const MOST_NODES: usize = 20_000;
/// Largest metadata, unpacked, in bytes.
const LARGEST_METADATA: u64 = 4 << 20;

/// The entries of a document's information that are read.
const INFORMATION: [&str; 5] = ["Title", "Author", "Subject", "Keywords", "CreationDate"];

/// Those entries, as the strings that they are.
type Information = BTreeMap<String, Vec<u8>>;

/// What a document says about itself, also where it is encrypted and opens without a password.
pub fn inspect_file(path: &Path, file: File, time: Duration) -> ReadResult<Inspection> {
    let start = Instant::now();
    let plain = inspect(&file, time)?;
    if !plain.facts.contains_key("encrypted") {
        return Ok(plain);
    }
    let left = time.saturating_sub(start.elapsed());
    Ok(match locked::inspect(path, file, left) {
        Ok(Some(unlocked)) => Inspection {
            extent: unlocked.extent.or(plain.extent),
            ..unlocked
        },
        Err(error @ (ReadError::Crashed(_) | ReadError::Limit(_))) => Inspection {
            faults: vec![error.to_string()],
            ..plain
        },
        // Why it does not open is told of its cover.
        Ok(None) | Err(_) => plain,
    })
}

/// What a document says about itself in plain.
pub fn inspect(reader: impl Read + Seek, time: Duration) -> ReadResult<Inspection> {
    let mut pdf = Pdf::open(reader, time)?;
    let trailer = pdf.trailer().clone();
    let is_encrypted = trailer.contains_key("Encrypt");
    let root = pdf.dictionary(trailer.get("Root"));
    let Some(root) = root else {
        return if is_encrypted {
            Ok(locked(None))
        } else {
            Err(damaged("is a PDF without a catalogue"))
        };
    };
    let pages = page_count(&mut pdf, &root);
    if is_encrypted {
        return Ok(locked(pages));
    }
    let information = information(&mut pdf, &trailer);
    let xmp = metadata(&mut pdf, &root);
    Ok(inspection(&information, &xmp, pages))
}

/// What is known of a document whose texts are encrypted.
fn locked(pages: Option<i64>) -> Inspection {
    Inspection {
        extent: pages,
        facts: BTreeMap::from([("encrypted".to_owned(), json!(true))]),
        ..Inspection::default()
    }
}

fn information<R: Read + Seek>(pdf: &mut Pdf<R>, trailer: &Dictionary) -> Information {
    let all = pdf.dictionary(trailer.get("Info")).unwrap_or_default();
    let known = INFORMATION.iter().filter_map(|name| {
        let Object::String(value) = pdf.resolved(all.get(*name)?) else {
            return None;
        };
        Some(((*name).to_owned(), value))
    });
    known.collect()
}

fn inspection(information: &Information, xmp: &Xmp, pages: Option<i64>) -> Inspection {
    let said = |name: &str| text::line(&string::decoded(information.get(name)?));
    let title = said("Title").filter(|title| is_title(title));
    let xmp_title = xmp.title.clone().filter(|title| is_title(title));
    let author = said("Author");
    let credits = match &author {
        Some(author) => authors(author),
        None => xmp
            .creators
            .iter()
            .map(|name| Credit::author(people::direct(name)))
            .collect(),
    };
    let subject = said("Subject").or_else(|| xmp.description.clone());
    let keywords = said("Keywords")
        .map(|words| listed(&words))
        .unwrap_or_default();
    let date = xmp
        .date
        .clone()
        .or_else(|| said("CreationDate").and_then(|date| iso(&date)));
    let facts = [
        ("date", date.map(Value::from)),
        (
            "language",
            xmp.language
                .as_deref()
                .and_then(language::tag)
                .map(Value::from),
        ),
        ("publisher", xmp.publisher.clone().map(Value::from)),
        (
            "isbn",
            xmp.identifiers
                .iter()
                .find_map(|text| isbn::parse(text))
                .map(Value::from),
        ),
        ("subjects", (!keywords.is_empty()).then(|| json!(keywords))),
    ];
    let facts = facts
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Inspection {
        title: title.or(xmp_title),
        credits: credits.into_iter().take(MOST_CREDITS).collect(),
        description: subject,
        facts: facts.collect(),
        extent: pages,
        ..Inspection::default()
    }
}

/// Programs write the name of the file they printed, or nothing, where a title should stand.
fn is_title(title: &str) -> bool {
    let lower = title.to_lowercase();
    let is_name = [
        ".doc", ".docx", ".indd", ".qxd", ".tex", ".dvi", ".pdf", ".rtf", ".odt", ".ps",
    ]
    .iter()
    .any(|extension| lower.ends_with(extension));
    !is_name && !lower.starts_with("microsoft word - ") && !lower.starts_with("untitled")
}

/// One author, or several where semicolons part them: names have commas of their own.
fn authors(text: &str) -> Vec<Credit> {
    let names = text.split(';').filter_map(text::line);
    names
        .map(|name| Credit::author(people::direct(&name)))
        .collect()
}

/// Keywords, parted by commas or semicolons.
fn listed(words: &str) -> Vec<String> {
    const MOST: usize = 50;
    words
        .split([',', ';'])
        .filter_map(text::line)
        .take(MOST)
        .collect()
}

/// `D:20120304050607Z` as `2012-03-04`.
fn iso(date: &str) -> Option<String> {
    let digits: String = date
        .trim_start_matches("D:")
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    let part = |from: usize, to: usize| digits.get(from..to);
    let year = part(0, 4)?;
    match (part(4, 6), part(6, 8)) {
        (Some(month), Some(day)) => Some(format!("{year}-{month}-{day}")),
        _ => Some(year.to_owned()),
    }
}

/// The number of pages that the root of their tree tells, else what there is to count.
fn page_count<R: Read + Seek>(pdf: &mut Pdf<R>, root: &Dictionary) -> Option<i64> {
    let pages = pdf.dictionary(root.get("Pages"))?;
    let told = match pages.get("Count").map(|count| pdf.resolved(count)) {
        Some(Object::Number(count)) => whole(count),
        _ => None,
    };
    let count = told.filter(|count| (1..=MOST_PAGES).contains(count));
    count
        .or_else(|| counted(pdf, &pages))
        .filter(|count| *count > 0)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the range is asked for first"
)]
fn whole(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() < 1e9).then_some(number as i64)
}

/// Counts the pages of a tree. Numbers of nodes wait, never the nodes themselves, and each is visited
/// once: a few bytes can name a long object very often.
fn counted<R: Read + Seek>(pdf: &mut Pdf<R>, root: &Dictionary) -> Option<i64> {
    let mut known = HashSet::new();
    let mut waiting = Vec::new();
    let mut count = wait_for_kids(pdf, root, &mut known, &mut waiting);
    while let Some(number) = waiting.pop() {
        if let Some(node) = pdf.dictionary(Some(&Object::Reference(number))) {
            count += wait_for_kids(pdf, &node, &mut known, &mut waiting);
        }
    }
    (count > 0).then_some(count)
}

/// Lines up the nodes below this one that are not known yet; without such it is a page, or nothing.
fn wait_for_kids<R: Read + Seek>(
    pdf: &mut Pdf<R>,
    node: &Dictionary,
    known: &mut HashSet<u32>,
    waiting: &mut Vec<u32>,
) -> i64 {
    let Some(Object::Array(kids)) = node.get("Kids").map(|kids| pdf.resolved(kids)) else {
        return i64::from(matches!(node.get("Type"), Some(Object::Name(name)) if name == "Page"));
    };
    for kid in kids {
        // Nodes stand nowhere else (ISO 32000-2, 7.7.3.2).
        if let Object::Reference(number) = kid
            && known.len() < MOST_NODES
            && known.insert(number)
        {
            waiting.push(number);
        }
    }
    0
}

fn metadata<R: Read + Seek>(pdf: &mut Pdf<R>, root: &Dictionary) -> Xmp {
    let stream = root
        .get("Metadata")
        .and_then(|place| pdf.stream(place, LARGEST_METADATA));
    stream.map(|bytes| Xmp::read(&bytes)).unwrap_or_default()
}

#[cfg(test)]
mod tests;

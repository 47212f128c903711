//! PDF: document information, XMP metadata and page count (ISO 32000-2).
//!
//! A sound, unencrypted file is read in place, and only the needed parts of it. All other files are
//! read by a library in a subprocess, which takes about fifty times as long.

pub mod cover;
mod file;
mod object;
mod predictor;
mod string;
pub mod worker;
mod xmp;
mod xref;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;
use std::time::{Duration, Instant};

use ledge_core::error::ReadError;
use ledge_core::registry::naming::Credit;
use ledge_core::registry::reading::Inspection;
use ledge_core::text::language;
use ledge_core::text::names::people;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::archive::{ReadResult, damaged};
use crate::{isbn, text};
use file::Pdf;
use object::{Dictionary, Object};
use xmp::Xmp;

/// Most credits, and most pages of a document.
const MOST_CREDITS: usize = 200;
const MOST_PAGES: i64 = 1_000_000;
/// Fact of documents that are encrypted.
const ENCRYPTED: &str = "encrypted";
/// Largest unpacked XMP metadata, in bytes.
const LARGEST_METADATA: u64 = 4 << 20;

/// Entries of the document information dictionary that are read.
const INFORMATION: [&str; 5] = ["Title", "Author", "Subject", "Keywords", "CreationDate"];

/// Raw strings of those entries.
type Information = BTreeMap<String, Vec<u8>>;

/// Values of a document as they are in the file.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Metadata {
    information: Information,
    xmp: Xmp,
    pages: Option<i64>,
}

/// Reads a document's metadata. An encrypted or damaged document is read in a subprocess.
pub fn inspect_file(path: &Path, mut file: File, time: Duration) -> ReadResult<Inspection> {
    let start = Instant::now();
    let direct = inspect(&file, time);
    let is_sufficient = match &direct {
        Ok(found) => found.extent.is_some() && !found.facts.contains_key(ENCRYPTED),
        Err(error) => !matches!(error, ReadError::Damaged(_)),
    };
    if is_sufficient || file::check_header(&mut file).is_err() {
        return direct;
    }
    let left = time.saturating_sub(start.elapsed());
    match (direct, worker::inspect(path, file, left)) {
        (Ok(direct), Ok(Some(mut found))) => {
            found.extent = found.extent.or(direct.extent);
            found.facts.extend(direct.facts);
            Ok(found)
        }
        (Err(_), Ok(Some(found))) => Ok(found),
        (Ok(direct), Err(error @ (ReadError::Crashed(_) | ReadError::Limit(_)))) => {
            Ok(Inspection {
                faults: vec![error.to_string()],
                ..direct
            })
        }
        (Err(_), Err(error @ (ReadError::Crashed(_) | ReadError::Limit(_)))) => Err(error),
        // The attempt to read the cover reports why the document does not open.
        (direct, Ok(None) | Err(_)) => direct,
    }
}

/// Reads the metadata of a sound document. Of an encrypted document, only the page count is read.
///
/// # Errors
/// [`ReadError::Damaged`] if the file is not a PDF, or its objects cannot be found.
pub fn inspect(reader: impl Read + Seek, time: Duration) -> ReadResult<Inspection> {
    let mut pdf = Pdf::open(reader, time)?;
    let trailer = pdf.trailer().clone();
    let is_encrypted = trailer.contains_key("Encrypt");
    let root = pdf.dictionary(trailer.get("Root"));
    if root.is_none() && !is_encrypted {
        return Err(damaged("is a PDF without a catalogue"));
    }
    let root = root.unwrap_or_default();
    let pages = declared_pages(&mut pdf, &root);
    if is_encrypted {
        return Ok(Inspection {
            extent: pages,
            facts: BTreeMap::from([(ENCRYPTED.to_owned(), json!(true))]),
            ..Inspection::default()
        });
    }
    let metadata = Metadata {
        information: information(&mut pdf, &trailer),
        xmp: xmp(&mut pdf, &root),
        pages,
    };
    Ok(metadata.into_inspection())
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

fn xmp<R: Read + Seek>(pdf: &mut Pdf<R>, root: &Dictionary) -> Xmp {
    let stream = root
        .get("Metadata")
        .and_then(|stream| pdf.stream(stream, LARGEST_METADATA));
    stream.map(|bytes| Xmp::read(&bytes)).unwrap_or_default()
}

/// Returns the page count in the root of the page tree.
fn declared_pages<R: Read + Seek>(pdf: &mut Pdf<R>, root: &Dictionary) -> Option<i64> {
    let pages = pdf.dictionary(root.get("Pages"))?;
    let count = pdf.resolved(pages.get("Count")?).unsigned()?;
    valid_count(i64::try_from(count).ok()?)
}

fn valid_count(pages: i64) -> Option<i64> {
    (1..=MOST_PAGES).contains(&pages).then_some(pages)
}

impl Metadata {
    fn into_inspection(self) -> Inspection {
        let entry = |name: &str| text::line(&string::decoded(self.information.get(name)?));
        let title = entry("Title").filter(|title| is_title(title));
        let xmp_title = self.xmp.title.clone().filter(|title| is_title(title));
        let author = entry("Author");
        let credits = match &author {
            Some(author) => authors(author),
            None => self
                .xmp
                .creators
                .iter()
                .map(|name| Credit::author(people::direct(name)))
                .collect(),
        };
        let subject = entry("Subject").or_else(|| self.xmp.description.clone());
        let keywords = entry("Keywords")
            .map(|words| listed(&words))
            .unwrap_or_default();
        let date = self
            .xmp
            .date
            .clone()
            .or_else(|| entry("CreationDate").and_then(|date| iso(&date)));
        let facts = [
            ("date", date.map(Value::from)),
            (
                "language",
                self.xmp
                    .language
                    .as_deref()
                    .and_then(language::tag)
                    .map(Value::from),
            ),
            ("publisher", self.xmp.publisher.clone().map(Value::from)),
            (
                "isbn",
                self.xmp
                    .identifiers
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
            extent: self.pages,
            ..Inspection::default()
        }
    }
}

/// Returns false for file names and placeholders, which programs write instead of a title.
fn is_title(title: &str) -> bool {
    let lower = title.to_lowercase();
    let is_name = [
        ".doc", ".docx", ".indd", ".qxd", ".tex", ".dvi", ".pdf", ".rtf", ".odt", ".ps",
    ]
    .iter()
    .any(|extension| lower.ends_with(extension));
    !is_name && !lower.starts_with("microsoft word - ") && !lower.starts_with("untitled")
}

/// Returns one author, or several separated by semicolons. Commas are part of a name.
fn authors(text: &str) -> Vec<Credit> {
    let names = text.split(';').filter_map(text::line);
    names
        .map(|name| Credit::author(people::direct(&name)))
        .collect()
}

/// Returns keywords separated by commas or semicolons.
fn listed(words: &str) -> Vec<String> {
    const MOST: usize = 50;
    words
        .split([',', ';'])
        .filter_map(text::line)
        .take(MOST)
        .collect()
}

/// Converts `D:20120304050607Z` to `2012-03-04`.
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

#[cfg(test)]
mod tests;

//! Mobipocket and Amazon books (MOBI, PRC, AZW, AZW3): a Palm database whose first record contains
//! the metadata. Source: the format description of the MobileRead wiki.

mod exth;

use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom};

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use ledge_core::registry::naming::Credit;
use ledge_core::registry::reading::Inspection;
use ledge_core::text::language;
use ledge_core::text::names::people;
use ledge_formats::bytes::BytesAt;
use serde_json::{Value, json};

use crate::archive::{ReadResult, damaged, limit};
use crate::formats::{date, picture};
use crate::names::book::is_unknown_author;
use crate::{html, isbn, text};
use exth::{Exth, tag};

/// Size of the database header, and of an entry of its record list, in bytes.
const HEADER: u64 = 78;
const ENTRY: usize = 8;
/// Largest record with metadata, and largest picture, in bytes.
const LARGEST_DESCRIPTION: u64 = 1 << 20;
const LARGEST_PICTURE: u64 = 32 << 20;
/// Most credits and subjects that are kept.
const MOST_CREDITS: usize = 200;
const MOST_SUBJECTS: usize = 50;
/// Most sections of a book.
const MOST_SECTIONS: u32 = 100_000;
/// Offset of the section index number in the metadata record, and of the entry count in an index.
const SKELETONS: usize = 252;
const INDEXED: usize = 36;
/// Minimum width in pixels of a first picture that is used as the cover. Narrower ones are
/// ornaments.
const NARROWEST_COVER: u32 = 200;
/// Record number that means "none".
const NONE: u32 = u32::MAX;

/// An opened book.
#[derive(Debug)]
struct Mobi<R> {
    reader: R,
    length: u64,
    /// Offset of each record in the file, in bytes.
    record_offsets: Vec<u32>,
    /// Metadata record.
    head: Vec<u8>,
    name: String,
}

/// Reads a book's metadata.
pub fn inspect(reader: impl Read + Seek) -> ReadResult<Inspection> {
    let mut book = Mobi::open(reader)?;
    // Damage in the section index does not affect the metadata.
    let extent = book.sections().unwrap_or_default();
    let exth = book.exth();
    let encoding = book.encoding();
    let lines = |tag| {
        exth.all(tag)
            .filter_map(|value| text::line(&decoded(encoding, value)))
    };
    let first = |tag| lines(tag).next();
    let published = first(tag::PUBLISHED);
    let described = exth.all(tag::DESCRIPTION).next();
    let mut facts: BTreeMap<String, Value> = BTreeMap::new();
    let subjects: Vec<String> = lines(tag::SUBJECT).take(MOST_SUBJECTS).collect();
    let known = [
        ("publisher", first(tag::PUBLISHER).map(Value::from)),
        (
            "language",
            first(tag::LANGUAGE)
                .and_then(|text| language::tag(&text))
                .or(book.language())
                .map(Value::from),
        ),
        (
            "isbn",
            lines(tag::ISBN)
                .find_map(|text| isbn::parse(&text))
                .map(Value::from),
        ),
        (
            "asin",
            first(tag::ASIN)
                .filter(|asin| is_asin(asin))
                .map(Value::from),
        ),
        ("date", published.clone().map(Value::from)),
        ("subjects", (!subjects.is_empty()).then(|| json!(subjects))),
        ("drm", book.is_locked().then_some(json!(true))),
    ];
    for (name, value) in known {
        facts.extend(value.map(|value| (name.to_owned(), value)));
    }
    Ok(Inspection {
        title: first(tag::TITLE).or_else(|| book.title()),
        year: published.as_deref().and_then(date::year),
        credits: credits(lines(tag::AUTHOR), lines(tag::CONTRIBUTOR)),
        description: described.and_then(|value| html::plain(&decoded(encoding, value))),
        facts,
        extent,
        ..Inspection::default()
    })
}

/// Returns the declared cover picture, otherwise the first picture. The bytes are those of the
/// file.
pub fn cover(reader: impl Read + Seek) -> ReadResult<Option<Vec<u8>>> {
    let mut book = Mobi::open(reader)?;
    let first_picture = book.number(108).filter(|first| *first != NONE);
    let offset = book
        .exth()
        .number(tag::COVER)
        .filter(|offset| *offset != NONE);
    let Some(first) = first_picture else {
        return Ok(None);
    };
    let named = offset.and_then(|offset| first.checked_add(offset));
    if let Some(record) = named
        && let Some(bytes) = book.picture(record)?
    {
        return Ok(Some(bytes));
    }
    let is_wide =
        |bytes: &Vec<u8>| picture::size(bytes).is_some_and(|(width, _)| width >= NARROWEST_COVER);
    Ok(book.picture(first)?.filter(is_wide))
}

impl<R: Read + Seek> Mobi<R> {
    fn open(mut reader: R) -> ReadResult<Self> {
        let length = reader.seek(SeekFrom::End(0))?;
        reader.seek(SeekFrom::Start(0))?;
        let mut header = Vec::new();
        reader.by_ref().take(HEADER).read_to_end(&mut header)?;
        let is_plain = header.get(60..68) == Some(b"TEXtREAd");
        if !is_plain && header.get(60..68) != Some(b"BOOKMOBI") {
            return Err(damaged("is not a Mobipocket book"));
        }
        let count = usize::from(header.be16(76).unwrap_or(0));
        let mut list = Vec::new();
        reader
            .by_ref()
            .take((count * ENTRY) as u64)
            .read_to_end(&mut list)?;
        let record_offsets = list
            .chunks_exact(ENTRY)
            .filter_map(|entry| entry.be32(0))
            .collect();
        let name = header.get(..32).unwrap_or_default();
        let mut book = Self {
            reader,
            length,
            record_offsets,
            head: Vec::new(),
            name: String::from_utf8_lossy(name)
                .replace('\0', "")
                .replace('_', " "),
        };
        book.head = book
            .record(0, LARGEST_DESCRIPTION)?
            .filter(|head| is_plain && head.len() >= 16 || is_description(head))
            .ok_or_else(|| damaged("is a Mobipocket book that was cut short or damaged"))?;
        Ok(book)
    }

    /// Reads a record of at most `most` bytes.
    fn record(&mut self, index: usize, most: u64) -> ReadResult<Option<Vec<u8>>> {
        let offset_of = |index: usize| self.record_offsets.get(index).copied().map(u64::from);
        let Some(start) = offset_of(index).filter(|start| *start < self.length) else {
            return Ok(None);
        };
        let end = offset_of(index + 1).unwrap_or(self.length).min(self.length);
        let Some(size) = end.checked_sub(start) else {
            return Ok(None);
        };
        if size > most {
            return Err(limit("a record in it is too large"));
        }
        self.reader.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        self.reader.by_ref().take(size).read_to_end(&mut bytes)?;
        Ok(Some(bytes))
    }

    /// Reads a record if it is a picture. Some files declare a record that is not.
    fn picture(&mut self, record: u32) -> ReadResult<Option<Vec<u8>>> {
        let bytes = self.record(record as usize, LARGEST_PICTURE)?;
        Ok(bytes.filter(|bytes| picture::mime(bytes).starts_with("image/")))
    }

    /// Reads a number of the metadata record.
    fn number(&self, at: usize) -> Option<u32> {
        self.head.be32(at)
    }

    fn exth(&self) -> Exth<'_> {
        let has_exth = self.number(128).is_some_and(|flags| flags & 0x40 != 0);
        let at = self.number(20).map_or(0, |length| 16 + length as usize);
        let bytes = self.head.get(at..).filter(|_| has_exth);
        Exth::new(bytes.unwrap_or_default())
    }

    fn encoding(&self) -> &'static Encoding {
        if self.number(28) == Some(65_001) {
            UTF_8
        } else {
            WINDOWS_1252
        }
    }

    /// Returns the title of the metadata record, otherwise the name of the database.
    fn title(&self) -> Option<String> {
        let full = || {
            let start = self.number(84)? as usize;
            let end = start.checked_add(self.number(88)? as usize)?;
            text::line(&decoded(self.encoding(), self.head.get(start..end)?))
        };
        full().or_else(|| text::line(&self.name))
    }

    /// Returns true if DRM prevents reading the book.
    fn is_locked(&self) -> bool {
        matches!(self.head.be16(12), Some(1 | 2))
    }

    /// Returns the number of sections of a KF8 book, also in a file with both formats. Counting the
    /// sections of the older format would need all text to be unpacked.
    fn sections(&mut self) -> ReadResult<Option<i64>> {
        let boundary = self.exth().number(tag::BOUNDARY);
        let (start, head) = match boundary.filter(|start| *start != NONE) {
            _ if is_kf8(&self.head) => (0, Some(self.head.clone())),
            Some(start) => (start, self.record(start as usize, LARGEST_DESCRIPTION)?),
            None => (0, None),
        };
        let head = head.filter(|head| is_description(head) && is_kf8(head));
        let index = head.and_then(|head| head.be32(SKELETONS)?.checked_add(start));
        let Some(index) = index.filter(|index| *index != NONE) else {
            return Ok(None);
        };
        let index = self.record(index as usize, LARGEST_DESCRIPTION)?;
        let index = index.filter(|index| index.starts_with(b"INDX"));
        let count = index.and_then(|index| index.be32(INDEXED));
        Ok(count
            .filter(|count| (1..=MOST_SECTIONS).contains(count))
            .map(i64::from))
    }

    /// Returns the language of the Windows language code.
    fn language(&self) -> Option<String> {
        let code = self.number(92)? & 0xff;
        let (_, language) = LANGUAGES.iter().find(|(number, _)| *number == code)?;
        Some((*language).to_owned())
    }
}

/// Returns true if a record contains book metadata.
fn is_description(record: &[u8]) -> bool {
    record.get(16..20) == Some(b"MOBI")
}

/// Returns true if a metadata record belongs to a book in the KF8 format.
fn is_kf8(description: &[u8]) -> bool {
    description.be32(36).is_some_and(|version| version >= 8)
}

/// Primary language codes of Windows, without regions.
const LANGUAGES: &[(u32, &str)] = &[
    (1, "ar"),
    (2, "bg"),
    (3, "ca"),
    (4, "zh"),
    (5, "cs"),
    (6, "da"),
    (7, "de"),
    (8, "el"),
    (9, "en"),
    (10, "es"),
    (11, "fi"),
    (12, "fr"),
    (13, "he"),
    (14, "hu"),
    (15, "is"),
    (16, "it"),
    (17, "ja"),
    (18, "ko"),
    (19, "nl"),
    (20, "no"),
    (21, "pl"),
    (22, "pt"),
    (24, "ro"),
    (25, "ru"),
    (26, "hr"),
    (27, "sk"),
    (29, "sv"),
    (30, "th"),
    (31, "tr"),
    (33, "id"),
    (34, "uk"),
    (36, "sl"),
    (37, "et"),
    (38, "lv"),
    (39, "lt"),
    (41, "fa"),
    (42, "vi"),
    (45, "eu"),
    (57, "hi"),
];

fn credits(
    authors: impl Iterator<Item = String>,
    contributors: impl Iterator<Item = String>,
) -> Vec<Credit> {
    let authors = authors.map(|name| (name, "author"));
    // Conversion programs add themselves as contributors, with a version in brackets.
    let contributors = contributors
        .filter(|name| !name.contains('['))
        .map(|name| (name, "contributor"));
    let mut credits = Vec::new();
    for (name, role) in authors.chain(contributors).take(MOST_CREDITS) {
        let credit = Credit {
            name: people::direct(&name),
            role: role.to_owned(),
        };
        if !is_unknown_author(&credit.name) && !credits.contains(&credit) {
            credits.push(credit);
        }
    }
    credits
}

fn decoded(encoding: &'static Encoding, bytes: &[u8]) -> String {
    encoding.decode_without_bom_handling(bytes).0.into_owned()
}

fn is_asin(text: &str) -> bool {
    text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::fixtures::{JPEG, mobi};

    #[test]
    fn metadata_is_read_from_exth_records() {
        let fields: &[(u32, &[u8])] = &[
            (100, b"Example, Ann"),
            (100, "Çelik Örnek".as_bytes()),
            (108, b"calibre (5.0) [https://calibre-ebook.com]"),
            (101, b"Press"),
            (103, b"<p>One</p><p>Two</p>"),
            (104, b"9780306406157"),
            (105, b"Fiction"),
            (106, b"1999-05-04T00:00:00+00:00"),
            (201, &[0, 0, 0, 0]),
            (503, b"A Title"),
        ];
        let bytes = mobi("Full Name", fields, JPEG);
        let book = inspect(Cursor::new(&bytes)).expect("a book");
        assert_eq!(book.title.as_deref(), Some("A Title"));
        assert_eq!(book.year, Some(1999));
        assert_eq!(book.description.as_deref(), Some("One\n\nTwo"));
        let credits: Vec<_> = book
            .credits
            .iter()
            .map(|credit| credit.name.as_str())
            .collect();
        assert_eq!(credits, ["Ann Example", "Çelik Örnek"]);
        assert_eq!(
            serde_json::to_value(&book.facts).expect("JSON"),
            json!({
                "date": "1999-05-04T00:00:00+00:00",
                "isbn": "9780306406157",
                "language": "en",
                "publisher": "Press",
                "subjects": ["Fiction"],
            })
        );
        assert_eq!(
            cover(Cursor::new(&bytes)).expect("a book").as_deref(),
            Some(JPEG)
        );
    }

    #[test]
    fn book_without_exth_has_full_name_as_title() {
        let bytes = mobi("Full Name", &[], JPEG);
        let book = inspect(Cursor::new(&bytes)).expect("a book");
        assert_eq!(book.title.as_deref(), Some("Full Name"));
        assert_eq!(cover(Cursor::new(&bytes)).expect("a book"), None);
    }

    #[test]
    fn first_picture_is_cover_without_declared_cover() {
        let wide = crate::formats::picture::jpeg(&[0; 3 * 300], 300, 1).expect("a picture");
        let bytes = mobi("Full Name", &[(100, b"Ann")], &wide);
        let found = cover(Cursor::new(&bytes)).expect("a book");
        assert_eq!(found.as_deref(), Some(wide.as_slice()));
    }

    #[test]
    fn textread_database_has_title_and_drm() {
        let mut bytes = b"A_Title".to_vec();
        bytes.resize(60, 0);
        bytes.extend(b"TEXtREAd");
        bytes.resize(76, 0);
        bytes.extend([0, 1, 0, 0, 0, 86, 0, 0, 0, 0]);
        bytes.extend([0, 2, 0, 0, 0, 0, 0, 1, 0, 1, 16, 0, 0, 1, 0, 0]);
        let book = inspect(Cursor::new(&bytes)).expect("a book");
        assert_eq!(book.title.as_deref(), Some("A Title"));
        assert_eq!(book.facts.get("drm"), Some(&json!(true)));
    }

    #[test]
    fn kf8_book_has_section_count() {
        let mut index = b"INDX".to_vec();
        index.resize(36, 0);
        index.extend([0, 0, 0, 7]);
        let mut bytes = mobi("Full Name", &[(100, b"Ann")], &index);
        let head = 78 + 16;
        bytes[head + 36..head + 40].copy_from_slice(&8_u32.to_be_bytes());
        assert_eq!(inspect(Cursor::new(&bytes)).expect("a book").extent, None);
        bytes[head + SKELETONS..head + SKELETONS + 4].copy_from_slice(&1_u32.to_be_bytes());
        assert_eq!(
            inspect(Cursor::new(&bytes)).expect("a book").extent,
            Some(7)
        );
    }

    #[test]
    fn content_that_is_not_mobipocket_is_rejected() {
        let error = inspect(Cursor::new(b"TPZ0")).expect_err("no book");
        assert_eq!(error.to_string(), "is not a Mobipocket book");
        let bytes = mobi("Full Name", &[], JPEG);
        for length in 0..bytes.len() {
            let _ = inspect(Cursor::new(&bytes[..length]));
        }
        assert!(inspect(Cursor::new(&bytes[..100])).is_err());
    }
}

//! FictionBook 2: one XML document that embeds its pictures as Base64.

use std::collections::BTreeMap;
use std::io::{Read, Seek};

use base64::Engine;
use base64::engine::GeneralPurposeConfig;
use base64::engine::{DecodePaddingMode, GeneralPurpose};
use ledge_core::error::ReadError;
use ledge_core::registry::naming::{Credit, Series};
use ledge_core::registry::reading::Inspection;
use ledge_core::text::language;
use serde_json::{Value, json};

use crate::archive::zip::Zip;
use crate::archive::{ReadResult, damaged, limit};
use crate::formats::date;
use crate::xml::{self, Document, Element, Piece};
use crate::{html, isbn, text};

/// Bytes of a document that are read for its description and sections, and for its cover.
const TEXT: u64 = 16 << 20;
const WHOLE: u64 = 48 << 20;
/// Longest text of one element, and longest encoded picture, in bytes.
const LONGEST: usize = 64 << 10;
const LONGEST_PICTURE: usize = 44 << 20;
/// Most credits and genres that are kept.
const MOST_CREDITS: usize = 200;
const MOST_SUBJECTS: usize = 50;

/// Base64 decoder that tolerates missing padding and trailing bits, which such files often have.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Reads a book's metadata and counts its sections.
pub fn inspect(reader: impl Read) -> ReadResult<Inspection> {
    let mut bytes = Vec::new();
    reader.take(TEXT).read_to_end(&mut bytes)?;
    let text = xml::decode(&bytes);
    let mut book = Book::default();
    let mut document = Document::new(&text);
    match book.read(&mut document) {
        // Damage after the description does not matter.
        Err(ReadError::Damaged(_)) if book.title.is_some() => {}
        answer => answer?,
    }
    if !book.is_fictionbook {
        return Err(damaged("is not a FictionBook"));
    }
    let extent = book.has_body.then(|| sections(&mut document)).flatten();
    Ok(Inspection {
        extent,
        ..book.inspection()
    })
}

/// Counts the sections that a reader shows, starting inside the first body. Each part of the first
/// body is a section, and each further body is one section of notes. Returns `None` for truncated
/// text.
fn sections(document: &mut Document<'_>) -> Option<i64> {
    let body = document.depth();
    let mut bodies = 1;
    let mut parts = 0;
    loop {
        let piece = document.piece().ok()?;
        let is_outside = document.depth() < body;
        match piece {
            Some(Piece::Open(element)) if document.depth() == body => match element.name() {
                "body" => bodies += 1,
                // Pictures follow the last body.
                "binary" => break,
                _ => {}
            },
            Some(Piece::Open(element)) if bodies == 1 && document.depth() == body + 1 => {
                let is_part = matches!(element.name(), "title" | "epigraph" | "image" | "section");
                parts += i64::from(is_part);
            }
            None if is_outside => break,
            None => return None,
            Some(_) => {}
        }
    }
    Some(parts + bodies - 1).filter(|sections| *sections > 0)
}

/// Returns the cover picture.
pub fn cover(reader: impl Read) -> ReadResult<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    reader.take(WHOLE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > WHOLE {
        return Err(limit("is too large to search for its cover"));
    }
    let text = xml::decode(&bytes);
    let mut book = Book::default();
    let mut document = Document::new(&text);
    book.read(&mut document)?;
    let Some(id) = book.cover else {
        return Ok(None);
    };
    while let Some(piece) = document.piece()? {
        if let Piece::Open(element) = piece
            && element.name() == "binary"
            && element.attribute("id").as_ref() == Some(&id)
        {
            let data = document.text(LONGEST_PICTURE)?;
            let data: Vec<u8> = data
                .bytes()
                .filter(|byte| !byte.is_ascii_whitespace())
                .collect();
            return Ok(BASE64.decode(data).ok());
        }
    }
    Ok(None)
}

/// Unpacks up to `most` bytes of the FictionBook in a ZIP archive.
pub fn unzipped(reader: impl Read + Seek, most: u64) -> ReadResult<Vec<u8>> {
    let mut zip = Zip::open(reader)?;
    let is_book = |name: &str| name.to_lowercase().ends_with(".fb2");
    let mut entries = zip.entries().iter();
    let entry = entries.find(|entry| is_book(&zip.name(entry))).copied();
    let entry = entry.ok_or_else(|| damaged("is an archive without a FictionBook"))?;
    zip.head(&entry, most)
}

/// Reads the metadata of a FictionBook in a ZIP archive, as [`inspect`] does.
pub fn inspect_zipped(reader: impl Read + Seek) -> ReadResult<Inspection> {
    inspect(unzipped(reader, TEXT)?.as_slice())
}

/// Returns the cover of a FictionBook in a ZIP archive, as [`cover`] does.
pub fn cover_zipped(reader: impl Read + Seek) -> ReadResult<Option<Vec<u8>>> {
    cover(unzipped(reader, WHOLE + 1)?.as_slice())
}

/// Values of the description.
#[derive(Debug, Default)]
struct Book {
    is_fictionbook: bool,
    has_body: bool,
    title: Option<String>,
    credits: Vec<Credit>,
    series: Option<Series>,
    annotation: Option<String>,
    date: Option<String>,
    subjects: Vec<String>,
    facts: BTreeMap<String, Value>,
    cover: Option<String>,
}

impl Book {
    /// Reads up to the start of the first body.
    fn read(&mut self, document: &mut Document<'_>) -> ReadResult<()> {
        let mut part = String::new();
        while let Some(piece) = document.piece()? {
            let Piece::Open(element) = piece else {
                continue;
            };
            match element.name() {
                "FictionBook" => self.is_fictionbook = true,
                // The author of the file and the original of a translation are not the book's
                // metadata.
                "title-info" | "publish-info" | "document-info" | "src-title-info" => {
                    element.name().clone_into(&mut part);
                }
                "body" => {
                    self.has_body = true;
                    return Ok(());
                }
                _ if part == "title-info" => self.read_title(document, &element)?,
                _ if part == "publish-info" => self.read_publication(document, &element)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn read_title(&mut self, document: &mut Document<'_>, element: &Element<'_>) -> ReadResult<()> {
        match element.name() {
            "book-title" => self.title = text::line(&document.text(LONGEST)?),
            "author" => self.add_person(document, "author")?,
            "translator" => self.add_person(document, "translator")?,
            "genre" => {
                let genre = text::line(&document.text(LONGEST)?);
                if self.subjects.len() < MOST_SUBJECTS {
                    self.subjects.extend(genre);
                }
            }
            "annotation" => self.annotation = text::lines(&paragraphs(document)?),
            "lang" => self.fact("language", language::tag(&document.text(LONGEST)?)),
            "date" => {
                let value = element.attribute("value");
                let written = text::line(&document.text(LONGEST)?);
                self.date = value.or(written);
            }
            "sequence" => self.add_series(element),
            "image" if self.cover.is_none() => {
                let href = element.attribute("href").unwrap_or_default();
                self.cover = href.strip_prefix('#').map(str::to_owned);
            }
            _ => {}
        }
        Ok(())
    }

    fn read_publication(
        &mut self,
        document: &mut Document<'_>,
        element: &Element<'_>,
    ) -> ReadResult<()> {
        match element.name() {
            "publisher" => self.fact("publisher", text::line(&document.text(LONGEST)?)),
            "isbn" => self.fact("isbn", isbn::parse(&document.text(LONGEST)?)),
            "year" if self.date.is_none() => self.date = text::line(&document.text(LONGEST)?),
            "sequence" => self.add_series(element),
            _ => {}
        }
        Ok(())
    }

    fn fact(&mut self, name: &str, value: Option<String>) {
        let value = value.map(|value| (name.to_owned(), json!(value)));
        self.facts.extend(value);
    }

    fn add_series(&mut self, element: &Element<'_>) {
        if let Some(name) = element.attribute("name").as_deref().and_then(text::line)
            && self.series.is_none()
        {
            let index = element
                .attribute("number")
                .as_deref()
                .and_then(text::number);
            self.series = Some(Series { name, index });
        }
    }

    /// Adds a person by the parts of the name in reading order, otherwise by nickname.
    fn add_person(&mut self, document: &mut Document<'_>, role: &str) -> ReadResult<()> {
        let inside = document.depth();
        let mut parts: [Option<String>; 3] = [None, None, None];
        let mut nickname = None;
        while document.depth() >= inside {
            match document.piece()? {
                Some(Piece::Open(element)) => {
                    let [first, middle, last] = &mut parts;
                    let part = match element.name() {
                        "first-name" => first,
                        "middle-name" => middle,
                        "last-name" => last,
                        "nickname" => &mut nickname,
                        _ => continue,
                    };
                    *part = text::line(&document.text(LONGEST)?);
                }
                Some(_) => {}
                None => break,
            }
        }
        let named = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let name = Some(named).filter(|name| !name.is_empty()).or(nickname);
        if let Some(name) = name
            && self.credits.len() < MOST_CREDITS
        {
            self.credits.push(Credit {
                name,
                role: role.to_owned(),
            });
        }
        Ok(())
    }

    fn inspection(mut self) -> Inspection {
        let subjects = (!self.subjects.is_empty()).then(|| json!(self.subjects));
        self.facts
            .extend(subjects.map(|subjects| ("subjects".to_owned(), subjects)));
        self.fact("date", self.date.clone());
        Inspection {
            title: self.title,
            year: self.date.as_deref().and_then(date::year),
            credits: self.credits,
            series: self.series,
            description: self.annotation.as_deref().and_then(html::plain),
            facts: self.facts,
            ..Inspection::default()
        }
    }
}

/// Returns the text of the last opened element, with paragraphs separated by blank lines.
fn paragraphs(document: &mut Document<'_>) -> ReadResult<String> {
    let inside = document.depth();
    let mut text = String::new();
    while document.depth() >= inside {
        match document.piece()? {
            Some(Piece::Open(element)) if matches!(element.name(), "p" | "empty-line" | "v") => {
                text.push_str("\n\n");
            }
            Some(Piece::Text(piece)) if text.len() < LONGEST => {
                text.extend(piece.chars().map(|c| if c == '\n' { ' ' } else { c }));
            }
            Some(_) => {}
            None => break,
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::fixtures::ZipBuilder;

    const BOOK: &str = "<?xml version='1.0' encoding='windows-1251'?>
        <FictionBook xmlns:l='http://www.w3.org/1999/xlink'><description><title-info>
        <genre>sf</genre><author><first-name>Иван</first-name><middle-name>И.</middle-name>
        <last-name>Пример</last-name></author><author><nickname>nick</nickname></author>
        <book-title>Книга &amp; другие</book-title>
        <annotation><p>Раз\nдва.</p><p>Три.</p></annotation>
        <date value='1999-05-04'>май 1999</date><coverpage><image l:href='#c.jpg'/></coverpage>
        <lang>ru</lang><translator><last-name>Трансл</last-name></translator>
        <sequence name='Цикл' number='2'/></title-info>
        <document-info><author><nickname>maker</nickname></author></document-info>
        <publish-info><publisher>Press</publisher><year>2005</year><isbn>9780306406157</isbn>
        </publish-info></description><body><title>no</title><section><section/></section><section/></body>
        <body name='notes'><section/><section/></body>
        <binary id='x'>AAAA</binary><binary id='c.jpg'>cGlj\n dHVyZQ</binary></FictionBook>";

    fn bytes() -> Vec<u8> {
        encoding_rs::WINDOWS_1251.encode(BOOK).0.into_owned()
    }

    #[test]
    fn description_is_read_in_declared_encoding() {
        let book = inspect(bytes().as_slice()).expect("a book");
        assert_eq!(book.title.as_deref(), Some("Книга & другие"));
        assert_eq!(book.year, Some(1999));
        assert_eq!(book.extent, Some(4));
        assert_eq!(book.description.as_deref(), Some("Раз два.\n\nТри."));
        let credits: Vec<_> = book
            .credits
            .iter()
            .map(|c| (c.name.as_str(), c.role.as_str()))
            .collect();
        assert_eq!(
            credits,
            [
                ("Иван И. Пример", "author"),
                ("nick", "author"),
                ("Трансл", "translator")
            ]
        );
        let series = book.series.expect("a series");
        assert_eq!((series.name.as_str(), series.index), ("Цикл", Some(2.0)));
        assert_eq!(
            serde_json::to_value(&book.facts).expect("JSON"),
            json!({
                "date": "1999-05-04",
                "isbn": "9780306406157",
                "language": "ru",
                "publisher": "Press",
                "subjects": ["sf"],
            })
        );
    }

    #[test]
    fn cover_is_the_referenced_binary() {
        let picture = cover(bytes().as_slice()).expect("a book");
        assert_eq!(picture.as_deref(), Some(&b"picture"[..]));
    }

    #[test]
    fn zipped_book_has_same_metadata() {
        let zip = ZipBuilder::new()
            .stored("a.txt", b"")
            .deflated("b.FB2", &bytes())
            .bytes();
        let book = inspect_zipped(Cursor::new(&zip)).expect("a book");
        assert_eq!(book.title.as_deref(), Some("Книга & другие"));
        assert!(cover_zipped(Cursor::new(&zip)).expect("a book").is_some());
        assert!(inspect_zipped(Cursor::new(ZipBuilder::new().bytes())).is_err());
    }

    #[test]
    fn truncated_text_has_no_extent() {
        let bytes = bytes();
        let end = bytes.len() - 300;
        let book = inspect(&bytes[..end]).expect("a book");
        assert_eq!((book.title.is_some(), book.extent), (true, None));
    }

    #[test]
    fn content_that_is_not_fictionbook_is_rejected() {
        for text in ["", "text", "<html/>", "<FictionBook><"] {
            assert!(inspect(text.as_bytes()).is_err(), "{text}");
        }
        let endless = "<FictionBook>".to_owned() + &"<a>".repeat(100_000);
        assert!(matches!(
            inspect(endless.as_bytes()),
            Err(ReadError::Limit(_))
        ));
    }
}

//! XML as other programs write it beside videos: tolerant, and bounded in what it costs.
//!
//! Entities are never expanded but for characters: nothing a document defines or names is read.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use ledge_core::registry::reading::ReadError;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::input::ReadResult;

/// Deepest nesting of elements.
const DEEPEST: usize = 64;
/// Most pieces of a document: tags, stretches of text, references.
const MOST_PIECES: usize = 200_000;
/// Characters that bear names; others are told by number.
const NAMED: &[(&str, &str)] = &[
    ("amp", "&"),
    ("apos", "'"),
    ("gt", ">"),
    ("lt", "<"),
    ("nbsp", " "),
    ("quot", "\""),
];

/// A document's bytes as text, by its mark, its declaration, or else as UTF-8.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    let (text, _) = encoding(bytes).decode_with_bom_removal(bytes);
    text
}

fn encoding(bytes: &[u8]) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return encoding;
    }
    match bytes {
        [0, b'<', ..] => return UTF_16BE,
        [b'<', 0, ..] => return UTF_16LE,
        _ => {}
    }
    let head = bytes.get(..bytes.len().min(200)).unwrap_or_default();
    let declared = declared(&String::from_utf8_lossy(head)).unwrap_or(UTF_8);
    // Whoever can read the declaration has no 16-bit text.
    if declared == UTF_16BE || declared == UTF_16LE {
        UTF_8
    } else {
        declared
    }
}

fn declared(head: &str) -> Option<&'static Encoding> {
    let declaration = head
        .trim_start()
        .strip_prefix("<?xml")?
        .split("?>")
        .next()?;
    let value = declaration.split_once("encoding")?.1.trim_start();
    let value = value.strip_prefix('=')?.trim_start();
    let label = value.get(1..)?.split(['"', '\'']).next()?;
    Encoding::for_label(label.as_bytes())
}

/// A document read from front to back.
#[derive(Debug)]
pub struct Document<'a> {
    reader: Reader<&'a [u8]>,
    depth: usize,
    pieces: usize,
}

/// A piece of a document.
#[derive(Debug)]
pub enum Piece<'a> {
    /// An element begins. Every one ends, also an empty one.
    Open(Element<'a>),
    /// Text within it.
    Text(Cow<'a, str>),
    /// The innermost element ends.
    Close,
}

impl<'a> Document<'a> {
    /// The document that a text is.
    pub fn new(text: &'a str) -> Self {
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        Self {
            reader,
            depth: 0,
            pieces: 0,
        }
    }

    /// How many elements are open.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The next piece; `None` at the end.
    pub fn piece(&mut self) -> ReadResult<Option<Piece<'a>>> {
        loop {
            self.pieces += 1;
            if self.pieces > MOST_PIECES {
                return Err(ReadError::Limit("its XML has too many pieces".to_owned()));
            }
            let event = self.reader.read_event().map_err(|error| {
                let place = self.reader.error_position();
                ReadError::Damaged(format!("its XML is malformed at byte {place}: {error}"))
            })?;
            match event {
                Event::Start(start) => {
                    self.depth += 1;
                    if self.depth > DEEPEST {
                        let message = format!("its XML is nested more than {DEEPEST} deep");
                        return Err(ReadError::Limit(message));
                    }
                    return Ok(Some(Piece::Open(Element(start))));
                }
                Event::End(_) => {
                    self.depth = self.depth.saturating_sub(1);
                    return Ok(Some(Piece::Close));
                }
                Event::Text(text) => return Ok(Some(Piece::Text(text.into_inner()))),
                Event::CData(text) => return Ok(Some(Piece::Text(text.into_inner()))),
                Event::GeneralRef(reference) => {
                    if let Some(character) = character(&reference.into_inner()) {
                        return Ok(Some(Piece::Text(character.into())));
                    }
                }
                Event::Eof => return Ok(None),
                _ => {}
            }
        }
    }

    /// The text of the element that was opened last, and of those within, to its end; no more of
    /// it than about `limit` bytes.
    pub fn text(&mut self, limit: usize) -> ReadResult<String> {
        let inside = self.depth;
        let mut text = String::new();
        while self.depth >= inside {
            match self.piece()? {
                Some(Piece::Text(piece)) if text.len() < limit => {
                    text.push_str(crate::text::first(&piece, limit));
                }
                Some(_) => {}
                None => break,
            }
        }
        Ok(text)
    }

    /// Passes over the element that was opened last.
    pub fn skip(&mut self) -> ReadResult<()> {
        let inside = self.depth;
        while self.depth >= inside && self.piece()?.is_some() {}
        Ok(())
    }
}

/// The character of a reference: by its number, or by one of the few names.
fn character(reference: &str) -> Option<String> {
    if let Some(number) = reference.strip_prefix('#') {
        let number = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(number).map(String::from);
    }
    let named = NAMED.iter().find(|(name, _)| *name == reference);
    named.map(|(_, character)| (*character).to_owned())
}

/// The beginning of an element.
#[derive(Debug)]
pub struct Element<'a>(BytesStart<'a>);

impl Element<'_> {
    /// The element's name, in lower case.
    pub fn name(&self) -> String {
        self.0.local_name().into_inner().to_ascii_lowercase()
    }

    /// The trimmed value of an attribute; blank as absent.
    pub fn attribute(&self, name: &str) -> Option<String> {
        let mut attributes = self.0.attributes();
        let found = attributes
            .with_checks(false)
            .flatten()
            .find(|attribute| attribute.key.local_name().into_inner() == name)?;
        let value = found
            .normalized_value(XmlVersion::Implicit1_0)
            .unwrap_or_else(|_| found.value.clone());
        let value = value.trim();
        (!value.is_empty()).then(|| value.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_resolved_and_entities_are_not() {
        let text = "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'><!ENTITY y 'yyy'>]>\
                    <a>&x;&y;1&amp;2&#51;<![CDATA[&x;]]> & 4</a>";
        let mut document = Document::new(text);
        let Ok(Some(Piece::Open(_))) = document.piece() else {
            panic!("an element");
        };
        assert_eq!(document.text(100).expect("text"), "1&23&x; & 4");
    }

    #[test]
    fn what_is_nested_too_deep_is_given_up() {
        let deep = "<a>".repeat(100_000);
        let mut document = Document::new(&deep);
        let error = loop {
            match document.piece() {
                Ok(Some(_)) => {}
                Ok(None) => panic!("it ends"),
                Err(error) => break error,
            }
        };
        assert!(matches!(error, ReadError::Limit(_)));
    }

    #[test]
    fn every_encoding_is_text() {
        let utf16: Vec<u8> = "<a>ж</a>"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(decode(&utf16), "<a>ж</a>");
        let cyrillic = b"<?xml version='1.0' encoding='windows-1251'?><a>\xe6</a>";
        assert!(decode(cyrillic).ends_with("<a>ж</a>"));
    }
}

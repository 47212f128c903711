//! XML out of media files and from beside them: tolerant of what people and programs write, bounded
//! in what it costs.
//!
//! Entities are never expanded but for characters: nothing a document defines or names is read.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::markup;
use crate::registry::reading::ReadError;

/// Deepest nesting of elements.
const DEEPEST: usize = 256;

/// Most pieces of a document: tags, stretches of text, references.
const MOST_PIECES: usize = 2_000_000;

/// A document's bytes as text, by its mark, its declaration, or else as UTF-8. What is no text in
/// that encoding is replaced.
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
    let declared = declared_encoding(head).unwrap_or(UTF_8);
    // Whoever can read the declaration has no 16-bit text.
    if declared == UTF_16BE || declared == UTF_16LE {
        UTF_8
    } else {
        declared
    }
}

fn declared_encoding(head: &[u8]) -> Option<&'static Encoding> {
    let head: String = head.iter().map(|byte| char::from(*byte)).collect();
    let declaration = head
        .trim_start()
        .strip_prefix("<?xml")?
        .split("?>")
        .next()?;
    let value = declaration.split_once("encoding")?.1.trim_start();
    let value = value.strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let label = value.get(1..)?.split(quote).next()?;
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
    /// Text within it, with its references resolved.
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
    pub fn piece(&mut self) -> Result<Option<Piece<'a>>, ReadError> {
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
                    if let Some(character) = markup::character(&reference.into_inner()) {
                        return Ok(Some(Piece::Text(character.into())));
                    }
                }
                Event::Eof => return Ok(None),
                _ => {}
            }
        }
    }

    /// The text of the element that was opened last, and of those within, to its end; no more of
    /// it than `limit` bytes.
    pub fn text(&mut self, limit: usize) -> Result<String, ReadError> {
        let inside = self.depth;
        let mut text = String::new();
        while self.depth >= inside {
            match self.piece()? {
                Some(Piece::Text(piece)) if text.len() < limit => text.push_str(&piece),
                Some(_) => {}
                None => break,
            }
        }
        Ok(text)
    }

    /// Passes over the element that was opened last.
    pub fn skip(&mut self) -> Result<(), ReadError> {
        let inside = self.depth;
        while self.depth >= inside && self.piece()?.is_some() {}
        Ok(())
    }
}

/// The beginning of an element. Names are told without their prefixes: packages are found with
/// every one of them, and with none where there should be one.
#[derive(Debug)]
pub struct Element<'a>(BytesStart<'a>);

impl Element<'_> {
    /// The element's name.
    pub fn name(&self) -> &str {
        self.0.local_name().into_inner()
    }

    /// Whether it bears a name, in any case of letters.
    pub fn is(&self, name: &str) -> bool {
        self.name().eq_ignore_ascii_case(name)
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

    fn texts(document: &str) -> Result<String, ReadError> {
        let mut document = Document::new(document);
        let mut all = String::new();
        while let Some(piece) = document.piece()? {
            if let Piece::Text(text) = piece {
                all.push_str(&text);
            }
        }
        Ok(all)
    }

    #[test]
    fn every_encoding_is_text() {
        let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let with_mark: Vec<u8> = utf16("\u{feff}<a>ж</a>");
        let without: Vec<u8> = utf16("<a>ж</a>");
        assert_eq!(decode(&with_mark), "<a>ж</a>");
        assert_eq!(decode(&without), "<a>ж</a>");
        assert_eq!(decode("\u{feff}<a/>".as_bytes()), "<a/>");
        let cyrillic = b"<?xml version='1.0' encoding='windows-1251'?><a>\xe6</a>";
        assert!(decode(cyrillic).ends_with("<a>ж</a>"));
        let wrong = b"<?xml version='1.0' encoding='utf-16'?><a>\xc3\xa9</a>";
        assert!(decode(wrong).ends_with("<a>é</a>"));
        assert_eq!(decode(b"<a>\xff</a>"), "<a>\u{fffd}</a>");
    }

    #[test]
    fn characters_are_resolved_and_entities_are_not() {
        let document = "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>\
                        <!ENTITY y 'yyy'>]><a>&x;&y;1&amp;2&eacute;&#51;<![CDATA[&x;]]></a>";
        assert_eq!(texts(document).expect("text"), "1&2é3&x;");
    }

    #[test]
    fn what_is_nested_too_deep_is_given_up() {
        let error = texts(&"<a>".repeat(100_000)).expect_err("an error");
        assert!(matches!(error, ReadError::Limit(_)));
    }

    #[test]
    fn loose_ampersands_and_wrong_ends_are_read_over() {
        assert_eq!(texts("<a>A & B</b></a></c>").expect("text"), "A & B");
    }

    #[test]
    fn attributes_are_found_without_prefix() {
        let mut document = Document::new("<o:a x='&lt;1' o:role=' aut ' blank='' x='2'/>");
        let Ok(Some(Piece::Open(element))) = document.piece() else {
            panic!("an element");
        };
        assert_eq!(element.name(), "a");
        assert_eq!(element.attribute("role").as_deref(), Some("aut"));
        assert_eq!(element.attribute("x").as_deref(), Some("<1"));
        assert_eq!(element.attribute("blank"), None);
    }
}

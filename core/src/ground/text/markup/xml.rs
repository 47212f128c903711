//! XML reader for media files and sidecar files. It tolerates common errors and bounds its cost.
//!
//! Only character references are resolved. Other entities are never expanded or loaded.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::error::ReadError;
use crate::text::markup;

/// Maximum nesting depth of elements.
const DEEPEST: usize = 256;

/// Maximum number of tags, text segments and references in a document.
const MOST_PIECES: usize = 2_000_000;

/// Decodes a document by its byte order mark or its declaration, otherwise as UTF-8. Invalid
/// sequences are replaced.
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
    // A declaration that is readable as 8-bit text cannot be in a UTF-16 document.
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

/// Streaming reader for a document.
#[derive(Debug)]
pub struct Document<'a> {
    reader: Reader<&'a [u8]>,
    depth: usize,
    pieces: usize,
}

/// Part of a document.
#[derive(Debug)]
pub enum Piece<'a> {
    /// Start of an element. Every element also has an end, even an empty one.
    Open(Element<'a>),
    /// Text in the current element, with references resolved.
    Text(Cow<'a, str>),
    /// End of the innermost element.
    Close,
}

impl<'a> Document<'a> {
    /// Creates a reader for a text.
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

    /// Returns the number of open elements.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Returns the next part, or `None` at the end.
    ///
    /// # Errors
    ///
    /// Returns an error if the document is malformed or exceeds a limit.
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

    /// Returns the text of the last opened element and its descendants, up to its end. Stops to
    /// collect after `limit` bytes.
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

    /// Skips the last opened element.
    pub fn skip(&mut self) -> Result<(), ReadError> {
        let inside = self.depth;
        while self.depth >= inside && self.piece()?.is_some() {}
        Ok(())
    }
}

/// Start tag of an element. Names are returned without their prefix, because files use arbitrary
/// prefixes, or none.
#[derive(Debug)]
pub struct Element<'a>(BytesStart<'a>);

impl Element<'_> {
    /// Returns the local name of the element.
    pub fn name(&self) -> &str {
        self.0.local_name().into_inner()
    }

    /// Returns `true` if the element has this name. Ignores ASCII case.
    pub fn is(&self, name: &str) -> bool {
        self.name().eq_ignore_ascii_case(name)
    }

    /// Returns the trimmed value of an attribute, or `None` if it is absent or blank.
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
    fn decode_supports_every_encoding() {
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
    fn character_references_are_resolved_and_entities_are_not() {
        let document = "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>\
                        <!ENTITY y 'yyy'>]><a>&x;&y;1&amp;2&eacute;&#51;<![CDATA[&x;]]></a>";
        assert_eq!(texts(document).expect("text"), "1&2é3&x;");
    }

    #[test]
    fn too_deep_nesting_is_an_error() {
        let error = texts(&"<a>".repeat(100_000)).expect_err("an error");
        assert!(matches!(error, ReadError::Limit(_)));
    }

    #[test]
    fn bare_ampersands_and_mismatched_end_tags_are_ignored() {
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

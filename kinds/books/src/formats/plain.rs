//! Plain texts: detection of the encoding, and the header of Project Gutenberg.

use std::collections::BTreeMap;
use std::io::Read;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8};
use ledge_core::registry::naming::Credit;
use ledge_core::registry::reading::Inspection;
use ledge_core::text::language;
use ledge_core::text::names::people;
use serde_json::json;

use crate::archive::{ReadResult, damaged};
use crate::text;

/// Bytes that are read of a text.
const HEAD: u64 = 64 << 10;
/// Characters at the start in which a Project Gutenberg text names its origin.
const OPENING: usize = 1_000;
/// Most credits.
const MOST_CREDITS: usize = 200;

/// Header fields that contain names, and the roles they map to.
const ROLES: &[(&str, &str)] = &[
    ("Author", "author"),
    ("Editor", "editor"),
    ("Illustrator", "illustrator"),
    ("Translator", "translator"),
];

/// Detects a text's encoding and reads its metadata.
pub fn inspect(reader: impl Read) -> ReadResult<Inspection> {
    let mut head = Vec::new();
    reader.take(HEAD).read_to_end(&mut head)?;
    let encoding = encoding(&head);
    let (text, _) = encoding.decode_with_bom_removal(&head);
    if text.contains('\0') {
        return Err(damaged("is not a text"));
    }
    let mut inspection = gutenberg(&text).unwrap_or_default();
    if !head.is_empty() {
        let name = json!(encoding.name().to_lowercase());
        inspection.facts.insert("encoding".to_owned(), name);
    }
    Ok(inspection)
}

/// Returns the encoding of the byte order mark, otherwise the most likely one.
fn encoding(head: &[u8]) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(head) {
        return encoding;
    }
    let is_unicode = match std::str::from_utf8(head) {
        Ok(_) => true,
        // The last character may be truncated.
        Err(error) => error.error_len().is_none(),
    };
    if is_unicode {
        return UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(head, true);
    detector.guess(None, Utf8Detection::Deny)
}

/// Reads the header of a Project Gutenberg text.
fn gutenberg(text: &str) -> Option<Inspection> {
    if !text::first(text, OPENING).contains("Project Gutenberg") {
        return None;
    }
    let fields = fields(text.split("*** START OF").next()?);
    let first = |wanted: &str| {
        let mut named = fields.iter().filter(|(name, _)| name == wanted);
        named.find_map(|(_, value)| text::line(value))
    };
    let credits = ROLES.iter().flat_map(|(field, role)| {
        let named = fields.iter().filter(move |(name, _)| name == field);
        named.filter_map(move |(_, value)| {
            Some(Credit {
                name: people::direct(&text::line(value)?),
                role: (*role).to_owned(),
            })
        })
    });
    let language = first("Language").and_then(|name| language::tag(&name));
    let language = language.map(|tag| ("language".to_owned(), json!(tag)));
    Some(Inspection {
        title: first("Title"),
        credits: credits.take(MOST_CREDITS).collect(),
        facts: BTreeMap::from_iter(language),
        ..Inspection::default()
    })
}

/// Parses lines `Name: value`. Indented lines continue a value.
fn fields(header: &str) -> Vec<(String, String)> {
    let mut fields: Vec<(String, String)> = Vec::new();
    for line in header.lines() {
        if line.starts_with(' ')
            && let Some((_, value)) = fields.last_mut()
        {
            value.push(' ');
            value.push_str(line.trim());
        } else if let Some((name, value)) = line.split_once(": ") {
            fields.push((name.to_owned(), value.trim().to_owned()));
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "\u{feff}The Project Gutenberg eBook of Emma\r\n\r\nThis ebook is for \
        the use of anyone.\r\n\r\nTitle: Emma\r\n       A Novel\r\n\r\nAuthor: Austen, Jane\r\n\
        Translator: Ann Example\r\nLanguage: English\r\n\r\n*** START OF THE EBOOK ***\r\n\
        Title: no\r\n";

    #[test]
    fn gutenberg_header_provides_metadata() {
        let book = inspect(HEADER.as_bytes()).expect("a text");
        assert_eq!(book.title.as_deref(), Some("Emma A Novel"));
        let credits: Vec<_> = book
            .credits
            .iter()
            .map(|credit| (credit.name.as_str(), credit.role.as_str()))
            .collect();
        let expected = [("Jane Austen", "author"), ("Ann Example", "translator")];
        assert_eq!(credits, expected);
        assert_eq!(
            serde_json::to_value(&book.facts).expect("JSON"),
            json!({"encoding": "utf-8", "language": "en"})
        );
    }

    #[test]
    fn encoding_is_detected_from_the_text() {
        let russian = "Все счастливые семьи похожи друг на друга, каждая несчастливая семья \
            несчастлива по-своему.";
        let (cyrillic, _, _) = encoding_rs::WINDOWS_1251.encode(russian);
        let japanese = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。";
        let (kanji, _, _) = encoding_rs::SHIFT_JIS.encode(japanese);
        let texts: [(&[u8], &str); 5] = [
            (&cyrillic, "windows-1251"),
            (&kanji, "shift_jis"),
            (b"\xff\xfea\0b\0", "utf-16le"),
            (b"plain", "utf-8"),
            (&"ä".as_bytes()[..1], "utf-8"),
        ];
        for (bytes, name) in texts {
            let found = inspect(bytes).expect("a text");
            assert_eq!(found.facts.get("encoding"), Some(&json!(name)));
            assert_eq!(found.title, None);
        }
    }

    #[test]
    fn binary_content_is_rejected() {
        assert_eq!(inspect(&b""[..]).expect("a text"), Inspection::default());
        assert!(inspect(&b"\x7fELF\0\0\0"[..]).is_err());
    }
}

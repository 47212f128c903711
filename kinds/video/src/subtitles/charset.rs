//! Detection of the character encoding of subtitle files.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// Maximum bytes that are examined to guess the encoding.
const DETECTION_SIZE: usize = 256 << 10;

/// Languages and the top-level domains whose usual encodings they have, sorted.
const COUNTRIES: &[(&str, &str)] = &[
    ("ar", "eg"),
    ("bg", "bg"),
    ("cs", "cz"),
    ("da", "dk"),
    ("de", "de"),
    ("el", "gr"),
    ("es", "es"),
    ("et", "ee"),
    ("fa", "ir"),
    ("fi", "fi"),
    ("fr", "fr"),
    ("he", "il"),
    ("hr", "hr"),
    ("hu", "hu"),
    ("it", "it"),
    ("ja", "jp"),
    ("ko", "kr"),
    ("lt", "lt"),
    ("lv", "lv"),
    ("pl", "pl"),
    ("pt", "pt"),
    ("ro", "ro"),
    ("ru", "ru"),
    ("sk", "sk"),
    ("sl", "si"),
    ("sr", "rs"),
    ("th", "th"),
    ("tr", "tr"),
    ("uk", "ua"),
    ("vi", "vn"),
    ("zh", "cn"),
];

/// Decodes a file by its byte order mark, as UTF-8, or by the most likely encoding for the
/// language.
pub fn decode(bytes: &[u8], language: Option<&str>) -> String {
    let (text, _) = encoding(bytes, language).decode_with_bom_removal(bytes);
    text.into_owned()
}

fn encoding(bytes: &[u8], language: Option<&str>) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return encoding;
    }
    let head = bytes.get(..DETECTION_SIZE).unwrap_or(bytes);
    // UTF-16 of ASCII characters is also valid UTF-8 with zero bytes, so it is checked first.
    if let Some(wide) = wide(head) {
        return wide;
    }
    if str::from_utf8(bytes).is_ok() {
        return UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(head, true);
    let country = language.and_then(country).map(str::as_bytes);
    detector.guess(country, Utf8Detection::Allow)
}

/// Detects UTF-16 without a byte order mark. In the digits and spaces of times, every second byte
/// is zero.
fn wide(head: &[u8]) -> Option<&'static Encoding> {
    let pairs = head.as_chunks::<2>().0;
    let count = |is_zero: fn(&[u8; 2]) -> bool| pairs.iter().filter(|pair| is_zero(pair)).count();
    let most = |zeros: usize| zeros * 4 > pairs.len();
    if most(count(|[_, second]| *second == 0)) {
        return Some(UTF_16LE);
    }
    most(count(|[first, _]| *first == 0)).then_some(UTF_16BE)
}

fn country(language: &str) -> Option<&'static str> {
    let language = language.get(..2)?.to_ascii_lowercase();
    let at = COUNTRIES
        .binary_search_by_key(&language.as_str(), |(known, _)| known)
        .ok()?;
    COUNTRIES.get(at).map(|(_, country)| *country)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_detected() {
        assert!(COUNTRIES.is_sorted());
        let german = "1\n00:00:01,000 --> 00:00:02,000\nSchöne Grüße aus Köln, übermorgen für Jörg";
        let (bytes, ..) = encoding_rs::WINDOWS_1252.encode(german);
        assert_eq!(decode(&bytes, Some("de")), german);
        let russian = "1\n00:00:01,000 --> 00:00:02,000\nПривет, как дела? Всё хорошо, спасибо.";
        for encoding in [encoding_rs::WINDOWS_1251, encoding_rs::KOI8_R] {
            let (bytes, ..) = encoding.encode(russian);
            assert_eq!(decode(&bytes, Some("ru")), russian, "{}", encoding.name());
        }
        let japanese = "1\n00:00:01,000 --> 00:00:02,000\nこんにちは、お元気ですか。";
        let (bytes, ..) = encoding_rs::SHIFT_JIS.encode(japanese);
        assert_eq!(decode(&bytes, None), japanese);
        let little: Vec<u8> = german.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = german.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(decode(&little, None), german);
        assert_eq!(decode(&big, None), german);
        assert_eq!(decode("\u{feff}é".as_bytes(), None), "é");
        assert_eq!(decode(b"", Some("")), "");
    }
}

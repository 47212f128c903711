//! Positions in EPUB files: canonical fragment identifiers (EPUB CFI) and Readium locators.

use std::io::Read as _;

use flate2::read::GzDecoder;
use ledge_core::transfer::import::rows::Position;
use serde_json::Value;

/// Limit of an unpacked locator in bytes.
const MAX_LOCATOR: u64 = 1 << 20;

/// Returns the position of a CFI. `/6/N` is the spine's item N/2 − 1.
pub(crate) fn of_cfi(cfi: &str) -> Option<Position> {
    let cfi = cfi.trim();
    let steps = cfi.strip_prefix("epubcfi(/6/")?;
    let digits: String = steps.chars().take_while(char::is_ascii_digit).collect();
    let step: i64 = digits.parse().ok()?;
    let is_item = step >= 2 && step % 2 == 0;
    is_item.then(|| Position::Located(step / 2 - 1, cfi.to_owned()))
}

/// Returns the position of a Readium locator that is packed with gzip.
pub(crate) fn of_packed_locator(packed: &[u8]) -> Option<Position> {
    let mut text = Vec::new();
    let unpacked = GzDecoder::new(packed)
        .take(MAX_LOCATOR + 1)
        .read_to_end(&mut text);
    if unpacked.is_err() || text.len() as u64 > MAX_LOCATOR {
        return None;
    }
    let locator: Value = serde_json::from_slice(&text).ok()?;
    let number = |pointer| locator.pointer(pointer).and_then(Value::as_f64);
    let total = number("/locations/totalProgression");
    match locator
        .get("href")
        .and_then(Value::as_str)
        .filter(|href| !href.is_empty())
    {
        Some(href) => Some(Position::Section {
            href: href.to_owned(),
            within: number("/locations/progression"),
            total,
        }),
        None => total.map(Position::Fraction),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn packed(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(text).expect("memory");
        encoder.finish().expect("memory")
    }

    #[test]
    fn cfi_has_section_and_is_the_locator() {
        let cfi = "epubcfi(/6/14[chap05]!/4/2/1:3)";
        assert_eq!(of_cfi(cfi), Some(Position::Located(6, cfi.to_owned())));
        for odd in [
            "",
            "12",
            "epubcfi(/4/2)",
            "epubcfi(/6/0!)",
            "epubcfi(/6/3!)",
            "epubcfi(/6/99999999999999999999!)",
        ] {
            assert_eq!(of_cfi(odd), None, "{odd}");
        }
    }

    #[test]
    fn locator_is_unpacked_within_limit() {
        let text = br#"{"href":"OEBPS/c2.xhtml",
                        "locations":{"progression":0.5,"totalProgression":0.25}}"#;
        let position = Position::Section {
            href: "OEBPS/c2.xhtml".to_owned(),
            within: Some(0.5),
            total: Some(0.25),
        };
        assert_eq!(of_packed_locator(&packed(text)), Some(position));
        let text = br#"{"locations":{"totalProgression":0.5}}"#;
        let position = Position::Fraction(0.5);
        assert_eq!(of_packed_locator(&packed(text)), Some(position));
        let bomb = packed(&vec![b' '; 64 << 20]);
        assert!(bomb.len() < 100_000);
        for odd in [&bomb[..], b"", b"plain", &packed(b"[]"), &packed(b"{")] {
            assert_eq!(of_packed_locator(odd), None);
        }
    }
}

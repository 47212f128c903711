//! Regional catalogues of Audible.

use ledge_core::text::language;

/// Regions, the end of the host names of their shops, and their languages.
const REGIONS: &[(&str, &str, &str)] = &[
    ("us", "com", "en"),
    ("uk", "co.uk", "en"),
    ("au", "com.au", "en"),
    ("ca", "ca", "en"),
    ("de", "de", "de"),
    ("es", "es", "es"),
    ("fr", "fr", "fr"),
    ("in", "in", "en"),
    ("it", "it", "it"),
    ("jp", "co.jp", "ja"),
];

/// Names of the regions, in alphabetical order.
pub(crate) const NAMES: &[&str] = &["au", "ca", "de", "es", "fr", "in", "it", "jp", "uk", "us"];

/// Region of the default catalogue.
const DEFAULT: &str = "us";

/// Returns the regions to try: the configured one, or the one of the book's language, then the
/// default.
pub(crate) fn to_try(configured: Option<&str>, book_language: Option<&str>) -> Vec<&'static str> {
    let configured = configured.map(str::to_ascii_lowercase);
    let named = REGIONS
        .iter()
        .find(|(region, _, _)| configured.as_deref() == Some(region));
    let language = book_language.and_then(|tag| language::primary_subtag(tag.split('-').next()?));
    let spoken = REGIONS
        .iter()
        .find(|(_, _, spoken)| language.as_deref() == Some(spoken));
    let first = named.or(spoken).map_or(DEFAULT, |(region, _, _)| region);
    let mut regions = vec![first];
    if first != DEFAULT {
        regions.push(DEFAULT);
    }
    regions
}

/// Returns the address of a book's page in the shop of a region.
pub(crate) fn page(region: &str, asin: &str) -> Option<String> {
    let (_, end, _) = REGIONS.iter().find(|(known, _, _)| *known == region)?;
    Some(format!("https://www.audible.{end}/pd/{asin}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_regions() {
        let mut names: Vec<&str> = REGIONS.iter().map(|(name, _, _)| *name).collect();
        names.sort_unstable();
        assert_eq!(names, NAMES);
    }

    #[test]
    fn configured_region_precedes_that_of_the_language() {
        for (configured, language, expected) in [
            (None, None, &["us"][..]),
            (None, Some("de-AT"), &["de", "us"]),
            (Some("UK"), Some("de"), &["uk", "us"]),
            (Some("nowhere"), Some("fr"), &["fr", "us"]),
            (None, Some("nl"), &["us"]),
        ] {
            assert_eq!(to_try(configured, language), expected);
        }
        assert_eq!(
            page("uk", "B1").as_deref(),
            Some("https://www.audible.co.uk/pd/B1")
        );
        assert_eq!(page("xx", "B1"), None);
    }
}

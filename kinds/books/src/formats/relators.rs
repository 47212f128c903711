//! Roles of people: mapping of MARC relator codes (Library of Congress) to the displayed roles.

/// Relator codes with their roles. Codes for writing map to `author`, so that these people appear in
/// the author line.
const RELATORS: &[(&str, &str)] = &[
    ("adp", "adapter"),
    ("aft", "afterword"),
    ("ann", "annotator"),
    ("arr", "arranger"),
    ("art", "artist"),
    ("asn", "contributor"),
    ("aui", "introduction"),
    ("aut", "author"),
    ("bjd", "cover_designer"),
    ("bkd", "designer"),
    ("chr", "choreographer"),
    ("clb", "contributor"),
    ("clr", "colorist"),
    ("cmm", "commentator"),
    ("cmp", "composer"),
    ("com", "compiler"),
    ("cov", "cover_designer"),
    ("cre", "author"),
    ("csl", "consultant"),
    ("ctb", "contributor"),
    ("ctg", "cartographer"),
    ("cur", "curator"),
    ("drt", "director"),
    ("dsr", "designer"),
    ("edc", "editor"),
    ("edt", "editor"),
    ("fmo", "contributor"),
    ("ill", "illustrator"),
    ("ink", "inker"),
    ("ive", "interviewee"),
    ("ivr", "interviewer"),
    ("lyr", "lyricist"),
    ("nrt", "narrator"),
    ("pbl", "publisher"),
    ("pbd", "editor"),
    ("pfr", "proofreader"),
    ("pht", "photographer"),
    ("red", "editor"),
    ("res", "researcher"),
    ("rev", "reviewer"),
    ("trc", "transcriber"),
    ("trl", "translator"),
    ("win", "introduction"),
    ("wpr", "preface"),
    ("wat", "author"),
];

/// Codes of the producers of the file or the printed copy. Conversion programs use `bkp`.
const FILE_MAKERS: &[&str] = &["bkp", "mrk", "mfr", "own", "tyg", "tyd"];

/// Returns the role of a code, or `None` for a maker. A word that is not a code is used as the
/// role.
pub(super) fn role(code: &str) -> Option<String> {
    let code = code.trim().to_lowercase();
    if FILE_MAKERS.contains(&code.as_str()) {
        return None;
    }
    let code = code.rsplit(['/', ':']).next().unwrap_or_default();
    if let Some((_, role)) = RELATORS.iter().find(|(relator, _)| *relator == code) {
        return Some((*role).to_owned());
    }
    let is_word = code.len() > 3 && code.len() <= 32;
    let is_plain = code.chars().all(|c| c.is_ascii_lowercase() || c == ' ');
    Some(if is_word && is_plain {
        code.replace(' ', "_")
    } else {
        "contributor".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::role;

    #[test]
    fn codes_and_words_are_roles() {
        assert_eq!(role("aut").as_deref(), Some("author"));
        assert_eq!(role(" TRL ").as_deref(), Some("translator"));
        assert_eq!(
            role("http://id.loc.gov/vocabulary/relators/nrt").as_deref(),
            Some("narrator")
        );
        assert_eq!(role("Illustrator").as_deref(), Some("illustrator"));
        assert_eq!(role("cover designer").as_deref(), Some("cover_designer"));
        assert_eq!(role("xyz").as_deref(), Some("contributor"));
        assert_eq!(role("<b>").as_deref(), Some("contributor"));
        assert_eq!(role("bkp"), None);
    }
}

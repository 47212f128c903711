//! What people did for a book: the relators of the Library of Congress, as the roles we show.

/// Codes and roles, by code. Those who write are authors: they stand in the author line.
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

/// Those who made the file, not the book: a conversion program enters itself as such.
const MAKERS: &[&str] = &["bkp", "mrk", "mfr", "own", "tyg", "tyd"];

/// The role a code stands for; `None` for who did nothing for the book itself. A word that is no
/// code is taken as the role itself.
pub fn role(code: &str) -> Option<String> {
    let code = code.trim().to_lowercase();
    if MAKERS.contains(&code.as_str()) {
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

//! The language of a stream, which Matroska says in two ways.

use crate::text;

/// The language of streams that name none: RFC 9559, 5.1.4.1.19.
const DEFAULT_LANGUAGE: &str = "eng";

/// The newer element overrides the older one, unless it says the same in two letters: other formats
/// have three.
pub(super) fn of(older: Option<String>, newer: Option<String>) -> Option<String> {
    let tag = match (newer, older) {
        (Some(newer), Some(older)) if SAME.contains(&(newer.as_str(), older.as_str())) => older,
        (Some(newer), _) => newer,
        (None, Some(older)) => older,
        (None, None) => DEFAULT_LANGUAGE.to_owned(),
    };
    text::language(&tag)
}

/// Languages of films in two letters and in three, ISO 639-1 and 639-2 with both its forms.
const SAME: &[(&str, &str)] = &[
    ("ar", "ara"),
    ("bg", "bul"),
    ("ca", "cat"),
    ("cs", "cze"),
    ("cs", "ces"),
    ("da", "dan"),
    ("de", "ger"),
    ("de", "deu"),
    ("el", "gre"),
    ("el", "ell"),
    ("en", "eng"),
    ("es", "spa"),
    ("et", "est"),
    ("fa", "per"),
    ("fa", "fas"),
    ("fi", "fin"),
    ("fr", "fre"),
    ("fr", "fra"),
    ("he", "heb"),
    ("hi", "hin"),
    ("hr", "hrv"),
    ("hu", "hun"),
    ("id", "ind"),
    ("is", "ice"),
    ("is", "isl"),
    ("it", "ita"),
    ("ja", "jpn"),
    ("ko", "kor"),
    ("lt", "lit"),
    ("lv", "lav"),
    ("ms", "may"),
    ("ms", "msa"),
    ("nb", "nob"),
    ("nl", "dut"),
    ("nl", "nld"),
    ("no", "nor"),
    ("pl", "pol"),
    ("pt", "por"),
    ("ro", "rum"),
    ("ro", "ron"),
    ("ru", "rus"),
    ("sk", "slo"),
    ("sk", "slk"),
    ("sl", "slv"),
    ("sr", "srp"),
    ("sv", "swe"),
    ("ta", "tam"),
    ("te", "tel"),
    ("th", "tha"),
    ("tr", "tur"),
    ("uk", "ukr"),
    ("vi", "vie"),
    ("zh", "chi"),
    ("zh", "zho"),
    ("bs", "bos"),
    ("cy", "wel"),
    ("cy", "cym"),
    ("eu", "baq"),
    ("eu", "eus"),
    ("ga", "gle"),
    ("hy", "arm"),
    ("hy", "hye"),
    ("ka", "geo"),
    ("ka", "kat"),
    ("mk", "mac"),
    ("mk", "mkd"),
    ("nn", "nno"),
    ("sq", "alb"),
    ("sq", "sqi"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newer_language_counts_unless_it_says_the_same() {
        for (older, newer, told) in [
            (None, None, Some("eng")),
            (Some("ger"), None, Some("ger")),
            (Some("ger"), Some("de"), Some("ger")),
            (Some("eng"), Some("ja"), Some("ja")),
            (Some("por"), Some("pt-BR"), Some("pt-BR")),
            (None, Some("fr"), Some("fr")),
            (Some("eng"), Some("und"), None),
        ] {
            let owned = |tag: Option<&str>| tag.map(str::to_owned);
            assert_eq!(of(owned(older), owned(newer)), owned(told));
        }
    }
}

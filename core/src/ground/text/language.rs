//! Language tags: one form for every language that a file, a name or a probe states.
//!
//! The form is the shortest canonical BCP 47 tag: `en` for `eng` and `English`, `pt-BR` for
//! `por-BR`. The Unicode CLDR alias data of `icu_locale` supplies the mapping of codes.

use icu_locale::{LanguageIdentifier, Locale, LocaleCanonicalizer};

/// Longest language tag that is parsed, in bytes: RFC 5646, 4.4.1.
const LONGEST: usize = 35;

/// Codes that state the absence of a language, or none that can be named.
const NONE: &[&str] = &["und", "unk", "zxx", "mis"];

/// Common languages: tag, English name, and other names in lower case.
const COMMON: &[(&str, &str, &[&str])] = &[
    ("ar", "Arabic", &["العربية"]),
    ("bg", "Bulgarian", &["български"]),
    ("bn", "Bengali", &[]),
    ("bs", "Bosnian", &["bosanski"]),
    ("ca", "Catalan", &["català"]),
    ("cs", "Czech", &["čeština"]),
    ("cy", "Welsh", &["cymraeg"]),
    ("da", "Danish", &["dansk"]),
    ("de", "German", &["deutsch"]),
    ("el", "Greek", &["ελληνικά"]),
    ("en", "English", &[]),
    ("eo", "Esperanto", &[]),
    ("es", "Spanish", &["español", "espanol", "castellano"]),
    ("et", "Estonian", &["eesti"]),
    ("eu", "Basque", &["euskara"]),
    ("fa", "Persian", &["farsi"]),
    ("fi", "Finnish", &["suomi"]),
    ("fr", "French", &["français", "francais"]),
    ("ga", "Irish", &["gaeilge"]),
    ("gl", "Galician", &["galego"]),
    ("he", "Hebrew", &["עברית"]),
    ("hi", "Hindi", &["हिन्दी"]),
    ("hr", "Croatian", &["hrvatski"]),
    ("hu", "Hungarian", &["magyar"]),
    ("hy", "Armenian", &[]),
    ("id", "Indonesian", &["bahasa indonesia"]),
    ("is", "Icelandic", &["íslenska"]),
    ("it", "Italian", &["italiano"]),
    ("ja", "Japanese", &["日本語"]),
    ("ka", "Georgian", &[]),
    ("ko", "Korean", &["한국어"]),
    ("la", "Latin", &[]),
    ("lt", "Lithuanian", &["lietuvių"]),
    ("lv", "Latvian", &["latviešu"]),
    ("mk", "Macedonian", &[]),
    ("ms", "Malay", &[]),
    ("nb", "Norwegian Bokmål", &["bokmål", "bokmal"]),
    ("nl", "Dutch", &["nederlands", "flemish"]),
    ("nn", "Norwegian Nynorsk", &["nynorsk"]),
    ("no", "Norwegian", &["norsk"]),
    ("pl", "Polish", &["polski"]),
    ("pt", "Portuguese", &["português", "portugues"]),
    ("ro", "Romanian", &["română"]),
    ("ru", "Russian", &["русский"]),
    ("sk", "Slovak", &["slovenčina"]),
    ("sl", "Slovenian", &["slovenščina"]),
    ("sq", "Albanian", &["shqip"]),
    ("sr", "Serbian", &["српски", "srpski"]),
    ("sv", "Swedish", &["svenska"]),
    ("ta", "Tamil", &["தமிழ்"]),
    ("te", "Telugu", &["తెలుగు"]),
    ("th", "Thai", &["ไทย"]),
    ("tr", "Turkish", &["türkçe", "turkce"]),
    ("uk", "Ukrainian", &["українська"]),
    ("ur", "Urdu", &[]),
    ("vi", "Vietnamese", &["tiếng việt"]),
    ("zh", "Chinese", &["mandarin", "中文"]),
];

/// Returns the tag of the first language that a metadata field states, as a code of ISO 639, as a
/// BCP 47 tag or by name. Returns `None` where the field states no language.
pub fn tag(text: &str) -> Option<String> {
    let mut values = text
        .split(['\0', ',', ';', '/', '|'])
        .map(|value| value.trim_matches(|c: char| c.is_control() || c.is_whitespace()));
    let value = values.find(|value| !value.is_empty())?;
    // `Portuguese (Brazil)`: the name of the region is not looked up.
    let name = value.split(['(', '[']).next().unwrap_or(value).trim();
    by_name(name)
        .map(str::to_owned)
        .or_else(|| canonical(value))
}

/// Returns the primary subtag in lower case, or `None` if the text has another form.
pub fn primary_subtag(text: &str) -> Option<String> {
    let is_subtag =
        (2..=8).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    is_subtag.then(|| text.to_ascii_lowercase())
}

/// Returns the tag of a common language that a word of a file name states. Other words that are
/// well-formed tags by accident (`are`, `fox`, `no-such`) state none.
pub fn common(word: &str) -> Option<String> {
    if let Some(tag) = by_name(word) {
        return Some(tag.to_owned());
    }
    let (main, rest) = match word.split_once('-') {
        Some((main, rest)) => (main, Some(rest)),
        None => (word, None),
    };
    let language = canonical(main).or_else(|| by_name(main).map(str::to_owned))?;
    COMMON.iter().find(|(tag, ..)| *tag == language)?;
    let Some(rest) = rest else {
        return Some(language);
    };
    let is_region = rest.len() == 2 && rest.bytes().all(|b| b.is_ascii_alphabetic())
        || rest.len() == 3 && rest.bytes().all(|b| b.is_ascii_digit());
    let is_script = ["hans", "hant", "latn", "cyrl"]
        .iter()
        .any(|script| rest.eq_ignore_ascii_case(script));
    (is_region || is_script).then(|| canonical(&format!("{language}-{rest}")))?
}

/// Returns the English name of a common language by its tag: `Portuguese (BR)` for `pt-BR`.
pub fn english_name(tag: &str) -> Option<String> {
    let tag = canonical(tag)?;
    let (main, rest) = match tag.split_once('-') {
        Some((main, rest)) => (main, Some(rest)),
        None => (tag.as_str(), None),
    };
    let (_, name, _) = COMMON.iter().find(|(known, ..)| *known == main)?;
    Some(rest.map_or_else(|| (*name).to_owned(), |rest| format!("{name} ({rest})")))
}

fn by_name(name: &str) -> Option<&'static str> {
    let lower = name.to_lowercase();
    let found = COMMON
        .iter()
        .find(|(_, name, others)| name.to_lowercase() == lower || others.contains(&lower.as_str()));
    found.map(|(tag, ..)| *tag)
}

/// The canonical form of a code or tag. Trailing subtags that are malformed are dropped.
fn canonical(code: &str) -> Option<String> {
    if code.len() > LONGEST {
        return None;
    }
    let code = code.replace('_', "-");
    let main = code.split('-').next()?;
    // The grammar also allows five to eight letters, of which none are registered.
    if !(2..=3).contains(&main.len()) || NONE.iter().any(|none| main.eq_ignore_ascii_case(none)) {
        return None;
    }
    let mut rest = code.as_str();
    let id = loop {
        match LanguageIdentifier::try_from_str(rest) {
            Ok(id) => break id,
            Err(_) => rest = rest.rsplit_once('-')?.0,
        }
    };
    let mut locale = Locale::from(id);
    LocaleCanonicalizer::new_common().canonicalize(&mut locale);
    Some(locale.id.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_a_language_becomes_its_shortest_tag() {
        for (text, expected) in [
            ("eng", "en"),
            ("ENG", "en"),
            ("ger", "de"),
            ("deu", "de"),
            ("fre", "fr"),
            ("fra", "fr"),
            ("chi", "zh"),
            ("zho", "zh"),
            ("cze", "cs"),
            ("gre", "el"),
            ("nor", "no"),
            ("nob", "nb"),
            ("iw", "he"),
            ("English", "en"),
            ("english", "en"),
            ("Deutsch", "de"),
            ("日本語", "ja"),
            ("Portuguese (Brazil)", "pt"),
            ("en-US", "en-US"),
            ("EN_us", "en-US"),
            ("en-UK", "en-GB"),
            ("por-BR", "pt-BR"),
            ("zh-hans", "zh-Hans"),
            ("zh-hant-tw", "zh-Hant-TW"),
            ("pt-BR\0", "pt-BR"),
            ("  fr ", "fr"),
            ("eng\0fra", "en"),
            ("eng; fra", "en"),
            ("de-DE-!", "de-DE"),
            ("gsw", "gsw"),
            ("grc", "grc"),
        ] {
            assert_eq!(tag(text).as_deref(), Some(expected), "{text:?}");
        }
        for none in [
            "und",
            "UND",
            "und-US",
            "zxx",
            "mis",
            "unk",
            "",
            "x",
            "a b",
            "<b>",
            "Klingonese",
            "language",
            "-",
            "\0",
            "1",
            "e1",
        ] {
            assert_eq!(tag(none), None, "{none:?}");
        }
        assert_eq!(tag(&"en-".repeat(10_000)), None);
    }

    #[test]
    fn words_of_file_names_state_common_languages_only() {
        for (word, expected) in [
            ("de", "de"),
            ("GER", "de"),
            ("German", "de"),
            ("pt-BR", "pt-BR"),
            ("es-419", "es-419"),
            ("zh-hans", "zh-Hans"),
            ("farsi", "fa"),
        ] {
            assert_eq!(common(word).as_deref(), Some(expected), "{word}");
        }
        for none in ["xx", "fox", "are", "no-such", "en-forced", "Annual", ""] {
            assert_eq!(common(none), None, "{none}");
        }
    }

    #[test]
    fn tags_have_english_names() {
        for (tag, expected) in [
            ("de", Some("German")),
            ("ger", Some("German")),
            ("pt-BR", Some("Portuguese (BR)")),
            ("xx", None),
        ] {
            assert_eq!(english_name(tag).as_deref(), expected, "{tag}");
        }
    }
}

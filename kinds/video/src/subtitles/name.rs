//! What the name of a file of subtitles says: whose they are, in which language, and for whom.

use ledge_core::names::clean;

/// What a name says.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Said {
    /// Language tag.
    pub language: Option<String>,
    /// Only what is not spoken in the film's own language.
    pub forced: bool,
    /// Chosen where nothing else is.
    pub default: bool,
    /// With sounds and speakers, for who does not hear them.
    pub hearing_impaired: bool,
    /// Other words of the name.
    pub title: Option<String>,
}

/// Languages by code of two letters, of three, the older of three, and name. The codes are those
/// of ISO 639.
const LANGUAGES: &[(&str, &str, &str, &str)] = &[
    ("ar", "ara", "", "arabic"),
    ("bg", "bul", "", "bulgarian"),
    ("bn", "ben", "", "bengali"),
    ("bs", "bos", "", "bosnian"),
    ("ca", "cat", "", "catalan"),
    ("cs", "ces", "cze", "czech"),
    ("da", "dan", "", "danish"),
    ("de", "deu", "ger", "german"),
    ("el", "ell", "gre", "greek"),
    ("en", "eng", "", "english"),
    ("es", "spa", "", "spanish"),
    ("et", "est", "", "estonian"),
    ("eu", "eus", "baq", "basque"),
    ("fa", "fas", "per", "persian"),
    ("fi", "fin", "", "finnish"),
    ("fr", "fra", "fre", "french"),
    ("gl", "glg", "", "galician"),
    ("he", "heb", "", "hebrew"),
    ("hi", "hin", "", "hindi"),
    ("hr", "hrv", "", "croatian"),
    ("hu", "hun", "", "hungarian"),
    ("hy", "hye", "arm", "armenian"),
    ("id", "ind", "", "indonesian"),
    ("is", "isl", "ice", "icelandic"),
    ("it", "ita", "", "italian"),
    ("ja", "jpn", "", "japanese"),
    ("ka", "kat", "geo", "georgian"),
    ("ko", "kor", "", "korean"),
    ("lt", "lit", "", "lithuanian"),
    ("lv", "lav", "", "latvian"),
    ("mk", "mkd", "mac", "macedonian"),
    ("ms", "msa", "may", "malay"),
    ("nb", "nob", "", "bokmal"),
    ("nl", "nld", "dut", "dutch"),
    ("nn", "nno", "", "nynorsk"),
    ("no", "nor", "", "norwegian"),
    ("pl", "pol", "", "polish"),
    ("pt", "por", "", "portuguese"),
    ("ro", "ron", "rum", "romanian"),
    ("ru", "rus", "", "russian"),
    ("sk", "slk", "slo", "slovak"),
    ("sl", "slv", "", "slovenian"),
    ("sq", "sqi", "alb", "albanian"),
    ("sr", "srp", "", "serbian"),
    ("sv", "swe", "", "swedish"),
    ("ta", "tam", "", "tamil"),
    ("te", "tel", "", "telugu"),
    ("th", "tha", "", "thai"),
    ("tr", "tur", "", "turkish"),
    ("uk", "ukr", "", "ukrainian"),
    ("ur", "urd", "", "urdu"),
    ("vi", "vie", "", "vietnamese"),
    ("zh", "zho", "chi", "chinese"),
];

/// Whether a file of subtitles is a video's, and what its name says: it begins with the video's.
/// Both are told without their extensions.
pub fn of(video: &str, subtitles: &str) -> Option<Said> {
    let rest = match subtitles.get(..video.len()) {
        Some(head) if head.eq_ignore_ascii_case(video) => subtitles.get(video.len()..)?,
        _ => return None,
    };
    // `Film 2.srt` is not that of `Film.mkv`.
    let mark = rest.trim_start_matches(' ');
    let is_own = rest.is_empty() || mark.starts_with(['.', '-', '_', '[', '(']);
    is_own.then(|| said(rest))
}

/// What the words behind the video's name say.
pub fn said(words: &str) -> Said {
    let mut said = Said::default();
    let mut others = Vec::new();
    for word in words.split(['.', '_', ' ', '[', ']', '(', ')']) {
        // A hyphen joins languages and regions, and begins what stands behind a name.
        let word = word.trim_matches('-');
        if !word.is_empty() && !take(word, &mut said) {
            others.push(word);
        }
    }
    said.title = Some(clean::plain(&others.join(" "))).filter(|title| !title.is_empty());
    said
}

fn take(word: &str, said: &mut Said) -> bool {
    match word.to_lowercase().as_str() {
        "forced" | "foreign" => said.forced = true,
        "default" => said.default = true,
        "sdh" | "cc" => said.hearing_impaired = true,
        // Hindi, unless the language was told before.
        "hi" if said.language.is_some() => said.hearing_impaired = true,
        _ => match language(word).filter(|_| said.language.is_none()) {
            Some(language) => said.language = Some(language),
            None => return false,
        },
    }
    true
}

/// The tag of a language by its code or English name: `de`, `ger`, `German`, `pt-BR`, `zh-Hans`.
pub fn language(word: &str) -> Option<String> {
    let lower = word.to_lowercase();
    let (main, region) = match lower.split_once('-') {
        Some((main, region)) => (main, Some(region)),
        None => (lower.as_str(), None),
    };
    let (tag, ..) = LANGUAGES.iter().find(|(two, three, older, name)| {
        main == *two || main == *three || !older.is_empty() && main == *older || main == *name
    })?;
    let region = match region {
        None => return Some((*tag).to_owned()),
        Some(region) if region.len() == 2 => region.to_uppercase(),
        Some(region) if region.len() == 3 && region.bytes().all(|b| b.is_ascii_digit()) => {
            region.to_owned()
        }
        Some("hans") => "Hans".to_owned(),
        Some("hant") => "Hant".to_owned(),
        Some("latn") => "Latn".to_owned(),
        Some("cyrl") => "Cyrl".to_owned(),
        Some(_) => return None,
    };
    Some(format!("{tag}-{region}"))
}

/// The English name of a language's tag, as a person reads it.
pub fn english(tag: &str) -> Option<String> {
    let lower = tag.to_lowercase();
    let main = lower.split('-').next()?;
    let (.., name) = LANGUAGES.iter().find(|(two, three, older, _)| {
        main == *two || main == *three || !older.is_empty() && main == *older
    })?;
    let mut letters = name.chars();
    let first = letters.next()?.to_uppercase();
    let name: String = first.chain(letters).collect();
    match tag.split_once('-') {
        Some((_, region)) => Some(format!("{name} ({region})")),
        None => Some(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(said: Option<Said>) -> String {
        let Some(said) = said else {
            return "-".to_owned();
        };
        let flags = [
            (said.forced, "forced"),
            (said.default, "default"),
            (said.hearing_impaired, "sdh"),
        ];
        let mut words = vec![said.language.unwrap_or_default()];
        words.extend(
            flags
                .iter()
                .filter(|(is, _)| *is)
                .map(|(_, word)| (*word).to_owned()),
        );
        words.extend(said.title);
        words.join(" ").trim().to_owned()
    }

    #[test]
    fn names_tell_language_and_flags() {
        for (video, subtitles, expected) in [
            ("Film", "Film", ""),
            ("Film", "Film.de.forced", "de forced"),
            ("Film", "Film.en.sdh", "en sdh"),
            ("Film", "film.ENG.default", "en default"),
            ("Film", "Film.forced.ger", "de forced"),
            ("Film", "Film.hi", "hi"),
            ("Film", "Film.en.hi", "en sdh"),
            ("Film", "Film.pt-BR", "pt-BR"),
            ("Film", "Film.zh-hans", "zh-Hans"),
            ("Film", "Film-German", "de"),
            ("Film", "Film_English_Commentary", "en Commentary"),
            ("Film (1999)", "Film (1999) [fr]", "fr"),
            ("Film (1999)", "Film (1999).[fr]", "fr"),
            ("Film", "Film.Director's notes.xx", "Director's notes xx"),
            ("Film", "Film 2.en", "-"),
            ("Film", "Filmen", "-"),
            ("Film", "Other.en", "-"),
        ] {
            assert_eq!(shown(of(video, subtitles)), expected, "{video} {subtitles}");
        }
    }

    #[test]
    fn languages_have_names() {
        assert_eq!(english("de").as_deref(), Some("German"));
        assert_eq!(english("ger").as_deref(), Some("German"));
        assert_eq!(english("pt-BR").as_deref(), Some("Portuguese (BR)"));
        assert_eq!(english("xx"), None);
        assert_eq!(language("no-such"), None);
    }
}

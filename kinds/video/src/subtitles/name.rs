//! Parser for names of subtitle files: their video, language and flags.

use ledge_core::text::language;
use ledge_core::text::names::clean;

/// Properties from the name of a subtitle file.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct SubtitleName {
    /// Language tag (BCP 47).
    pub language: Option<String>,
    /// `true` if only foreign-language dialogue is translated.
    pub forced: bool,
    /// `true` if players should select the track by default.
    pub default: bool,
    /// `true` if the text describes sounds and speakers for the hearing impaired.
    pub hearing_impaired: bool,
    /// Other words of the name.
    pub title: Option<String>,
}

/// Parses the name of a subtitle file that begins with the video's name. Returns `None` if it does
/// not belong to the video. Both names are without extensions.
pub fn parse(video: &str, subtitles: &str) -> Option<SubtitleName> {
    let rest = match subtitles.get(..video.len()) {
        Some(head) if head.eq_ignore_ascii_case(video) => subtitles.get(video.len()..)?,
        _ => return None,
    };
    // `Film 2.srt` does not belong to `Film.mkv`.
    let mark = rest.trim_start_matches(' ');
    let is_own = rest.is_empty() || mark.starts_with(['.', '-', '_', '[', '(']);
    is_own.then(|| parse_words(rest))
}

/// Parses the words after the video's name.
pub fn parse_words(words: &str) -> SubtitleName {
    let mut name = SubtitleName::default();
    let mut others = Vec::new();
    for word in words.split(['.', '_', ' ', '[', ']', '(', ')']) {
        // A hyphen may separate language and region, or precede a word.
        let word = word.trim_matches('-');
        if !word.is_empty() && !consume_word(word, &mut name) {
            others.push(word);
        }
    }
    name.title = Some(clean::plain(&others.join(" "))).filter(|title| !title.is_empty());
    name
}

fn consume_word(word: &str, name: &mut SubtitleName) -> bool {
    match word.to_lowercase().as_str() {
        "forced" | "foreign" => name.forced = true,
        "default" => name.default = true,
        "sdh" | "cc" => name.hearing_impaired = true,
        // `hi` means Hindi unless a language precedes it.
        "hi" if name.language.is_some() => name.hearing_impaired = true,
        _ => match language::common(word).filter(|_| name.language.is_none()) {
            Some(language) => name.language = Some(language),
            None => return false,
        },
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: Option<SubtitleName>) -> String {
        let Some(name) = name else {
            return "-".to_owned();
        };
        let flags = [
            (name.forced, "forced"),
            (name.default, "default"),
            (name.hearing_impaired, "sdh"),
        ];
        let mut words = vec![name.language.unwrap_or_default()];
        words.extend(
            flags
                .iter()
                .filter(|(is, _)| *is)
                .map(|(_, word)| (*word).to_owned()),
        );
        words.extend(name.title);
        words.join(" ").trim().to_owned()
    }

    #[test]
    fn names_yield_language_and_flags() {
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
            assert_eq!(
                shown(parse(video, subtitles)),
                expected,
                "{video} {subtitles}"
            );
        }
    }
}

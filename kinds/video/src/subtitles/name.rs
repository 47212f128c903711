//! What the name of a file of subtitles says: whose they are, in which language, and for whom.

use ledge_core::language;
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
        _ => match language::common(word).filter(|_| said.language.is_none()) {
            Some(language) => said.language = Some(language),
            None => return false,
        },
    }
    true
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
}

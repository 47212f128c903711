//! Plausibility check of embedded titles, which often describe only the release.

use ledge_core::text::names::clean;

use crate::naming::episode::{self, NamingStyle};
use crate::naming::name::is_release_word;

/// Placeholder titles that programs write.
const PLACEHOLDERS: &[&str] = &["untitled", "no title", "video", "movie", "default"];
/// Substrings of titles that name the creator of the file.
const CREATOR_WORDS: &[&str] = &[
    "www.",
    "http:",
    "https:",
    "encoded by",
    "ripped by",
    "rarbg",
    "yify",
    "yts.",
];

/// Returns the cleaned title if it is a film's title instead of a release name.
pub(crate) fn plausible(title: &str) -> Option<String> {
    let lower = title.to_lowercase();
    let has_gaps = title.contains(' ');
    let is_written_by_programs = PLACEHOLDERS.contains(&lower.as_str())
        || CREATOR_WORDS.iter().any(|word| lower.contains(word))
        || title.split([' ', '.', '_']).any(is_release_word)
        || !has_gaps && title.matches(['.', '_']).count() > 1
        || crate::formats::FORMATS.iter().any(|format| {
            lower
                .strip_suffix(format.extension)
                .is_some_and(|stem| stem.ends_with('.'))
        });
    (!is_written_by_programs && title.chars().any(char::is_alphanumeric))
        .then(|| clean::plain(title))
}

/// Extracts the episode title from `Show - S01E02 - Title`.
pub(crate) fn episode_title(title: &str) -> String {
    episode::parse(title)
        .filter(|episode| episode.style == NamingStyle::Numbered)
        .and_then(|episode| episode.title)
        .unwrap_or_else(|| title.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn release_names_are_rejected() {
        for title in [
            "The.Matrix.1999.1080p.x264-GRP",
            "Film 1080p BluRay",
            "Encoded by NOBODY",
            "www.example.org",
            "film.mkv",
            "My_Holiday_Film",
            "untitled",
            "...",
        ] {
            assert_eq!(plausible(title), None, "{title}");
        }
        for title in [
            "Colour Bars",
            "S.W.A.T. Nights",
            "Dr. No",
            "1984",
            "handbrake",
        ] {
            assert_eq!(plausible(title).as_deref(), Some(title));
        }
    }

    #[test]
    fn episode_title_follows_its_number() {
        assert_eq!(episode_title("Show - S01E02 - Two"), "Two");
        assert_eq!(episode_title("Bars"), "Bars");
    }
}

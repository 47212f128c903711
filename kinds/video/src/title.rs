//! Titles inside of files: what is one, and what only tells who made the file.

use ledge_core::names::clean;

use crate::episode::{self, Form};
use crate::name::is_release_word;

/// Titles that programs write.
const EMPTY: &[&str] = &["untitled", "no title", "video", "movie", "default"];
/// Words of who made the file.
const MAKERS: &[&str] = &[
    "www.",
    "http:",
    "https:",
    "encoded by",
    "ripped by",
    "rarbg",
    "yify",
    "yts.",
];

/// The title, if it is that of a film rather than of a release.
pub fn sound(title: &str) -> Option<String> {
    let lower = title.to_lowercase();
    let has_gaps = title.contains(' ');
    let is_written_by_programs = EMPTY.contains(&lower.as_str())
        || MAKERS.iter().any(|word| lower.contains(word))
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

/// An episode's own title out of `Show - S01E02 - Title`.
pub fn of_episode(title: &str) -> String {
    episode::parse(title)
        .filter(|episode| episode.form == Form::Numbered)
        .and_then(|episode| episode.title)
        .unwrap_or_else(|| title.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_of_releases_are_none() {
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
            assert_eq!(sound(title), None, "{title}");
        }
        for title in [
            "Colour Bars",
            "S.W.A.T. Nights",
            "Dr. No",
            "1984",
            "handbrake",
        ] {
            assert_eq!(sound(title).as_deref(), Some(title));
        }
    }

    #[test]
    fn an_episodes_title_stands_behind_its_number() {
        assert_eq!(of_episode("Show - S01E02 - Two"), "Two");
        assert_eq!(of_episode("Bars"), "Bars");
    }
}

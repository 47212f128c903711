//! Samples, trailers and extras: what lies beside a film without being it.

use ledge_core::names::clean;

/// Folders whose videos are extras of the film or show above them; Jellyfin's and Plex's names.
const FOLDERS: &[&str] = &[
    "backdrops",
    "behind the scenes",
    "bonus",
    "bonus features",
    "deleted scenes",
    "extra",
    "extras",
    "featurette",
    "featurettes",
    "interviews",
    "making of",
    "other",
    "scenes",
    "shorts",
    "special features",
    "trailers",
];
/// Ends of names that mark an extra in the film's own folder.
const SUFFIXES: &[&str] = &[
    "-behindthescenes",
    "-clip",
    "-deleted",
    "-deletedscene",
    "-extra",
    "-featurette",
    "-interview",
    "-other",
    "-scene",
    "-short",
];
/// The folder that files with such a suffix count as lying in.
pub(crate) const FOLDER: &str = "Extras";

/// Whether a folder holds extras, if there is a film or show above it.
pub(crate) fn is_folder(name: &str) -> bool {
    let lower = clean::spaced(name).to_lowercase();
    FOLDERS.contains(&lower.as_str())
}

/// The stem without its suffix, where it has one that marks an extra.
pub(crate) fn without_suffix(stem: &str) -> Option<&str> {
    SUFFIXES.iter().find_map(|suffix| {
        let at = stem.len().checked_sub(suffix.len())?;
        let (head, tail) = stem.split_at_checked(at)?;
        (tail.eq_ignore_ascii_case(suffix) && !head.is_empty()).then_some(head)
    })
}

/// `sample`, `film-sample`, `sample-film`, `film.sample`.
pub(crate) fn is_sample(stem: &str) -> bool {
    stands_at_an_end(stem, "sample")
}

/// `trailer`, `Film-trailer`, `Film.trailer2`; a film may begin with the word.
pub(crate) fn is_trailer(stem: &str) -> bool {
    let stem = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    let lower = stem.to_ascii_lowercase();
    lower == "trailer"
        || ["-", ".", "_"].iter().any(|mark| {
            lower
                .strip_suffix("trailer")
                .is_some_and(|head| head.ends_with(mark))
        })
}

fn stands_at_an_end(stem: &str, word: &str) -> bool {
    let lower = stem.to_ascii_lowercase();
    let mark = |c: char| matches!(c, '-' | '.' | '_' | '!');
    lower == word
        || lower
            .strip_suffix(word)
            .is_some_and(|head| head.ends_with(mark))
        || lower
            .strip_prefix(word)
            .is_some_and(|rest| rest.starts_with(mark))
}

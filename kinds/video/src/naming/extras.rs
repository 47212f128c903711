//! Names of samples, trailers and extras.

use ledge_core::text::names::clean;

/// Folder names of Jellyfin and Plex for extras of the film or show above.
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
/// Name suffixes of extras in the folder of their film.
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
/// Name of the group for files with such a suffix.
pub(crate) const FOLDER: &str = "Extras";

/// Returns `true` for names of extras folders. The caller checks for a film or show above.
pub(crate) fn is_folder(name: &str) -> bool {
    let lower = clean::spaced(name).to_lowercase();
    FOLDERS.contains(&lower.as_str())
}

/// Removes the suffix of an extra. Returns `None` if the stem has none.
pub(crate) fn without_suffix(stem: &str) -> Option<&str> {
    SUFFIXES.iter().find_map(|suffix| {
        let at = stem.len().checked_sub(suffix.len())?;
        let (head, tail) = stem.split_at_checked(at)?;
        (tail.eq_ignore_ascii_case(suffix) && !head.is_empty()).then_some(head)
    })
}

/// Returns `true` for `sample`, `film-sample`, `sample-film` and `film.sample`.
pub(crate) fn is_sample(stem: &str) -> bool {
    has_affix(stem, "sample")
}

/// Returns `true` for `trailer`, `Film-trailer` and `Film.trailer2`. A film title may begin with
/// the word.
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

fn has_affix(stem: &str, word: &str) -> bool {
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

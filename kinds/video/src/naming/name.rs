//! Words in names: generic folders, release words, and a normal form of titles.

use ledge_core::text;
use ledge_core::text::names::{clean, year};

/// Names of folders that sort a collection. They are neither a film nor a show.
const GENERIC: &[&str] = &[
    "3d",
    "4k",
    "action",
    "adult",
    "animation",
    "anime",
    "cartoons",
    "cinema",
    "clips",
    "collection",
    "collections",
    "comedy",
    "complete",
    "documentaries",
    "documentary",
    "doku",
    "dokus",
    "downloads",
    "drama",
    "episodes",
    "family",
    "film",
    "filme",
    "films",
    "hd",
    "home videos",
    "horror",
    "incoming",
    "kids",
    "kinder",
    "library",
    "media",
    "mini series",
    "mini-series",
    "miniseries",
    "misc",
    "movie",
    "movies",
    "music videos",
    "new",
    "other",
    "películas",
    "recordings",
    "sci-fi",
    "serie",
    "serien",
    "series",
    "shows",
    "stand-up",
    "tele",
    "television",
    "torrents",
    "tv",
    "tv series",
    "tv shows",
    "tv-shows",
    "tvshows",
    "uhd",
    "unsorted",
    "video",
    "videos",
    "watched",
    "фильмы",
    "сериалы",
];

/// Words of releases, sorted. A title ends before the first of them.
const RELEASE: &[&str] = &[
    "1080i", "1080p", "10bit", "1440p", "2160p", "264", "265", "360p", "4320p", "480i", "480p",
    "4k", "540p", "576p", "720i", "720p", "8bit", "aac", "aac2", "ac3", "amzn", "atmos", "av1",
    "avc", "bdremux", "bdrip", "blu-ray", "bluray", "brrip", "bsdrip", "camrip", "dd5", "ddp5",
    "divx", "dolby", "dsnp", "dts", "dts-hd", "dvd5", "dvd9", "dvdr", "dvdrip", "dvdscr", "eac3",
    "fhd", "h264", "h265", "hd1080", "hdcam", "hdr", "hdr10", "hdr10+", "hdrip", "hdts", "hdtv",
    "hevc", "hmax", "hulu", "nf", "ntsc", "pdtv", "ppvrip", "remux", "sdr", "telesync", "truehd",
    "tvrip", "uhd", "vhsrip", "vp9", "web-dl", "web-rip", "webdl", "webrip", "x264", "x265",
    "xvid",
];

/// Returns `true` for folders that only sort: `Movies`, `TV Shows`, `A`, `0-9`.
pub(crate) fn is_generic(name: &str) -> bool {
    let lower = clean::plain(name).to_lowercase();
    lower.chars().count() <= 1
        || lower == "0-9"
        || lower == "a-z"
        || GENERIC.contains(&lower.as_str())
}

/// Returns `true` for a word about the release: resolution, source or codec.
pub(crate) fn is_release_word(word: &str) -> bool {
    let lower = word
        .trim_matches(['(', ')', '[', ']', ',', '.'])
        .to_ascii_lowercase();
    // `x264-GROUP`
    let stem = lower
        .rsplit_once('-')
        .map_or(lower.as_str(), |(stem, _)| stem);
    [lower.as_str(), stem]
        .iter()
        .any(|word| RELEASE.binary_search(word).is_ok())
}

/// Returns `true` if a folder name contains a year in brackets or a release word. Such a folder
/// contains a single film.
pub(crate) fn is_of_release(name: &str) -> bool {
    year::in_brackets(name).is_some() || clean::spaced(name).split_whitespace().any(is_release_word)
}

/// Normalises a title to lower-case letters and digits with single spaces. Equal titles have equal
/// slugs.
pub(crate) fn slug(title: &str) -> String {
    let folded = text::fold(&title.replace('&', " and "));
    let mut slug = String::with_capacity(folded.len());
    for c in folded.chars().filter(|c| *c != '\'') {
        if c.is_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with(' ') {
            slug.push(' ');
        }
    }
    slug.truncate(slug.trim_end().len());
    // A title without letters and digits keeps its symbols, so that it remains distinguishable.
    if slug.is_empty() { folded } else { slug }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn release_words_are_sorted() {
        assert!(RELEASE.is_sorted());
    }

    #[test]
    fn equal_titles_have_equal_slugs() {
        assert_eq!(slug("Law & Order: S.V.U."), slug("law and order s v u"));
        assert_eq!(slug("Amélie"), slug("AMELIE"));
        assert_ne!(slug("???"), slug("!!!"));
    }

    #[test]
    fn release_words_are_recognised() {
        for word in [
            "1080p",
            "x264-GROUP",
            "BluRay",
            "WEB-DL",
            "[720p]",
            "HDR10+",
        ] {
            assert!(is_release_word(word), "{word}");
        }
        for word in ["Web", "Extended", "1999", "Cam", "The", "-"] {
            assert!(!is_release_word(word), "{word}");
        }
    }
}

//! Word lists: placeholders that rippers write into tags, and genres of spoken recordings.

use ledge_core::text::names::natural;

/// Placeholder titles, before the track number.
const PLACEHOLDER_TITLES: &[&str] = &[
    "audio track",
    "audiotrack",
    "track",
    "trk",
    "tr",
    "titel",
    "spur",
    "piste",
    "pista",
    "traccia",
    "faixa",
    "nummer",
    "spor",
    "spår",
    "raita",
    "utwór",
    "ścieżka",
    "дорожка",
    "трек",
    "トラック",
    "曲目",
    "音轨",
    "untitled",
    "unknown",
    "no title",
];

/// Placeholder names of albums and people.
const PLACEHOLDER_NAMES: &[&str] = &[
    "<unknown>",
    "album desconocido",
    "album inconnu",
    "album sconosciuto",
    "artista desconhecido",
    "artista desconocido",
    "artista sconosciuto",
    "artiste inconnu",
    "autor desconocido",
    "auteur inconnu",
    "unbekannt",
    "unbekannter autor",
    "unbekannter interpret",
    "unbekannter künstler",
    "unbekanntes album",
    "unknown",
    "unknown album",
    "unknown artist",
    "unknown author",
    "unknown composer",
    "unknown title",
    "untitled",
    "untitled album",
    "no album",
    "no artist",
    "n/a",
    "none",
    "null",
    "undefined",
    "various composers",
    "неизвестен",
    "неизвестный альбом",
    "неизвестный исполнитель",
    "不明なアーティスト",
    "不明なアルバム",
];

/// Names that mean various artists.
const VARIOUS_ARTIST_NAMES: &[&str] = &[
    "various artists",
    "various artist",
    "various",
    "various performers",
    "various interprets",
    "va",
    "v.a.",
    "v/a",
    "v. a.",
    "artistes variés",
    "artisti vari",
    "varios artistas",
    "vários artistas",
    "verschiedene",
    "verschiedene interpreten",
    "verschiedene künstler",
    "diverse",
    "diverse interpreten",
    "diverse artister",
    "divers",
    "разные исполнители",
];

/// Genres of spoken recordings.
const SPOKEN_GENRES: &[&str] = &[
    "audiobook",
    "audiobooks",
    "audio book",
    "audio books",
    "audiolibro",
    "audiolibros",
    "audio theatre",
    "book",
    "books",
    "books & spoken",
    "hörbuch",
    "hoerbuch",
    "hörspiel",
    "hoerspiel",
    "livre audio",
    "livres audio",
    "luisterboek",
    "lydbok",
    "ljudbok",
    "radio play",
    "radio drama",
    "speech",
    "spoken",
    "spoken word",
    "spoken & audio",
    "аудиокнига",
    "аудиокниги",
];

/// Folder names of spoken recordings.
const SPOKEN_FOLDERS: &[&str] = &[
    "audio books",
    "audiobook",
    "audiobooks",
    "hörbuch",
    "hörbücher",
    "hoerbuecher",
    "hörspiel",
    "hörspiele",
    "livres audio",
    "audiolibros",
    "аудиокниги",
];

/// Credit of an album by several artists.
pub(crate) const VARIOUS_ARTISTS: &str = "Various Artists";

/// Returns `true` for placeholder titles: `Track 01`, `01`, `Unknown`.
pub(crate) fn is_placeholder_title(title: &str, track: Option<i64>) -> bool {
    let lower = title.trim().to_lowercase();
    if PLACEHOLDER_NAMES.contains(&lower.as_str()) {
        return true;
    }
    let rest = PLACEHOLDER_TITLES
        .iter()
        .find_map(|word| lower.strip_prefix(word))
        .map(|rest| rest.trim_start_matches([' ', '#', '_', '-', '.', '№']));
    if let Some(rest) = rest {
        return rest.bytes().all(|byte| byte.is_ascii_digit());
    }
    // A number can be a title (`1984`), but a track's own number is a placeholder.
    let (digits, rest) = natural::digits(&lower);
    rest.is_empty()
        && digits
            .parse()
            .ok()
            .is_some_and(|number: i64| Some(number) == track)
}

/// Returns `true` for placeholder names of an album or a person.
pub(crate) fn is_placeholder_name(name: &str) -> bool {
    PLACEHOLDER_NAMES.contains(&name.trim().to_lowercase().as_str())
}

/// Returns `true` for names that mean various artists.
pub(crate) fn is_various_artists(name: &str) -> bool {
    VARIOUS_ARTIST_NAMES.contains(&name.trim().to_lowercase().as_str())
}

/// Returns `true` for genres of spoken recordings.
pub(crate) fn is_spoken(genre: &str) -> bool {
    let lower = genre.trim().to_lowercase();
    // Formats: `Audiobook / Fantasy`, `Fantasy;Audiobook`.
    lower
        .split([';', '/', ','])
        .any(|genre| SPOKEN_GENRES.contains(&genre.trim()))
}

/// Returns `true` for folder names of spoken recordings.
pub(crate) fn is_spoken_folder(name: &str) -> bool {
    SPOKEN_FOLDERS.contains(&name.trim().to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholder_titles_are_recognised() {
        for title in [
            "Track 01",
            "track_7",
            "Titel 3",
            "AudioTrack 12",
            "Unknown",
            "untitled",
        ] {
            assert!(is_placeholder_title(title, None), "{title}");
        }
        for title in [
            "Track of the Cat",
            "Spurs",
            "1984",
            "Trackmania 2",
            "Pista Nueva",
        ] {
            assert!(!is_placeholder_title(title, None), "{title}");
        }
        assert!(is_placeholder_title("03", Some(3)));
        assert!(!is_placeholder_title("99", Some(3)));
    }

    #[test]
    fn spoken_genres_are_recognised() {
        assert!(is_spoken("Audiobook"));
        assert!(is_spoken("Fantasy/Hörbuch"));
        assert!(!is_spoken("Rock"));
    }

    #[test]
    fn placeholder_and_various_artist_names_are_recognised() {
        assert!(is_placeholder_name(" Unknown Artist"));
        assert!(!is_placeholder_name("The Unknown Artists"));
        assert!(is_various_artists("VA"));
    }
}

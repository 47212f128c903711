//! Words that stand in tags where nobody wrote anything, and words that tell what a recording is.

use ledge_core::names::natural;

/// What rippers call a track they know nothing of, before its number.
const TRACK: &[&str] = &[
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

/// What they call an album or a person they know nothing of.
const NOBODY: &[&str] = &[
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

/// Names of everybody at once.
const EVERYBODY: &[&str] = &[
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

/// Genres of what is spoken.
const SPOKEN: &[&str] = &[
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

/// Folders of what is spoken.
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

/// Who an album of many is by.
pub(crate) const VARIOUS_ARTISTS: &str = "Various Artists";

/// Whether a title says nothing: `Track 01`, `01`, `Unknown`.
pub(crate) fn is_no_title(title: &str, track: Option<i64>) -> bool {
    let lower = title.trim().to_lowercase();
    if NOBODY.contains(&lower.as_str()) {
        return true;
    }
    let rest = TRACK
        .iter()
        .find_map(|word| lower.strip_prefix(word))
        .map(|rest| rest.trim_start_matches([' ', '#', '_', '-', '.', '№']));
    if let Some(rest) = rest {
        return rest.bytes().all(|byte| byte.is_ascii_digit());
    }
    // A number may well be a title, but not that of the track which has it.
    let (digits, rest) = natural::digits(&lower);
    rest.is_empty()
        && digits
            .parse()
            .ok()
            .is_some_and(|number: i64| Some(number) == track)
}

/// Whether the name of an album or a person says nothing.
pub(crate) fn is_nobody(name: &str) -> bool {
    NOBODY.contains(&name.trim().to_lowercase().as_str())
}

/// Whether a name stands for many.
pub(crate) fn is_everybody(name: &str) -> bool {
    EVERYBODY.contains(&name.trim().to_lowercase().as_str())
}

/// Whether a genre is one of what is spoken.
pub(crate) fn is_spoken(genre: &str) -> bool {
    let lower = genre.trim().to_lowercase();
    // `Audiobook / Fantasy`, `Fantasy;Audiobook`
    lower
        .split([';', '/', ','])
        .any(|genre| SPOKEN.contains(&genre.trim()))
}

/// Whether a folder holds what is spoken.
pub(crate) fn is_spoken_folder(name: &str) -> bool {
    SPOKEN_FOLDERS.contains(&name.trim().to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_of_rippers_say_nothing() {
        for title in [
            "Track 01",
            "track_7",
            "Titel 3",
            "AudioTrack 12",
            "Unknown",
            "untitled",
        ] {
            assert!(is_no_title(title, None), "{title}");
        }
        for title in [
            "Track of the Cat",
            "Spurs",
            "1984",
            "Trackmania 2",
            "Pista Nueva",
        ] {
            assert!(!is_no_title(title, None), "{title}");
        }
        assert!(is_no_title("03", Some(3)));
        assert!(!is_no_title("99", Some(3)));
    }

    #[test]
    fn genres_tell_what_is_spoken() {
        assert!(is_spoken("Audiobook"));
        assert!(is_spoken("Fantasy/Hörbuch"));
        assert!(!is_spoken("Rock"));
    }

    #[test]
    fn nobody_and_everybody_have_many_names() {
        assert!(is_nobody(" Unknown Artist"));
        assert!(!is_nobody("The Unknown Artists"));
        assert!(is_everybody("VA"));
    }
}

//! Genre numbers of ID3v1 with the Winamp extensions.

/// Genre names in the order of their numbers, separated by `|`.
const GENRES: &str = "\
    Blues|Classic rock|Country|Dance|Disco|Funk|Grunge|Hip-Hop|Jazz|Metal|New Age|Oldies|Other|\
    Pop|R&B|Rap|Reggae|Rock|Techno|Industrial|Alternative|Ska|Death metal|Pranks|Soundtrack|\
    Euro-Techno|Ambient|Trip-Hop|Vocal|Jazz & Funk|Fusion|Trance|Classical|Instrumental|Acid|\
    House|Game|Sound clip|Gospel|Noise|Alternative Rock|Bass|Soul|Punk|Space|Meditative|\
    Instrumental Pop|Instrumental Rock|Ethnic|Gothic|Darkwave|Techno-Industrial|Electronic|\
    Pop-Folk|Eurodance|Dream|Southern Rock|Comedy|Cult|Gangsta|Top 40|Christian Rap|Pop/Funk|\
    Jungle|Native US|Cabaret|New Wave|Psychedelic|Rave|Show tunes|Trailer|Lo-Fi|Tribal|\
    Acid Punk|Acid Jazz|Polka|Retro|Musical|Rock \u{2019}n\u{2019} Roll|Hard Rock|Folk|\
    Folk-Rock|National Folk|Swing|Fast Fusion|Bebop|Latin|Revival|Celtic|Bluegrass|Avantgarde|\
    Gothic Rock|Progressive Rock|Psychedelic Rock|Symphonic Rock|Slow rock|Big Band|Chorus|\
    Easy Listening|Acoustic|Humour|Speech|Chanson|Opera|Chamber music|Sonata|Symphony|\
    Booty bass|Primus|Porn groove|Satire|Slow jam|Club|Tango|Samba|Folklore|Ballad|Power Ballad|\
    Rhythmic Soul|Freestyle|Duet|Punk Rock|Drum Solo|A cappella|Euro-House|Dance Hall|Goa music|\
    Drum & Bass|Club-House|Hardcore Techno|Terror|Indie|BritPop|Negerpunk|Polsk Punk|Beat|\
    Christian Gangsta Rap|Heavy Metal|Black Metal|Crossover|Contemporary Christian|\
    Christian rock|Merengue|Salsa|Thrash Metal|Anime|Jpop|Synthpop|Abstract|Art Rock|Baroque|\
    Bhangra|Big beat|Breakbeat|Chillout|Downtempo|Dub|EBM|Eclectic|Electro|Electroclash|Emo|\
    Experimental|Garage|Global|IDM|Illbient|Industro-Goth|Jam Band|Krautrock|Leftfield|Lounge|\
    Math Rock|New Romantic|Nu-Breakz|Post-Punk|Post-Rock|Psytrance|Shoegaze|Space Rock|\
    Trop Rock|World Music|Neoclassical|Audiobook|Audio theatre|Neue Deutsche Welle|Podcast|\
    Indie-Rock|G-Funk|Dubstep|Garage Rock|Psybient";

/// Returns the genre of a number.
pub(crate) fn numbered(number: usize) -> Option<&'static str> {
    GENRES.split('|').nth(number)
}

/// Parses the genres of an ID3v2 frame: numbers in parentheses, bare numbers, or words.
pub(crate) fn in_frame(value: &str) -> Vec<String> {
    let mut genres = Vec::new();
    let mut rest = value.trim();
    while let Some((number, after)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        let Some(genre) = by_code(number) else {
            break;
        };
        genres.push(genre);
        rest = after.trim_start();
    }
    // Text after a number repeats the genre or refines it.
    let words = rest
        .strip_prefix('(')
        .filter(|rest| rest.starts_with('('))
        .unwrap_or(rest);
    match by_code(words) {
        Some(genre) => genres.push(genre),
        None if !words.is_empty() => genres = vec![words.to_owned()],
        None => {}
    }
    genres.dedup();
    genres
}

fn by_code(code: &str) -> Option<String> {
    match code {
        "RX" => Some("Remix".to_owned()),
        "CR" => Some("Cover".to_owned()),
        number => numbered(number.parse().ok()?).map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn genres_are_parsed_from_all_frame_formats() {
        for (value, expected) in [
            ("17", vec!["Rock"]),
            ("(17)", vec!["Rock"]),
            ("(17)Rock", vec!["Rock"]),
            ("(4)Eurodisco", vec!["Eurodisco"]),
            ("(31)(39)", vec!["Trance", "Noise"]),
            ("Gorpcore", vec!["Gorpcore"]),
            (
                "((I can figure out any genre)",
                vec!["(I can figure out any genre)"],
            ),
            ("(999)", vec!["(999)"]),
            ("183", vec!["Audiobook"]),
            ("", vec![]),
        ] {
            assert_eq!(in_frame(value), expected, "{value}");
        }
    }
}

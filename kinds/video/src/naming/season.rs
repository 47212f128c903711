//! Folders of one season of a show: `Season 01`, `S02`, `Specials`, `Show.S03.1080p`.

use ledge_core::text::names::{clean, season};

/// Season number and show from a folder name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Season {
    /// Number of the season; 0 for specials.
    pub(crate) number: i64,
    /// Text before the season, if the folder name contains its show.
    pub(crate) show: Option<String>,
}

/// Parses a folder name. Returns `None` if it does not name a season.
pub(crate) fn parse(folder: &str) -> Option<Season> {
    let text = clean::spaced(folder);
    let lower = text.to_lowercase();
    if season::is_specials(&lower) {
        return Some(Season {
            number: 0,
            show: None,
        });
    }
    if let Some((number, _)) = season::numbered(&lower) {
        return Some(Season { number, show: None });
    }
    // Offsets of the lower-case text are valid only if both texts have the same length.
    let lower = if lower.len() == text.len() {
        lower
    } else {
        text.to_ascii_lowercase()
    };
    let (start, number) = lower.match_indices(' ').find_map(|(at, _)| {
        let rest = lower
            .get(at + 1..)?
            .trim_start_matches(['-', ' ', '(', '[']);
        season::numbered(rest).map(|(number, _)| (at, number))
    })?;
    let show = clean::trimmed(text.get(..start)?.trim_end_matches(['(', '['])).to_owned();
    (!show.is_empty()).then_some(Season {
        number,
        show: Some(show),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn season_folders_are_recognised() {
        for (folder, number, show) in [
            ("Season 01", 1, None),
            ("season_2", 2, None),
            ("S03", 3, None),
            ("Specials", 0, None),
            ("Season 0", 0, None),
            ("Staffel 4", 4, None),
            ("Season 1 (2019)", 1, None),
            ("Season 2 - The Return", 2, None),
            ("Сезон 2", 2, None),
            ("Series 12", 12, None),
            ("Season 2019", 2019, None),
            ("The.Wire.S03.1080p.BluRay", 3, Some("The Wire")),
            ("The Wire - Season 3", 3, Some("The Wire")),
            ("The Wire (2002) Season 3", 3, Some("The Wire (2002)")),
            ("The Wire (Season 3)", 3, Some("The Wire")),
        ] {
            let season = parse(folder).unwrap_or_else(|| panic!("{folder}"));
            assert_eq!(
                (season.number, season.show.as_deref()),
                (number, show),
                "{folder}"
            );
        }
        for folder in [
            "", "Series", "Season", "S", "Seasons", "S.W.A.T", "Show", "S1m0ne", "Seven",
        ] {
            assert_eq!(parse(folder), None, "{folder}");
        }
    }
}

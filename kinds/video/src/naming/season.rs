//! Folders of one season of a show: `Season 01`, `S02`, `Specials`, `Show.S03.1080p`.

use ledge_core::text::names::clean;

use super::season_words;

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
    if season_words::is_specials(&lower) {
        return Some(Season {
            number: 0,
            show: None,
        });
    }
    if let Some((number, _)) = season_words::numbered(&lower) {
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
        season_words::numbered(rest).map(|(number, _)| (at, number))
    })?;
    let show = clean::trimmed(text.get(..start)?.trim_end_matches(['(', '['])).to_owned();
    (!show.is_empty()).then_some(Season {
        number,
        show: Some(show),
    })
}

/// Returns the season that a folder name begins with; 0 for specials. Returns `None` for the name of
/// several seasons.
pub(crate) fn single(folder: &str) -> Option<i64> {
    let lower = clean::spaced(folder).to_lowercase();
    if season_words::is_specials(&lower) {
        return Some(0);
    }
    let (number, rest) = season_words::numbered(&lower)?;
    let in_brackets = rest.trim().strip_prefix('(');
    let year = in_brackets.and_then(|rest| rest.strip_suffix(')'));
    let is_digit = |c: char| c.is_ascii_digit();
    let is_year = year.is_some_and(|year| year.len() == 4 && year.chars().all(is_digit));
    (is_year || !rest.contains(is_digit)).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_season_is_recognised_by_its_folder() {
        for (folder, number) in [
            ("Season 01", 1),
            ("season_2", 2),
            ("S03", 3),
            ("Staffel 4", 4),
            ("Season 1 (2019)", 1),
            ("Season 2 - The Return", 2),
            ("Specials", 0),
        ] {
            assert_eq!(single(folder), Some(number), "{folder}");
        }
        for folder in [
            "Season 6-7",
            "Season 1 & 2",
            "Season 1 (2)",
            "The Wire S03",
            "Extras",
            "",
        ] {
            assert_eq!(single(folder), None, "{folder}");
        }
    }

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

//! Episode numbers in file names: `S01E02`, `1x02`, `2021-03-04`, `Episode 5`, `[Group] Show - 12`.

use ledge_core::text::names::brackets::Part;
use ledge_core::text::names::{brackets, clean, natural, year};

use crate::naming::name::is_release_word;

/// Most episodes of one file. Beyond that, a number has another meaning.
const MAX_EPISODES: i64 = 50;

/// Naming style of an episode. It decides in which folders the name counts as an episode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NamingStyle {
    /// `S01E02`, `1x02`: in any folder.
    Numbered,
    /// `Show - 2021-03-04`: next to similar names, or below the show's folder.
    Dated,
    /// `[Group] Show - 12`: the style of anime releases.
    Released,
    /// `Episode 5`, `Show - 12`: next to similar names, or below a season's folder.
    Counted,
    /// `05 - Title`, `105`: only below a season's folder.
    Bare,
}

/// Fields of an episode's file name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Episode {
    pub(crate) style: NamingStyle,
    /// Text before the number: the show's title and possibly its year.
    pub(crate) show: String,
    pub(crate) season: Option<i64>,
    pub(crate) number: i64,
    /// Last number of a file with several episodes.
    pub(crate) last: Option<i64>,
    pub(crate) title: Option<String>,
}

/// Parsed number with its byte range in the text.
struct NumberMatch {
    style: NamingStyle,
    season: Option<i64>,
    number: i64,
    /// Last number of several.
    last: Option<i64>,
    start: usize,
    end: usize,
}

/// Parses a file stem. Returns `None` if it contains no episode number.
pub(crate) fn parse(stem: &str) -> Option<Episode> {
    let text = clean::spaced(stem);
    let released = release_group_len(&text);
    let body = text.get(released..).unwrap_or_default();
    let lower = body.to_ascii_lowercase();
    let found = season_and_episode(&lower)
        .or_else(|| season_x_episode(&lower))
        .or_else(|| date(&lower))
        .or_else(|| word_and_number(&lower))
        .or_else(|| dash_and_number(&lower, released > 0))
        .or_else(|| bare(&lower))?;
    // The dot of `Fargo.S01E01` is a separator. The last dot of `S.W.A.T. S01E01` belongs to the
    // title.
    let show = body.get(..found.start)?.trim_end_matches('.');
    let title = body.get(found.end..)?;
    Some(Episode {
        style: found.style,
        show: clean::trimmed(show.trim_end_matches(['(', '['])).to_owned(),
        season: found.season,
        number: found.number,
        last: found.last,
        title: part_title(title),
    })
}

/// Returns the length of a leading `[Group] ` in bytes, or 0.
fn release_group_len(text: &str) -> usize {
    let Some(rest) = text.strip_prefix('[') else {
        return 0;
    };
    rest.find(']').map_or(0, |at| {
        let after = rest.get(at + 1..).unwrap_or_default();
        text.len() - after.trim_start().len()
    })
}

/// Parses `S01E02`, `s1.e2`, `S01E02E03`, `S01E02-E03` and `Season 1 Episode 2`.
fn season_and_episode(lower: &str) -> Option<NumberMatch> {
    word_starts(lower).find_map(|start| {
        let (season, rest) = prefixed(lower.get(start..)?, &["season", "staffel", "saison", "s"])?;
        let rest = rest.trim_start_matches([' ', '.', '-', '_', ',']);
        let (number, rest) = prefixed(rest, &["episode", "folge", "ep", "e"])?;
        let (last, rest) = further_numbers(number, rest, true);
        let ended = rest.chars().next().is_none_or(|c| !c.is_ascii_digit());
        ended.then(|| NumberMatch {
            style: NamingStyle::Numbered,
            season: Some(season),
            number,
            last,
            start,
            end: lower.len() - rest.len(),
        })
    })
}

/// Parses `1x02` and `01x02-03`. `1920x1080` is not an episode.
fn season_x_episode(lower: &str) -> Option<NumberMatch> {
    word_starts(lower).find_map(|start| {
        let (season, rest) = number(lower.get(start..)?, 2)?;
        let digits = rest.strip_prefix('x')?;
        let (number, rest) = number(digits, 3)?;
        let long_enough = digits.len() - rest.len() >= 2;
        let (last, rest) = further_numbers(number, rest, false);
        let ended = rest.chars().next().is_none_or(|c| !c.is_alphanumeric());
        (long_enough && ended).then(|| NumberMatch {
            style: NamingStyle::Numbered,
            season: Some(season),
            number,
            last,
            start,
            end: lower.len() - rest.len(),
        })
    })
}

/// Parses further episode numbers of a file: `E03`, `-E03`, `-03`. Returns the last number if it
/// follows `first` within [`MAX_EPISODES`], and the rest of the text.
fn further_numbers(first: i64, mut rest: &str, letter: bool) -> (Option<i64>, &str) {
    let (mut last, mut counts) = (first, true);
    while let Some(found) = further_number(last, rest, letter) {
        counts &= found.is_episode;
        if counts {
            last = found.number;
        }
        rest = found.rest;
    }
    let is_later = (first + 1..first + MAX_EPISODES).contains(&last);
    (is_later.then_some(last), rest)
}

/// Number behind an episode number.
struct FurtherNumber<'a> {
    number: i64,
    /// `false` for a number that probably has another meaning: `S01E02-10bit`, `S01E02 x264`.
    is_episode: bool,
    rest: &'a str,
}

fn further_number(previous: i64, rest: &str, letter: bool) -> Option<FurtherNumber<'_>> {
    let joined = rest.trim_start_matches(['-', '+', '&', ' ']);
    let is_adjacent = rest.trim_start_matches(['-', '+', '&']).len() == joined.len();
    let prefixed = ["e", "x", "ep"].iter().find_map(|word| {
        let (number, rest) = number(joined.strip_prefix(word)?, 4)?;
        let has_style = if letter { *word != "x" } else { is_adjacent };
        let is_alone = !rest.starts_with(|c: char| c.is_alphanumeric() && !matches!(c, 'e' | 'x'));
        Some(FurtherNumber {
            number,
            is_episode: has_style && is_alone,
            rest,
        })
    });
    let after_dash = rest.strip_prefix('-').and_then(|rest| number(rest, 3));
    let plain = after_dash.filter(|(_, rest)| !rest.starts_with(['p', 'i', '-']));
    let plain = plain.map(|(number, rest)| {
        let is_alone = !rest.starts_with(char::is_alphanumeric);
        let is_near = (1..=3).contains(&(number - previous));
        let is_end = rest.trim().is_empty() || rest.starts_with(" -");
        FurtherNumber {
            number,
            is_episode: is_alone && (is_near || is_end),
            rest,
        }
    });
    let found = prefixed
        .filter(|_| letter || joined.starts_with('x'))
        .or(plain);
    found.filter(|found| !found.rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Parses `2021-03-04`, `2021.03.04` and `2021 03 04`. The year is the season, and `304` is the
/// episode.
fn date(lower: &str) -> Option<NumberMatch> {
    word_starts(lower).find_map(|start| {
        let text = lower.get(start..)?;
        let year = year::leading(text)?;
        let rest = text.get(4..)?.strip_prefix(['-', '.', ' '])?;
        let (month, day) = (two_digits(rest)?, rest.get(2..)?);
        let day = two_digits(day.strip_prefix(['-', '.', ' '])?)?;
        let rest = rest.get(5..)?;
        let real = (1..=12).contains(&month) && (1..=31).contains(&day);
        let ended = rest.chars().next().is_none_or(|c| !c.is_alphanumeric());
        (real && ended).then(|| NumberMatch {
            style: NamingStyle::Dated,
            season: Some(i64::from(year)),
            number: month * 100 + day,
            last: None,
            start,
            end: lower.len() - rest.len(),
        })
    })
}

/// Parses `Episode 5`, `Ep.05`, `E05`, `Folge 7` and `Part 2`.
fn word_and_number(lower: &str) -> Option<NumberMatch> {
    const WORDS: &[&str] = &[
        "episode",
        "folge",
        "épisode",
        "episodio",
        "capitulo",
        "aflevering",
        "серия",
        "chapter",
        "part",
        "ep",
        "e",
    ];
    word_starts(lower).find_map(|start| {
        let text = lower.get(start..)?;
        let (number, rest) = prefixed(text, WORDS)?;
        let ended = rest.chars().next().is_none_or(|c| !c.is_alphanumeric());
        ended.then(|| NumberMatch {
            style: if text.starts_with("part") {
                NamingStyle::Bare
            } else {
                NamingStyle::Counted
            },
            season: None,
            number,
            last: None,
            start,
            end: lower.len() - rest.len(),
        })
    })
}

/// Parses `Show - 12` and `Show - 12v2 [1080p]`.
fn dash_and_number(lower: &str, released: bool) -> Option<NumberMatch> {
    lower.match_indices(" - ").find_map(|(at, dash)| {
        let (number, rest) = number(lower.get(at + dash.len()..)?, 4)?;
        let rest = rest
            .strip_prefix('v')
            .and_then(|version| self::number(version, 1))
            .map_or(rest, |(_, rest)| rest);
        let ended = rest.is_empty() || rest.starts_with([' ', '[', '(']);
        let year = i32::try_from(number).is_ok_and(|n| (1900..2100).contains(&n));
        (ended && !year).then(|| NumberMatch {
            style: if released {
                NamingStyle::Released
            } else {
                NamingStyle::Counted
            },
            season: None,
            number,
            last: None,
            start: at,
            end: lower.len() - rest.len(),
        })
    })
}

/// Parses `05`, `05 - Title`, `105` (season 1, episode 5) and `Show 05`.
fn bare(lower: &str) -> Option<NumberMatch> {
    word_starts(lower).find_map(|start| {
        let text = lower.get(start..)?;
        let (number, rest) = number(text, 3)?;
        let ended = rest.chars().next().is_none_or(|c| !c.is_alphanumeric());
        ended.then(|| NumberMatch {
            style: NamingStyle::Bare,
            season: None,
            number,
            last: None,
            start,
            end: lower.len() - rest.len(),
        })
    })
}

/// Parses one of the words and the number after it.
fn prefixed<'a>(text: &'a str, words: &[&str]) -> Option<(i64, &'a str)> {
    words.iter().find_map(|word| {
        let rest = text.strip_prefix(word)?;
        number(rest.trim_start_matches([' ', '.', '_', '#', '-']), 4)
    })
}

fn number(text: &str, longest: usize) -> Option<(i64, &str)> {
    let (digits, rest) = natural::digits(text);
    (1..=longest)
        .contains(&digits.len())
        .then(|| digits.parse().ok().map(|number| (number, rest)))?
}

fn two_digits(text: &str) -> Option<i64> {
    let digits = text.get(..2)?;
    digits
        .bytes()
        .all(|b| b.is_ascii_digit())
        .then(|| digits.parse().ok())?
}

/// Returns the offsets at which a word begins.
fn word_starts(text: &str) -> impl Iterator<Item = usize> {
    let mut previous = ' ';
    text.char_indices().filter_map(move |(at, c)| {
        let start = c.is_alphanumeric() && !previous.is_alphanumeric();
        previous = c;
        start.then_some(at)
    })
}

/// Returns the episode's title: the text after the number, up to the first word about the release.
fn part_title(rest: &str) -> Option<String> {
    let mut text = String::new();
    for part in brackets::parts(rest.trim_start_matches([')', ']'])) {
        match part {
            Part::Text(plain) => text.push_str(plain),
            Part::Tag(tag)
                if tag.open == '(' && !tag.text.split_whitespace().any(is_release_word) =>
            {
                text.push('(');
                text.push_str(tag.text);
                text.push(')');
            }
            Part::Tag(_) => {}
        }
    }
    let words = text
        .split_whitespace()
        .take_while(|word| !is_release_word(word));
    let title = words.collect::<Vec<_>>().join(" ");
    let title = clean::trimmed(title.trim_start_matches('.')).to_owned();
    Some(title).filter(|title| !title.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn episode_names_of_all_styles_are_parsed() {
        #[rustfmt::skip]
        let rows = [
            ("Show - S01E02 - Title", NamingStyle::Numbered, "Show", Some(1), 2, Some("Title")),
            ("Show.S01E02.1080p.WEB-DL.x264-GRP", NamingStyle::Numbered, "Show", Some(1), 2, None),
            ("show.s01.e02", NamingStyle::Numbered, "show", Some(1), 2, None),
            ("Show S01E01E02 Double", NamingStyle::Numbered, "Show", Some(1), 1, Some("Double")),
            ("Show S01E01-E03", NamingStyle::Numbered, "Show", Some(1), 1, None),
            ("Show S01E01-02 - Two", NamingStyle::Numbered, "Show", Some(1), 1, Some("Two")),
            ("Show 1x02 Title", NamingStyle::Numbered, "Show", Some(1), 2, Some("Title")),
            ("Show [1x02]", NamingStyle::Numbered, "Show", Some(1), 2, None),
            ("Show 01x02-03", NamingStyle::Numbered, "Show", Some(1), 2, None),
            ("Show Season 1 Episode 2", NamingStyle::Numbered, "Show", Some(1), 2, None),
            ("S2019E105", NamingStyle::Numbered, "", Some(2019), 105, None),
            ("Show - 2021-03-04 - Guest", NamingStyle::Dated, "Show", Some(2021), 304, Some("Guest")),
            ("Show.2021.03.04.Guest.720p", NamingStyle::Dated, "Show", Some(2021), 304, Some("Guest")),
            ("[Group] Show - 12 [1080p][ABCD1234]", NamingStyle::Released, "Show", None, 12, None),
            ("[Group]_Show_-_12v2_[720p]", NamingStyle::Released, "Show", None, 12, None),
            ("Show - 1071", NamingStyle::Counted, "Show", None, 1071, None),
            ("Episode 5", NamingStyle::Counted, "", None, 5, None),
            ("Show Ep.05 Title", NamingStyle::Counted, "Show", None, 5, Some("Title")),
            ("05 - Title", NamingStyle::Bare, "", None, 5, Some("Title")),
            ("105", NamingStyle::Bare, "", None, 105, None),
        ];
        for (stem, style, show, season, number, title) in rows {
            let episode = parse(stem).unwrap_or_else(|| panic!("{stem}"));
            assert_eq!(episode.style, style, "{stem}");
            assert_eq!(episode.show, show, "{stem}");
            assert_eq!((episode.season, episode.number), (season, number), "{stem}");
            assert_eq!(episode.title.as_deref(), title, "{stem}");
        }
    }

    #[test]
    fn files_of_several_episodes_have_a_last_number() {
        for (stem, last) in [
            ("Show S01E01E02 Double", Some(2)),
            ("Show S01E01-E03", Some(3)),
            ("Show S01E01-02 - Two", Some(2)),
            ("Show S01E01 E02 & E03", Some(3)),
            ("Show 01x02-03", Some(3)),
            ("Show 1x02x03", Some(3)),
            ("Show S01E02", None),
            ("Show S01E02-E02", None),
            ("Show S01E05-E02", None),
            ("Show S01E02-E9999", None),
            ("Show S01E02-720p", None),
            ("Show S01E02 - 3 Men", None),
            ("Show S01E02-10bit", None),
            ("Show S01E01-4K", None),
            ("Show S01E03-24 Hours", None),
            ("Show S01E01-7th Heaven", None),
            ("Show.S01E230.x264", None),
            ("Show 1x230 x264", None),
            ("Show S01E02E03 x265", Some(3)),
            ("Show S01E01-E12 - All", Some(12)),
            ("Show S01E01-12 - All", Some(12)),
        ] {
            let episode = parse(stem).unwrap_or_else(|| panic!("{stem}"));
            assert_eq!(episode.last, last, "{stem}");
        }
    }

    #[test]
    fn other_names_are_not_episodes() {
        for stem in [
            "",
            "Film (1999)",
            "Film.1999.1080p",
            "1920x1080",
            "Se7en",
            "Apollo 1313",
        ] {
            let sure = parse(stem).filter(|episode| episode.style == NamingStyle::Numbered);
            assert_eq!(sure, None, "{stem}");
        }
    }

    proptest! {
        #[test]
        fn any_stem_is_parsed_without_panic(stem in ".*") {
            if let Some(episode) = parse(&stem) {
                prop_assert!(episode.number >= 0);
            }
        }
    }
}

//! Episodes in file names: `S01E02`, `1x02`, `2021-03-04`, `Episode 5`, `[Group] Show - 12`.

use ledge_core::names::brackets::{self, Part};
use ledge_core::names::{clean, natural, year};

use crate::name::is_release_word;

/// How surely a name is an episode's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// `S01E02`, `1x02`: wherever it lies.
    Numbered,
    /// `Show - 2021-03-04`: beside others, or below its show's folder.
    Dated,
    /// `[Group] Show - 12`: as anime is released.
    Released,
    /// `Episode 5`, `Show - 12`: beside others, or below a season's folder.
    Counted,
    /// `05 - Title`, `105`: below a season's folder only.
    Bare,
}

/// What a name says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Episode {
    pub(crate) form: Form,
    /// What stands before the number: the show's title and perhaps its year.
    pub(crate) show: String,
    pub(crate) season: Option<i64>,
    pub(crate) number: i64,
    pub(crate) title: Option<String>,
}

/// A number's place in the text, and what it says.
struct Found {
    form: Form,
    season: Option<i64>,
    number: i64,
    start: usize,
    end: usize,
}

/// Reads a file's stem.
pub(crate) fn parse(stem: &str) -> Option<Episode> {
    let text = clean::spaced(stem);
    let released = released_by(&text);
    let body = text.get(released..).unwrap_or_default();
    let lower = body.to_ascii_lowercase();
    let found = season_and_episode(&lower)
        .or_else(|| crossed(&lower))
        .or_else(|| dated(&lower))
        .or_else(|| worded(&lower))
        .or_else(|| dashed(&lower, released > 0))
        .or_else(|| bare(&lower))?;
    // `Fargo.S01E01`: the dot is a gap; in `S.W.A.T. S01E01` it is the title's.
    let show = body.get(..found.start)?.trim_end_matches('.');
    let title = body.get(found.end..)?;
    Some(Episode {
        form: found.form,
        show: clean::trimmed(show.trim_end_matches(['(', '['])).to_owned(),
        season: found.season,
        number: found.number,
        title: part_title(title),
    })
}

/// Length of the `[Group] ` that a name begins with; 0 without one.
fn released_by(text: &str) -> usize {
    let Some(rest) = text.strip_prefix('[') else {
        return 0;
    };
    rest.find(']').map_or(0, |at| {
        let after = rest.get(at + 1..).unwrap_or_default();
        text.len() - after.trim_start().len()
    })
}

/// `S01E02`, `s1.e2`, `S01E02E03`, `S01E02-E03`, `Season 1 Episode 2`.
fn season_and_episode(lower: &str) -> Option<Found> {
    word_starts(lower).find_map(|start| {
        let (season, rest) = prefixed(lower.get(start..)?, &["season", "staffel", "saison", "s"])?;
        let rest = rest.trim_start_matches([' ', '.', '-', '_', ',']);
        let (number, rest) = prefixed(rest, &["episode", "folge", "ep", "e"])?;
        let rest = further(rest, true);
        let ended = rest.chars().next().is_none_or(|c| !c.is_ascii_digit());
        ended.then(|| Found {
            form: Form::Numbered,
            season: Some(season),
            number,
            start,
            end: lower.len() - rest.len(),
        })
    })
}

/// `1x02`, `01x02-03`; `1920x1080` is no episode.
fn crossed(lower: &str) -> Option<Found> {
    word_starts(lower).find_map(|start| {
        let (season, rest) = number(lower.get(start..)?, 2)?;
        let digits = rest.strip_prefix('x')?;
        let (number, rest) = number(digits, 3)?;
        let long_enough = digits.len() - rest.len() >= 2;
        let rest = further(rest, false);
        let ended = rest.chars().next().is_none_or(|c| !c.is_alphanumeric());
        (long_enough && ended).then(|| Found {
            form: Form::Numbered,
            season: Some(season),
            number,
            start,
            end: lower.len() - rest.len(),
        })
    })
}

/// The further episodes of a file that holds several: `E03`, `-E03`, `-03`.
fn further(mut rest: &str, letter: bool) -> &str {
    loop {
        let joined = rest.trim_start_matches(['-', '+', '&', ' ']);
        let after = ["e", "x", "ep"]
            .iter()
            .find_map(|word| number(joined.strip_prefix(word)?, 4).map(|(_, rest)| rest));
        let dashed = rest.strip_prefix('-').and_then(|rest| number(rest, 3));
        let plain = dashed
            .map(|(_, rest)| rest)
            .filter(|rest| !rest.starts_with(['p', 'i', '-']));
        let next = after
            .filter(|_| letter || joined.starts_with('x'))
            .or(plain);
        match next.filter(|next| next.chars().next().is_none_or(|c| !c.is_ascii_digit())) {
            Some(next) => rest = next,
            None => return rest,
        }
    }
}

/// `2021-03-04`, `2021.03.04`, `2021 03 04`: the year is the season, `304` the episode.
fn dated(lower: &str) -> Option<Found> {
    word_starts(lower).find_map(|start| {
        let text = lower.get(start..)?;
        let year = year::leading(text)?;
        let rest = text.get(4..)?.strip_prefix(['-', '.', ' '])?;
        let (month, day) = (two_digits(rest)?, rest.get(2..)?);
        let day = two_digits(day.strip_prefix(['-', '.', ' '])?)?;
        let rest = rest.get(5..)?;
        let real = (1..=12).contains(&month) && (1..=31).contains(&day);
        let ended = rest.chars().next().is_none_or(|c| !c.is_alphanumeric());
        (real && ended).then(|| Found {
            form: Form::Dated,
            season: Some(i64::from(year)),
            number: month * 100 + day,
            start,
            end: lower.len() - rest.len(),
        })
    })
}

/// `Episode 5`, `Ep.05`, `E05`, `Folge 7`, `Part 2`.
fn worded(lower: &str) -> Option<Found> {
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
        ended.then(|| Found {
            form: if text.starts_with("part") {
                Form::Bare
            } else {
                Form::Counted
            },
            season: None,
            number,
            start,
            end: lower.len() - rest.len(),
        })
    })
}

/// `Show - 12`, `Show - 12v2 [1080p]`.
fn dashed(lower: &str, released: bool) -> Option<Found> {
    lower.match_indices(" - ").find_map(|(at, dash)| {
        let (number, rest) = number(lower.get(at + dash.len()..)?, 4)?;
        let rest = rest
            .strip_prefix('v')
            .and_then(|version| self::number(version, 1))
            .map_or(rest, |(_, rest)| rest);
        let ended = rest.is_empty() || rest.starts_with([' ', '[', '(']);
        let year = i32::try_from(number).is_ok_and(|n| (1900..2100).contains(&n));
        (ended && !year).then(|| Found {
            form: if released {
                Form::Released
            } else {
                Form::Counted
            },
            season: None,
            number,
            start: at,
            end: lower.len() - rest.len(),
        })
    })
}

/// `05`, `05 - Title`, `105` (season 1, episode 5), `Show 05`.
fn bare(lower: &str) -> Option<Found> {
    word_starts(lower).find_map(|start| {
        let text = lower.get(start..)?;
        let (number, rest) = number(text, 3)?;
        let ended = rest.chars().next().is_none_or(|c| !c.is_alphanumeric());
        ended.then(|| Found {
            form: Form::Bare,
            season: None,
            number,
            start,
            end: lower.len() - rest.len(),
        })
    })
}

/// One of the words, and a number behind it.
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

/// Places where a letter or digit follows something that is neither.
fn word_starts(text: &str) -> impl Iterator<Item = usize> {
    let mut previous = ' ';
    text.char_indices().filter_map(move |(at, c)| {
        let start = c.is_alphanumeric() && !previous.is_alphanumeric();
        previous = c;
        start.then_some(at)
    })
}

/// The episode's title: what stands behind the number, up to what tells of the release.
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
    fn forms_of_episodes() {
        #[rustfmt::skip]
        let rows = [
            ("Show - S01E02 - Title", Form::Numbered, "Show", Some(1), 2, Some("Title")),
            ("Show.S01E02.1080p.WEB-DL.x264-GRP", Form::Numbered, "Show", Some(1), 2, None),
            ("show.s01.e02", Form::Numbered, "show", Some(1), 2, None),
            ("Show S01E01E02 Double", Form::Numbered, "Show", Some(1), 1, Some("Double")),
            ("Show S01E01-E03", Form::Numbered, "Show", Some(1), 1, None),
            ("Show S01E01-02 - Two", Form::Numbered, "Show", Some(1), 1, Some("Two")),
            ("Show 1x02 Title", Form::Numbered, "Show", Some(1), 2, Some("Title")),
            ("Show [1x02]", Form::Numbered, "Show", Some(1), 2, None),
            ("Show 01x02-03", Form::Numbered, "Show", Some(1), 2, None),
            ("Show Season 1 Episode 2", Form::Numbered, "Show", Some(1), 2, None),
            ("S2019E105", Form::Numbered, "", Some(2019), 105, None),
            ("Show - 2021-03-04 - Guest", Form::Dated, "Show", Some(2021), 304, Some("Guest")),
            ("Show.2021.03.04.Guest.720p", Form::Dated, "Show", Some(2021), 304, Some("Guest")),
            ("[Group] Show - 12 [1080p][ABCD1234]", Form::Released, "Show", None, 12, None),
            ("[Group]_Show_-_12v2_[720p]", Form::Released, "Show", None, 12, None),
            ("Show - 1071", Form::Counted, "Show", None, 1071, None),
            ("Episode 5", Form::Counted, "", None, 5, None),
            ("Show Ep.05 Title", Form::Counted, "Show", None, 5, Some("Title")),
            ("05 - Title", Form::Bare, "", None, 5, Some("Title")),
            ("105", Form::Bare, "", None, 105, None),
        ];
        for (stem, form, show, season, number, title) in rows {
            let episode = parse(stem).unwrap_or_else(|| panic!("{stem}"));
            assert_eq!(episode.form, form, "{stem}");
            assert_eq!(episode.show, show, "{stem}");
            assert_eq!((episode.season, episode.number), (season, number), "{stem}");
            assert_eq!(episode.title.as_deref(), title, "{stem}");
        }
    }

    #[test]
    fn other_names() {
        for stem in [
            "",
            "Film (1999)",
            "Film.1999.1080p",
            "1920x1080",
            "Se7en",
            "Apollo 1313",
        ] {
            let sure = parse(stem).filter(|episode| episode.form == Form::Numbered);
            assert_eq!(sure, None, "{stem}");
        }
    }

    proptest! {
        #[test]
        fn any_stem_is_survived(stem in ".*") {
            if let Some(episode) = parse(&stem) {
                prop_assert!(episode.number >= 0);
            }
        }
    }
}

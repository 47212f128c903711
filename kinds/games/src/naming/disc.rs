//! Disc and track numbers in file names: `(Disc 2)`, `(Track 01)`, `Side B`.

use ledge_core::text::names::brackets::Part;
use ledge_core::text::names::{brackets, clean, natural};

/// File name without disc and track, and their numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscName {
    /// Common part of the names of a game's discs. It is empty only if the stem has no printable
    /// text.
    pub base: String,
    /// Number of the disc or disk side, from 1.
    pub disc: Option<i64>,
    /// Disc as written in the name: `Disc 2`.
    pub label: Option<String>,
    /// Number of the track.
    pub track: Option<i64>,
    /// True if the name contains nothing else, as in `Disc 1`. The folder then names the game.
    pub is_only_disc: bool,
}

const DISCS: &[&str] = &["disc", "disk", "cd", "dvd", "gd"];

impl DiscName {
    /// Parses a file name without its extension.
    pub fn parse(stem: &str) -> Self {
        let mut name = Self {
            base: String::with_capacity(stem.len()),
            disc: None,
            label: None,
            track: None,
            is_only_disc: false,
        };
        for part in brackets::parts(stem) {
            match part {
                Part::Text(text) => name.base.push_str(text),
                Part::Tag(tag) if name.parse_tag(tag.text) => {}
                Part::Tag(tag) => {
                    let close = match tag.open {
                        '(' => ')',
                        '[' => ']',
                        _ => '}',
                    };
                    name.base.push(tag.open);
                    name.base.push_str(tag.text);
                    name.base.push(close);
                }
            }
        }
        name.parse_unbracketed();
        name.base = clean::plain(&name.base);
        if name.base.is_empty() {
            name.is_only_disc = name.disc.is_some() || name.track.is_some();
            name.base = clean::plain(stem);
        }
        name
    }

    /// Parses a tag. Returns true if it contains a disc or track number.
    fn parse_tag(&mut self, text: &str) -> bool {
        let lower = text.to_lowercase();
        if let Some(track) = lower.strip_prefix("track").and_then(number) {
            self.track = Some(track);
            return true;
        }
        if let Some(side) = lower.strip_prefix("side").and_then(letter_or_number) {
            let before = self.disc.map_or(0, |disc| (disc - 1) * 2);
            self.disc = Some(before + side);
            self.label = Some(joined(self.label.take(), text));
            return true;
        }
        let Some(rest) = DISCS.iter().find_map(|word| lower.strip_prefix(word)) else {
            return false;
        };
        let (disc, side) = rest
            .split_once("side")
            .map_or((rest, None), |(d, s)| (d, Some(s)));
        let Some(disc) = letter_or_number(disc.split("of").next().unwrap_or(disc)) else {
            return false;
        };
        let side = side.and_then(letter_or_number);
        self.disc = Some(side.map_or(disc, |side| (disc - 1) * 2 + side));
        self.label = Some(clean::plain(text));
        true
    }

    /// Parses names without brackets: `Game - Disc 2`, `Game CD1`, `Disc 1`.
    fn parse_unbracketed(&mut self) {
        if self.disc.is_some()
            || !self
                .base
                .trim_end()
                .ends_with(|c: char| c.is_ascii_alphanumeric())
        {
            return;
        }
        let base = self.base.trim().to_owned();
        if self.parse_tag(&base) {
            self.base.clear();
            return;
        }
        let Some((head, tail)) = loose_disc(&base) else {
            return;
        };
        self.disc = number(tail.trim_start_matches(|c: char| c.is_ascii_alphabetic()));
        self.label = Some(clean::plain(tail));
        head.clone_into(&mut self.base);
    }
}

/// Splits off ` Disc 2` or ` CD2` at the end of a name.
fn loose_disc(base: &str) -> Option<(&str, &str)> {
    let text = base.trim_end_matches(|c: char| c.is_ascii_digit());
    if text.len() == base.len() || base.len() - text.len() > 3 {
        return None;
    }
    let word = text.trim_end();
    let start = word.rfind(|c: char| !c.is_ascii_alphabetic())?;
    let (head, tail) = base.split_at_checked(start)?;
    let is_separate_word = tail.starts_with([' ', '-', '_', '.', ',']);
    let tail = tail.trim_start_matches([' ', '-', '_', '.', ',']);
    let letters = tail.split(|c: char| !c.is_ascii_alphabetic()).next()?;
    let disc = ["disc", "disk", "cd"]
        .iter()
        .any(|word| letters.eq_ignore_ascii_case(word));
    let head = clean::trimmed(head);
    (is_separate_word && disc && !head.is_empty()).then_some((head, tail))
}

fn joined(label: Option<String>, text: &str) -> String {
    match label {
        Some(label) => format!("{label} {text}"),
        None => text.to_owned(),
    }
}

/// Parses a number of at most three digits: ` 2`, `2`, ` 02`.
fn number(text: &str) -> Option<i64> {
    let text = text.trim();
    let (digits, rest) = natural::digits(text);
    (rest.is_empty() && (1..=3).contains(&digits.len()))
        .then(|| digits.parse().ok())
        .flatten()
}

/// Parses a number, or a letter that is a separate word: `Disc A`, but not `Disco`.
fn letter_or_number(text: &str) -> Option<i64> {
    if let Some(number) = number(text) {
        return Some(number);
    }
    let mut chars = text.strip_prefix(' ')?.trim().chars();
    match (chars.next(), chars.next()) {
        (Some(letter @ 'a'..='h'), None) => Some(i64::from(u32::from(letter) - u32::from('a')) + 1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn discs_and_tracks_are_removed_from_the_base_name() {
        for (stem, base, disc, track) in [
            ("Game (USA) (Disc 1)", "Game (USA)", Some(1), None),
            (
                "Game (Disc 2 of 4) (Europe)",
                "Game (Europe)",
                Some(2),
                None,
            ),
            ("Game (Disk 1 Side B)", "Game", Some(2), None),
            ("Game (Disk 2) (Side A)", "Game", Some(3), None),
            ("Game (Side B)", "Game", Some(2), None),
            ("Game (Disc A)", "Game", Some(1), None),
            ("Game (Japan) (Track 02)", "Game (Japan)", None, Some(2)),
            ("Game (Disc 1) (Track 10)", "Game", Some(1), Some(10)),
            ("Game - Disc 2", "Game", Some(2), None),
            ("Game CD1", "Game", Some(1), None),
            ("Game [CD 3]", "Game", Some(3), None),
            ("Discworld (USA)", "Discworld (USA)", None, None),
            ("Disc 1", "Disc 1", Some(1), None),
            ("Track 3", "Track 3", None, Some(3)),
            ("(Disc 1)", "(Disc 1)", Some(1), None),
            ("Sonic CD (USA)", "Sonic CD (USA)", None, None),
            ("CD 2", "CD 2", Some(2), None),
        ] {
            let name = DiscName::parse(stem);
            assert_eq!((name.base.as_str(), name.track), (base, track), "{stem}");
            assert_eq!(name.disc, disc, "{stem}");
            assert_eq!(
                name.is_only_disc,
                stem == base && (disc, track) != (None, None),
                "{stem}"
            );
        }
    }
}

//! A text and its time, and WebVTT made of many.

use std::fmt::Write as _;

/// Most texts of a track.
pub const MOST: usize = 100_000;
/// Longest track that is written, in bytes.
pub const LONGEST: usize = 32 << 20;
/// Longest text, in bytes, with its marks or without.
pub const LONGEST_TEXT: usize = 16 << 10;

/// A text and when it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Cue {
    /// When it appears, in milliseconds.
    pub start: u64,
    /// When it goes.
    pub end: u64,
    /// Where it stands, in WebVTT's words; empty for the usual place.
    pub place: String,
    /// The text, as WebVTT has it: escaped, its tags closed.
    pub text: String,
}

impl Cue {
    /// A text at the usual place; `None` where there is nothing to show.
    pub fn new(start: u64, end: u64, text: String) -> Option<Self> {
        let is_shown = end > start && !text.is_empty() && text.len() <= LONGEST_TEXT;
        is_shown.then(|| Self {
            start,
            end,
            place: String::new(),
            text,
        })
    }
}

/// A track in WebVTT, in the order of time.
pub fn write(mut cues: Vec<Cue>) -> String {
    cues.sort_by_key(|cue| (cue.start, cue.end));
    cues.truncate(MOST);
    let mut vtt = "WEBVTT\n".to_owned();
    for cue in cues {
        let gap = if cue.place.is_empty() { "" } else { " " };
        // Writing into a string does not fail.
        let _ = write!(
            vtt,
            "\n{} --> {}{gap}{}\n{}\n",
            Time(cue.start),
            Time(cue.end),
            cue.place,
            cue.text
        );
        if vtt.len() > LONGEST {
            break;
        }
    }
    vtt
}

struct Time(u64);

impl std::fmt::Display for Time {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (seconds, rest) = (self.0 / 1_000, self.0 % 1_000);
        let (minutes, hours) = (seconds / 60, seconds / 3_600);
        write!(
            f,
            "{hours:02}:{:02}:{:02}.{rest:03}",
            minutes % 60,
            seconds % 60
        )
    }
}

/// Milliseconds of `1:02:03,5`, `02:03.500`, `0:00:01.23`.
pub fn time(text: &str) -> Option<u64> {
    let text = text.trim();
    let (whole, fraction) = match text.rsplit_once([',', '.']) {
        Some((whole, fraction)) => (whole, fraction),
        None => (text, "0"),
    };
    let mut seconds = 0_u64;
    let mut parts = 0;
    for part in whole.split(':') {
        parts += 1;
        let number: u64 = part
            .trim()
            .parse()
            .ok()
            .filter(|number| *number < 1_000_000)?;
        seconds = seconds.checked_mul(60)?.checked_add(number)?;
    }
    let digits = fraction.get(..fraction.len().min(3))?;
    let number: u64 = digits.parse().ok()?;
    let scale = [1_000, 100, 10, 1].get(digits.len())?;
    (2..=3)
        .contains(&parts)
        .then(|| seconds * 1_000 + number * scale)
}

/// The two times of a line, and what stands behind them.
pub fn times(line: &str) -> Option<(u64, u64, &str)> {
    let (start, rest) = line.split_once("-->")?;
    let rest = rest.trim_start();
    let end = rest.split_whitespace().next()?;
    Some((time(start)?, time(end)?, rest.get(end.len()..)?.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_in_many_ways() {
        for (text, expected) in [
            ("00:00:01,500", Some(1_500)),
            ("1:02:03.4", Some(3_723_400)),
            ("0:00:01.23", Some(1_230)),
            ("01:02.500", Some(62_500)),
            ("00:00:01", Some(1_000)),
            ("12", None),
            ("a:b", None),
            ("-1:00:00,0", None),
            ("99999999999999999999:00:00,000", None),
        ] {
            assert_eq!(time(text), expected, "{text}");
        }
        assert_eq!(
            times("00:01.000 --> 00:02.000 line:0"),
            Some((1_000, 2_000, "line:0"))
        );
        assert_eq!(times("00:01.000 ->"), None);
    }

    #[test]
    fn a_track_is_in_the_order_of_time() {
        let cue = |start, text: &str| Cue::new(start, start + 1, text.to_owned()).expect("a cue");
        assert_eq!(
            write(vec![cue(3_723_004, "b"), cue(0, "a")]),
            "WEBVTT\n\n00:00:00.000 --> 00:00:00.001\na\n\n01:02:03.004 --> 01:02:03.005\nb\n"
        );
        assert_eq!(Cue::new(5, 5, "x".to_owned()), None);
        assert_eq!(Cue::new(5, 6, String::new()), None);
    }
}

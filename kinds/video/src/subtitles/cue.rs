//! Subtitle cues and their output as WebVTT.

use std::fmt::Write as _;

/// Maximum number of cues per track.
pub const MAX_COUNT: usize = 100_000;
/// Maximum size of a written track, in bytes.
pub const MAX_SIZE: usize = 32 << 20;
/// Maximum length of a cue's text in bytes, with or without its tags.
pub const MAX_TEXT_SIZE: usize = 16 << 10;

/// Subtitle text with its times.
#[derive(Debug, Clone, PartialEq)]
pub struct Cue {
    /// Start in milliseconds.
    pub start: u64,
    /// End in milliseconds.
    pub end: u64,
    /// WebVTT cue settings for the position. Empty for the default position.
    pub settings: String,
    /// WebVTT cue text: escaped, with closed tags.
    pub text: String,
}

impl Cue {
    /// Creates a cue at the default position. Returns `None` if it is empty, too long, or has no
    /// duration.
    pub fn new(start: u64, end: u64, text: String) -> Option<Self> {
        let is_shown = end > start && !text.is_empty() && text.len() <= MAX_TEXT_SIZE;
        is_shown.then(|| Self {
            start,
            end,
            settings: String::new(),
            text,
        })
    }
}

/// Formats cues as a WebVTT file, in order of time.
pub fn write(mut cues: Vec<Cue>) -> String {
    cues.sort_by_key(|cue| (cue.start, cue.end));
    cues.truncate(MAX_COUNT);
    let mut vtt = "WEBVTT\n".to_owned();
    for cue in cues {
        let gap = if cue.settings.is_empty() { "" } else { " " };
        // Writing to a `String` cannot fail.
        let _ = write!(
            vtt,
            "\n{} --> {}{gap}{}\n{}\n",
            Time(cue.start),
            Time(cue.end),
            cue.settings,
            cue.text
        );
        if vtt.len() > MAX_SIZE {
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

/// Parses `1:02:03,5`, `02:03.500` or `0:00:01.23` into milliseconds.
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

/// Parses a timing line. Returns start, end and the rest of the line.
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
    fn times_are_parsed_in_all_formats() {
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
    fn cues_are_written_in_order_of_time() {
        let cue = |start, text: &str| Cue::new(start, start + 1, text.to_owned()).expect("a cue");
        assert_eq!(
            write(vec![cue(3_723_004, "b"), cue(0, "a")]),
            "WEBVTT\n\n00:00:00.000 --> 00:00:00.001\na\n\n01:02:03.004 --> 01:02:03.005\nb\n"
        );
        assert_eq!(Cue::new(5, 5, "x".to_owned()), None);
        assert_eq!(Cue::new(5, 6, String::new()), None);
    }
}

//! Lyrics with or without times: embedded or in an LRC file, and plain text.

use std::io::{Read, Seek};

use ledge_formats::{ReadResult, Source};
use serde::Serialize;
use utoipa::ToSchema;

use crate::chapters::clock;
use crate::tags::{Key, TagSelection};
use crate::{read, text};

/// Maximum number of lines. Further lines are ignored.
const MAX_LINES: usize = 10_000;
/// Maximum length of a line, in bytes. Longer lines are truncated.
const MAX_LINE_SIZE: usize = 4_000;
/// Maximum length of a word timestamp, in bytes.
const MAX_TIME_SIZE: usize = 20;

/// Line of a lyrics text.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub(crate) struct Line {
    /// Start in seconds from the beginning of the recording. Null in texts without times.
    pub(crate) start: Option<f64>,
    /// Text of the line. Empty in a pause.
    pub(crate) text: String,
}

/// Returns the lyrics in a recording's tags. Timed lyrics come first.
pub(crate) fn embedded<R: Read + Seek>(
    source: &mut Source<R>,
    extension: &str,
) -> ReadResult<Vec<String>> {
    let (mut recording, _) = read::read(source, extension, TagSelection::Lyrics)?;
    let timed = recording.tags.synced_lyrics.take();
    let plain = recording.tags.first(Key::Lyrics).map(str::to_owned);
    Ok(timed.into_iter().chain(plain).collect())
}

/// Parses a text into lines. A line with several timestamps is repeated at each of them.
pub(crate) fn parse(text: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut offset = 0.0;
    let unix = text.replace("\r\n", "\n").replace('\r', "\n");
    for line in unix.lines() {
        let line = truncated(line, MAX_LINE_SIZE);
        let (starts, words) = times(line);
        if starts.is_empty() {
            match tag(line) {
                // A positive offset makes the lyrics appear sooner.
                Some(("offset", value)) => offset = offset_seconds(value),
                Some(_) => {}
                None => lines.push(Line {
                    start: None,
                    text: text::line(line).unwrap_or_default(),
                }),
            }
        }
        let text = text::line(&without_word_times(words)).unwrap_or_default();
        lines.extend(starts.into_iter().map(|start| Line {
            start: Some(start),
            text: text.clone(),
        }));
        if lines.len() >= MAX_LINES {
            break;
        }
    }
    lines.truncate(MAX_LINES);
    normalize(&mut lines, offset);
    lines
}

/// Returns the beginning of a text, at most `most` bytes.
fn truncated(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or(text)
}

/// Converts an `offset` in milliseconds to a shift in seconds. Invalid and infinite values yield
/// zero.
fn offset_seconds(offset: &str) -> f64 {
    let offset = offset
        .parse()
        .ok()
        .filter(|offset: &f64| offset.is_finite());
    offset.unwrap_or(0.0) / -1000.0
}

/// Sorts timed lines, applies the offset and removes lines without a time. Plain text only loses
/// its leading and trailing empty lines.
fn normalize(lines: &mut Vec<Line>, offset: f64) {
    if lines.iter().any(|line| line.start.is_some()) {
        lines.retain(|line| line.start.is_some());
        for line in lines.iter_mut() {
            line.start = line.start.map(|start| f64::max(start + offset, 0.0));
        }
        lines.sort_by(|a, b| a.start.unwrap_or(0.0).total_cmp(&b.start.unwrap_or(0.0)));
        return;
    }
    let is_blank = |line: Option<&Line>| line.is_some_and(|line| line.text.is_empty());
    while is_blank(lines.last()) {
        lines.pop();
    }
    let blank = lines.iter().take_while(|line| line.text.is_empty()).count();
    lines.drain(..blank);
}

/// Splits a line into its leading timestamps and the rest.
fn times(line: &str) -> (Vec<f64>, &str) {
    let mut starts = Vec::new();
    let mut rest = line.trim_start();
    while let Some((time, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        // Minutes, seconds, and hundredths after a dot or a colon.
        let time = match time.matches(':').count() {
            2 => time
                .rsplit_once(':')
                .and_then(|(head, tail)| clock::parse(&format!("{head}.{tail}"))),
            1 => clock::parse(time),
            _ => None,
        };
        let Some(time) = time.filter(|_| starts.len() < 100) else {
            break;
        };
        starts.push(time);
        rest = after.trim_start();
    }
    (starts, rest)
}

/// Parses a metadata line such as `[ar:Artist]`.
fn tag(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line
        .trim()
        .strip_prefix('[')?
        .strip_suffix(']')?
        .split_once(':')?;
    let is_name = !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphabetic() || byte == b'#');
    is_name.then(|| (name.trim(), value.trim()))
}

/// Removes the timestamps of single words (`<00:12.50>`). The search for `>` is limited to a few
/// bytes. Otherwise a line full of `<` would take quadratic time.
fn without_word_times(words: &str) -> String {
    let mut out = String::new();
    let mut rest = words;
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(before);
        let near = truncated(after, MAX_TIME_SIZE + 1);
        let end = near.find('>').filter(|end| {
            let time = near.get(..*end);
            time.and_then(clock::parse).is_some()
        });
        rest = if let Some(after) = end.and_then(|end| after.get(end + 1..)) {
            after
        } else {
            out.push('<');
            after
        };
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(Option<f64>, String)> {
        parse(text)
            .into_iter()
            .map(|line| (line.start, line.text))
            .collect()
    }

    #[test]
    fn timed_lines_are_sorted_by_time() {
        let text = "[ar:Band]\n[00:12.50]One\n[00:05.00][01:00:25]Two\r\n[00:20.00]\nno time\n";
        assert_eq!(
            read(text),
            [
                (Some(5.0), "Two".to_owned()),
                (Some(12.5), "One".to_owned()),
                (Some(20.0), String::new()),
                (Some(60.25), "Two".to_owned()),
            ]
        );
    }

    #[test]
    fn plain_text_yields_lines_without_times() {
        assert_eq!(
            read("\n\nOne\n\n[Chorus]\nTwo <3\n\n"),
            [
                (None, "One".to_owned()),
                (None, String::new()),
                (None, "[Chorus]".to_owned()),
                (None, "Two <3".to_owned()),
            ]
        );
        assert_eq!(read(""), []);
    }

    /// An unlimited search for `>` would take minutes here.
    #[test]
    fn unterminated_timestamps_are_parsed_in_linear_time() {
        for (begin, sign) in [("[00:01.00]", "<"), ("", "<"), ("[00:01.00]", "<00:01")] {
            let text = format!("{begin}{}", sign.repeat(1 << 20));
            let found = ledge_proving::in_time("words", || read(&text));
            assert!(found.iter().all(|(_, words)| words.len() <= MAX_LINE_SIZE));
            let many = format!("{begin}{}\n", sign.repeat(MAX_LINE_SIZE)).repeat(200);
            ledge_proving::in_time("words", || read(&many));
        }
    }

    #[test]
    fn overlong_line_is_truncated() {
        let text = format!("[00:01.00]{}", "ä".repeat(MAX_LINE_SIZE));
        assert_eq!(read(&text), [(Some(1.0), "ä".repeat(1_000))]);
    }

    #[test]
    fn infinite_offset_is_ignored() {
        for offset in ["-inf", "inf", "NaN", "1e999", "x"] {
            let text = format!("[offset:{offset}]\n[00:01.00]One");
            assert_eq!(read(&text), [(Some(1.0), "One".to_owned())], "{offset}");
        }
    }

    #[test]
    fn offset_shifts_all_lines_and_word_times_are_removed() {
        assert_eq!(
            read("[offset:+500]\n[00:01.00]<00:01.00>One <00:01.50>Two\n[00:00.20]Zero"),
            [
                (Some(0.0), "Zero".to_owned()),
                (Some(0.5), "One Two".to_owned())
            ]
        );
    }
}

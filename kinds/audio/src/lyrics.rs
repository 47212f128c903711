//! Words with or without times: LRC, in a file or beside it, and plain text.

use std::io::{Read, Seek};

use serde::Serialize;
use utoipa::ToSchema;

use crate::source::{ReadResult, Source};
use crate::tags::{Key, Want};
use crate::{clock, read, text};

/// Most lines that are kept.
const MOST_LINES: usize = 10_000;
/// Longest line, in bytes; the rest of it is left out.
const LONGEST_LINE: usize = 4_000;
/// Longest time of a single word, in bytes.
const LONGEST_TIME: usize = 20;

/// One line of words.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub(crate) struct Line {
    /// When it is sung, in seconds; null where that is not told.
    pub(crate) start: Option<f64>,
    /// The words; empty where there is a pause.
    pub(crate) text: String,
}

/// The texts in a recording's tags, those with times first.
pub(crate) fn inside<R: Read + Seek>(
    source: &mut Source<R>,
    extension: &str,
) -> ReadResult<Vec<String>> {
    let (mut recording, _) = read::read(source, extension, Want::Lyrics)?;
    let timed = recording.tags.timed_words.take();
    let plain = recording.tags.first(Key::Lyrics).map(str::to_owned);
    Ok(timed.into_iter().chain(plain).collect())
}

/// UTF-8 or UTF-16 with their marks, else what old programs wrote.
pub(crate) fn decode(bytes: &[u8]) -> String {
    match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => text::utf8(rest),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => text::utf16(bytes, false),
        _ => text::latin1(bytes),
    }
}

/// The lines of a text. One line may be sung several times: it stands at each of them.
pub(crate) fn lines(text: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut offset = 0.0;
    let unix = text.replace("\r\n", "\n").replace('\r', "\n");
    for line in unix.lines() {
        let line = beginning(line, LONGEST_LINE);
        let (starts, words) = times(line);
        if starts.is_empty() {
            match tag(line) {
                // Positive offsets make the words appear sooner.
                Some(("offset", value)) => offset = moved(value),
                Some(_) => {}
                None => lines.push(Line {
                    start: None,
                    text: text::line(line).unwrap_or_default(),
                }),
            }
        }
        let text = text::line(&without_words_times(words)).unwrap_or_default();
        lines.extend(starts.into_iter().map(|start| Line {
            start: Some(start),
            text: text.clone(),
        }));
        if lines.len() >= MOST_LINES {
            break;
        }
    }
    lines.truncate(MOST_LINES);
    settle(&mut lines, offset);
    lines
}

/// No more of a text than so many bytes.
fn beginning(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or(text)
}

/// The seconds by which an offset in milliseconds moves; `inf` and `nan` are no offsets.
fn moved(offset: &str) -> f64 {
    let offset = offset
        .parse()
        .ok()
        .filter(|offset: &f64| offset.is_finite());
    offset.unwrap_or(0.0) / -1000.0
}

/// Times in order and moved by the offset; what has none among them is no line. Empty lines
/// around a plain text are left out.
fn settle(lines: &mut Vec<Line>, offset: f64) {
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

/// The times at a line's start, and what follows them.
fn times(line: &str) -> (Vec<f64>, &str) {
    let mut starts = Vec::new();
    let mut rest = line.trim_start();
    while let Some((time, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        // Minutes, seconds, and hundredths behind a dot or a colon.
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

/// `[ar:Somebody]` says something about the text.
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

/// Times of single words, as some write them, taken out. The end of each is looked for close to its
/// beginning only: a line may be full of beginnings.
fn without_words_times(words: &str) -> String {
    let mut out = String::new();
    let mut rest = words;
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(before);
        let near = beginning(after, LONGEST_TIME + 1);
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
        lines(text)
            .into_iter()
            .map(|line| (line.start, line.text))
            .collect()
    }

    #[test]
    fn times_stand_before_their_lines() {
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
    fn plain_words_are_lines_without_times() {
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

    /// Read each to the end of the line, these would take minutes.
    #[test]
    fn times_that_never_end_take_no_time() {
        for (begin, sign) in [("[00:01.00]", "<"), ("", "<"), ("[00:01.00]", "<00:01")] {
            let text = format!("{begin}{}", sign.repeat(1 << 20));
            let found = ledge_proving::in_time("words", || read(&text));
            assert!(found.iter().all(|(_, words)| words.len() <= LONGEST_LINE));
            let many = format!("{begin}{}\n", sign.repeat(LONGEST_LINE)).repeat(200);
            ledge_proving::in_time("words", || read(&many));
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_cut() {
        let text = format!("[00:01.00]{}", "ä".repeat(LONGEST_LINE));
        assert_eq!(read(&text), [(Some(1.0), "ä".repeat(1_000))]);
    }

    #[test]
    fn an_offset_without_end_is_none() {
        for offset in ["-inf", "inf", "NaN", "1e999", "x"] {
            let text = format!("[offset:{offset}]\n[00:01.00]One");
            assert_eq!(read(&text), [(Some(1.0), "One".to_owned())], "{offset}");
        }
    }

    #[test]
    fn an_offset_moves_all_lines_and_times_of_words_are_left_out() {
        assert_eq!(
            read("[offset:+500]\n[00:01.00]<00:01.00>One <00:01.50>Two\n[00:00.20]Zero"),
            [
                (Some(0.0), "Zero".to_owned()),
                (Some(0.5), "One Two".to_owned())
            ]
        );
    }
}

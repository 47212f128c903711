//! SubRip files: a number, two times, and lines up to an empty one.

use super::cue::{Cue, MAX_COUNT, times};
use super::markup;

/// Parses a file. Invalid parts are skipped.
pub fn read(text: &str) -> Vec<Cue> {
    let mut cues = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let Some((start, end, _)) = times(line) else {
            continue;
        };
        let mut body: Vec<&str> = Vec::new();
        while let Some(line) = lines.peek() {
            if times(line).is_some() {
                // Without an empty line in between, the number of the next cue was taken for text.
                if body.last().is_some_and(|last| is_number(last)) {
                    body.pop();
                }
                break;
            }
            let line = lines.next().unwrap_or_default();
            if line.trim().is_empty() && next_begins(&mut lines) {
                break;
            }
            body.push(line);
        }
        let settings = settings(&body);
        let text = markup::html(&body.join("\n"));
        if let Some(cue) = Cue::new(start, end, text) {
            cues.push(Cue { settings, ..cue });
        }
        if cues.len() == MAX_COUNT {
            break;
        }
    }
    cues
}

fn is_number(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns `true` if an empty line ends the cue. Some cues contain empty lines.
fn next_begins(lines: &mut std::iter::Peekable<std::str::Lines<'_>>) -> bool {
    lines
        .peek()
        .is_none_or(|line| line.trim().is_empty() || is_number(line) || times(line).is_some())
}

/// Returns the position setting. By convention, `{\an8}` shows a text at the top.
fn settings(body: &[&str]) -> String {
    let is_above = body.first().is_some_and(|line| {
        ["{\\an7}", "{\\an8}", "{\\an9}"]
            .iter()
            .any(|code| line.contains(code))
    });
    if is_above {
        "line:5%".to_owned()
    } else {
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(text: &str) -> Vec<(u64, u64, String)> {
        let cues = read(text).into_iter();
        cues.map(|cue| (cue.start, cue.end, cue.text)).collect()
    }

    #[test]
    fn cues_are_parsed() {
        let text = "1\r\n00:00:01,000 --> 00:00:02,500\r\n<i>Hello</i>\r\nyou\r\n\r\n\
                    2\r\n00:00:03,000 --> 00:00:04,000 X1:1 X2:2\r\nBye\r\n";
        assert_eq!(
            read_all(text),
            [
                (1_000, 2_500, "<i>Hello</i>\nyou".to_owned()),
                (3_000, 4_000, "Bye".to_owned()),
            ]
        );
    }

    #[test]
    fn missing_and_surplus_empty_lines_are_tolerated() {
        let no_gap = "1\n0:0:1,0 --> 0:0:2,0\nA\n2\n0:0:3,0 --> 0:0:4,0\nB";
        assert_eq!(read_all(no_gap).len(), 2);
        let gap_within = "1\n0:0:1,0 --> 0:0:2,0\nA\n\nstill A\n\n2\n0:0:3,0 --> 0:0:4,0\nB";
        assert_eq!(read_all(gap_within)[0].2, "A\nstill A");
        assert_eq!(read_all("nothing\nhere"), []);
        let above = read("1\n0:0:1,0 --> 0:0:2,0\n{\\an8}Up");
        assert_eq!(
            (above[0].settings.as_str(), above[0].text.as_str()),
            ("line:5%", "Up")
        );
    }
}

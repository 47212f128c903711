//! WebVTT files. They are parsed and rewritten, so that only texts, times and positions are sent.

use super::cue::{Cue, MAX_COUNT, times};
use super::markup;

/// Cue settings that control the position.
const SETTINGS: &[&str] = &["align", "line", "position", "size", "vertical"];

/// Parses a file. Styles, regions and notes are skipped.
pub fn read(text: &str) -> Vec<Cue> {
    let mut cues = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some((start, end, settings)) = times(line) else {
            continue;
        };
        let body: Vec<&str> = lines
            .by_ref()
            .take_while(|line| !line.trim().is_empty())
            .collect();
        let text = markup::html(&body.join("\n"));
        if let Some(cue) = Cue::new(start, end, text) {
            let settings = self::settings(settings);
            cues.push(Cue { settings, ..cue });
        }
        if cues.len() == MAX_COUNT {
            break;
        }
    }
    cues
}

/// Returns the known settings with plausible values.
pub(super) fn settings(text: &str) -> String {
    let is_valid = |setting: &&str| {
        setting.split_once(':').is_some_and(|(name, value)| {
            SETTINGS.contains(&name)
                && (1..=30).contains(&value.len())
                && value
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"%.,-".contains(&byte))
        })
    };
    let kept: Vec<&str> = text.split_whitespace().filter(is_valid).take(8).collect();
    kept.join(" ")
}

/// Converts the sample of a stream.
pub fn sample(text: &str) -> String {
    markup::html(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_texts_times_and_positions_are_kept() {
        let text = "WEBVTT\n\nSTYLE\n::cue { background: url(http://192.0.2.1) }\n\nNOTE no\n\n\
                    intro\n00:01.000 --> 00:02.000 line:0 region:x align:start\n<v Ann>Hi</v>\n\n\
                    00:03.000 --> 00:04.000 onload:x\nYou";
        let cues = read(text);
        let shown: Vec<_> = cues
            .iter()
            .map(|c| (c.settings.as_str(), c.text.as_str()))
            .collect();
        assert_eq!(shown, [("line:0 align:start", "Hi"), ("", "You")]);
    }
}

//! WebVTT: read and written anew, so that nothing but texts, times and places goes through.

use super::cue::{Cue, MOST, times};
use super::markup;

/// Settings of a cue that say where it stands.
const SETTINGS: &[&str] = &["align", "line", "position", "size", "vertical"];

/// Reads a file. Styles, regions and notes are passed over.
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
            let place = place(settings);
            cues.push(Cue { place, ..cue });
        }
        if cues.len() == MOST {
            break;
        }
    }
    cues
}

/// The settings that are known, and say what such settings can say.
pub(super) fn place(settings: &str) -> String {
    let is_sound = |setting: &&str| {
        setting.split_once(':').is_some_and(|(name, value)| {
            SETTINGS.contains(&name)
                && (1..=30).contains(&value.len())
                && value
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"%.,-".contains(&byte))
        })
    };
    let kept: Vec<&str> = settings
        .split_whitespace()
        .filter(is_sound)
        .take(8)
        .collect();
    kept.join(" ")
}

/// A stream's sample.
pub fn sample(text: &str) -> String {
    markup::html(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_texts_times_and_places_go_through() {
        let text = "WEBVTT\n\nSTYLE\n::cue { background: url(http://192.0.2.1) }\n\nNOTE no\n\n\
                    intro\n00:01.000 --> 00:02.000 line:0 region:x align:start\n<v Ann>Hi</v>\n\n\
                    00:03.000 --> 00:04.000 onload:x\nYou";
        let cues = read(text);
        let shown: Vec<_> = cues
            .iter()
            .map(|c| (c.place.as_str(), c.text.as_str()))
            .collect();
        assert_eq!(shown, [("line:0 align:start", "Hi"), ("", "You")]);
    }
}

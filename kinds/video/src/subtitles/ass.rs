//! SubStation Alpha, made into WebVTT: sections of a script; a line of `[Events]` is a text.

use super::cue::{Cue, MOST, time};
use super::markup;

/// Where fields stand in a line, unless the script says otherwise.
#[derive(Debug, Clone, Copy)]
pub(super) struct Order {
    start: usize,
    end: usize,
    count: usize,
}

pub(super) const USUAL: Order = Order {
    start: 1,
    end: 2,
    count: 10,
};

/// Reads a script.
pub fn read(script: &str) -> Vec<Cue> {
    let mut cues = Vec::new();
    let (mut in_events, mut order) = (false, USUAL);
    for line in script.lines() {
        let line = line.trim();
        if line.starts_with('[') {
            in_events = line.eq_ignore_ascii_case("[events]");
        } else if in_events && let Some(format) = line.strip_prefix("Format:") {
            order = order_of(format).unwrap_or(USUAL);
        } else if in_events && let Some(fields) = line.strip_prefix("Dialogue:") {
            cues.extend(dialogue(fields, order));
        }
        if cues.len() == MOST {
            break;
        }
    }
    cues
}

/// The text is always last; others may stand in any order.
pub(super) fn order_of(format: &str) -> Option<Order> {
    let fields: Vec<String> = format
        .split(',')
        .map(|name| name.trim().to_lowercase())
        .collect();
    let at = |name: &str| fields.iter().position(|field| field == name);
    let order = Order {
        start: at("start")?,
        end: at("end")?,
        count: fields.len(),
    };
    (at("text")? + 1 == fields.len()).then_some(order)
}

fn dialogue(fields: &str, order: Order) -> Option<Cue> {
    let (start, end, text) = times(fields, order)?;
    Cue::new(start, end, markup::substation(text))
}

/// When a line is shown, and its text.
pub(super) fn times(fields: &str, order: Order) -> Option<(u64, u64, &str)> {
    let fields: Vec<&str> = fields.splitn(order.count, ',').collect();
    let start = time(fields.get(order.start)?)?;
    let end = time(fields.get(order.end)?)?;
    Some((start, end, fields.get(order.count - 1)?))
}

/// The text of a stream's sample: number, layer, style, name, margins, effect, text.
pub fn sample(sample: &str) -> String {
    markup::substation(sample.splitn(9, ',').nth(8).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_events_are_texts() {
        let script = "[Script Info]\nTitle: x\n[Events]\n\
            Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n\
            Comment: 0,0:00:00.00,0:00:09.00,D,,0,0,0,,No\n\
            Dialogue: 0,0:00:01.50,0:00:02.00,D,,0,0,0,,Yes, {\\i1}and\\Nmore\n\
            Dialogue: 0,bad,0:00:02.00,D,,0,0,0,,No\n[Fonts]\nDialogue: 0,0:00:01.00,0:00:02.00,,,,,,,No";
        let cues = read(script);
        assert_eq!(cues.len(), 1);
        assert_eq!((cues[0].start, cues[0].end), (1_500, 2_000));
        assert_eq!(cues[0].text, "Yes, <i>and\nmore</i>");
    }

    #[test]
    fn samples_of_streams_have_no_times() {
        assert_eq!(
            sample("0,0,Default,,0,0,0,,{\\i1}Hi\\Nyou, there"),
            "<i>Hi\nyou, there</i>"
        );
        assert_eq!(sample("broken"), "");
    }
}

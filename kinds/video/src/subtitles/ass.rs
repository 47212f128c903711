//! SubStation Alpha scripts, converted to WebVTT. Each `Dialogue` line in `[Events]` is a cue.

use super::cue::{Cue, MAX_COUNT, time};
use super::markup;

/// Positions of the fields in a `Dialogue` line.
#[derive(Debug, Clone, Copy)]
pub(super) struct FieldOrder {
    start: usize,
    end: usize,
    count: usize,
}

pub(super) const DEFAULT_ORDER: FieldOrder = FieldOrder {
    start: 1,
    end: 2,
    count: 10,
};

/// Parses the cues of a script.
pub fn read(script: &str) -> Vec<Cue> {
    let mut cues = Vec::new();
    let (mut in_events, mut order) = (false, DEFAULT_ORDER);
    for line in script.lines() {
        let line = line.trim();
        if line.starts_with('[') {
            in_events = line.eq_ignore_ascii_case("[events]");
        } else if in_events && let Some(format) = line.strip_prefix("Format:") {
            order = parse_order(format).unwrap_or(DEFAULT_ORDER);
        } else if in_events && let Some(fields) = line.strip_prefix("Dialogue:") {
            cues.extend(dialogue(fields, order));
        }
        if cues.len() == MAX_COUNT {
            break;
        }
    }
    cues
}

/// Parses a `Format` line. The text must be the last field; the others may have any order.
pub(super) fn parse_order(format: &str) -> Option<FieldOrder> {
    let fields: Vec<String> = format
        .split(',')
        .map(|name| name.trim().to_lowercase())
        .collect();
    let at = |name: &str| fields.iter().position(|field| field == name);
    let order = FieldOrder {
        start: at("start")?,
        end: at("end")?,
        count: fields.len(),
    };
    (at("text")? + 1 == fields.len()).then_some(order)
}

fn dialogue(fields: &str, order: FieldOrder) -> Option<Cue> {
    let (start, end, text) = times(fields, order)?;
    Cue::new(start, end, markup::substation(text))
}

/// Parses start, end and text of a `Dialogue` line. Times are in milliseconds.
pub(super) fn times(fields: &str, order: FieldOrder) -> Option<(u64, u64, &str)> {
    let fields: Vec<&str> = fields.splitn(order.count, ',').collect();
    let start = time(fields.get(order.start)?)?;
    let end = time(fields.get(order.end)?)?;
    Some((start, end, fields.get(order.count - 1)?))
}

/// Returns the text of a stream's sample: number, layer, style, name, margins, effect, text.
pub fn sample(sample: &str) -> String {
    markup::substation(sample.splitn(9, ',').nth(8).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dialogue_lines_become_cues() {
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
    fn stream_samples_yield_their_text() {
        assert_eq!(
            sample("0,0,Default,,0,0,0,,{\\i1}Hi\\Nyou, there"),
            "<i>Hi\nyou, there</i>"
        );
        assert_eq!(sample("broken"), "");
    }
}

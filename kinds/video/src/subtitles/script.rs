//! SubStation Alpha as it is: a script in UTF-8, of the sections that a player reads and no more.

use std::fmt::Write as _;

use super::ass::{self, Order};
use super::cue::{Cue, LONGEST, LONGEST_TEXT, MOST};

/// Where a line of a script belongs. Fonts and pictures are the larger part of some files, and no
/// player in a browser loads them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    Info,
    Styles,
    Events,
    Other,
}

impl Section {
    fn of(line: &str) -> Self {
        match line.to_ascii_lowercase().as_str() {
            "[script info]" => Self::Info,
            "[v4 styles]" | "[v4+ styles]" => Self::Styles,
            "[events]" => Self::Events,
            _ => Self::Other,
        }
    }
}

/// The parts of a script, each with the lines that belong to it.
struct Parts {
    info: String,
    styles: String,
    events: String,
    /// Lines with a time.
    count: usize,
    order: Order,
}

/// The script of a file; `None` where no line of it has a time.
pub fn of_file(text: &str) -> Option<String> {
    let mut parts = Parts::new();
    parts.read(text, true);
    (parts.count > 0).then(|| parts.write())
}

/// The script of a stream: its head, and its samples in the order that its author wrote them.
pub(super) fn of_stream(head: &str, mut samples: Vec<Cue>) -> String {
    let mut parts = Parts::new();
    parts.read(head, false);
    parts.events.push_str(
        "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n",
    );
    samples.sort_by_key(|sample| (number(&sample.text), sample.start));
    for sample in samples {
        parts.take_sample(&sample);
    }
    parts.write()
}

/// A sample's place among the lines of its script; those that tell none come last.
fn number(sample: &str) -> u64 {
    let number = sample.split(',').next().and_then(|n| n.trim().parse().ok());
    number.unwrap_or(u64::MAX)
}

impl Parts {
    fn new() -> Self {
        Self {
            info: "[Script Info]\n".to_owned(),
            styles: String::new(),
            events: "[Events]\n".to_owned(),
            count: 0,
            order: ass::USUAL,
        }
    }

    fn read(&mut self, text: &str, with_events: bool) {
        let mut section = Section::Other;
        for line in text.lines() {
            let line = line.trim();
            if line.len() > LONGEST_TEXT {
                continue;
            }
            if line.starts_with('[') {
                section = Section::of(line);
                if section == Section::Styles {
                    self.add(section, line);
                }
                continue;
            }
            match section {
                Section::Info if line.contains(':') && !line.starts_with([';', '!']) => {
                    self.add(section, line);
                }
                Section::Styles if line.starts_with("Format:") || line.starts_with("Style:") => {
                    self.add(section, line);
                }
                Section::Events if with_events => self.event(line),
                _ => {}
            }
        }
    }

    fn event(&mut self, line: &str) {
        if let Some(format) = line.strip_prefix("Format:") {
            self.order = ass::order_of(format).unwrap_or(ass::USUAL);
            self.add(Section::Events, line);
        } else if let Some(fields) = line.strip_prefix("Dialogue:") {
            let times = ass::times(fields, self.order);
            if times.is_some_and(|(start, end, _)| end > start) {
                self.count_in(line);
            }
        }
    }

    /// Number, layer, style, name, margins, effect, text.
    fn take_sample(&mut self, sample: &Cue) {
        // A line of its own would be another event.
        let text = sample.text.trim_end_matches(['\0', '\r', '\n']);
        let text = text.replace("\r\n", "\\N").replace(['\r', '\n'], "\\N");
        let Some((layer, rest)) = text
            .split_once(',')
            .and_then(|(_, rest)| rest.split_once(','))
            .filter(|(_, rest)| rest.matches(',').nth(5).is_some())
        else {
            return;
        };
        // The older format has a mark there.
        let layer: i32 = layer.trim().parse().unwrap_or(0);
        let (start, end) = (Time(sample.start), Time(sample.end));
        self.count_in(&format!("Dialogue: {layer},{start},{end},{rest}"));
    }

    fn count_in(&mut self, line: &str) {
        if self.count < MOST {
            self.count += 1;
            self.add(Section::Events, line);
        }
    }

    fn add(&mut self, section: Section, line: &str) {
        if self.info.len() + self.styles.len() + self.events.len() + line.len() > LONGEST {
            return;
        }
        let part = match section {
            Section::Info => &mut self.info,
            Section::Styles => &mut self.styles,
            Section::Events => &mut self.events,
            Section::Other => return,
        };
        // Writing into a string does not fail.
        let _ = writeln!(part, "{line}");
    }

    fn write(self) -> String {
        let Self {
            info,
            styles,
            events,
            ..
        } = self;
        let gap = if styles.is_empty() { "" } else { "\n" };
        format!("{info}\n{styles}{gap}{events}")
    }
}

/// A time in milliseconds, told in hundredths of a second.
struct Time(u64);

impl std::fmt::Display for Time {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let hundredths = self.0.saturating_add(5) / 10;
        let seconds = hundredths / 100;
        write!(
            f,
            "{}:{:02}:{:02}.{:02}",
            seconds / 3_600,
            seconds / 60 % 60,
            seconds % 60,
            hundredths % 100
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "[Script Info]\n; by a tool\nPlayResX: 640\n\n[V4+ Styles]\n\
        Format: Name, Fontsize\nStyle: Default, 20\n";

    #[test]
    fn a_file_keeps_what_a_player_reads_and_loses_the_rest() {
        let file = format!(
            "\u{feff}[Fonts]\nfontname: a.ttf\n!!!\n{HEAD}[events]\r\n\
            Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\r\n\
            Comment: 0,0:00:00.00,0:00:09.00,D,,0,0,0,,No\r\n\
            Dialogue: 0,0:00:05.00,0:00:06.00,D,,0,0,0,,{{\\pos(1,2)}}Later, but first\r\n\
            Dialogue: 0,0:00:02.00,0:00:01.00,D,,0,0,0,,Ends before it begins\r\n\
            Dialogue: 0,soon,0:00:01.00,D,,0,0,0,,No time\r\n\
            Dialogue: 1,0:00:01.00,0:00:02.00,D,,0,0,0,,<b>Text</b>\r\n\
            [Graphics]\nDialogue: 0,0:00:01.00,0:00:02.00,D,,0,0,0,,No"
        );
        assert_eq!(
            of_file(&file).expect("a script"),
            "[Script Info]\nPlayResX: 640\n\n[V4+ Styles]\nFormat: Name, Fontsize\n\
            Style: Default, 20\n\n[Events]\n\
            Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n\
            Dialogue: 0,0:00:05.00,0:00:06.00,D,,0,0,0,,{\\pos(1,2)}Later, but first\n\
            Dialogue: 1,0:00:01.00,0:00:02.00,D,,0,0,0,,<b>Text</b>\n"
        );
        assert_eq!(of_file(HEAD), None, "no text");
        assert_eq!(of_file("no script at all"), None);
    }

    fn sample(start: u64, text: &str) -> Cue {
        Cue::new(start, start + 1_004, text.to_owned()).expect("a text")
    }

    #[test]
    fn a_stream_is_put_together_in_the_order_of_its_script() {
        let samples = vec![
            sample(1_000, "2,5,Default,,0,0,10,,Second, with a comma"),
            sample(3_725_006, "0,Marked=0,Signs,Bo,1,2,3,fx,First"),
            sample(1_500, "1,0,Default,,0,0,0,,a\r\nb\nDialogue: 0,c\n\0"),
            sample(2_000, "x,0,Default,,0,0,0,,Without a place"),
            sample(2_500, "3,0,too,few"),
        ];
        assert_eq!(
            of_stream(&format!("{HEAD}[Events]\nFormat: Text\n"), samples),
            "[Script Info]\nPlayResX: 640\n\n[V4+ Styles]\nFormat: Name, Fontsize\n\
            Style: Default, 20\n\n[Events]\n\
            Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n\
            Dialogue: 0,1:02:05.01,1:02:06.01,Signs,Bo,1,2,3,fx,First\n\
            Dialogue: 0,0:00:01.50,0:00:02.50,Default,,0,0,0,,a\\Nb\\NDialogue: 0,c\n\
            Dialogue: 5,0:00:01.00,0:00:02.00,Default,,0,0,10,,Second, with a comma\n\
            Dialogue: 0,0:00:02.00,0:00:03.00,Default,,0,0,0,,Without a place\n"
        );
    }

    #[test]
    fn a_stream_without_a_head_is_a_script_all_the_same() {
        let script = of_stream("\0\u{1}binary", vec![sample(0, "0,0,D,,0,0,0,,Hi")]);
        assert!(
            script.starts_with("[Script Info]\n\n[Events]\nFormat: "),
            "{script}"
        );
        assert!(script.ends_with("Dialogue: 0,0:00:00.00,0:00:01.00,D,,0,0,0,,Hi\n"));
    }

    #[test]
    fn lines_without_end_and_more_than_anybody_reads_are_left_out() {
        let line = "Dialogue: 0,0:00:01.00,0:00:02.00,D,,0,0,0,,x\n";
        let endless = "y".repeat(LONGEST_TEXT);
        let file = format!(
            "{HEAD}Style: {endless}\n[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,D,,0,0,0,,{endless}\n{}",
            line.repeat(MOST + 9)
        );
        let script = of_file(&file).expect("a script");
        assert_eq!(script.matches("Dialogue:").count(), MOST);
        assert!(!script.contains("yy"));
        let wide = line.replace('x', &"x".repeat(LONGEST_TEXT - line.len()));
        let wide = format!("{HEAD}[Events]\n{}", wide.repeat(LONGEST / wide.len() + 9));
        assert!(wide.len() > LONGEST + HEAD.len());
        assert!(of_file(&wide).expect("a script").len() <= LONGEST + 2);
    }
}

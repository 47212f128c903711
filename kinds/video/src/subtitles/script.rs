//! Cleaned SubStation Alpha scripts in UTF-8. They contain only the sections that players read.

use std::fmt::Write as _;

use super::ass::{self, FieldOrder};
use super::cue::{Cue, MAX_COUNT, MAX_SIZE, MAX_TEXT_SIZE};

/// Section of a script. Fonts and pictures are removed: they make up most of some files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    Info,
    Styles,
    Events,
    Other,
}

impl Section {
    fn parse(line: &str) -> Self {
        match line.to_ascii_lowercase().as_str() {
            "[script info]" => Self::Info,
            "[v4 styles]" | "[v4+ styles]" => Self::Styles,
            "[events]" => Self::Events,
            _ => Self::Other,
        }
    }
}

/// Sections of a script with their lines.
struct Parts {
    info: String,
    styles: String,
    events: String,
    /// Number of `Dialogue` lines.
    count: usize,
    order: FieldOrder,
}

/// Cleans the script of a file. Returns `None` if it contains no timed line.
pub fn from_file(text: &str) -> Option<String> {
    let mut parts = Parts::new();
    parts.read(text, true);
    (parts.count > 0).then(|| parts.write())
}

/// Builds the script of a stream from its header and its samples, in the author's order.
pub(super) fn from_stream(head: &str, mut samples: Vec<Cue>) -> String {
    let mut parts = Parts::new();
    parts.read(head, false);
    parts.events.push_str(
        "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n",
    );
    samples.sort_by_key(|sample| (number(&sample.text), sample.start));
    for sample in samples {
        parts.add_sample(&sample);
    }
    parts.write()
}

/// Returns the position of a sample in its script. Samples without one sort last.
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
            order: ass::DEFAULT_ORDER,
        }
    }

    fn read(&mut self, text: &str, with_events: bool) {
        let mut section = Section::Other;
        for line in text.lines() {
            let line = line.trim();
            if line.len() > MAX_TEXT_SIZE {
                continue;
            }
            if line.starts_with('[') {
                section = Section::parse(line);
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
            self.order = ass::parse_order(format).unwrap_or(ass::DEFAULT_ORDER);
            self.add(Section::Events, line);
        } else if let Some(fields) = line.strip_prefix("Dialogue:") {
            let times = ass::times(fields, self.order);
            if times.is_some_and(|(start, end, _)| end > start) {
                self.add_event(line);
            }
        }
    }

    /// Adds a sample: number, layer, style, name, margins, effect, text.
    fn add_sample(&mut self, sample: &Cue) {
        // A line break in the text could inject another event.
        let text = sample.text.trim_end_matches(['\0', '\r', '\n']);
        let text = text.replace("\r\n", "\\N").replace(['\r', '\n'], "\\N");
        let Some((layer, rest)) = text
            .split_once(',')
            .and_then(|(_, rest)| rest.split_once(','))
            .filter(|(_, rest)| rest.matches(',').nth(5).is_some())
        else {
            return;
        };
        // The original format has a `Marked` field in place of the layer.
        let layer: i32 = layer.trim().parse().unwrap_or(0);
        let (start, end) = (Time(sample.start), Time(sample.end));
        self.add_event(&format!("Dialogue: {layer},{start},{end},{rest}"));
    }

    fn add_event(&mut self, line: &str) {
        if self.count < MAX_COUNT {
            self.count += 1;
            self.add(Section::Events, line);
        }
    }

    fn add(&mut self, section: Section, line: &str) {
        if self.info.len() + self.styles.len() + self.events.len() + line.len() > MAX_SIZE {
            return;
        }
        let part = match section {
            Section::Info => &mut self.info,
            Section::Styles => &mut self.styles,
            Section::Events => &mut self.events,
            Section::Other => return,
        };
        // Writing to a `String` cannot fail.
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

/// Time in milliseconds, displayed in hundredths of a second.
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
    fn cleaned_file_keeps_only_what_players_read() {
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
            from_file(&file).expect("a script"),
            "[Script Info]\nPlayResX: 640\n\n[V4+ Styles]\nFormat: Name, Fontsize\n\
            Style: Default, 20\n\n[Events]\n\
            Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n\
            Dialogue: 0,0:00:05.00,0:00:06.00,D,,0,0,0,,{\\pos(1,2)}Later, but first\n\
            Dialogue: 1,0:00:01.00,0:00:02.00,D,,0,0,0,,<b>Text</b>\n"
        );
        assert_eq!(from_file(HEAD), None, "no text");
        assert_eq!(from_file("no script at all"), None);
    }

    fn sample(start: u64, text: &str) -> Cue {
        Cue::new(start, start + 1_004, text.to_owned()).expect("a text")
    }

    #[test]
    fn stream_is_rebuilt_in_the_order_of_its_script() {
        let samples = vec![
            sample(1_000, "2,5,Default,,0,0,10,,Second, with a comma"),
            sample(3_725_006, "0,Marked=0,Signs,Bo,1,2,3,fx,First"),
            sample(1_500, "1,0,Default,,0,0,0,,a\r\nb\nDialogue: 0,c\n\0"),
            sample(2_000, "x,0,Default,,0,0,0,,Without a place"),
            sample(2_500, "3,0,too,few"),
        ];
        assert_eq!(
            from_stream(&format!("{HEAD}[Events]\nFormat: Text\n"), samples),
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
    fn stream_without_a_header_yields_a_script() {
        let script = from_stream("\0\u{1}binary", vec![sample(0, "0,0,D,,0,0,0,,Hi")]);
        assert!(
            script.starts_with("[Script Info]\n\n[Events]\nFormat: "),
            "{script}"
        );
        assert!(script.ends_with("Dialogue: 0,0:00:00.00,0:00:01.00,D,,0,0,0,,Hi\n"));
    }

    #[test]
    fn overlong_and_surplus_lines_are_dropped() {
        let line = "Dialogue: 0,0:00:01.00,0:00:02.00,D,,0,0,0,,x\n";
        let endless = "y".repeat(MAX_TEXT_SIZE);
        let file = format!(
            "{HEAD}Style: {endless}\n[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,D,,0,0,0,,{endless}\n{}",
            line.repeat(MAX_COUNT + 9)
        );
        let script = from_file(&file).expect("a script");
        assert_eq!(script.matches("Dialogue:").count(), MAX_COUNT);
        assert!(!script.contains("yy"));
        let wide = line.replace('x', &"x".repeat(MAX_TEXT_SIZE - line.len()));
        let wide = format!("{HEAD}[Events]\n{}", wide.repeat(MAX_SIZE / wide.len() + 9));
        assert!(wide.len() > MAX_SIZE + HEAD.len());
        assert!(from_file(&wide).expect("a script").len() <= MAX_SIZE + 2);
    }
}

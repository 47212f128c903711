//! Conversion of marked-up text to WebVTT cue text. Unknown tags are escaped and shown as text.

use super::cue::MAX_TEXT_SIZE;

/// Maximum length of a tag, in bytes.
const MAX_MARK_SIZE: usize = 500;
/// Tags that are kept.
const MARKS: &[&str] = &["b", "i", "u"];
/// Tags that are removed. Their content is kept.
const REMOVED: &[&str] = &["font", "c", "v", "lang", "ruby", "rt", "span"];

/// Output text with its open tags.
#[derive(Debug, Default)]
pub(super) struct Text {
    out: String,
    open: Vec<&'static str>,
}

impl Text {
    pub(super) fn push(&mut self, c: char) {
        match c {
            '&' => self.out.push_str("&amp;"),
            '<' => self.out.push_str("&lt;"),
            '>' => self.out.push_str("&gt;"),
            '\n' => self.line(),
            '\t' | '\u{a0}' => self.out.push(' '),
            c if c.is_control() => {}
            c => self.out.push(c),
        }
    }

    /// Adds a line break. An empty line would end the cue, so it is omitted.
    pub(super) fn line(&mut self) {
        let kept = self.out.trim_end_matches([' ', '\n']).len();
        self.out.truncate(kept);
        if !self.out.is_empty() {
            self.out.push('\n');
        }
    }

    pub(super) fn begin(&mut self, mark: &str) {
        if let Some(mark) = MARKS.iter().find(|known| **known == mark)
            && !self.open.contains(mark)
        {
            self.open.push(mark);
            self.tag("<", mark);
        }
    }

    /// Closes a tag, and the tags that were opened within it.
    pub(super) fn end(&mut self, mark: &str) {
        while self.open.contains(&mark) {
            match self.open.pop() {
                Some(last) => {
                    self.tag("</", last);
                    if last == mark {
                        break;
                    }
                }
                None => break,
            }
        }
    }

    fn tag(&mut self, open: &str, mark: &str) {
        self.out.push_str(open);
        self.out.push_str(mark);
        self.out.push('>');
    }

    pub(super) fn finish(mut self) -> String {
        while let Some(last) = self.open.pop() {
            self.tag("</", last);
        }
        self.out.truncate(self.out.trim_end().len());
        self.out
    }
}

/// Converts SubRip or WebVTT text: `<i>`, `<font …>`, `{\an8}` and character entities. An overlong
/// text yields an empty one.
pub(super) fn html(source: &str) -> String {
    let mut text = Text::default();
    if source.len() > MAX_TEXT_SIZE {
        return String::new();
    }
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        if let Some(after) = tag(rest, &mut text)
            .or_else(|| Some(mark(rest, "{\\", '}')?.1))
            .or_else(|| entity(rest, &mut text))
        {
            rest = after;
            continue;
        }
        text.push(c);
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
    }
    text.finish()
}

/// Splits a tag into its content and the text after it. The search for the end is limited to the
/// maximum length, because a file may contain many unclosed tags.
fn mark<'a>(rest: &'a str, begin: &str, end: char) -> Option<(&'a str, &'a str)> {
    let inner = rest.strip_prefix(begin)?;
    let near = inner.get(..inner.floor_char_boundary(MAX_MARK_SIZE + 1))?;
    let length = near.find(end)?;
    Some((near.get(..length)?, inner.get(length + 1..)?))
}

/// Converts a known tag and returns the text after it.
fn tag<'a>(rest: &'a str, text: &mut Text) -> Option<&'a str> {
    let (inner, after) = mark(rest, "<", '>')?;
    let is_end = inner.starts_with('/');
    let inner = inner.trim_start_matches('/');
    // Timestamp tag of WebVTT.
    if inner.starts_with(|c: char| c.is_ascii_digit()) && super::cue::time(inner).is_some() {
        return Some(after);
    }
    let end = inner
        .find(|c: char| !c.is_ascii_alphanumeric())
        .unwrap_or(inner.len());
    let name = inner.get(..end)?.to_ascii_lowercase();
    if MARKS.contains(&name.as_str()) {
        if is_end {
            text.end(&name);
        } else {
            text.begin(&name);
        }
        return Some(after);
    }
    if name == "br" {
        text.line();
        return Some(after);
    }
    REMOVED.contains(&name.as_str()).then_some(after)
}

/// Converts a character entity and returns the text after it.
fn entity<'a>(rest: &'a str, text: &mut Text) -> Option<&'a str> {
    const NAMED: &[(&str, char)] = &[
        ("&amp;", '&'),
        ("&lt;", '<'),
        ("&gt;", '>'),
        ("&nbsp;", ' '),
        ("&quot;", '"'),
        ("&apos;", '\''),
        ("&#39;", '\''),
        ("&lrm;", '\u{200e}'),
        ("&rlm;", '\u{200f}'),
    ];
    let (name, c) = NAMED.iter().find(|(name, _)| rest.starts_with(name))?;
    text.push(*c);
    rest.get(name.len()..)
}

/// Converts SubStation Alpha text: `{\i1}`, `\N` and `\h`. Drawings are removed. An overlong text
/// yields an empty one.
pub(super) fn substation(source: &str) -> String {
    let mut text = Text::default();
    if source.len() > MAX_TEXT_SIZE {
        return String::new();
    }
    // After the last `}` no code can begin. Clipping codes have no length limit.
    let last = source.rfind('}').unwrap_or(0);
    let mut is_drawing = false;
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        if let Some((inner, after)) = rest
            .strip_prefix('{')
            .filter(|_| source.len() - rest.len() < last)
            .and_then(|inner| inner.split_once('}'))
        {
            for code in inner.split('\\').skip(1) {
                override_code(code.trim(), &mut text, &mut is_drawing);
            }
            rest = after;
            continue;
        }
        let (pushed, used) = match rest.as_bytes() {
            [b'\\', b'N' | b'n', ..] => (Some('\n'), 2),
            [b'\\', b'h', ..] => (Some(' '), 2),
            _ => (Some(c), c.len_utf8()),
        };
        if let Some(c) = pushed.filter(|_| !is_drawing) {
            text.push(c);
        }
        rest = rest.get(used..).unwrap_or_default();
    }
    text.finish()
}

fn override_code(code: &str, text: &mut Text, is_drawing: &mut bool) {
    for mark in MARKS {
        let Some(value) = code.strip_prefix(mark) else {
            continue;
        };
        if value == "0" {
            text.end(mark);
        } else if value == "1" || value.len() == 3 && value.parse::<u32>().is_ok() {
            text.begin(mark);
        }
    }
    if let Some(scale) = code
        .strip_prefix('p')
        .and_then(|scale| scale.parse::<u32>().ok())
    {
        *is_drawing = scale > 0;
    }
    if code.starts_with('r') {
        for mark in MARKS {
            text.end(mark);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_tags_are_kept_and_others_are_escaped() {
        for (source, expected) in [
            ("<i>Hi</i> <b>you", "<i>Hi</i> <b>you</b>"),
            ("<I>Hi</I>", "<i>Hi</i>"),
            ("<font color=\"#ff0000\">Red</font>", "Red"),
            ("{\\an8}Up", "Up"),
            ("{sic}", "{sic}"),
            (
                "<script>alert(1)</script>",
                "&lt;script&gt;alert(1)&lt;/script&gt;",
            ),
            (
                "<img src=x onerror=alert(1)>",
                "&lt;img src=x onerror=alert(1)&gt;",
            ),
            ("<b onclick=x>a</b>", "<b>a</b>"),
            ("a --> b & c &amp; d", "a --&gt; b &amp; c &amp; d"),
            ("<v Ann>Hi</v> <00:00:01.000><c.red>x</c>", "Hi x"),
            ("one\n\n\ntwo\n", "one\ntwo"),
            ("<i>a<b>b</i>c</b>", "<i>a<b>b</b></i>c"),
            ("1 < 2 > 0", "1 &lt; 2 &gt; 0"),
            ("a\0\u{7}b", "ab"),
        ] {
            assert_eq!(html(source), expected, "{source}");
        }
    }

    /// An unlimited search for the end would take hours here.
    #[test]
    fn unclosed_tags_are_parsed_in_linear_time() {
        use crate::subtitles::{Format, cues};

        let tags = format!(
            "1\n00:00:01,000 --> 00:00:02,000\n{}\n\n",
            "<".repeat(MAX_TEXT_SIZE)
        );
        let codes = tags.replace('<', "{").replace("{{", "{\\");
        let lines = format!(
            "Dialogue: 0,0:00:01.00,0:00:02.00,,,,,,,{}\n",
            "{".repeat(16_000)
        );
        let script = format!("[Events]\n{}", lines.repeat(250));
        let endless = format!("1\n00:00:01,000 --> 00:00:02,000\n{}", "<".repeat(4 << 20));
        for (format, file) in [
            (Format::Srt, tags.repeat(250)),
            (Format::Srt, codes.repeat(250)),
            (Format::Vtt, tags.replace(',', ".").repeat(250)),
            (Format::Ass, script),
            (Format::Srt, endless.clone()),
            (Format::Vtt, endless.replace(',', ".")),
            (
                Format::Ass,
                format!("[Events]\n{}{}", lines.trim(), "{".repeat(4 << 20)),
            ),
        ] {
            let read = || cues(format, file.as_bytes(), None).unwrap_or_default();
            let found = ledge_proving::in_time("marks", read);
            assert!(found.iter().all(|cue| cue.text.len() <= MAX_TEXT_SIZE));
        }
    }

    #[test]
    fn overlong_text_is_empty() {
        assert_eq!(html(&"<i></i>".repeat(10_000)), "");
        assert_eq!(substation(&"{\\i1}".repeat(10_000)), "");
        let long = format!("<font {}>", "x".repeat(MAX_MARK_SIZE));
        assert_eq!(html(&long), long.replace('<', "&lt;").replace('>', "&gt;"));
        let clip = format!("{{\\clip({})}}x", "m 0 0 ".repeat(200));
        assert_eq!(substation(&clip), "x");
    }

    #[test]
    fn substation_codes_become_tags_or_are_removed() {
        for (source, expected) in [
            ("{\\i1}Hi{\\i0}\\Nyou", "<i>Hi</i>\nyou"),
            ("{\\pos(1,2)\\b700}Bold{\\r} plain", "<b>Bold</b> plain"),
            ("{\\p1}m 0 0 l 9 9{\\p0}text", "text"),
            ("{\\blur3\\be1\\iclip(1)}x", "x"),
            ("a\\hb {unclosed", "a b {unclosed"),
            ("<i>not a mark</i>", "&lt;i&gt;not a mark&lt;/i&gt;"),
        ] {
            assert_eq!(substation(source), expected, "{source}");
        }
    }
}

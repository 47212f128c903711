//! Parser for brackets in names: splits `Title (2011) [tag]` into text and tags.

use crate::text::names::clean;

/// Content of an outermost pair of brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tag<'a> {
    /// Opening bracket: `(`, `[` or `{`.
    pub open: char,
    /// Text between the brackets, trimmed.
    pub text: &'a str,
}

/// Part of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part<'a> {
    /// Text outside brackets, unchanged.
    Text(&'a str),
    /// Pair of brackets.
    Tag(Tag<'a>),
}

/// Returns the parts of a name in order. An unpaired bracket is text.
pub fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut from = 0;
    for (open, start, end) in outermost(text) {
        push_text(&mut parts, text.get(from..start));
        let inside = text.get(start + 1..end).unwrap_or_default().trim();
        parts.push(Part::Tag(Tag { open, text: inside }));
        from = end + 1;
    }
    push_text(&mut parts, text.get(from..));
    parts
}

/// Returns the text without its tags on one line, and the tags in order.
pub fn split(text: &str) -> (String, Vec<Tag<'_>>) {
    let mut plain = String::with_capacity(text.len());
    let mut tags = Vec::new();
    for part in parts(text) {
        match part {
            Part::Text(text) => {
                plain.push(' ');
                plain.push_str(text);
            }
            Part::Tag(tag) => tags.push(tag),
        }
    }
    (clean::plain(&plain), tags)
}

fn push_text<'a>(parts: &mut Vec<Part<'a>>, text: Option<&'a str>) {
    if let Some(text) = text
        && !text.is_empty()
    {
        parts.push(Part::Text(text));
    }
}

/// Returns each outermost pair: the opening bracket, its position and the position of the closing
/// bracket.
fn outermost(text: &str) -> Vec<(char, usize, usize)> {
    let mut open: Vec<(char, usize)> = Vec::new();
    let mut pairs: Vec<(char, usize, usize)> = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => open.push((c, at)),
            ')' | ']' | '}' => {
                // Unclosed brackets inside the pair are text. The limited search depth keeps the
                // time linear for hostile names.
                let partner = open.iter().rev().take(8).position(|(o, _)| closes(*o, c));
                let Some(depth) = partner else { continue };
                open.truncate(open.len() - depth);
                if let Some((o, start)) = open.pop() {
                    while pairs.last().is_some_and(|(_, inner, _)| *inner > start) {
                        pairs.pop();
                    }
                    pairs.push((o, start, at));
                }
            }
            _ => {}
        }
    }
    pairs
}

fn closes(open: char, close: char) -> bool {
    matches!((open, close), ('(', ')') | ('[', ']') | ('{', '}'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn split_separates_text_and_tags() {
        let (text, tags) = split("Batman 001 (2011) [Digital (c2c)] {x} end");
        assert_eq!(text, "Batman 001 end");
        let tags: Vec<_> = tags.iter().map(|tag| (tag.open, tag.text)).collect();
        assert_eq!(tags, [('(', "2011"), ('[', "Digital (c2c)"), ('{', "x")]);
    }

    #[test]
    fn unpaired_bracket_is_text() {
        assert_eq!(split("smile :) here").0, "smile :) here");
        assert_eq!(split("cut (off").0, "cut (off");
        assert_eq!(split("cut (off [x] y").0, "cut (off y");
        assert_eq!(split("a (b] c) d").1.len(), 1);
    }

    proptest! {
        #[test]
        fn parts_contain_all_text(text in r"[a-c()\[\]{} é]{0,60}") {
            let letters = |s: &str| s.chars().filter(|c| c.is_alphabetic()).count();
            let (plain, tags) = split(&text);
            let inside: usize = tags.iter().map(|tag| letters(tag.text)).sum();
            prop_assert_eq!(letters(&text), letters(&plain) + inside);
        }
    }
}

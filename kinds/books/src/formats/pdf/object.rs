//! The objects of a PDF, parsed from bytes (ISO 32000-2, 7.3).

use std::collections::HashMap;

/// Deepest nesting of arrays and dictionaries.
const DEEPEST: usize = 64;
/// Most parts of one object. A parsed part takes many times its size in the file.
pub(super) const MOST_PARTS: usize = 500_000;

/// Dictionary entries by key.
pub(super) type Dictionary = HashMap<String, Object>;

/// Parsed object.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Object {
    Null,
    Bool(bool),
    Number(f64),
    Name(String),
    /// Decoded bytes of a string.
    String(Vec<u8>),
    Array(Vec<Object>),
    Dictionary(Dictionary),
    /// Number of an indirect object.
    Reference(u32),
    /// Any other keyword: `obj`, `stream`, `endobj`, ….
    Word(String),
}

impl Object {
    /// Returns a whole number that is not negative.
    pub(super) fn unsigned(&self) -> Option<u64> {
        match self {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "the range is checked first"
            )]
            Self::Number(number) if (0.0..9e15).contains(number) && number.fract() == 0.0 => {
                Some(*number as u64)
            }
            _ => None,
        }
    }
}

/// Parser that reads objects sequentially.
#[derive(Debug)]
pub(super) struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Number of parts of the last object.
    parts: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            parts: 0,
        }
    }

    /// Returns the number of parts of the last object.
    pub(super) fn parts(&self) -> usize {
        self.parts
    }

    /// Returns the offset of the next byte.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Continues at another offset.
    pub(super) fn seek(&mut self, at: usize) {
        self.at = at;
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Skips white space and comments.
    fn skip_blanks(&mut self) {
        while let Some(byte) = self.peek() {
            if byte == b'%' {
                let line = self.rest().iter().take_while(|byte| !is_line_end(**byte));
                self.at += line.count();
            } else if is_blank(byte) {
                self.at += 1;
            } else {
                return;
            }
        }
    }

    /// Parses the next object. Returns `None` at the end, for invalid syntax, and for too many
    /// parts.
    pub(super) fn object(&mut self) -> Option<Object> {
        self.parts = 0;
        self.nested(0)
    }

    fn nested(&mut self, depth: usize) -> Option<Object> {
        self.parts += 1;
        if depth > DEEPEST || self.parts > MOST_PARTS {
            return None;
        }
        self.skip_blanks();
        match self.peek()? {
            b'/' => Some(Object::Name(self.name())),
            b'(' => Some(Object::String(self.literal())),
            b'<' if self.rest().starts_with(b"<<") => self.dictionary(depth),
            b'<' => Some(Object::String(self.hexadecimal())),
            b'[' => self.array(depth),
            b'+' | b'-' | b'.' | b'0'..=b'9' => Some(self.number()),
            b')' | b'>' | b']' | b'{' | b'}' => None,
            _ => Some(self.word()),
        }
    }

    fn regular(&mut self) -> &'a [u8] {
        let length = self
            .rest()
            .iter()
            .take_while(|byte| is_regular(**byte))
            .count();
        let word = self.rest().get(..length).unwrap_or_default();
        self.at += length;
        word
    }

    fn word(&mut self) -> Object {
        match self.regular() {
            b"null" => Object::Null,
            b"true" => Object::Bool(true),
            b"false" => Object::Bool(false),
            word => Object::Word(String::from_utf8_lossy(word).into_owned()),
        }
    }

    fn name(&mut self) -> String {
        self.at += 1;
        let raw = self.regular();
        let mut name = Vec::with_capacity(raw.len());
        let mut rest = raw;
        while let Some((first, after)) = rest.split_first() {
            let code = (*first == b'#').then(|| hex_pair(after)).flatten();
            name.push(code.unwrap_or(*first));
            rest = if code.is_some() {
                after.get(2..).unwrap_or_default()
            } else {
                after
            };
        }
        String::from_utf8_lossy(&name).into_owned()
    }

    /// Parses a number, or a reference: two whole numbers and an `R`.
    fn number(&mut self) -> Object {
        let number = self.plain_number();
        let Some(value) = number
            .unsigned()
            .and_then(|value| u32::try_from(value).ok())
        else {
            return number;
        };
        let after = self.at;
        self.skip_blanks();
        if self.peek().is_some_and(|byte| byte.is_ascii_digit())
            && self.plain_number().unsigned().is_some()
        {
            self.skip_blanks();
            if self.regular() == b"R" {
                return Object::Reference(value);
            }
        }
        self.at = after;
        number
    }

    fn plain_number(&mut self) -> Object {
        let word = String::from_utf8_lossy(self.regular());
        Object::Number(
            word.parse()
                .ok()
                .filter(|number: &f64| number.is_finite())
                .unwrap_or(0.0),
        )
    }

    fn literal(&mut self) -> Vec<u8> {
        self.at += 1;
        let mut bytes = Vec::new();
        let mut depth = 1;
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                b'\\' => {
                    bytes.extend(self.escape());
                    continue;
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
            bytes.push(byte);
        }
        bytes
    }

    /// Parses the characters after a backslash.
    fn escape(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        match byte {
            b'n' => Some(b'\n'),
            b'r' => Some(b'\r'),
            b't' => Some(b'\t'),
            b'b' => Some(8),
            b'f' => Some(12),
            b'\r' => {
                self.at += usize::from(self.peek() == Some(b'\n'));
                None
            }
            b'\n' => None,
            b'0'..=b'7' => {
                let mut code = u32::from(byte - b'0');
                for _ in 0..2 {
                    let Some(digit @ b'0'..=b'7') = self.peek() else {
                        break;
                    };
                    code = code * 8 + u32::from(digit - b'0');
                    self.at += 1;
                }
                u8::try_from(code & 0xff).ok()
            }
            other => Some(other),
        }
    }

    fn hexadecimal(&mut self) -> Vec<u8> {
        self.at += 1;
        let length = self.rest().iter().take_while(|byte| **byte != b'>').count();
        let inside = self.rest().get(..length).unwrap_or_default();
        self.at += length + 1;
        let mut digits: Vec<u8> = inside
            .iter()
            .copied()
            .filter(u8::is_ascii_hexdigit)
            .collect();
        if digits.len() % 2 == 1 {
            digits.push(b'0');
        }
        digits.chunks_exact(2).filter_map(hex_pair).collect()
    }

    fn array(&mut self, depth: usize) -> Option<Object> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.skip_blanks();
            if self.peek()? == b']' {
                self.at += 1;
                return Some(Object::Array(items));
            }
            items.push(self.nested(depth + 1)?);
        }
    }

    fn dictionary(&mut self, depth: usize) -> Option<Object> {
        self.at += 2;
        let mut entries = Dictionary::new();
        loop {
            self.skip_blanks();
            if self.rest().starts_with(b">>") {
                self.at += 2;
                return Some(Object::Dictionary(entries));
            }
            if self.peek()? != b'/' {
                return None;
            }
            let name = self.name();
            let value = self.nested(depth + 1)?;
            entries.entry(name).or_insert(value);
        }
    }
}

fn hex_pair(bytes: &[u8]) -> Option<u8> {
    let pair = std::str::from_utf8(bytes.get(..2)?).ok()?;
    let is_hex = pair.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex.then(|| u8::from_str_radix(pair, 16).ok()).flatten()
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, 0 | b'\t' | b'\n' | 12 | b'\r' | b' ')
}

fn is_regular(byte: u8) -> bool {
    !is_blank(byte) && !b"()<>[]{}/%".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> Option<Object> {
        Lexer::new(text).object()
    }

    #[test]
    fn objects_of_every_kind_are_read() {
        let text =
            b"% comment\n<< /A#20B [1 -2.5 3 0 R null true] /S (a\\(b\\)\\101(c)\\\n) /H <414> >>";
        let Some(Object::Dictionary(found)) = read(text) else {
            panic!("a dictionary");
        };
        let list = vec![
            Object::Number(1.0),
            Object::Number(-2.5),
            Object::Reference(3),
            Object::Null,
            Object::Bool(true),
        ];
        assert_eq!(found["A B"], Object::Array(list));
        assert_eq!(found["S"], Object::String(b"a(b)A(c)".to_vec()));
        assert_eq!(found["H"], Object::String(b"A@".to_vec()));
        assert_eq!(read(b"endobj"), Some(Object::Word("endobj".to_owned())));
    }

    #[test]
    fn unterminated_objects_are_rejected() {
        for text in [&b"["[..], b"<</A", b"<</A 1", b"<< 1 2 >>", b")", b"]"] {
            assert_eq!(read(text), None, "{text:?}");
        }
        assert_eq!(read(&b"[".repeat(100_000)), None);
    }

    #[test]
    fn object_with_too_many_parts_is_rejected() {
        let list = |parts: usize| [&b"["[..], &b"0 ".repeat(parts), b"]"].concat();
        assert!(read(&list(MOST_PARTS - 1)).is_some());
        assert_eq!(read(&list(MOST_PARTS)), None);
    }
}

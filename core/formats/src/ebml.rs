//! EBML elements: id, length and content (RFC 8794, sections 4 to 7).

use std::io::{Read, Seek};

use crate::{ReadResult, Source, limit};

/// Maximum number of siblings that are read.
const MAX_COUNT: usize = 4_000_000;

/// Element with its id and its offsets in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Element {
    /// Id including the length marker.
    pub id: u32,
    /// Offset of the element.
    pub from: u64,
    /// Offset of the content.
    pub start: u64,
    /// End offset. An element of unknown size ends with its parent.
    pub end: u64,
    /// `true` if the element states its size.
    pub is_sized: bool,
}

impl Element {
    /// Returns the length of the content in bytes.
    pub fn length(self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// Reads the content, at most `most` bytes.
    pub fn content<R: Read + Seek>(self, source: &mut Source<R>, most: usize) -> ReadResult<&[u8]> {
        let length = usize::try_from(self.length()).unwrap_or(usize::MAX);
        source.read_at(self.start, length.min(most))
    }
}

/// Cursor over sibling elements.
#[derive(Debug)]
pub struct Elements {
    at: u64,
    end: u64,
    seen: usize,
}

impl Elements {
    /// Creates a cursor over the range from `at` to `end`.
    pub fn new(at: u64, end: u64) -> Self {
        Self { at, end, seen: 0 }
    }

    /// Creates a cursor over the children of an element.
    pub fn inside(element: Element) -> Self {
        Self::new(element.start, element.end)
    }

    /// Returns the next element. An element that exceeds the range is truncated.
    pub fn next<R: Read + Seek>(&mut self, source: &mut Source<R>) -> ReadResult<Option<Element>> {
        if self.at >= self.end {
            return Ok(None);
        }
        self.seen += 1;
        if self.seen > MAX_COUNT {
            return Err(limit("the file has too many elements"));
        }
        let found = header(source.read_at(self.at, 12)?);
        let element = found.map(|(id, length, head)| {
            let start = self.at.saturating_add(head).min(self.end);
            let end = length.map_or(self.end, |length| start.saturating_add(length));
            Element {
                id,
                from: self.at,
                start,
                end: end.min(self.end),
                is_sized: length.is_some(),
            }
        });
        self.at = element.map_or(self.end, |element| element.end);
        Ok(element)
    }

    /// Continues with the children of the last element.
    pub fn enter(&mut self, element: Element) {
        self.at = element.start;
    }
}

/// Parses id and length. Also returns the size of this header in bytes.
fn header(bytes: &[u8]) -> Option<(u32, Option<u64>, u64)> {
    let first = *bytes.first()?;
    let id_length = usize::try_from(first.leading_zeros()).ok()? + 1;
    if id_length > 4 {
        return None;
    }
    let id = bytes.get(..id_length)?;
    let id = id.iter().fold(0, |id, byte| id << 8 | u32::from(*byte));
    let (length, used) = number(bytes.get(id_length..)?)?;
    Some((id, length, u64::try_from(id_length + used).ok()?))
}

/// Parses a variable-length number and returns it with its size in bytes. The number is `None` if
/// all bits are set, which means an unknown size.
pub fn number(bytes: &[u8]) -> Option<(Option<u64>, usize)> {
    let first = *bytes.first()?;
    let used = usize::try_from(first.leading_zeros()).ok()? + 1;
    if used > 8 {
        return None;
    }
    let marker = 0x80_u8 >> (used - 1);
    let rest = bytes.get(1..used)?;
    let value = rest.iter().fold(u64::from(first & !marker), |value, byte| {
        value << 8 | u64::from(*byte)
    });
    let unknown = (1_u64 << (7 * used)) - 1;
    Some((Some(value).filter(|value| *value != unknown), used))
}

/// Iterates over elements in memory. Yields id and content; a truncated element yields the
/// remaining bytes.
pub fn children(mut bytes: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    std::iter::from_fn(move || {
        let (id, length, head) = header(bytes)?;
        let rest = bytes.get(usize::try_from(head).ok()?..)?;
        let length = length
            .and_then(|length| usize::try_from(length).ok())
            .unwrap_or(usize::MAX)
            .min(rest.len());
        let (content, after) = rest.split_at_checked(length)?;
        bytes = after;
        Some((id, content))
    })
}

/// Decodes an unsigned number of up to eight bytes.
pub fn unsigned(bytes: &[u8]) -> u64 {
    let kept = bytes.get(..8).unwrap_or(bytes);
    kept.iter()
        .fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// Decodes a float of four or eight bytes. Returns `None` for other lengths and for infinite
/// values.
pub fn float(bytes: &[u8]) -> Option<f64> {
    let value = match bytes.len() {
        4 => f64::from(f32::from_be_bytes(bytes.try_into().ok()?)),
        8 => f64::from_be_bytes(bytes.try_into().ok()?),
        _ => return None,
    };
    value.is_finite().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_variable_lengths() {
        assert_eq!(number(&[0x81]), Some((Some(1), 1)));
        assert_eq!(number(&[0x40, 0x02]), Some((Some(2), 2)));
        assert_eq!(number(&[0xff]), Some((None, 1)));
        assert_eq!(
            number(&[0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
            Some((None, 8))
        );
        assert_eq!(number(&[0x00, 1]), None);
        assert_eq!(number(&[0x40]), None);
    }

    #[test]
    fn truncated_element_yields_the_remaining_bytes() {
        let found: Vec<_> = children(&[0xd7, 0x81, 5, 0x86, 0x90, b'V', b'_']).collect();
        assert_eq!(found, [(0xd7, &[5][..]), (0x86, b"V_")]);
        assert_eq!(unsigned(&[1, 0]), 256);
        assert_eq!(float(&1.5_f32.to_be_bytes()), Some(1.5));
        assert_eq!(float(&[0; 3]), None);
        assert_eq!(float(&f64::NAN.to_be_bytes()), None);
    }
}

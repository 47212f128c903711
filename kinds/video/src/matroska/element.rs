//! Elements: an id, a length, and what they hold. RFC 8794, 4 to 7.

use std::io::{Read, Seek};

use ledge_core::registry::reading::ReadError;

use crate::input::{Input, ReadResult};

/// Most elements beside each other that are looked at one by one.
const MOST: usize = 4_000_000;

/// An element: its id, and where it lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Element {
    /// Its id, marker included.
    pub id: u32,
    /// Where the element itself begins.
    pub from: u64,
    /// Where its content begins.
    pub start: u64,
    /// Where it ends; that of what it lies in, where it does not say.
    pub end: u64,
    /// Whether it says how long it is.
    pub is_sized: bool,
}

impl Element {
    /// How much it holds.
    pub fn length(self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// What it holds, and at most `most` of it.
    pub fn content<R: Read + Seek>(self, input: &mut Input<R>, most: usize) -> ReadResult<&[u8]> {
        let length = usize::try_from(self.length()).unwrap_or(usize::MAX);
        input.at(self.start, length.min(most))
    }
}

/// Elements beside each other.
#[derive(Debug)]
pub struct Elements {
    at: u64,
    end: u64,
    seen: usize,
}

impl Elements {
    /// The elements of a stretch.
    pub fn new(at: u64, end: u64) -> Self {
        Self { at, end, seen: 0 }
    }

    /// The elements in an element.
    pub fn inside(element: Element) -> Self {
        Self::new(element.start, element.end)
    }

    /// The next element. One that would be longer than what it lies in ends with that.
    pub fn next<R: Read + Seek>(&mut self, input: &mut Input<R>) -> ReadResult<Option<Element>> {
        if self.at >= self.end {
            return Ok(None);
        }
        self.seen += 1;
        if self.seen > MOST {
            return Err(ReadError::Limit("it has too many elements".to_owned()));
        }
        let found = header(input.at(self.at, 12)?);
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

    /// Goes on inside of what was found last.
    pub fn enter(&mut self, element: Element) {
        self.at = element.start;
    }
}

/// Id, length, and how long the two themselves are.
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

/// A number of variable length and how many bytes it takes; all ones stand for "unknown".
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

/// Elements of a stretch in memory: id and content. One that is cut off is as long as there is.
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

/// A number without sign, of up to eight bytes.
pub fn unsigned(bytes: &[u8]) -> u64 {
    let kept = bytes.get(..8).unwrap_or(bytes);
    kept.iter()
        .fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// A number with a point, of four or eight bytes.
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
    fn numbers_say_how_long_they_are() {
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
    fn what_is_cut_off_is_as_long_as_there_is() {
        let found: Vec<_> = children(&[0xd7, 0x81, 5, 0x86, 0x90, b'V', b'_']).collect();
        assert_eq!(found, [(0xd7, &[5][..]), (0x86, b"V_")]);
        assert_eq!(unsigned(&[1, 0]), 256);
        assert_eq!(float(&1.5_f32.to_be_bytes()), Some(1.5));
        assert_eq!(float(&[0; 3]), None);
        assert_eq!(float(&f64::NAN.to_be_bytes()), None);
    }
}

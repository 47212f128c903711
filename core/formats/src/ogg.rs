//! Ogg pages (RFC 3533).

use std::io::{Read, Seek};

use crate::bytes::ByteReader;
use crate::{ReadResult, Source};

/// First bytes of every page.
pub const MAGIC: &[u8] = b"OggS";
/// Maximum size of a page's header in bytes.
const MAX_HEADER: usize = 27 + 255;

/// Page header with the offsets of the content.
#[derive(Debug, Clone, Copy)]
pub struct Page {
    /// Serial number of the stream.
    pub serial: u32,
    //// `true` for the first page of a stream.
    pub is_first: bool,
    /// Offset of the content.
    pub start: u64,
    /// Bytes that belong to the packet which this page begins or continues.
    pub first_packet: usize,
    //// `true` if that packet ends on this page.
    pub ends_packet: bool,
    /// Offset of the next page.
    pub end: u64,
}

impl Page {
    /// Returns the length of the content in bytes, at most 65,025.
    pub fn length(&self) -> usize {
        usize::try_from(self.end.saturating_sub(self.start)).unwrap_or(0)
    }
}

/// Reads the header of the page at offset `at`.
pub fn page<R: Read + Seek>(source: &mut Source<R>, at: u64) -> ReadResult<Option<Page>> {
    let bytes = source.read_at(at, MAX_HEADER)?;
    Ok(parse(bytes, at))
}

fn parse(bytes: &[u8], at: u64) -> Option<Page> {
    let mut bytes = ByteReader(bytes.strip_prefix(MAGIC)?);
    bytes.skip(1)?;
    let flags = bytes.u8()?;
    bytes.skip(8)?;
    let serial = bytes.u32_le()?;
    bytes.skip(8)?;
    let count = bytes.u8()?;
    let segments = bytes.take(count.into())?;
    let sum = |segments: &[u8]| segments.iter().map(|length| usize::from(*length)).sum();
    let length: usize = sum(segments);
    let ends = segments.iter().position(|length| *length < 255);
    let first = ends.map_or(segments, |last| segments.get(..=last).unwrap_or(segments));
    let start = at.saturating_add(27 + u64::from(count));
    Some(Page {
        serial,
        is_first: flags & 2 != 0,
        start,
        first_packet: sum(first),
        ends_packet: ends.is_some(),
        end: start.saturating_add(length as u64),
    })
}

/// Parses granule position and stream serial number. Returns `None` if no packet ends on the page.
pub fn position(bytes: &[u8]) -> Option<(u64, u32)> {
    let mut bytes = ByteReader(bytes.strip_prefix(MAGIC)?);
    let version = bytes.u8()?;
    bytes.skip(1)?;
    let position = bytes.u64_le()?;
    let serial = bytes.u32_le()?;
    (version == 0 && position != u64::MAX).then_some((position, serial))
}

/// Returns the first packet of each stream, as far as the beginning of a file contains them. The
/// pages that open streams come before all others.
fn first_packets(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = head;
    std::iter::from_fn(move || {
        let page = parse(rest, 0).filter(|page| page.is_first)?;
        let content = rest.get(usize::try_from(page.start).ok()?..)?;
        let (packet, next) = content.split_at(page.length().min(content.len()));
        rest = next;
        Some(packet)
    })
}

/// Returns `true` if the beginning of an Ogg file opens a video stream: Theora, Dirac, VP8, Daala or
/// the stream type of OGM.
pub fn has_pictures(head: &[u8]) -> bool {
    const PICTURES: &[&[u8]] = &[
        b"\x80theora",
        b"BBCD",
        b"OVP80",
        b"\x80daala",
        b"\x01video\0\0\0",
    ];
    first_packets(head).any(|packet| PICTURES.iter().any(|magic| packet.starts_with(magic)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(flags: u8, packet: &[u8]) -> Vec<u8> {
        let mut page = [MAGIC, &[0, flags], &[0; 20]].concat();
        page.push(1);
        page.push(u8::try_from(packet.len()).expect("short"));
        page.extend(packet);
        page
    }

    #[test]
    fn only_pages_that_open_streams_are_looked_at() {
        let sound = page(2, b"\x01vorbis rest");
        let film = page(2, b"\x80theora rest");
        let data = page(0, b"\x80theora");
        assert!(has_pictures(&[sound.clone(), film.clone()].concat()));
        assert!(!has_pictures(&[sound.clone(), data.clone(), film].concat()));
        assert!(!has_pictures(&sound));
        assert_eq!(first_packets(&[sound, data].concat()).count(), 1);
    }

    #[test]
    fn damaged_pages_open_nothing() {
        let film = page(2, b"\x80theora rest");
        for end in 0..film.len() {
            let head = film.get(..end).unwrap_or_default();
            assert_eq!(has_pictures(head), end >= 27 + 1 + 7, "{end}");
        }
        assert!(!has_pictures(b"OggS"));
        assert!(!has_pictures(&[0xff; 300]));
    }
}

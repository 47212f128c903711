//! Pages.

use std::io::{Read, Seek};

use super::MAGIC;
use crate::input::{Bytes, Input, ReadResult};

/// A page: whose it is, and where its content lies.
pub(super) struct Page {
    pub(super) serial: u32,
    /// The first page of its stream.
    pub(super) is_first: bool,
    pub(super) start: u64,
    pub(super) length: usize,
    /// How much of it belongs to the packet that it begins or goes on with.
    pub(super) first_packet: usize,
    /// Whether that packet ends in it.
    pub(super) ends_packet: bool,
    pub(super) end: u64,
}

/// The page at a place.
pub(super) fn page<R: Read + Seek>(input: &mut Input<R>, at: u64) -> ReadResult<Option<Page>> {
    let bytes = input.at(at, 27 + 255)?;
    Ok(parse(bytes, at))
}

fn parse(bytes: &[u8], at: u64) -> Option<Page> {
    let mut bytes = Bytes(bytes.strip_prefix(MAGIC)?);
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
        length,
        first_packet: sum(first),
        ends_packet: ends.is_some(),
        end: start.saturating_add(length as u64),
    })
}

/// A page's place in time, and whose it is; `None` where no packet ends in it.
pub(super) fn place(bytes: &[u8]) -> Option<(u64, u32)> {
    let mut bytes = Bytes(bytes.strip_prefix(MAGIC)?);
    let version = bytes.u8()?;
    bytes.skip(1)?;
    let place = bytes.u64_le()?;
    let serial = bytes.u32_le()?;
    (version == 0 && place != u64::MAX).then_some((place, serial))
}

//! Packets, and the beginnings of what they carry.

use crate::input::Bytes;

const SYNC: u8 = 0x47;
/// Lengths of packets: as they are, behind a Blu-ray's times, before a broadcast's checks.
const LENGTHS: [usize; 3] = [188, 192, 204];
/// Packets that must begin where they should.
const PROVEN: usize = 4;

/// The length of packets, and where the first begins. Recordings may begin anywhere.
pub(super) fn shape(head: &[u8]) -> Option<(usize, usize)> {
    let syncs = |at: usize, length: usize| {
        let mut places = (0..PROVEN).map(|count| at + count * length);
        let there = places.clone().filter(|place| *place < head.len()).count();
        there >= 2 && places.all(|place| head.get(place).is_none_or(|byte| *byte == SYNC))
    };
    let first = (0..LENGTHS[2]).find_map(|at| {
        let length = LENGTHS.iter().find(|length| syncs(at, **length))?;
        Some((*length, at))
    })?;
    Some(first)
}

/// A packet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packet<'a> {
    pub(super) pid: u16,
    /// Whether a table or a piece of a stream begins in it.
    pub(super) is_start: bool,
    pub(super) content: &'a [u8],
}

/// Packets one after another.
pub(super) struct Packets<'a> {
    bytes: &'a [u8],
    length: usize,
}

impl<'a> Packets<'a> {
    pub(super) fn of(bytes: &'a [u8], length: usize) -> Self {
        Self { bytes, length }
    }
}

impl<'a> Iterator for Packets<'a> {
    type Item = Packet<'a>;

    fn next(&mut self) -> Option<Packet<'a>> {
        loop {
            let lost = self.bytes.iter().position(|byte| *byte == SYNC)?;
            let bytes = self.bytes.get(lost..)?;
            let packet = bytes.get(..188)?;
            self.bytes = bytes.get(self.length.min(bytes.len())..)?;
            if let Some(packet) = parse(packet) {
                return Some(packet);
            }
        }
    }
}

fn parse(packet: &[u8]) -> Option<Packet<'_>> {
    let [_, high, low, flags, content @ ..] = packet else {
        return None;
    };
    // Broken, or scrambled.
    if high & 0x80 != 0 || flags & 0xc0 != 0 {
        return None;
    }
    let content = match flags >> 4 & 3 {
        1 => content,
        3 => content.get(usize::from(*content.first()?) + 1..)?,
        _ => return None,
    };
    Some(Packet {
        pid: u16::from(high & 0x1f) << 8 | u16::from(*low),
        is_start: high & 0x40 != 0,
        content,
    })
}

impl<'a> Packet<'a> {
    /// When what begins here is shown, in ticks.
    pub(super) fn time(&self) -> Option<u64> {
        self.is_start
            .then(|| pes(self.content))?
            .and_then(|(time, _)| time)
    }

    /// The stream's own bytes.
    pub(super) fn stream_bytes(&self) -> &'a [u8] {
        if self.is_start {
            pes(self.content).map_or(&[], |(_, bytes)| bytes)
        } else {
            self.content
        }
    }
}

/// When a piece of a stream is shown, and its bytes; `None` where it is none of MPEG-2.
pub(crate) fn pes(content: &[u8]) -> Option<(Option<u64>, &[u8])> {
    let mut bytes = Bytes(content.strip_prefix(&[0, 0, 1])?);
    bytes.skip(1 + 2)?;
    if bytes.u8()? & 0xc0 != 0x80 {
        return None;
    }
    let flags = bytes.u8()?;
    let length = usize::from(bytes.u8()?);
    let mut header = Bytes(bytes.take(length)?);
    let time = (flags & 0x80 != 0).then(|| time(header.take(5)?)).flatten();
    Some((time, bytes.0))
}

/// 33 bits in five bytes, with marks in between.
pub(crate) fn time(bytes: &[u8]) -> Option<u64> {
    let mut bytes = Bytes(bytes);
    let first = u64::from(bytes.u8()?);
    let second = u64::from(bytes.u16()?);
    let third = u64::from(bytes.u16()?);
    Some((first & 0xe) << 29 | (second & 0xfffe) << 14 | third >> 1)
}

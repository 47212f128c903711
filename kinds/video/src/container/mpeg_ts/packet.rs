//! Transport stream packets and PES headers.

use ledge_formats::bytes::ByteReader;

const SYNC: u8 = 0x47;
/// Packet lengths: plain, with the timestamps of Blu-rays, with the checksums of broadcasts.
const PACKET_LENGTHS: [usize; 3] = [188, 192, 204];
/// Number of consecutive packets whose sync byte is checked.
const CHECKED_PACKETS: usize = 4;

/// Returns the packet length and the offset of the first packet. A recording may begin in the
/// middle of a packet.
pub(super) fn shape(head: &[u8]) -> Option<(usize, usize)> {
    let syncs = |at: usize, length: usize| {
        let mut offsets = (0..CHECKED_PACKETS).map(|count| at + count * length);
        let available = offsets
            .clone()
            .filter(|offset| *offset < head.len())
            .count();
        available >= 2 && offsets.all(|offset| head.get(offset).is_none_or(|byte| *byte == SYNC))
    };
    let first = (0..PACKET_LENGTHS[2]).find_map(|at| {
        let length = PACKET_LENGTHS.iter().find(|length| syncs(at, **length))?;
        Some((*length, at))
    })?;
    Some(first)
}

/// Packet of a transport stream.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packet<'a> {
    pub(super) pid: u16,
    /// `true` if a table or a PES packet begins here.
    pub(super) is_start: bool,
    pub(super) content: &'a [u8],
}

/// Iterator over packets.
pub(super) struct Packets<'a> {
    bytes: &'a [u8],
    length: usize,
}

impl<'a> Packets<'a> {
    pub(super) fn new(bytes: &'a [u8], length: usize) -> Self {
        Self { bytes, length }
    }
}

impl<'a> Iterator for Packets<'a> {
    type Item = Packet<'a>;

    fn next(&mut self) -> Option<Packet<'a>> {
        loop {
            let sync = self.bytes.iter().position(|byte| *byte == SYNC)?;
            let bytes = self.bytes.get(sync..)?;
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
    // The packet has an error or is scrambled.
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
    /// Returns the timestamp of the PES packet that begins here, in units of 1/90000 s.
    pub(super) fn time(&self) -> Option<u64> {
        self.is_start
            .then(|| pes(self.content))?
            .and_then(|(time, _)| time)
    }

    /// Returns the payload without the PES header.
    pub(super) fn stream_bytes(&self) -> &'a [u8] {
        if self.is_start {
            pes(self.content).map_or(&[], |(_, bytes)| bytes)
        } else {
            self.content
        }
    }
}

/// Parses an MPEG-2 PES header. Returns the timestamp and the payload.
pub(crate) fn pes(content: &[u8]) -> Option<(Option<u64>, &[u8])> {
    let mut bytes = ByteReader(content.strip_prefix(&[0, 0, 1])?);
    bytes.skip(1 + 2)?;
    if bytes.u8()? & 0xc0 != 0x80 {
        return None;
    }
    let flags = bytes.u8()?;
    let length = usize::from(bytes.u8()?);
    let mut header = ByteReader(bytes.take(length)?);
    let time = (flags & 0x80 != 0).then(|| time(header.take(5)?)).flatten();
    Some((time, bytes.0))
}

/// Decodes a timestamp of 33 bits in five bytes with marker bits.
pub(crate) fn time(bytes: &[u8]) -> Option<u64> {
    let mut bytes = ByteReader(bytes);
    let first = u64::from(bytes.u8()?);
    let second = u64::from(bytes.u16()?);
    let third = u64::from(bytes.u16()?);
    Some((first & 0xe) << 29 | (second & 0xfffe) << 14 | third >> 1)
}

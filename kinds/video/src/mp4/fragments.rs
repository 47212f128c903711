//! How long a film is that was written in fragments.

use std::io::{Read, Seek};

use super::atom::{Atom, Atoms};
use super::seconds;
use super::track::Trak;
use crate::input::{Bytes, Input, ReadResult};

/// The length that the index says, in the film's units.
pub(super) fn said<R: Read + Seek>(input: &mut Input<R>, mvex: Atom) -> ReadResult<Option<u64>> {
    let Some(mehd) = Atoms::inside(mvex).find(input, *b"mehd")? else {
        return Ok(None);
    };
    let mut bytes = Bytes(mehd.content(input, 0, 12)?);
    let length = match bytes.u8() {
        Some(1) => bytes.skip(3).and_then(|()| bytes.u64()),
        _ => bytes.skip(3).and_then(|()| bytes.u32()).map(u64::from),
    };
    Ok(length.filter(|length| *length > 0))
}

/// The length by the list of segments, else by the last fragments.
pub(super) fn measured<R: Read + Seek>(
    input: &mut Input<R>,
    moov: Atom,
    tracks: &[Trak],
) -> ReadResult<Option<f64>> {
    let mut atoms = Atoms::new(moov.end, input.size());
    let mut last: [Option<Atom>; 4] = [None; 4];
    while let Some(atom) = atoms.next(input)? {
        match &atom.kind {
            b"sidx" => {
                if let Some(length) = segments(atom.content(input, 0, 1 << 20)?) {
                    return Ok(Some(length));
                }
            }
            b"moof" => {
                last.rotate_left(1);
                last[3] = Some(atom);
            }
            _ => {}
        }
    }
    let mut longest: Option<f64> = None;
    for moof in last.into_iter().flatten() {
        let mut parts = Atoms::inside(moof);
        while let Some(atom) = parts.next(input)? {
            if atom.kind == *b"traf" {
                let end = fragment_end(input, atom, tracks)?.unwrap_or(0.0);
                longest = Some(longest.map_or(end, |longest| longest.max(end)));
            }
        }
    }
    Ok(longest.filter(|length| *length > 0.0))
}

/// Sum of a segment index: ISO/IEC 14496-12, 8.16.3.
fn segments(bytes: &[u8]) -> Option<f64> {
    let mut bytes = Bytes(bytes);
    let version = bytes.u8()?;
    bytes.skip(7)?;
    let scale = bytes.u32()?;
    bytes.skip(if version == 0 { 8 } else { 16 } + 2)?;
    let count = bytes.u16()?;
    let mut length = 0_u64;
    for _ in 0..count {
        bytes.skip(4)?;
        length += u64::from(bytes.u32()?);
        bytes.skip(4)?;
    }
    seconds(length, scale).filter(|length| *length > 0.0)
}

/// When a fragment of a track ends, in seconds.
fn fragment_end<R: Read + Seek>(
    input: &mut Input<R>,
    traf: Atom,
    tracks: &[Trak],
) -> ReadResult<Option<f64>> {
    let (mut track, mut each, mut start, mut length) = (0, 0, 0_u64, 0_u64);
    let mut atoms = Atoms::inside(traf);
    while let Some(atom) = atoms.next(input)? {
        let bytes = atom.content(input, 0, 1 << 20)?;
        match &atom.kind {
            b"tfhd" => (track, each) = fragment_header(bytes).unwrap_or_default(),
            b"tfdt" => start = decode_time(bytes).unwrap_or(0),
            b"trun" => length = length.saturating_add(run_length(bytes, each).unwrap_or(0)),
            _ => {}
        }
    }
    let scale = tracks.iter().find(|known| known.track.number == track);
    let end = start.saturating_add(length);
    Ok(scale.and_then(|track| seconds(end, track.scale)))
}

/// The track's number and the length of each sample.
fn fragment_header(bytes: &[u8]) -> Option<(u64, u32)> {
    let mut bytes = Bytes(bytes);
    let flags = bytes.u32()?;
    let track = bytes.u32()?;
    for (flag, length) in [(1, 8), (2, 4)] {
        if flags & flag != 0 {
            bytes.skip(length)?;
        }
    }
    let each = if flags & 8 == 0 { 0 } else { bytes.u32()? };
    Some((track.into(), each))
}

fn decode_time(bytes: &[u8]) -> Option<u64> {
    let mut bytes = Bytes(bytes);
    let version = bytes.u8()?;
    bytes.skip(3)?;
    if version == 1 {
        bytes.u64()
    } else {
        bytes.u32().map(u64::from)
    }
}

fn run_length(bytes: &[u8], each: u32) -> Option<u64> {
    let mut bytes = Bytes(bytes);
    let flags = bytes.u32()?;
    let count = bytes.u32()?;
    for flag in [1, 4] {
        if flags & flag != 0 {
            bytes.skip(4)?;
        }
    }
    if flags & 0x100 == 0 {
        return Some(u64::from(count) * u64::from(each));
    }
    let others: usize = [0x200, 0x400, 0x800]
        .iter()
        .map(|flag| if flags & flag == 0 { 0 } else { 4 })
        .sum();
    let mut length = 0_u64;
    for _ in 0..count {
        let Some(one) = bytes.u32() else { break };
        length += u64::from(one);
        bytes.skip(others);
    }
    Some(length)
}

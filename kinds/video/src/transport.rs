//! MPEG transport streams: packets of 188 bytes, of recorders, broadcasts and Blu-rays. ISO/IEC
//! 13818-1, ETSI EN 300 468.

mod packet;
mod tables;

use std::io::{Read, Seek};

use ledge_core::registry::reading::StreamKind;

use crate::codec::mpeg;
use crate::input::{Input, ReadResult, damaged};
use crate::media::{Media, Track};
use packet::Packets;
pub(crate) use packet::{pes as packet_time, time as packed_time};
use tables::Program;

/// How much of the beginning is read, in bytes.
const HEAD: usize = 1 << 20;
/// How much of the end is searched for the last times, in bytes.
const TAIL: usize = 384 << 10;
/// How much of a stream's beginning is kept to look at, in bytes.
const KEPT: usize = 64 << 10;
/// Length of a Blu-ray's packets.
const BLU_RAY: usize = 192;
/// Ticks of a clock in a second.
const CLOCK: f64 = 90_000.0;

/// A stream, and what was seen of it.
struct Seen {
    pid: u16,
    track: Track,
    bytes: Vec<u8>,
    first: Option<u64>,
    last: Option<u64>,
}

/// Whether a file that begins so is one: how long its packets are, and where the first begins.
pub fn shape(head: &[u8]) -> Option<(usize, usize)> {
    packet::shape(head)
}

/// What the tables say, and the times of the first and the last packets.
pub fn read<R: Read + Seek>(
    input: &mut Input<R>,
    (length, from): (usize, usize),
) -> ReadResult<Media> {
    // Blu-rays put a time before each packet, and give types of their own to private streams.
    let mut program = Program::new(length == BLU_RAY);
    let mut seen: Vec<Seen> = Vec::new();
    // Small steps: most files tell all in their first packets.
    let mut at = from as u64;
    while at < (HEAD as u64).min(input.size()) {
        let step = length * 256;
        let bytes = input.at(at, step)?;
        for packet in Packets::of(bytes, length) {
            program.see(&packet);
            if seen.is_empty() && program.is_whole() {
                seen = program.streams().map(of).collect();
            }
            look(&packet, &mut seen);
        }
        at += step as u64;
        if !seen.is_empty() && seen.iter().all(is_known) {
            break;
        }
    }
    if seen.is_empty() {
        seen = program.streams().map(of).collect();
    }
    if seen.is_empty() {
        return Err(damaged("is a transport stream whose tables name no stream"));
    }
    let end = input.size().saturating_sub(TAIL as u64).max(from as u64);
    let whole = (end - from as u64) / length as u64 * length as u64;
    let tail = input.at(from as u64 + whole, TAIL + length)?;
    for packet in Packets::of(tail, length) {
        times(&packet, &mut seen);
    }
    Ok(media(seen))
}

fn of((pid, track): &(u16, Track)) -> Seen {
    Seen {
        pid: *pid,
        track: track.clone(),
        bytes: Vec::new(),
        first: None,
        last: None,
    }
}

/// Whether nothing more is to be learnt of a stream from its packets.
fn is_known(seen: &Seen) -> bool {
    let needs_size = seen.track.kind == Some(StreamKind::Video);
    (!needs_size || seen.track.size.is_some() || seen.bytes.len() >= KEPT)
        && (seen.first.is_some() || seen.track.kind == Some(StreamKind::Subtitle))
}

fn look(packet: &packet::Packet<'_>, seen: &mut [Seen]) {
    let Some(stream) = seen.iter_mut().find(|stream| stream.pid == packet.pid) else {
        return;
    };
    time(packet, stream);
    if packet.is_start {
        refine(packet.stream_bytes(), &mut stream.track);
    }
    if stream.track.kind != Some(StreamKind::Video)
        || stream.track.size.is_some()
        || stream.bytes.len() >= KEPT
    {
        return;
    }
    stream.bytes.extend(packet.stream_bytes());
    // A parameter set is short: whoever has it in whole has it before the next packets begin.
    let is_time = packet.is_start || stream.bytes.len() >= KEPT;
    if let Some(codec) = stream.track.codec.as_deref()
        && (is_time || stream.bytes.len().is_multiple_of(8))
        && let Some(picture) = mpeg::picture(codec, &stream.bytes)
    {
        stream.track.size = picture.size;
        stream.track.profile = picture.profile;
        stream.track.bit_depth = picture.bit_depth;
    }
}

/// Takes from a packet what the tables leave open: the codec of a private stream without a
/// descriptor, and the layer of MPEG audio.
fn refine(content: &[u8], track: &mut Track) {
    if track.kind.is_none()
        && let Some((kind, codec)) = mpeg::private(content)
    {
        track.kind = Some(kind);
        track.codec = Some(codec.to_owned());
    }
    if track.codec.as_deref() == Some("mp2")
        && let Some(layer @ ("mp1" | "mp3")) = mpeg::audio_layer(content)
    {
        track.codec = Some(layer.to_owned());
    }
}

fn times(packet: &packet::Packet<'_>, seen: &mut [Seen]) {
    if let Some(stream) = seen.iter_mut().find(|stream| stream.pid == packet.pid) {
        time(packet, stream);
    }
}

fn time(packet: &packet::Packet<'_>, stream: &mut Seen) {
    if let Some(time) = packet.time() {
        stream.first = stream.first.or(Some(time));
        stream.last = stream.last.max(Some(time));
    }
}

#[expect(clippy::cast_precision_loss, reason = "33 bits")]
fn media(seen: Vec<Seen>) -> Media {
    let mut media = Media::of("mpegts");
    let played = |stream: &&Seen| {
        let kind = stream.track.kind;
        matches!(kind, Some(StreamKind::Video | StreamKind::Audio))
    };
    let first = seen.iter().filter(played).filter_map(|s| s.first).min();
    let last = seen.iter().filter(played).filter_map(|s| s.last).max();
    // Clocks of 33 bits begin anew after a day.
    let ticks = first
        .zip(last)
        .and_then(|(first, last)| last.checked_sub(first));
    media.duration = ticks.map(|ticks| ticks as f64 / CLOCK);
    for stream in seen {
        let mut track = stream.track;
        if track.size.is_none()
            && let Some(picture) = track
                .codec
                .as_deref()
                .and_then(|codec| mpeg::picture(codec, &stream.bytes))
        {
            (track.size, track.profile) = (picture.size, picture.profile);
        }
        track.is_default = media.first(track.kind.unwrap_or_default()).is_none();
        media.tracks.push(track);
    }
    media
}

//! MPEG transport streams of recorders, broadcasts and Blu-rays (ISO/IEC 13818-1, ETSI EN 300 468).

mod packet;
mod tables;

use std::io::{Read, Seek};

use ledge_core::registry::reading::StreamKind;
use ledge_formats::{ReadResult, Source, damaged};

use crate::container::media::{Media, Track};
use crate::reading::codec::mpeg;
use packet::Packets;
pub(crate) use packet::{pes as packet_time, time as packed_time};
use tables::Program;

/// Bytes that are read from the start.
const HEAD_SIZE: usize = 1 << 20;
/// Bytes at the end that are searched for the last timestamps.
const TAIL_SIZE: usize = 384 << 10;
/// Bytes that are kept from the start of each stream.
const SAMPLE_SIZE: usize = 64 << 10;
/// Packet length of Blu-rays, in bytes.
const BLU_RAY: usize = 192;
/// Timestamp units per second.
const CLOCK_HZ: f64 = 90_000.0;

/// Stream with the data that was read of it.
struct StreamState {
    pid: u16,
    track: Track,
    bytes: Vec<u8>,
    first: Option<u64>,
    last: Option<u64>,
}

/// Returns the packet length and the offset of the first packet. Returns `None` for other content.
pub fn shape(head: &[u8]) -> Option<(usize, usize)> {
    packet::shape(head)
}

/// Reads the program tables, and the timestamps of the first and last packets.
pub fn read<R: Read + Seek>(
    source: &mut Source<R>,
    (length, from): (usize, usize),
) -> ReadResult<Media> {
    // Blu-rays put a timestamp before each packet, and have their own types of private streams.
    let mut program = Program::new(length == BLU_RAY);
    let mut streams: Vec<StreamState> = Vec::new();
    // The steps are small because the first packets of most files contain everything.
    let mut at = from as u64;
    while at < (HEAD_SIZE as u64).min(source.size()) {
        let step = length * 256;
        let bytes = source.read_at(at, step)?;
        for packet in Packets::new(bytes, length) {
            program.add_packet(&packet);
            if streams.is_empty() && program.is_complete() {
                streams = program.streams().map(stream_state).collect();
            }
            read_packet(&packet, &mut streams);
        }
        at += step as u64;
        if !streams.is_empty() && streams.iter().all(is_complete) {
            break;
        }
    }
    if streams.is_empty() {
        streams = program.streams().map(stream_state).collect();
    }
    if streams.is_empty() {
        return Err(damaged(
            "is a transport stream without streams in its tables",
        ));
    }
    let end = source
        .size()
        .saturating_sub(TAIL_SIZE as u64)
        .max(from as u64);
    let aligned = (end - from as u64) / length as u64 * length as u64;
    let tail = source.read_at(from as u64 + aligned, TAIL_SIZE + length)?;
    for packet in Packets::new(tail, length) {
        times(&packet, &mut streams);
    }
    Ok(media(streams))
}

fn stream_state((pid, track): &(u16, Track)) -> StreamState {
    StreamState {
        pid: *pid,
        track: track.clone(),
        bytes: Vec::new(),
        first: None,
        last: None,
    }
}

/// Returns `true` if further packets cannot add to the properties of a stream.
fn is_complete(stream: &StreamState) -> bool {
    let needs_size = stream.track.kind == Some(StreamKind::Video);
    (!needs_size || stream.track.size.is_some() || stream.bytes.len() >= SAMPLE_SIZE)
        && (stream.first.is_some() || stream.track.kind == Some(StreamKind::Subtitle))
}

fn read_packet(packet: &packet::Packet<'_>, streams: &mut [StreamState]) {
    let Some(stream) = streams.iter_mut().find(|stream| stream.pid == packet.pid) else {
        return;
    };
    time(packet, stream);
    if packet.is_start {
        complete_from_content(packet.stream_bytes(), &mut stream.track);
    }
    if stream.track.kind != Some(StreamKind::Video)
        || stream.track.size.is_some()
        || stream.bytes.len() >= SAMPLE_SIZE
    {
        return;
    }
    stream.bytes.extend(packet.stream_bytes());
    // A parameter set is short, so it is complete before the next packets begin.
    let is_time = packet.is_start || stream.bytes.len() >= SAMPLE_SIZE;
    if let Some(codec) = stream.track.codec
        && (is_time || stream.bytes.len().is_multiple_of(8))
        && let Some(picture) = mpeg::picture(codec, &stream.bytes)
    {
        stream.track.apply(Some(picture));
    }
}

/// Completes a stream from a packet: the codec of a private stream without a descriptor, and the
/// layer of MPEG audio.
fn complete_from_content(content: &[u8], track: &mut Track) {
    if track.kind.is_none()
        && let Some((kind, codec)) = mpeg::private(content)
    {
        track.kind = Some(kind);
        track.codec = Some(codec);
    }
    if track.codec == Some("mp2")
        && let Some(layer @ ("mp1" | "mp3")) = mpeg::audio_layer(content)
    {
        track.codec = Some(layer);
    }
}

fn times(packet: &packet::Packet<'_>, streams: &mut [StreamState]) {
    if let Some(stream) = streams.iter_mut().find(|stream| stream.pid == packet.pid) {
        time(packet, stream);
    }
}

fn time(packet: &packet::Packet<'_>, stream: &mut StreamState) {
    if let Some(time) = packet.time() {
        stream.first = stream.first.or(Some(time));
        stream.last = stream.last.max(Some(time));
    }
}

#[expect(clippy::cast_precision_loss, reason = "33 bits")]
fn media(streams: Vec<StreamState>) -> Media {
    let mut media = Media::new("mpegts");
    let played = |stream: &&StreamState| {
        let kind = stream.track.kind;
        matches!(kind, Some(StreamKind::Video | StreamKind::Audio))
    };
    let first = streams.iter().filter(played).filter_map(|s| s.first).min();
    let last = streams.iter().filter(played).filter_map(|s| s.last).max();
    // A 33-bit clock wraps around after about 26 hours.
    let ticks = first
        .zip(last)
        .and_then(|(first, last)| last.checked_sub(first));
    media.duration = ticks.map(|ticks| ticks as f64 / CLOCK_HZ);
    for stream in streams {
        let mut track = stream.track;
        if track.size.is_none() {
            track.apply(
                track
                    .codec
                    .and_then(|codec| mpeg::picture(codec, &stream.bytes)),
            );
        }
        track.is_default = media.first(track.kind.unwrap_or_default()).is_none();
        media.tracks.push(track);
    }
    media
}

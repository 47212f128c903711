//! Program tables of a transport stream (PAT and PMT).

use std::collections::HashMap;

use ledge_core::registry::reading::StreamKind;
use ledge_core::text::language;
use ledge_formats::bytes::ByteReader;

use super::packet::Packet;
use crate::container::media::{MAX_TRACKS, Track};
use crate::reading::text;

/// Stream type of private data, whose codec follows from descriptors or from the content.
const PRIVATE: u8 = 0x06;
/// Maximum size of a table in bytes, from its 12-bit length field.
const MAX_SIZE: usize = 4_096 + 3;

/// Streams of the first program with video or audio.
#[derive(Debug, Default)]
pub(super) struct Program {
    /// Incomplete tables by packet id.
    open: HashMap<u16, Vec<u8>>,
    maps: Vec<u16>,
    mapped: Vec<u16>,
    streams: Vec<(u16, Track)>,
    is_blu_ray: bool,
}

impl Program {
    /// Creates the parser. `is_blu_ray` enables the stream types of Blu-rays.
    pub(super) fn new(is_blu_ray: bool) -> Self {
        Self {
            is_blu_ray,
            ..Self::default()
        }
    }

    pub(super) fn streams(&self) -> impl Iterator<Item = &(u16, Track)> {
        self.streams.iter()
    }

    /// Returns `true` if the tables of all programs have been read.
    pub(super) fn is_complete(&self) -> bool {
        !self.maps.is_empty() && self.maps.iter().all(|map| self.mapped.contains(map))
    }

    pub(super) fn add_packet(&mut self, packet: &Packet<'_>) {
        let is_map = self.maps.contains(&packet.pid) && !self.mapped.contains(&packet.pid);
        if packet.pid != 0 && !is_map || packet.pid == 0 && !self.maps.is_empty() {
            return;
        }
        let table = if packet.is_start {
            let skip = packet.content.first().map_or(0, |skip| usize::from(*skip)) + 1;
            let table = self.open.entry(packet.pid).or_default();
            table.clear();
            table.extend(packet.content.get(skip..).unwrap_or_default());
            table
        } else if let Some(table) = self.open.get_mut(&packet.pid) {
            table.extend(packet.content);
            table
        } else {
            return;
        };
        let Some(length) = section_length(table) else {
            return;
        };
        if table.len() < length && table.len() < MAX_SIZE {
            return;
        }
        let table = self.open.remove(&packet.pid).unwrap_or_default();
        let section = table.get(..length).unwrap_or(&table);
        if packet.pid == 0 {
            self.maps = association(section).unwrap_or_default();
        } else {
            self.mapped.push(packet.pid);
            let streams = map(section, self.is_blu_ray).unwrap_or_default();
            if self.streams.is_empty() {
                self.streams = streams;
            }
        }
    }
}

fn section_length(table: &[u8]) -> Option<usize> {
    let [_, high, low, ..] = table else {
        return None;
    };
    Some(usize::from(u16::from(high & 0xf) << 8 | u16::from(*low)) + 3)
}

/// Returns the packet ids of the program map tables.
fn association(section: &[u8]) -> Option<Vec<u16>> {
    if *section.first()? != 0 {
        return None;
    }
    let rows = section.get(8..section.len().checked_sub(4)?)?;
    let rows = rows.as_chunks().0.iter().map(|[a, b, c, d]| {
        (
            u16::from_be_bytes([*a, *b]),
            u16::from_be_bytes([*c, *d]) & 0x1fff,
        )
    });
    // Program 0 is the network information table.
    Some(
        rows.filter(|(program, _)| *program != 0)
            .map(|(_, pid)| pid)
            .take(256)
            .collect(),
    )
}

/// Returns the streams of a program.
fn map(section: &[u8], is_blu_ray: bool) -> Option<Vec<(u16, Track)>> {
    if *section.first()? != 2 {
        return None;
    }
    let mut bytes = ByteReader(section.get(10..section.len().checked_sub(4)?)?);
    let descriptor_bytes = bytes.u16()? & 0xfff;
    let descriptor_bytes = bytes.take(descriptor_bytes.into())?;
    let is_blu_ray =
        is_blu_ray || registration(descriptor_bytes).is_some_and(|code| code == *b"HDMV");
    let mut streams = Vec::new();
    while let Some(kind) = bytes.u8() {
        let pid = bytes.u16()? & 0x1fff;
        let length = bytes.u16()? & 0xfff;
        let descriptor_bytes = bytes.take(usize::from(length).min(bytes.0.len()))?;
        if let Some(track) = stream(kind, descriptor_bytes, is_blu_ray)
            && streams.len() < MAX_TRACKS
        {
            let number = pid.into();
            streams.push((pid, Track { number, ..track }));
        }
    }
    Some(streams)
}

/// Iterates over descriptors. Yields tag and content.
fn descriptors(bytes: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    let mut bytes = ByteReader(bytes);
    std::iter::from_fn(move || {
        let tag = bytes.u8()?;
        let length = bytes.u8()?;
        Some((tag, bytes.take(length.into())?))
    })
}

fn registration(descriptor_bytes: &[u8]) -> Option<[u8; 4]> {
    let (_, content) = descriptors(descriptor_bytes).find(|(tag, _)| *tag == 5)?;
    ByteReader(content).tag()
}

fn stream(kind: u8, descriptor_bytes: &[u8], is_blu_ray: bool) -> Option<Track> {
    let known = by_type(kind, is_blu_ray).or_else(|| by_descriptors(descriptor_bytes));
    let mut track = match known {
        Some((stream, codec)) => Track::with_codec(stream, Some(codec)),
        // The content of its packets may identify the stream.
        None if kind == PRIVATE => Track::default(),
        None => return None,
    };
    track.language = stated_language(descriptor_bytes);
    Some(track)
}

/// Returns the language of an audio, subtitle or teletext stream. Subtitle pages of teletext (types
/// 2 and 5) take precedence.
fn stated_language(descriptor_bytes: &[u8]) -> Option<String> {
    let is_language = |(tag, _): &(u8, &[u8])| matches!(tag, 0x0a | 0x46 | 0x56 | 0x59);
    let (tag, content) = descriptors(descriptor_bytes).find(is_language)?;
    let is_subtitle = |page: &&[u8]| page.get(3).is_some_and(|kind| matches!(kind >> 3, 2 | 5));
    let subtitles = || content.chunks_exact(5).find(is_subtitle);
    let entry = if tag == 0x56 { subtitles() } else { None };
    let code = text::from_bytes(entry.unwrap_or(content).get(..3)?)?;
    language::tag(&code)
}

fn by_type(kind: u8, is_blu_ray: bool) -> Option<(StreamKind, &'static str)> {
    use StreamKind::{Audio, Subtitle, Video};
    Some(match kind {
        0x01 => (Video, "mpeg1video"),
        0x02 => (Video, "mpeg2video"),
        0x10 => (Video, "mpeg4"),
        0x1b | 0x1f | 0x20 => (Video, "h264"),
        0x21 => (Video, "jpeg2000"),
        0x24 | 0x25 => (Video, "hevc"),
        0x33 => (Video, "vvc"),
        0x42 => (Video, "cavs"),
        0xd1 => (Video, "dirac"),
        0xd2 => (Video, "avs2"),
        0xea => (Video, "vc1"),
        0x03 | 0x04 => (Audio, "mp2"),
        0x0f | 0x1c => (Audio, "aac"),
        0x11 => (Audio, "aac_latm"),
        0x81 | 0xc1 => (Audio, "ac3"),
        0x87 | 0xc2 => (Audio, "eac3"),
        0x8a => (Audio, "dts"),
        0x80 if is_blu_ray => (Audio, "pcm_bluray"),
        0x82 | 0x85 | 0x86 | 0xa2 if is_blu_ray => (Audio, "dts"),
        0x83 if is_blu_ray => (Audio, "truehd"),
        0x84 | 0xa1 if is_blu_ray => (Audio, "eac3"),
        0x90 if is_blu_ray => (Subtitle, "hdmv_pgs_subtitle"),
        0x92 if is_blu_ray => (Subtitle, "hdmv_text_subtitle"),
        _ => return None,
    })
}

/// Identifies a private stream by its descriptors.
fn by_descriptors(descriptor_bytes: &[u8]) -> Option<(StreamKind, &'static str)> {
    use StreamKind::{Audio, Subtitle, Video};
    let registered = registration(descriptor_bytes);
    let named = match registered.as_ref() {
        Some(b"AC-3") => Some((Audio, "ac3")),
        Some(b"EAC3") => Some((Audio, "eac3")),
        Some(b"AC-4") => Some((Audio, "ac4")),
        Some(b"DTS1" | b"DTS2" | b"DTS3") => Some((Audio, "dts")),
        Some(b"Opus") => Some((Audio, "opus")),
        Some(b"BSSD") => Some((Audio, "s302m")),
        Some(b"HEVC") => Some((Video, "hevc")),
        Some(b"VC-1") => Some((Video, "vc1")),
        Some(b"drac") => Some((Video, "dirac")),
        Some(b"AV01") => Some((Video, "av1")),
        _ => None,
    };
    named.or_else(|| {
        descriptors(descriptor_bytes).find_map(|(tag, content)| match tag {
            0x6a => Some((Audio, "ac3")),
            0x7a => Some((Audio, "eac3")),
            0x7b => Some((Audio, "dts")),
            0x7c => Some((Audio, "aac")),
            0x56 => Some((Subtitle, "dvb_teletext")),
            0x59 => Some((Subtitle, "dvb_subtitle")),
            0x7f => match content.first() {
                Some(0x0e) => Some((Audio, "dts")),
                Some(0x15) => Some((Audio, "ac4")),
                _ => None,
            },
            _ => None,
        })
    })
}

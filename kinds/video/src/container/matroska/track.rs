//! Matroska track entries.

use ledge_core::registry::reading::StreamKind;
use ledge_core::text::language;

use super::codec;
use crate::container::media::{MAX_TRACKS, Track, hdr};
use crate::reading::codec::config;
use crate::reading::text;
use ledge_formats::ebml::{children, float, unsigned};

/// Stream with the data that unpacking its samples requires.
#[derive(Debug, Clone, Default)]
pub struct TrackEntry {
    /// Properties of the stream.
    pub track: Track,
    /// Codec private data.
    pub private: Vec<u8>,
    /// Compression of the samples.
    pub compression: Compression,
}

/// Compression of the samples.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Compression {
    /// No compression.
    #[default]
    None,
    /// Compression by zlib.
    Zlib,
    /// Header stripping: these bytes are missing at the start of each sample.
    Stripped(Vec<u8>),
    /// Unsupported compression or encryption.
    Other,
}

/// Language of streams that state none: RFC 9559, 5.1.4.1.19.
const DEFAULT_LANGUAGE: &str = "eng";

/// Maximum size of codec private data that is kept, in bytes.
const MAX_PRIVATE_SIZE: usize = 1 << 20;

/// Parses a `Tracks` element.
pub fn read(tracks: &[u8]) -> Vec<TrackEntry> {
    let entries = children(tracks).filter(|(id, _)| *id == 0xae);
    entries
        .map(|(_, content)| entry(content))
        .take(MAX_TRACKS)
        .collect()
}

fn entry(content: &[u8]) -> TrackEntry {
    let mut found = TrackEntry::default();
    let mut track = Track {
        is_default: true,
        ..Track::default()
    };
    let (mut codec_id, mut private, mut bits) = ("", &[][..], 0);
    let (mut older, mut newer) = (None, None);
    for (id, value) in children(content) {
        match id {
            0xd7 => track.number = unsigned(value),
            0x83 => track.kind = kind(unsigned(value)),
            0x88 => track.is_default = unsigned(value) != 0,
            0x55aa => track.is_forced = unsigned(value) != 0,
            0x536e => track.title = text::from_bytes(value),
            0x0022_b59c => older = text::from_bytes(value),
            0x0022_b59d => newer = text::from_bytes(value),
            0x86 => {
                codec_id = str::from_utf8(value)
                    .unwrap_or_default()
                    .trim_end_matches('\0');
            }
            0x63a2 => private = value,
            0xe0 => video(value, &mut track),
            0xe1 => bits = audio(value, &mut track),
            0x6d80 => found.compression = compression(value),
            0x41e4 => addition(value, &mut track),
            _ => {}
        }
    }
    // RFC 9559, 5.1.4.1.20: the newer element replaces the older one.
    let stated = newer.or(older);
    track.language = language::tag(stated.as_deref().unwrap_or(DEFAULT_LANGUAGE));
    track.codec = codec::name(codec_id, private, bits);
    apply_private_data(&mut track, private);
    found.private = private
        .get(..private.len().min(MAX_PRIVATE_SIZE))
        .unwrap_or_default()
        .to_vec();
    found.track = track;
    found
}

fn kind(number: u64) -> Option<StreamKind> {
    match number {
        1 => Some(StreamKind::Video),
        2 => Some(StreamKind::Audio),
        0x11 => Some(StreamKind::Subtitle),
        _ => None,
    }
}

fn apply_private_data(track: &mut Track, private: &[u8]) {
    let picture = match track.codec {
        Some("h264") => config::avc(private),
        Some("hevc") => config::hevc(private),
        Some("av1") => config::av1(private),
        Some("vp9") => config::vp9_features(private),
        _ => None,
    };
    track.apply(picture);
}

fn side(value: &[u8]) -> u32 {
    u32::try_from(unsigned(value)).unwrap_or(u32::MAX)
}

fn video(content: &[u8], track: &mut Track) {
    let (mut size, mut display_size, mut unit) = ((0, 0), (0, 0), 0);
    for (id, value) in children(content) {
        match id {
            0xb0 => size.0 = side(value),
            0xba => size.1 = side(value),
            0x54b0 => display_size.0 = side(value),
            0x54ba => display_size.1 = side(value),
            0x54b2 => unit = unsigned(value),
            0x55b0 => colour(value, track),
            0x7670 => track.rotation = roll(value),
            _ => {}
        }
    }
    track.size = Some(size).filter(|size| size.0 > 0 && size.1 > 0);
    // Other display units are centimetres, inches and aspect ratios.
    let in_pixels = unit == 0 && display_size.0 > 0 && display_size.1 > 0;
    let display_size = if in_pixels {
        Some(display_size)
    } else {
        track.size
    };
    track.display_size = display_size.map(|display_size| {
        crate::container::media::display_size(display_size, (1, 1), track.rotation)
    });
}

fn colour(content: &[u8], track: &mut Track) {
    for (id, value) in children(content) {
        match id {
            0x55ba => track.hdr = track.hdr.or_else(|| hdr(unsigned(value))),
            0x55b2 => track.bit_depth = u8::try_from(unsigned(value)).ok().filter(|bits| *bits > 0),
            _ => {}
        }
    }
}

/// Returns the clockwise rotation in degrees, rounded to quarter turns. The element counts
/// counter-clockwise.
fn roll(projection: &[u8]) -> u32 {
    let stated = children(projection).find(|(id, _)| *id == 0x7675);
    match stated.and_then(|(_, value)| float(value)) {
        Some(degrees) if (degrees.abs() - 180.0).abs() < 1.0 => 180,
        Some(degrees) if (degrees - 90.0).abs() < 1.0 => 270,
        Some(degrees) if (degrees + 90.0).abs() < 1.0 => 90,
        _ => 0,
    }
}

/// Reads the audio properties into `track`. Returns the bits per sample.
fn audio(content: &[u8], track: &mut Track) -> u64 {
    let mut bits = 0;
    track.channels = Some(1);
    for (id, value) in children(content) {
        match id {
            0x9f => track.channels = u16::try_from(unsigned(value)).ok(),
            0x6264 => bits = unsigned(value),
            _ => {}
        }
    }
    bits
}

fn addition(content: &[u8], track: &mut Track) {
    const DOLBY_VISION: [u64; 3] = [0x6476_6343, 0x6476_7643, 0x6476_7743];
    let is_dolby_vision =
        |(id, value): (u32, &[u8])| id == 0x41e7 && DOLBY_VISION.contains(&unsigned(value));
    if children(content).any(is_dolby_vision) {
        track.hdr = Some("Dolby Vision");
    }
}

fn compression(encodings: &[u8]) -> Compression {
    let mut all = children(encodings).filter(|(id, _)| *id == 0x6240);
    let (Some((_, encoding)), None) = (all.next(), all.next()) else {
        return Compression::Other;
    };
    let mut compression = Compression::Zlib;
    for (id, value) in children(encoding) {
        match id {
            // Only the codec private data is compressed.
            0x5032 if unsigned(value) & 1 == 0 => return Compression::None,
            0x5033 if unsigned(value) != 0 => return Compression::Other,
            0x5034 => compression = algorithm(value),
            _ => {}
        }
    }
    compression
}

fn algorithm(content: &[u8]) -> Compression {
    let (mut algorithm, mut prefix) = (0, &[][..]);
    for (id, value) in children(content) {
        match id {
            0x4254 => algorithm = unsigned(value),
            0x4255 => prefix = value,
            _ => {}
        }
    }
    match algorithm {
        0 => Compression::Zlib,
        3 => Compression::Stripped(
            prefix
                .get(..prefix.len().min(1_024))
                .unwrap_or_default()
                .to_vec(),
        ),
        _ => Compression::Other,
    }
}

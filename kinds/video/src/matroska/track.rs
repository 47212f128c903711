//! Streams: what Matroska says about each.

use ledge_core::language;
use ledge_core::registry::reading::StreamKind;

use super::codec;
use super::element::{children, float, unsigned};
use crate::codec::config;
use crate::media::{MOST_TRACKS, Track, hdr};
use crate::text;

/// A stream, and what it takes to unpack its samples.
#[derive(Debug, Clone, Default)]
pub struct TrackEntry {
    /// The stream.
    pub track: Track,
    /// How its codec is set up.
    pub private: Vec<u8>,
    /// How its samples are packed.
    pub packing: Packing,
}

/// How samples are packed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Packing {
    /// As they are.
    #[default]
    None,
    /// By zlib.
    Zlib,
    /// Without the bytes that all of them begin with.
    Stripped(Vec<u8>),
    /// In a way nobody unpacks here, or encrypted.
    Other,
}

/// Language of streams that state none: RFC 9559, 5.1.4.1.19.
const DEFAULT_LANGUAGE: &str = "eng";

/// Largest set-up of a codec that is kept, in bytes.
const LARGEST_PRIVATE: usize = 1 << 20;

/// The streams of a `Tracks`.
pub fn read(tracks: &[u8]) -> Vec<TrackEntry> {
    let entries = children(tracks).filter(|(id, _)| *id == 0xae);
    entries
        .map(|(_, content)| entry(content))
        .take(MOST_TRACKS)
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
            0x536e => track.title = text::of_bytes(value),
            0x0022_b59c => older = text::of_bytes(value),
            0x0022_b59d => newer = text::of_bytes(value),
            0x86 => {
                codec_id = str::from_utf8(value)
                    .unwrap_or_default()
                    .trim_end_matches('\0');
            }
            0x63a2 => private = value,
            0xe0 => video(value, &mut track),
            0xe1 => bits = audio(value, &mut track),
            0x6d80 => found.packing = packing(value),
            0x41e4 => addition(value, &mut track),
            _ => {}
        }
    }
    // RFC 9559, 5.1.4.1.20: the newer element replaces the older one.
    let stated = newer.or(older);
    track.language = language::tag(stated.as_deref().unwrap_or(DEFAULT_LANGUAGE));
    track.codec = codec::name(codec_id, private, bits);
    set_up(&mut track, private);
    found.private = private
        .get(..private.len().min(LARGEST_PRIVATE))
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

fn set_up(track: &mut Track, private: &[u8]) {
    let picture = match track.codec.as_deref() {
        Some("h264") => config::avc(private),
        Some("hevc") => config::hevc(private),
        Some("av1") => config::av1(private),
        Some("vp9") => config::vp9_features(private),
        _ => None,
    };
    if let Some(picture) = picture {
        track.profile = picture.profile;
        track.bit_depth = picture.bit_depth.or(track.bit_depth);
        track.size = picture.size.or(track.size);
    }
}

fn side(value: &[u8]) -> u32 {
    u32::try_from(unsigned(value)).unwrap_or(u32::MAX)
}

fn video(content: &[u8], track: &mut Track) {
    let (mut size, mut shown, mut unit) = ((0, 0), (0, 0), 0);
    for (id, value) in children(content) {
        match id {
            0xb0 => size.0 = side(value),
            0xba => size.1 = side(value),
            0x54b0 => shown.0 = side(value),
            0x54ba => shown.1 = side(value),
            0x54b2 => unit = unsigned(value),
            0x55b0 => colour(value, track),
            0x7670 => track.rotation = roll(value),
            _ => {}
        }
    }
    track.size = Some(size).filter(|size| size.0 > 0 && size.1 > 0);
    // Other units are centimetres, inches and ratios.
    let in_pixels = unit == 0 && shown.0 > 0 && shown.1 > 0;
    let shown = if in_pixels { Some(shown) } else { track.size };
    track.shown = shown.map(|shown| crate::media::shown(shown, (1, 1), track.rotation));
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

/// Quarters of a turn, clockwise; the element counts the other way round.
fn roll(projection: &[u8]) -> u32 {
    let said = children(projection).find(|(id, _)| *id == 0x7675);
    match said.and_then(|(_, value)| float(value)) {
        Some(degrees) if (degrees.abs() - 180.0).abs() < 1.0 => 180,
        Some(degrees) if (degrees - 90.0).abs() < 1.0 => 270,
        Some(degrees) if (degrees + 90.0).abs() < 1.0 => 90,
        _ => 0,
    }
}

/// Bits of a sample, for who needs them.
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
    let says = |(id, value): (u32, &[u8])| id == 0x41e7 && DOLBY_VISION.contains(&unsigned(value));
    if children(content).any(says) {
        track.hdr = Some("Dolby Vision");
    }
}

fn packing(encodings: &[u8]) -> Packing {
    let mut all = children(encodings).filter(|(id, _)| *id == 0x6240);
    let (Some((_, encoding)), None) = (all.next(), all.next()) else {
        return Packing::Other;
    };
    let mut packing = Packing::Zlib;
    for (id, value) in children(encoding) {
        match id {
            // Only the codec's set-up is packed.
            0x5032 if unsigned(value) & 1 == 0 => return Packing::None,
            0x5033 if unsigned(value) != 0 => return Packing::Other,
            0x5034 => packing = compression(value),
            _ => {}
        }
    }
    packing
}

fn compression(content: &[u8]) -> Packing {
    let (mut way, mut prefix) = (0, &[][..]);
    for (id, value) in children(content) {
        match id {
            0x4254 => way = unsigned(value),
            0x4255 => prefix = value,
            _ => {}
        }
    }
    match way {
        0 => Packing::Zlib,
        3 => Packing::Stripped(
            prefix
                .get(..prefix.len().min(1_024))
                .unwrap_or_default()
                .to_vec(),
        ),
        _ => Packing::Other,
    }
}

//! Ogg: pages of streams, RFC 3533. What a stream is, its first packet says; what it is called,
//! its second; how long it is, the last pages.

mod comment;
mod page;

use std::io::{Read, Seek};

use ledge_core::registry::reading::StreamKind;

use crate::codec::four;
use crate::input::{Bytes, Input, ReadResult, damaged};
use crate::media::{MOST_TRACKS, Media, Track, shown};
use page::{Page, page};

/// What every page begins with.
pub const MAGIC: &[u8] = b"OggS";

/// Most pages that are looked at in front.
const MOST: usize = 400;
/// Longest packet of comments, in bytes.
const LONGEST: usize = 1 << 20;
/// How much of the end is searched for the last pages, in bytes.
const TAIL: u64 = 256 << 10;

/// A stream.
struct Logical {
    serial: u32,
    track: Track,
    /// How the place of a page becomes seconds.
    clock: Clock,
    /// The packet of comments as far as it is there.
    second: Option<Vec<u8>>,
    is_read: bool,
}

/// How the place of a page becomes seconds.
#[derive(Clone, Copy)]
enum Clock {
    /// So many in a second, less what is played before the first.
    Rate(f64, u64),
    /// Theora's: key frames in the higher bits, frames since in the lower.
    Frames {
        rate: f64,
        shift: u32,
    },
    Unknown,
}

impl Clock {
    #[expect(clippy::cast_precision_loss, reason = "a fraction of a second at most")]
    fn seconds(self, place: u64) -> Option<f64> {
        match self {
            Self::Rate(rate, ahead) if rate > 0.0 => {
                Some(place.saturating_sub(ahead) as f64 / rate)
            }
            Self::Frames { rate, shift } if rate > 0.0 => {
                let key = place >> shift;
                let since = place - (key << shift);
                Some(key.saturating_add(since) as f64 / rate)
            }
            _ => None,
        }
    }
}

/// What the first packets say, and when the last pages are.
pub fn read<R: Read + Seek>(input: &mut Input<R>) -> ReadResult<Media> {
    let mut streams: Vec<Logical> = Vec::new();
    let mut at = 0;
    for _ in 0..MOST {
        let Some(page) = page(input, at)? else { break };
        at = page.end;
        if page.is_first && streams.len() < MOST_TRACKS {
            let bytes = input.at(page.start, page.length)?;
            streams.extend(begin(page.serial, bytes));
            continue;
        }
        let of_page = streams
            .iter_mut()
            .find(|stream| stream.serial == page.serial);
        if let Some(stream) = of_page
            && !stream.is_read
        {
            gather(input, stream, &page)?;
        }
        if !streams.is_empty() && streams.iter().all(|stream| stream.is_read) {
            break;
        }
    }
    if streams.iter().all(|stream| stream.track.kind.is_none()) {
        return Err(damaged("is an Ogg file of unknown streams"));
    }
    let mut media = Media::of("ogg");
    for stream in &streams {
        if let Some(second) = &stream.second {
            let comments = comment::read(second);
            comment::put(&comments, &stream.track, &mut media);
        }
    }
    last_pages(input, &mut streams)?;
    for stream in streams {
        let mut track = stream.track;
        let second = stream
            .second
            .as_deref()
            .map(comment::read)
            .unwrap_or_default();
        track.language = second.language;
        track.is_default = media.first(track.kind.unwrap_or_default()).is_none();
        media.tracks.push(track);
    }
    media.cover = None;
    Ok(media)
}

/// Adds what a page holds of the second packet.
fn gather<R: Read + Seek>(
    input: &mut Input<R>,
    stream: &mut Logical,
    page: &Page,
) -> ReadResult<()> {
    let bytes = input.at(page.start, page.first_packet.min(LONGEST))?;
    let second = stream.second.get_or_insert_default();
    second.extend(bytes);
    stream.is_read = page.ends_packet || second.len() >= LONGEST;
    Ok(())
}

/// The picture that the comments hold.
pub fn picture<R: Read + Seek>(input: &mut Input<R>) -> ReadResult<Option<Vec<u8>>> {
    let mut second: Option<(u32, Vec<u8>)> = None;
    let mut at = 0;
    for _ in 0..MOST {
        let Some(page) = page(input, at)? else { break };
        at = page.end;
        if page.is_first {
            continue;
        }
        let (serial, bytes) = second.get_or_insert_with(|| (page.serial, Vec::new()));
        if *serial != page.serial {
            continue;
        }
        bytes.extend(input.at(page.start, page.first_packet)?);
        if page.ends_packet || bytes.len() > 44 << 20 {
            break;
        }
    }
    Ok(second.and_then(|(_, bytes)| comment::picture(&bytes)))
}

/// A stream, by its first packet.
fn begin(serial: u32, packet: &[u8]) -> Option<Logical> {
    let (track, clock) = theora(packet)
        .or_else(|| vorbis(packet))
        .or_else(|| opus(packet))
        .or_else(|| flac(packet))
        .or_else(|| speex(packet))
        .or_else(|| ogm(packet))
        .or_else(|| named(packet))?;
    Some(Logical {
        serial,
        track,
        clock,
        second: None,
        is_read: false,
    })
}

fn of(kind: StreamKind, codec: &str) -> Track {
    Track {
        codec: Some(codec.to_owned()),
        ..Track::of(kind)
    }
}

/// Theora's header: specification, 6.2.
fn theora(packet: &[u8]) -> Option<(Track, Clock)> {
    let mut bytes = Bytes(packet.strip_prefix(b"\x80theora")?);
    bytes.skip(3)?;
    let coded = (u32::from(bytes.u16()?) * 16, u32::from(bytes.u16()?) * 16);
    let size = (bytes.u24()?, bytes.u24()?);
    bytes.skip(2)?;
    let (rate, each) = (bytes.u32()?, bytes.u32()?);
    let pixel = (bytes.u24()?, bytes.u24()?);
    bytes.skip(4)?;
    let shift = u32::from(bytes.u16()? >> 5 & 0x1f);
    let size = if size.0 > 0 && size.1 > 0 {
        size
    } else {
        coded
    };
    let stretched = pixel.0 > 0 && pixel.1 > 0;
    let track = Track {
        size: Some(size),
        shown: stretched.then(|| shown(size, pixel, 0)),
        ..of(StreamKind::Video, "theora")
    };
    let rate = f64::from(rate) / f64::from(each.max(1));
    Some((track, Clock::Frames { rate, shift }))
}

fn vorbis(packet: &[u8]) -> Option<(Track, Clock)> {
    let mut bytes = Bytes(packet.strip_prefix(b"\x01vorbis")?);
    bytes.skip(4)?;
    let channels = bytes.u8()?;
    let rate = bytes.u32_le()?;
    let track = Track {
        channels: Some(channels.into()),
        ..of(StreamKind::Audio, "vorbis")
    };
    Some((track, Clock::Rate(rate.into(), 0)))
}

fn opus(packet: &[u8]) -> Option<(Track, Clock)> {
    let mut bytes = Bytes(packet.strip_prefix(b"OpusHead")?);
    bytes.skip(1)?;
    let channels = bytes.u8()?;
    let ahead = bytes.u16_le()?;
    let track = Track {
        channels: Some(channels.into()),
        ..of(StreamKind::Audio, "opus")
    };
    Some((track, Clock::Rate(48_000.0, ahead.into())))
}

fn flac(packet: &[u8]) -> Option<(Track, Clock)> {
    let mut bytes = Bytes(packet.strip_prefix(b"\x7fFLAC")?);
    // Versions, counts, the mark, and STREAMINFO up to the rate.
    bytes.skip(4 + 4 + 4 + 10)?;
    let rate = bytes.u24()? >> 4;
    let track = of(StreamKind::Audio, "flac");
    Some((track, Clock::Rate(rate.into(), 0)))
}

fn speex(packet: &[u8]) -> Option<(Track, Clock)> {
    let mut bytes = Bytes(packet.strip_prefix(b"Speex   ")?);
    bytes.skip(28)?;
    let rate = bytes.u32_le()?;
    let track = of(StreamKind::Audio, "speex");
    Some((track, Clock::Rate(rate.into(), 0)))
}

/// Streams as OGM has them: with the header of Microsoft's own.
fn ogm(packet: &[u8]) -> Option<(Track, Clock)> {
    let mut bytes = Bytes(packet.strip_prefix(b"\x01")?);
    let kind = bytes.take(8)?;
    let four = bytes.tag()?;
    bytes.skip(4)?;
    let unit = bytes.u64_le()?;
    let samples = bytes.u64_le()?;
    bytes.skip(4 + 4 + 2 + 2)?;
    #[expect(clippy::cast_precision_loss, reason = "a fraction of a second at most")]
    let rate = Clock::Rate(1e7 * samples.max(1) as f64 / unit.max(1) as f64, 0);
    match kind {
        b"video\0\0\0" => {
            let size = (bytes.u32_le()?, bytes.u32_le()?);
            let track = Track {
                codec: four::riff(four).map(str::to_owned),
                size: Some(size),
                ..Track::of(StreamKind::Video)
            };
            Some((track, rate))
        }
        b"audio\0\0\0" => {
            // A format tag in hexadecimal digits.
            let codec = match &four {
                b"0055" => Some("mp3"),
                b"2000" => Some("ac3"),
                b"00ff" | b"00FF" => Some("aac"),
                b"0001" => Some("pcm_s16le"),
                _ => None,
            };
            let track = Track {
                codec: codec.map(str::to_owned),
                ..Track::of(StreamKind::Audio)
            };
            Some((track, Clock::Rate(samples_per_second(samples), 0)))
        }
        b"text\0\0\0\0" => Some((of(StreamKind::Subtitle, "text"), Clock::Unknown)),
        _ => None,
    }
}

#[expect(clippy::cast_precision_loss, reason = "a fraction of a second at most")]
fn samples_per_second(samples: u64) -> f64 {
    samples as f64
}

/// Streams of which only the name is told.
fn named(packet: &[u8]) -> Option<(Track, Clock)> {
    let (kind, codec) = if packet.starts_with(b"\x80kate") {
        (StreamKind::Subtitle, "kate")
    } else if packet.starts_with(b"BBCD") {
        (StreamKind::Video, "dirac")
    } else if packet.starts_with(b"OVP80") {
        (StreamKind::Video, "vp8")
    } else {
        return None;
    };
    Some((of(kind, codec), Clock::Unknown))
}

/// The streams' lengths, by the last page of each near the end.
fn last_pages<R: Read + Seek>(input: &mut Input<R>, streams: &mut [Logical]) -> ReadResult<()> {
    let from = input.size().saturating_sub(TAIL);
    let length = usize::try_from(input.size() - from).unwrap_or(0);
    let bytes = input.at(from, length)?;
    for at in bytes
        .windows(4)
        .enumerate()
        .filter(|(_, four)| *four == MAGIC)
    {
        let Some((place, serial)) = page::place(bytes.get(at.0..).unwrap_or_default()) else {
            continue;
        };
        for stream in streams.iter_mut().filter(|stream| stream.serial == serial) {
            stream.track.duration = stream.clock.seconds(place).or(stream.track.duration);
        }
    }
    Ok(())
}

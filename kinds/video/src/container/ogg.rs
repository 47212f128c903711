//! Ogg files (RFC 3533). The first packet of a stream identifies it, the second contains its tags,
//! and the last pages yield the duration.

mod comment;

use std::io::{Read, Seek};

use ledge_core::registry::reading::StreamKind;
use ledge_formats::bytes::ByteReader;
use ledge_formats::ogg::{MAGIC, Page, page, position};
use ledge_formats::{ReadResult, Source, damaged};

use crate::container::media::{MAX_TRACKS, Media, Track, display_size};
use crate::reading::codec::fourcc;

/// Maximum number of pages that are read from the start.
const MAX_PAGES: usize = 400;
/// Maximum size of a comment packet, in bytes.
const MAX_COMMENT_SIZE: usize = 1 << 20;
/// Bytes at the end of the file that are searched for the last pages.
const TAIL_SIZE: u64 = 256 << 10;

/// Logical stream of an Ogg file.
struct LogicalStream {
    serial: u32,
    track: Track,
    /// Conversion of granule positions to seconds.
    clock: Clock,
    /// Bytes of the comment packet that were read so far.
    second: Option<Vec<u8>>,
    is_complete: bool,
}

/// Conversion of granule positions to seconds.
#[derive(Clone, Copy)]
enum Clock {
    /// Positions per second, and the positions to skip at the start.
    Rate(f64, u64),
    /// Theora: the number of the key frame in the upper bits, the frames since then in the lower
    /// bits.
    Frames {
        rate: f64,
        shift: u32,
    },
    Unknown,
}

impl Clock {
    #[expect(clippy::cast_precision_loss, reason = "a fraction of a second at most")]
    fn seconds(self, position: u64) -> Option<f64> {
        match self {
            Self::Rate(rate, skip) if rate > 0.0 => {
                Some(position.saturating_sub(skip) as f64 / rate)
            }
            Self::Frames { rate, shift } if rate > 0.0 => {
                let key = position >> shift;
                let since = position - (key << shift);
                Some(key.saturating_add(since) as f64 / rate)
            }
            _ => None,
        }
    }
}

/// Reads the header packets and the last pages of a file.
pub fn read<R: Read + Seek>(source: &mut Source<R>) -> ReadResult<Media> {
    let mut streams: Vec<LogicalStream> = Vec::new();
    let mut at = 0;
    for _ in 0..MAX_PAGES {
        let Some(page) = page(source, at)? else { break };
        at = page.end;
        if page.is_first && streams.len() < MAX_TRACKS {
            let bytes = source.read_at(page.start, page.length())?;
            streams.extend(identify(page.serial, bytes));
            continue;
        }
        let of_page = streams
            .iter_mut()
            .find(|stream| stream.serial == page.serial);
        if let Some(stream) = of_page
            && !stream.is_complete
        {
            append_comments(source, stream, &page)?;
        }
        if !streams.is_empty() && streams.iter().all(|stream| stream.is_complete) {
            break;
        }
    }
    if streams.iter().all(|stream| stream.track.kind.is_none()) {
        return Err(damaged("is an Ogg file without known streams"));
    }
    let mut media = Media::new("ogg");
    for stream in &streams {
        if let Some(second) = &stream.second {
            let comments = comment::read(second);
            comment::put(&comments, &stream.track, &mut media);
        }
    }
    last_pages(source, &mut streams)?;
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

/// Appends the part of the comment packet that is on a page.
fn append_comments<R: Read + Seek>(
    source: &mut Source<R>,
    stream: &mut LogicalStream,
    page: &Page,
) -> ReadResult<()> {
    let bytes = source.read_at(page.start, page.first_packet.min(MAX_COMMENT_SIZE))?;
    let second = stream.second.get_or_insert_default();
    second.extend(bytes);
    stream.is_complete = page.ends_packet || second.len() >= MAX_COMMENT_SIZE;
    Ok(())
}

/// Returns the picture in the comments.
pub fn picture<R: Read + Seek>(source: &mut Source<R>) -> ReadResult<Option<Vec<u8>>> {
    let mut second: Option<(u32, Vec<u8>)> = None;
    let mut at = 0;
    for _ in 0..MAX_PAGES {
        let Some(page) = page(source, at)? else { break };
        at = page.end;
        if page.is_first {
            continue;
        }
        let (serial, bytes) = second.get_or_insert_with(|| (page.serial, Vec::new()));
        if *serial != page.serial {
            continue;
        }
        bytes.extend(source.read_at(page.start, page.first_packet)?);
        if page.ends_packet || bytes.len() > 44 << 20 {
            break;
        }
    }
    Ok(second.and_then(|(_, bytes)| comment::picture(&bytes)))
}

/// Identifies a stream by its first packet.
fn identify(serial: u32, packet: &[u8]) -> Option<LogicalStream> {
    let (track, clock) = theora(packet)
        .or_else(|| vorbis(packet))
        .or_else(|| opus(packet))
        .or_else(|| flac(packet))
        .or_else(|| speex(packet))
        .or_else(|| ogm(packet))
        .or_else(|| by_signature(packet))?;
    Some(LogicalStream {
        serial,
        track,
        clock,
        second: None,
        is_complete: false,
    })
}

fn new_track(kind: StreamKind, codec: &'static str) -> Track {
    Track::with_codec(kind, Some(codec))
}

/// Parses a Theora identification header (Theora specification, 6.2).
fn theora(packet: &[u8]) -> Option<(Track, Clock)> {
    let mut bytes = ByteReader(packet.strip_prefix(b"\x80theora")?);
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
        display_size: stretched.then(|| display_size(size, pixel, 0)),
        ..new_track(StreamKind::Video, "theora")
    };
    let rate = f64::from(rate) / f64::from(each.max(1));
    Some((track, Clock::Frames { rate, shift }))
}

fn vorbis(packet: &[u8]) -> Option<(Track, Clock)> {
    let mut bytes = ByteReader(packet.strip_prefix(b"\x01vorbis")?);
    bytes.skip(4)?;
    let channels = bytes.u8()?;
    let rate = bytes.u32_le()?;
    let track = Track {
        channels: Some(channels.into()),
        ..new_track(StreamKind::Audio, "vorbis")
    };
    Some((track, Clock::Rate(rate.into(), 0)))
}

fn opus(packet: &[u8]) -> Option<(Track, Clock)> {
    let mut bytes = ByteReader(packet.strip_prefix(b"OpusHead")?);
    bytes.skip(1)?;
    let channels = bytes.u8()?;
    let skip = bytes.u16_le()?;
    let track = Track {
        channels: Some(channels.into()),
        ..new_track(StreamKind::Audio, "opus")
    };
    Some((track, Clock::Rate(48_000.0, skip.into())))
}

fn flac(packet: &[u8]) -> Option<(Track, Clock)> {
    let mut bytes = ByteReader(packet.strip_prefix(b"\x7fFLAC")?);
    // Versions, packet count, signature, and `STREAMINFO` up to the sample rate.
    bytes.skip(4 + 4 + 4 + 10)?;
    let rate = bytes.u24()? >> 4;
    let track = new_track(StreamKind::Audio, "flac");
    Some((track, Clock::Rate(rate.into(), 0)))
}

fn speex(packet: &[u8]) -> Option<(Track, Clock)> {
    let mut bytes = ByteReader(packet.strip_prefix(b"Speex   ")?);
    bytes.skip(28)?;
    let rate = bytes.u32_le()?;
    let track = new_track(StreamKind::Audio, "speex");
    Some((track, Clock::Rate(rate.into(), 0)))
}

/// Parses the header of an OGM stream, which resembles a DirectShow structure.
fn ogm(packet: &[u8]) -> Option<(Track, Clock)> {
    let mut bytes = ByteReader(packet.strip_prefix(b"\x01")?);
    let kind = bytes.take(8)?;
    let code = bytes.tag()?;
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
                size: Some(size),
                ..Track::with_codec(StreamKind::Video, fourcc::riff(code))
            };
            Some((track, rate))
        }
        b"audio\0\0\0" => {
            // A Microsoft format tag in hexadecimal digits.
            let codec = match &code {
                b"0055" => Some("mp3"),
                b"2000" => Some("ac3"),
                b"00ff" | b"00FF" => Some("aac"),
                b"0001" => Some("pcm_s16le"),
                _ => None,
            };
            let track = Track::with_codec(StreamKind::Audio, codec);
            Some((track, Clock::Rate(samples_per_second(samples), 0)))
        }
        b"text\0\0\0\0" => Some((new_track(StreamKind::Subtitle, "text"), Clock::Unknown)),
        _ => None,
    }
}

#[expect(clippy::cast_precision_loss, reason = "a fraction of a second at most")]
fn samples_per_second(samples: u64) -> f64 {
    samples as f64
}

/// Identifies streams of which only the codec is known.
fn by_signature(packet: &[u8]) -> Option<(Track, Clock)> {
    let (kind, codec) = if packet.starts_with(b"\x80kate") {
        (StreamKind::Subtitle, "kate")
    } else if packet.starts_with(b"BBCD") {
        (StreamKind::Video, "dirac")
    } else if packet.starts_with(b"OVP80") {
        (StreamKind::Video, "vp8")
    } else {
        return None;
    };
    Some((new_track(kind, codec), Clock::Unknown))
}

/// Sets the duration of each stream from its last page near the end of the file.
fn last_pages<R: Read + Seek>(
    source: &mut Source<R>,
    streams: &mut [LogicalStream],
) -> ReadResult<()> {
    let from = source.size().saturating_sub(TAIL_SIZE);
    let length = usize::try_from(source.size() - from).unwrap_or(0);
    let bytes = source.read_at(from, length)?;
    for at in bytes
        .windows(4)
        .enumerate()
        .filter(|(_, bytes)| *bytes == MAGIC)
    {
        let Some((position, serial)) = position(bytes.get(at.0..).unwrap_or_default()) else {
            continue;
        };
        for stream in streams.iter_mut().filter(|stream| stream.serial == serial) {
            stream.track.duration = stream.clock.seconds(position).or(stream.track.duration);
        }
    }
    Ok(())
}

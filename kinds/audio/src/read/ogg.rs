//! Ogg: pages of packets. The first packets say what is inside, the last page how long it is.

use std::io::{Read, Seek};

use super::flac::Info;
use super::{Recording, Sound, bitrate, seconds};
use crate::source::{Bytes, ReadResult, Source, damaged};
use crate::tags::{LARGEST_PICTURE, Tags, Want, vorbis};

/// Most bytes of the packets at the beginning: comments may hold pictures.
const LONGEST_HEADERS: usize = LARGEST_PICTURE * 4 / 3 + (1 << 20);

/// Most bytes of comments that are read for their texts.
const LONGEST_TEXTS: usize = 4 << 20;

/// Longest page there can be.
const LONGEST_PAGE: u64 = 27 + 255 + 255 * 255;

/// The head of a page.
#[derive(Debug, Clone)]
struct Page {
    flags: u8,
    granule: u64,
    serial: u32,
    lacing: Vec<u8>,
    body: u64,
}

impl Page {
    fn at<R: Read + Seek>(source: &mut Source<R>, at: u64) -> ReadResult<Option<Self>> {
        let bytes = source.some(at, 27 + 255)?;
        Ok(Self::read(bytes, at))
    }

    fn read(bytes: &[u8], at: u64) -> Option<Self> {
        if !bytes.starts_with(b"OggS") || bytes.u8_at(4)? != 0 {
            return None;
        }
        let segments = usize::from(bytes.u8_at(26)?);
        let lacing = bytes.get(27..27 + segments)?.to_vec();
        Some(Self {
            flags: bytes.u8_at(5)?,
            granule: bytes.le64(6)?,
            serial: bytes.le32(14)?,
            body: at + 27 + u64::try_from(segments).ok()?,
            lacing,
        })
    }

    fn len(&self) -> u64 {
        self.lacing.iter().map(|part| u64::from(*part)).sum()
    }

    fn end(&self) -> u64 {
        self.body + self.len()
    }
}

/// The stream inside.
struct Stream {
    sound: Sound,
    /// Samples a second that positions count in.
    rate: u64,
    /// Samples to be left out at the start.
    skip: u64,
    /// What stands before the comments in their packet.
    comments: &'static [u8],
    /// The length, where it is told at the start.
    duration: Option<f64>,
}

impl Stream {
    fn of(packet: &[u8]) -> Option<Self> {
        if packet.starts_with(b"\x01vorbis") {
            let rate = packet.le32(12)?;
            let nominal = packet.le32(20).filter(|rate| (1..1 << 30).contains(rate));
            return Some(Self {
                sound: Sound {
                    sample_rate: Some(rate),
                    channels: packet.u8_at(11).map(u32::from),
                    bitrate: nominal.map(u64::from),
                    ..Sound::of("vorbis")
                },
                rate: rate.into(),
                skip: 0,
                comments: b"\x03vorbis",
                duration: None,
            });
        }
        if packet.starts_with(b"OpusHead") {
            return Some(Self {
                sound: Sound {
                    // Whatever went in, 48 kHz come out.
                    sample_rate: Some(48_000),
                    channels: packet.u8_at(9).map(u32::from),
                    ..Sound::of("opus")
                },
                rate: 48_000,
                skip: packet.le16(10)?.into(),
                comments: b"OpusTags",
                duration: None,
            });
        }
        if packet.starts_with(b"Speex   ") {
            let rate = packet.le32(36)?;
            return Some(Self {
                sound: Sound {
                    sample_rate: Some(rate),
                    channels: packet.le32(48),
                    ..Sound::of("speex")
                },
                rate: rate.into(),
                skip: 0,
                comments: b"",
                duration: None,
            });
        }
        // FLAC in Ogg: a header, its own mark, and the first block.
        if packet.starts_with(b"\x7fFLAC") {
            let info = Info::read(packet.get(17..)?)?;
            let sound = info.sound();
            return Some(Self {
                rate: sound.sample_rate?.into(),
                sound,
                skip: 0,
                comments: b"",
                duration: info.duration(),
            });
        }
        None
    }
}

/// Reads an Ogg file.
pub(super) fn read<R: Read + Seek>(
    source: &mut Source<R>,
    begin: u64,
    want: Want,
) -> ReadResult<Recording> {
    let (serial, first) = first_sound(source, begin)?;
    let Some(stream) = Stream::of(&first) else {
        return Ok(Recording {
            container: Some("ogg"),
            ..Recording::default()
        });
    };
    let mut tags = Tags::default();
    let most = if want == Want::Picture {
        LONGEST_HEADERS
    } else {
        LONGEST_TEXTS
    };
    if stream.sound.codec == "flac" {
        flac_headers(source, (begin, serial), most, want, &mut tags)?;
    } else {
        let packets = packets(source, (begin, serial), 2, most)?;
        let comments = packets
            .get(1)
            .and_then(|packet| packet.strip_prefix(stream.comments));
        tags = vorbis::read(comments.unwrap_or_default(), want);
    }
    let samples = last_position(source, serial)?;
    let told =
        samples.and_then(|samples| seconds(samples.saturating_sub(stream.skip), stream.rate));
    let duration = told.or(stream.duration);
    let mut sound = stream.sound;
    sound.bitrate = sound.bitrate.or(bitrate(source.len(), duration));
    Ok(Recording {
        container: Some("ogg"),
        sound: Some(sound),
        duration,
        tags,
        ..Recording::default()
    })
}

/// The first packet of the first stream with sound, and the stream's number.
fn first_sound<R: Read + Seek>(source: &mut Source<R>, begin: u64) -> ReadResult<(u32, Vec<u8>)> {
    let mut at = begin;
    let mut first = None;
    // Every stream begins with a page of its own before any goes on.
    for _ in 0..32 {
        let Some(page) = Page::at(source, at)? else {
            break;
        };
        if page.flags & 2 == 0 {
            break;
        }
        let len = usize::try_from(page.len()).unwrap_or(0);
        let packet = source.some(page.body, len)?.to_vec();
        at = page.end();
        if Stream::of(&packet).is_some() {
            return Ok((page.serial, packet));
        }
        first = first.or(Some((page.serial, packet)));
    }
    first.ok_or_else(|| damaged("is Ogg without a first page"))
}

/// The first packets of a stream, as far as they are wanted.
fn packets<R: Read + Seek>(
    source: &mut Source<R>,
    (begin, serial): (u64, u32),
    count: usize,
    most: usize,
) -> ReadResult<Vec<Vec<u8>>> {
    let mut packets = Vec::new();
    let mut packet = Vec::new();
    let mut at = begin;
    let mut total = 0;
    while packets.len() < count && total <= most {
        let Some(page) = Page::at(source, at)? else {
            break;
        };
        at = page.end();
        if page.serial != serial {
            total += 1;
            continue;
        }
        let len = usize::try_from(page.len()).unwrap_or(0);
        let body = source.some(page.body, len)?;
        let mut place = 0;
        total += len.max(1);
        for part in &page.lacing {
            let part_len = usize::from(*part);
            packet.extend(body.get(place..place + part_len).unwrap_or_default());
            place += part_len;
            // A part that is not full is the last of its packet.
            if *part < 255 {
                packets.push(std::mem::take(&mut packet));
                if packets.len() == count {
                    break;
                }
            }
        }
    }
    if packets.len() < count && !packet.is_empty() {
        packets.push(packet);
    }
    Ok(packets)
}

/// The blocks of FLAC in Ogg, each in a packet.
fn flac_headers<R: Read + Seek>(
    source: &mut Source<R>,
    stream: (u64, u32),
    most: usize,
    want: Want,
    tags: &mut Tags,
) -> ReadResult<()> {
    for packet in packets(source, stream, 64, most)?.iter().skip(1) {
        let Some((kind, block)) = packet.split_first_chunk::<4>() else {
            return Ok(());
        };
        match kind[0] & 0x7f {
            4 if want != Want::Picture => tags.fall_back_on(vorbis::read(block, want)),
            6 if want == Want::Picture => vorbis::picture(tags, block),
            _ => {}
        }
        // Frames begin with all bits set.
        if kind[0] & 0x80 != 0 {
            return Ok(());
        }
    }
    Ok(())
}

/// The position of a stream's last page.
fn last_position<R: Read + Seek>(source: &mut Source<R>, serial: u32) -> ReadResult<Option<u64>> {
    let len = source.len();
    // Mostly the last pages are short; one may be as long as there can be.
    for reach in [8 << 10, LONGEST_PAGE + 512, 4 * LONGEST_PAGE] {
        let at = len.saturating_sub(reach);
        let bytes = source.some(at, usize::try_from(reach).unwrap_or(0))?;
        let found = bytes
            .windows(4)
            .enumerate()
            .rev()
            .find_map(|(place, name)| {
                if name != b"OggS" {
                    return None;
                }
                let page = Page::read(bytes.get(place..)?, at)?;
                // All bits set: no packet ends on that page.
                (page.serial == serial && page.granule != u64::MAX).then_some(page.granule)
            });
        if found.is_some() || at == 0 {
            return Ok(found);
        }
    }
    Ok(None)
}

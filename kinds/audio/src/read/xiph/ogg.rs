//! Ogg files: the first packets contain the codec and the tags, the last page the duration.

use std::io::{Read, Seek};

use ledge_formats::bytes::BytesAt;
use ledge_formats::{ReadResult, Source, damaged};

use super::flac::Info;
use crate::read::{Recording, Sound, bitrate, seconds};
use crate::tags::{MAX_PICTURE_SIZE, TagSelection, Tags, vorbis};

/// Maximum size of the header packets, in bytes. Comments may contain pictures in Base64.
const MAX_HEADERS_SIZE: usize = MAX_PICTURE_SIZE * 4 / 3 + (1 << 20);

/// Maximum size of header packets that are read without pictures, in bytes.
const MAX_TEXTS_SIZE: usize = 4 << 20;

/// Maximum size of an Ogg page, in bytes.
const MAX_PAGE_SIZE: u64 = 27 + 255 + 255 * 255;

/// Header of an Ogg page.
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
        let bytes = source.read_at(at, 27 + 255)?;
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

/// Audio stream of an Ogg file.
struct Stream {
    sound: Sound,
    /// Granule positions per second.
    rate: u64,
    /// Samples to skip at the start.
    skip: u64,
    /// Signature before the comments in their packet.
    comments: &'static [u8],
    /// Duration in seconds, if the header contains it.
    duration: Option<f64>,
}

impl Stream {
    fn parse(packet: &[u8]) -> Option<Self> {
        if packet.starts_with(b"\x01vorbis") {
            let rate = packet.le32(12)?;
            let nominal = packet.le32(20).filter(|rate| (1..1 << 30).contains(rate));
            return Some(Self {
                sound: Sound {
                    sample_rate: Some(rate),
                    channels: packet.u8_at(11).map(u32::from),
                    bitrate: nominal.map(u64::from),
                    ..Sound::with_codec("vorbis")
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
                    // Opus always decodes to 48 kHz.
                    sample_rate: Some(48_000),
                    channels: packet.u8_at(9).map(u32::from),
                    ..Sound::with_codec("opus")
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
                    ..Sound::with_codec("speex")
                },
                rate: rate.into(),
                skip: 0,
                comments: b"",
                duration: None,
            });
        }
        // FLAC in Ogg: an Ogg header, the FLAC signature and the `STREAMINFO` block.
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
pub(crate) fn read<R: Read + Seek>(
    source: &mut Source<R>,
    begin: u64,
    selection: TagSelection,
) -> ReadResult<Recording> {
    let (serial, first) = first_sound(source, begin)?;
    let Some(stream) = Stream::parse(&first) else {
        return Ok(Recording {
            container: Some("ogg"),
            ..Recording::default()
        });
    };
    let mut tags = Tags::default();
    let most = if selection == TagSelection::Picture {
        MAX_HEADERS_SIZE
    } else {
        MAX_TEXTS_SIZE
    };
    if stream.sound.codec == "flac" {
        flac_headers(source, (begin, serial), most, selection, &mut tags)?;
    } else {
        let packets = packets(source, (begin, serial), 2, most)?;
        let comments = packets
            .get(1)
            .and_then(|packet| packet.strip_prefix(stream.comments));
        tags = vorbis::read(comments.unwrap_or_default(), selection);
    }
    let samples = last_position(source, serial)?;
    let from_position =
        samples.and_then(|samples| seconds(samples.saturating_sub(stream.skip), stream.rate));
    let duration = from_position.or(stream.duration);
    let mut sound = stream.sound;
    sound.bitrate = sound.bitrate.or(bitrate(source.size(), duration));
    Ok(Recording {
        container: Some("ogg"),
        sound: Some(sound),
        duration,
        tags,
        ..Recording::default()
    })
}

/// Returns the first packet and the serial number of the first audio stream.
fn first_sound<R: Read + Seek>(source: &mut Source<R>, begin: u64) -> ReadResult<(u32, Vec<u8>)> {
    let mut at = begin;
    let mut first = None;
    // The first pages of all streams precede any other page.
    for _ in 0..32 {
        let Some(page) = Page::at(source, at)? else {
            break;
        };
        if page.flags & 2 == 0 {
            break;
        }
        let len = usize::try_from(page.len()).unwrap_or(0);
        let packet = source.read_at(page.body, len)?.to_vec();
        at = page.end();
        if Stream::parse(&packet).is_some() {
            return Ok((page.serial, packet));
        }
        first = first.or(Some((page.serial, packet)));
    }
    first.ok_or_else(|| damaged("is an Ogg file without a first page"))
}

/// Reads the first `count` packets of a stream, at most about `most` bytes.
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
        let body = source.read_at(page.body, len)?;
        let mut offset = 0;
        total += len.max(1);
        for part in &page.lacing {
            let part_len = usize::from(*part);
            packet.extend(body.get(offset..offset + part_len).unwrap_or_default());
            offset += part_len;
            // A segment of fewer than 255 bytes ends a packet.
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

/// Reads the metadata blocks of FLAC in Ogg, one per packet.
fn flac_headers<R: Read + Seek>(
    source: &mut Source<R>,
    stream: (u64, u32),
    most: usize,
    selection: TagSelection,
    tags: &mut Tags,
) -> ReadResult<()> {
    for packet in packets(source, stream, 64, most)?.iter().skip(1) {
        let Some((kind, block)) = packet.split_first_chunk::<4>() else {
            return Ok(());
        };
        match kind[0] & 0x7f {
            4 if selection != TagSelection::Picture => {
                tags.merge_missing(vorbis::read(block, selection));
            }
            6 if selection == TagSelection::Picture => vorbis::picture(tags, block),
            _ => {}
        }
        // The high bit marks the last metadata block.
        if kind[0] & 0x80 != 0 {
            return Ok(());
        }
    }
    Ok(())
}

/// Returns the granule position of a stream's last page.
fn last_position<R: Read + Seek>(source: &mut Source<R>, serial: u32) -> ReadResult<Option<u64>> {
    let len = source.size();
    // The last pages are usually short, so the search range grows step by step.
    for reach in [8 << 10, MAX_PAGE_SIZE + 512, 4 * MAX_PAGE_SIZE] {
        let at = len.saturating_sub(reach);
        let bytes = source.read_at(at, usize::try_from(reach).unwrap_or(0))?;
        let found = bytes
            .windows(4)
            .enumerate()
            .rev()
            .find_map(|(offset, name)| {
                if name != b"OggS" {
                    return None;
                }
                let page = Page::read(bytes.get(offset..)?, at)?;
                // All bits set: no packet ends on this page.
                (page.serial == serial && page.granule != u64::MAX).then_some(page.granule)
            });
        if found.is_some() || at == 0 {
            return Ok(found);
        }
    }
    Ok(None)
}

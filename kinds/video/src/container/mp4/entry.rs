//! Sample descriptions: codec, size, channels and decoder configuration of a track.

use std::io::{Read, Seek};

use ledge_core::registry::reading::StreamKind;
use ledge_formats::bytes::ByteReader;
use ledge_formats::{ReadResult, Source};

use crate::container::media::{Track, display_size, hdr};
use crate::reading::codec::{config, fourcc};
use ledge_formats::bmff::{Atom, in_memory};

/// Maximum bytes that are read of a sample description.
const MAX_SIZE: usize = 64 << 10;

/// Reads the first description of an `stsd` box.
pub(super) fn read<R: Read + Seek>(
    source: &mut Source<R>,
    stsd: Atom,
    track: &mut Track,
) -> ReadResult<()> {
    let bytes = stsd.content(source, 8, MAX_SIZE)?;
    if let Some((format, content)) = in_memory(bytes).next() {
        let _ = match track.kind {
            Some(StreamKind::Video) => video(format, content, track),
            Some(StreamKind::Audio) => audio(format, content, track),
            Some(StreamKind::Subtitle) => text(format, content, track),
            None => None,
        };
    }
    Ok(())
}

fn video(format: [u8; 4], content: &[u8], track: &mut Track) -> Option<()> {
    let mut bytes = ByteReader(content);
    track.codec = fourcc::video(format);
    bytes.skip(24)?;
    let size = (u32::from(bytes.u16()?), u32::from(bytes.u16()?));
    track.size = Some(size).filter(|size| size.0 > 0 && size.1 > 0);
    bytes.skip(50)?;
    for (kind, content) in in_memory(bytes.0) {
        match &kind {
            b"esds" => track.codec = stream_description(content).or(track.codec),
            b"avcC" => track.apply(config::avc(content)),
            b"hvcC" => track.apply(config::hevc(content)),
            b"av1C" => track.apply(config::av1(content)),
            b"vpcC" => track.apply(content.get(4..).and_then(config::vp9)),
            b"dvcC" | b"dvvC" | b"dvwC" => track.hdr = Some("Dolby Vision"),
            b"colr" => track.hdr = track.hdr.or_else(|| colour(content)),
            b"pasp" => pixel_aspect(content, track),
            b"sinf" => track.codec = protected(content).and_then(fourcc::video),
            _ => {}
        }
    }
    if matches!(track.codec, Some("mjpeg" | "png" | "gif" | "tiff")) {
        track.is_still = track.duration.is_none_or(|seconds| seconds < 0.05);
    }
    Some(())
}

fn colour(content: &[u8]) -> Option<&'static str> {
    let mut bytes = ByteReader(content);
    let kind = bytes.tag()?;
    bytes.skip(2)?;
    let transfer = bytes.u16()?;
    (kind == *b"nclx" || kind == *b"nclc").then(|| hdr(transfer.into()))?
}

fn pixel_aspect(content: &[u8], track: &mut Track) {
    let mut bytes = ByteReader(content);
    if let (Some(across), Some(down), Some(size)) = (bytes.u32(), bytes.u32(), track.size)
        && across > 0
        && down > 0
    {
        track.display_size = Some(display_size(size, (across, down), 0));
    }
}

/// Returns the original format of an encrypted track.
fn protected(content: &[u8]) -> Option<[u8; 4]> {
    let (_, format) = in_memory(content).find(|(kind, _)| kind == b"frma")?;
    ByteReader(format).tag()
}

fn audio(format: [u8; 4], content: &[u8], track: &mut Track) -> Option<()> {
    let mut bytes = ByteReader(content);
    bytes.skip(8)?;
    let version = bytes.u16()?;
    bytes.skip(6)?;
    let channels = bytes.u16()?;
    let bits = bytes.u16()?;
    track.codec = fourcc::audio(format, bits);
    track.channels = Some(channels).filter(|count| (1..=255).contains(count));
    bytes.skip(8)?;
    // QuickTime has longer descriptions of version 1 and 2. In MP4 the version is 0 or has another
    // meaning.
    bytes.skip(match version {
        1 if !begins_with_box(bytes.0) => 16,
        2 if !begins_with_box(bytes.0) => 36,
        _ => 0,
    })?;
    sound_boxes(bytes.0, track, 0);
    Some(())
}

/// Returns `true` if boxes begin here. Some writers omit the longer part of a description.
fn begins_with_box(bytes: &[u8]) -> bool {
    let name = bytes.get(4..8).unwrap_or_default();
    name.len() == 4 && name.iter().all(u8::is_ascii_graphic)
}

fn sound_boxes(bytes: &[u8], track: &mut Track, depth: u32) {
    for (kind, content) in in_memory(bytes) {
        match &kind {
            b"esds" => track.codec = stream_description(content).or(track.codec),
            b"wave" if depth == 0 => sound_boxes(content, track, 1),
            b"sinf" => track.codec = protected(content).and_then(|f| fourcc::audio(f, 16)),
            b"dOps" => track.channels = content.get(1).map(|count| u16::from(*count)),
            _ => {}
        }
    }
}

fn text(format: [u8; 4], content: &[u8], track: &mut Track) -> Option<()> {
    track.codec = fourcc::text(format);
    if format == *b"tx3g" {
        // All samples are forced (3GPP TS 26.245, 5.16).
        track.is_forced = ByteReader(content.get(8..)?).u32()? & 0x8000_0000 != 0;
    }
    if format == *b"mp4s" {
        let found = in_memory(content.get(8..)?).find(|(kind, _)| kind == b"esds");
        track.codec = found.and_then(|(_, esds)| stream_description(esds));
    }
    Some(())
}

/// Returns the codec of an elementary stream descriptor (ISO/IEC 14496-1, 7.2.6).
fn stream_description(content: &[u8]) -> Option<&'static str> {
    let mut bytes = ByteReader(content.get(4..)?);
    let mut tag = descriptor(&mut bytes)?;
    if tag == 3 {
        bytes.skip(2)?;
        let flags = bytes.u8()?;
        if flags & 0x80 != 0 {
            bytes.skip(2)?;
        }
        if flags & 0x40 != 0 {
            let url = bytes.u8()?;
            bytes.skip(url.into())?;
        }
        if flags & 0x20 != 0 {
            bytes.skip(2)?;
        }
        tag = descriptor(&mut bytes)?;
    }
    (tag == 4).then(|| fourcc::object_type(bytes.u8()?))?
}

/// Reads the tag of a descriptor and skips its length of one to four bytes.
fn descriptor(bytes: &mut ByteReader<'_>) -> Option<u8> {
    let tag = bytes.u8()?;
    for _ in 0..4 {
        if bytes.u8()? & 0x80 == 0 {
            break;
        }
    }
    Some(tag)
}

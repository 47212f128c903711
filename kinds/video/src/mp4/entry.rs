//! Sample descriptions: what codec a stream is of, and how it is set up.

use std::io::{Read, Seek};

use ledge_core::registry::reading::StreamKind;

use super::atom::{Atom, in_memory};
use crate::codec::{config, four};
use crate::input::{Bytes, Input, ReadResult};
use crate::media::{Track, hdr, shown};

/// Most of a description that is read.
const LONGEST: usize = 64 << 10;

/// Reads the first description of a `stsd`.
pub(super) fn read<R: Read + Seek>(
    input: &mut Input<R>,
    stsd: Atom,
    track: &mut Track,
) -> ReadResult<()> {
    let bytes = stsd.content(input, 8, LONGEST)?;
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

fn owned(codec: Option<&'static str>) -> Option<String> {
    codec.map(str::to_owned)
}

fn video(format: [u8; 4], content: &[u8], track: &mut Track) -> Option<()> {
    let mut bytes = Bytes(content);
    track.codec = owned(four::video(format));
    bytes.skip(24)?;
    let size = (u32::from(bytes.u16()?), u32::from(bytes.u16()?));
    track.size = Some(size).filter(|size| size.0 > 0 && size.1 > 0);
    bytes.skip(50)?;
    for (kind, content) in in_memory(bytes.0) {
        match &kind {
            b"esds" => track.codec = owned(stream_description(content)).or(track.codec.take()),
            b"avcC" => apply(track, config::avc(content)),
            b"hvcC" => apply(track, config::hevc(content)),
            b"av1C" => apply(track, config::av1(content)),
            b"vpcC" => apply(track, content.get(4..).and_then(config::vp9)),
            b"dvcC" | b"dvvC" | b"dvwC" => track.hdr = Some("Dolby Vision"),
            b"colr" => track.hdr = track.hdr.or_else(|| colour(content)),
            b"pasp" => stretch(content, track),
            b"sinf" => track.codec = protected(content).and_then(|f| owned(four::video(f))),
            _ => {}
        }
    }
    if matches!(
        track.codec.as_deref(),
        Some("mjpeg" | "png" | "gif" | "tiff")
    ) {
        track.is_still = track.duration.is_none_or(|seconds| seconds < 0.05);
    }
    Some(())
}

fn apply(track: &mut Track, picture: Option<config::Picture>) {
    let Some(picture) = picture else { return };
    track.profile = picture.profile;
    track.bit_depth = picture.bit_depth;
    // Where both are told, the stream itself is right about its size.
    track.size = picture.size.or(track.size);
    track.hdr = track.hdr.or(picture.hdr);
}

fn colour(content: &[u8]) -> Option<&'static str> {
    let mut bytes = Bytes(content);
    let kind = bytes.tag()?;
    bytes.skip(2)?;
    let transfer = bytes.u16()?;
    (kind == *b"nclx" || kind == *b"nclc").then(|| hdr(transfer.into()))?
}

fn stretch(content: &[u8], track: &mut Track) {
    let mut bytes = Bytes(content);
    if let (Some(across), Some(down), Some(size)) = (bytes.u32(), bytes.u32(), track.size)
        && across > 0
        && down > 0
    {
        track.shown = Some(shown(size, (across, down), 0));
    }
}

/// The format that a protected stream had.
fn protected(content: &[u8]) -> Option<[u8; 4]> {
    let (_, format) = in_memory(content).find(|(kind, _)| kind == b"frma")?;
    Bytes(format).tag()
}

fn audio(format: [u8; 4], content: &[u8], track: &mut Track) -> Option<()> {
    let mut bytes = Bytes(content);
    bytes.skip(8)?;
    let version = bytes.u16()?;
    bytes.skip(6)?;
    let channels = bytes.u16()?;
    let bits = bytes.u16()?;
    track.codec = owned(four::audio(format, bits));
    track.channels = Some(channels).filter(|count| (1..=255).contains(count));
    bytes.skip(8)?;
    // QuickTime's longer descriptions; in MP4 the version is 0, or has no such meaning.
    bytes.skip(match version {
        1 if !holds_boxes(bytes.0) => 16,
        2 if !holds_boxes(bytes.0) => 36,
        _ => 0,
    })?;
    sound_boxes(bytes.0, track, 0);
    Some(())
}

/// Whether boxes stand here already, as some writers leave the longer part out.
fn holds_boxes(bytes: &[u8]) -> bool {
    let name = bytes.get(4..8).unwrap_or_default();
    name.len() == 4 && name.iter().all(u8::is_ascii_graphic)
}

fn sound_boxes(bytes: &[u8], track: &mut Track, depth: u32) {
    for (kind, content) in in_memory(bytes) {
        match &kind {
            b"esds" => track.codec = owned(stream_description(content)).or(track.codec.take()),
            b"wave" if depth == 0 => sound_boxes(content, track, 1),
            b"sinf" => track.codec = protected(content).and_then(|f| owned(four::audio(f, 16))),
            b"dOps" => track.channels = content.get(1).map(|count| u16::from(*count)),
            _ => {}
        }
    }
}

fn text(format: [u8; 4], content: &[u8], track: &mut Track) -> Option<()> {
    track.codec = owned(four::text(format));
    if format == *b"tx3g" {
        // All samples are forced: 3GPP TS 26.245, 5.16.
        track.is_forced = Bytes(content.get(8..)?).u32()? & 0x8000_0000 != 0;
    }
    if format == *b"mp4s" {
        let found = in_memory(content.get(8..)?).find(|(kind, _)| kind == b"esds");
        track.codec = found.and_then(|(_, esds)| owned(stream_description(esds)));
    }
    Some(())
}

/// The object type in an elementary stream's description: ISO/IEC 14496-1, 7.2.6.
fn stream_description(content: &[u8]) -> Option<&'static str> {
    let mut bytes = Bytes(content.get(4..)?);
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
    (tag == 4).then(|| four::object_type(bytes.u8()?))?
}

/// A descriptor's tag; its length is one to four bytes of seven bits.
fn descriptor(bytes: &mut Bytes<'_>) -> Option<u8> {
    let tag = bytes.u8()?;
    for _ in 0..4 {
        if bytes.u8()? & 0x80 == 0 {
            break;
        }
    }
    Some(tag)
}

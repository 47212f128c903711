//! MP4 tracks: handler, codec, duration and sample tables.

use std::io::{Read, Seek};

use ledge_core::text::language;
use ledge_formats::bytes::BytesAt;
use ledge_formats::{ReadResult, Source};

use super::boxes::{Bounds, Boxes, find_path};
use super::codec;

/// Media type of a track.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Handler {
    Sound,
    Video,
    Text,
    #[default]
    Other,
}

/// MP4 track and its sample description.
#[derive(Debug, Clone, Default)]
pub(super) struct Track {
    pub(super) id: u32,
    pub(super) is_enabled: bool,
    pub(super) handler: Handler,
    pub(super) codec: String,
    pub(super) language: Option<String>,
    /// Time units per second.
    pub(super) scale: u32,
    pub(super) duration: Option<f64>,
    pub(super) sample_rate: Option<u32>,
    pub(super) channels: Option<u32>,
    pub(super) bits: Option<u32>,
    pub(super) stated_bitrate: Option<u64>,
    pub(super) size: Option<(i64, i64)>,
    /// Ids of the tracks with this track's chapters.
    pub(super) chapters: Vec<u32>,
    /// Range of the sample table box (`stbl`).
    pub(super) table: Option<Bounds>,
}

impl Track {
    pub(super) fn bitrate(&self) -> Option<u64> {
        self.stated_bitrate.filter(|rate| *rate > 0)
    }
}

/// Reads a track box. Returns `None` if the track has no codec.
pub(super) fn read<R: Read + Seek>(
    source: &mut Source<R>,
    bounds: Bounds,
) -> ReadResult<Option<Track>> {
    let mut track = Track::default();
    let mut parts = Boxes::in_bounds(bounds);
    while let Some((name, inside)) = parts.next(source)? {
        match &name {
            b"tkhd" => track_header(inside.bytes(source, 32)?, &mut track),
            b"tref" => references(source, inside, &mut track)?,
            b"mdia" => media(source, inside, &mut track)?,
            _ => {}
        }
    }
    Ok((!track.codec.is_empty()).then_some(track))
}

fn track_header(header: &[u8], track: &mut Track) {
    let at = if header.u8_at(0) == Some(1) { 20 } else { 12 };
    track.is_enabled = header.u8_at(3).is_some_and(|flags| flags & 1 != 0);
    track.id = header.be32(at).unwrap_or(0);
}

fn references<R: Read + Seek>(
    source: &mut Source<R>,
    bounds: Bounds,
    track: &mut Track,
) -> ReadResult<()> {
    if let Some(chapters) = find_path(source, bounds, &[b"chap"])? {
        let ids = chapters.bytes(source, 64)?.chunks_exact(4);
        track.chapters = ids.filter_map(|id| id.be32(0)).collect();
    }
    Ok(())
}

fn media<R: Read + Seek>(
    source: &mut Source<R>,
    bounds: Bounds,
    track: &mut Track,
) -> ReadResult<()> {
    let mut parts = Boxes::in_bounds(bounds);
    let mut information = None;
    while let Some((name, inside)) = parts.next(source)? {
        match &name {
            b"mdhd" => media_header(inside.bytes(source, 40)?, track),
            b"hdlr" => {
                let kind = inside.bytes(source, 12)?.array_at::<4>(8);
                track.handler = match kind.as_ref() {
                    Some(b"soun") => Handler::Sound,
                    Some(b"vide") => Handler::Video,
                    Some(b"text" | b"sbtl" | b"subt" | b"clcp") => Handler::Text,
                    _ => Handler::Other,
                };
            }
            b"minf" => information = Some(inside),
            _ => {}
        }
    }
    let Some(information) = information else {
        return Ok(());
    };
    if let Some(table) = find_path(source, information, &[b"stbl"])? {
        track.table = Some(table);
        if let Some(descriptions) = find_path(source, table, &[b"stsd"])? {
            codec::describe(source, descriptions, track)?;
        }
    }
    Ok(())
}

fn media_header(header: &[u8], track: &mut Track) {
    let is_long = header.u8_at(0) == Some(1);
    track.duration = super::header_duration(header);
    track.scale = super::header_scale(header);
    track.language = header
        .be16(if is_long { 32 } else { 20 })
        .and_then(packed_language);
}

/// Unpacks a language code of three letters, five bits each.
fn packed_language(packed: u16) -> Option<String> {
    let letter = |shift: u32| {
        u8::try_from(packed >> shift & 31)
            .ok()
            .map(|bits| bits + 0x60)
    };
    let letters = [letter(10)?, letter(5)?, letter(0)?];
    language::tag(str::from_utf8(&letters).ok()?)
}

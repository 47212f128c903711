//! Matroska and WebM files (RFC 8794, RFC 9559).
//!
//! The reader parses the elements before the first cluster, and those that the seek head lists.

pub(crate) mod attachments;
mod chapters;
mod codec;
mod tags;
pub mod track;

use std::io::{Read, Seek};

use ledge_formats::{ReadResult, Source, damaged};

use crate::container::media::Media;
use ledge_formats::ebml::{Element, Elements, children, float, unsigned};
use track::TrackEntry;

/// EBML signature.
pub const MAGIC: &[u8] = &[0x1a, 0x45, 0xdf, 0xa3];

const EBML: u32 = 0x1a45_dfa3;
const SEGMENT: u32 = 0x1853_8067;
const SEEK_HEAD: u32 = 0x114d_9b74;
const INFO: u32 = 0x1549_a966;
const TRACKS: u32 = 0x1654_ae6b;
const CHAPTERS: u32 = 0x1043_a770;
/// Id of the `Attachments` element, which contains fonts and pictures.
pub(crate) const ATTACHMENTS: u32 = 0x1941_a469;
const TAGS: u32 = 0x1254_c367;
/// Id of the `Cues` element, the index of seek points.
pub const CUES: u32 = 0x1c53_bb6b;
/// Id of a `Cluster` element, which contains some seconds of media.
pub const CLUSTER: u32 = 0x1f43_b675;

/// Maximum size of an element that is read as a whole, in bytes.
const MAX_SIZE: usize = 8 << 20;
/// Maximum number of segment children before the first cluster.
const MAX_CHILDREN: usize = 1_000;

/// Positions of the top-level elements of a file.
#[derive(Debug)]
pub struct Parts {
    /// `true` if the document type is `webm`.
    pub is_webm: bool,
    /// Segment element.
    pub segment: Element,
    /// Children of the segment, without clusters.
    pub found: Vec<Element>,
    /// First cluster.
    pub cluster: Option<Element>,
}

impl Parts {
    /// Locates the elements before the first cluster and those in the seek head.
    ///
    /// # Errors
    ///
    /// `ReadError::Damaged` without an EBML header or a segment.
    pub fn find<R: Read + Seek>(source: &mut Source<R>) -> ReadResult<Self> {
        let len = source.size();
        let mut top = Elements::new(0, len);
        let head = top.next(source)?.filter(|head| head.id == EBML);
        let head = head.ok_or_else(|| damaged("is not a Matroska file"))?;
        let is_webm = children(head.content(source, MAX_SIZE)?)
            .any(|(id, content)| id == 0x4282 && content.starts_with(b"webm"));
        let segment = loop {
            match top.next(source)? {
                Some(element) if element.id == SEGMENT => break element,
                Some(_) => {}
                None => return Err(damaged("is a Matroska file without a segment")),
            }
        };
        let mut parts = Self {
            is_webm,
            segment,
            found: Vec::new(),
            cluster: None,
        };
        parts.walk(source)?;
        parts.follow_seek_heads(source)?;
        Ok(parts)
    }

    /// Returns the first element with this id.
    pub fn get(&self, id: u32) -> Option<Element> {
        self.found.iter().find(|part| part.id == id).copied()
    }

    fn walk<R: Read + Seek>(&mut self, source: &mut Source<R>) -> ReadResult<()> {
        let mut elements = Elements::new(self.segment.start, self.segment.end);
        for _ in 0..MAX_CHILDREN {
            match elements.next(source)? {
                Some(element) if element.id == CLUSTER => {
                    self.cluster = Some(element);
                    break;
                }
                Some(element) => self.found.push(element),
                None => break,
            }
        }
        Ok(())
    }

    /// Adds the elements that the seek head lists. It may refer to a second seek head.
    fn follow_seek_heads<R: Read + Seek>(&mut self, source: &mut Source<R>) -> ReadResult<()> {
        let mut followed = 0;
        while followed < 4 {
            let heads = self.found.iter().filter(|part| part.id == SEEK_HEAD);
            let Some(head) = heads.copied().nth(followed) else {
                break;
            };
            followed += 1;
            for (id, at) in entries(head.content(source, MAX_SIZE)?) {
                let at = self.segment.start.saturating_add(at);
                let is_known = self.found.iter().any(|part| part.from == at);
                if is_known || id == CLUSTER || self.found.len() > MAX_CHILDREN {
                    continue;
                }
                let mut target = Elements::new(at, self.segment.end);
                self.found
                    .extend(target.next(source)?.filter(|part| part.id == id));
            }
        }
        Ok(())
    }
}

/// Parses the ids and segment offsets of a seek head.
fn entries(head: &[u8]) -> Vec<(u32, u64)> {
    let entry = |content: &[u8]| {
        let mut found = (None, None);
        for (id, value) in children(content) {
            match id {
                0x53ab => found.0 = u32::try_from(unsigned(value)).ok(),
                0x53ac => found.1 = Some(unsigned(value)),
                _ => {}
            }
        }
        Some((found.0?, found.1?))
    };
    let entries = children(head).filter(|(id, _)| *id == 0x4dbb);
    entries
        .filter_map(|(_, content)| entry(content))
        .take(100)
        .collect()
}

/// Reads the streams, tags, chapters and cover position of a file.
pub fn read<R: Read + Seek>(source: &mut Source<R>) -> ReadResult<Media> {
    let parts = Parts::find(source)?;
    let mut media = Media::new(if parts.is_webm { "webm" } else { "matroska" });
    let tracks = tracks(source, &parts)?;
    if tracks.is_empty() {
        return Err(damaged("is a Matroska file without streams"));
    }
    media.tracks = tracks.into_iter().map(|entry| entry.track).collect();
    if let Some(info) = parts.get(INFO) {
        read_info(info.content(source, MAX_SIZE)?, &mut media);
    }
    for part in &parts.found {
        match part.id {
            CHAPTERS if media.chapters.is_empty() => {
                media.chapters = chapters::read(part.content(source, MAX_SIZE)?);
            }
            ATTACHMENTS if media.cover.is_none() => {
                media.cover = attachments::cover(source, *part)?;
            }
            TAGS => tags::read(part.content(source, MAX_SIZE)?, &mut media),
            _ => {}
        }
    }
    Ok(media)
}

/// Reads the streams with their codec setup and compression.
pub fn tracks<R: Read + Seek>(
    source: &mut Source<R>,
    parts: &Parts,
) -> ReadResult<Vec<TrackEntry>> {
    match parts.get(TRACKS) {
        Some(part) => Ok(track::read(part.content(source, MAX_SIZE)?)),
        None => Err(damaged("is a Matroska file without a list of streams")),
    }
}

/// Returns the timestamp scale in nanoseconds.
pub fn scale<R: Read + Seek>(source: &mut Source<R>, parts: &Parts) -> ReadResult<u64> {
    let Some(info) = parts.get(INFO) else {
        return Ok(DEFAULT_SCALE);
    };
    Ok(scale_of(info.content(source, MAX_SIZE)?))
}

const DEFAULT_SCALE: u64 = 1_000_000;

fn scale_of(info: &[u8]) -> u64 {
    let stated = children(info).find(|(id, _)| *id == 0x002a_d7b1);
    let stated = stated.map(|(_, value)| unsigned(value));
    stated.filter(|scale| *scale > 0).unwrap_or(DEFAULT_SCALE)
}

#[expect(clippy::cast_precision_loss, reason = "a fraction of a second at most")]
fn read_info(info: &[u8], media: &mut Media) {
    let scale = scale_of(info) as f64 / 1e9;
    for (id, value) in children(info) {
        match id {
            0x4489 => media.duration = float(value).map(|length| length * scale),
            0x7ba9 => media.tags.title = crate::reading::text::from_bytes(value),
            _ => {}
        }
    }
    media.duration = media.duration.filter(|length| *length > 0.0);
}

#[cfg(test)]
mod tests;

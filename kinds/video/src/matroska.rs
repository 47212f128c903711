//! Matroska and WebM: elements in elements, RFC 8794 and RFC 9559. What stands before the first
//! cluster is read, and what the file's own directory names behind it.

mod attachments;
mod chapters;
mod codec;
pub mod element;
mod tags;
pub mod track;

use std::io::{Read, Seek};

use crate::input::{Input, ReadResult, damaged};
use crate::media::Media;
use element::{Element, Elements, children, float, unsigned};
use track::TrackEntry;

/// What every such file begins with.
pub const MAGIC: &[u8] = &[0x1a, 0x45, 0xdf, 0xa3];

const EBML: u32 = 0x1a45_dfa3;
const SEGMENT: u32 = 0x1853_8067;
const SEEK_HEAD: u32 = 0x114d_9b74;
const INFO: u32 = 0x1549_a966;
const TRACKS: u32 = 0x1654_ae6b;
const CHAPTERS: u32 = 0x1043_a770;
const ATTACHMENTS: u32 = 0x1941_a469;
const TAGS: u32 = 0x1254_c367;
/// Where the directory of moments is.
pub const CUES: u32 = 0x1c53_bb6b;
/// Some seconds of film.
pub const CLUSTER: u32 = 0x1f43_b675;

/// Largest element that is read as a whole, in bytes.
const LARGEST: usize = 8 << 20;
/// Most elements of the segment that are read before its first cluster.
const MOST_BEFORE: usize = 1_000;

/// Where the parts of a file are.
#[derive(Debug)]
pub struct Parts {
    /// Whether it calls itself WebM.
    pub is_webm: bool,
    /// Its segment.
    pub segment: Element,
    /// The segment's parts but for clusters.
    pub found: Vec<Element>,
    /// The first cluster.
    pub cluster: Option<Element>,
}

impl Parts {
    /// Finds them.
    pub fn find<R: Read + Seek>(input: &mut Input<R>) -> ReadResult<Self> {
        let len = input.size();
        let mut top = Elements::new(0, len);
        let head = top.next(input)?.filter(|head| head.id == EBML);
        let head = head.ok_or_else(|| damaged("is no Matroska file"))?;
        let is_webm = children(head.content(input, LARGEST)?)
            .any(|(id, content)| id == 0x4282 && content.starts_with(b"webm"));
        let segment = loop {
            match top.next(input)? {
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
        parts.walk(input)?;
        parts.follow_directory(input)?;
        Ok(parts)
    }

    /// The part of a name.
    pub fn get(&self, id: u32) -> Option<Element> {
        self.found.iter().find(|part| part.id == id).copied()
    }

    fn walk<R: Read + Seek>(&mut self, input: &mut Input<R>) -> ReadResult<()> {
        let mut elements = Elements::new(self.segment.start, self.segment.end);
        for _ in 0..MOST_BEFORE {
            match elements.next(input)? {
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

    /// Adds what the directory names; it may name a second one.
    fn follow_directory<R: Read + Seek>(&mut self, input: &mut Input<R>) -> ReadResult<()> {
        let mut followed = 0;
        while followed < 4 {
            let heads = self.found.iter().filter(|part| part.id == SEEK_HEAD);
            let Some(head) = heads.copied().nth(followed) else {
                break;
            };
            followed += 1;
            for (id, at) in entries(head.content(input, LARGEST)?) {
                let at = self.segment.start.saturating_add(at);
                let is_known = self.found.iter().any(|part| part.from == at);
                if is_known || id == CLUSTER || self.found.len() > MOST_BEFORE {
                    continue;
                }
                let mut there = Elements::new(at, self.segment.end);
                self.found
                    .extend(there.next(input)?.filter(|part| part.id == id));
            }
        }
        Ok(())
    }
}

/// Ids and places in a directory.
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

/// What a file says about itself.
pub fn read<R: Read + Seek>(input: &mut Input<R>) -> ReadResult<Media> {
    let parts = Parts::find(input)?;
    let mut media = Media::of(if parts.is_webm { "webm" } else { "matroska" });
    let tracks = tracks(input, &parts)?;
    if tracks.is_empty() {
        return Err(damaged("is a Matroska file that names no stream"));
    }
    media.tracks = tracks.into_iter().map(|entry| entry.track).collect();
    if let Some(info) = parts.get(INFO) {
        read_info(info.content(input, LARGEST)?, &mut media);
    }
    for part in &parts.found {
        match part.id {
            CHAPTERS if media.chapters.is_empty() => {
                media.chapters = chapters::read(part.content(input, LARGEST)?);
            }
            ATTACHMENTS if media.cover.is_none() => media.cover = attachments::cover(input, *part)?,
            TAGS => tags::read(part.content(input, LARGEST)?, &mut media),
            _ => {}
        }
    }
    Ok(media)
}

/// The streams, with what unpacking them takes.
pub fn tracks<R: Read + Seek>(input: &mut Input<R>, parts: &Parts) -> ReadResult<Vec<TrackEntry>> {
    match parts.get(TRACKS) {
        Some(part) => Ok(track::read(part.content(input, LARGEST)?)),
        None => Err(damaged("is a Matroska file without its list of streams")),
    }
}

/// Nanoseconds in a unit of time.
pub fn scale<R: Read + Seek>(input: &mut Input<R>, parts: &Parts) -> ReadResult<u64> {
    let Some(info) = parts.get(INFO) else {
        return Ok(DEFAULT_SCALE);
    };
    Ok(scale_of(info.content(input, LARGEST)?))
}

const DEFAULT_SCALE: u64 = 1_000_000;

fn scale_of(info: &[u8]) -> u64 {
    let said = children(info).find(|(id, _)| *id == 0x002a_d7b1);
    let said = said.map(|(_, value)| unsigned(value));
    said.filter(|scale| *scale > 0).unwrap_or(DEFAULT_SCALE)
}

#[expect(clippy::cast_precision_loss, reason = "a fraction of a second at most")]
fn read_info(info: &[u8], media: &mut Media) {
    let scale = scale_of(info) as f64 / 1e9;
    for (id, value) in children(info) {
        match id {
            0x4489 => media.duration = float(value).map(|length| length * scale),
            0x7ba9 => media.tags.title = crate::text::of_bytes(value),
            _ => {}
        }
    }
    media.duration = media.duration.filter(|length| *length > 0.0);
}

#[cfg(test)]
mod tests;

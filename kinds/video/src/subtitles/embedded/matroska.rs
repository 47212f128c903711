//! Extraction of text streams from Matroska files.
//!
//! If `Cues` lists all blocks of the stream, only these are read. Otherwise all clusters are
//! walked.

use std::io::{Read, Seek};
use std::time::Instant;

use flate2::read::ZlibDecoder;
use ledge_formats::{ReadResult, Source};

use super::check_deadline;
use crate::container::matroska::track::{Compression, TrackEntry};
use crate::container::matroska::{CLUSTER, CUES, Parts, scale, tracks};
use crate::subtitles::cue::{self, Cue, MAX_COUNT};
use crate::subtitles::{Format, ass, markup, vtt};
use ledge_formats::ebml::{Element, Elements, children, number, unsigned};

/// Maximum length of a text in bytes, also after decompression.
const MAX_SIZE: usize = 64 << 10;
/// Maximum size of the `Cues` element, in bytes.
const MAX_LIST_SIZE: usize = 32 << 20;
/// Display time of a cue without a duration, in milliseconds.
const DEFAULT_DURATION: u64 = 4_000;
/// Nanoseconds per millisecond.
const MILLISECOND: u64 = 1_000_000;

const TIMESTAMP: u32 = 0xe7;
const SIMPLE_BLOCK: u32 = 0xa3;
const BLOCK_GROUP: u32 = 0xa0;

/// Stream with the cues that were read so far.
struct Reader {
    entry: TrackEntry,
    format: Format,
    /// `true` to keep samples unchanged instead of converting them to `WebVTT`.
    is_raw: bool,
    scale: u64,
    cues: Vec<Cue>,
    /// Total length of the texts, in bytes.
    length: usize,
    /// Indices in `cues` of cues without a duration.
    open: Vec<usize>,
}

pub(super) fn cues<R: Read + Seek>(
    source: &mut Source<R>,
    index: usize,
    deadline: Instant,
) -> ReadResult<Option<Vec<Cue>>> {
    let Some((parts, reader)) = Reader::open(source, index)? else {
        return Ok(None);
    };
    reader.read(source, &parts, deadline).map(Some)
}

/// Reads the script header and the unchanged samples of a `SubStation` Alpha stream. Returns `None`
/// for other formats.
pub(super) fn samples<R: Read + Seek>(
    source: &mut Source<R>,
    index: usize,
    deadline: Instant,
) -> ReadResult<Option<(Vec<u8>, Vec<Cue>)>> {
    let Some((parts, mut reader)) = Reader::open(source, index)? else {
        return Ok(None);
    };
    if reader.format != Format::Ass {
        return Ok(None);
    }
    reader.is_raw = true;
    let head = std::mem::take(&mut reader.entry.private);
    Ok(Some((head, reader.read(source, &parts, deadline)?)))
}

impl Reader {
    /// Prepares a text stream for reading. Returns `None` if the index is not a text stream.
    fn open<R: Read + Seek>(
        source: &mut Source<R>,
        index: usize,
    ) -> ReadResult<Option<(Parts, Self)>> {
        let parts = Parts::find(source)?;
        let Some(entry) = tracks(source, &parts)?.into_iter().nth(index) else {
            return Ok(None);
        };
        let codec = entry.track.codec;
        let Some(format) = codec.and_then(Format::from_codec) else {
            return Ok(None);
        };
        if entry.compression == Compression::Other {
            return Err(ledge_formats::damaged(
                "uses an unsupported compression or encryption for its subtitles",
            ));
        }
        let reader = Self {
            format,
            is_raw: false,
            scale: scale(source, &parts)?,
            entry,
            cues: Vec::new(),
            length: 0,
            open: Vec::new(),
        };
        Ok(Some((parts, reader)))
    }

    fn read<R: Read + Seek>(
        mut self,
        source: &mut Source<R>,
        parts: &Parts,
        deadline: Instant,
    ) -> ReadResult<Vec<Cue>> {
        let positions = self.positions(source, parts)?;
        if positions.is_empty() {
            self.read_all(source, parts, deadline)?;
        } else {
            self.read_listed(source, parts, &positions, deadline)?;
        }
        Ok(self.finish())
    }

    /// Returns cluster positions and relative block positions from `Cues`. Returns an empty list
    /// unless every entry has both.
    fn positions<R: Read + Seek>(
        &self,
        source: &mut Source<R>,
        parts: &Parts,
    ) -> ReadResult<Vec<(u64, u64)>> {
        let Some(list) = parts.get(CUES) else {
            return Ok(Vec::new());
        };
        let list = list.content(source, MAX_LIST_SIZE)?;
        let mut positions = Vec::new();
        for (_, point) in children(list).filter(|(id, _)| *id == 0xbb) {
            for (_, position) in children(point).filter(|(id, _)| *id == 0xb7) {
                let (mut track, mut cluster, mut offset) = (0, None, None);
                for (id, value) in children(position) {
                    match id {
                        0xf7 => track = unsigned(value),
                        0xf1 => cluster = Some(unsigned(value)),
                        0xf0 => offset = Some(unsigned(value)),
                        _ => {}
                    }
                }
                if track != self.entry.track.number {
                    continue;
                }
                let Some(pair) = cluster.zip(offset) else {
                    return Ok(Vec::new());
                };
                positions.push(pair);
            }
        }
        positions.truncate(MAX_COUNT);
        Ok(positions)
    }

    fn read_listed<R: Read + Seek>(
        &mut self,
        source: &mut Source<R>,
        parts: &Parts,
        positions: &[(u64, u64)],
        deadline: Instant,
    ) -> ReadResult<()> {
        for (cluster, position) in positions {
            check_deadline(deadline)?;
            if self.is_full() {
                break;
            }
            let at = parts.segment.start.saturating_add(*cluster);
            let found = Elements::new(at, parts.segment.end).next(source)?;
            let Some(cluster) = found.filter(|found| found.id == CLUSTER) else {
                continue;
            };
            let mut inside = Elements::inside(cluster);
            let mut time = 0;
            // The timestamp is the first child, or follows a checksum.
            for _ in 0..4 {
                match inside.next(source)? {
                    Some(element) if element.id == TIMESTAMP => {
                        time = unsigned(element.content(source, 8)?);
                        break;
                    }
                    Some(_) => {}
                    None => break,
                }
            }
            let at = cluster.start.saturating_add(*position);
            if let Some(element) = Elements::new(at, cluster.end).next(source)? {
                self.block(source, element, time)?;
            }
        }
        Ok(())
    }

    fn read_all<R: Read + Seek>(
        &mut self,
        source: &mut Source<R>,
        parts: &Parts,
        deadline: Instant,
    ) -> ReadResult<()> {
        let Some(first) = parts.cluster else {
            return Ok(());
        };
        let mut elements = Elements::new(first.from, parts.segment.end);
        let (mut time, mut seen) = (0, 0_u32);
        while let Some(element) = elements.next(source)? {
            seen = seen.wrapping_add(1);
            if seen.is_multiple_of(256) {
                check_deadline(deadline)?;
            }
            match element.id {
                CLUSTER => elements.enter(element),
                TIMESTAMP => time = unsigned(element.content(source, 8)?),
                BLOCK_GROUP | SIMPLE_BLOCK => self.block(source, element, time)?,
                _ => {}
            }
            if self.is_full() {
                break;
            }
        }
        Ok(())
    }

    /// Returns `true` at the output limit. Hostile `Cues` may list the same block many times.
    fn is_full(&self) -> bool {
        self.cues.len() >= MAX_COUNT || self.length > cue::MAX_SIZE
    }

    /// Reads the text of a block if it belongs to the stream.
    fn block<R: Read + Seek>(
        &mut self,
        source: &mut Source<R>,
        element: Element,
        time: u64,
    ) -> ReadResult<()> {
        let is_simple = element.id == SIMPLE_BLOCK;
        if !is_simple && element.id != BLOCK_GROUP {
            return Ok(());
        }
        let head = element.content(source, 32)?;
        let block = if is_simple {
            head
        } else {
            children(head)
                .find(|(id, _)| *id == 0xa1)
                .map_or(&[][..], |(_, block)| block)
        };
        // If the block is not the first child of its group, the whole group is read.
        let is_other = track_of(block).is_some_and(|track| track != self.entry.track.number);
        if is_other || element.length() > MAX_SIZE as u64 {
            return Ok(());
        }
        let whole = element.content(source, MAX_SIZE)?;
        if is_simple {
            self.text(whole, time, None);
            return Ok(());
        }
        let (mut block, mut length) = (None, None);
        for (id, value) in children(whole) {
            match id {
                0xa1 => block = Some(value),
                0x9b => length = Some(unsigned(value)),
                _ => {}
            }
        }
        if let Some(block) = block {
            self.text(block, time, length);
        }
        Ok(())
    }

    fn text(&mut self, block: &[u8], time: u64, length: Option<u64>) {
        let found = (|| {
            let (track, used) = number(block)?;
            let [high, low, flags, content @ ..] = block.get(used..)? else {
                return None;
            };
            // Text blocks are never laced.
            let is_own = track == Some(self.entry.track.number) && flags & 6 == 0;
            let offset = i16::from_be_bytes([*high, *low]);
            let start = time.checked_add_signed(offset.into())?;
            is_own.then_some((start, decompressed(content, &self.entry.compression)?))
        })();
        let Some((start, content)) = found else {
            return;
        };
        let content = String::from_utf8_lossy(&content);
        let text = match self.format {
            Format::Srt => markup::html(&content),
            Format::Ass if self.is_raw => content.into_owned(),
            Format::Ass => ass::sample(&content),
            Format::Vtt => vtt::sample(&content),
        };
        let start = self.milliseconds(start);
        let end = start
            .saturating_add(length.map_or(DEFAULT_DURATION, |length| self.milliseconds(length)));
        if let Some(cue) = Cue::new(start, end, text) {
            if length.is_none() {
                self.open.push(self.cues.len());
            }
            self.length += cue.text.len();
            self.cues.push(cue);
        }
    }

    fn milliseconds(&self, ticks: u64) -> u64 {
        let nanoseconds = u128::from(ticks) * u128::from(self.scale);
        u64::try_from(nanoseconds / u128::from(MILLISECOND)).unwrap_or(u64::MAX / 2)
    }

    /// Ends a cue without a duration at the start of the next cue, at the latest.
    fn finish(mut self) -> Vec<Cue> {
        let starts: Vec<u64> = self.cues.iter().map(|cue| cue.start).collect();
        for at in self.open {
            let next = starts.get(at + 1).copied();
            if let Some(cue) = self.cues.get_mut(at)
                && let Some(next) = next.filter(|next| *next > cue.start)
            {
                cue.end = cue.end.min(next);
            }
        }
        self.cues
    }
}

fn track_of(block: &[u8]) -> Option<u64> {
    number(block)?.0
}

fn decompressed(content: &[u8], compression: &Compression) -> Option<Vec<u8>> {
    match compression {
        Compression::None => Some(content.to_vec()),
        Compression::Stripped(head) => Some([head, content].concat()),
        Compression::Zlib => {
            let mut bytes = Vec::new();
            let reader = ZlibDecoder::new(content);
            reader.take(MAX_SIZE as u64).read_to_end(&mut bytes).ok()?;
            Some(bytes)
        }
        Compression::Other => None,
    }
}

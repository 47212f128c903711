//! Texts of Matroska: where the file lists its texts, those places are read; else the film is
//! walked from block to block.

use std::io::{Read, Seek};
use std::time::Instant;

use flate2::read::ZlibDecoder;

use super::in_time;
use crate::input::{Input, ReadResult};
use crate::matroska::element::{Element, Elements, children, number, unsigned};
use crate::matroska::track::{Packing, TrackEntry};
use crate::matroska::{CLUSTER, CUES, Parts, scale, tracks};
use crate::subtitles::cue::{self, Cue, MOST};
use crate::subtitles::{Format, ass, markup, vtt};

/// Longest text, in bytes, also unpacked.
const LONGEST: usize = 64 << 10;
/// Largest list of places, in bytes.
const LARGEST_LIST: usize = 32 << 20;
/// How long a text is shown that does not say, in milliseconds.
const SHOWN: u64 = 4_000;
/// Nanoseconds in a millisecond.
const MILLISECOND: u64 = 1_000_000;

const TIMESTAMP: u32 = 0xe7;
const SIMPLE_BLOCK: u32 = 0xa3;
const BLOCK_GROUP: u32 = 0xa0;

/// A stream, and what is found of it.
struct Reader {
    entry: TrackEntry,
    format: Format,
    /// Whether samples are kept as they are rather than made into `WebVTT`'s text.
    is_raw: bool,
    scale: u64,
    cues: Vec<Cue>,
    /// Bytes of their texts.
    length: usize,
    /// Texts that do not say how long they are shown, by their place in `cues`.
    open: Vec<usize>,
}

pub(super) fn cues<R: Read + Seek>(
    input: &mut Input<R>,
    place: usize,
    deadline: Instant,
) -> ReadResult<Option<Vec<Cue>>> {
    let Some((parts, reader)) = Reader::open(input, place)? else {
        return Ok(None);
    };
    reader.read(input, &parts, deadline).map(Some)
}

/// A stream of `SubStation` Alpha: the script's head, and its samples as they are; `None` where it is
/// of another format.
pub(super) fn samples<R: Read + Seek>(
    input: &mut Input<R>,
    place: usize,
    deadline: Instant,
) -> ReadResult<Option<(Vec<u8>, Vec<Cue>)>> {
    let Some((parts, mut reader)) = Reader::open(input, place)? else {
        return Ok(None);
    };
    if reader.format != Format::Ass {
        return Ok(None);
    }
    reader.is_raw = true;
    let head = std::mem::take(&mut reader.entry.private);
    Ok(Some((head, reader.read(input, &parts, deadline)?)))
}

impl Reader {
    /// A stream of text before it is read; `None` where there is no such.
    fn open<R: Read + Seek>(
        input: &mut Input<R>,
        place: usize,
    ) -> ReadResult<Option<(Parts, Self)>> {
        let parts = Parts::find(input)?;
        let Some(entry) = tracks(input, &parts)?.into_iter().nth(place) else {
            return Ok(None);
        };
        let codec = entry.track.codec.as_deref();
        let Some(format) = codec.and_then(Format::of_codec) else {
            return Ok(None);
        };
        if entry.packing == Packing::Other {
            return Err(crate::input::damaged(
                "packs or encrypts its texts in a way unknown here",
            ));
        }
        let reader = Self {
            format,
            is_raw: false,
            scale: scale(input, &parts)?,
            entry,
            cues: Vec::new(),
            length: 0,
            open: Vec::new(),
        };
        Ok(Some((parts, reader)))
    }

    fn read<R: Read + Seek>(
        mut self,
        input: &mut Input<R>,
        parts: &Parts,
        deadline: Instant,
    ) -> ReadResult<Vec<Cue>> {
        let places = self.places(input, parts)?;
        if places.is_empty() {
            self.walk(input, parts, deadline)?;
        } else {
            self.visit(input, parts, &places, deadline)?;
        }
        Ok(self.finish())
    }

    /// Clusters and places in them where texts of the stream are; empty unless all are told.
    fn places<R: Read + Seek>(
        &self,
        input: &mut Input<R>,
        parts: &Parts,
    ) -> ReadResult<Vec<(u64, u64)>> {
        let Some(list) = parts.get(CUES) else {
            return Ok(Vec::new());
        };
        let list = list.content(input, LARGEST_LIST)?;
        let mut places = Vec::new();
        for (_, point) in children(list).filter(|(id, _)| *id == 0xbb) {
            for (_, position) in children(point).filter(|(id, _)| *id == 0xb7) {
                let (mut track, mut cluster, mut place) = (0, None, None);
                for (id, value) in children(position) {
                    match id {
                        0xf7 => track = unsigned(value),
                        0xf1 => cluster = Some(unsigned(value)),
                        0xf0 => place = Some(unsigned(value)),
                        _ => {}
                    }
                }
                if track != self.entry.track.number {
                    continue;
                }
                let Some(pair) = cluster.zip(place) else {
                    return Ok(Vec::new());
                };
                places.push(pair);
            }
        }
        places.truncate(MOST);
        Ok(places)
    }

    fn visit<R: Read + Seek>(
        &mut self,
        input: &mut Input<R>,
        parts: &Parts,
        places: &[(u64, u64)],
        deadline: Instant,
    ) -> ReadResult<()> {
        for (cluster, place) in places {
            in_time(deadline)?;
            if self.is_full() {
                break;
            }
            let at = parts.segment.start.saturating_add(*cluster);
            let found = Elements::new(at, parts.segment.end).next(input)?;
            let Some(cluster) = found.filter(|found| found.id == CLUSTER) else {
                continue;
            };
            let mut inside = Elements::inside(cluster);
            let mut time = 0;
            // The time stands first, or behind a checksum.
            for _ in 0..4 {
                match inside.next(input)? {
                    Some(element) if element.id == TIMESTAMP => {
                        time = unsigned(element.content(input, 8)?);
                        break;
                    }
                    Some(_) => {}
                    None => break,
                }
            }
            let at = cluster.start.saturating_add(*place);
            if let Some(element) = Elements::new(at, cluster.end).next(input)? {
                self.block(input, element, time)?;
            }
        }
        Ok(())
    }

    fn walk<R: Read + Seek>(
        &mut self,
        input: &mut Input<R>,
        parts: &Parts,
        deadline: Instant,
    ) -> ReadResult<()> {
        let Some(first) = parts.cluster else {
            return Ok(());
        };
        let mut elements = Elements::new(first.from, parts.segment.end);
        let (mut time, mut seen) = (0, 0_u32);
        while let Some(element) = elements.next(input)? {
            seen = seen.wrapping_add(1);
            if seen.is_multiple_of(256) {
                in_time(deadline)?;
            }
            match element.id {
                CLUSTER => elements.enter(element),
                TIMESTAMP => time = unsigned(element.content(input, 8)?),
                BLOCK_GROUP | SIMPLE_BLOCK => self.block(input, element, time)?,
                _ => {}
            }
            if self.is_full() {
                break;
            }
        }
        Ok(())
    }

    /// All places may be the same: what is written is enough.
    fn is_full(&self) -> bool {
        self.cues.len() >= MOST || self.length > cue::LONGEST
    }

    /// Takes a block's text, if it is of the stream.
    fn block<R: Read + Seek>(
        &mut self,
        input: &mut Input<R>,
        element: Element,
        time: u64,
    ) -> ReadResult<()> {
        let is_simple = element.id == SIMPLE_BLOCK;
        if !is_simple && element.id != BLOCK_GROUP {
            return Ok(());
        }
        let head = element.content(input, 32)?;
        let block = if is_simple {
            head
        } else {
            children(head)
                .find(|(id, _)| *id == 0xa1)
                .map_or(&[][..], |(_, block)| block)
        };
        // Where the block does not stand first in its group, the whole group is read.
        let is_other = track_of(block).is_some_and(|track| track != self.entry.track.number);
        if is_other || element.length() > LONGEST as u64 {
            return Ok(());
        }
        let whole = element.content(input, LONGEST)?;
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
            // Texts are never laced.
            let is_own = track == Some(self.entry.track.number) && flags & 6 == 0;
            let offset = i16::from_be_bytes([*high, *low]);
            let start = time.checked_add_signed(offset.into())?;
            is_own.then_some((start, unpacked(content, &self.entry.packing)?))
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
        let end = start.saturating_add(length.map_or(SHOWN, |length| self.milliseconds(length)));
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

    /// A text that does not say how long it is shown goes when the next comes, at the latest.
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

fn unpacked(content: &[u8], packing: &Packing) -> Option<Vec<u8>> {
    match packing {
        Packing::None => Some(content.to_vec()),
        Packing::Stripped(head) => Some([head, content].concat()),
        Packing::Zlib => {
            let mut bytes = Vec::new();
            let reader = ZlibDecoder::new(content);
            reader.take(LONGEST as u64).read_to_end(&mut bytes).ok()?;
            Some(bytes)
        }
        Packing::Other => None,
    }
}

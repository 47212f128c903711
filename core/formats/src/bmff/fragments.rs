//! Length of an MP4 file whose samples are in fragments: ISO/IEC 14496-12, 8.8 and 8.16.
//!
//! | source, in this order | work |
//! |---|---|
//! | length that the movie states (`mehd`) | none |
//! | segment indexes (`sidx`), one or one for each segment | one read per index |
//! | first fragment, and the last ones: found by `mfra` or in the file's end | a few reads |
//! | sum of all fragments, where they state no times | one read per fragment |

use super::{Atom, header, in_memory};
use crate::bytes::BytesAt;
use crate::{ReadResult, limit};

/// Function that reads at most `usize` bytes of the file from a position. It returns fewer at the
/// end of the file.
pub type ReadAt<'a> = dyn FnMut(u64, usize) -> ReadResult<Vec<u8>> + 'a;

/// Maximum number of boxes that are visited.
const MAX_BOXES: usize = 50_000;
/// Maximum size of a movie box, index or fragment that is read, in bytes.
const MAX_SIZE: u64 = 16 << 20;
/// Number of last fragments that are read, because tracks may have separate fragments.
const LAST_FRAGMENTS: usize = 8;
/// Size of the file's end that is searched for the last fragment, in bytes.
const TAIL_SIZE: u64 = 2 << 20;

/// Returns the length in seconds of a fragmented file of `size` bytes. Returns `None` if it is not
/// fragmented, or if the fragments state no length.
pub fn duration(size: u64, read: &mut ReadAt<'_>) -> ReadResult<Option<f64>> {
    let mut walk = Walk {
        at: 0,
        size,
        left: MAX_BOXES,
    };
    let movie = loop {
        match walk.next(read)? {
            Some(found) if found.kind == *b"moov" => break Movie::parse(&content(found, read)?),
            Some(_) => {}
            None => return Ok(None),
        }
    };
    let Some(movie) = movie.filter(|movie| movie.is_fragmented) else {
        return Ok(None);
    };
    if let Some(stated) = movie.stated {
        return Ok(Some(stated));
    }
    let mut span = Span::default();
    let mut is_first = true;
    while let Some(found) = walk.next(read)? {
        match &found.kind {
            b"sidx" => {
                if let Some(index) = Index::parse(&content(found, read)?) {
                    span.add(index.begin, index.end);
                    let end = found.end.saturating_add(index.bytes);
                    walk.at = if end <= size { end } else { found.end };
                }
            }
            b"moof" => {
                let fragment = content(found, read)?;
                let has_times = span.add_fragment(&fragment, &movie);
                if is_first && has_times {
                    walk.at = walk.at.max(last_fragments(size, read)?);
                }
                is_first = false;
            }
            _ => {}
        }
    }
    Ok(span.length(&movie))
}

/// Iterator over the top-level boxes of the file.
struct Walk {
    at: u64,
    size: u64,
    left: usize,
}

impl Walk {
    fn next(&mut self, read: &mut ReadAt<'_>) -> ReadResult<Option<Atom>> {
        if self.size.saturating_sub(self.at) < 8 {
            return Ok(None);
        }
        self.left = self
            .left
            .checked_sub(1)
            .ok_or_else(|| limit("it has too many fragments"))?;
        let found = header(&read(self.at, 16)?, self.at, self.size);
        self.at = found.map_or(self.size, |found| found.end);
        Ok(found)
    }
}

/// Reads the content of a box.
fn content(atom: Atom, read: &mut ReadAt<'_>) -> ReadResult<Vec<u8>> {
    let length = atom.length().min(MAX_SIZE);
    read(atom.start, usize::try_from(length).unwrap_or(0))
}

fn child(bytes: &[u8], kind: [u8; 4]) -> Option<&[u8]> {
    in_memory(bytes)
        .find(|(found, _)| *found == kind)
        .map(|(_, content)| content)
}

/// Track: its id, its timescale in ticks per second, and the default sample duration in ticks.
struct Track {
    number: u32,
    scale: u32,
    each: u32,
}

#[derive(Default)]
struct Movie {
    is_fragmented: bool,
    /// Length of all fragments in seconds, as `mehd` states it.
    stated: Option<f64>,
    /// Length in seconds of the samples outside fragments.
    own: Option<f64>,
    tracks: Vec<Track>,
}

impl Movie {
    fn parse(moov: &[u8]) -> Option<Self> {
        let mut movie = Self::default();
        let (scale, length) = scale_and_length(child(moov, *b"mvhd")?)?;
        movie.own = seconds(length, scale);
        for (kind, trak) in in_memory(moov) {
            if kind == *b"trak" {
                movie.tracks.extend(track(trak));
            }
        }
        if let Some(mvex) = child(moov, *b"mvex") {
            movie.is_fragmented = true;
            let stated = child(mvex, *b"mehd").and_then(|mehd| long_or_short(mehd, 4));
            movie.stated = stated.and_then(|length| seconds(length, scale));
            for (kind, trex) in in_memory(mvex) {
                let found = trex.be32(4).zip(trex.be32(12));
                if kind == *b"trex"
                    && let Some((number, each)) = found
                    && let Some(track) = movie.tracks.iter_mut().find(|t| t.number == number)
                {
                    track.each = each;
                }
            }
        }
        Some(movie)
    }
}

fn track(trak: &[u8]) -> Option<Track> {
    let tkhd = child(trak, *b"tkhd")?;
    let number = tkhd.be32(if *tkhd.first()? == 1 { 20 } else { 12 })?;
    let (scale, _) = scale_and_length(child(child(trak, *b"mdia")?, *b"mdhd")?)?;
    Some(Track {
        number,
        scale,
        each: 0,
    })
}

/// Returns timescale and length of `mvhd` and `mdhd`. A length with all bits set is unknown and
/// becomes 0.
fn scale_and_length(header: &[u8]) -> Option<(u32, u64)> {
    if *header.first()? == 1 {
        let length = header.be64(24)?;
        return Some((
            header.be32(20)?,
            if length == u64::MAX { 0 } else { length },
        ));
    }
    let length = header.be32(16)?;
    let length = if length == u32::MAX { 0 } else { length };
    Some((header.be32(12)?, length.into()))
}

/// Segment index: start and end of its segments in seconds, and their size in bytes.
struct Index {
    begin: f64,
    end: f64,
    bytes: u64,
}

impl Index {
    fn parse(sidx: &[u8]) -> Option<Self> {
        let is_long = *sidx.first()? == 1;
        let scale = sidx.be32(8)?;
        let (begin, offset, list) = if is_long {
            (sidx.be64(12)?, sidx.be64(20)?, 28)
        } else {
            (sidx.be32(12)?.into(), sidx.be32(16)?.into(), 20)
        };
        let count = usize::from(sidx.be16(list + 2)?);
        let (mut bytes, mut ticks) = (offset, begin);
        for entry in sidx.get(list + 4..)?.chunks_exact(12).take(count) {
            bytes = bytes.saturating_add(u64::from(entry.be32(0)? & 0x7fff_ffff));
            ticks = ticks.saturating_add(entry.be32(4)?.into());
        }
        (scale > 0 && ticks > begin).then(|| Self {
            begin: ratio(begin, scale),
            end: ratio(ticks, scale),
            bytes,
        })
    }
}

/// Start and end of the fragments, in seconds.
#[derive(Default)]
struct Span {
    begin: Option<f64>,
    end: f64,
    /// Sum of ticks per track id in fragments without a start time.
    untimed: Vec<(u32, u64)>,
}

impl Span {
    fn add(&mut self, begin: f64, end: f64) {
        self.begin = Some(self.begin.map_or(begin, |known| known.min(begin)));
        self.end = self.end.max(end);
    }

    /// Adds a `moof`. Returns `true` if all its tracks have a start time.
    fn add_fragment(&mut self, moof: &[u8], movie: &Movie) -> bool {
        let mut has_times = true;
        for (_, traf) in in_memory(moof).filter(|(kind, _)| kind == b"traf") {
            let Some(header) = child(traf, *b"tfhd") else {
                continue;
            };
            let Some(track) = header
                .be32(4)
                .and_then(|number| movie.tracks.iter().find(|track| track.number == number))
            else {
                continue;
            };
            let ticks = ticks(traf, header, track);
            let time = child(traf, *b"tfdt").and_then(|tfdt| long_or_short(tfdt, 4));
            if let Some(time) = time.filter(|_| track.scale > 0) {
                let end = time.saturating_add(ticks);
                self.add(ratio(time, track.scale), ratio(end, track.scale));
                continue;
            }
            has_times = false;
            match self.untimed.iter_mut().find(|(n, _)| *n == track.number) {
                Some((_, sum)) => *sum = sum.saturating_add(ticks),
                None => self.untimed.push((track.number, ticks)),
            }
        }
        has_times
    }

    fn length(&self, movie: &Movie) -> Option<f64> {
        let own = movie.own.unwrap_or(0.0);
        // Samples outside fragments come first, at time 0.
        let begin = if own > 0.0 {
            0.0
        } else {
            self.begin.unwrap_or(0.0)
        };
        let scale = |number| movie.tracks.iter().find(|track| track.number == number);
        let untimed = self
            .untimed
            .iter()
            .filter_map(|(number, ticks)| Some(own + seconds(*ticks, scale(*number)?.scale)?));
        let longest = untimed.fold((self.end - begin).max(own), f64::max);
        (longest > 0.0).then_some(longest)
    }
}

/// Returns the length of a track's samples in a fragment, in ticks.
fn ticks(traf: &[u8], header: &[u8], track: &Track) -> u64 {
    let flags = header.be32(0).unwrap_or(0);
    let skipped = [(1, 8), (2, 4)]
        .iter()
        .filter(|(flag, _)| flags & flag != 0)
        .map(|(_, length)| length)
        .sum::<usize>();
    let own = (flags & 8 != 0).then(|| header.be32(8 + skipped)).flatten();
    let each = own.unwrap_or(track.each);
    in_memory(traf)
        .filter(|(kind, _)| kind == b"trun")
        .filter_map(|(_, run)| run_ticks(run, each))
        .fold(0, u64::saturating_add)
}

fn run_ticks(run: &[u8], each: u32) -> Option<u64> {
    let flags = run.be32(0)?;
    let count = run.be32(4)?;
    if flags & 0x100 == 0 {
        return Some(u64::from(count) * u64::from(each));
    }
    let fields = |bits: &[u32]| 4 * bits.iter().filter(|bit| flags & **bit != 0).count();
    let entries = run.get(8 + fields(&[1, 4])..)?;
    let width = fields(&[0x100, 0x200, 0x400, 0x800]);
    let times = entries
        .chunks_exact(width)
        .take(usize::try_from(count).unwrap_or(usize::MAX))
        .filter_map(|entry| entry.be32(0));
    Some(times.map(u64::from).fold(0, u64::saturating_add))
}

/// Returns the position of the last fragments, or 0 if it is unknown.
fn last_fragments(size: u64, read: &mut ReadAt<'_>) -> ReadResult<u64> {
    let from = size.saturating_sub(TAIL_SIZE);
    let tail = read(from, usize::try_from(size - from).unwrap_or(0))?;
    if let Some(at) = random_access(&tail) {
        return Ok(at);
    }
    // Matches the type `moof` followed by its first box, `mfhd` with a length of 16 bytes.
    let is_fragment =
        |w: &[u8]| w.get(4..8) == Some(b"moof") && w.get(8..) == Some(b"\0\0\0\x10mfhd");
    let found = tail.windows(16).enumerate().rev();
    let found = found.filter(|(_, window)| is_fragment(window));
    let earliest = found.take(LAST_FRAGMENTS).last();
    Ok(earliest.map_or(0, |(at, _)| from + at as u64))
}

/// Returns the position of the earliest among the tracks' last fragments, from the index at the end
/// of the file (`mfra`).
fn random_access(tail: &[u8]) -> Option<u64> {
    let length = usize::try_from(tail.be32(tail.len().checked_sub(4)?)?).ok()?;
    let index = tail.get(tail.len().checked_sub(length)?..)?;
    let last = in_memory(child(index, *b"mfra")?)
        .filter(|(kind, _)| kind == b"tfra")
        .filter_map(|(_, tfra)| {
            let is_long = *tfra.first()? == 1;
            let widths = tfra.be32(8)?;
            let width = |shift: u32| ((widths >> shift & 3) + 1) as usize;
            let times = if is_long { 16 } else { 8 };
            let entry = times + width(4) + width(2) + width(0);
            let count = usize::try_from(tfra.be32(12)?).ok()?.checked_sub(1)?;
            let last = tfra.get(16_usize.checked_add(count.checked_mul(entry)?)?..)?;
            if is_long {
                last.be64(8)
            } else {
                last.be32(4).map(u64::from)
            }
        });
    last.min()
}

/// Returns a 64-bit number for version 1, otherwise a 32-bit number.
fn long_or_short(bytes: &[u8], at: usize) -> Option<u64> {
    if *bytes.first()? == 1 {
        bytes.be64(at)
    } else {
        bytes.be32(at).map(u64::from)
    }
}

fn seconds(ticks: u64, scale: u32) -> Option<f64> {
    (ticks > 0 && scale > 0).then(|| ratio(ticks, scale))
}

#[expect(clippy::cast_precision_loss, reason = "a fraction of a second at most")]
fn ratio(ticks: u64, scale: u32) -> f64 {
    ticks as f64 / f64::from(scale)
}

#[cfg(test)]
mod tests;

//! Length of an MP4 file whose samples are in fragments: ISO/IEC 14496-12, 8.8 and 8.16.
//!
//! | source, in this order | work |
//! |---|---|
//! | length that the movie states (`mehd`) | none |
//! | segment indexes (`sidx`), one or one for each segment | one read per index |
//! | first fragment, and the last ones: found by `mfra` or in the file's end | a few reads |
//! | sum of all fragments, where they state no times | one read per fragment |

use crate::registry::reading::ReadError;

/// Reads so many bytes of the file from a position; fewer at its end.
pub type ReadAt<'a> = dyn FnMut(u64, usize) -> Result<Vec<u8>, ReadError> + 'a;

/// Most boxes that are visited one after another.
const MOST_BOXES: usize = 50_000;
/// Largest movie box, index or fragment that is read, in bytes.
const LARGEST: u64 = 16 << 20;
/// Last fragments that are read: tracks may have fragments of their own.
const LAST: usize = 8;
/// How much of the file's end is searched for the last fragment, in bytes.
const TAIL: u64 = 2 << 20;

/// Returns the length in seconds of a fragmented file of `size` bytes; `None` where it is not
/// fragmented, or where the fragments state no length.
pub fn duration(size: u64, read: &mut ReadAt<'_>) -> Result<Option<f64>, ReadError> {
    let mut walk = Walk {
        at: 0,
        size,
        left: MOST_BOXES,
    };
    let movie = loop {
        match walk.next(read)? {
            Some(found) if found.kind == *b"moov" => break Movie::parse(&found.content(read)?),
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
                if let Some(index) = Index::parse(&found.content(read)?) {
                    span.add(index.begin, index.end);
                    let end = found.end.saturating_add(index.bytes);
                    walk.at = if end <= size { end } else { found.end };
                }
            }
            b"moof" => {
                let fragment = found.content(read)?;
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

/// A box of the file.
struct Found {
    kind: [u8; 4],
    start: u64,
    end: u64,
}

impl Found {
    fn content(&self, read: &mut ReadAt<'_>) -> Result<Vec<u8>, ReadError> {
        let length = self.end.saturating_sub(self.start).min(LARGEST);
        read(self.start, usize::try_from(length).unwrap_or(0))
    }
}

/// The boxes of the file, one after another.
struct Walk {
    at: u64,
    size: u64,
    left: usize,
}

impl Walk {
    fn next(&mut self, read: &mut ReadAt<'_>) -> Result<Option<Found>, ReadError> {
        if self.size.saturating_sub(self.at) < 8 {
            return Ok(None);
        }
        self.left = self
            .left
            .checked_sub(1)
            .ok_or_else(|| ReadError::Limit("it has too many fragments".to_owned()))?;
        let head = read(self.at, 16)?;
        let Some((kind, header, length)) = header(&head, self.size - self.at) else {
            return Ok(None);
        };
        let found = Found {
            kind,
            start: self.at + header,
            end: self.at.saturating_add(length).min(self.size),
        };
        self.at = found.end;
        Ok(Some(found))
    }
}

/// A box's name, the length of its header, and its own length.
fn header(head: &[u8], rest: u64) -> Option<([u8; 4], u64, u64)> {
    let kind = array(head, 4)?;
    let (header, length) = match be32(head, 0)? {
        0 => (8, rest),
        1 => (16, be64(head, 8)?),
        short => (8, short.into()),
    };
    (length >= header).then_some((kind, header, length))
}

/// The boxes in a box: name and content.
fn boxes(mut bytes: &[u8]) -> impl Iterator<Item = ([u8; 4], &[u8])> {
    std::iter::from_fn(move || {
        let (kind, start, length) = header(bytes, bytes.len() as u64)?;
        let end = usize::try_from(length)
            .unwrap_or(usize::MAX)
            .min(bytes.len());
        let content = bytes.get(usize::try_from(start).ok()?..end)?;
        bytes = bytes.get(end..)?;
        Some((kind, content))
    })
}

fn child(bytes: &[u8], kind: [u8; 4]) -> Option<&[u8]> {
    boxes(bytes)
        .find(|(found, _)| *found == kind)
        .map(|(_, content)| content)
}

/// A track: its number, ticks in a second, and the length of a sample that states none.
struct Track {
    number: u32,
    scale: u32,
    each: u32,
}

#[derive(Default)]
struct Movie {
    is_fragmented: bool,
    /// Length of all fragments in seconds, as the movie states it.
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
        for (kind, trak) in boxes(moov) {
            if kind == *b"trak" {
                movie.tracks.extend(track(trak));
            }
        }
        if let Some(mvex) = child(moov, *b"mvex") {
            movie.is_fragmented = true;
            let stated = child(mvex, *b"mehd").and_then(|mehd| long_or_short(mehd, 4));
            movie.stated = stated.and_then(|length| seconds(length, scale));
            for (kind, trex) in boxes(mvex) {
                let found = be32(trex, 4).zip(be32(trex, 12));
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
    let number = be32(tkhd, if *tkhd.first()? == 1 { 20 } else { 12 })?;
    let (scale, _) = scale_and_length(child(child(trak, *b"mdia")?, *b"mdhd")?)?;
    Some(Track {
        number,
        scale,
        each: 0,
    })
}

/// Scale and length of `mvhd` and `mdhd`. All bits set stand for an unknown length.
fn scale_and_length(header: &[u8]) -> Option<(u32, u64)> {
    if *header.first()? == 1 {
        let length = be64(header, 24)?;
        return Some((
            be32(header, 20)?,
            if length == u64::MAX { 0 } else { length },
        ));
    }
    let length = be32(header, 16)?;
    let length = if length == u32::MAX { 0 } else { length };
    Some((be32(header, 12)?, length.into()))
}

/// A segment index: when its segments begin and end, and how many bytes they take.
struct Index {
    begin: f64,
    end: f64,
    bytes: u64,
}

impl Index {
    fn parse(sidx: &[u8]) -> Option<Self> {
        let is_long = *sidx.first()? == 1;
        let scale = be32(sidx, 8)?;
        let (begin, offset, list) = if is_long {
            (be64(sidx, 12)?, be64(sidx, 20)?, 28)
        } else {
            (be32(sidx, 12)?.into(), be32(sidx, 16)?.into(), 20)
        };
        let count = usize::from(u16::from_be_bytes(array(sidx, list + 2)?));
        let (mut bytes, mut ticks) = (offset, begin);
        for entry in sidx.get(list + 4..)?.chunks_exact(12).take(count) {
            bytes = bytes.saturating_add(u64::from(be32(entry, 0)? & 0x7fff_ffff));
            ticks = ticks.saturating_add(be32(entry, 4)?.into());
        }
        (scale > 0 && ticks > begin).then(|| Self {
            begin: ratio(begin, scale),
            end: ratio(ticks, scale),
            bytes,
        })
    }
}

/// When the fragments begin and end.
#[derive(Default)]
struct Span {
    begin: Option<f64>,
    end: f64,
    /// Ticks of each track in fragments that state no time.
    untimed: Vec<(u32, u64)>,
}

impl Span {
    fn add(&mut self, begin: f64, end: f64) {
        self.begin = Some(self.begin.map_or(begin, |known| known.min(begin)));
        self.end = self.end.max(end);
    }

    /// Adds a `moof`; returns whether all of its tracks state their times.
    fn add_fragment(&mut self, moof: &[u8], movie: &Movie) -> bool {
        let mut has_times = true;
        for (_, traf) in boxes(moof).filter(|(kind, _)| kind == b"traf") {
            let Some(header) = child(traf, *b"tfhd") else {
                continue;
            };
            let Some(track) = be32(header, 4)
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

/// Length of a track's samples in a fragment, in ticks.
fn ticks(traf: &[u8], header: &[u8], track: &Track) -> u64 {
    let flags = be32(header, 0).unwrap_or(0);
    let skipped = [(1, 8), (2, 4)]
        .iter()
        .filter(|(flag, _)| flags & flag != 0)
        .map(|(_, length)| length)
        .sum::<usize>();
    let own = (flags & 8 != 0)
        .then(|| be32(header, 8 + skipped))
        .flatten();
    let each = own.unwrap_or(track.each);
    boxes(traf)
        .filter(|(kind, _)| kind == b"trun")
        .filter_map(|(_, run)| run_ticks(run, each))
        .fold(0, u64::saturating_add)
}

fn run_ticks(run: &[u8], each: u32) -> Option<u64> {
    let flags = be32(run, 0)?;
    let count = be32(run, 4)?;
    if flags & 0x100 == 0 {
        return Some(u64::from(count) * u64::from(each));
    }
    let fields = |bits: &[u32]| 4 * bits.iter().filter(|bit| flags & **bit != 0).count();
    let entries = run.get(8 + fields(&[1, 4])..)?;
    let width = fields(&[0x100, 0x200, 0x400, 0x800]);
    let times = entries
        .chunks_exact(width)
        .take(usize::try_from(count).unwrap_or(usize::MAX))
        .filter_map(|entry| be32(entry, 0));
    Some(times.map(u64::from).fold(0, u64::saturating_add))
}

/// Where the last fragments begin; 0 where that is not known.
fn last_fragments(size: u64, read: &mut ReadAt<'_>) -> Result<u64, ReadError> {
    let from = size.saturating_sub(TAIL);
    let tail = read(from, usize::try_from(size - from).unwrap_or(0))?;
    if let Some(at) = random_access(&tail) {
        return Ok(at);
    }
    // The name `moof`, whose first box is a header of 16 bytes.
    let is_fragment =
        |w: &[u8]| w.get(4..8) == Some(b"moof") && w.get(8..) == Some(b"\0\0\0\x10mfhd");
    let found = tail.windows(16).enumerate().rev();
    let found = found.filter(|(_, window)| is_fragment(window));
    let earliest = found.take(LAST).last();
    Ok(earliest.map_or(0, |(at, _)| from + at as u64))
}

/// The earliest of the tracks' last fragments by the index at the file's end: `mfra`.
fn random_access(tail: &[u8]) -> Option<u64> {
    let length = usize::try_from(be32(tail, tail.len().checked_sub(4)?)?).ok()?;
    let index = tail.get(tail.len().checked_sub(length)?..)?;
    let last = boxes(child(index, *b"mfra")?)
        .filter(|(kind, _)| kind == b"tfra")
        .filter_map(|(_, tfra)| {
            let is_long = *tfra.first()? == 1;
            let widths = be32(tfra, 8)?;
            let width = |shift: u32| ((widths >> shift & 3) + 1) as usize;
            let times = if is_long { 16 } else { 8 };
            let entry = times + width(4) + width(2) + width(0);
            let count = usize::try_from(be32(tfra, 12)?).ok()?.checked_sub(1)?;
            let last = tfra.get(16_usize.checked_add(count.checked_mul(entry)?)?..)?;
            if is_long {
                be64(last, 8)
            } else {
                be32(last, 4).map(u64::from)
            }
        });
    last.min()
}

/// A number of 64 bits where the version says so, else of 32.
fn long_or_short(bytes: &[u8], at: usize) -> Option<u64> {
    if *bytes.first()? == 1 {
        be64(bytes, at)
    } else {
        be32(bytes, at).map(u64::from)
    }
}

fn seconds(ticks: u64, scale: u32) -> Option<f64> {
    (ticks > 0 && scale > 0).then(|| ratio(ticks, scale))
}

#[expect(clippy::cast_precision_loss, reason = "a fraction of a second at most")]
fn ratio(ticks: u64, scale: u32) -> f64 {
    ticks as f64 / f64::from(scale)
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk().copied()
}

fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    array(bytes, at).map(u32::from_be_bytes)
}

fn be64(bytes: &[u8], at: usize) -> Option<u64> {
    array(bytes, at).map(u64::from_be_bytes)
}

#[cfg(test)]
mod tests;

//! Tags at the end of a file: ID3v1, Lyrics3, APE, ID3v2 with a footer.

use std::io::{Read, Seek};

use super::Recording;
use crate::source::{ReadResult, Source};
use crate::tags::{Tags, Want, ape, id3};

/// What stands behind the sound, and where the sound ends.
pub(super) struct Tail {
    pub(super) tags: Tags,
    pub(super) sound_end: u64,
}

/// Reads the tags behind the sound. An APE tag stands before an old ID3 one, of which it is better.
pub(super) fn read<R: Read + Seek>(source: &mut Source<R>, want: Want) -> ReadResult<Tail> {
    let mut tags = Tags::default();
    let mut end = source.len();
    let mut old = None;
    // One read of the end serves all of them, mostly.
    source.some(end.saturating_sub(1024), 1024)?;
    if let Some(v1) = id3::read_v1(source, end)? {
        old = Some(v1);
        end -= id3::V1_SIZE;
    }
    if let Some(begin) = lyrics3(source, end)? {
        end = begin;
    }
    if let Some((ape, begin)) = ape::read(source, end, want)? {
        tags = ape;
        end = begin;
    }
    if let Some(old) = old.filter(|_| want != Want::Picture) {
        tags.fall_back_on(old);
    }
    Ok(Tail {
        tags,
        sound_end: end,
    })
}

/// Where a Lyrics3 block begins that ends here. What it says is as old as it is rare: passed over.
fn lyrics3<R: Read + Seek>(source: &mut Source<R>, end: u64) -> ReadResult<Option<u64>> {
    let Some(at) = end.checked_sub(15) else {
        return Ok(None);
    };
    let mark = source.some(at, 15)?;
    let Some(digits) = mark.strip_suffix(b"LYRICS200") else {
        return Ok(None);
    };
    let size = std::str::from_utf8(digits)
        .ok()
        .and_then(|digits| digits.parse::<u64>().ok());
    Ok(size.and_then(|size| at.checked_sub(size)))
}

/// Puts what stands at the end behind what a recording says already.
pub(super) fn add<R: Read + Seek>(
    source: &mut Source<R>,
    want: Want,
    recording: &mut Recording,
) -> ReadResult<()> {
    let tail = read(source, want)?;
    recording.tags.fall_back_on(tail.tags);
    Ok(())
}

//! Tags at the end of a file: ID3v1, Lyrics3 and APE.

use std::io::{Read, Seek};

use ledge_formats::{ReadResult, Source};

use crate::tags::{TagSelection, Tags, ape, id3};

/// Tags after the audio data, and the offset at which the audio data ends.
pub(super) struct Tail {
    pub(super) tags: Tags,
    pub(super) sound_end: u64,
}

/// Reads the tags after the audio data. An APE tag takes precedence over ID3v1, whose fields are
/// truncated.
pub(super) fn read<R: Read + Seek>(
    source: &mut Source<R>,
    selection: TagSelection,
) -> ReadResult<Tail> {
    let mut tags = Tags::default();
    let mut end = source.size();
    let mut old = None;
    // This read usually caches the bytes for all tag formats.
    source.read_at(end.saturating_sub(1024), 1024)?;
    if let Some(v1) = id3::read_v1(source, end)? {
        old = Some(v1);
        end -= id3::V1_SIZE;
    }
    if let Some(begin) = lyrics3(source, end)? {
        end = begin;
    }
    if let Some((ape, begin)) = ape::read(source, end, selection)? {
        tags = ape;
        end = begin;
    }
    if let Some(old) = old.filter(|_| selection != TagSelection::Picture) {
        tags.merge_missing(old);
    }
    Ok(Tail {
        tags,
        sound_end: end,
    })
}

/// Returns the start of a Lyrics3 block that ends at `end`. Its content is ignored: the format is
/// obsolete and rare.
fn lyrics3<R: Read + Seek>(source: &mut Source<R>, end: u64) -> ReadResult<Option<u64>> {
    let Some(at) = end.checked_sub(15) else {
        return Ok(None);
    };
    let mark = source.read_at(at, 15)?;
    let Some(digits) = mark.strip_suffix(b"LYRICS200") else {
        return Ok(None);
    };
    let size = std::str::from_utf8(digits)
        .ok()
        .and_then(|digits| digits.parse::<u64>().ok());
    Ok(size.and_then(|size| at.checked_sub(size)))
}

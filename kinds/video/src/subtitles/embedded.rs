//! Text that is a stream of the film: of Matroska and MP4.

mod matroska;
mod mp4;

use std::io::{Read, Seek};
use std::time::Instant;

use ledge_core::registry::reading::{ReadError, StreamKind};

use super::cue::Cue;
use super::{Format, charset};
use crate::input::{Input, ReadResult};
use crate::inspect;
use crate::media::Track;

/// Most of a film that is read for its texts, in bytes.
const MOST: u64 = 1 << 30;

/// A stream of text.
#[derive(Debug, Clone, PartialEq)]
pub struct TextTrack {
    /// Its place among all streams of the file.
    pub place: usize,
    /// The stream.
    pub track: Track,
    /// Its format.
    pub format: Format,
}

/// The streams of text of a film. Subtitles that are pictures are none.
pub fn list(reader: impl Read + Seek) -> ReadResult<Vec<TextTrack>> {
    let Some(media) = inspect::media(reader)? else {
        return Ok(Vec::new());
    };
    if !matches!(media.container, "mp4" | "matroska" | "webm") {
        return Ok(Vec::new());
    }
    let streams = media.tracks.into_iter().enumerate();
    let texts = streams.filter(|(_, track)| track.kind == Some(StreamKind::Subtitle));
    Ok(texts
        .filter_map(|(place, track)| {
            let format = Format::of_codec(track.codec.as_deref()?)?;
            Some(TextTrack {
                place,
                track,
                format,
            })
        })
        .collect())
}

/// The texts of a stream; `None` where there is no such.
pub fn cues(
    reader: impl Read + Seek,
    place: usize,
    deadline: Instant,
) -> ReadResult<Option<Vec<Cue>>> {
    let mut input = Input::sparse(reader, MOST)?;
    let head = input.at(0, 16)?;
    if head.starts_with(crate::matroska::MAGIC) {
        matroska::cues(&mut input, place, deadline)
    } else if crate::mp4::begins(head) {
        mp4::cues(&mut input, place, deadline)
    } else {
        Ok(None)
    }
}

/// The script of a stream of `SubStation` Alpha, put together again; `None` where it is none.
pub fn script(
    reader: impl Read + Seek,
    place: usize,
    deadline: Instant,
) -> ReadResult<Option<String>> {
    let mut input = Input::sparse(reader, MOST)?;
    // Only Matroska has such streams.
    if !input.at(0, 16)?.starts_with(crate::matroska::MAGIC) {
        return Ok(None);
    }
    let found = matroska::samples(&mut input, place, deadline)?;
    Ok(found
        .map(|(head, samples)| super::script::of_stream(&charset::decode(&head, None), samples)))
}

/// Gives up when the time has come.
fn in_time(deadline: Instant) -> ReadResult<()> {
    if Instant::now() < deadline {
        return Ok(());
    }
    Err(ReadError::Limit(
        "finding its texts took too long".to_owned(),
    ))
}

#[cfg(test)]
mod tests;

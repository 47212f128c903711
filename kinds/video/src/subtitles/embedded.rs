//! Text subtitle streams in Matroska and MP4 files.

mod matroska;
mod mp4;

use std::io::{Read, Seek};
use std::time::Instant;

use ledge_core::error::ReadError;
use ledge_core::registry::reading::StreamKind;
use ledge_formats::{ReadLimits, ReadResult, Source};

use super::cue::Cue;
use super::{Format, charset};
use crate::container::media::Track;
use crate::reading::inspect;

/// Limits of extracting the subtitles of a film. The samples are small and far apart.
const READ_LIMITS: ReadLimits = ReadLimits {
    chunk: 512,
    ..ReadLimits::with_bytes(1 << 30)
};

/// Text subtitle stream.
#[derive(Debug, Clone, PartialEq)]
pub struct TextTrack {
    /// Index in the file's list of streams.
    pub index: usize,
    /// Properties of the stream.
    pub track: Track,
    /// Format of the text.
    pub format: Format,
}

/// Lists the text subtitle streams of a film. Bitmap subtitles are excluded.
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
        .filter_map(|(index, track)| {
            let format = Format::from_codec(track.codec?)?;
            Some(TextTrack {
                index,
                track,
                format,
            })
        })
        .collect())
}

/// Extracts the cues of a stream. Returns `None` if the index is not a text stream.
pub fn cues(
    reader: impl Read + Seek,
    index: usize,
    deadline: Instant,
) -> ReadResult<Option<Vec<Cue>>> {
    let mut source = Source::new(reader, READ_LIMITS)?;
    let head = source.read_at(0, 16)?;
    if head.starts_with(crate::container::matroska::MAGIC) {
        matroska::cues(&mut source, index, deadline)
    } else if crate::container::mp4::begins(head) {
        mp4::cues(&mut source, index, deadline)
    } else {
        Ok(None)
    }
}

/// Rebuilds the script of a `SubStation` Alpha stream. Returns `None` for other streams.
pub fn script(
    reader: impl Read + Seek,
    index: usize,
    deadline: Instant,
) -> ReadResult<Option<String>> {
    let mut source = Source::new(reader, READ_LIMITS)?;
    // Only Matroska has such streams.
    if !source
        .read_at(0, 16)?
        .starts_with(crate::container::matroska::MAGIC)
    {
        return Ok(None);
    }
    let found = matroska::samples(&mut source, index, deadline)?;
    Ok(found
        .map(|(head, samples)| super::script::from_stream(&charset::decode(&head, None), samples)))
}

/// Returns an error after the deadline.
fn check_deadline(deadline: Instant) -> ReadResult<()> {
    if Instant::now() < deadline {
        return Ok(());
    }
    Err(ReadError::Limit(
        "extracting the subtitles took too long".to_owned(),
    ))
}

#[cfg(test)]
mod tests;

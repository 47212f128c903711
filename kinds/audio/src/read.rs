//! Format detection and the common part of all readers.

mod asf;
mod format;
mod matroska;
pub(crate) mod mp4;
mod tail;
mod ape_tagged {
    pub(super) mod ape;
    pub(super) mod musepack;
    pub(super) mod wavpack;
}
mod chunks {
    pub(super) mod aiff;
    pub(super) mod plain;
    pub(super) mod wav;
}
mod frames {
    pub(super) mod mpeg;
    pub(super) mod streams;
}
mod xiph {
    pub(super) mod flac;
    pub(super) mod ogg;
}

use std::io::{Read, Seek};
use std::time::{Duration, Instant};

use ledge_core::error::ReadError;
use ledge_core::registry::reading::{Chapter, Stream};
use ledge_formats::{ReadLimits, ReadResult, Source, damaged};

use crate::chapters::cue;
use crate::tags::{Key, TagSelection, Tags, id3};
use format::AudioFormat;

/// Maximum bytes read per file. The limit allows for large pictures and for counting frames.
const MAX_BYTES: u64 = 192 << 20;
/// Maximum number of reads per file.
const MAX_READS: u32 = 100_000;
/// Minimum bytes per read.
const MIN_READ: usize = 4 << 10;

/// Wraps a file with the limits of this kind. Reads fail after `time_limit`.
pub(crate) fn open<R: Read + Seek>(reader: R, time_limit: Duration) -> ReadResult<Source<R>> {
    let limits = ReadLimits {
        bytes: MAX_BYTES,
        reads: MAX_READS,
        deadline: Some(Instant::now() + time_limit),
        chunk: MIN_READ,
    };
    Source::new(reader, limits)
}

/// Content of a file.
#[derive(Debug, Default)]
pub(crate) struct Recording {
    /// Container name. `None` for formats without a reader in this crate.
    pub(crate) container: Option<&'static str>,
    pub(crate) sound: Option<Sound>,
    /// Codec of the first video track that is not a cover picture.
    pub(crate) vcodec: Option<String>,
    pub(crate) width: Option<i64>,
    pub(crate) height: Option<i64>,
    /// Duration in seconds.
    pub(crate) duration: Option<f64>,
    /// All tracks of a container with several tracks. Empty if the sound is the only track.
    pub(crate) streams: Vec<Stream>,
    pub(crate) chapters: Vec<Chapter>,
    /// Starts of tracks without titles. Used only if there are no other chapters.
    pub(crate) untitled_chapters: Vec<Chapter>,
    pub(crate) tags: Tags,
}

/// Properties of the first audio track.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Sound {
    /// Codec name as in ffprobe; `unknown` for an unassigned code.
    pub(crate) codec: String,
    pub(crate) sample_rate: Option<u32>,
    pub(crate) channels: Option<u32>,
    /// Bits per second.
    pub(crate) bitrate: Option<u64>,
    pub(crate) bits: Option<u32>,
}

impl Sound {
    pub(crate) fn with_codec(codec: impl Into<String>) -> Self {
        Self {
            codec: codec.into(),
            ..Self::default()
        }
    }
}

/// Extensions of formats that are only identified.
const IDENTIFIED_EXTENSIONS: &[&str] = &["ra", "tak", "thd", "mlp", "dtshd", "aa", "aaxc", "mp4"];

/// Signatures of these formats: offset, bytes, container and codec in ffprobe's names. The codec is
/// `None` for containers of several codecs.
const IDENTIFIED_FORMATS: &[(usize, &[u8], &str, Option<&str>)] = &[
    (0, b".ra\xfd", "rm", None),
    (0, b".RMF", "rm", None),
    (0, b"tBaK", "tak", Some("tak")),
    (0, b"DTSHDHDR", "dtshd", Some("dts")),
    (4, b"\xf8\x72\x6f\xba", "truehd", Some("truehd")),
    (4, b"\xf8\x72\x6f\xbb", "mlp", Some("mlp")),
    (4, b"\x57\x90\x75\x36", "aa", None),
];

/// Identifies a format that has no reader, by its first bytes.
fn identify_other(head: &[u8]) -> Recording {
    let begins = |(at, magic, ..): &&(usize, &[u8], &str, Option<&str>)| {
        head.get(*at..).is_some_and(|rest| rest.starts_with(magic))
    };
    IDENTIFIED_FORMATS
        .iter()
        .find(begins)
        .map(|(.., container, codec)| Recording {
            container: Some(*container),
            sound: codec.map(Sound::with_codec),
            ..Recording::default()
        })
        .unwrap_or_default()
}

/// Reads a recording. The content determines the format; `extension` decides only if the content is
/// ambiguous.
///
/// A damaged file may yield tags and an error at the same time. I/O errors are returned as `Err`.
pub(crate) fn read<R: Read + Seek>(
    source: &mut Source<R>,
    extension: &str,
    selection: TagSelection,
) -> ReadResult<(Recording, Option<ReadError>)> {
    let mut begin = 0;
    let mut leading_tags = Tags::default();
    // A file may have several ID3 tags before the sound.
    for _ in 0..8 {
        let Some(header) = id3::Header::at(source, begin)? else {
            break;
        };
        leading_tags.merge_missing(id3::read(source, header, selection)?);
        begin = header.next;
    }
    let head = source.read_at(begin, 64)?.to_vec();
    let answer = match AudioFormat::detect(&head, extension) {
        Some(kind) => kind.read(source, begin, selection),
        None if IDENTIFIED_EXTENSIONS.contains(&extension) => Ok(identify_other(&head)),
        None => Err(damaged("is not in a known audio format")),
    };
    let (mut recording, problem) = match answer {
        Ok(recording) => (recording, None),
        // Tags that were read before a format error are kept. An I/O error fails the whole read.
        Err(error @ ReadError::Io(_)) => return Err(error),
        Err(error) => (Recording::default(), Some(error)),
    };
    leading_tags.merge_missing(std::mem::take(&mut recording.tags));
    recording.tags = leading_tags;
    if recording.chapters.is_empty() {
        recording.chapters = std::mem::take(&mut recording.tags.chapters);
    }
    if recording.chapters.is_empty()
        && let Some(sheet) = recording.tags.first(Key::CueSheet)
    {
        recording.chapters = cue::read(sheet.as_bytes(), None);
    }
    sort_chapters(&mut recording.chapters);
    Ok((recording, problem))
}

/// Removes invalid chapters and sorts the others by their start.
fn sort_chapters(chapters: &mut Vec<Chapter>) {
    chapters.retain(|chapter| chapter.start.is_finite() && chapter.start >= 0.0);
    chapters.sort_by(|a, b| a.start.total_cmp(&b.start));
}

/// Converts a number of samples to seconds. Returns `None` if the rate is zero.
fn seconds(samples: u64, rate: u64) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "no recording is that long")]
    (rate > 0).then(|| samples as f64 / rate as f64)
}

/// Computes bits per second from bytes and seconds.
fn bitrate(bytes: u64, duration: Option<f64>) -> Option<u64> {
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be a sensible number"
    )]
    duration
        .map(|duration| bytes as f64 * 8.0 / duration)
        .filter(|rate| rate.is_finite() && (1.0..1e10).contains(rate))
        .map(|rate| rate.round() as u64)
}

#[cfg(test)]
mod tests;

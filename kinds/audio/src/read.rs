//! Reading a recording: its format is told by its first bytes, each format by its own reader.

mod aiff;
mod ape;
mod asf;
mod flac;
mod frames;
mod kind;
mod matroska;
pub(crate) mod mp4;
mod mpeg;
mod musepack;
mod ogg;
mod plain;
mod tail;
mod wav;
mod wavpack;

use std::io::{Read, Seek};

use ledge_core::registry::reading::{Chapter, ReadError, Stream};

use crate::cue;
use crate::source::{ReadResult, Source, damaged};
use crate::tags::{Key, Tags, Want, id3};
use kind::Kind;

/// What a file holds.
#[derive(Debug, Default)]
pub(crate) struct Recording {
    /// The container's word; `None` where the format is not read here.
    pub(crate) container: Option<&'static str>,
    pub(crate) sound: Option<Sound>,
    /// Codec of the first video track that is no picture.
    pub(crate) vcodec: Option<String>,
    pub(crate) width: Option<i64>,
    pub(crate) height: Option<i64>,
    /// Length in seconds.
    pub(crate) duration: Option<f64>,
    /// All tracks, where the container has several; else the sound is the only one.
    pub(crate) streams: Vec<Stream>,
    pub(crate) chapters: Vec<Chapter>,
    /// Where tracks begin that have no titles: taken where nothing else tells chapters.
    pub(crate) listed: Vec<Chapter>,
    pub(crate) tags: Tags,
}

/// What is known of the first track with sound.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Sound {
    /// In ffprobe's name; `unknown` where the file has a code nobody knows.
    pub(crate) codec: String,
    pub(crate) sample_rate: Option<u32>,
    pub(crate) channels: Option<u32>,
    /// Bits a second.
    pub(crate) bitrate: Option<u64>,
    pub(crate) bits: Option<u32>,
}

impl Sound {
    pub(crate) fn of(codec: impl Into<String>) -> Self {
        Self {
            codec: codec.into(),
            ..Self::default()
        }
    }
}

/// Extensions whose formats are not read here.
const OTHERS: &[&str] = &["ra", "tak", "thd", "mlp", "dtshd", "aa", "aaxc", "mp4"];

/// The same formats by what they begin with, from a place on: container and codec, in ffprobe's
/// names. Some containers hold several codecs.
const OTHER_FORMATS: &[(usize, &[u8], &str, Option<&str>)] = &[
    (0, b".ra\xfd", "rm", None),
    (0, b".RMF", "rm", None),
    (0, b"tBaK", "tak", Some("tak")),
    (0, b"DTSHDHDR", "dtshd", Some("dts")),
    (4, b"\xf8\x72\x6f\xba", "truehd", Some("truehd")),
    (4, b"\xf8\x72\x6f\xbb", "mlp", Some("mlp")),
    (4, b"\x57\x90\x75\x36", "aa", None),
];

/// Container and codec of a format that is not read here, as far as its first bytes tell.
fn other(head: &[u8]) -> Recording {
    let begins = |(at, magic, ..): &&(usize, &[u8], &str, Option<&str>)| {
        head.get(*at..).is_some_and(|rest| rest.starts_with(magic))
    };
    OTHER_FORMATS
        .iter()
        .find(begins)
        .map(|(.., container, codec)| Recording {
            container: Some(*container),
            sound: codec.map(Sound::of),
            ..Recording::default()
        })
        .unwrap_or_default()
}

/// Reads a recording; `extension` decides where its bytes do not. What is wrong with a file of
/// which something could be read all the same stands beside it.
pub(crate) fn read<R: Read + Seek>(
    source: &mut Source<R>,
    extension: &str,
    want: Want,
) -> ReadResult<(Recording, Option<ReadError>)> {
    let mut begin = 0;
    let mut front = Tags::default();
    // Some files have several tags before the sound.
    for _ in 0..8 {
        let Some(header) = id3::Header::at(source, begin)? else {
            break;
        };
        front.fall_back_on(id3::read(source, header, want)?);
        begin = header.next;
    }
    let head = source.some(begin, 64)?.to_vec();
    let answer = match Kind::of(&head, extension) {
        Some(kind) => kind.read(source, begin, want),
        None if OTHERS.contains(&extension) => Ok(other(&head)),
        None => Err(damaged("is no recording of a known format")),
    };
    let (mut recording, problem) = match answer {
        Ok(recording) => (recording, None),
        // What was read before is still worth something; the system's refusals are not.
        Err(error @ ReadError::Io(_)) => return Err(error),
        Err(error) => (Recording::default(), Some(error)),
    };
    front.fall_back_on(std::mem::take(&mut recording.tags));
    recording.tags = front;
    if recording.chapters.is_empty() {
        recording.chapters = std::mem::take(&mut recording.tags.chapters);
    }
    if recording.chapters.is_empty()
        && let Some(sheet) = recording.tags.first(Key::CueSheet)
    {
        recording.chapters = cue::read(sheet.as_bytes(), None);
    }
    tidy(&mut recording.chapters);
    Ok((recording, problem))
}

/// Chapters in the order of their starts.
fn tidy(chapters: &mut Vec<Chapter>) {
    chapters.retain(|chapter| chapter.start.is_finite() && chapter.start >= 0.0);
    chapters.sort_by(|a, b| a.start.total_cmp(&b.start));
}

/// Seconds of so many samples.
fn seconds(samples: u64, rate: u64) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "no recording is that long")]
    (rate > 0).then(|| samples as f64 / rate as f64)
}

/// Bits a second of so many bytes.
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

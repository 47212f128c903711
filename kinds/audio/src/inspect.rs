//! Entry points of the reader: from a path to the fields of an item and of its file.

use std::io::{Read, Seek};
use std::path::Path;

use ledge_core::error::ReadError;
use ledge_core::registry::reading::{Chapter, Inspection, Probe, ReadTools, Stream, StreamKind};
use ledge_formats::ReadResult;

use crate::chapters::cue;
use crate::read::{self, Recording};
use crate::tags::stored::StoredTags;
use crate::tags::{Key, TagSelection};
use crate::text;

/// Container name of unrecognised formats.
const UNKNOWN: &str = "unknown";

/// Reads fields, container and codecs of a recording.
///
/// The two results are independent. Tags may be readable although the audio data is not; the second
/// result then contains the error.
pub fn read_metadata(
    path: &Path,
    tools: &ReadTools<'_>,
) -> (Result<Inspection, ReadError>, Result<Probe, ReadError>) {
    let read = tools
        .open(path)
        .map_err(ReadError::from)
        .and_then(|file| read_all(file, &extension(path), tools))
        .map(|(inspection, probe)| {
            (
                inspection,
                probe.map(|draft| draft.finish_with_cue_sheet(path, tools)),
            )
        });
    match read {
        Ok((inspection, Ok(probe))) if is_known(&probe) => (Ok(inspection), Ok(probe)),
        Ok((inspection, probe)) => (Ok(inspection), ffprobe_or(path, tools, probe)),
        Err(error @ ReadError::Io(_)) => (Err(error), Ok(Probe::default())),
        Err(error) => (Err(error), ffprobe_or(path, tools, Ok(unknown_probe()))),
    }
}

/// Reads like [`read_metadata`], without access to the file system.
pub fn read_metadata_in(
    reader: impl Read + Seek,
    extension: &str,
    tools: &ReadTools<'_>,
) -> ReadResult<(Inspection, Result<Probe, ReadError>)> {
    let (inspection, draft) = read_all(reader, extension, tools)?;
    Ok((inspection, draft.map(ProbeDraft::finish)))
}

/// Technical data of a file before its cue sheet is considered.
struct ProbeDraft {
    probe: Probe,
    /// Starts of tracks without titles. They are used only if there are no other chapters.
    untitled_chapters: Vec<Chapter>,
}

impl ProbeDraft {
    /// Adds the chapters of a cue sheet if the file has none, otherwise the untitled tracks.
    fn finish_with_cue_sheet(mut self, path: &Path, tools: &ReadTools<'_>) -> Probe {
        if self.probe.chapters.is_empty() {
            self.probe.chapters = sidecar_chapters(path, tools);
        }
        self.finish()
    }

    /// Finishes the probe without reading a cue sheet.
    fn finish(mut self) -> Probe {
        if self.probe.chapters.is_empty() {
            self.probe.chapters = self.untitled_chapters;
        }
        self.probe
    }
}

/// Reads the chapters from a cue sheet with the same name as the recording.
fn sidecar_chapters(path: &Path, tools: &ReadTools<'_>) -> Vec<Chapter> {
    let Some(name) = path.file_name().map(|name| name.to_string_lossy()) else {
        return Vec::new();
    };
    let sheets = [
        path.with_extension("cue"),
        path.with_file_name(format!("{name}.cue")),
    ];
    let sheet = sheets
        .iter()
        .find_map(|sheet| read_regular_file(sheet, tools));
    sheet
        .map(|sheet| cue::read(&sheet, Some(&name)))
        .unwrap_or_default()
}

/// Reads a small regular file. Links are rejected because they may lead outside the library.
fn read_regular_file(path: &Path, tools: &ReadTools<'_>) -> Option<Vec<u8>> {
    let metadata = std::fs::symlink_metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() > cue::MAX_SIZE {
        return None;
    }
    let mut bytes = Vec::new();
    let file = tools.open(path).ok()?;
    file.take(cue::MAX_SIZE).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn read_all(
    reader: impl Read + Seek,
    extension: &str,
    tools: &ReadTools<'_>,
) -> ReadResult<(Inspection, Result<ProbeDraft, ReadError>)> {
    let mut source = read::open(reader, tools.time_limit)?;
    if source.size() == 0 {
        let draft = ProbeDraft {
            probe: unknown_probe(),
            untitled_chapters: Vec::new(),
        };
        return Ok((Inspection::default(), Ok(draft)));
    }
    let (recording, problem) = read::read(&mut source, extension, TagSelection::Texts)?;
    let stored = StoredTags::from_recording(&recording);
    let tags = &recording.tags;
    let description = tags
        .first(Key::Description)
        .or_else(|| tags.first(Key::Comment).filter(|_| stored.is_spoken));
    let inspection = Inspection {
        part_title: stored.title.clone(),
        description: description.and_then(text::lines),
        kind_data: stored.to_json(),
        ..Inspection::default()
    };
    Ok((
        inspection,
        problem.map_or_else(|| Ok(probe_draft(recording)), Err),
    ))
}

/// Returns the embedded cover picture in its original encoding.
pub fn cover(path: &Path, tools: &ReadTools<'_>) -> ReadResult<Option<Vec<u8>>> {
    cover_in(tools.open(path)?, &extension(path), tools)
}

/// Reads like [`cover`], without access to the file system.
pub fn cover_in(
    reader: impl Read + Seek,
    extension: &str,
    tools: &ReadTools<'_>,
) -> ReadResult<Option<Vec<u8>>> {
    let mut source = read::open(reader, tools.time_limit)?;
    let (mut recording, _) = read::read(&mut source, extension, TagSelection::Picture)?;
    Ok(recording.tags.take_picture())
}

/// Returns the result of `ffprobe` if it is available and finds an audio codec, otherwise
/// `fallback`.
fn ffprobe_or(
    path: &Path,
    tools: &ReadTools<'_>,
    fallback: Result<Probe, ReadError>,
) -> Result<Probe, ReadError> {
    if tools.ffprobe.is_none() {
        return fallback;
    }
    match ledge_core::process::ffprobe::probe(path, tools) {
        Ok(probe) if probe.acodec.is_some() => Ok(probe),
        _ => fallback,
    }
}

fn is_known(probe: &Probe) -> bool {
    let is_known = |word: &Option<String>| word.as_deref().is_some_and(|word| word != UNKNOWN);
    is_known(&probe.container) && is_known(&probe.acodec)
}

fn unknown_probe() -> Probe {
    Probe {
        container: Some(UNKNOWN.to_owned()),
        ..Probe::default()
    }
}

fn probe_draft(recording: Recording) -> ProbeDraft {
    let acodec = recording.sound.map(|sound| sound.codec);
    let mut streams = recording.streams;
    if streams.is_empty() {
        streams.extend(acodec.as_ref().map(|codec| Stream {
            kind: StreamKind::Audio,
            codec: Some(codec.clone()).filter(|codec| codec != UNKNOWN),
            default: true,
            ..Stream::default()
        }));
    }
    let probe = Probe {
        container: Some(recording.container.unwrap_or(UNKNOWN).to_owned()),
        vcodec: recording.vcodec,
        acodec,
        width: recording.width,
        height: recording.height,
        duration: recording.duration,
        streams,
        chapters: recording.chapters,
    };
    ProbeDraft {
        probe,
        untitled_chapters: recording.untitled_chapters,
    }
}

fn extension(path: &Path) -> String {
    path.extension()
        .map(|extension| extension.to_string_lossy().to_lowercase())
        .unwrap_or_default()
}

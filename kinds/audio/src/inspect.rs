//! What a recording's file says: the way from a path to the fields of its item and its own.

use std::io::{Read, Seek};
use std::path::Path;

use ledge_core::registry::reading::{
    Chapter, Inspection, Probe, ReadError, ReadTools, Stream, StreamKind,
};

use crate::cue;
use crate::read::{self, Recording};
use crate::said::Said;
use crate::source::{ReadResult, Source};
use crate::tags::{Key, Want};
use crate::text;

/// Container where it is not recognised.
const UNKNOWN: &str = "unknown";

/// Fields, container and codecs of a recording. Where the sound cannot be made out the tags may
/// still say what it is; then the second answer tells what is wrong.
pub fn examine(
    path: &Path,
    tools: &ReadTools<'_>,
) -> (Result<Inspection, ReadError>, Result<Probe, ReadError>) {
    let read = tools
        .open(path)
        .map_err(ReadError::from)
        .and_then(|file| read_all(file, &extension(path), tools))
        .map(|(inspection, probe)| (inspection, probe.map(|found| found.probe(path, tools))));
    match read {
        Ok((inspection, Ok(probe))) if is_known(&probe) => (Ok(inspection), Ok(probe)),
        Ok((inspection, probe)) => (Ok(inspection), asked(path, tools, probe)),
        Err(error @ ReadError::Io(_)) => (Err(error), Ok(Probe::default())),
        Err(error) => (Err(error), asked(path, tools, Ok(unknown()))),
    }
}

/// [`examine`], without a file system.
pub fn examine_in(
    reader: impl Read + Seek,
    extension: &str,
    tools: &ReadTools<'_>,
) -> ReadResult<(Inspection, Result<Probe, ReadError>)> {
    let (inspection, found) = read_all(reader, extension, tools)?;
    Ok((inspection, found.map(Found::alone)))
}

/// What was found of the sound, but for what lies beside its file.
struct Found {
    probe: Probe,
    /// Starts of tracks without titles.
    listed: Vec<Chapter>,
}

impl Found {
    /// Chapters of a sheet beside the file where the file has none, else tracks without titles.
    fn probe(mut self, path: &Path, tools: &ReadTools<'_>) -> Probe {
        if self.probe.chapters.is_empty() {
            self.probe.chapters = beside(path, tools);
        }
        self.alone()
    }

    /// The same without a look at what lies beside the file.
    fn alone(mut self) -> Probe {
        if self.probe.chapters.is_empty() {
            self.probe.chapters = self.listed;
        }
        self.probe
    }
}

/// The chapters that a cue sheet beside a recording tells: one of the same name.
fn beside(path: &Path, tools: &ReadTools<'_>) -> Vec<Chapter> {
    let Some(name) = path.file_name().map(|name| name.to_string_lossy()) else {
        return Vec::new();
    };
    let sheets = [
        path.with_extension("cue"),
        path.with_file_name(format!("{name}.cue")),
    ];
    let sheet = sheets.iter().find_map(|sheet| plain_file(sheet, tools));
    sheet
        .map(|sheet| cue::read(&sheet, Some(&name)))
        .unwrap_or_default()
}

/// A small file that is no link: those may lead anywhere.
fn plain_file(path: &Path, tools: &ReadTools<'_>) -> Option<Vec<u8>> {
    let known = std::fs::symlink_metadata(path).ok()?;
    if !known.is_file() || known.len() > cue::LONGEST {
        return None;
    }
    let mut bytes = Vec::new();
    let file = tools.open(path).ok()?;
    file.take(cue::LONGEST).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn read_all(
    reader: impl Read + Seek,
    extension: &str,
    tools: &ReadTools<'_>,
) -> ReadResult<(Inspection, Result<Found, ReadError>)> {
    let mut source = Source::new(reader, tools.time_limit)?;
    if source.len() == 0 {
        let found = Found {
            probe: unknown(),
            listed: Vec::new(),
        };
        return Ok((Inspection::default(), Ok(found)));
    }
    let (recording, problem) = read::read(&mut source, extension, Want::Texts)?;
    let said = Said::of(&recording);
    let tags = &recording.tags;
    let description = tags
        .first(Key::Description)
        .or_else(|| tags.first(Key::Comment).filter(|_| said.is_spoken));
    let inspection = Inspection {
        part_title: said.title.clone(),
        description: description.and_then(text::lines),
        said: said.written(),
        ..Inspection::default()
    };
    Ok((
        inspection,
        problem.map_or_else(|| Ok(found(recording)), Err),
    ))
}

/// The picture in a recording, as it lies in the file.
pub fn cover(path: &Path, tools: &ReadTools<'_>) -> ReadResult<Option<Vec<u8>>> {
    cover_in(tools.open(path)?, &extension(path), tools)
}

/// [`cover`], without a file system.
pub fn cover_in(
    reader: impl Read + Seek,
    extension: &str,
    tools: &ReadTools<'_>,
) -> ReadResult<Option<Vec<u8>>> {
    let mut source = Source::new(reader, tools.time_limit)?;
    let (mut recording, _) = read::read(&mut source, extension, Want::Picture)?;
    Ok(recording.tags.take_picture())
}

/// What `ffprobe` says, where it is there and knows more than this reader.
fn asked(
    path: &Path,
    tools: &ReadTools<'_>,
    own: Result<Probe, ReadError>,
) -> Result<Probe, ReadError> {
    if tools.ffprobe.is_none() {
        return own;
    }
    match ledge_core::ffprobe::probe(path, tools) {
        Ok(probe) if probe.acodec.is_some() => Ok(probe),
        _ => own,
    }
}

fn is_known(probe: &Probe) -> bool {
    let is_known = |word: &Option<String>| word.as_deref().is_some_and(|word| word != UNKNOWN);
    is_known(&probe.container) && is_known(&probe.acodec)
}

fn unknown() -> Probe {
    Probe {
        container: Some(UNKNOWN.to_owned()),
        ..Probe::default()
    }
}

fn found(recording: Recording) -> Found {
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
    Found {
        probe,
        listed: recording.listed,
    }
}

fn extension(path: &Path) -> String {
    path.extension()
        .map(|extension| extension.to_string_lossy().to_lowercase())
        .unwrap_or_default()
}

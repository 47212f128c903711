//! Subtitle tracks of a file, from sidecar files and from streams.

use std::io::Read;
use std::time::{Duration, Instant};

use ledge_core::error::ReadError;
use ledge_core::fs::MediaFile;
use ledge_core::fs::media_file::open_blocking;
use ledge_core::store::file::location::FileLocation;
use ledge_core::text::language;
use ledge_formats::ReadResult;

use super::SubtitleRow;
use super::sidecars::{self, SubtitleFile};
use crate::subtitles::embedded::{self, TextTrack};
use crate::subtitles::{self, Format, cue};

/// Maximum size of a subtitle file, in bytes.
const MAX_SIZE: u64 = 16 << 20;
/// Time limit for extracting the subtitles of a film.
const EXTRACT_TIMEOUT: Duration = Duration::from_secs(20);

/// Lists all tracks. Returns `None` if the video file is missing.
pub(super) fn list(location: &FileLocation) -> ReadResult<Option<Vec<SubtitleRow>>> {
    let Some(film) = open_blocking(&location.root, &location.relative())? else {
        return Ok(None);
    };
    let mut rows: Vec<SubtitleRow> = sidecars::find(location)
        .iter()
        .map(|sidecar| sidecar_row(location, sidecar))
        .collect();
    // An unreadable film has no embedded tracks. The scan has already reported the error.
    let embedded = embedded::list(film.file).unwrap_or_default();
    rows.extend(embedded.iter().map(|text| stream_row(location, text)));
    Ok(Some(rows))
}

fn url(location: &FileLocation, id: &str) -> String {
    let file = location.id.0;
    format!("/api/v1/kinds/video/files/{file}/subtitles/{id}.vtt")
}

fn sidecar_row(location: &FileLocation, sidecar: &SubtitleFile) -> SubtitleRow {
    let id = id_of(sidecar);
    let name = &sidecar.name;
    let marks = [(name.forced, "forced"), (name.hearing_impaired, "SDH")];
    SubtitleRow {
        url: url(location, &id),
        label: label(name.language.as_deref(), name.title.as_deref(), marks),
        language: name.language.clone(),
        format: sidecar.format.as_str(),
        formats: sidecar.format.output_formats(),
        forced: name.forced,
        default: name.default,
        hearing_impaired: name.hearing_impaired,
        embedded: false,
        id,
    }
}

fn stream_row(location: &FileLocation, text: &TextTrack) -> SubtitleRow {
    let id = format!("e{}", text.index);
    let track = &text.track;
    let marks = [(track.is_forced, "forced"), (false, "")];
    SubtitleRow {
        url: url(location, &id),
        label: label(track.language.as_deref(), track.title.as_deref(), marks),
        language: track.language.clone(),
        format: text.format.as_str(),
        formats: text.format.output_formats(),
        forced: track.is_forced,
        default: track.is_default,
        hearing_impaired: false,
        embedded: true,
        id,
    }
}

/// Builds a label such as `German – Commentary (forced)`.
fn label(language: Option<&str>, title: Option<&str>, marks: [(bool, &str); 2]) -> String {
    let language =
        language.map(|tag| language::english_name(tag).unwrap_or_else(|| tag.to_owned()));
    let mut label = match (language, title) {
        (Some(language), Some(title)) if !title.contains(&language) => {
            format!("{language} – {title}")
        }
        (_, Some(title)) => title.to_owned(),
        (Some(language), None) => language,
        (None, None) => "Subtitles".to_owned(),
    };
    for (_, mark) in marks.iter().filter(|(is_set, _)| *is_set) {
        if !label.to_lowercase().contains(&mark.to_lowercase()) {
            label = format!("{label} ({mark})");
        }
    }
    label
}

/// Returns an id that does not depend on other files: the FNV-1a hash of the path.
fn id_of(sidecar: &SubtitleFile) -> String {
    let bytes = sidecar.path.as_os_str().as_encoded_bytes();
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("s{hash:016x}")
}

/// Format in which a track is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OutputFormat {
    Vtt,
    Ass,
}

impl OutputFormat {
    /// Splits a URL segment into the track id and the format of its extension.
    pub(super) fn parse(track: &str) -> Option<(&str, Self)> {
        let (id, ending) = track.rsplit_once('.')?;
        let format = match ending {
            "vtt" => Self::Vtt,
            "ass" => Self::Ass,
            _ => return None,
        };
        Some((id, format))
    }

    pub(super) fn mime(self) -> &'static str {
        match self {
            Self::Vtt => "text/vtt; charset=utf-8",
            Self::Ass => "text/x-ssa; charset=utf-8",
        }
    }
}

/// Requested track with its open file.
pub(super) struct OpenTrack {
    file: MediaFile,
    /// Track id with the extension of the requested format.
    name: String,
    format: OutputFormat,
    source: Source,
}

enum Source {
    Sidecar(SubtitleFile),
    Stream(usize),
}

/// Finds the track of a URL segment. Returns `None` if it does not exist, its file is missing, or
/// it has no such format.
pub(super) fn find(location: &FileLocation, segment: &str) -> ReadResult<Option<OpenTrack>> {
    let Some((id, format)) = OutputFormat::parse(segment) else {
        return Ok(None);
    };
    let (path, source) = if let Some(index) = id.strip_prefix('e') {
        // Leading zeros and signs are rejected, so that each stream has only one id.
        let number = index
            .parse()
            .ok()
            .filter(|number: &usize| number.to_string() == index);
        let Some(number) = number else {
            return Ok(None);
        };
        (location.relative(), Source::Stream(number))
    } else {
        let found = sidecars::find(location)
            .into_iter()
            .find(|sidecar| id_of(sidecar) == id);
        let Some(found) = found else {
            return Ok(None);
        };
        (found.path.clone(), Source::Sidecar(found))
    };
    let Some(file) = open_blocking(&location.root, &path)? else {
        return Ok(None);
    };
    if format == OutputFormat::Ass && !is_script(&file, &source)? {
        return Ok(None);
    }
    Ok(Some(OpenTrack {
        file,
        name: segment.to_owned(),
        format,
        source,
    }))
}

/// Returns `true` if a track is in the `SubStation` Alpha format.
fn is_script(file: &MediaFile, source: &Source) -> ReadResult<bool> {
    let format = match source {
        Source::Sidecar(sidecar) => Some(sidecar.format),
        Source::Stream(index) => embedded::list(&file.file)?
            .into_iter()
            .find(|text| text.index == *index)
            .map(|text| text.format),
    };
    Ok(format == Some(Format::Ass))
}

impl OpenTrack {
    /// Returns the ETag. It changes with the size and the modification time of the file.
    pub(super) fn etag(&self) -> String {
        let MediaFile { size, mtime_ns, .. } = &self.file;
        format!("\"{size:x}-{mtime_ns:x}-{}\"", self.name)
    }

    pub(super) fn mime(&self) -> &'static str {
        self.format.mime()
    }

    /// Reads and converts the track. Returns `None` if the stream contains no text.
    pub(super) fn text(self) -> ReadResult<Option<String>> {
        let deadline = Instant::now() + EXTRACT_TIMEOUT;
        match (self.source, self.format) {
            (Source::Stream(index), OutputFormat::Vtt) => {
                let cues = embedded::cues(self.file.file, index, deadline)?;
                Ok(cues.map(cue::write))
            }
            (Source::Stream(index), OutputFormat::Ass) => {
                embedded::script(self.file.file, index, deadline)
            }
            (Source::Sidecar(sidecar), format) => {
                let bytes = bytes(self.file)?;
                let language = sidecar.name.language.as_deref();
                Ok(Some(match format {
                    OutputFormat::Vtt => {
                        cue::write(subtitles::cues(sidecar.format, &bytes, language)?)
                    }
                    OutputFormat::Ass => subtitles::script(&bytes, language)?,
                }))
            }
        }
    }
}

fn bytes(file: MediaFile) -> ReadResult<Vec<u8>> {
    if file.size > MAX_SIZE {
        return Err(ReadError::Limit(
            "the subtitle file is too large".to_owned(),
        ));
    }
    let mut bytes = Vec::new();
    file.file.take(MAX_SIZE).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_contain_language_title_and_flags() {
        let none = [(false, ""), (false, "")];
        for (language, title, forced, expected) in [
            (Some("de"), None, true, "German (forced)"),
            (
                Some("deu"),
                Some("Commentary"),
                false,
                "German – Commentary",
            ),
            (Some("en"), Some("English SDH"), false, "English SDH"),
            (None, Some("Forced signs"), true, "Forced signs"),
            (Some("tlh"), None, false, "tlh"),
            (None, None, false, "Subtitles"),
        ] {
            let marks = if forced {
                [(true, "forced"), (false, "")]
            } else {
                none
            };
            assert_eq!(label(language, title, marks), expected);
        }
    }
}

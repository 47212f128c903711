//! The tracks of a file: those beside it and those in it, told and read alike.

use std::io::Read;
use std::time::{Duration, Instant};

use ledge_core::content::{MediaFile, open::open_blocking};
use ledge_core::language;
use ledge_core::registry::reading::ReadError;
use ledge_core::store::location::FileLocation;

use super::SubtitleRow;
use super::beside::{self, Beside};
use crate::input::ReadResult;
use crate::subtitles::embedded::{self, TextTrack};
use crate::subtitles::{self, Format, cue};

/// Largest file of subtitles, in bytes.
const LARGEST: u64 = 16 << 20;
/// How long texts may be searched for in a film.
const PATIENCE: Duration = Duration::from_secs(20);

/// All tracks; `None` where the video is gone.
pub(super) fn list(location: &FileLocation) -> ReadResult<Option<Vec<SubtitleRow>>> {
    let Some(film) = open_blocking(&location.root, &location.relative())? else {
        return Ok(None);
    };
    let mut rows: Vec<SubtitleRow> = beside::of(location)
        .iter()
        .map(|beside| of_beside(location, beside))
        .collect();
    // A film that cannot be read has no texts of its own; what is wrong with it, the scan said.
    let own = embedded::list(film.file).unwrap_or_default();
    rows.extend(own.iter().map(|text| of_stream(location, text)));
    Ok(Some(rows))
}

fn url(location: &FileLocation, id: &str) -> String {
    let file = location.id.0;
    format!("/api/v1/kinds/video/files/{file}/subtitles/{id}.vtt")
}

fn of_beside(location: &FileLocation, beside: &Beside) -> SubtitleRow {
    let id = id_of(beside);
    let said = &beside.said;
    let marks = [(said.forced, "forced"), (said.hearing_impaired, "SDH")];
    SubtitleRow {
        url: url(location, &id),
        label: label(said.language.as_deref(), said.title.as_deref(), marks),
        language: said.language.clone(),
        format: beside.format.word(),
        formats: beside.format.served(),
        forced: said.forced,
        default: said.default,
        hearing_impaired: said.hearing_impaired,
        embedded: false,
        id,
    }
}

fn of_stream(location: &FileLocation, text: &TextTrack) -> SubtitleRow {
    let id = format!("e{}", text.place);
    let track = &text.track;
    let marks = [(track.is_forced, "forced"), (false, "")];
    SubtitleRow {
        url: url(location, &id),
        label: label(track.language.as_deref(), track.title.as_deref(), marks),
        language: track.language.clone(),
        format: text.format.word(),
        formats: text.format.served(),
        forced: track.is_forced,
        default: track.is_default,
        hearing_impaired: false,
        embedded: true,
        id,
    }
}

/// `German – Commentary (forced)`.
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

/// A name's own id, which stays when other files come and go: FNV-1a of its path.
fn id_of(beside: &Beside) -> String {
    let bytes = beside.path.as_os_str().as_encoded_bytes();
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("s{hash:016x}")
}

/// What a track is served as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Served {
    Vtt,
    Ass,
}

impl Served {
    /// A track's id, and what its address asks for by its ending.
    pub(super) fn of_address(track: &str) -> Option<(&str, Self)> {
        let (id, ending) = track.rsplit_once('.')?;
        let served = match ending {
            "vtt" => Self::Vtt,
            "ass" => Self::Ass,
            _ => return None,
        };
        Some((id, served))
    }

    pub(super) fn mime(self) -> &'static str {
        match self {
            Self::Vtt => "text/vtt; charset=utf-8",
            Self::Ass => "text/x-ssa; charset=utf-8",
        }
    }
}

/// A track that was found, and its open file.
pub(super) struct Found {
    file: MediaFile,
    /// Its id, and the ending of what it is served as.
    name: String,
    served: Served,
    source: Source,
}

enum Source {
    Beside(Beside),
    Stream(usize),
}

/// The track of an address; `None` where there is none, it is gone, or not served as that.
pub(super) fn find(location: &FileLocation, address: &str) -> ReadResult<Option<Found>> {
    let Some((id, served)) = Served::of_address(address) else {
        return Ok(None);
    };
    let (path, source) = if let Some(place) = id.strip_prefix('e') {
        // One number has one spelling.
        let number = place
            .parse()
            .ok()
            .filter(|number: &usize| number.to_string() == place);
        let Some(number) = number else {
            return Ok(None);
        };
        (location.relative(), Source::Stream(number))
    } else {
        let found = beside::of(location)
            .into_iter()
            .find(|beside| id_of(beside) == id);
        let Some(found) = found else {
            return Ok(None);
        };
        (found.path.clone(), Source::Beside(found))
    };
    let Some(file) = open_blocking(&location.root, &path)? else {
        return Ok(None);
    };
    if served == Served::Ass && !is_script(&file, &source)? {
        return Ok(None);
    }
    Ok(Some(Found {
        file,
        name: address.to_owned(),
        served,
        source,
    }))
}

/// Whether a track is of `SubStation` Alpha.
fn is_script(file: &MediaFile, source: &Source) -> ReadResult<bool> {
    let format = match source {
        Source::Beside(beside) => Some(beside.format),
        Source::Stream(place) => embedded::list(&file.file)?
            .into_iter()
            .find(|text| text.place == *place)
            .map(|text| text.format),
    };
    Ok(format == Some(Format::Ass))
}

impl Found {
    /// What tells one state of the track from another.
    pub(super) fn etag(&self) -> String {
        let MediaFile { size, mtime_ns, .. } = &self.file;
        format!("\"{size:x}-{mtime_ns:x}-{}\"", self.name)
    }

    pub(super) fn mime(&self) -> &'static str {
        self.served.mime()
    }

    /// The track as it is served; `None` where the stream is none of text.
    pub(super) fn text(self) -> ReadResult<Option<String>> {
        let deadline = Instant::now() + PATIENCE;
        match (self.source, self.served) {
            (Source::Stream(place), Served::Vtt) => {
                let cues = embedded::cues(self.file.file, place, deadline)?;
                Ok(cues.map(cue::write))
            }
            (Source::Stream(place), Served::Ass) => {
                embedded::script(self.file.file, place, deadline)
            }
            (Source::Beside(beside), served) => {
                let bytes = bytes(self.file)?;
                let language = beside.said.language.as_deref();
                Ok(Some(match served {
                    Served::Vtt => cue::write(subtitles::cues(beside.format, &bytes, language)?),
                    Served::Ass => subtitles::script(&bytes, language)?,
                }))
            }
        }
    }
}

fn bytes(file: MediaFile) -> ReadResult<Vec<u8>> {
    if file.size > LARGEST {
        return Err(ReadError::Limit("it is too large for subtitles".to_owned()));
    }
    let mut bytes = Vec::new();
    file.file.take(LARGEST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_what_a_person_reads() {
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

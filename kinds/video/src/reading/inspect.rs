//! Entry points of the reader: streams, title and cover of a video file.

use std::io::{Read, Seek};
use std::path::Path;

use ledge_core::error::ReadError;
use ledge_core::process::ffprobe;
use ledge_core::registry::naming::Credit;
use ledge_core::registry::reading::{Inspection, Probe, ReadTools};
use ledge_formats::ogg;
use ledge_formats::{ReadLimits, ReadResult, Source, damaged};
use serde_json::{Value, json};

use crate::container::media::Media;
use crate::naming::role::FileRole;
use crate::naming::title;
use crate::reading::nfo::{self, Nfo};
use crate::reading::{poster, text};
use crate::{container, formats};

/// Limits of reading one file: its index and scattered metadata.
const READ_LIMITS: ReadLimits = ReadLimits::with_bytes(64 << 20);
/// Name of the date in the data of a file.
const AIRED: &str = "aired";
/// Maximum size of a cover picture, in bytes.
const MAX_COVER_SIZE: usize = 32 << 20;

/// Reads the streams and tags of a file. Returns `None` for formats without a reader in this crate.
pub fn media(reader: impl Read + Seek) -> ReadResult<Option<Media>> {
    let mut source = Source::new(reader, READ_LIMITS)?;
    container::read(&mut source)
}

/// Returns the embedded cover picture in its original encoding.
pub fn cover_in(reader: impl Read + Seek) -> ReadResult<Option<Vec<u8>>> {
    let mut source = Source::new(reader, READ_LIMITS)?;
    if source.read_at(0, 4)? == ogg::MAGIC {
        return container::ogg::picture(&mut source);
    }
    let Some((at, length)) = container::read(&mut source)?.and_then(|media| media.cover) else {
        return Ok(None);
    };
    let picture = source.read_whole(at, length, MAX_COVER_SIZE)?;
    Ok(picture.map(<[u8]>::to_vec))
}

/// Reads container, codecs and streams. ffprobe reads the formats without a reader in this crate.
pub fn probe(path: &Path, tools: &ReadTools<'_>) -> Result<Probe, ReadError> {
    if let Some(media) = media(tools.open(path)?)? {
        return Ok(media.probe());
    }
    if tools.ffprobe.is_none() && formats::has_reader(path) {
        return Err(damaged("does not contain a supported video container"));
    }
    if tools.ffprobe.is_some() {
        return ffprobe::probe(path, tools);
    }
    let head = Source::new(tools.open(path)?, READ_LIMITS)?
        .read_at(0, 1_024)?
        .to_vec();
    Ok(Probe {
        container: Some(container::name(&head).to_owned()),
        ..Probe::default()
    })
}

/// Reads title, people and facts of a file.
pub fn inspect(path: &Path, tools: &ReadTools<'_>) -> Result<Inspection, ReadError> {
    let role = FileRole::from_path(path);
    // The probe reports errors of the file, so they are ignored here.
    let media = media(tools.open(path)?).ok().flatten().unwrap_or_default();
    Ok(inspection(path, &media, role, tools))
}

/// Returns the cover of a file. Next to a show's poster, an episode has none: its embedded picture
/// is only a still.
pub fn cover(path: &Path, tools: &ReadTools<'_>) -> Result<Option<Vec<u8>>, ReadError> {
    if FileRole::from_path(path).is_episode && poster::exists_for(tools.root, path) {
        return Ok(None);
    }
    cover_in(tools.open(path)?)
}

/// Combines NFO files and embedded tags. NFO files take precedence.
fn inspection(path: &Path, media: &Media, role: FileRole, tools: &ReadTools<'_>) -> Inspection {
    let tags = &media.tags;
    let title = tags.title.as_deref().and_then(title::plausible);
    let nfo = nfo::read_for_file(path, role.is_part, tools).unwrap_or_default();
    let mut inspection = Inspection {
        facts: media.facts(),
        ..Inspection::default()
    };
    if role.is_part {
        let embedded_title = title.map(|title| title::episode_title(&title));
        inspection.part_title = nfo.title.or(embedded_title);
        inspection.kind_data = nfo.aired.map(|aired| json!({ AIRED: aired }).to_string());
        if role.is_episode {
            apply_nfo(
                &mut inspection,
                nfo::read_for_show(path, tools).unwrap_or_default(),
            );
        }
        return inspection;
    }
    inspection.title = title;
    inspection.year = tags.date.as_deref().and_then(text::year);
    inspection.description.clone_from(&tags.description);
    inspection.credits = people(&tags.directors, &tags.actors);
    apply_nfo(&mut inspection, nfo);
    inspection
}

/// Returns the date of an episode in the data that [`inspect`] stores with its file.
pub fn part_date(kind_data: &str) -> Option<String> {
    let data: Value = serde_json::from_str(kind_data).ok()?;
    data.get(AIRED)?.as_str().and_then(text::date)
}

/// Overwrites the fields of an inspection with those of an NFO file.
fn apply_nfo(inspection: &mut Inspection, nfo: Nfo) {
    inspection.title = nfo.title.or(inspection.title.take());
    inspection.year = nfo.year.or(inspection.year);
    inspection.description = nfo.plot.or(inspection.description.take());
    inspection.series = nfo.series.or(inspection.series.take());
    if !nfo.people.is_empty() {
        inspection.credits = nfo.people;
    }
    inspection.facts.extend(nfo.facts);
}

/// Converts directors and actors to credits. Directors get the author role.
fn people(directors: &[String], actors: &[String]) -> Vec<Credit> {
    let directors = directors.iter().map(|name| Credit::author(name.as_str()));
    let actors = actors.iter().map(|name| Credit {
        name: name.clone(),
        role: "actor".to_owned(),
    });
    directors.chain(actors).take(200).collect()
}

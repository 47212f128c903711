//! What a video's file says: its streams, its title, its cover.

use std::io::{Read, Seek};
use std::path::Path;

use ledge_core::ffprobe;
use ledge_core::registry::naming::Credit;
use ledge_core::registry::reading::{Inspection, Probe, ReadError, ReadTools};

use crate::codec::{h263, mpeg};
use crate::input::{Input, ReadResult, damaged};
use crate::media::Media;
use crate::nfo::{self, Nfo};
use crate::place::Place;
use crate::{
    asf, avi, container, flv, formats, matroska, mp4, ogg, poster, program, text, title, transport,
};

/// Most of a file that is read, in bytes: its index, and leaps between the parts of it.
const MOST: u64 = 64 << 20;
/// Largest picture of a cover, in bytes.
const LARGEST_COVER: usize = 32 << 20;

/// What the bytes of a file hold; `None` where no reader here knows them.
pub fn media(reader: impl Read + Seek) -> ReadResult<Option<Media>> {
    let mut input = Input::new(reader, MOST)?;
    read(&mut input)
}

fn read<R: Read + Seek>(input: &mut Input<R>) -> ReadResult<Option<Media>> {
    let head = input.at(0, 1_024)?;
    let read = match head {
        _ if head.starts_with(matroska::MAGIC) => matroska::read,
        _ if mp4::begins(head) => mp4::read,
        _ if avi::begins(head) => avi::read,
        _ if head.starts_with(asf::MAGIC) => asf::read,
        _ if head.starts_with(flv::MAGIC) => flv::read,
        _ if head.starts_with(ogg::MAGIC) => ogg::read,
        _ if head.starts_with(program::MAGIC) => program::read,
        _ if head.starts_with(program::PICTURES) => program::read_pictures,
        _ if h263::picture(head).is_some() => program::read_h263,
        _ if mpeg::begins_unit(head) => return program::read_units(input),
        _ => match transport::shape(head) {
            Some(shape) => return transport::read(input, shape).map(Some),
            None => return Ok(None),
        },
    };
    read(input).map(Some)
}

/// The picture of the cover in the bytes of a file, as it lies there.
pub fn cover_in(reader: impl Read + Seek) -> ReadResult<Option<Vec<u8>>> {
    let mut input = Input::new(reader, MOST)?;
    if input.at(0, 4)? == ogg::MAGIC {
        return ogg::picture(&mut input);
    }
    let Some((at, length)) = read(&mut input)?.and_then(|media| media.cover) else {
        return Ok(None);
    };
    let picture = input.whole(at, length, LARGEST_COVER)?;
    Ok(picture.map(<[u8]>::to_vec))
}

/// Container, codecs and streams of a file. What no reader here knows, ffprobe is asked about.
pub fn probe(path: &Path, tools: &ReadTools<'_>) -> Result<Probe, ReadError> {
    if let Some(media) = media(tools.open(path)?)? {
        return Ok(media.probe());
    }
    if tools.ffprobe.is_none() && formats::is_read_here(path) {
        return Err(damaged(
            "holds none of the containers that its name promises",
        ));
    }
    if tools.ffprobe.is_some() {
        return ffprobe::probe(path, tools);
    }
    let head = Input::new(tools.open(path)?, MOST)?.at(0, 1_024)?.to_vec();
    Ok(Probe {
        container: Some(container::word(&head).to_owned()),
        ..Probe::default()
    })
}

/// Title, people and facts of a file.
pub fn inspect(path: &Path, tools: &ReadTools<'_>) -> Result<Inspection, ReadError> {
    let place = Place::of(path);
    // What is wrong with a file, its probe says.
    let media = media(tools.open(path)?).ok().flatten().unwrap_or_default();
    Ok(inspection(path, &media, place, tools))
}

/// The picture on a file's cover. A show's poster beside its episodes stands for it rather than
/// the still that one of them bears.
pub fn cover(path: &Path, tools: &ReadTools<'_>) -> Result<Option<Vec<u8>>, ReadError> {
    if Place::of(path).is_episode && poster::is_beside(tools.root, path) {
        return Ok(None);
    }
    cover_in(tools.open(path)?)
}

/// The notes beside a file know better than the file, and both better than nothing.
fn inspection(path: &Path, media: &Media, place: Place, tools: &ReadTools<'_>) -> Inspection {
    let tags = &media.tags;
    let title = tags.title.as_deref().and_then(title::sound);
    let nfo = nfo::of_file(path, place.is_part, tools).unwrap_or_default();
    let mut inspection = Inspection {
        facts: media.facts(),
        ..Inspection::default()
    };
    if place.is_part {
        let own = title.map(|title| title::of_episode(&title));
        inspection.part_title = nfo.title.or(own);
        if place.is_episode {
            tell(
                &mut inspection,
                nfo::of_show(path, tools).unwrap_or_default(),
            );
        }
        return inspection;
    }
    inspection.title = title;
    inspection.year = tags.date.as_deref().and_then(text::year);
    inspection.description.clone_from(&tags.description);
    inspection.credits = people(&tags.directors, &tags.actors);
    tell(&mut inspection, nfo);
    inspection
}

/// Puts what a note says of an item over what is known.
fn tell(inspection: &mut Inspection, nfo: Nfo) {
    inspection.title = nfo.title.or(inspection.title.take());
    inspection.year = nfo.year.or(inspection.year);
    inspection.description = nfo.plot.or(inspection.description.take());
    inspection.series = nfo.series.or(inspection.series.take());
    if !nfo.people.is_empty() {
        inspection.credits = nfo.people;
    }
    inspection.facts.extend(nfo.facts);
}

/// Directors stand in the author line.
fn people(directors: &[String], actors: &[String]) -> Vec<Credit> {
    let directors = directors.iter().map(|name| Credit::author(name.as_str()));
    let actors = actors.iter().map(|name| Credit {
        name: name.clone(),
        role: "actor".to_owned(),
    });
    directors.chain(actors).take(200).collect()
}

//! Recordings for other programs: forms of items, and properties of parts from the stored tags.

use ledge_core::http::recordings::{Form, Part, Recordings};

use super::subkind;
use crate::lyrics::routes;
use crate::tags::stored::StoredTags;

/// Recordings of this kind.
pub(crate) const RECORDINGS: Recordings = Recordings {
    kind: crate::KIND.id,
    form,
    part,
    lyrics: routes::of_part,
};

fn form(subkind: Option<&str>) -> Form {
    match subkind {
        Some(subkind::AUDIOBOOK) => Form::Book,
        Some(subkind::TRACK) => Form::Single,
        _ => Form::Album,
    }
}

fn part(kind_data: &str) -> Part {
    let Some(tags) = StoredTags::parse(kind_data) else {
        return Part::default();
    };
    Part {
        year: tags.year().map(i64::from),
        title: tags.title,
        artists: tags.artists,
        composers: tags.composers,
        genres: tags.genres,
        track: tags.track,
        disc: tags.disc,
        bpm: tags.bpm,
        bit_rate: tags.bitrate.and_then(|rate| i64::try_from(rate).ok()),
        sample_rate: tags.sample_rate.map(i64::from),
        channels: tags.channels.map(i64::from),
        bit_depth: tags.bits.map(i64::from),
        gain: tags.track_gain,
        peak: tags.track_peak,
        item_gain: tags.album_gain,
        item_peak: tags.album_peak,
    }
}

/// Returns the artists of a part from its stored tags.
pub(crate) fn artists(kind_data: &str) -> Vec<String> {
    StoredTags::parse(kind_data)
        .map(|tags| tags.artists)
        .unwrap_or_default()
}

//! Facts of an item: properties without a field of their own.

use std::collections::BTreeMap;

use ledge_core::registry::naming::Credit;
use serde_json::{Value, json};

use super::{ItemForm, most_common};
use crate::tags::stored::StoredTags;

/// Maximum number of genres per item.
const MAX_GENRES: usize = 10;

/// Collects the facts by name.
pub(super) fn facts(
    form: ItemForm,
    credits: &[Credit],
    stored: &[StoredTags],
) -> BTreeMap<String, Value> {
    let mut facts = BTreeMap::new();
    let mut fact = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            facts.insert(name.to_owned(), value);
        }
    };
    let text = |field_of: fn(&StoredTags) -> &Option<String>| {
        most_common(stored.iter().filter_map(|tags| field_of(tags).clone())).map(Value::from)
    };
    let number = |field_of: fn(&StoredTags) -> Option<u32>| {
        most_common(stored.iter().filter_map(field_of)).map(Value::from)
    };
    fact("form", Some(form.as_str().into()));
    fact("narrator", narrator(credits));
    fact(
        "subtitle",
        text(|tags| &tags.subtitle).filter(|_| form == ItemForm::Audiobook),
    );
    fact("publisher", text(|tags| &tags.publisher));
    fact("language", text(|tags| &tags.language));
    fact(
        "date",
        text(|tags| &tags.date).filter(|date| date.as_str().is_some_and(|date| date.len() > 4)),
    );
    fact("genres", genres(stored));
    fact("isbn", text(|tags| &tags.isbn));
    fact("asin", text(|tags| &tags.asin));
    for (name, field_of) in musicbrainz_ids(form) {
        fact(name, agreed(stored, *field_of).map(Value::from));
    }
    fact(
        "compilation",
        stored
            .iter()
            .any(|tags| tags.is_compilation)
            .then_some(json!(true)),
    );
    fact("codec", text(|tags| &tags.codec));
    fact("sample_rate", number(|tags| tags.sample_rate));
    fact("channels", number(|tags| tags.channels));
    fact(
        "bits_per_sample",
        number(|tags| tags.bits).filter(|_| is_lossless(stored)),
    );
    fact("bitrate", bitrate(stored));
    for (name, field_of) in gains(form) {
        fact(name, stored.iter().find_map(field_of).map(Value::from));
    }
    facts
}

type IdField = (&'static str, fn(&StoredTags) -> Option<&String>);

/// Returns the names of the facts with ids of MusicBrainz, and the tags that contain them. A track
/// also has the id of its recording; it identifies the track better than its release.
fn musicbrainz_ids(form: ItemForm) -> &'static [IdField] {
    const FIELDS: &[IdField] = &[
        ("musicbrainz_release", |tags| {
            tags.musicbrainz_release.as_ref()
        }),
        ("musicbrainz_release_group", |tags| {
            tags.musicbrainz_release_group.as_ref()
        }),
        ("musicbrainz_artist", |tags| {
            tags.musicbrainz_artist.as_ref()
        }),
        ("musicbrainz_recording", |tags| {
            tags.musicbrainz_recording.as_ref()
        }),
    ];
    match (form, FIELDS.split_last()) {
        (ItemForm::Track, _) | (_, None) => FIELDS,
        (_, Some((_, shared))) => shared,
    }
}

/// Removes the ids of MusicBrainz, because files without tags do not confirm them.
pub(super) fn remove_release_ids(facts: &mut BTreeMap<String, Value>) {
    facts.retain(|name, _| !name.starts_with("musicbrainz_"));
}

/// Returns the value that all files have. A file without it may belong to another release.
fn agreed(stored: &[StoredTags], field_of: fn(&StoredTags) -> Option<&String>) -> Option<&str> {
    let first = field_of(stored.first()?)?;
    let is_same = |tags: &StoredTags| field_of(tags) == Some(first);
    stored.iter().all(is_same).then_some(first.as_str())
}

/// Returns the names of gain and peak, and the tags that contain them. A track has its own; other
/// forms have those of the album.
fn gains(form: ItemForm) -> [(&'static str, fn(&StoredTags) -> Option<f64>); 2] {
    if form == ItemForm::Track {
        [
            ("track_gain", |tags| tags.track_gain),
            ("track_peak", |tags| tags.track_peak),
        ]
    } else {
        [
            ("album_gain", |tags| tags.album_gain),
            ("album_peak", |tags| tags.album_peak),
        ]
    }
}

fn narrator(credits: &[Credit]) -> Option<Value> {
    let names: Vec<&str> = credits
        .iter()
        .filter(|credit| credit.role == super::people::NARRATOR)
        .map(|credit| credit.name.as_str())
        .collect();
    (!names.is_empty()).then(|| names.join(", ").into())
}

fn genres(stored: &[StoredTags]) -> Option<Value> {
    let mut genres: Vec<&str> = Vec::new();
    for genre in stored.iter().flat_map(|tags| &tags.genres) {
        if !genres.contains(&genre.as_str()) && genres.len() < MAX_GENRES {
            genres.push(genre);
        }
    }
    (!genres.is_empty()).then(|| json!(genres))
}

/// Returns `true` for lossless codecs. The bit depth of a lossy codec is meaningless.
fn is_lossless(stored: &[StoredTags]) -> bool {
    let is_lossless = |codec: &str| {
        codec.starts_with("pcm_") || matches!(codec, "flac" | "alac" | "ape" | "wavpack" | "tta")
    };
    stored
        .iter()
        .filter_map(|tags| tags.codec.as_deref())
        .any(is_lossless)
}

/// Returns the average bit rate of the files, in bits per second.
fn bitrate(stored: &[StoredTags]) -> Option<Value> {
    let rates: Vec<u64> = stored.iter().filter_map(|tags| tags.bitrate).collect();
    let count = u64::try_from(rates.len()).ok().filter(|count| *count > 0)?;
    Some((rates.iter().sum::<u64>() / count).into())
}

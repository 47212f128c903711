//! What is known of a recording beside its fields.

use std::collections::BTreeMap;

use ledge_core::registry::naming::Credit;
use serde_json::{Value, json};

use super::{Form, most_common};
use crate::said::Said;

/// Most genres that are kept of an item.
const MOST_GENRES: usize = 10;

/// Facts by name.
pub(super) fn facts(form: Form, credits: &[Credit], said: &[Said]) -> BTreeMap<String, Value> {
    let mut facts = BTreeMap::new();
    let mut fact = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            facts.insert(name.to_owned(), value);
        }
    };
    let text = |of: fn(&Said) -> &Option<String>| {
        most_common(said.iter().filter_map(|said| of(said).clone())).map(Value::from)
    };
    let number =
        |of: fn(&Said) -> Option<u32>| most_common(said.iter().filter_map(of)).map(Value::from);
    fact("form", Some(form.word().into()));
    fact("narrator", narrator(credits));
    fact(
        "subtitle",
        text(|said| &said.subtitle).filter(|_| form == Form::Audiobook),
    );
    fact("publisher", text(|said| &said.publisher));
    fact("language", text(|said| &said.language));
    fact(
        "date",
        text(|said| &said.date).filter(|date| date.as_str().is_some_and(|date| date.len() > 4)),
    );
    fact("genres", genres(said));
    fact("isbn", text(|said| &said.isbn));
    fact("asin", text(|said| &said.asin));
    fact(
        "compilation",
        said.iter()
            .any(|said| said.is_compilation)
            .then_some(json!(true)),
    );
    fact("codec", text(|said| &said.codec));
    fact("sample_rate", number(|said| said.sample_rate));
    fact("channels", number(|said| said.channels));
    fact(
        "bits_per_sample",
        number(|said| said.bits).filter(|_| is_lossless(said)),
    );
    fact("bitrate", bitrate(said));
    let gains: [(&str, fn(&Said) -> Option<f64>); 2] = if form == Form::Track {
        [
            ("track_gain", |said| said.track_gain),
            ("track_peak", |said| said.track_peak),
        ]
    } else {
        [
            ("album_gain", |said| said.album_gain),
            ("album_peak", |said| said.album_peak),
        ]
    };
    for (name, of) in gains {
        fact(name, said.iter().find_map(of).map(Value::from));
    }
    facts
}

fn narrator(credits: &[Credit]) -> Option<Value> {
    let names: Vec<&str> = credits
        .iter()
        .filter(|credit| credit.role == super::people::NARRATOR)
        .map(|credit| credit.name.as_str())
        .collect();
    (!names.is_empty()).then(|| names.join(", ").into())
}

fn genres(said: &[Said]) -> Option<Value> {
    let mut genres: Vec<&str> = Vec::new();
    for genre in said.iter().flat_map(|said| &said.genres) {
        if !genres.contains(&genre.as_str()) && genres.len() < MOST_GENRES {
            genres.push(genre);
        }
    }
    (!genres.is_empty()).then(|| json!(genres))
}

/// The bits of a sample mean something where nothing was thrown away.
fn is_lossless(said: &[Said]) -> bool {
    let is_lossless = |codec: &str| {
        codec.starts_with("pcm_") || matches!(codec, "flac" | "alac" | "ape" | "wavpack" | "tta")
    };
    said.iter()
        .filter_map(|said| said.codec.as_deref())
        .any(is_lossless)
}

/// Bits a second, on average over the files.
fn bitrate(said: &[Said]) -> Option<Value> {
    let rates: Vec<u64> = said.iter().filter_map(|said| said.bitrate).collect();
    let count = u64::try_from(rates.len()).ok().filter(|count| *count > 0)?;
    Some((rates.iter().sum::<u64>() / count).into())
}

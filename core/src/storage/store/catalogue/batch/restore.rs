//! Restoration of an item's fields with source and lock.

use std::collections::HashSet;

use serde_json::Value;

use super::snapshot::parse;
use super::value::Change;
use crate::error::StoreResult;
use crate::registry::naming::{Credit, Series};
use crate::store::catalogue::edit::Editing;
use crate::store::catalogue::field::{Field, Sourced, source};
use crate::store::catalogue::{self, genre, series};
use crate::text;

/// Writes the earlier value of a field. Returns `false` if the recorded value cannot be read.
pub(super) fn field(
    editing: &mut Editing<'_, '_>,
    field: Field,
    change: &Change,
) -> StoreResult<bool> {
    let (tx, id) = (editing.tx, editing.stored.id);
    match field {
        Field::Title => {
            let Some(old) = parse::<Sourced<String>>(&change.old) else {
                return Ok(false);
            };
            catalogue::set_title(tx, id, &old)?;
            editing.is_text_changed = true;
            settle(editing, field, &old, |scanned| &mut scanned.title);
        }
        Field::Year => {
            let Some(old) = parse::<Sourced<Option<i64>>>(&change.old) else {
                return Ok(false);
            };
            catalogue::set_year(tx, id, &old)?;
            settle(editing, field, &old, |scanned| &mut scanned.year);
        }
        Field::Description => {
            let Some(old) = parse::<Sourced<Option<String>>>(&change.old) else {
                return Ok(false);
            };
            catalogue::set_description(tx, id, &old)?;
            settle(editing, field, &old, |scanned| &mut scanned.description);
        }
        Field::Language => {
            let Some(old) = parse(&change.old) else {
                return Ok(false);
            };
            catalogue::set_language(tx, id, &old)?;
        }
        Field::Authors => return credits(editing, change),
        Field::Series => return in_series(editing, change),
        Field::Genres => return genres(editing, change),
        Field::Cover => return Ok(false),
    }
    Ok(true)
}

/// Restores the bookkeeping of scanned values. A field without lock contains its scanned value. If a
/// scan has found another value since, the next scan reads the folders and writes it.
fn settle<T: PartialEq>(
    editing: &mut Editing<'_, '_>,
    field: Field,
    old: &Sourced<T>,
    slot: impl FnOnce(&mut catalogue::ScannedValues) -> &mut Option<Sourced<T>>,
) {
    if old.source > source::FILE {
        editing.save_scanned_value(field);
        return;
    }
    let scanned = slot(&mut editing.scanned_values).take();
    editing.is_to_be_scanned |= scanned.is_some_and(|scanned| scanned.value != old.value);
}

fn credits(editing: &mut Editing<'_, '_>, change: &Change) -> StoreResult<bool> {
    let Some(old) = parse::<Sourced<Vec<Credit>>>(&change.old) else {
        return Ok(false);
    };
    editing.set_credits(&old)?;
    let names = |credits: &[Credit]| credits.iter().map(|one| one.name.clone()).collect();
    let written = written(&change.new, |credits: Vec<Credit>| names(&credits));
    let respelled = respelled(names(&old.value), &written, series::key);
    editing.respell(respelled.iter().map(String::as_str))?;
    settle(editing, Field::Authors, &old, |scanned| {
        &mut scanned.credits
    });
    Ok(true)
}

fn in_series(editing: &mut Editing<'_, '_>, change: &Change) -> StoreResult<bool> {
    let Some(old) = parse::<Sourced<Option<Series>>>(&change.old) else {
        return Ok(false);
    };
    editing.is_text_changed |= catalogue::set_series(editing.tx, &editing.stored, &old)?;
    let name = |series: Option<Series>| series.map(|series| series.name).into_iter().collect();
    let written = written(&change.new, name);
    for name in respelled(name(old.value.clone()), &written, series::key) {
        let items = series::respell(editing.tx, &editing.stored.kind, &name)?;
        editing.text_changed.extend(items);
    }
    editing.tidy_series()?;
    settle(editing, Field::Series, &old, |scanned| &mut scanned.series);
    Ok(true)
}

fn genres(editing: &mut Editing<'_, '_>, change: &Change) -> StoreResult<bool> {
    let Some(old) = parse::<Sourced<Vec<String>>>(&change.old) else {
        return Ok(false);
    };
    genre::set(editing.tx, editing.stored.id, &old.value)?;
    let written = written(&change.new, |names: Vec<String>| names);
    for name in respelled(old.value, &written, text::fold) {
        genre::respell(editing.tx, &name)?;
    }
    catalogue::set_genres_source(editing.tx, &editing.stored, old.source)?;
    Ok(true)
}

/// Returns the names of a written value.
fn written<T: serde::de::DeserializeOwned>(
    value: &Value,
    names: impl FnOnce(T) -> Vec<String>,
) -> Vec<String> {
    let written = parse::<Sourced<T>>(value);
    written.map_or(Vec::new(), |written| names(written.value))
}

/// Returns the earlier names whose spelling the batch changed.
fn respelled(old: Vec<String>, written: &[String], key: fn(&str) -> String) -> Vec<String> {
    let keys: HashSet<String> = written.iter().map(|name| key(name)).collect();
    let is_changed = |name: &String| keys.contains(&key(name)) && !written.contains(name);
    old.into_iter().filter(is_changed).collect()
}

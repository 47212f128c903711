//! States of players. The newer of both programs' states is current, the other one is a version.

use std::cmp::Reverse;

use rusqlite::Transaction;

use super::{Import, ImportedSave, Outcome, Row, Value};
use crate::error::StoreResult;
use crate::id::{ItemId, UserId};
use crate::store::catalogue::batch::snapshot::parse;
use crate::store::catalogue::batch::value::{Change, ChangedField};
use crate::store::user_data::save::{self, ForeignState, Imported, ImportedState};

/// Applies the states among the rows of a user and an item. Those of a slot are consecutive.
pub(super) fn apply(
    import: &Import,
    tx: &Transaction<'_>,
    owner: (UserId, ItemId),
    rows: &[Row],
    (outcomes, changes): (&mut Vec<(i64, Outcome)>, &mut Vec<Change>),
) -> StoreResult<()> {
    let state = |row: &Row| match &row.value {
        Value::Save(state) => Some((row.n, ImportedSave::clone(state))),
        _ => None,
    };
    let mut states: Vec<(i64, ImportedSave)> = rows.iter().filter_map(state).collect();
    for (_, state) in &mut states {
        // A time in the future would defer every later save.
        state.new.at = state.new.at.min(import.now);
    }
    for slot in states.chunk_by_mut(|a, b| a.1.slot == b.1.slot) {
        slot.sort_by_cached_key(|(_, state)| (Reverse(state.new.at), state.new.sha256.clone()));
        let Some((_, first)) = slot.first() else {
            continue;
        };
        let name = first.slot.clone();
        let foreign: Vec<ForeignState<'_>> = slot
            .iter()
            .map(|(_, state)| ForeignState {
                new: &state.new,
                path: &state.path,
            })
            .collect();
        let of = (owner.0, owner.1, name.as_str());
        let (results, written) = save::import(tx, of, &foreign, import.dry_run)?;
        let numbers = slot.iter().map(|(n, _)| *n);
        outcomes.extend(numbers.zip(results.into_iter().map(outcome)));
        for state in written {
            let values = (&None, &Some(state));
            changes.push(Change::new(Some(owner.0), ChangedField::Save, values));
        }
    }
    Ok(())
}

fn outcome(imported: Imported) -> Outcome {
    match imported {
        Imported::Known => Outcome::Unchanged,
        Imported::Current | Imported::Version => Outcome::Taken,
        Imported::Rejected => Outcome::Unsupported,
    }
}

/// Deletes an imported state. Returns `false` if its slot was changed since.
pub(in crate::storage::store::catalogue::batch) fn restore(
    tx: &Transaction<'_>,
    owner: (UserId, ItemId),
    change: &Change,
) -> StoreResult<bool> {
    let Some(Some(written)) = parse::<Option<ImportedState>>(&change.new) else {
        return Ok(false);
    };
    save::restore(tx, owner, &written)
}

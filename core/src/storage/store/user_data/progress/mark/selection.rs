//! Marking of selected files of an item: some files, one season, or all files up to one.

use std::collections::HashSet;

use rusqlite::Transaction;

use super::super::item_progress::Part;
use super::super::summary;
use super::{finish_some, reset_some};
use crate::access::VisibleItem;
use crate::error::{StoreError, StoreResult};
use crate::id::FileId;
use crate::time::Timestamp;

/// Files of an item that a request selects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileSelection {
    /// All files.
    All,
    /// These files.
    Files(Vec<FileId>),
    /// The files of a season.
    Season(i64),
    /// This file and the files before it. Files of season 0 belong to it only if this file is one.
    Until(FileId),
}

/// Finishes or resets the selected files of an item. Files that have the wanted state are not
/// written. Returns the number of changed files, or `None` if the item is gone.
///
/// # Errors
///
/// Returns `Invalid` on `files`, `season` or `until` if the item does not have such a file.
pub fn mark(
    tx: &Transaction<'_>,
    item: VisibleItem,
    finished: bool,
    selection: &FileSelection,
    now: Timestamp,
) -> StoreResult<Option<usize>> {
    let Some(item) = item.again(tx)? else {
        return Ok(None);
    };
    let owner = (item.viewer(), item.id());
    let parts = summary::parts(tx, item.viewer(), item.id())?;
    let selected = select(&parts, selection)?;
    let is_selected = |file| selected.contains(&file);
    let marked = if finished {
        finish_some(tx, owner, now, &is_selected)?
    } else {
        reset_some(tx, owner, now, &is_selected)?
    };
    Ok(Some(marked.new.len()))
}

/// Returns the selected files. `parts` are all files of the item in page order.
fn select(parts: &[Part], selection: &FileSelection) -> StoreResult<HashSet<FileId>> {
    let files = |wanted: &dyn Fn(&Part) -> bool| -> HashSet<FileId> {
        let wanted = parts.iter().filter(|part| wanted(part));
        wanted.map(|part| part.file).collect()
    };
    match selection {
        FileSelection::All => Ok(files(&|_| true)),
        FileSelection::Files(ids) => {
            let all = files(&|_| true);
            let absent = ids.iter().find(|id| !all.contains(id));
            absent.map_or_else(
                || Ok(ids.iter().copied().collect()),
                |id| Err(no_file("files", *id)),
            )
        }
        FileSelection::Season(season) => {
            let files = files(&|part| part.season == Some(*season));
            if files.is_empty() {
                let message = format!("The item has no season {season}.");
                return Err(invalid("season", message));
            }
            Ok(files)
        }
        FileSelection::Until(id) => {
            let at = parts.iter().position(|part| part.file == *id);
            let up_to = at.and_then(|at| parts.get(..=at));
            let (last, before) = up_to
                .and_then(<[Part]>::split_last)
                .ok_or_else(|| no_file("until", *id))?;
            let with_specials = last.is_special();
            let before = before
                .iter()
                .filter(|part| with_specials || !part.is_special());
            Ok(before.chain([last]).map(|part| part.file).collect())
        }
    }
}

fn no_file(field: &'static str, id: FileId) -> StoreError {
    invalid(field, format!("The item has no file {id}."))
}

fn invalid(field: &'static str, message: String) -> StoreError {
    StoreError::Invalid { field, message }
}

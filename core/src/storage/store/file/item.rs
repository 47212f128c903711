//! Files of an item: choice of the file that a request concerns, presence, and transfer to another
//! item.

use rusqlite::{OptionalExtension, Transaction, named_params};

use crate::access::VisibleItem;
use crate::error::{StoreError, StoreResult};
use crate::id::{FileId, ItemId};

/// Returns the file that a request concerns, and its extent: the named file, or else the only
/// present one. If none is present, it returns the only missing one.
pub fn meant(
    tx: &Transaction<'_>,
    item: VisibleItem,
    named: Option<FileId>,
) -> StoreResult<(FileId, Option<i64>)> {
    if let Some(file) = named {
        let extent = tx
            .prepare_cached(NAMED)?
            .query_row(named_params! { ":item": item.id(), ":file": file }, |row| {
                row.get(0)
            })
            .optional()?;
        let extent = extent.ok_or_else(|| refuse("The item has no such file."))?;
        return Ok((file, extent));
    }
    let mut statement = tx.prepare_cached(CANDIDATES)?;
    let rows = statement.query_map(named_params! { ":item": item.id() }, |row| {
        Ok(((row.get(0)?, row.get(1)?), row.get(2)?))
    })?;
    let (missing, present): (Vec<_>, Vec<_>) = rows
        .collect::<Result<Vec<(_, bool)>, _>>()?
        .into_iter()
        .partition(|(_, missing)| *missing);
    let candidates = if present.is_empty() { missing } else { present };
    match candidates.as_slice() {
        [(file, _)] => Ok(*file),
        [] => Err(refuse("The item has no file.")),
        _ => Err(refuse(
            "The item has several files: name one of them in `file_id`.",
        )),
    }
}

const NAMED: &str = "SELECT extent FROM file WHERE id = :file AND item_id = :item";

/// Two rows of each state suffice to detect ambiguity.
const CANDIDATES: &str = "
    SELECT id, extent, missing
      FROM (SELECT id, extent, missing FROM file WHERE item_id = :item AND missing = 0 LIMIT 2)
     UNION ALL
    SELECT id, extent, missing
      FROM (SELECT id, extent, missing FROM file WHERE item_id = :item AND missing = 1 LIMIT 2)";

fn refuse(message: &str) -> StoreError {
    StoreError::Invalid {
        field: "file_id",
        message: message.to_owned(),
    }
}

/// Returns `true` if any file of the item is present.
pub fn any_present(tx: &Transaction<'_>, item: ItemId) -> StoreResult<bool> {
    let mut statement =
        tx.prepare_cached("SELECT 1 FROM file WHERE item_id = :item AND missing = 0")?;
    Ok(statement.exists(named_params! { ":item": item })?)
}

/// Moves all files of an item to another item. User data of the files is not moved here.
pub fn move_to_item(tx: &Transaction<'_>, from: ItemId, to: ItemId) -> StoreResult<()> {
    tx.prepare_cached("UPDATE file SET item_id = :to WHERE item_id = :from")?
        .execute(named_params! { ":from": from, ":to": to })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::user_data::progress::tests::plan;

    #[test]
    fn file_candidates_are_found_by_index() {
        for sql in [NAMED, CANDIDATES] {
            let plan = plan(sql);
            assert!(
                plan.contains("SEARCH file") && !plan.contains("SCAN file"),
                "{plan}"
            );
        }
    }
}

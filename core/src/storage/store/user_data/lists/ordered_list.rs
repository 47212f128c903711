//! Lists that a user orders by hand. Clients address entries by id, and indexes count the entries
//! that are visible to the user.
//!
//! Hidden entries follow the visible entry that precedes them: they move with it, and an insertion
//! after it is placed after them.

mod gap;
mod sequence;

use std::collections::HashSet;

use rusqlite::{Connection, Transaction, named_params};

use crate::access::Visible;
use crate::error::StoreResult;
use crate::id::{EntryId, LibraryId};
use crate::time::Timestamp;

pub use sequence::Move;
pub(crate) use sequence::Sequence;

/// Table of entries. It has the columns `list_id`, `position`, `library_id` and `added_at`, and one
/// column for the member.
#[derive(Debug)]
pub(crate) struct EntryTable {
    /// Name of the table.
    pub(crate) name: &'static str,
    /// Column that identifies an entry of a list: `id`, or the member if it occurs only once.
    pub(crate) key: &'static str,
    /// Index of `list_id`, `position`, the key and `library_id`.
    pub(crate) by_position: &'static str,
    /// Column with the id of the file or item.
    pub(crate) member: &'static str,
    /// Joins from `entry` to `item`.
    pub(crate) to_item: &'static str,
}

/// A file or item that is added to a list. Its grant has been checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Member {
    /// Id of the file or item.
    pub(crate) id: i64,
    /// Library of the file or item, which never changes.
    pub(crate) library: LibraryId,
}

/// One list, as a user sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OrderedList {
    /// Table with the entries.
    pub(crate) table: &'static EntryTable,
    /// Id of the list.
    pub(crate) id: i64,
    /// User whose grants determine the visible entries.
    pub(crate) visible: Visible,
}

impl OrderedList {
    /// Reads all entries in order.
    pub(crate) fn sequence(self, conn: &Connection) -> StoreResult<Sequence> {
        let mut statement = conn.prepare_cached(&sequence_sql(self.table))?;
        let rows = statement.query_map(
            named_params! { ":list": self.id, ":viewer": self.visible.user() },
            sequence::row,
        )?;
        Ok(Sequence::new(rows.collect::<Result<_, _>>()?))
    }

    /// Returns the members of the visible entries.
    pub(crate) fn members(self, conn: &Connection) -> StoreResult<HashSet<i64>> {
        let EntryTable { name, member, .. } = self.table;
        let mut statement = conn.prepare_cached(&format!(
            "SELECT {member}
               FROM {name}
              WHERE list_id = :list
                AND library_id IN (SELECT library_id FROM library_grant WHERE user_id = :viewer)"
        ))?;
        let rows = statement.query_map(
            named_params! { ":list": self.id, ":viewer": self.visible.user() },
            |row| row.get(0),
        )?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Inserts members before the visible entry with index `at`, or at the end. `sequence` contains
    /// the current entries, and `at` is not beyond their end.
    pub(crate) fn insert(
        self,
        tx: &Transaction<'_>,
        mut sequence: Sequence,
        at: Option<usize>,
        members: &[Member],
        now: Timestamp,
    ) -> StoreResult<()> {
        let positions = if let Some(positions) = sequence.gap(at).positions(members.len()) {
            positions
        } else {
            self.write_positions(tx, &sequence.renumber())?;
            let wide = sequence.gap(at).positions(members.len());
            wide.expect("a new gap is wider than the longest list")
        };
        let EntryTable { name, member, .. } = self.table;
        let mut insert = tx.prepare_cached(&format!(
            "INSERT INTO {name} (list_id, position, {member}, library_id, added_at)
             VALUES (:list, :position, :member, :library, :now)"
        ))?;
        for (member, position) in members.iter().zip(positions) {
            insert.execute(named_params! {
                ":list": self.id,
                ":position": position,
                ":member": member.id,
                ":library": member.library,
                ":now": now,
            })?;
        }
        Ok(())
    }

    /// Writes the positions that changed.
    pub(crate) fn write_positions(
        self,
        tx: &Transaction<'_>,
        positions: &[(EntryId, i64)],
    ) -> StoreResult<()> {
        let EntryTable { name, key, .. } = self.table;
        let mut update = tx.prepare_cached(&format!(
            "UPDATE {name} SET position = :position WHERE {key} = :key AND list_id = :list"
        ))?;
        for (key, position) in positions {
            update.execute(named_params! {
                ":key": key,
                ":list": self.id,
                ":position": position,
            })?;
        }
        Ok(())
    }

    /// Returns those of these entries that are visible.
    pub(crate) fn visible_entries(
        self,
        conn: &Connection,
        ids: &[EntryId],
    ) -> StoreResult<Vec<EntryId>> {
        let EntryTable { name, key, .. } = self.table;
        let ids = serde_json::to_string(ids).expect("integers are JSON");
        let mut statement = conn.prepare_cached(&format!(
            "SELECT entry.{key}
               FROM json_each(:ids) AS wanted
              CROSS JOIN {name} AS entry
                 ON entry.{key} = wanted.value AND entry.list_id = :list
              WHERE entry.library_id IN (SELECT library_id
                                           FROM library_grant
                                          WHERE user_id = :viewer)"
        ))?;
        let rows = statement.query_map(
            named_params! { ":ids": ids, ":list": self.id, ":viewer": self.visible.user() },
            |row| row.get(0),
        )?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Deletes entries.
    pub(crate) fn delete(self, tx: &Transaction<'_>, ids: &[EntryId]) -> StoreResult<()> {
        let EntryTable { name, key, .. } = self.table;
        let mut delete = tx.prepare_cached(&format!(
            "DELETE FROM {name} WHERE {key} = :key AND list_id = :list"
        ))?;
        for key in ids {
            delete.execute(named_params! { ":key": key, ":list": self.id })?;
        }
        Ok(())
    }
}

fn sequence_sql(table: &EntryTable) -> String {
    let EntryTable {
        name,
        key,
        by_position,
        ..
    } = table;
    format!(
        "SELECT {key}, position,
                library_id IN (SELECT library_id FROM library_grant WHERE user_id = :viewer)
           FROM {name} INDEXED BY {by_position}
          WHERE list_id = :list
          ORDER BY position, {key}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::user_data::lists::{collection, playlist};
    use crate::store::user_data::progress::tests::plan;

    #[test]
    fn entries_are_read_in_order_from_covering_index() {
        let tables = [
            &playlist::ENTRIES,
            &playlist::queue::ENTRIES,
            &collection::ENTRIES,
        ];
        for table in tables {
            let plan = plan(&sequence_sql(table));
            let index = format!("COVERING INDEX {} (list_id=?)", table.by_position);
            assert!(plan.contains(&index), "{plan}");
            assert!(!plan.contains("TEMP B-TREE"), "{plan}");
        }
    }
}

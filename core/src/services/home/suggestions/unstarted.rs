//! Searches for present items that the viewer never started: by an author, of a kind, or the newest
//! of all.
//!
//! Every search examines a limited number of rows, so that a viewer with 50,000 started items of
//! one author does not wait. An author search reads the newest credits first. If all of these items
//! are started, it continues from a random position. A kind search reads limited windows, too. If
//! these leave the shelf incomplete, it subtracts the started items from all items; both lists have
//! the same order.

use std::collections::HashMap;

use rusqlite::{Connection, Statement, ToSql, named_params};

use crate::access::Visible;
use crate::error::StoreResult;
use crate::home::arms::{Arm, Arms, KindArms};
use crate::home::{SHELF, merge_newest};
use crate::id::{ItemId, LibraryId, PersonId};
use crate::rng::random_below;
use crate::store::catalogue::person::AUTHOR;

/// Rows that one search examines.
const WINDOW: usize = 200;
/// Windows that the search for one author reads after its first one.
const MORE_WINDOWS: usize = 4;
/// Windows that the searches for all authors read together after their first ones.
const MORE_WINDOWS_OF_ALL: usize = 8;

/// Credits of a person, the newest items first, each with a flag that is true if the item is
/// eligible.
pub(in crate::services::home) const BY_AUTHOR: &str = "
    SELECT near.item_id,
           NOT EXISTS (SELECT 1
                         FROM item_progress AS p
                        WHERE p.user_id = :viewer AND p.item_id = near.item_id)
       AND EXISTS (SELECT 1
                     FROM item
                     JOIN library_grant AS g ON g.library_id = item.library_id
                    WHERE item.id = near.item_id AND item.missing = 0 AND g.user_id = :viewer)
       AND EXISTS (SELECT 1
                     FROM item_person AS credit
                    WHERE credit.item_id = near.item_id
                      AND credit.position = near.position
                      AND credit.role = :author)
      FROM (SELECT item_id, position
              FROM item_person INDEXED BY item_person_by_person
             WHERE person_id = :person AND item_id <= :from
             ORDER BY item_id DESC
             LIMIT :window) AS near";

/// Newest items of a range that were never started, within a limited window.
pub(in crate::services::home) const NEWEST: &str = "
    SELECT near.added_at, near.id
      FROM (SELECT added_at, id
              FROM item INDEXED BY item_by_added
             WHERE library_id = :library AND kind = :kind AND missing = 0
             ORDER BY added_at DESC, id DESC
             LIMIT :window) AS near
     WHERE NOT EXISTS (SELECT 1
                         FROM item_progress AS p
                        WHERE p.user_id = :viewer AND p.item_id = near.id)
     LIMIT :limit";

/// Items of a range that were never started, from a given id on, within a limited window.
pub(in crate::services::home) const ANYWHERE: &str = "
    SELECT near.id
      FROM (SELECT id
              FROM item INDEXED BY item_present
             WHERE library_id = :library AND kind = :kind AND missing = 0
               AND id BETWEEN :from AND :to
             ORDER BY id
             LIMIT :window) AS near
     WHERE NOT EXISTS (SELECT 1
                         FROM item_progress AS p
                        WHERE p.user_id = :viewer AND p.item_id = near.id)
     LIMIT :limit";

/// Items of a range that were never started: two ordered lists, merged only as far as needed.
pub(in crate::services::home) const SUBTRACT: &str = "
    SELECT id
      FROM item INDEXED BY item_present
     WHERE library_id = :library AND kind = :kind AND missing = 0
       AND id BETWEEN :from AND :to
    EXCEPT
    SELECT item_id
      FROM item_progress
     WHERE user_id = :viewer AND item_id BETWEEN :from AND :to
     ORDER BY 1
     LIMIT :limit";

/// Time of addition and id of an item.
type Added = (String, ItemId);

/// State of the searches. The results of each range are cached for later searches.
pub(super) struct Unstarted<'a> {
    conn: &'a Connection,
    visible: Visible,
    arms: &'a Arms,
    newest: HashMap<(LibraryId, &'static str), Vec<Added>>,
    anywhere: HashMap<(LibraryId, &'static str), Vec<ItemId>>,
    more_windows: usize,
}

impl<'a> Unstarted<'a> {
    pub(super) fn new(conn: &'a Connection, visible: Visible, arms: &'a Arms) -> Self {
        Self {
            conn,
            visible,
            arms,
            newest: HashMap::new(),
            anywhere: HashMap::new(),
            more_windows: MORE_WINDOWS_OF_ALL,
        }
    }

    /// Returns eligible items of which the person is an author.
    pub(super) fn by_author(&mut self, person: PersonId) -> StoreResult<Vec<ItemId>> {
        let conn = self.conn;
        let mut statement = conn.prepare_cached(BY_AUTHOR)?;
        let mut found = Vec::new();
        let mut seen = i64::MAX;
        let mut is_all = self.credits(&mut statement, person, &mut seen, &mut found)?;
        for _ in 0..MORE_WINDOWS {
            if is_all || found.len() >= SHELF || self.more_windows == 0 {
                break;
            }
            self.more_windows -= 1;
            is_all = self.credits(&mut statement, person, &mut seen, &mut found)?;
        }
        if !is_all && found.is_empty() {
            // All items so far are started. `seen` is the smallest id examined.
            let mut from = i64::try_from(random_below(seen.unsigned_abs())).unwrap_or(0);
            self.credits(&mut statement, person, &mut from, &mut found)?;
        }
        Ok(found)
    }

    /// Examines credits from an id downwards and updates `from` to the last id examined. Returns
    /// `true` if no credit remains below it.
    fn credits(
        &self,
        statement: &mut Statement<'_>,
        person: PersonId,
        from: &mut i64,
        found: &mut Vec<ItemId>,
    ) -> StoreResult<bool> {
        let mut rows = statement.query(named_params! {
            ":viewer": self.visible.user(),
            ":person": person,
            ":author": AUTHOR,
            ":from": *from,
            ":window": WINDOW,
        })?;
        let mut looked = 0;
        while found.len() < SHELF
            && let Some(row) = rows.next()?
        {
            looked += 1;
            let id: ItemId = row.get(0)?;
            *from = id.0;
            if row.get(1)? && !found.contains(&id) {
                found.push(id);
            }
        }
        Ok(looked < WINDOW)
    }

    /// Returns eligible items of a kind, the newest first.
    pub(super) fn of_kind(&mut self, kind: &KindArms) -> StoreResult<Vec<ItemId>> {
        self.of_arms(&kind.arms)
    }

    /// Returns eligible items of all kinds, the newest first.
    pub(super) fn newest(&mut self) -> StoreResult<Vec<ItemId>> {
        let arms: Vec<Arm> = self
            .arms
            .0
            .iter()
            .flat_map(|kind| kind.arms.clone())
            .collect();
        self.of_arms(&arms)
    }

    /// Fills a shelf, or returns all eligible items if there are fewer: first the newest, then
    /// items at any position.
    fn of_arms(&mut self, arms: &[Arm]) -> StoreResult<Vec<ItemId>> {
        let mut found = ids(self.newest_of(arms)?);
        for arm in arms {
            if found.len() >= SHELF {
                break;
            }
            for id in self.anywhere(arm)? {
                if found.len() < SHELF && !found.contains(&id) {
                    found.push(id);
                }
            }
        }
        Ok(found)
    }

    fn newest_of(&mut self, arms: &[Arm]) -> StoreResult<Vec<Added>> {
        let mut entries = Vec::new();
        for arm in arms {
            let key = (arm.library, arm.kind);
            if !self.newest.contains_key(&key) {
                let found = self.newest_of_arm(arm)?;
                self.newest.insert(key, found);
            }
            entries.extend(self.newest.get(&key).into_iter().flatten().cloned());
        }
        Ok(merge_newest(entries, Clone::clone))
    }

    fn newest_of_arm(&self, arm: &Arm) -> StoreResult<Vec<Added>> {
        let mut statement = self.conn.prepare_cached(NEWEST)?;
        let rows = statement.query_map(
            named_params! {
                ":viewer": self.visible.user(),
                ":library": arm.library,
                ":kind": arm.kind,
                ":window": WINDOW,
                ":limit": SHELF,
            },
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Returns up to a shelf of eligible items of a range: from a random start, with wrap-around.
    fn anywhere(&mut self, arm: &Arm) -> StoreResult<Vec<ItemId>> {
        let key = (arm.library, arm.kind);
        if let Some(known) = self.anywhere.get(&key) {
            return Ok(known.clone());
        }
        let (first, last) = (arm.first.0, arm.last.0);
        let span = last.abs_diff(first).saturating_add(1);
        let mut found = Vec::new();
        // In a narrow range, the window of the newest items already contained all ids.
        if span > WINDOW as u64 {
            let start = first.saturating_add_unsigned(random_below(span));
            found = self.range(ANYWHERE, arm, (start, last))?;
            if found.len() < SHELF {
                found.extend(self.range(ANYWHERE, arm, (first, start - 1))?);
            }
            if found.len() < SHELF {
                found = self.range(SUBTRACT, arm, (first, last))?;
            }
        }
        self.anywhere.insert(key, found.clone());
        Ok(found)
    }

    fn range(&self, sql: &str, arm: &Arm, (from, to): (i64, i64)) -> StoreResult<Vec<ItemId>> {
        let mut statement = self.conn.prepare_cached(sql)?;
        let mut parameters: Vec<(&str, &dyn ToSql)> = vec![
            (":library", &arm.library),
            (":kind", &arm.kind),
            (":from", &from),
            (":to", &to),
            (":limit", &SHELF),
        ];
        let viewer = self.visible.user();
        parameters.push((":viewer", &viewer));
        if sql == ANYWHERE {
            parameters.push((":window", &WINDOW));
        }
        let rows = statement.query_map(parameters.as_slice(), |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

fn ids(entries: Vec<Added>) -> Vec<ItemId> {
    entries.into_iter().map(|(_, id)| id).collect()
}

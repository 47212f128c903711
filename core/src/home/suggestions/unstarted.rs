//! Present items that the viewer never began: of an author, of a kind, the newest of all.
//!
//! Each search looks at so many rows only, the newest first and then, where a reader has begun
//! all of these, anywhere: who has begun fifty thousand items of one author is not kept waiting
//! for the one that is left.

use std::collections::HashMap;

use rusqlite::{Connection, Statement, named_params};

use crate::access::Visible;
use crate::clock::random_below;
use crate::home::arms::{Arm, Arms, KindArms};
use crate::home::{SHELF, merge_newest};
use crate::id::{ItemId, LibraryId, PersonId};
use crate::store::StoreResult;
use crate::store::person::AUTHOR;

/// How many rows one search looks at.
const WINDOW: usize = 200;
/// How many rows the searches for authors look at together.
const AUTHOR_ROWS: usize = 1_000;

/// Credits of a person, the newest items first, and whether each is one to suggest.
pub(in crate::home) const BY_AUTHOR: &str = "
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

/// An arm's newest that were never begun, among so many.
pub(in crate::home) const NEWEST: &str = "
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

/// An arm's items from an id on that were never begun, among so many.
pub(in crate::home) const ANYWHERE: &str = "
    SELECT near.id
      FROM (SELECT id
              FROM item INDEXED BY item_present
             WHERE library_id = :library AND kind = :kind AND missing = 0 AND id >= :from
             ORDER BY id
             LIMIT :window) AS near
     WHERE NOT EXISTS (SELECT 1
                         FROM item_progress AS p
                        WHERE p.user_id = :viewer AND p.item_id = near.id)
     LIMIT :limit";

/// An item and when it was added.
type Added = (String, ItemId);

/// The searches; what an arm answered is kept for the next one.
pub(super) struct Unstarted<'a> {
    conn: &'a Connection,
    visible: Visible,
    arms: &'a Arms,
    newest: HashMap<(LibraryId, &'static str), Vec<Added>>,
    author_rows: usize,
}

impl<'a> Unstarted<'a> {
    pub(super) fn new(conn: &'a Connection, visible: Visible, arms: &'a Arms) -> Self {
        Self {
            conn,
            visible,
            arms,
            newest: HashMap::new(),
            author_rows: AUTHOR_ROWS,
        }
    }

    /// Items that this person is an author of.
    pub(super) fn by_author(&mut self, person: PersonId) -> StoreResult<Vec<ItemId>> {
        let conn = self.conn;
        let mut statement = conn.prepare_cached(BY_AUTHOR)?;
        let mut found = Vec::new();
        let mut seen = i64::MAX;
        if !self.credits(&mut statement, person, &mut seen, &mut found)? && found.is_empty() {
            // All of the newest are begun; `seen` is the oldest that was looked at.
            let mut from = i64::try_from(random_below(seen.unsigned_abs())).unwrap_or(0);
            self.credits(&mut statement, person, &mut from, &mut found)?;
        }
        Ok(found)
    }

    /// Looks at credits from an id downwards and moves it to the last one; whether there is none
    /// below.
    fn credits(
        &mut self,
        statement: &mut Statement<'_>,
        person: PersonId,
        from: &mut i64,
        found: &mut Vec<ItemId>,
    ) -> StoreResult<bool> {
        let window = WINDOW.min(self.author_rows);
        let mut rows = statement.query(named_params! {
            ":viewer": self.visible.user(),
            ":person": person,
            ":author": AUTHOR,
            ":from": *from,
            ":window": window,
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
        self.author_rows -= looked;
        Ok(looked < window)
    }

    /// Items of a kind, the newest first.
    pub(super) fn of_kind(&mut self, kind: &KindArms) -> StoreResult<Vec<ItemId>> {
        let mut found = ids(self.newest_of(&kind.arms)?);
        if found.len() < SHELF {
            for arm in &kind.arms {
                for id in self.anywhere(arm)? {
                    if found.len() < SHELF && !found.contains(&id) {
                        found.push(id);
                    }
                }
            }
        }
        Ok(found)
    }

    /// The newest items of every kind.
    pub(super) fn newest(&mut self) -> StoreResult<Vec<ItemId>> {
        let arms: Vec<Arm> = self
            .arms
            .0
            .iter()
            .flat_map(|kind| kind.arms.clone())
            .collect();
        Ok(ids(self.newest_of(&arms)?))
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

    fn anywhere(&self, arm: &Arm) -> StoreResult<Vec<ItemId>> {
        let span = arm.last.0.abs_diff(arm.first.0);
        if span < WINDOW as u64 {
            // The newest were all there are.
            return Ok(Vec::new());
        }
        let mut statement = self.conn.prepare_cached(ANYWHERE)?;
        let rows = statement.query_map(
            named_params! {
                ":viewer": self.visible.user(),
                ":library": arm.library,
                ":kind": arm.kind,
                ":from": arm.first.0.saturating_add_unsigned(random_below(span)),
                ":window": WINDOW,
                ":limit": SHELF,
            },
            |row| row.get(0),
        )?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

fn ids(entries: Vec<Added>) -> Vec<ItemId> {
    entries.into_iter().map(|(_, id)| id).collect()
}

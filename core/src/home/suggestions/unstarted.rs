//! Present items that the viewer never began: of an author, of a kind, the newest of all.
//!
//! A search for an author looks at so many rows only, the newest first and then, where a reader has
//! begun all of these, anywhere: who has begun fifty thousand items of one author is not kept
//! waiting for the one that is left. Kinds are looked at so too, but where that leaves the shelf
//! wanting, what was begun is subtracted from what there is: both are lists in the same order.

use std::collections::HashMap;

use rusqlite::{Connection, Statement, ToSql, named_params};

use crate::access::Visible;
use crate::clock::random_below;
use crate::home::arms::{Arm, Arms, KindArms};
use crate::home::{SHELF, merge_newest};
use crate::id::{ItemId, LibraryId, PersonId};
use crate::store::StoreResult;
use crate::store::person::AUTHOR;

/// How many rows one search looks at.
const WINDOW: usize = 200;
/// How often the search for an author goes on below the rows it looked at first.
const MORE_WINDOWS: usize = 4;
/// How often the searches for all authors do together.
const MORE_WINDOWS_OF_ALL: usize = 8;

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
             WHERE library_id = :library AND kind = :kind AND missing = 0
               AND id BETWEEN :from AND :to
             ORDER BY id
             LIMIT :window) AS near
     WHERE NOT EXISTS (SELECT 1
                         FROM item_progress AS p
                        WHERE p.user_id = :viewer AND p.item_id = near.id)
     LIMIT :limit";

/// An arm's items that were never begun: two ordered lists, merged as far as is needed.
pub(in crate::home) const SUBTRACT: &str = "
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

/// An item and when it was added.
type Added = (String, ItemId);

/// The searches; what an arm answered is kept for the next one.
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

    /// Items that this person is an author of.
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
            // All of these are begun; `seen` is the oldest that was looked at.
            let mut from = i64::try_from(random_below(seen.unsigned_abs())).unwrap_or(0);
            self.credits(&mut statement, person, &mut from, &mut found)?;
        }
        Ok(found)
    }

    /// Looks at credits from an id downwards and moves it to the last one; whether there is none
    /// below.
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

    /// Items of a kind, the newest first.
    pub(super) fn of_kind(&mut self, kind: &KindArms) -> StoreResult<Vec<ItemId>> {
        self.of_arms(&kind.arms)
    }

    /// Items of every kind, the newest first.
    pub(super) fn newest(&mut self) -> StoreResult<Vec<ItemId>> {
        let arms: Vec<Arm> = self
            .arms
            .0
            .iter()
            .flat_map(|kind| kind.arms.clone())
            .collect();
        self.of_arms(&arms)
    }

    /// As many as a shelf takes, or all there are: the newest, and what is left from anywhere.
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

    /// As many of an arm as a shelf takes, or all there are: from a random start, around the end.
    fn anywhere(&mut self, arm: &Arm) -> StoreResult<Vec<ItemId>> {
        let key = (arm.library, arm.kind);
        if let Some(known) = self.anywhere.get(&key) {
            return Ok(known.clone());
        }
        let (first, last) = (arm.first.0, arm.last.0);
        let span = last.abs_diff(first).saturating_add(1);
        let mut found = Vec::new();
        // In a narrow arm the newest were all there are.
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

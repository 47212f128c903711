//! *Explore*: a random sample across all kinds, different for each request.
//!
//! Each kind is walked by id from a random start, with wrap-around, and skips items in progress.
//! The kinds alternate. A walk examines a limited number of rows. If it finds nothing within a long
//! run of items in progress, it starts again at another id. The last resort is the difference of
//! both ordered lists, so that a kind with any eligible item contributes.

use rusqlite::{Connection, named_params};

use super::SHELF;
use super::arms::{Arms, KindArms, interleave};
use crate::access::Visible;
use crate::error::StoreResult;
use crate::id::ItemId;
use crate::rng::random_below;

/// Rows of a range that one walk examines.
const WINDOW: usize = 64;
/// Walks from different random starts before the last resort.
const WALKS: usize = 4;

/// The next ids of a range, each with a flag that is true if the item is in progress.
pub(super) const WALK: &str = "
    SELECT near.id,
           EXISTS (SELECT 1
                     FROM item_progress AS p
                    WHERE p.user_id = :viewer AND p.item_id = near.id AND p.finished = 0)
      FROM (SELECT id
              FROM item INDEXED BY item_present
             WHERE library_id = :library AND kind = :kind AND missing = 0
               AND id BETWEEN :from AND :to
             ORDER BY id
             LIMIT :window) AS near";

/// Items of a range that are not in progress: two ordered lists, merged only as far as needed.
pub(super) const SUBTRACT: &str = "
    SELECT id
      FROM item INDEXED BY item_present
     WHERE library_id = :library AND kind = :kind AND missing = 0
    EXCEPT
    SELECT item_id
      FROM item_progress INDEXED BY item_progress_by_state
     WHERE user_id = :viewer AND finished = 0 AND library_id = :library
     ORDER BY 1
     LIMIT :limit";

pub(super) fn find(conn: &Connection, visible: Visible, arms: &Arms) -> StoreResult<Vec<ItemId>> {
    let explorer = Explorer { conn, visible };
    let quota = SHELF.div_ceil(arms.0.len().max(1));
    let sample = explorer.sample(arms, quota)?;
    let lacking = SHELF - sample.len();
    if lacking == 0 || quota == SHELF {
        return Ok(sample);
    }
    // Some kind has too few items, so the other kinds contribute more.
    explorer.sample(arms, quota + lacking)
}

struct Explorer<'a> {
    conn: &'a Connection,
    visible: Visible,
}

impl Explorer<'_> {
    fn sample(&self, arms: &Arms, quota: usize) -> StoreResult<Vec<ItemId>> {
        let samples = arms.0.iter().map(|kind| self.sample_of(kind, quota));
        let samples = samples.collect::<StoreResult<Vec<_>>>()?;
        Ok(interleave(samples).take(SHELF).collect())
    }

    /// Collects the sample of a kind, from a random start.
    fn sample_of(&self, kind: &KindArms, quota: usize) -> StoreResult<Vec<ItemId>> {
        let first = kind.arms.iter().map(|arm| arm.first.0).min().unwrap_or(0);
        let last = kind.arms.iter().map(|arm| arm.last.0).max().unwrap_or(0);
        let span = last.abs_diff(first).saturating_add(1);
        let mut found = KindSample::of(quota);
        for _ in 0..WALKS {
            let start = first.saturating_add_unsigned(random_below(span));
            let mut all = self.walk(kind, (start, last), &mut found)?;
            if !found.is_full() {
                all &= self.walk(kind, (first, start - 1), &mut found)?;
            }
            if all || found.is_full() {
                return Ok(found.ids);
            }
        }
        self.subtract(kind, &mut found)?;
        Ok(found.ids)
    }

    /// Adds the eligible items between two ids in ascending order. Returns `true` if all rows of
    /// the ranges were examined.
    fn walk(
        &self,
        kind: &KindArms,
        (from, to): (i64, i64),
        found: &mut KindSample,
    ) -> StoreResult<bool> {
        let mut statement = self.conn.prepare_cached(WALK)?;
        let mut ids = Vec::new();
        let mut all = true;
        for arm in &kind.arms {
            let mut rows = statement.query(named_params! {
                ":viewer": self.visible.user(),
                ":library": arm.library,
                ":kind": arm.kind,
                ":from": from,
                ":to": to,
                ":window": WINDOW,
            })?;
            let (mut looked, mut free) = (0, 0);
            while free < found.wanted
                && let Some(row) = rows.next()?
            {
                looked += 1;
                if !row.get::<_, bool>(1)? {
                    free += 1;
                    ids.push(row.get(0)?);
                }
            }
            all &= looked < WINDOW && free < found.wanted;
        }
        found.add(ids);
        Ok(all)
    }

    fn subtract(&self, kind: &KindArms, found: &mut KindSample) -> StoreResult<()> {
        let mut statement = self.conn.prepare_cached(SUBTRACT)?;
        let mut ids = Vec::new();
        for arm in &kind.arms {
            let rows = statement.query_map(
                named_params! {
                    ":viewer": self.visible.user(),
                    ":library": arm.library,
                    ":kind": arm.kind,
                    ":limit": found.wanted,
                },
                |row| row.get(0),
            )?;
            for row in rows {
                ids.push(row?);
            }
        }
        found.add(ids);
        Ok(())
    }
}

/// Contribution of one kind to the sample.
struct KindSample {
    wanted: usize,
    ids: Vec<ItemId>,
}

impl KindSample {
    fn of(wanted: usize) -> Self {
        Self {
            wanted,
            ids: Vec::with_capacity(wanted),
        }
    }

    fn is_full(&self) -> bool {
        self.ids.len() >= self.wanted
    }

    /// Adds ids in ascending order without duplicates until the sample is full.
    fn add(&mut self, mut ids: Vec<ItemId>) {
        ids.sort_unstable();
        for id in ids {
            if !self.is_full() && !self.ids.contains(&id) {
                self.ids.push(id);
            }
        }
    }
}

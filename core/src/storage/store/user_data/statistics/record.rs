//! Recording of sessions, in the transaction of the progress write or of the view.

use std::time::Duration;

use rusqlite::{OptionalExtension, Transaction, named_params};

use super::pieces::QUARTER;
use super::{MAX_HOURS, parse_steps, setting};
use crate::access::VisibleItem;
use crate::error::StoreResult;
use crate::id::{FileId, ItemId, UserId};
use crate::registry::{Registry, Unit};
use crate::store::file::{self, totals};
use crate::store::user_data::progress::{self, FileProgress, NewProgress};
use crate::store::user_data::view;
use crate::time::Timestamp;

/// Longest pause within a session.
const PAUSE: Duration = Duration::from_mins(5);

/// Saves progress, as [`progress::save`], and records an accepted write.
pub fn save_progress(
    tx: &Transaction<'_>,
    registry: &Registry,
    item: VisibleItem,
    new: &NewProgress,
    now: Timestamp,
) -> StoreResult<Option<FileProgress>> {
    let before = Before::read(tx, item, new.file)?;
    let saved = progress::save(tx, item, new, now)?;
    let Some(accepted) = saved.as_ref().filter(|saved| saved.applied) else {
        return Ok(saved);
    };
    let file = accepted.place.file_id;
    if !setting::records_sessions(tx, item.viewer())? {
        return Ok(saved);
    }
    if let Some((kind, unit)) = kind_and_unit(tx, registry, file)? {
        let event = Event {
            at: accepted.place.updated_at,
            pages: match unit {
                Unit::Page | Unit::Section => before.step(file, accepted.place.position),
                _ => 0,
            },
            is_finish: accepted.item_finished && !before.finished,
        };
        event.record(tx, (item.viewer(), item.id()), &kind)?;
    }
    Ok(saved)
}

/// Counts a view, as [`view::add`], and opens a session.
pub fn add_view(
    tx: &Transaction<'_>,
    item: VisibleItem,
    now: Timestamp,
) -> StoreResult<Option<i64>> {
    let views = view::add(tx, item, now)?;
    if views.is_some() && setting::records_sessions(tx, item.viewer())? {
        let kind: String = tx
            .prepare_cached("SELECT kind FROM item WHERE id = :item")?
            .query_row(named_params! { ":item": item.id() }, |row| row.get(0))?;
        let event = Event {
            at: now,
            pages: 0,
            is_finish: false,
        };
        event.record(tx, (item.viewer(), item.id()), &kind)?;
    }
    Ok(views)
}

/// State before a progress write.
struct Before {
    /// `true` if the item was finished.
    finished: bool,
    /// File of the write with the stored position in it.
    position: Option<(FileId, i64)>,
}

impl Before {
    fn read(tx: &Transaction<'_>, item: VisibleItem, named: Option<FileId>) -> StoreResult<Self> {
        let finished = tx.prepare_cached(WAS_FINISHED)?.query_row(
            named_params! { ":user": item.viewer(), ":item": item.id() },
            |row| row.get(0),
        );
        // The write itself reports an ambiguous file.
        let only = || file::meant(tx, item, None).ok().map(|(file, _)| file);
        let position = match named.or_else(only) {
            Some(file) => position(tx, item.viewer(), file)?.map(|position| (file, position)),
            None => None,
        };
        Ok(Self {
            finished: finished.optional()?.unwrap_or(false),
            position,
        })
    }

    /// Returns the length of the step to a position, or 0 for a step back.
    fn step(&self, file: FileId, position: i64) -> i64 {
        match self.position {
            Some((from, start)) if from == file => (position - start).max(0),
            _ => 0,
        }
    }
}

const WAS_FINISHED: &str =
    "SELECT finished FROM item_progress WHERE user_id = :user AND item_id = :item";

const POSITION: &str = "SELECT position FROM progress WHERE user_id = :user AND file_id = :file";

fn position(tx: &Transaction<'_>, user: UserId, file: FileId) -> StoreResult<Option<i64>> {
    let mut statement = tx.prepare_cached(POSITION)?;
    let found = statement.query_row(named_params! { ":user": user, ":file": file }, |row| {
        row.get(0)
    });
    Ok(found.optional()?)
}

const KIND: &str = "
    SELECT item.kind, file.name
      FROM file
      JOIN item ON item.id = file.item_id
     WHERE file.id = :file";

/// Returns the kind of a file's item and the unit of its positions.
fn kind_and_unit(
    tx: &Transaction<'_>,
    registry: &Registry,
    file: FileId,
) -> StoreResult<Option<(String, Unit)>> {
    let mut statement = tx.prepare_cached(KIND)?;
    let found = statement.query_row(named_params! { ":file": file }, |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, Vec<u8>>(1)?))
    });
    let found = found.optional()?;
    Ok(found.map(|(kind, name)| {
        let unit = totals::unit(registry.kind(&kind), &name);
        (kind, unit)
    }))
}

/// Progress write or view.
struct Event {
    at: Timestamp,
    /// Pages since the stored position. They count only if a session is open.
    pages: i64,
    is_finish: bool,
}

/// Session that an event can extend.
struct OpenSession {
    id: i64,
    started_at: Timestamp,
    last_at: Timestamp,
    pages: i64,
    steps: Vec<(i64, i64)>,
    finished_at: Option<Timestamp>,
}

/// A second row is necessary only for an event between two sessions: a write that arrives later
/// than a write in another file of the item.
const NEAR: &str = "
    SELECT id, started_at, last_at, pages, page_steps, finished_at
      FROM usage_session
     WHERE item_id = :item AND user_id = :user AND started_at <= :latest
     ORDER BY started_at DESC
     LIMIT 2";

impl Event {
    fn record(
        &self,
        tx: &Transaction<'_>,
        (user, item): (UserId, ItemId),
        kind: &str,
    ) -> StoreResult<()> {
        let mut near = self.near(tx, (user, item))?.into_iter();
        let Some(mut session) = near.next() else {
            return self.insert(tx, (user, item), kind, (self.at, self.at), 0);
        };
        if let Some(earlier) = near.next().filter(|earlier| session.can_join(earlier)) {
            session.join(tx, earlier)?;
        }
        let (start, end) = (
            session.started_at.min(self.at),
            session.last_at.max(self.at),
        );
        if end.since(start) > Duration::from_hours(MAX_HOURS) {
            // The next session continues without a gap.
            let span = if self.at > session.last_at {
                (session.last_at, self.at)
            } else {
                (self.at, session.started_at)
            };
            return self.insert(tx, (user, item), kind, span, self.pages);
        }
        self.extend(tx, session)
    }

    /// Returns the sessions at most [`PAUSE`] before or after the event, the latest first.
    fn near(
        &self,
        tx: &Transaction<'_>,
        (user, item): (UserId, ItemId),
    ) -> StoreResult<Vec<OpenSession>> {
        let mut statement = tx.prepare_cached(NEAR)?;
        let latest = self.at.plus(PAUSE);
        let rows = statement.query_map(
            named_params! { ":user": user, ":item": item, ":latest": latest },
            |row| {
                let steps: Option<String> = row.get(4)?;
                Ok(OpenSession {
                    id: row.get(0)?,
                    started_at: row.get(1)?,
                    last_at: row.get(2)?,
                    pages: row.get(3)?,
                    steps: parse_steps(steps.as_deref()),
                    finished_at: row.get(5)?,
                })
            },
        )?;
        let mut near: Vec<OpenSession> = rows.collect::<Result<_, _>>()?;
        near.retain(|session| session.last_at.plus(PAUSE) >= self.at);
        Ok(near)
    }

    fn insert(
        &self,
        tx: &Transaction<'_>,
        (user, item): (UserId, ItemId),
        kind: &str,
        (start, end): (Timestamp, Timestamp),
        pages: i64,
    ) -> StoreResult<()> {
        let mut steps = Vec::new();
        add_pages(&mut steps, self.at, pages);
        tx.prepare_cached(INSERT)?.execute(named_params! {
            ":user": user,
            ":item": item,
            ":kind": kind,
            ":start": start,
            ":last": end,
            ":pages": pages,
            ":steps": steps_text(&steps),
            ":finished": self.is_finish.then_some(self.at),
        })?;
        Ok(())
    }

    fn extend(&self, tx: &Transaction<'_>, mut session: OpenSession) -> StoreResult<()> {
        if self.at < session.started_at {
            session.set_start(tx, self.at)?;
        }
        session.last_at = session.last_at.max(self.at);
        session.pages += self.pages;
        add_pages(&mut session.steps, self.at, self.pages);
        if self.is_finish {
            session.finished_at = Some(self.at);
        }
        session.update(tx)
    }
}

impl OpenSession {
    /// Returns `true` if both sessions together are not too long.
    fn can_join(&self, earlier: &Self) -> bool {
        self.last_at.since(earlier.started_at) <= Duration::from_hours(MAX_HOURS)
    }

    /// Adds an earlier session and deletes its row.
    fn join(&mut self, tx: &Transaction<'_>, earlier: Self) -> StoreResult<()> {
        tx.prepare_cached("DELETE FROM usage_session WHERE id = :id")?
            .execute(named_params! { ":id": earlier.id })?;
        self.set_start(tx, earlier.started_at)?;
        self.pages += earlier.pages;
        let mut steps = earlier.steps;
        for (quarter, pages) in self.steps.drain(..) {
            add_steps(&mut steps, quarter, pages);
        }
        self.steps = steps;
        self.finished_at = self.finished_at.or(earlier.finished_at);
        Ok(())
    }

    /// Sets the start, which is rare. Other updates leave the indexes unchanged.
    fn set_start(&mut self, tx: &Transaction<'_>, start: Timestamp) -> StoreResult<()> {
        tx.prepare_cached("UPDATE usage_session SET started_at = :start WHERE id = :id")?
            .execute(named_params! { ":id": self.id, ":start": start })?;
        self.started_at = start;
        Ok(())
    }

    fn update(&self, tx: &Transaction<'_>) -> StoreResult<()> {
        tx.prepare_cached(UPDATE)?.execute(named_params! {
            ":id": self.id,
            ":last": self.last_at,
            ":pages": self.pages,
            ":steps": steps_text(&self.steps),
            ":finished": self.finished_at,
        })?;
        Ok(())
    }
}

const INSERT: &str = "
    INSERT INTO usage_session
           (user_id, item_id, kind, started_at, last_at, pages, page_steps, finished_at)
    VALUES (:user, :item, :kind, :start, :last, :pages, :steps, :finished)";

const UPDATE: &str = "
    UPDATE usage_session
       SET last_at = :last, pages = :pages, page_steps = :steps, finished_at = :finished
     WHERE id = :id";

fn add_pages(steps: &mut Vec<(i64, i64)>, at: Timestamp, pages: i64) {
    if pages > 0 {
        add_steps(steps, at.as_micros().div_euclid(QUARTER), pages);
    }
}

fn add_steps(steps: &mut Vec<(i64, i64)>, quarter: i64, pages: i64) {
    match steps.iter_mut().find(|(existing, _)| *existing == quarter) {
        Some((_, sum)) => *sum += pages,
        None => steps.push((quarter, pages)),
    }
}

fn steps_text(steps: &[(i64, i64)]) -> Option<String> {
    (!steps.is_empty()).then(|| serde_json::to_string(steps).expect("integers are JSON"))
}

#[cfg(test)]
mod tests;

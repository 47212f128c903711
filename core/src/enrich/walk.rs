//! Through a library, item by item: in pages, with a place to go on from, and giving way to other
//! work.

use std::time::{Duration, Instant};

use super::item::{Going, Outcome};
use super::job::{ITEM_HANDLER_KIND, LIBRARY_HANDLER_KIND};
use super::progress::{Cursor, Progress};
use crate::clock::Timestamp;
use crate::events::Event;
use crate::id::{ItemId, LibraryId};
use crate::jobs::{JobContext, JobError};
use crate::store::{job, matches};

/// Items whose ids are read at once.
const PAGE: usize = 64;
/// How long progress over items that nobody is asked about is kept to oneself.
const PATIENCE: Duration = Duration::from_millis(500);
/// After this long other work that waits goes first.
const TURN: Duration = Duration::from_secs(5);

/// The walk of one job.
pub(super) struct Walk<'a> {
    context: &'a JobContext<'a>,
    library: LibraryId,
    since: Option<Timestamp>,
    progress: Progress,
    begun: Instant,
    saved: Instant,
}

impl<'a> Walk<'a> {
    /// Begins, or goes on where the job was put back or the server ended.
    pub(super) fn begin(
        context: &'a JobContext<'a>,
        library: LibraryId,
        since: Option<Timestamp>,
    ) -> Result<Self, JobError> {
        let id = context.job.id;
        let kinds = context.app.providers.kinds();
        let progress = context.app.db.read_blocking(move |conn| {
            let job = job::get(conn, id)?;
            let result = job.and_then(|job| job.result);
            let mut progress = Progress::of(result.as_ref());
            if progress.cursor.is_none() {
                progress = Progress::default();
            }
            progress.total = 0;
            for kind in &kinds {
                progress.total += matches::count_unscoped(conn, library, kind)?;
            }
            Ok(progress)
        })?;
        Ok(Self {
            context,
            library,
            since,
            progress,
            begun: Instant::now(),
            saved: Instant::now(),
        })
    }

    /// Goes through everything; `false` if somebody stopped it.
    pub(super) fn go(&mut self) -> Result<bool, JobError> {
        self.save()?;
        for kind in self.context.app.providers.kinds() {
            let mut after = match &self.progress.cursor {
                Some(cursor) if cursor.kind.as_str() > kind => continue,
                Some(cursor) if cursor.kind == kind => cursor.after,
                _ => 0,
            };
            loop {
                let items = self.page(kind, after)?;
                let Some(last) = items.last() else {
                    break;
                };
                after = last.0;
                for item in items {
                    if !self.take(kind, item)? {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    fn page(&self, kind: &'static str, after: i64) -> Result<Vec<ItemId>, JobError> {
        let library = self.library;
        let read = move |conn: &rusqlite::Connection| {
            matches::items_after_unscoped(conn, library, kind, after, PAGE)
        };
        Ok(self.context.app.db.read_blocking(read)?)
    }

    fn take(&mut self, kind: &'static str, item: ItemId) -> Result<bool, JobError> {
        let context = self.context;
        if context.is_cancelled() {
            return Ok(false);
        }
        if context.is_stopping() {
            self.save()?;
            return Err(JobError::Stopping);
        }
        let going = Going {
            app: context.app,
            since: self.since,
            is_stopped: &|| context.is_stopping() || context.is_cancelled(),
        };
        let outcome = match going.go_through(item) {
            Err(JobError::Stopping) if context.is_cancelled() => return Ok(false),
            outcome => outcome?,
        };
        self.progress.count(&outcome);
        let rest = match outcome {
            Outcome::Failed(Some(rest)) => rest.as_secs() + 1,
            _ => 0,
        };
        self.progress.cursor = Some(Cursor {
            kind: kind.to_owned(),
            after: item.0,
            rest: rest.max(self.rest().unwrap_or_default().as_secs()),
        });
        if outcome != Outcome::Standing || self.saved.elapsed() >= PATIENCE {
            self.save()?;
            self.give_way()?;
        }
        Ok(true)
    }

    /// Keeps how far the work has come, and tells of it.
    fn save(&mut self) -> Result<(), JobError> {
        let (id, result) = (self.context.job.id, self.progress.result());
        let app = self.context.app;
        app.db
            .bulk_blocking(move |tx| job::report(tx, id, &result))?;
        app.events.publish(Event::Enrichment(self.library));
        self.saved = Instant::now();
        Ok(())
    }

    fn give_way(&self) -> Result<(), JobError> {
        if self.begun.elapsed() < TURN {
            return Ok(());
        }
        let now = self.context.app.clock.now();
        let read = move |conn: &rusqlite::Connection| {
            job::is_other_due(conn, &[LIBRARY_HANDLER_KIND, ITEM_HANDLER_KIND], now)
        };
        if self.context.app.db.read_blocking(read)? {
            return Err(JobError::GiveWay);
        }
        Ok(())
    }

    /// The longest time that a provider wanted to be left alone.
    pub(super) fn rest(&self) -> Option<Duration> {
        let rest = self.progress.cursor.as_ref().map(|cursor| cursor.rest);
        rest.filter(|rest| *rest > 0).map(Duration::from_secs)
    }

    /// What came of it all.
    pub(super) fn end(self) -> Progress {
        Progress {
            cursor: None,
            ..self.progress
        }
    }
}

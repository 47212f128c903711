//! Through a library, item by item: in pages, with a place to go on from, and giving way to other
//! work.

use std::time::{Duration, Instant};

use super::item::{Going, Outcome, Went};
use super::job::LIBRARY_HANDLER_KIND;
use super::progress::Progress;
use crate::clock::Timestamp;
use crate::events::Event;
use crate::id::{ItemId, LibraryId};
use crate::jobs::{JobContext, JobError};
use crate::store::job;
use crate::store::matches::due::{self, Candidate};

/// Items whose ids are read at once.
const PAGE: usize = 512;
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
    /// Items about which nobody is to be asked for long, to be noted.
    settled: Vec<(&'static str, ItemId)>,
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
            match &mut progress.cursor {
                // The time that the providers wanted is over.
                Some(cursor) if cursor.waits => (cursor.waits, cursor.rest) = (false, 0),
                Some(_) => {}
                None => progress = Progress::default(),
            }
            progress.total = 0;
            for kind in &kinds {
                progress.total += due::count_unscoped(conn, library, kind)?;
            }
            Ok(progress)
        })?;
        Ok(Self {
            context,
            library,
            since,
            progress,
            settled: Vec::new(),
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
                after = last.item.0;
                for candidate in items {
                    if !self.take(kind, candidate)? {
                        self.save()?;
                        return Ok(false);
                    }
                }
            }
        }
        self.save()?;
        Ok(true)
    }

    fn page(&self, kind: &'static str, after: i64) -> Result<Vec<Candidate>, JobError> {
        let library = self.library;
        let providers = self.context.app.providers.ids_of_kind(kind);
        let now = self.context.app.clock.now();
        let read = move |conn: &rusqlite::Connection| {
            due::items_after_unscoped(conn, (library, kind), &providers, after, now, PAGE)
        };
        Ok(self.context.app.db.read_blocking(read)?)
    }

    /// Goes through one item; `false` if somebody stopped the work.
    fn take(&mut self, kind: &'static str, candidate: Candidate) -> Result<bool, JobError> {
        let context = self.context;
        if context.is_cancelled() {
            return Ok(false);
        }
        if context.is_stopping() {
            self.save()?;
            return Err(JobError::Stopping);
        }
        let is_due = candidate.is_due || self.since.is_some();
        if !is_due {
            self.count(kind, candidate.item, Went::STANDING);
            return self.save_now_and_then(false).map(|()| true);
        }
        self.wait_for_providers(kind)?;
        let going = Going {
            app: context.app,
            since: self.since,
            is_stopped: &|| context.is_stopping() || context.is_cancelled(),
        };
        let went = match going.go_through(candidate.item) {
            Err(JobError::Stopping) if context.is_cancelled() => return Ok(false),
            went => went?,
        };
        self.count(kind, candidate.item, went);
        if went.again.is_none() {
            self.settled.push((kind, candidate.item));
        }
        self.save_now_and_then(went.outcome != Outcome::Standing)?;
        Ok(true)
    }

    fn count(&mut self, kind: &'static str, item: ItemId, went: Went) {
        self.progress.count(went.outcome);
        let cursor = self.progress.cursor.get_or_insert_default();
        if cursor.kind != kind {
            kind.clone_into(&mut cursor.kind);
        }
        cursor.after = item.0;
        cursor.waits = false;
        if let Some(rest) = went.again {
            cursor.again = true;
            if !rest.is_zero() {
                cursor.rest = cursor.rest.max(rest.as_secs() + 1);
            }
        }
    }

    /// Where every provider of a kind wants to be left alone, the work goes on when the first of
    /// them may be asked again, and not with the next item.
    fn wait_for_providers(&mut self, kind: &'static str) -> Result<(), JobError> {
        let Some(rest) = self.context.app.providers.rest(kind) else {
            return Ok(());
        };
        self.progress.cursor.get_or_insert_default().waits = true;
        self.save()?;
        Err(JobError::PutOff(rest))
    }

    fn save_now_and_then(&mut self, is_news: bool) -> Result<(), JobError> {
        if is_news || self.saved.elapsed() >= PATIENCE {
            self.save()?;
            self.give_way()?;
        }
        Ok(())
    }

    /// Keeps how far the work has come, and tells of it.
    fn save(&mut self) -> Result<(), JobError> {
        let (id, result) = (self.context.job.id, self.progress.result());
        let app = self.context.app;
        let (settled, providers) = (std::mem::take(&mut self.settled), app.providers.clone());
        let now = app.clock.now();
        app.db.bulk_blocking(move |tx| {
            for (kind, item) in &settled {
                due::settle(tx, *item, &providers.ids_of_kind(kind), now)?;
            }
            job::report(tx, id, &result)
        })?;
        app.events.publish(Event::Enrichment(self.library));
        self.saved = Instant::now();
        Ok(())
    }

    fn give_way(&self) -> Result<(), JobError> {
        if self.begun.elapsed() < TURN {
            return Ok(());
        }
        let now = self.context.app.clock.now();
        let read =
            move |conn: &rusqlite::Connection| job::is_other_due(conn, LIBRARY_HANDLER_KIND, now);
        if self.context.app.db.read_blocking(read)? {
            return Err(JobError::GiveWay);
        }
        Ok(())
    }

    /// Whether something is to be asked for again, and how long providers wanted to be left alone.
    pub(super) fn again(&self) -> Option<Duration> {
        let cursor = self.progress.cursor.as_ref();
        let cursor = cursor.filter(|cursor| cursor.again);
        cursor.map(|cursor| Duration::from_secs(cursor.rest))
    }

    /// What came of it all.
    pub(super) fn end(self) -> Progress {
        Progress {
            cursor: None,
            ..self.progress
        }
    }
}

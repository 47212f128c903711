//! Enrichment of a library, item by item. It reads items in pages, stores its position, and yields
//! to other jobs.

use std::time::{Duration, Instant};

use super::super::progress::Progress;
use super::item::{EnrichItem, ItemOutcome, Outcome};
use crate::events::Event;
use crate::id::{ItemId, LibraryId};
use crate::job_kind::ENRICH_LIBRARY;
use crate::jobs::{JobContext, JobError};
use crate::store::job;
use crate::store::matches::due::{self, Candidate};
use crate::time::Timestamp;

/// Number of item ids that are read at once.
const PAGE: usize = 512;
/// Minimum interval between progress updates while items need no query.
const MAX_WAIT: Duration = Duration::from_millis(500);
/// Run time after which other waiting jobs go first.
const TURN: Duration = Duration::from_secs(5);

/// Pass of one job over a library.
pub(super) struct Walk<'a> {
    context: &'a JobContext<'a>,
    library: LibraryId,
    since: Option<Timestamp>,
    progress: Progress,
    /// Items that need no query for a long time, to be written with the next progress update.
    checked: Vec<(&'static str, ItemId)>,
    begun: Instant,
    saved: Instant,
}

impl<'a> Walk<'a> {
    /// Starts the pass, or resumes it after an interruption.
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
                // The wait that the providers requested is over.
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
            checked: Vec::new(),
            begun: Instant::now(),
            saved: Instant::now(),
        })
    }

    /// Processes all items. Returns `false` if a user cancelled the job.
    pub(super) fn run(&mut self) -> Result<bool, JobError> {
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

    /// Processes one item. Returns `false` if a user cancelled the job.
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
            self.count(kind, candidate.item, ItemOutcome::STANDING);
            return self.save_now_and_then(false).map(|()| true);
        }
        self.wait_for_providers(kind)?;
        let enrich_item = EnrichItem {
            app: context.app,
            since: self.since,
            is_stopped: &|| context.is_stopping() || context.is_cancelled(),
        };
        let item_outcome = match enrich_item.enrich(candidate.item) {
            Err(JobError::Stopping) if context.is_cancelled() => return Ok(false),
            item_outcome => item_outcome?,
        };
        self.count(kind, candidate.item, item_outcome);
        if item_outcome.again.is_none() {
            self.checked.push((kind, candidate.item));
        }
        self.save_now_and_then(item_outcome.outcome != Outcome::Standing)?;
        Ok(true)
    }

    fn count(&mut self, kind: &'static str, item: ItemId, item_outcome: ItemOutcome) {
        self.progress.count(item_outcome.outcome);
        let cursor = self.progress.cursor.get_or_insert_default();
        if cursor.kind != kind {
            kind.clone_into(&mut cursor.kind);
        }
        cursor.after = item.0;
        cursor.waits = false;
        if let Some(rest) = item_outcome.again {
            cursor.again = true;
            if !rest.is_zero() {
                cursor.rest = cursor.rest.max(rest.as_secs() + 1);
            }
        }
    }

    /// Postpones the job while all providers of a kind are paused, until the first of them can be
    /// queried again.
    fn wait_for_providers(&mut self, kind: &'static str) -> Result<(), JobError> {
        let Some(rest) = self.context.app.providers.pause(kind) else {
            return Ok(());
        };
        self.progress.cursor.get_or_insert_default().waits = true;
        self.save()?;
        Err(JobError::PutOff(rest))
    }

    fn save_now_and_then(&mut self, is_news: bool) -> Result<(), JobError> {
        if is_news || self.saved.elapsed() >= MAX_WAIT {
            self.save()?;
            self.yield_to_due_jobs()?;
        }
        Ok(())
    }

    /// Stores the progress and publishes it.
    fn save(&mut self) -> Result<(), JobError> {
        let (id, result) = (self.context.job.id, self.progress.result());
        let app = self.context.app;
        let (checked, providers) = (std::mem::take(&mut self.checked), app.providers.clone());
        let now = app.clock.now();
        app.db.bulk_blocking(move |tx| {
            for (kind, item) in &checked {
                due::mark_checked(tx, *item, &providers.descriptors_of_kind(kind), now)?;
            }
            job::report(tx, id, &result)
        })?;
        app.events.publish(Event::Enrichment(self.library));
        self.saved = Instant::now();
        Ok(())
    }

    fn yield_to_due_jobs(&self) -> Result<(), JobError> {
        if self.begun.elapsed() < TURN {
            return Ok(());
        }
        let now = self.context.app.clock.now();
        let read = move |conn: &rusqlite::Connection| job::is_other_due(conn, ENRICH_LIBRARY, now);
        if self.context.app.db.read_blocking(read)? {
            return Err(JobError::GiveWay);
        }
        Ok(())
    }

    /// Returns the minimum wait before a retry, or `None` if no retry is needed.
    pub(super) fn again(&self) -> Option<Duration> {
        let cursor = self.progress.cursor.as_ref();
        let cursor = cursor.filter(|cursor| cursor.again);
        cursor.map(|cursor| Duration::from_secs(cursor.rest))
    }

    /// Ends the pass and returns its counts.
    pub(super) fn end(self) -> Progress {
        Progress {
            cursor: None,
            ..self.progress
        }
    }
}

//! Processing of queued items: items are examined one after another, and results are written in
//! batches.

use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::{Value, json};

use super::batch::{self, Batch, Choice, Fault, Finding};
use super::find::{self, Candidate, CoverLocation, LocationResult};
use super::pace::Pace;
use super::picture_cache::PictureCache;
use crate::events::Event;
use crate::image::render::Rendered;
use crate::image::{Purpose, StoredPicture};
use crate::jobs::{JobContext, JobError};
use crate::registry::MediaKind;
use crate::store::catalogue::field::source;
use crate::store::cover;
use crate::store::cover::queue::{self, QueuedItem, Subject};
use crate::store::library::scan_run;
use crate::{App, path};

/// Number of queue entries that are read at once.
const PAGE: usize = 64;
/// Results are written when they reach this size in bytes, or the age [`MAX_WAIT`].
const MAX_BATCH: usize = 4 << 20;
const MAX_WAIT: Duration = Duration::from_millis(500);
/// Maximum number of error lines in a job's result.
const MAX_LINES: usize = 100;

/// Counts of the job.
#[derive(Debug, Default)]
pub(super) struct Tally {
    items: u64,
    covers: u64,
    errors: u64,
    lines: Vec<String>,
}

impl Tally {
    pub(super) fn result(self) -> Value {
        json!({
            "items": self.items,
            "covers": self.covers,
            "errors": self.errors,
            "lines": self.lines,
        })
    }
}

/// Result of examining all locations of an item.
enum Outcome {
    /// The item has this cover.
    Cover(Choice),
    /// The item has no cover.
    None,
    /// A location could not be read, so the result is unknown.
    Unclear,
}

pub(super) struct Work<'a> {
    context: &'a JobContext<'a>,
    app: &'a App,
    connection: Connection,
    picture_cache: PictureCache,
    batch: Batch,
    written: Instant,
    pace: Pace,
    tally: Tally,
}

impl<'a> Work<'a> {
    pub(super) fn new(context: &'a JobContext<'a>) -> Result<Self, JobError> {
        Ok(Self {
            context,
            app: context.app,
            connection: context.app.db.connect_reader()?,
            picture_cache: PictureCache::default(),
            batch: Batch::default(),
            written: Instant::now(),
            pace: Pace::new(),
            tally: Tally::default(),
        })
    }

    /// Processes all queued items, including those that are queued in the meantime.
    pub(super) fn process_queue(&mut self) -> Result<(), JobError> {
        let mut after = 0;
        loop {
            let page = queue::after_unscoped(&self.connection, after, PAGE)?;
            let Some(last) = page.last() else {
                return Ok(());
            };
            after = last.row;
            for queued in page {
                if self.context.is_stopping() {
                    return Err(JobError::Stopping);
                }
                if self.context.is_cancelled() {
                    return Ok(());
                }
                self.process(queued)?;
                if self.batch.bytes >= MAX_BATCH || self.written.elapsed() >= MAX_WAIT {
                    self.write()?;
                }
                self.pace.rest(&self.app.jobs);
            }
            self.write()?;
            self.picture_cache.recheck();
        }
    }

    fn process(&mut self, queued: QueuedItem) -> Result<(), JobError> {
        let subject = queue::subject_unscoped(&self.connection, queued.item, find::MAX_FILES)?;
        // The queue entry of a deleted item is deleted with it.
        let Some(subject) = subject else {
            return Ok(());
        };
        self.tally.items += 1;
        if subject.source > source::FILE || subject.files.is_empty() {
            self.batch.unchanged.push(queued);
            return Ok(());
        }
        let cover = match self.choose(&subject)? {
            Outcome::Cover(choice) => Some(choice),
            Outcome::None => None,
            Outcome::Unclear => return Ok(()),
        };
        self.batch.findings.push(Finding { queued, cover });
        Ok(())
    }

    fn choose(&mut self, subject: &Subject) -> Result<Outcome, JobError> {
        let Some(kind) = self.app.registry.kind(&subject.kind) else {
            return Ok(Outcome::None);
        };
        let mut is_clear = true;
        for location in find::embedded_locations(subject, kind) {
            if let Some(choice) = self.try_location(subject, &location, &mut is_clear)? {
                return Ok(Outcome::Cover(choice));
            }
        }
        let beside =
            find::sidecar_locations(&self.connection, &mut self.picture_cache, subject, kind)?;
        for location in beside {
            if let Some(choice) = self.try_location(subject, &location, &mut is_clear)? {
                return Ok(Outcome::Cover(choice));
            }
        }
        Ok(if is_clear {
            Outcome::None
        } else {
            Outcome::Unclear
        })
    }

    fn try_location(
        &mut self,
        subject: &Subject,
        location: &CoverLocation,
        is_clear: &mut bool,
    ) -> Result<Option<Choice>, JobError> {
        let Some(kind) = self.app.registry.kind(&subject.kind) else {
            return Ok(None);
        };
        match find::read_location(self.app, subject, kind, location) {
            LocationResult::Found(candidate) => self.take(subject, &candidate),
            LocationResult::Nothing(fault) => {
                if let Some((path, what)) = fault {
                    self.report(subject, kind, location, (&path, &what))?;
                }
                Ok(None)
            }
            LocationResult::Unseen(path, what) => {
                *is_clear = false;
                self.report(subject, kind, location, (&path, &what))?;
                Ok(None)
            }
        }
    }

    /// Renders the images of a picture, unless they are stored already.
    fn take(
        &mut self,
        subject: &Subject,
        candidate: &Candidate,
    ) -> Result<Option<Choice>, JobError> {
        // A failed lookup must not count as "not stored", so its error is returned.
        let mut read = Ok(None);
        let made = StoredPicture::new(&candidate.body, Purpose::Cover, |hash| {
            let is_waiting = self.batch.has(hash);
            if !is_waiting {
                read = cover::hashed(&self.connection, hash);
            }
            is_waiting || matches!(read, Ok(Some(_)))
        });
        read?;
        match made {
            Ok(StoredPicture { hash, rendered }) => {
                self.batch.bytes += rendered.as_ref().map_or(0, Rendered::bytes);
                Ok(Some(Choice {
                    hash,
                    rendered,
                    source: candidate.source,
                }))
            }
            Err(what) => {
                let fault = self.fault(subject, &candidate.path, &what);
                self.batch.errors.push(fault);
                Ok(None)
            }
        }
    }

    /// Reports an error. The scan's error list omits the names of errors beyond its limit. If the
    /// scan's readers fail on the same file, the error is probably counted there already, so it is
    /// not added again.
    fn report(
        &mut self,
        subject: &Subject,
        kind: &MediaKind,
        location: &CoverLocation,
        (path, what): (&[u8], &str),
    ) -> Result<(), JobError> {
        let is_counted = matches!(location, CoverLocation::Inside(_))
            && scan_run::has_more_errors(&self.connection, subject.library)?
            && find::is_unreadable(self.app, subject, kind, path);
        let fault = self.fault(subject, path, what);
        if !is_counted {
            self.batch.errors.push(fault);
        }
        Ok(())
    }

    /// Counts an error and returns the line for the scan's error list.
    fn fault(&mut self, subject: &Subject, path: &[u8], what: &str) -> Fault {
        let line = path::error_line(path, &what);
        self.tally.errors += 1;
        if self.tally.lines.len() < MAX_LINES {
            self.tally.lines.push(line.clone());
        }
        Fault {
            library: subject.library,
            file: path::error_line(path, &""),
            line,
        }
    }

    fn write(&mut self) -> Result<(), JobError> {
        self.written = Instant::now();
        let batch = std::mem::take(&mut self.batch);
        if batch.is_empty() {
            return Ok(());
        }
        let written = self
            .app
            .db
            .bulk_blocking(move |tx| batch::write(tx, &batch))?;
        self.tally.covers += written.covers;
        for library in written.libraries {
            self.app.events.publish(Event::Covers(library));
        }
        for library in written.changed_runs {
            self.app.events.scan(library);
        }
        Ok(())
    }

    /// Ends the work and returns its counts.
    pub(super) fn end(self) -> Tally {
        self.tally
    }
}

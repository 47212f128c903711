//! The work itself: items that wait are looked at one after another, and what is found is written
//! in batches.

use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::{Value, json};

use super::batch::{self, Batch, Choice, Fault, Finding};
use super::find::{self, Candidate, Glance, Place};
use super::pace::Pace;
use super::render::Rendered;
use super::shelf::Shelf;
use super::stored::{Picture, picture};
use crate::App;
use crate::events::Event;
use crate::jobs::{JobContext, JobError};
use crate::registry::MediaKind;
use crate::scan;
use crate::store::catalogue::source;
use crate::store::cover::due::{self, Due, Subject};
use crate::store::{cover, scan_run};

/// Items whose notes are read at once.
const PAGE: usize = 64;
/// What was found is written once it is this many bytes, or this old.
const MAX_BATCH: usize = 4 << 20;
const PATIENCE: Duration = Duration::from_millis(500);
/// Error lines that a job reports.
const MAX_LINES: usize = 100;

/// What came of the job so far.
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

/// What looking at all places of an item brings.
enum Outcome {
    /// Its cover.
    Cover(Choice),
    /// It has none.
    None,
    /// That cannot be told now.
    Unclear,
}

pub(super) struct Work<'a> {
    context: &'a JobContext<'a>,
    app: &'a App,
    connection: Connection,
    shelf: Shelf,
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
            shelf: Shelf::default(),
            batch: Batch::default(),
            written: Instant::now(),
            pace: Pace::new(),
            tally: Tally::default(),
        })
    }

    /// Every item that waits, and those that begin to wait meanwhile.
    pub(super) fn look_through(&mut self) -> Result<(), JobError> {
        let mut after = 0;
        loop {
            let page = due::after_unscoped(&self.connection, after, PAGE)?;
            let Some(last) = page.last() else {
                return Ok(());
            };
            after = last.note;
            for due in page {
                if self.context.is_stopping() {
                    return Err(JobError::Stopping);
                }
                if self.context.is_cancelled() {
                    return Ok(());
                }
                self.look_for(due)?;
                if self.batch.bytes >= MAX_BATCH || self.written.elapsed() >= PATIENCE {
                    self.write()?;
                }
                self.pace.rest(&self.app.jobs);
            }
            self.write()?;
            self.shelf.doubt();
        }
    }

    fn look_for(&mut self, due: Due) -> Result<(), JobError> {
        let subject = due::subject_unscoped(&self.connection, due.item, find::MAX_FILES)?;
        // An item that is gone took its note along.
        let Some(subject) = subject else {
            return Ok(());
        };
        self.tally.items += 1;
        if subject.source > source::FILE || subject.files.is_empty() {
            self.batch.let_alone.push(due);
            return Ok(());
        }
        let cover = match self.choose(&subject)? {
            Outcome::Cover(choice) => Some(choice),
            Outcome::None => None,
            Outcome::Unclear => return Ok(()),
        };
        self.batch.findings.push(Finding { due, cover });
        Ok(())
    }

    fn choose(&mut self, subject: &Subject) -> Result<Outcome, JobError> {
        let Some(kind) = self.app.registry.kind(&subject.kind) else {
            return Ok(Outcome::None);
        };
        let mut is_clear = true;
        for place in find::inside(subject, kind) {
            if let Some(choice) = self.try_place(subject, &place, &mut is_clear)? {
                return Ok(Outcome::Cover(choice));
            }
        }
        let beside = find::beside(&self.connection, &mut self.shelf, subject, kind)?;
        for place in beside {
            if let Some(choice) = self.try_place(subject, &place, &mut is_clear)? {
                return Ok(Outcome::Cover(choice));
            }
        }
        Ok(if is_clear {
            Outcome::None
        } else {
            Outcome::Unclear
        })
    }

    fn try_place(
        &mut self,
        subject: &Subject,
        place: &Place,
        is_clear: &mut bool,
    ) -> Result<Option<Choice>, JobError> {
        let Some(kind) = self.app.registry.kind(&subject.kind) else {
            return Ok(None);
        };
        match find::look(self.app, subject, kind, place) {
            Glance::Found(candidate) => self.take(subject, &candidate),
            Glance::Nothing(fault) => {
                if let Some((path, what)) = fault {
                    self.tell(subject, kind, place, (&path, &what))?;
                }
                Ok(None)
            }
            Glance::Unseen(path, what) => {
                *is_clear = false;
                self.tell(subject, kind, place, (&path, &what))?;
                Ok(None)
            }
        }
    }

    /// Makes the images of a picture, unless they are there.
    fn take(
        &mut self,
        subject: &Subject,
        candidate: &Candidate,
    ) -> Result<Option<Choice>, JobError> {
        // Whether it is stored must be known for sure: what could not be read is no answer.
        let mut read = Ok(None);
        let made = picture(&candidate.body, |hash| {
            let is_waiting = self.batch.has(hash);
            if !is_waiting {
                read = cover::hashed(&self.connection, hash);
            }
            is_waiting || matches!(read, Ok(Some(_)))
        });
        read?;
        match made {
            Ok(Picture { hash, rendered }) => {
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

    /// Adds a line; not to those of the scan if it has more than are kept, of which nobody knows the
    /// names any more, and its readers fail on the file as well: it counts among them.
    fn tell(
        &mut self,
        subject: &Subject,
        kind: &MediaKind,
        place: &Place,
        (path, what): (&[u8], &str),
    ) -> Result<(), JobError> {
        let is_counted = matches!(place, Place::Inside(_))
            && scan_run::has_more_errors(&self.connection, subject.library)?
            && find::is_unreadable(self.app, subject, kind, path);
        let fault = self.fault(subject, path, what);
        if !is_counted {
            self.batch.errors.push(fault);
        }
        Ok(())
    }

    /// Takes note of a line, and gives it for those of the scan.
    fn fault(&mut self, subject: &Subject, path: &[u8], what: &str) -> Fault {
        let line = scan::error_line(path, &what);
        self.tally.errors += 1;
        if self.tally.lines.len() < MAX_LINES {
            self.tally.lines.push(line.clone());
        }
        Fault {
            library: subject.library,
            file: scan::error_line(path, &""),
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
        for library in written.told {
            self.app.events.scan(library);
        }
        Ok(())
    }

    /// What came of it all.
    pub(super) fn end(self) -> Tally {
        self.tally
    }
}

//! Looking for covers as a background job: one at a time, whatever asks for it, and behind
//! everything else that wants the processor.

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, Transaction};
use serde_json::{Value, json};

use super::find::{self, Candidate, Glance, Place, Shelf};
use super::render::{Rendered, render};
use crate::App;
use crate::clock::Timestamp;
use crate::events::Event;
use crate::id::{CoverId, LibraryId};
use crate::jobs::{JobContext, JobError};
use crate::scan;
use crate::store::catalogue::source;
use crate::store::cover::due::{self, Due, Subject};
use crate::store::{StoreResult, cover, job, scan_run};

/// What jobs of this handler are called; they belong to no library.
pub const HANDLER_KIND: &str = "covers";

/// Items whose notes are read at once.
const PAGE: usize = 64;
/// What was found is written once it is this many bytes, or this old.
const MAX_BATCH: usize = 4 << 20;
const PATIENCE: Duration = Duration::from_millis(500);
/// Error lines that a job reports.
const MAX_LINES: usize = 100;

/// Has covers looked for if any item waits for one; wake the workers after the commit.
pub fn request(tx: &Transaction<'_>, now: Timestamp) -> StoreResult<()> {
    if due::is_any_unscoped(tx)? && !job::is_queued(tx, HANDLER_KIND)? {
        job::enqueue(tx, HANDLER_KIND, None, &json!({}), now)?;
    }
    Ok(())
}

/// The handler of these jobs. Where another is at work it looks once more when it is done.
pub fn run_job(context: &JobContext<'_>) -> Result<Value, JobError> {
    let Some(turn) = context.app.jobs.take_turn(HANDLER_KIND) else {
        return Ok(json!({ "left_to_another": true }));
    };
    let worked = thread::scope(|scope| {
        let work = scope.spawn(|| {
            step_back();
            let mut work = Work::new(context)?;
            let mut turn = Some(turn);
            while let Some(mine) = turn {
                work.look_through()?;
                turn = mine.end();
            }
            Ok(work.tally)
        });
        work.join()
    });
    match worked {
        Ok(tally) => tally.map(|tally| tally.result()),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// Lets everything else go first. Elsewhere than on Linux this would count for the whole process.
fn step_back() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::nice(15) {
        tracing::debug!(%error, "covers are looked for at the usual priority");
    }
}

/// What came of the job so far.
#[derive(Debug, Default)]
struct Tally {
    items: u64,
    covers: u64,
    errors: u64,
    lines: Vec<String>,
}

impl Tally {
    fn result(self) -> Value {
        json!({
            "items": self.items,
            "covers": self.covers,
            "errors": self.errors,
            "lines": self.lines,
        })
    }
}

/// What was found for one item.
#[derive(Debug)]
struct Finding {
    due: Due,
    /// `None` for none.
    cover: Option<Choice>,
}

/// The cover of an item.
#[derive(Debug)]
struct Choice {
    hash: String,
    /// `None` where it is stored already, or stands in the same batch.
    rendered: Option<Rendered>,
    source: i64,
}

/// What is to be written.
#[derive(Debug, Default)]
struct Batch {
    findings: Vec<Finding>,
    /// Items that were let alone: their cover is a provider's or a person's.
    let_alone: Vec<Due>,
    errors: Vec<(LibraryId, String)>,
    bytes: usize,
}

impl Batch {
    fn is_empty(&self) -> bool {
        self.findings.is_empty() && self.let_alone.is_empty() && self.errors.is_empty()
    }

    fn has(&self, hash: &str) -> bool {
        let mut covers = self
            .findings
            .iter()
            .filter_map(|found| found.cover.as_ref());
        covers.any(|cover| cover.hash == hash)
    }
}

struct Work<'a> {
    context: &'a JobContext<'a>,
    app: &'a App,
    connection: Connection,
    shelf: Shelf,
    batch: Batch,
    written: Instant,
    tally: Tally,
}

impl<'a> Work<'a> {
    fn new(context: &'a JobContext<'a>) -> Result<Self, JobError> {
        Ok(Self {
            context,
            app: context.app,
            connection: context.app.db.connect_reader()?,
            shelf: Shelf::default(),
            batch: Batch::default(),
            written: Instant::now(),
            tally: Tally::default(),
        })
    }

    /// Every item that waits, and those that begin to wait meanwhile.
    fn look_through(&mut self) -> Result<(), JobError> {
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
            }
            self.write()?;
            self.shelf.forget();
        }
    }

    fn look_for(&mut self, due: Due) -> Result<(), JobError> {
        let subject = due::subject_unscoped(&self.connection, due.item, find::MAX_FILES)?;
        // An item that is gone took its note along.
        let Some(subject) = subject else {
            return Ok(());
        };
        self.tally.items += 1;
        if subject.source > source::FILE {
            self.batch.let_alone.push(due);
            return Ok(());
        }
        let Some(cover) = self.choose(&subject)? else {
            return Ok(());
        };
        self.batch.findings.push(Finding { due, cover });
        Ok(())
    }

    /// The cover of an item, or that it has none; nothing where that cannot be told now.
    fn choose(&mut self, subject: &Subject) -> Result<Option<Option<Choice>>, JobError> {
        let Some(kind) = self.app.registry.kind(&subject.kind) else {
            return Ok(Some(None));
        };
        let mut is_clear = !subject.files.is_empty();
        for place in find::inside(subject, kind) {
            if let Some(choice) = self.try_place(subject, &place, &mut is_clear)? {
                return Ok(Some(Some(choice)));
            }
        }
        let beside = find::beside(&self.connection, &mut self.shelf, subject, kind)?;
        for place in beside {
            if let Some(choice) = self.try_place(subject, &place, &mut is_clear)? {
                return Ok(Some(Some(choice)));
            }
        }
        Ok(is_clear.then_some(None))
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
                    self.error(subject, &path, &what);
                }
                Ok(None)
            }
            Glance::Unseen(path, what) => {
                *is_clear = false;
                self.error(subject, &path, &what);
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
        let hash = blake3::hash(&candidate.body).to_hex().to_string();
        let source = candidate.source;
        if self.batch.has(&hash) || cover::hashed(&self.connection, &hash)?.is_some() {
            let rendered = None;
            return Ok(Some(Choice {
                hash,
                rendered,
                source,
            }));
        }
        let body = &candidate.body;
        let rendered = std::panic::catch_unwind(|| render(body));
        match rendered {
            Ok(Ok(rendered)) => {
                self.batch.bytes += rendered.bytes();
                let rendered = Some(rendered);
                Ok(Some(Choice {
                    hash,
                    rendered,
                    source,
                }))
            }
            Ok(Err(error)) => {
                self.error(subject, &candidate.path, &error);
                Ok(None)
            }
            Err(_) => {
                let what = "its picture could not be read: the decoder crashed";
                self.error(subject, &candidate.path, &what);
                Ok(None)
            }
        }
    }

    fn error(&mut self, subject: &Subject, path: &[u8], what: &dyn std::fmt::Display) {
        let line = scan::error_line(path, what);
        self.tally.errors += 1;
        if self.tally.lines.len() < MAX_LINES {
            self.tally.lines.push(line.clone());
        }
        self.batch.errors.push((subject.library, line));
    }

    fn write(&mut self) -> Result<(), JobError> {
        self.written = Instant::now();
        let batch = std::mem::take(&mut self.batch);
        if batch.is_empty() {
            return Ok(());
        }
        let errors: BTreeSet<LibraryId> =
            batch.errors.iter().map(|(library, _)| *library).collect();
        let written = self.app.db.bulk_blocking(move |tx| write(tx, &batch))?;
        self.tally.covers += written.covers;
        for library in written.libraries {
            self.app.events.publish(Event::Covers(library));
        }
        for library in errors {
            self.app.events.scan(library);
        }
        Ok(())
    }
}

/// What a batch changed.
#[derive(Debug, Default)]
struct Written {
    covers: u64,
    libraries: BTreeSet<LibraryId>,
}

fn write(tx: &Transaction<'_>, batch: &Batch) -> StoreResult<Written> {
    let mut written = Written::default();
    for (library, line) in &batch.errors {
        scan_run::add_error(tx, *library, line)?;
    }
    for due in &batch.let_alone {
        due::settle(tx, *due)?;
    }
    for Finding { due, cover } in &batch.findings {
        // Noted again meanwhile: another look follows.
        if !due::settle(tx, *due)? {
            continue;
        }
        let (id, source) = match cover {
            None => (None, source::NAME),
            Some(choice) => match stored(tx, choice)? {
                Some(id) => (Some(id), choice.source),
                // It went with the last item that had it.
                None => {
                    due::note(tx, due.item)?;
                    continue;
                }
            },
        };
        if let Some(library) = cover::set(tx, due.item, id, source)? {
            written.libraries.insert(library);
            written.covers += u64::from(id.is_some());
        } else if let Some(id) = id {
            cover::forget_unused(tx, id)?;
        }
    }
    Ok(written)
}

fn stored(tx: &Transaction<'_>, choice: &Choice) -> StoreResult<Option<CoverId>> {
    match &choice.rendered {
        Some(rendered) => cover::ensure(tx, &choice.hash, rendered).map(Some),
        None => cover::hashed(tx, &choice.hash),
    }
}

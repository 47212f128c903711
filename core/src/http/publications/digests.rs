//! Background job that computes digests of files, by which other programs name them.

use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::FileExt as _;
use std::thread;
use std::time::{Duration, Instant};

use md5::{Digest as _, Md5};
use rusqlite::Transaction;
use serde_json::{Value, json};

use super::{Publications, exchange};
use crate::app::{Context, ScanEnd};
use crate::db::AdaptiveBatch;
use crate::error::StoreResult;
use crate::fs;
use crate::job_kind::{DIGESTS, SCAN};
use crate::jobs::{JobContext, JobError};
use crate::process::lower_priority;
use crate::store::file::digest::{self, Digests, QueuedFile};
use crate::store::file::location::FileLocation;
use crate::store::job;
use crate::store::user_data::foreign;

/// Files and documents that are processed between two writes.
const PAGE: usize = 64;

/// Maximum number of new files that one transaction queues.
const MAX_NEW: usize = 10_000;

/// Shortest time between two reports. A report counts the queue, which can contain all files.
const REPORT_INTERVAL: Duration = Duration::from_secs(5);

/// Run time after which other waiting jobs go before further files. Without it, the job would occupy a
/// worker for hours after a first scan.
const TURN: Duration = Duration::from_secs(5);

/// Length of each part that the partial digest contains, in bytes.
const PART: usize = 1_024;

/// Result for a queued file.
enum Outcome {
    Digests(Digests),
    /// No program names files of this kind.
    Ignored,
    Failed,
}

/// Allows another attempt for unreadable files after a scan of their library.
pub fn after_scan(_: &Context, tx: &Transaction<'_>, end: ScanEnd) -> StoreResult<()> {
    digest::retry_failed(tx, end.library)
}

/// Queues the job if there is work for it, and none is queued. Returns `false` while the job or a scan
/// is running: the caller then asks again.
///
/// A scan queues files all the time. One job after it replaces many jobs during it, and does not
/// compete for the disk.
pub fn request_blocking(app: &Context) -> StoreResult<bool> {
    if app.jobs.count(DIGESTS) > 0 || app.jobs.count(SCAN) > 0 {
        return Ok(false);
    }
    if !app.db.read_blocking(digest::is_pending_unscoped)? {
        return Ok(true);
    }
    let now = app.clock.now();
    let is_new = app.db.bulk_blocking(move |tx| {
        if job::is_queued(tx, DIGESTS)? {
            return Ok(false);
        }
        job::enqueue(tx, DIGESTS, None, &json!({}), now)?;
        Ok(true)
    })?;
    if is_new {
        app.jobs.wake();
    }
    Ok(true)
}

/// Runs the job. If another one is already running, that one makes an additional pass before it ends.
pub fn run_job(context: &JobContext<'_>) -> Result<Value, JobError> {
    let Some(turn) = context.app.jobs.take_turn(DIGESTS) else {
        return Ok(json!({ "left_to_another": true }));
    };
    // A lowered thread priority cannot be raised again, so the work runs on a separate thread.
    let worked = thread::scope(|scope| {
        let work = scope.spawn(|| {
            lower_priority();
            let mut work = Work::default();
            let mut turn = Some(turn);
            while let Some(mine) = turn {
                work.files(context)?;
                work.adoptions(context)?;
                turn = mine.end();
            }
            Ok(work.result(0))
        });
        work.join()
    });
    worked.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Counts of the job.
#[derive(Debug, Default)]
struct Work {
    files: u64,
    errors: u64,
    documents: u64,
    /// Time of the last report.
    reported: Option<Instant>,
}

impl Work {
    fn result(&self, waiting: i64) -> Value {
        json!({
            "files": self.files,
            "errors": self.errors,
            "documents": self.documents,
            "waiting": waiting,
        })
    }

    /// Computes the digests of all queued files. Each page is written before the next one, so that
    /// another process continues after it.
    fn files(&mut self, context: &JobContext<'_>) -> Result<(), JobError> {
        let app = context.app;
        let begun = Instant::now();
        loop {
            if context.is_stopping() {
                return Err(JobError::Stopping);
            }
            if is_turn_over(app, begun.elapsed())? {
                return Err(JobError::GiveWay);
            }
            queue_new(app, &|| context.is_stopping() || context.is_cancelled())?;
            let page = app
                .db
                .read_blocking(|conn| digest::next_unscoped(conn, PAGE))?;
            if page.is_empty() || context.is_cancelled() {
                return Ok(());
            }
            let outcomes: Vec<(QueuedFile, Outcome)> = page
                .into_iter()
                .map(|queued| {
                    let outcome = outcome(&queued.location);
                    (queued, outcome)
                })
                .collect();
            for (_, outcome) in &outcomes {
                match outcome {
                    Outcome::Digests(_) => self.files += 1,
                    Outcome::Failed => self.errors += 1,
                    Outcome::Ignored => {}
                }
            }
            app.db.bulk_blocking(move |tx| {
                for (queued, outcome) in &outcomes {
                    match outcome {
                        Outcome::Digests(digests) => digest::store(tx, queued, digests)?,
                        Outcome::Ignored => {
                            digest::dequeue(tx, queued.row)?;
                        }
                        Outcome::Failed => digest::fail(tx, queued.row)?,
                    }
                }
                Ok(())
            })?;
            self.report(context)?;
        }
    }

    /// Writes the progress into the job, from time to time.
    fn report(&mut self, context: &JobContext<'_>) -> Result<(), JobError> {
        let is_recent = |last: Instant| last.elapsed() < REPORT_INTERVAL;
        if self.reported.is_some_and(is_recent) {
            return Ok(());
        }
        self.reported = Some(Instant::now());
        let db = &context.app.db;
        let waiting = db.read_blocking(digest::waiting_unscoped)?;
        let (id, result) = (context.job.id, self.result(waiting));
        db.bulk_blocking(move |tx| job::report(tx, id, &result))?;
        Ok(())
    }

    /// Assigns stored positions to the files that match their documents now.
    fn adoptions(&mut self, context: &JobContext<'_>) -> Result<(), JobError> {
        let app = context.app;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .map_err(|error| JobError::Retry(error.into()))?;
        loop {
            let page = app
                .db
                .read_blocking(|conn| foreign::adoptions_unscoped(conn, PAGE))?;
            if page.is_empty() || context.is_cancelled() {
                return Ok(());
            }
            for (user, document) in page {
                if context.is_stopping() {
                    return Err(JobError::Stopping);
                }
                let adopted = runtime.block_on(exchange::adopt(app, user, document.clone()));
                if let Err(error) = adopted {
                    tracing::warn!(%error, "a position was not adopted");
                }
                self.documents += 1;
                app.db
                    .bulk_blocking(move |tx| foreign::end_adoption(tx, user, &document))?;
            }
        }
    }
}

/// Queues all new files, so that the newest ones come first.
fn queue_new(app: &Context, should_stop: &dyn Fn() -> bool) -> StoreResult<()> {
    let mut batch = AdaptiveBatch::of_at_most(MAX_NEW);
    while !should_stop() && app.db.read_blocking(digest::has_new_unscoped)? {
        let (kinds, rows) = (Publications::kinds(), batch.rows());
        app.db
            .bulk_blocking(move |tx| digest::queue_new(tx, &kinds, rows))?;
        batch.learn(&app.db);
    }
    Ok(())
}

/// Returns `true` if another job waits after this run time.
fn is_turn_over(app: &Context, worked: Duration) -> StoreResult<bool> {
    if worked < TURN {
        return Ok(false);
    }
    let now = app.clock.now();
    app.db
        .read_blocking(move |conn| job::is_other_due(conn, DIGESTS, now))
}

fn outcome(location: &FileLocation) -> Outcome {
    if Publications::of_kind(&location.kind).is_none() {
        return Outcome::Ignored;
    }
    let opened = fs::open_blocking(&location.root, &location.relative());
    let Ok(Some(opened)) = opened else {
        return Outcome::Failed;
    };
    match partial_md5(&opened.file) {
        Ok(content) => Outcome::Digests(Digests {
            name: Md5::digest(location.name.as_bytes()).into(),
            content,
        }),
        Err(_) => Outcome::Failed,
    }
}

/// Returns the MD5 of the first KiB and of those at 1024 · 4ⁱ for i from 0 to 10, up to the end of the
/// file. It is the digest by which `KOReader` names a document.
fn partial_md5(file: &File) -> io::Result<[u8; 16]> {
    let mut digest = Md5::new();
    let mut part = [0; PART];
    let offsets = (0..=10).map(|power| 1_024_u64 << (2 * power));
    for offset in std::iter::once(0).chain(offsets) {
        let mut length = 0;
        while let Some(rest) = part.get_mut(length..).filter(|rest| !rest.is_empty()) {
            match file.read_at(rest, offset + length as u64) {
                Ok(0) => break,
                Ok(read) => length += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        if length == 0 {
            break;
        }
        digest.update(part.get(..length).unwrap_or_default());
    }
    Ok(digest.finalize().into())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::path::Path;
    use std::sync::Arc;

    use super::*;
    use crate::app::{JobQueue, NowPlaying, Watches};
    use crate::db::Db;
    use crate::events::Events;
    use crate::id::JobId;
    use crate::net::Providers;
    use crate::registry::{PlaybackEngine, Registry};
    use crate::time::{Clock, Timestamp};
    use crate::{App, Settings};

    static ENGINE: PlaybackEngine = PlaybackEngine {
        id: "html5",
        label: "Browser",
        rank: 0,
        containers: &[],
        vcodecs: &[],
        acodecs: &[],
    };

    fn app(folder: &Path) -> App {
        let (clock, _) = Clock::manual(Timestamp::from_micros(1_800_000_000_000_000));
        App::new(Context {
            db: Db::open(&folder.join("ledge.db")).expect("a database"),
            registry: Arc::new(Registry::of(vec![], vec![&ENGINE], vec![]).expect("a registry")),
            providers: Providers::default(),
            clock,
            jobs: JobQueue::default(),
            events: Events::default(),
            watches: Watches::default(),
            now_playing: NowPlaying::default(),
            after_scan: &[],
            settings: Arc::new(Settings {
                ffprobe: None,
                read_time_limit: Duration::from_secs(1),
                data: folder.to_owned(),
                backups: None,
            }),
        })
    }

    #[test]
    fn job_is_requested_for_work_and_not_during_a_scan() {
        let folder = tempfile::tempdir().expect("a folder");
        let app = app(folder.path());
        let request = || request_blocking(&app).expect("a request");
        let is_queued = || {
            let queued = app.db.read_blocking(|conn| job::is_queued(conn, DIGESTS));
            queued.expect("an answer")
        };
        assert!(request());
        assert!(!is_queued(), "there is no work");
        app.db
            .write_blocking(|tx| {
                tx.execute_batch(
                    "INSERT INTO user (id, username, username_key, password_hash, role, created_at)
                     VALUES (1, 'a', 'a', '', 'user', '');
                     INSERT INTO adoption_queue (user_id, document) VALUES (1, 'd');",
                )?;
                Ok(())
            })
            .expect("a document");
        for kind in [SCAN, DIGESTS] {
            app.jobs.begin(JobId(1), kind);
            assert!(!request(), "{kind}");
            assert!(!is_queued(), "{kind}");
            app.jobs.end(JobId(1));
        }
        assert!(request());
        assert!(is_queued());
    }

    #[test]
    fn waiting_jobs_go_before_further_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let app = app(folder.path());
        let enqueue = |kind: &'static str| {
            let now = app.clock.now();
            app.db
                .write_blocking(move |tx| job::enqueue(tx, kind, None, &json!({}), now))
                .expect("a job");
        };
        let is_over = |worked| is_turn_over(&app, worked).expect("an answer");
        enqueue(DIGESTS);
        assert!(!is_over(TURN), "only the own kind waits");
        enqueue(SCAN);
        assert!(is_over(TURN));
        assert!(!is_over(Duration::ZERO));
    }

    fn digest(content: &[u8]) -> [u8; 16] {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(content).expect("disk space");
        partial_md5(&file).expect("a digest")
    }

    #[test]
    fn partial_digest_contains_growing_steps_up_to_the_end() {
        let content: Vec<u8> = (0..20_000_u32)
            .map(|at| u8::try_from(at % 251).expect("a byte"))
            .collect();
        assert_eq!(digest(b""), <[u8; 16]>::from(Md5::digest(b"")));
        assert_eq!(digest(b"abc"), <[u8; 16]>::from(Md5::digest(b"abc")));
        // The parts at 0, 1,024, 4,096 and 16,384. The last one ends with the file.
        let parts = [0, 1_024, 4_096, 16_384].map(|at| &content[at..(at + 1_024).min(17_000)]);
        let expected: [u8; 16] = Md5::digest(parts.concat()).into();
        assert_eq!(digest(&content[..17_000]), expected);
    }
}

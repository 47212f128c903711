//! One stream of events: what waits to be told, and what may be told.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use axum::response::sse::Event as Message;
use ledge_core::App;
use ledge_core::access::Visible;
use ledge_core::enrich::{self, EnrichmentStatus};
use ledge_core::events::{Event, Heard, JobChange, Listener};
use ledge_core::http::CurrentUser;
use ledge_core::id::{JobId, LibraryId};
use ledge_core::scan;
use ledge_core::store::job::JobStatus;
use ledge_core::store::scan_run::{self, ScanState, ScanStatus};
use ledge_core::store::session::{self, TokenHash};
use ledge_core::store::{StoreError, StoreResult};
use rusqlite::Connection;
use serde::Serialize;
use tokio::time::{Instant, sleep_until};

use super::look::{Look, Question};

/// A library's scan is told of no more often than this.
const SCAN_GAP: Duration = Duration::from_millis(250);
/// Covers come in many small portions: a library's are told of together.
const COVERS_DELAY: Duration = Duration::from_secs(1);
/// So is the enrichment of a library, more often.
const ENRICHMENT_DELAY: Duration = Duration::from_millis(250);
/// A silent stream says that it is alive, and finds out whether its session is.
const KEEP_ALIVE: Duration = Duration::from_secs(20);
/// How soon a browser comes back after the stream ended.
const RETRY: Duration = Duration::from_secs(3);

/// What an event `scan` brings.
#[derive(Serialize)]
struct ScanMessage {
    library_id: LibraryId,
    #[serde(flatten)]
    status: ScanStatus,
}

/// What an event `enrichment` brings.
#[derive(Serialize)]
struct EnrichmentMessage {
    library_id: LibraryId,
    #[serde(flatten)]
    status: EnrichmentStatus,
}

/// What an event `covers` brings.
#[derive(Serialize)]
struct CoversMessage {
    library_id: LibraryId,
}

/// What an event `job` brings.
#[derive(Serialize)]
struct JobMessage {
    id: JobId,
    kind: String,
    ref_id: Option<i64>,
    status: JobStatus,
}

/// What an event `reset` brings.
#[derive(Serialize)]
struct ResetMessage {
    reason: Reset,
}

/// Why something may have happened that was not told.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Reset {
    /// It happened between two streams.
    Reconnected,
    /// The listener read too slowly.
    Lagged,
}

/// Something to tell, unless it may not be seen.
pub(super) enum Work {
    Reset(Reset),
    Scan(LibraryId),
    Covers(LibraryId),
    Enrichment(LibraryId),
    Job(JobChange),
    /// Nothing but whether the session still holds.
    Session,
    KeepAlive,
}

/// What came of the work.
enum Outcome {
    Message(Message),
    Nothing,
    End,
}

/// One stream.
pub(super) struct Feed {
    app: App,
    user: Visible,
    is_admin: bool,
    token: TokenHash,
    listener: Listener,
    /// Messages told so far: the id of the last.
    count: u64,
    reset: Option<Reset>,
    /// Libraries whose scan is to be told of.
    scans: BTreeSet<LibraryId>,
    /// Libraries whose new covers are to be told of, and from when on.
    covers: BTreeMap<LibraryId, Instant>,
    /// Libraries whose enrichment is to be told of, and from when on.
    enrichments: BTreeMap<LibraryId, Instant>,
    /// At most one: the next event is waited for only once this one is told.
    job: Option<JobChange>,
    is_session_doubtful: bool,
    /// When each library's scan was last looked at.
    asked: HashMap<LibraryId, Instant>,
    /// What was last told of it.
    told: HashMap<LibraryId, (ScanState, Option<JobId>)>,
    next_sign: Instant,
}

impl Feed {
    /// Begins with the scans that wait or run; for one who is back, with what may have been
    /// missed.
    pub(super) async fn open(
        app: App,
        user: &CurrentUser,
        listener: Listener,
        is_back: bool,
    ) -> StoreResult<Self> {
        let visible = Visible::of(user.id);
        let mut feed = Self {
            user: visible,
            is_admin: user.admin,
            token: user.session_hash,
            listener,
            count: 0,
            reset: None,
            scans: BTreeSet::new(),
            covers: BTreeMap::new(),
            enrichments: BTreeMap::new(),
            job: None,
            is_session_doubtful: false,
            asked: HashMap::new(),
            told: HashMap::new(),
            next_sign: Instant::now() + KEEP_ALIVE,
            app,
        };
        if is_back {
            feed.begin_anew(Reset::Reconnected).await?;
        } else {
            let is_under_way = |status| matches!(status, ScanState::Queued | ScanState::Running);
            feed.scans = feed.libraries(is_under_way).await?;
        }
        Ok(feed)
    }

    /// Has the reader told that something was missed, and how every scan stands or ended.
    async fn begin_anew(&mut self, reset: Reset) -> StoreResult<()> {
        self.reset = Some(reset);
        let libraries = self.libraries(|status| status != ScanState::Never).await?;
        self.scans.extend(libraries);
        Ok(())
    }

    /// The visible libraries whose scan stands so.
    async fn libraries(
        &self,
        wanted: impl Fn(ScanState) -> bool + Send + 'static,
    ) -> StoreResult<BTreeSet<LibraryId>> {
        let user = self.user;
        let read = move |conn: &Connection| {
            let mut libraries = BTreeSet::new();
            for id in user.libraries(conn)? {
                if wanted(scan_run::status_unscoped(conn, id)?.status) {
                    libraries.insert(id);
                }
            }
            Ok(libraries)
        };
        self.app.db.read(read).await
    }

    /// The next message; `None` ends the stream.
    pub(super) async fn next(&mut self) -> Option<Message> {
        if self.count == 0 {
            // With an id, so that one who comes back before anything happened says so.
            let begin = Message::default().retry(RETRY).comment("listening");
            return Some(self.numbered(begin));
        }
        loop {
            let outcome = match self.work().await {
                Ok(Some(work)) => self.tell(work).await,
                Ok(None) => return None,
                Err(error) => Err(error),
            };
            match outcome {
                Ok(Outcome::Message(message)) => return Some(message),
                Ok(Outcome::Nothing) => {}
                Ok(Outcome::End) => return None,
                Err(error) => {
                    if !matches!(error, StoreError::Closed) {
                        tracing::warn!(%error, "a stream of events ended");
                    }
                    return None;
                }
            }
        }
    }

    /// The id says no more than how much of this stream was read: one of the whole server would
    /// tell how much happens in libraries that are not granted.
    fn numbered(&mut self, message: Message) -> Message {
        self.count += 1;
        message.id(self.count.to_string())
    }

    /// Waits for something to tell; `None` once the server is stopping.
    async fn work(&mut self) -> StoreResult<Option<Work>> {
        loop {
            if self.listener.is_closed() {
                return Ok(None);
            }
            if std::mem::take(&mut self.is_session_doubtful) {
                return Ok(Some(Work::Session));
            }
            if let Some(reset) = self.reset.take() {
                return Ok(Some(Work::Reset(reset)));
            }
            if let Some(job) = self.job.take() {
                return Ok(Some(Work::Job(job)));
            }
            let now = Instant::now();
            let next_scan = self.next_scan(now);
            let next_covers = self.covers.iter().map(|(id, due)| (*due, *id)).min();
            let next_enrichment = self.enrichments.iter().map(|(id, due)| (*due, *id)).min();
            if let Some((due, library)) = next_enrichment
                && due <= now
            {
                self.enrichments.remove(&library);
                return Ok(Some(Work::Enrichment(library)));
            }
            if let Some((due, library)) = next_covers
                && due <= now
            {
                self.covers.remove(&library);
                return Ok(Some(Work::Covers(library)));
            }
            match next_scan {
                Some((due, library)) if due <= now => {
                    self.scans.remove(&library);
                    self.asked.insert(library, now);
                    return Ok(Some(Work::Scan(library)));
                }
                _ if self.next_sign <= now => return Ok(Some(Work::KeepAlive)),
                _ => {}
            }
            let wake = [next_scan, next_covers, next_enrichment]
                .into_iter()
                .flatten();
            let wake = wake.map(|(due, _)| due).fold(self.next_sign, Instant::min);
            tokio::select! {
                heard = self.listener.hear() => self.take_in(heard).await?,
                () = sleep_until(wake) => {}
            }
        }
    }

    /// The scan that is due first, and when.
    fn next_scan(&self, now: Instant) -> Option<(Instant, LibraryId)> {
        let due = |id: &LibraryId| self.asked.get(id).map_or(now, |at| *at + SCAN_GAP);
        self.scans.iter().map(|id| (due(id), *id)).min()
    }

    async fn take_in(&mut self, heard: Heard) -> StoreResult<()> {
        match heard {
            Heard::Event(Event::Scan(library)) => drop(self.scans.insert(library)),
            Heard::Event(Event::Covers(library)) => {
                let due = Instant::now() + COVERS_DELAY;
                self.covers.entry(library).or_insert(due);
            }
            Heard::Event(Event::Enrichment(library)) if self.is_admin => {
                let due = Instant::now() + ENRICHMENT_DELAY;
                self.enrichments.entry(library).or_insert(due);
            }
            Heard::Event(Event::Job(job)) => {
                self.scans.extend(scanned_by(&job));
                if let Some(library) = enriched_by(&job).filter(|_| self.is_admin) {
                    let due = Instant::now() + ENRICHMENT_DELAY;
                    self.enrichments.entry(library).or_insert(due);
                }
                self.job = Some(job);
            }
            Heard::Event(Event::Sessions) => self.is_session_doubtful = true,
            Heard::Lagged => {
                self.is_session_doubtful = true;
                self.begin_anew(Reset::Lagged).await?;
            }
            // How an enrichment goes is an administrator's to know; that nothing more comes is
            // found where the next work is looked for.
            Heard::Event(Event::Enrichment(_)) | Heard::Closed => {}
        }
        Ok(())
    }

    async fn tell(&mut self, work: Work) -> StoreResult<Outcome> {
        let question = Question::about(&work);
        let (user, token, now) = (self.user, self.token, self.app.clock.now());
        let is_admin = self.is_admin;
        let look = move |conn: &Connection| {
            let session = session::find(conn, &token, now)?;
            // With another role other things are to be told: the next stream does.
            if session.is_none_or(|session| session.admin != is_admin) {
                return Ok(Look::SignedOut);
            }
            question.ask(conn, user, is_admin)
        };
        let look = self.app.db.read(look).await?;
        Ok(self.message(work, look))
    }

    fn message(&mut self, work: Work, look: Look) -> Outcome {
        let message = match (work, look) {
            (_, Look::SignedOut) => return Outcome::End,
            (_, Look::Hidden) | (Work::Session, _) => return Outcome::Nothing,
            (Work::Scan(library), Look::Scan(status)) => {
                if !self.is_news(library, &status) {
                    return Outcome::Nothing;
                }
                let message = ScanMessage {
                    library_id: library,
                    status: *status,
                };
                Message::default().event("scan").json_data(message)
            }
            (Work::Enrichment(library_id), Look::Enrichment(status)) => {
                let status = *status;
                let message = EnrichmentMessage { library_id, status };
                Message::default().event("enrichment").json_data(message)
            }
            (Work::Covers(library_id), _) => {
                let message = CoversMessage { library_id };
                Message::default().event("covers").json_data(message)
            }
            (Work::Job(job), _) => Message::default().event("job").json_data(JobMessage {
                id: job.id,
                kind: job.kind,
                ref_id: job.ref_id,
                status: job.status,
            }),
            (Work::Reset(reason), _) => Message::default()
                .event("reset")
                .json_data(ResetMessage { reason }),
            (Work::KeepAlive | Work::Scan(_) | Work::Enrichment(_), _) => {
                self.next_sign = Instant::now() + KEEP_ALIVE;
                return Outcome::Message(Message::default().comment(""));
            }
        };
        self.next_sign = Instant::now() + KEEP_ALIVE;
        match message {
            Ok(message) => Outcome::Message(self.numbered(message)),
            Err(_) => Outcome::Nothing,
        }
    }

    /// Between a run's end and its job's the status says `queued` for a moment, which it does
    /// before a run, too. What was running and waits again has ended.
    fn is_news(&mut self, library: LibraryId, status: &ScanStatus) -> bool {
        let told = (status.status, status.job_id);
        let running = (ScanState::Running, status.job_id);
        if status.status == ScanState::Queued && self.told.get(&library) == Some(&running) {
            return false;
        }
        self.told.insert(library, told);
        true
    }
}

/// The library that this job enriches, if it does.
fn enriched_by(job: &JobChange) -> Option<LibraryId> {
    let id = (job.kind == enrich::LIBRARY_HANDLER_KIND).then_some(job.ref_id)?;
    id.map(LibraryId)
}

/// The library that this job scans, if it does.
fn scanned_by(job: &JobChange) -> Option<LibraryId> {
    let id = (job.kind == scan::HANDLER_KIND).then_some(job.ref_id)?;
    id.map(LibraryId)
}

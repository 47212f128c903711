//! One event stream: the pending events, and the checks before each one is sent.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use axum::response::sse::Event as Message;
use ledge_core::access::Visible;
use ledge_core::enrich::EnrichmentStatus;
use ledge_core::error::{StoreError, StoreResult};
use ledge_core::events::{Event, JobChange, Listener, Received};
use ledge_core::http::{CurrentSession, CurrentUser};
use ledge_core::id::{JobId, LibraryId};
use ledge_core::store::account::session::{self, TokenHash};
use ledge_core::store::job::JobStatus;
use ledge_core::store::library::scan_run::{self, ScanState, ScanStatus};
use ledge_core::{App, job_kind};
use rusqlite::Connection;
use serde::Serialize;
use tokio::time::{Instant, sleep_until};

use super::check::{Check, CheckResult};

/// Minimum interval between events about the scan of a library.
const SCAN_GAP: Duration = Duration::from_millis(250);
/// Delay of events about covers, which combines many small changes of a library.
const COVERS_DELAY: Duration = Duration::from_secs(1);
/// Delay of events about the enrichment of a library.
const ENRICHMENT_DELAY: Duration = Duration::from_millis(250);
/// Interval of keep-alive comments; each one includes a check of the session.
const KEEP_ALIVE: Duration = Duration::from_secs(20);
/// Reconnection time that the browser receives.
const RETRY: Duration = Duration::from_secs(3);

/// Data of an event `scan`.
#[derive(Serialize)]
struct ScanMessage {
    library_id: LibraryId,
    #[serde(flatten)]
    status: ScanStatus,
}

/// Data of an event `enrichment`.
#[derive(Serialize)]
struct EnrichmentMessage {
    library_id: LibraryId,
    #[serde(flatten)]
    status: EnrichmentStatus,
}

/// Data of an event `covers`.
#[derive(Serialize)]
struct CoversMessage {
    library_id: LibraryId,
}

/// Data of an event `job`.
#[derive(Serialize)]
struct JobMessage {
    id: JobId,
    kind: String,
    ref_id: Option<i64>,
    status: JobStatus,
}

/// Data of an event `reset`.
#[derive(Serialize)]
struct ResetMessage {
    reason: Reset,
}

/// Reason why events may have been missed.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Reset {
    /// The events happened between two streams.
    Reconnected,
    /// The client read too slowly.
    Lagged,
}

/// A pending event, before the check of its visibility.
pub(super) enum PendingEvent {
    Reset(Reset),
    Scan(LibraryId),
    Covers(LibraryId),
    Enrichment(LibraryId),
    Job(JobChange),
    /// Check of the session without an event.
    Session,
    KeepAlive,
}

/// Result of processing a pending event.
enum Outcome {
    Message(Message),
    Nothing,
    End,
}

/// State of one stream.
pub(super) struct Feed {
    app: App,
    user: Visible,
    is_admin: bool,
    token: TokenHash,
    listener: Listener,
    /// Number of messages sent; the id of the last one.
    count: u64,
    reset: Option<Reset>,
    /// Libraries with a pending event about their scan.
    scans: BTreeSet<LibraryId>,
    /// Libraries with a pending event about covers, and the earliest time to send it.
    covers: BTreeMap<LibraryId, Instant>,
    /// Libraries with a pending event about enrichment, and the earliest time to send it.
    enrichments: BTreeMap<LibraryId, Instant>,
    /// At most one pending job event: the next bus event is read only after this one was sent.
    job: Option<JobChange>,
    is_session_doubtful: bool,
    /// Time of the last status query, by library.
    last_queries: HashMap<LibraryId, Instant>,
    /// Last status sent, by library.
    sent_states: HashMap<LibraryId, (ScanState, Option<JobId>)>,
    next_sign: Instant,
}

impl Feed {
    /// Opens a stream with the scans that are queued or running. A reconnecting client also
    /// receives the status of everything that it may have missed.
    pub(super) async fn open(
        app: App,
        (user, session): (&CurrentUser, CurrentSession),
        listener: Listener,
        is_back: bool,
    ) -> StoreResult<Self> {
        let visible = Visible::of(user.id);
        let mut feed = Self {
            user: visible,
            is_admin: user.admin,
            token: session.0,
            listener,
            count: 0,
            reset: None,
            scans: BTreeSet::new(),
            covers: BTreeMap::new(),
            enrichments: BTreeMap::new(),
            job: None,
            is_session_doubtful: false,
            last_queries: HashMap::new(),
            sent_states: HashMap::new(),
            next_sign: Instant::now() + KEEP_ALIVE,
            app,
        };
        if is_back {
            feed.schedule_reset(Reset::Reconnected).await?;
        } else {
            let is_under_way = |status| matches!(status, ScanState::Queued | ScanState::Running);
            feed.scans = feed.libraries(is_under_way).await?;
        }
        Ok(feed)
    }

    /// Schedules a reset event and the status of every scan, also ended ones.
    async fn schedule_reset(&mut self, reset: Reset) -> StoreResult<()> {
        self.reset = Some(reset);
        let libraries = self.libraries(|status| status != ScanState::Never).await?;
        self.scans.extend(libraries);
        Ok(())
    }

    /// Returns the visible libraries whose scan has a status that `wanted` accepts.
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

    /// Returns the next message, or `None` at the end of the stream.
    pub(super) async fn next(&mut self) -> Option<Message> {
        if self.count == 0 {
            // The first message has an id, so that a client that reconnects before any event also
            // sends `Last-Event-ID`.
            let begin = Message::default().retry(RETRY).comment("listening");
            return Some(self.numbered(begin));
        }
        loop {
            let outcome = match self.work().await {
                Ok(Some(work)) => self.checked_message(work).await,
                Ok(None) => return None,
                Err(error) => Err(error),
            };
            match outcome {
                Ok(Outcome::Message(message)) => return Some(message),
                Ok(Outcome::Nothing) => {}
                Ok(Outcome::End) => return None,
                Err(error) => {
                    if !matches!(error, StoreError::Closed) {
                        tracing::warn!(%error, "an event stream ended with an error");
                    }
                    return None;
                }
            }
        }
    }

    /// Adds the message id, which counts the messages of this stream only. A global id would reveal
    /// the activity in libraries without a grant.
    fn numbered(&mut self, message: Message) -> Message {
        self.count += 1;
        message.id(self.count.to_string())
    }

    /// Waits for the next pending event. Returns `None` if the server is stopping.
    async fn work(&mut self) -> StoreResult<Option<PendingEvent>> {
        loop {
            if self.listener.is_closed() {
                return Ok(None);
            }
            if std::mem::take(&mut self.is_session_doubtful) {
                return Ok(Some(PendingEvent::Session));
            }
            if let Some(reset) = self.reset.take() {
                return Ok(Some(PendingEvent::Reset(reset)));
            }
            if let Some(job) = self.job.take() {
                return Ok(Some(PendingEvent::Job(job)));
            }
            let now = Instant::now();
            let next_scan = self.next_scan(now);
            let next_covers = self.covers.iter().map(|(id, due)| (*due, *id)).min();
            let next_enrichment = self.enrichments.iter().map(|(id, due)| (*due, *id)).min();
            if let Some((due, library)) = next_enrichment
                && due <= now
            {
                self.enrichments.remove(&library);
                return Ok(Some(PendingEvent::Enrichment(library)));
            }
            if let Some((due, library)) = next_covers
                && due <= now
            {
                self.covers.remove(&library);
                return Ok(Some(PendingEvent::Covers(library)));
            }
            match next_scan {
                Some((due, library)) if due <= now => {
                    self.scans.remove(&library);
                    self.last_queries.insert(library, now);
                    return Ok(Some(PendingEvent::Scan(library)));
                }
                _ if self.next_sign <= now => return Ok(Some(PendingEvent::KeepAlive)),
                _ => {}
            }
            let wake = [next_scan, next_covers, next_enrichment]
                .into_iter()
                .flatten();
            let wake = wake.map(|(due, _)| due).fold(self.next_sign, Instant::min);
            tokio::select! {
                received = self.listener.recv() => self.record_event(received).await?,
                () = sleep_until(wake) => {}
            }
        }
    }

    /// Returns the library whose scan event is due first, with its time.
    fn next_scan(&self, now: Instant) -> Option<(Instant, LibraryId)> {
        let due = |id: &LibraryId| self.last_queries.get(id).map_or(now, |at| *at + SCAN_GAP);
        self.scans.iter().map(|id| (due(id), *id)).min()
    }

    async fn record_event(&mut self, received: Received) -> StoreResult<()> {
        match received {
            Received::Event(Event::Scan(library)) => drop(self.scans.insert(library)),
            Received::Event(Event::Covers(library)) => {
                let due = Instant::now() + COVERS_DELAY;
                self.covers.entry(library).or_insert(due);
            }
            Received::Event(Event::Enrichment(library)) if self.is_admin => {
                let due = Instant::now() + ENRICHMENT_DELAY;
                self.enrichments.entry(library).or_insert(due);
            }
            Received::Event(Event::Job(job)) => {
                self.scans.extend(scanned_by(&job));
                if let Some(library) = enriched_by(&job).filter(|_| self.is_admin) {
                    let due = Instant::now() + ENRICHMENT_DELAY;
                    self.enrichments.entry(library).or_insert(due);
                }
                self.job = Some(job);
            }
            Received::Event(Event::Sessions) => self.is_session_doubtful = true,
            Received::Lagged => {
                self.is_session_doubtful = true;
                self.schedule_reset(Reset::Lagged).await?;
            }
            // The status of an enrichment is for administrators only. A closed bus is noticed
            // before the next wait.
            Received::Event(Event::Enrichment(_)) | Received::Closed => {}
        }
        Ok(())
    }

    async fn checked_message(&mut self, work: PendingEvent) -> StoreResult<Outcome> {
        let check = Check::about(&work);
        let (user, token, now) = (self.user, self.token, self.app.clock.now());
        let is_admin = self.is_admin;
        let read = move |conn: &Connection| {
            let session = session::find(conn, &token, now)?;
            // Another role has other events, so the client must open a new stream.
            if session.is_none_or(|session| session.admin != is_admin) {
                return Ok(CheckResult::SignedOut);
            }
            check.run(conn, user, is_admin)
        };
        let result = self.app.db.read(read).await?;
        Ok(self.message(work, result))
    }

    fn message(&mut self, work: PendingEvent, result: CheckResult) -> Outcome {
        let message = match (work, result) {
            (_, CheckResult::SignedOut) => return Outcome::End,
            (_, CheckResult::Hidden) | (PendingEvent::Session, _) => return Outcome::Nothing,
            (PendingEvent::Scan(library), CheckResult::Scan(status)) => {
                if !self.is_new_status(library, &status) {
                    return Outcome::Nothing;
                }
                let message = ScanMessage {
                    library_id: library,
                    status: *status,
                };
                Message::default().event("scan").json_data(message)
            }
            (PendingEvent::Enrichment(library_id), CheckResult::Enrichment(status)) => {
                let status = *status;
                let message = EnrichmentMessage { library_id, status };
                Message::default().event("enrichment").json_data(message)
            }
            (PendingEvent::Covers(library_id), _) => {
                let message = CoversMessage { library_id };
                Message::default().event("covers").json_data(message)
            }
            (PendingEvent::Job(job), _) => Message::default().event("job").json_data(JobMessage {
                id: job.id,
                kind: job.kind,
                ref_id: job.ref_id,
                status: job.status,
            }),
            (PendingEvent::Reset(reason), _) => Message::default()
                .event("reset")
                .json_data(ResetMessage { reason }),
            (PendingEvent::KeepAlive | PendingEvent::Scan(_) | PendingEvent::Enrichment(_), _) => {
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

    /// Returns `false` for the status `queued` between the end of a run and the end of its job. The
    /// same status also precedes a run, but here the job was running before.
    fn is_new_status(&mut self, library: LibraryId, status: &ScanStatus) -> bool {
        let state = (status.status, status.job_id);
        let running = (ScanState::Running, status.job_id);
        if status.status == ScanState::Queued && self.sent_states.get(&library) == Some(&running) {
            return false;
        }
        self.sent_states.insert(library, state);
        true
    }
}

/// Returns the library that a job enriches, if it is an enrichment.
fn enriched_by(job: &JobChange) -> Option<LibraryId> {
    let id = (job.kind == job_kind::ENRICH_LIBRARY).then_some(job.ref_id)?;
    id.map(LibraryId)
}

/// Returns the library that a job scans, if it is a scan.
fn scanned_by(job: &JobChange) -> Option<LibraryId> {
    let id = (job.kind == job_kind::SCAN).then_some(job.ref_id)?;
    id.map(LibraryId)
}

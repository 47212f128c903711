//! File requests that are open or have just ended, and the bytes sent per hour. They are kept in
//! memory only.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use ledge_core::id::{FileId, UserId};
use ledge_core::time::{Clock, Timestamp};
use tokio::time::Instant;

/// Time for which an ended request is listed.
const SHOWN_AFTER_END: Duration = Duration::from_secs(30);
/// Limit of listed requests.
const MAX_TRANSFERS: usize = 1000;
/// Number of hours with a sum.
const HOURS: usize = 24;
const HOUR: i64 = 3_600_000_000;

/// File requests of a server; clones share them.
#[derive(Debug, Clone)]
pub(crate) struct Transfers(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    clock: Clock,
    started: Instant,
    /// The latest requests, the oldest first.
    recent: Mutex<VecDeque<Arc<Transfer>>>,
    sent: Mutex<HourlySums>,
}

/// Request for a file.
#[derive(Debug)]
pub(crate) struct Transfer {
    pub(crate) user: UserId,
    pub(crate) file: FileId,
    pub(crate) kind: String,
    /// Name of the client's program.
    pub(crate) device: Option<String>,
    /// Size of the file in bytes.
    pub(crate) size: u64,
    pub(crate) started_at: Timestamp,
    sent: AtomicU64,
    /// Time of the end in microseconds since 1970, or 0 while the request is open.
    ended_at: AtomicI64,
}

impl Transfer {
    /// Returns the number of bytes that were sent.
    pub(crate) fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Returns the average number of bytes per second until the end, or until now.
    pub(crate) fn rate(&self, now: Timestamp) -> u64 {
        let end = self.ended_at().unwrap_or(now);
        let millis = u64::try_from(end.since(self.started_at).as_millis()).unwrap_or(u64::MAX);
        self.sent().saturating_mul(1000) / millis.max(1)
    }

    fn ended_at(&self) -> Option<Timestamp> {
        let ended_at = self.ended_at.load(Ordering::Relaxed);
        (ended_at != 0).then(|| Timestamp::from_micros(ended_at))
    }

    fn is_shown(&self, now: Timestamp) -> bool {
        self.ended_at()
            .is_none_or(|ended_at| now.since(ended_at) < SHOWN_AFTER_END)
    }
}

/// Description of a new request.
#[derive(Debug)]
pub(crate) struct Requested {
    pub(crate) user: UserId,
    pub(crate) file: FileId,
    pub(crate) kind: String,
    pub(crate) device: Option<String>,
    pub(crate) size: u64,
}

impl Transfers {
    pub(crate) fn new(clock: Clock) -> Self {
        Self(Arc::new(Shared {
            clock,
            started: Instant::now(),
            recent: Mutex::default(),
            sent: Mutex::default(),
        }))
    }

    /// Returns the time since the start of the server.
    pub(crate) fn uptime(&self) -> Duration {
        self.0.started.elapsed()
    }

    /// Counts the bytes of a response while they are sent.
    pub(crate) fn track(&self, response: Response, requested: Requested) -> Response {
        let transfer = Arc::new(Transfer {
            user: requested.user,
            file: requested.file,
            kind: requested.kind,
            device: requested.device,
            size: requested.size,
            started_at: self.0.clock.now(),
            sent: AtomicU64::new(0),
            ended_at: AtomicI64::new(0),
        });
        self.add(transfer.clone());
        let transfers = self.clone();
        response.map(|inner| {
            Body::new(CountedBody {
                inner,
                transfer,
                transfers,
            })
        })
    }

    fn add(&self, transfer: Arc<Transfer>) {
        let now = transfer.started_at;
        let mut recent = self.recent();
        while recent.front().is_some_and(|oldest| !oldest.is_shown(now)) {
            recent.pop_front();
        }
        if recent.len() >= MAX_TRANSFERS {
            // Ended requests are less interesting than open ones.
            let ended = recent.iter().position(|known| known.ended_at().is_some());
            recent.remove(ended.unwrap_or(0));
        }
        recent.push_back(transfer);
    }

    /// Returns the requests that are open or have just ended, the newest first.
    pub(crate) fn list(&self, now: Timestamp) -> Vec<Arc<Transfer>> {
        let mut recent = self.recent();
        recent.retain(|transfer| transfer.is_shown(now));
        recent.iter().rev().cloned().collect()
    }

    /// Returns the bytes sent in each of the last 24 hours, the current hour last.
    pub(crate) fn hours(&self, now: Timestamp) -> [u64; HOURS] {
        let mut sent = self.sent();
        sent.advance(hour_of(now));
        sent.bytes
    }

    fn count(&self, transfer: &Transfer, bytes: u64) {
        transfer.sent.fetch_add(bytes, Ordering::Relaxed);
        let hour = hour_of(self.0.clock.now());
        self.sent().add(hour, bytes);
    }

    fn end(&self, transfer: &Transfer) {
        let now = self.0.clock.now().as_micros();
        transfer.ended_at.store(now, Ordering::Relaxed);
    }

    // A panic cannot leave the list or the sums inconsistent.
    fn recent(&self) -> MutexGuard<'_, VecDeque<Arc<Transfer>>> {
        let recent = self.0.recent.lock();
        recent.unwrap_or_else(PoisonError::into_inner)
    }

    fn sent(&self) -> MutexGuard<'_, HourlySums> {
        let sent = self.0.sent.lock();
        sent.unwrap_or_else(PoisonError::into_inner)
    }
}

fn hour_of(at: Timestamp) -> i64 {
    at.as_micros().div_euclid(HOUR)
}

/// Sums of the last hours.
#[derive(Debug, Default)]
struct HourlySums {
    /// Current hour since 1970.
    hour: i64,
    /// Sums by hour, the current hour last.
    bytes: [u64; HOURS],
}

impl HourlySums {
    /// Begins a new hour. Does nothing if the clock was set back.
    fn advance(&mut self, hour: i64) {
        let passed = usize::try_from(hour.saturating_sub(self.hour)).unwrap_or(0);
        if passed == 0 {
            return;
        }
        let kept = HOURS.saturating_sub(passed);
        self.bytes.rotate_left(passed.min(HOURS));
        if let Some(new) = self.bytes.get_mut(kept..) {
            new.fill(0);
        }
        self.hour = hour;
    }

    fn add(&mut self, hour: i64, bytes: u64) {
        self.advance(hour);
        let [.., current] = &mut self.bytes;
        *current += bytes;
    }
}

/// Body whose bytes are counted.
struct CountedBody {
    inner: Body,
    transfer: Arc<Transfer>,
    transfers: Transfers,
}

impl Drop for CountedBody {
    fn drop(&mut self) {
        self.transfers.end(&self.transfer);
    }
}

impl http_body::Body for CountedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.inner).poll_frame(cx);
        if let Poll::Ready(Some(Ok(frame))) = &polled
            && let Some(data) = frame.data_ref()
        {
            self.transfers.count(&self.transfer, data.len() as u64);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;

    use super::*;

    fn requested(file: i64) -> Requested {
        Requested {
            user: UserId(1),
            file: FileId(file),
            kind: "paper".to_owned(),
            device: None,
            size: 9,
        }
    }

    fn response(text: &'static str) -> Response {
        Response::new(Body::from(text))
    }

    #[tokio::test]
    async fn ended_request_is_listed_for_30_seconds() {
        let (clock, hand) = Clock::manual(Timestamp::from_micros(1_800_000_000_000_000));
        let transfers = Transfers::new(clock.clone());
        let open = transfers.track(response("four"), requested(1));
        hand.advance(Duration::from_secs(100));
        let ended = transfers.track(response("nine bytes"), requested(2));
        hand.advance(Duration::from_secs(2));
        ended.into_body().collect().await.expect("a body");
        let list = || {
            let list = transfers.list(clock.now());
            let show = |one: &Arc<Transfer>| (one.file.0, one.sent(), one.rate(clock.now()));
            list.iter().map(show).collect::<Vec<_>>()
        };
        assert_eq!(list(), [(2, 10, 5), (1, 0, 0)]);
        hand.advance(Duration::from_secs(29));
        assert_eq!(list(), [(2, 10, 5), (1, 0, 0)]);
        hand.advance(Duration::from_secs(1));
        assert_eq!(list(), [(1, 0, 0)]);
        drop(open);
        hand.advance(Duration::from_secs(30));
        assert_eq!(list(), []);
    }

    #[tokio::test]
    async fn bytes_are_summed_by_hour() {
        let (clock, hand) = Clock::manual(Timestamp::from_micros(0));
        let transfers = Transfers::new(clock.clone());
        for text in ["one", "three", "seven"] {
            let tracked = transfers.track(response(text), requested(1));
            tracked.into_body().collect().await.expect("a body");
            hand.advance(Duration::from_hours(2));
        }
        let hours = transfers.hours(clock.now());
        assert_eq!(hours.get(17..), Some(&[3, 0, 5, 0, 5, 0, 0][..]));
        assert_eq!(hours.iter().sum::<u64>(), 13);
        hand.advance(Duration::from_hours(30));
        assert_eq!(transfers.hours(clock.now()), [0; 24]);
    }

    #[test]
    fn number_of_listed_requests_is_bounded() {
        let (clock, _hand) = Clock::manual(Timestamp::from_micros(1_000_000));
        let transfers = Transfers::new(clock.clone());
        let _open = transfers.track(response("open"), requested(0));
        for file in 1..3000 {
            drop(transfers.track(response(""), requested(file)));
        }
        let list = transfers.list(clock.now());
        assert_eq!(list.len(), MAX_TRANSFERS);
        assert_eq!(list.last().map(|oldest| oldest.file.0), Some(0));
    }
}

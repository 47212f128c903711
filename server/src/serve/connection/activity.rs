//! Progress of a connection. Its supervisor, its stream, its bodies and the session layer share it.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ledge_core::id::UserId;
use tokio::sync::Notify;
use tokio::time::Instant;

/// Limits of the time that a connection may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Time for a request's head and body together, unless a signed-in user sends it.
    pub(crate) request: Duration,
    /// Time between two requests of a signed-in user or of a trusted proxy.
    pub(crate) idle: Duration,
    /// Time in which the client takes some bytes of a response that is in memory. A slow client
    /// takes them in large steps, because the system buffers several megabytes.
    pub(crate) unread: Duration,
    /// Bytes per second that a signed-in user sends at least, after `request`.
    pub(crate) rate: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            request: Duration::from_secs(10),
            idle: Duration::from_secs(30),
            unread: Duration::from_mins(2),
            rate: 16 << 10,
        }
    }
}

/// Progress of one connection; clones share it.
#[derive(Debug, Clone)]
pub(crate) struct Activity(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    limits: Limits,
    /// A trusted proxy sends the requests of many clients over one connection.
    is_proxy: bool,
    progress: Mutex<Progress>,
    eviction: Notify,
}

#[derive(Debug)]
struct Progress {
    phase: Phase,
    since: Instant,
    /// Time of the last byte from or to the client.
    last_byte: Instant,
    /// User who sent the current request. On a connection of a single client, the user of an
    /// earlier request suffices.
    user: Option<UserId>,
    client_wait: Duration,
    /// Exchanges so far. A late drop of an earlier one does not end the current one.
    exchanges: u64,
    /// `true` from the end of a response body until the HTTP library has written all of it: the
    /// library takes a complete body at once, and a slow client can take hours to read it.
    is_unsent: bool,
    /// Time when the response got a body that is in memory; `None` for any other response.
    in_memory_since: Option<Instant>,
    /// Values to drop when the response is written.
    guards: Vec<Box<dyn Any + Send>>,
}

/// Properties of a connection for the choice of the one to evict.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConnectionState {
    /// Signed-in user, if there is one.
    pub(crate) user: Option<UserId>,
    /// `true` between two requests.
    pub(crate) is_idle: bool,
    /// Start of the current phase.
    pub(crate) since: Instant,
    /// Time of the last byte from or to the client.
    pub(crate) last_byte: Instant,
}

/// State of a connection. Each phase begins at [`Progress::since`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The server waits for the next request.
    Idle,
    /// The server waits for the rest of a request's head.
    Head,
    /// The server handles a request or sends its response.
    Exchange,
    /// Both bodies have ended, and the end of the response is not written yet.
    Flush,
}

/// A request and its response. The connection is not idle until both bodies have dropped it and the
/// response is written.
#[derive(Debug)]
pub(crate) struct Exchange {
    activity: Activity,
    number: u64,
    /// Time that the client took to send the request's head.
    pub(super) head_time: Duration,
}

#[cfg(test)]
impl Exchange {
    /// Creates an exchange whose head took this time.
    pub(super) fn with_head_time(activity: &Activity, head_time: Duration) -> Self {
        Self {
            activity: activity.clone(),
            number: 0,
            head_time,
        }
    }
}

impl Exchange {
    /// Records that the HTTP library has taken the whole response body, or has dropped it.
    pub(super) fn end_response(&self) {
        let mut progress = self.activity.lock();
        if progress.exchanges == self.number {
            progress.is_unsent = true;
        }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        let mut progress = self.activity.lock();
        if progress.exchanges != self.number {
            return;
        }
        if progress.is_unsent {
            progress.enter(Phase::Flush);
        } else {
            let guards = progress.end();
            drop(progress);
            drop(guards);
        }
    }
}

impl Progress {
    fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        self.since = Instant::now();
    }

    /// Ends the exchange. Returns its guards, so that the caller can drop them without the lock.
    fn end(&mut self) -> Vec<Box<dyn Any + Send>> {
        self.enter(Phase::Idle);
        self.in_memory_since = None;
        std::mem::take(&mut self.guards)
    }
}

impl Activity {
    /// Creates the progress of a new connection. The time for its first head starts now.
    pub(crate) fn new(is_proxy: bool, limits: Limits) -> Self {
        Self(Arc::new(Shared {
            limits,
            is_proxy,
            progress: Mutex::new(Progress {
                phase: Phase::Head,
                since: Instant::now(),
                last_byte: Instant::now(),
                user: None,
                client_wait: Duration::ZERO,
                exchanges: 0,
                is_unsent: false,
                in_memory_since: None,
                guards: Vec::new(),
            }),
            eviction: Notify::new(),
        }))
    }

    /// Starts an exchange: the head of a request is complete.
    pub(crate) fn begin(&self) -> Arc<Exchange> {
        let mut progress = self.lock();
        let head_time = match progress.phase {
            Phase::Head => progress.since.elapsed(),
            Phase::Idle | Phase::Exchange | Phase::Flush => Duration::ZERO,
        };
        progress.enter(Phase::Exchange);
        progress.client_wait = Duration::ZERO;
        if self.0.is_proxy {
            progress.user = None;
        }
        progress.exchanges += 1;
        progress.is_unsent = false;
        progress.in_memory_since = None;
        let number = progress.exchanges;
        let guards = std::mem::take(&mut progress.guards);
        drop(progress);
        drop(guards);
        Arc::new(Exchange {
            activity: self.clone(),
            number,
            head_time,
        })
    }

    /// Records that bytes came from the client.
    pub(super) fn record_read(&self) {
        let mut progress = self.lock();
        progress.last_byte = Instant::now();
        if progress.phase == Phase::Idle {
            progress.enter(Phase::Head);
        }
    }

    /// Records that the client took bytes.
    pub(super) fn record_write(&self) {
        self.lock().last_byte = Instant::now();
    }

    /// Keeps a value until the exchange has ended and its response is written. A value that is
    /// dropped with the response body would be gone while the HTTP library still writes the body.
    pub(crate) fn hold(&self, guard: impl Any + Send) {
        self.lock().guards.push(Box::new(guard));
    }

    /// Ends the connection if the client stops reading: the current response is in memory.
    pub(crate) fn limit_reading(&self) {
        self.lock().in_memory_since = Some(Instant::now());
    }

    /// Records that the HTTP library has written all bytes that it had.
    pub(super) fn record_flush(&self) {
        let mut progress = self.lock();
        progress.is_unsent = false;
        if progress.phase == Phase::Flush {
            let guards = progress.end();
            drop(progress);
            drop(guards);
        }
    }

    /// Records that a signed-in user, or a valid ticket, sent the current request.
    pub(crate) fn set_authenticated(&self, user: UserId) {
        self.lock().user = Some(user);
    }

    /// Returns `true` if a signed-in user sent the current request. On a connection of a single
    /// client, an earlier request suffices.
    pub(crate) fn is_authenticated(&self) -> bool {
        self.lock().user.is_some()
    }

    /// Returns the properties of the connection.
    pub(crate) fn state(&self) -> ConnectionState {
        let progress = self.lock();
        ConnectionState {
            user: progress.user,
            is_idle: progress.phase == Phase::Idle,
            since: progress.since,
            last_byte: progress.last_byte,
        }
    }

    /// Returns the time that the server may wait for a body of which `received` bytes have arrived.
    pub(super) fn body_time(&self, received: u64) -> Duration {
        let Limits { request, rate, .. } = self.0.limits;
        if !self.is_authenticated() {
            return request;
        }
        request + Duration::from_millis(received.saturating_mul(1000) / rate)
    }

    /// Records time that the server waited for the body of the current request.
    pub(super) fn record_wait(&self, time: Duration) {
        self.lock().client_wait += time;
    }

    /// Returns the time that the server waited for the body of the current request.
    pub(crate) fn client_wait(&self) -> Duration {
        self.lock().client_wait
    }

    /// Returns the time when the connection ends unless it makes progress. During an exchange, and
    /// until its response is written, it returns the time of the next check.
    pub(crate) fn deadline(&self) -> Instant {
        let progress = self.lock();
        let may_idle = progress.user.is_some() || self.0.is_proxy;
        let Limits {
            request,
            idle,
            unread,
            ..
        } = self.0.limits;
        match progress.phase {
            Phase::Exchange | Phase::Flush => match progress.in_memory_since {
                Some(since) => since.max(progress.last_byte) + unread,
                None => Instant::now() + request,
            },
            Phase::Idle if may_idle => progress.since + idle,
            Phase::Idle | Phase::Head => progress.since + request,
        }
    }

    /// Ends the connection in favour of another one.
    pub(crate) fn evict(&self) {
        self.0.eviction.notify_one();
    }

    /// Waits for [`Activity::evict`].
    pub(crate) async fn evicted(&self) {
        self.0.eviction.notified().await;
    }

    fn lock(&self) -> MutexGuard<'_, Progress> {
        // The mutex protects plain values, so a panic cannot leave them inconsistent.
        let progress = &self.0.progress;
        progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the seconds until the deadline, rounded up.
    fn seconds_left(activity: &Activity) -> u64 {
        let left = activity.deadline() - Instant::now();
        left.as_secs() + u64::from(left.subsec_nanos() > 0)
    }

    #[tokio::test]
    async fn first_head_has_its_time_from_the_accept() {
        let activity = Activity::new(false, Limits::default());
        let deadline = activity.deadline();
        assert_eq!(seconds_left(&activity), 10);
        tokio::time::sleep(Duration::from_millis(20)).await;
        activity.record_read();
        assert_eq!(activity.deadline(), deadline);
        assert!(activity.begin().head_time >= Duration::from_millis(20));
    }

    #[test]
    fn signed_in_clients_and_proxies_may_idle_for_thirty_seconds() {
        for (is_proxy, is_authenticated, idle) in
            [(false, false, 10), (false, true, 30), (true, false, 30)]
        {
            let activity = Activity::new(is_proxy, Limits::default());
            let exchange = activity.begin();
            if is_authenticated {
                activity.set_authenticated(UserId(1));
            }
            drop(exchange);
            assert_eq!(seconds_left(&activity), idle);
            assert_eq!(activity.deadline(), activity.deadline());
            activity.record_read();
            assert_eq!(seconds_left(&activity), 10);
        }
    }

    #[test]
    fn exchange_lasts_until_its_response_is_written() {
        let activity = Activity::new(false, Limits::default());
        let exchange = activity.begin();
        exchange.end_response();
        drop(exchange);
        let deadline = activity.deadline();
        assert!(activity.deadline() > deadline, "it moves with the clock");
        activity.record_flush();
        assert_eq!(activity.deadline(), activity.deadline());
        // The request body can end after the response is written.
        let exchange = activity.begin();
        exchange.end_response();
        activity.record_flush();
        drop(exchange);
        assert_eq!(activity.deadline(), activity.deadline());
    }

    #[test]
    fn response_in_memory_must_be_read() {
        let activity = Activity::new(false, Limits::default());
        let exchange = activity.begin();
        activity.limit_reading();
        let deadline = activity.deadline();
        assert_eq!(activity.deadline(), deadline, "it stays without progress");
        exchange.end_response();
        drop(exchange);
        assert_eq!(activity.deadline(), deadline);
        activity.record_write();
        assert!(activity.deadline() > deadline, "the client reads");
        activity.record_flush();
        let _next = activity.begin();
        let deadline = activity.deadline();
        assert!(activity.deadline() > deadline, "the next is a stream");
    }

    #[test]
    fn guard_is_held_until_the_response_is_written() {
        let activity = Activity::new(false, Limits::default());
        let exchange = activity.begin();
        let guard = Arc::new(());
        activity.hold(guard.clone());
        exchange.end_response();
        drop(exchange);
        assert_eq!(Arc::strong_count(&guard), 2);
        activity.record_flush();
        assert_eq!(Arc::strong_count(&guard), 1);
        // Without a response body, it ends with the exchange.
        let exchange = activity.begin();
        activity.hold(guard.clone());
        drop(exchange);
        assert_eq!(Arc::strong_count(&guard), 1);
    }

    #[test]
    fn exchange_lasts_until_both_bodies_are_gone() {
        let activity = Activity::new(false, Limits::default());
        let exchange = activity.begin();
        let other = exchange.clone();
        let deadline = activity.deadline();
        drop(exchange);
        assert!(activity.deadline() > deadline, "it moves with the clock");
        let next = activity.begin();
        drop(other);
        let deadline = activity.deadline();
        assert!(activity.deadline() > deadline, "the next one goes on");
        drop(next);
        assert_eq!(activity.deadline(), activity.deadline());
    }

    #[test]
    fn each_request_of_a_proxy_signs_in_by_itself() {
        for is_proxy in [false, true] {
            let activity = Activity::new(is_proxy, Limits::default());
            assert!(!activity.is_authenticated());
            let exchange = activity.begin();
            activity.set_authenticated(UserId(1));
            assert_eq!(activity.state().user, Some(UserId(1)));
            drop(exchange);
            let _exchange = activity.begin();
            assert_eq!(activity.is_authenticated(), !is_proxy);
        }
    }
}

//! Progress of a connection. Its supervisor, its stream, its bodies and the session layer share it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

/// Limits of the time that a connection may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Time for a request's head and body together, unless a signed-in user sends it.
    pub(crate) request: Duration,
    /// Time between two requests of a signed-in user or of a trusted proxy.
    pub(crate) idle: Duration,
    /// Bytes per second that a signed-in user sends at least, after `request`.
    pub(crate) rate: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            request: Duration::from_secs(10),
            idle: Duration::from_secs(30),
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
    is_authenticated: bool,
    client_wait: Duration,
    /// Exchanges so far. A late drop of an earlier one does not end the current one.
    exchanges: u64,
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
}

/// A request and its response. The connection is not idle until both bodies have dropped it.
#[derive(Debug)]
pub(crate) struct Exchange {
    activity: Activity,
    number: u64,
    /// Time that the client took to send the request's head.
    pub(super) head_time: Duration,
}

#[cfg(test)]
impl Exchange {
    /// An exchange whose head took this time.
    pub(super) fn with_head_time(activity: &Activity, head_time: Duration) -> Self {
        Self {
            activity: activity.clone(),
            number: 0,
            head_time,
        }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        let mut progress = self.activity.lock();
        if progress.exchanges == self.number {
            progress.enter(Phase::Idle);
        }
    }
}

impl Progress {
    fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        self.since = Instant::now();
    }
}

impl Activity {
    /// Progress of a new connection. The time for its first head starts now.
    pub(crate) fn new(is_proxy: bool, limits: Limits) -> Self {
        Self(Arc::new(Shared {
            limits,
            is_proxy,
            progress: Mutex::new(Progress {
                phase: Phase::Head,
                since: Instant::now(),
                is_authenticated: false,
                client_wait: Duration::ZERO,
                exchanges: 0,
            }),
            eviction: Notify::new(),
        }))
    }

    /// Starts an exchange: the head of a request is complete.
    pub(crate) fn begin(&self) -> Arc<Exchange> {
        let mut progress = self.lock();
        let head_time = match progress.phase {
            Phase::Head => progress.since.elapsed(),
            Phase::Idle | Phase::Exchange => Duration::ZERO,
        };
        progress.enter(Phase::Exchange);
        progress.client_wait = Duration::ZERO;
        progress.is_authenticated &= !self.0.is_proxy;
        progress.exchanges += 1;
        Arc::new(Exchange {
            activity: self.clone(),
            number: progress.exchanges,
            head_time,
        })
    }

    /// Records that bytes came from the client.
    pub(super) fn record_read(&self) {
        let mut progress = self.lock();
        if progress.phase == Phase::Idle {
            progress.enter(Phase::Head);
        }
    }

    /// Records that the client took bytes. The end of a response can still wait for a slow client
    /// when its body is gone; that time is not idle time.
    pub(super) fn record_write(&self) {
        let mut progress = self.lock();
        if progress.phase == Phase::Idle {
            progress.since = Instant::now();
        }
    }

    /// Records that a signed-in user, or a valid ticket, sent the current request.
    pub(crate) fn set_authenticated(&self) {
        self.lock().is_authenticated = true;
    }

    /// Returns whether a signed-in user sent the current request or, on a connection of its own, an
    /// earlier one.
    pub(crate) fn is_authenticated(&self) -> bool {
        self.lock().is_authenticated
    }

    /// Returns the start of the current phase if no signed-in user is known.
    pub(crate) fn unauthenticated_since(&self) -> Option<Instant> {
        let progress = self.lock();
        (!progress.is_authenticated).then_some(progress.since)
    }

    /// Returns how long the server may wait for a body of which `received` bytes have come.
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

    /// Returns the time when the connection ends unless it makes progress. During an exchange, it
    /// returns the time of the next look.
    pub(crate) fn deadline(&self) -> Instant {
        let progress = self.lock();
        let may_idle = progress.is_authenticated || self.0.is_proxy;
        let Limits { request, idle, .. } = self.0.limits;
        match progress.phase {
            Phase::Exchange => Instant::now() + request,
            Phase::Idle if may_idle => progress.since + idle,
            Phase::Idle | Phase::Head => progress.since + request,
        }
    }

    /// Ends the connection to make room for another one.
    pub(crate) fn evict(&self) {
        self.0.eviction.notify_one();
    }

    /// Waits for [`Activity::evict`].
    pub(crate) async fn evicted(&self) {
        self.0.eviction.notified().await;
    }

    fn lock(&self) -> MutexGuard<'_, Progress> {
        // Plain values: no panic can leave them half written.
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
                activity.set_authenticated();
            }
            drop(exchange);
            assert_eq!(seconds_left(&activity), idle);
            let deadline = activity.deadline();
            activity.record_write();
            assert!(activity.deadline() > deadline);
            activity.record_read();
            assert_eq!(seconds_left(&activity), 10);
        }
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
            assert!(activity.unauthenticated_since().is_some());
            let exchange = activity.begin();
            activity.set_authenticated();
            assert_eq!(activity.unauthenticated_since(), None);
            drop(exchange);
            let _exchange = activity.begin();
            assert_eq!(activity.is_authenticated(), !is_proxy);
        }
    }
}

//! The rate limit of one host, shared by all providers and workers, and the pause that the host
//! demands with `Retry-After`.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::STOP_CHECK;
use crate::registry::provider::{AskError, RateLimit, Response};

/// Longest `Retry-After` for which a request waits. During a longer one, requests fail at once.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// Longest pause that `Retry-After` can cause.
const LONGEST_RETRY_AFTER: Duration = Duration::from_hours(24);
/// Shortest time in which a server can restart. A shorter wait need not be stored.
const SHORTEST_RESTART: Duration = Duration::from_secs(1);
/// Factor of the interval between requests: network delays can shorten the interval that the
/// provider sees.
const SLACK: f64 = 1.05;

/// Rate limit of one host.
#[derive(Debug)]
pub(super) struct RateLimiter {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    interval: Duration,
    /// Time at which the next request may be sent.
    next: Option<Instant>,
    /// Earliest time of any request, also of a reserved one.
    not_before: Option<Instant>,
    /// End of the pause that the host demanded.
    retry_at: Option<Instant>,
}

/// Remaining times of a rate limiter, which outlive a restart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Remaining {
    /// Time until the next request.
    pub(super) next: Option<Duration>,
    /// Time until the end of the pause.
    pub(super) pause: Option<Duration>,
}

pub(super) fn remaining(until: Option<Instant>, now: Instant) -> Option<Duration> {
    let time = until?.saturating_duration_since(now);
    (!time.is_zero()).then_some(time)
}

impl RateLimiter {
    /// Creates a limiter that continues after a restart with these times.
    pub(super) fn new(pace: RateLimit, before: Remaining) -> Self {
        let now = Instant::now();
        let interval = interval(pace);
        let next = before.next.map(|time| time.min(LONGEST_WAIT.max(interval)));
        let pause = before.pause.map(|time| time.min(LONGEST_RETRY_AFTER));
        Self {
            state: Mutex::new(State {
                interval,
                next: next.map(|time| now + time),
                not_before: None,
                retry_at: pause.map(|time| now + time),
            }),
        }
    }

    /// Applies the rate limit of a further provider of the host. The slowest one is valid for all.
    pub(super) fn join(&self, pace: RateLimit) {
        let mut state = self.state();
        state.interval = state.interval.max(interval(pace));
    }

    /// Reserves the next free time; fails if it is later than `max_wait`, or during a pause.
    pub(super) fn reserve(&self, max_wait: Duration) -> Result<Instant, AskError> {
        let now = Instant::now();
        let mut state = self.state();
        let time = state.next.map_or(now, |next| next.max(now));
        let too_long = Some(time.saturating_duration_since(now)).filter(|wait| *wait > max_wait);
        if let Some(wait) = remaining(state.retry_at, now).or(too_long) {
            return Err(AskError::Status {
                code: 429,
                retry_after: Some(wait),
            });
        }
        state.next = Some(time + state.interval);
        Ok(time)
    }

    /// Takes the turn of a reserved time, or returns the remaining wait. A delayed request can meet
    /// the time of the next one, and a response can demand a pause after the reservation.
    fn take_turn(&self, reserved: Instant) -> Option<Duration> {
        let now = Instant::now();
        let mut state = self.state();
        let free = [Some(reserved), state.not_before, state.retry_at];
        let wait = remaining(free.into_iter().flatten().max(), now);
        if wait.is_none() {
            state.not_before = Some(now + state.interval);
        }
        wait
    }

    /// Waits for the turn of a reserved time.
    pub(super) fn wait(
        &self,
        reserved: Instant,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<(), AskError> {
        loop {
            if is_stopped() {
                return Err(AskError::Stopped);
            }
            match self.take_turn(reserved) {
                Some(wait) => thread::sleep(wait.min(STOP_CHECK)),
                None => return Ok(()),
            }
        }
    }

    /// Returns the remaining pause.
    pub(super) fn pause(&self) -> Option<Duration> {
        remaining(self.state().retry_at, Instant::now())
    }

    /// Returns the times that a restart must not shorten. `next` is absent if a restart takes longer
    /// in any case.
    pub(super) fn remaining(&self) -> Remaining {
        let now = Instant::now();
        let state = self.state();
        let next = remaining(state.next, now);
        Remaining {
            next: next.filter(|time| *time >= SHORTEST_RESTART),
            pause: remaining(state.retry_at, now),
        }
    }

    /// Records a response. Returns `true` if it demands a pause.
    pub(super) fn record(&self, response: &Result<Response, AskError>) -> bool {
        if let Err(AskError::Status {
            code: 429 | 503,
            retry_after: Some(time),
        }) = response
        {
            self.retry_after(*time);
            return true;
        }
        false
    }

    /// Applies a `Retry-After` of the host.
    fn retry_after(&self, time: Duration) {
        let time = time.min(LONGEST_RETRY_AFTER);
        let until = Instant::now() + time;
        let mut state = self.state();
        if time > LONGEST_WAIT {
            state.retry_at = Some(until);
        } else {
            state.next = Some(state.next.map_or(until, |next| next.max(until)));
            state.not_before = Some(state.not_before.map_or(until, |time| time.max(until)));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Times: a panic cannot leave them half written.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn interval(pace: RateLimit) -> Duration {
    Duration::from_secs_f64(SLACK / pace.per_second.max(0.001))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX_WAIT: Duration = Duration::from_mins(5);

    fn limiter(per_second: f64) -> RateLimiter {
        RateLimiter::new(RateLimit { per_second }, Remaining::default())
    }

    #[test]
    fn reserved_times_keep_the_interval() {
        let limiter = limiter(4.0);
        let times: Vec<Instant> = (0..9)
            .map(|_| limiter.reserve(MAX_WAIT).expect("a time"))
            .collect();
        for pair in times.windows(2) {
            assert!(pair[1] - pair[0] >= Duration::from_millis(250));
        }
        // No second has more than four of them.
        for five in times.windows(5) {
            assert!(five[4] - five[0] > Duration::from_secs(1));
        }
    }

    #[test]
    fn delayed_requests_keep_the_interval() {
        let limiter = limiter(1.0);
        let first = limiter.reserve(MAX_WAIT).expect("a time");
        let second = limiter.reserve(MAX_WAIT).expect("a time");
        assert!(second > first);
        // Both times have passed, because a slow disk delayed the requests.
        let past = Instant::now();
        assert_eq!(limiter.take_turn(past), None);
        let wait = limiter.take_turn(past).expect("a wait");
        assert!(wait > Duration::from_millis(900), "{wait:?}");
    }

    #[test]
    fn demanded_pause_holds_for_reserved_times() {
        let limiter = limiter(100.0);
        let reserved = limiter.reserve(MAX_WAIT).expect("a time");
        limiter.retry_after(Duration::from_secs(30));
        let wait = limiter.take_turn(reserved).expect("a wait");
        assert!(wait > Duration::from_secs(29), "{wait:?}");
    }

    #[test]
    fn slowest_provider_of_a_host_sets_the_interval() {
        let limiter = limiter(100.0);
        limiter.join(RateLimit { per_second: 2.0 });
        limiter.join(RateLimit { per_second: 50.0 });
        let first = limiter.reserve(MAX_WAIT).expect("a time");
        let second = limiter.reserve(MAX_WAIT).expect("a time");
        assert!(second - first >= Duration::from_millis(500));
    }

    #[test]
    fn short_retry_after_delays_and_long_one_fails() {
        let limiter = limiter(100.0);
        limiter.retry_after(Duration::from_secs(30));
        let time = limiter.reserve(MAX_WAIT).expect("a time");
        assert!(time.saturating_duration_since(Instant::now()) > Duration::from_secs(29));
        assert!(
            limiter.reserve(Duration::from_secs(1)).is_err(),
            "the wait exceeds max_wait"
        );
        limiter.retry_after(Duration::from_hours(1));
        let error = limiter.reserve(MAX_WAIT).expect_err("a pause");
        assert!(error.has_status(429));
        let pause = error.retry_after().expect("a time");
        assert!(pause > Duration::from_mins(59) && pause <= Duration::from_hours(1));
    }

    #[test]
    fn remaining_times_continue_in_a_new_limiter() {
        let slow = RateLimit { per_second: 0.1 };
        let before = RateLimiter::new(slow, Remaining::default());
        before.reserve(MAX_WAIT).expect("a time");
        let after = RateLimiter::new(slow, before.remaining());
        let error = after
            .reserve(Duration::from_secs(1))
            .expect_err("too early");
        assert!(
            error.retry_after() > Some(Duration::from_secs(9)),
            "{error:?}"
        );
        before.retry_after(Duration::from_hours(1));
        let after = RateLimiter::new(slow, before.remaining());
        assert!(after.pause() > Some(Duration::from_mins(59)));
        // A clock that was set back must not pause a host for years.
        let years = Some(Duration::from_hours(24 * 1000));
        let after = RateLimiter::new(
            slow,
            Remaining {
                next: years,
                pause: years,
            },
        );
        assert!(after.pause() <= Some(LONGEST_RETRY_AFTER));
    }

    #[test]
    fn wait_ends_when_job_is_stopped() {
        let time = Instant::now() + Duration::from_secs(50);
        let stopped = limiter(1.0).wait(time, &|| true);
        assert_eq!(stopped, Err(AskError::Stopped));
    }
}

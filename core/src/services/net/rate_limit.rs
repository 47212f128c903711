//! The rate limit of one provider, shared by all workers, and its pauses: `Retry-After`, and
//! exponential back-off while the provider fails.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::{Limits, STOP_CHECK, is_outage};
use crate::registry::provider::{AskError, RateLimit, Response};

/// Longest `Retry-After` for which a request waits. During a longer one, requests fail at once.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// Longest pause that `Retry-After` can cause.
const LONGEST_RETRY_AFTER: Duration = Duration::from_hours(24);
/// Consecutive failures before the back-off begins.
const MAX_FAILURES: u32 = 5;
/// First pause of the back-off; each further failure doubles it.
const FIRST_BACKOFF: Duration = Duration::from_mins(1);
const LONGEST_BACKOFF: Duration = Duration::from_hours(6);
/// Factor of the interval between requests: network delays can shorten the interval that the
/// provider sees.
const SLACK: f64 = 1.05;

/// Rate limit and back-off of one provider.
#[derive(Debug)]
pub(super) struct RateLimiter {
    interval: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Time at which the next request may be sent.
    next: Option<Instant>,
    /// End of the pause that the provider demanded.
    retry_at: Option<Instant>,
    /// Consecutive failures.
    failures: u32,
    /// End of the back-off.
    backoff_until: Option<Instant>,
}

fn remaining(until: Option<Instant>, now: Instant) -> Option<Duration> {
    let time = until?.saturating_duration_since(now);
    (!time.is_zero()).then_some(time)
}

impl RateLimiter {
    pub(super) fn new(pace: RateLimit) -> Self {
        Self {
            interval: Duration::from_secs_f64(SLACK / pace.per_second.max(0.001)),
            state: Mutex::default(),
        }
    }

    /// Waits until the request may be sent.
    pub(super) fn wait(&self, limits: &Limits<'_>) -> Result<(), AskError> {
        let time = self.reserve(limits.max_wait, limits.is_interactive)?;
        loop {
            if (limits.is_stopped)() {
                return Err(AskError::Stopped);
            }
            let wait = time.saturating_duration_since(Instant::now());
            if wait.is_zero() {
                return Ok(());
            }
            thread::sleep(wait.min(STOP_CHECK));
        }
    }

    /// Reserves the next free time; fails if it is later than `max_wait`.
    fn reserve(&self, max_wait: Duration, is_interactive: bool) -> Result<Instant, AskError> {
        let now = Instant::now();
        let mut state = self.state();
        let backoff = remaining(state.backoff_until, now).filter(|_| !is_interactive);
        let pause = remaining(state.retry_at, now).max(backoff);
        let time = state.next.map_or(now, |next| next.max(now));
        let too_long = Some(time.saturating_duration_since(now)).filter(|wait| *wait > max_wait);
        if let Some(wait) = pause.or(too_long) {
            return Err(AskError::Status {
                code: 429,
                retry_after: Some(wait),
            });
        }
        state.next = Some(time + self.interval);
        Ok(time)
    }

    /// Returns the remaining pause or back-off.
    pub(super) fn pause(&self) -> Option<Duration> {
        let now = Instant::now();
        let state = self.state();
        remaining(state.retry_at, now).max(remaining(state.backoff_until, now))
    }

    /// Ends the back-off; the next failure continues it.
    pub(super) fn reset_backoff(&self) {
        self.state().backoff_until = None;
    }

    /// Records a response: it begins, extends or ends pauses.
    pub(super) fn record(&self, response: &Result<Response, AskError>) {
        match response {
            Err(AskError::Stopped) => return,
            Err(error) if is_outage(error) => self.count_failure(),
            _ => {
                let mut state = self.state();
                state.failures = 0;
                state.backoff_until = None;
            }
        }
        if let Err(AskError::Status {
            code: 429 | 503,
            retry_after: Some(time),
        }) = response
        {
            self.retry_after(*time);
        }
    }

    fn count_failure(&self) {
        let mut state = self.state();
        state.failures = state.failures.saturating_add(1);
        let Some(excess) = state.failures.checked_sub(MAX_FAILURES) else {
            return;
        };
        let pause = FIRST_BACKOFF.saturating_mul(2_u32.saturating_pow(excess));
        state.backoff_until = Some(Instant::now() + pause.min(LONGEST_BACKOFF));
    }

    /// Applies a `Retry-After` of the provider.
    fn retry_after(&self, time: Duration) {
        let time = time.min(LONGEST_RETRY_AFTER);
        let until = Instant::now() + time;
        let mut state = self.state();
        if time > LONGEST_WAIT {
            state.retry_at = Some(until);
        } else {
            state.next = Some(state.next.map_or(until, |next| next.max(until)));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Times and a count: a panic cannot leave them half written.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX_WAIT: Duration = Duration::from_mins(5);

    #[test]
    fn reserved_times_keep_the_interval() {
        let limiter = RateLimiter::new(RateLimit { per_second: 4.0 });
        let times: Vec<Instant> = (0..9)
            .map(|_| limiter.reserve(MAX_WAIT, false).expect("a time"))
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
    fn short_retry_after_delays_and_long_one_fails() {
        let limiter = RateLimiter::new(RateLimit { per_second: 100.0 });
        limiter.retry_after(Duration::from_secs(30));
        let time = limiter.reserve(MAX_WAIT, false).expect("a time");
        assert!(time.saturating_duration_since(Instant::now()) > Duration::from_secs(29));
        assert!(
            limiter.reserve(Duration::from_secs(1), true).is_err(),
            "the wait exceeds max_wait"
        );
        limiter.retry_after(Duration::from_hours(1));
        let error = limiter.reserve(MAX_WAIT, false).expect_err("a pause");
        assert!(error.has_status(429));
        let pause = error.retry_after().expect("a time");
        assert!(pause > Duration::from_mins(59) && pause <= Duration::from_hours(1));
    }

    #[test]
    fn wait_ends_when_job_is_stopped() {
        let limiter = RateLimiter::new(RateLimit { per_second: 100.0 });
        limiter.retry_after(Duration::from_secs(50));
        let limits = Limits {
            body: 0,
            max_wait: MAX_WAIT,
            is_interactive: false,
            is_stopped: &|| true,
        };
        assert_eq!(limiter.wait(&limits), Err(AskError::Stopped));
    }

    #[test]
    fn repeated_failures_double_the_backoff() {
        let limiter = RateLimiter::new(RateLimit { per_second: 100.0 });
        let status = |code| {
            Err(AskError::Status {
                code,
                retry_after: None,
            })
        };
        let response = Response {
            status: 200,
            content_type: String::new(),
            body: Vec::new(),
        };
        for failure in [
            status(429),
            status(401),
            Err(AskError::Timeout),
            status(502),
        ] {
            limiter.record(&failure);
            limiter.record(&Err(AskError::Stopped));
            assert_eq!(limiter.pause(), None, "few failures cause no pause");
        }
        let mut before = Duration::ZERO;
        for _ in 0..12 {
            limiter.record(&Err(AskError::Network("gone".to_owned())));
            let pause = limiter.pause().expect("a back-off");
            assert!(pause > before && pause <= LONGEST_BACKOFF, "{pause:?}");
            assert!(pause >= FIRST_BACKOFF.saturating_sub(Duration::from_secs(1)));
            before = pause.min(LONGEST_BACKOFF.saturating_sub(Duration::from_secs(10)));
        }
        let error = limiter.reserve(MAX_WAIT, false).expect_err("a pause");
        assert!(
            error.retry_after() > Some(Duration::from_hours(5)),
            "{error:?}"
        );
        assert!(
            limiter.reserve(MAX_WAIT, true).is_ok(),
            "an interactive request is sent"
        );
        limiter.reset_backoff();
        assert_eq!(limiter.pause(), None);
        limiter.record(&Err(AskError::Timeout));
        assert!(
            limiter.pause() > Some(Duration::from_hours(5)),
            "the back-off continues"
        );
        limiter.record(&Ok(response));
        assert_eq!(limiter.pause(), None);
        limiter.record(&Err(AskError::Timeout));
        assert_eq!(limiter.pause(), None, "failures are counted from zero");
    }

    #[test]
    fn errors_of_single_requests_cause_no_backoff() {
        let limiter = RateLimiter::new(RateLimit { per_second: 100.0 });
        for _ in 0..20 {
            for error in [
                AskError::TooLarge,
                AskError::Malformed("x".to_owned()),
                AskError::Refused("x".to_owned()),
                AskError::Status {
                    code: 404,
                    retry_after: None,
                },
            ] {
                limiter.record(&Err(error));
            }
        }
        assert_eq!(limiter.pause(), None);
    }
}

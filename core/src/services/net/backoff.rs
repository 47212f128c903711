//! Exponential back-off of one provider while it fails.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::is_outage;
use super::rate_limit::remaining;
use crate::registry::provider::{AskError, Response};

/// Consecutive failures before the back-off begins.
const MAX_FAILURES: u32 = 5;
/// First pause of the back-off; each further failure doubles it.
const FIRST_BACKOFF: Duration = Duration::from_mins(1);
const LONGEST_BACKOFF: Duration = Duration::from_hours(6);

/// Back-off of one provider.
#[derive(Debug, Default)]
pub(super) struct Backoff(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Consecutive failures.
    failures: u32,
    /// End of the back-off.
    until: Option<Instant>,
}

impl Backoff {
    /// Fails during the back-off, unless a user waits for the response.
    pub(super) fn check(&self, is_interactive: bool) -> Result<(), AskError> {
        match self.pause().filter(|_| !is_interactive) {
            None => Ok(()),
            retry_after => Err(AskError::Status {
                code: 429,
                retry_after,
            }),
        }
    }

    /// Returns the remaining back-off.
    pub(super) fn pause(&self) -> Option<Duration> {
        remaining(self.state().until, Instant::now())
    }

    /// Ends the back-off; the next failure continues it.
    pub(super) fn reset(&self) {
        self.state().until = None;
    }

    /// Records a response: it begins, extends or ends the back-off.
    pub(super) fn record(&self, response: &Result<Response, AskError>) {
        match response {
            Err(AskError::Stopped) => {}
            Err(error) if is_outage(error) => self.count_failure(),
            _ => *self.state() = State::default(),
        }
    }

    fn count_failure(&self) {
        let mut state = self.state();
        state.failures = state.failures.saturating_add(1);
        let Some(excess) = state.failures.checked_sub(MAX_FAILURES) else {
            return;
        };
        let pause = FIRST_BACKOFF.saturating_mul(2_u32.saturating_pow(excess));
        state.until = Some(Instant::now() + pause.min(LONGEST_BACKOFF));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A time and a count: a panic cannot leave them half written.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_failures_double_the_backoff() {
        let backoff = Backoff::default();
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
            backoff.record(&failure);
            backoff.record(&Err(AskError::Stopped));
            assert_eq!(backoff.pause(), None, "few failures cause no pause");
        }
        let mut before = Duration::ZERO;
        for _ in 0..12 {
            backoff.record(&Err(AskError::Network("gone".to_owned())));
            let pause = backoff.pause().expect("a back-off");
            assert!(pause > before && pause <= LONGEST_BACKOFF, "{pause:?}");
            assert!(pause >= FIRST_BACKOFF.saturating_sub(Duration::from_secs(1)));
            before = pause.min(LONGEST_BACKOFF.saturating_sub(Duration::from_secs(10)));
        }
        let error = backoff.check(false).expect_err("a pause");
        assert!(
            error.retry_after() > Some(Duration::from_hours(5)),
            "{error:?}"
        );
        assert!(
            backoff.check(true).is_ok(),
            "an interactive request is sent"
        );
        backoff.reset();
        assert_eq!(backoff.pause(), None);
        backoff.record(&Err(AskError::Timeout));
        assert!(
            backoff.pause() > Some(Duration::from_hours(5)),
            "the back-off continues"
        );
        backoff.record(&Ok(response));
        assert_eq!(backoff.pause(), None);
        backoff.record(&Err(AskError::Timeout));
        assert_eq!(backoff.pause(), None, "failures are counted from zero");
    }

    #[test]
    fn errors_of_single_requests_cause_no_backoff() {
        let backoff = Backoff::default();
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
                backoff.record(&Err(error));
            }
        }
        assert_eq!(backoff.pause(), None);
    }
}

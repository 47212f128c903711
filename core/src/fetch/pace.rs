//! How often a provider is asked, by all workers together, and how long it is left alone: as long
//! as it wishes, and longer and longer while it cannot be reached.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::Bounds;
use crate::registry::provider::{AskError, Pace, Response};

/// A wish to be left alone up to this long is waited for; for a longer one the work goes on
/// without the provider.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// However long a provider says.
const LONGEST_REST: Duration = Duration::from_hours(24);
/// After so many failures in a row a provider is out of reach.
const MOST_FAILURES: u32 = 5;
/// How long it is left alone then; each further failure doubles it.
const FIRST_PAUSE: Duration = Duration::from_mins(1);
const LONGEST_PAUSE: Duration = Duration::from_hours(6);
/// How often one who waits looks whether the work was stopped.
const LOOK: Duration = Duration::from_millis(50);
/// The gaps are a little wider than the pace asks: those of a network are not even.
const SLACK: f64 = 1.05;

/// Keeps the pace of one provider.
#[derive(Debug)]
pub(super) struct Keeper {
    gap: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// When the next request may leave.
    next: Option<Instant>,
    /// Until when none is sent at all, as the provider wishes.
    rests_until: Option<Instant>,
    /// Failures in a row.
    failures: u32,
    /// Until when it is taken to be out of reach.
    out_of_reach_until: Option<Instant>,
}

fn left(until: Option<Instant>, now: Instant) -> Option<Duration> {
    let left = until?.saturating_duration_since(now);
    (!left.is_zero()).then_some(left)
}

impl Keeper {
    pub(super) fn new(pace: Pace) -> Self {
        Self {
            gap: Duration::from_secs_f64(SLACK / pace.per_second.max(0.001)),
            state: Mutex::default(),
        }
    }

    /// Waits for a turn, as long as there is patience.
    pub(super) fn wait(&self, bounds: &Bounds<'_>) -> Result<(), AskError> {
        let turn = self.take_turn(bounds.patience, bounds.is_awaited)?;
        loop {
            if (bounds.is_stopped)() {
                return Err(AskError::Stopped);
            }
            let left = turn.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            thread::sleep(left.min(LOOK));
        }
    }

    fn take_turn(&self, patience: Duration, is_awaited: bool) -> Result<Instant, AskError> {
        let now = Instant::now();
        let mut state = self.state();
        let out_of_reach = left(state.out_of_reach_until, now).filter(|_| !is_awaited);
        let rest = left(state.rests_until, now).max(out_of_reach);
        let turn = state.next.map_or(now, |next| next.max(now));
        let too_long = Some(turn.saturating_duration_since(now)).filter(|wait| *wait > patience);
        if let Some(wait) = rest.or(too_long) {
            return Err(AskError::Status {
                code: 429,
                retry_after: Some(wait),
            });
        }
        state.next = Some(turn + self.gap);
        Ok(turn)
    }

    /// How long it is to be left alone.
    pub(super) fn rests(&self) -> Option<Duration> {
        let now = Instant::now();
        let state = self.state();
        left(state.rests_until, now).max(left(state.out_of_reach_until, now))
    }

    /// It may be in reach again: the next request tells.
    pub(super) fn hope(&self) {
        self.state().out_of_reach_until = None;
    }

    /// What an answer tells of the provider itself.
    pub(super) fn learn(&self, answer: &Result<Response, AskError>) {
        match answer {
            Err(AskError::Stopped) => return,
            Err(error) if is_outage(error) => self.count_failure(),
            _ => {
                let mut state = self.state();
                state.failures = 0;
                state.out_of_reach_until = None;
            }
        }
        if let Err(AskError::Status {
            code: 429 | 503,
            retry_after: Some(time),
        }) = answer
        {
            self.rest(*time);
        }
    }

    fn count_failure(&self) {
        let mut state = self.state();
        state.failures = state.failures.saturating_add(1);
        let Some(beyond) = state.failures.checked_sub(MOST_FAILURES) else {
            return;
        };
        let pause = FIRST_PAUSE.saturating_mul(2_u32.saturating_pow(beyond));
        state.out_of_reach_until = Some(Instant::now() + pause.min(LONGEST_PAUSE));
    }

    /// The provider wants to be left alone.
    fn rest(&self, time: Duration) {
        let time = time.min(LONGEST_REST);
        let until = Instant::now() + time;
        let mut state = self.state();
        if time > LONGEST_WAIT {
            state.rests_until = Some(until);
        } else {
            state.next = Some(state.next.map_or(until, |next| next.max(until)));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Times and a count: no panic can leave them half written.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a failure is the provider's, and not that of one question: out of reach, overloaded, or
/// it takes no questions from us.
pub(crate) fn is_outage(error: &AskError) -> bool {
    match error {
        AskError::Network(_) | AskError::Timeout => true,
        AskError::Status { code, .. } => matches!(code, 401 | 403 | 407 | 408 | 429 | 500..),
        AskError::Malformed(_) | AskError::TooLarge | AskError::Refused(_) | AskError::Stopped => {
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_mins(5);

    #[test]
    fn turns_are_evenly_spaced_whoever_takes_them() {
        let keeper = Keeper::new(Pace { per_second: 4.0 });
        let turns: Vec<Instant> = (0..9)
            .map(|_| keeper.take_turn(PATIENCE, false).expect("a turn"))
            .collect();
        for pair in turns.windows(2) {
            assert!(pair[1] - pair[0] >= Duration::from_millis(250));
        }
        // No second has more than four of them.
        for five in turns.windows(5) {
            assert!(five[4] - five[0] > Duration::from_secs(1));
        }
    }

    #[test]
    fn a_short_rest_is_waited_for_and_a_long_one_is_not() {
        let keeper = Keeper::new(Pace { per_second: 100.0 });
        keeper.rest(Duration::from_secs(30));
        let turn = keeper.take_turn(PATIENCE, false).expect("a turn");
        assert!(turn.saturating_duration_since(Instant::now()) > Duration::from_secs(29));
        assert!(
            keeper.take_turn(Duration::from_secs(1), true).is_err(),
            "who is impatient does not wait"
        );
        keeper.rest(Duration::from_hours(1));
        let error = keeper.take_turn(PATIENCE, false).expect_err("it rests");
        assert!(error.has_status(429));
        let rest = error.retry_after().expect("a time");
        assert!(rest > Duration::from_mins(59) && rest <= Duration::from_hours(1));
    }

    #[test]
    fn who_is_stopped_waits_no_longer() {
        let keeper = Keeper::new(Pace { per_second: 100.0 });
        keeper.rest(Duration::from_secs(50));
        let bounds = Bounds {
            body: 0,
            patience: PATIENCE,
            is_awaited: false,
            is_stopped: &|| true,
        };
        assert_eq!(keeper.wait(&bounds), Err(AskError::Stopped));
    }

    #[test]
    fn who_fails_again_and_again_is_left_alone_longer_and_longer() {
        let keeper = Keeper::new(Pace { per_second: 100.0 });
        let status = |code| {
            Err(AskError::Status {
                code,
                retry_after: None,
            })
        };
        let answer = Response {
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
            keeper.learn(&failure);
            keeper.learn(&Err(AskError::Stopped));
            assert_eq!(keeper.rests(), None, "a few failures are nothing");
        }
        let mut before = Duration::ZERO;
        for _ in 0..12 {
            keeper.learn(&Err(AskError::Network("gone".to_owned())));
            let rest = keeper.rests().expect("it is left alone");
            assert!(rest > before && rest <= LONGEST_PAUSE, "{rest:?}");
            assert!(rest >= FIRST_PAUSE.saturating_sub(Duration::from_secs(1)));
            before = rest.min(LONGEST_PAUSE.saturating_sub(Duration::from_secs(10)));
        }
        let error = keeper.take_turn(PATIENCE, false).expect_err("it rests");
        assert!(
            error.retry_after() > Some(Duration::from_hours(5)),
            "{error:?}"
        );
        assert!(
            keeper.take_turn(PATIENCE, true).is_ok(),
            "whoever looks on may try"
        );
        keeper.hope();
        assert_eq!(keeper.rests(), None);
        keeper.learn(&Err(AskError::Timeout));
        assert!(keeper.rests() > Some(Duration::from_hours(5)), "in vain");
        keeper.learn(&Ok(answer));
        assert_eq!(keeper.rests(), None);
        keeper.learn(&Err(AskError::Timeout));
        assert_eq!(keeper.rests(), None, "it is counted anew");
    }

    #[test]
    fn what_one_question_brings_upon_itself_says_nothing_of_the_provider() {
        let keeper = Keeper::new(Pace { per_second: 100.0 });
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
                keeper.learn(&Err(error));
            }
        }
        assert_eq!(keeper.rests(), None);
    }
}

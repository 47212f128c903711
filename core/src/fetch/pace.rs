//! How often a provider is asked, by all workers together, and how long it is left alone.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::registry::provider::{AskError, Pace};

/// A wish to be left alone up to this long is waited for; for a longer one the work goes on
/// without the provider.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// However long a provider says.
const LONGEST_REST: Duration = Duration::from_hours(24);
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
    /// Until when none is sent at all.
    rests_until: Option<Instant>,
}

impl Keeper {
    pub(super) fn new(pace: Pace) -> Self {
        Self {
            gap: Duration::from_secs_f64(SLACK / pace.per_second.max(0.001)),
            state: Mutex::default(),
        }
    }

    /// Waits for a turn, `patience` at most.
    pub(super) fn wait(
        &self,
        patience: Duration,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<(), AskError> {
        let turn = self.take_turn(patience)?;
        loop {
            if is_stopped() {
                return Err(AskError::Stopped);
            }
            let left = turn.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            thread::sleep(left.min(LOOK));
        }
    }

    fn take_turn(&self, patience: Duration) -> Result<Instant, AskError> {
        let now = Instant::now();
        let mut state = self.state();
        let rest = state
            .rests_until
            .map(|until| until.saturating_duration_since(now))
            .filter(|left| !left.is_zero());
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

    /// The provider wants to be left alone.
    pub(super) fn rest(&self, time: Duration) {
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
        // Two times: no panic can leave them half written.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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
            .map(|_| keeper.take_turn(PATIENCE).expect("a turn"))
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
        let turn = keeper.take_turn(PATIENCE).expect("a turn");
        assert!(turn.saturating_duration_since(Instant::now()) > Duration::from_secs(29));
        assert!(
            keeper.take_turn(Duration::from_secs(1)).is_err(),
            "who is impatient does not wait"
        );
        keeper.rest(Duration::from_hours(1));
        let error = keeper.take_turn(PATIENCE).expect_err("it rests");
        assert!(error.has_status(429));
        let rest = error.retry_after().expect("a time");
        assert!(rest > Duration::from_mins(59) && rest <= Duration::from_hours(1));
    }

    #[test]
    fn who_is_stopped_waits_no_longer() {
        let keeper = Keeper::new(Pace { per_second: 100.0 });
        keeper.rest(Duration::from_secs(50));
        assert_eq!(keeper.wait(PATIENCE, &|| true), Err(AskError::Stopped));
    }
}

//! Against guessing: after five failures within a quarter of an hour a name is closed to an
//! address, for longer with each further one.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ledge_core::Timestamp;
use ledge_core::store::user::username_key;

/// Failures that are forgotten after this do not count together.
const WINDOW: Duration = Duration::from_mins(15);
/// Failures that are free.
const FREE: usize = 5;
/// Wait after the fifth failure; each further one doubles it.
const FIRST_DELAY: Duration = Duration::from_secs(30);
/// How far a failure may lie ahead: requests overtake each other.
const SLACK: Duration = Duration::from_mins(1);
/// Pairs of name and address that are remembered.
const CAPACITY: usize = 10_000;

/// Name and address, as a keyed hash: however long the name, it takes eight bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key(u64);

/// The failures of the last quarter of an hour.
#[derive(Debug, Default)]
pub(crate) struct Throttle {
    hasher: RandomState,
    failures: Mutex<HashMap<Key, Failures>>,
}

#[derive(Debug, Clone, Default)]
struct Failures {
    /// When they happened, oldest first; never longer than what the window lets through.
    times: Vec<Timestamp>,
}

impl Failures {
    /// What is long ago, and what a clock that has been set back since said: it would close the
    /// name until that time has come.
    fn forget(&mut self, now: Timestamp) {
        let soon = now.plus(SLACK);
        self.times
            .retain(|time| *time <= soon && now.since(*time) < WINDOW);
    }

    fn closed_until(&self) -> Option<Timestamp> {
        let extra = self.times.len().checked_sub(FREE)?;
        let doublings = u32::try_from(extra).unwrap_or(u32::MAX).min(10);
        let last = self.times.last()?;
        Some(last.plus((FIRST_DELAY * 2_u32.pow(doublings)).min(WINDOW)))
    }
}

impl Throttle {
    /// The pair of a name and an address. Of an IPv6 address its network counts: a home has
    /// 2⁶⁴ of them.
    pub(crate) fn key(&self, username: &str, address: IpAddr) -> Key {
        let address = match address.to_canonical() {
            IpAddr::V6(v6) => IpAddr::V6((v6.to_bits() & (u128::MAX << 64)).into()),
            v4 @ IpAddr::V4(_) => v4,
        };
        Key(self.hasher.hash_one((username_key(username), address)))
    }

    /// Whether another attempt may be made, or how many seconds to wait for it.
    pub(crate) fn admit(&self, key: Key, now: Timestamp) -> Result<(), u64> {
        let mut failures = self.failures();
        let Some(of_key) = failures.get_mut(&key) else {
            return Ok(());
        };
        of_key.forget(now);
        match of_key.closed_until() {
            Some(end) if end > now => {
                let wait = end.since(now);
                Err(wait.as_secs() + u64::from(wait.subsec_nanos() > 0))
            }
            _ => Ok(()),
        }
    }

    /// Writes down how an attempt ended: a success wipes the slate.
    pub(crate) fn record(&self, key: Key, success: bool, now: Timestamp) {
        let mut failures = self.failures();
        if success {
            failures.remove(&key);
            return;
        }
        if failures.len() >= CAPACITY && !failures.contains_key(&key) {
            make_room(&mut failures, now);
        }
        let of_key = failures.entry(key).or_default();
        of_key.forget(now);
        of_key.times.push(now);
    }

    fn failures(&self) -> MutexGuard<'_, HashMap<Key, Failures>> {
        // Plain counters: no panic can leave them half written.
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Drops what is over; where that is nothing, the pair that matters least: a flood of invented
/// names, one failure each, must not wash away a name that is being guessed at.
fn make_room(failures: &mut HashMap<Key, Failures>, now: Timestamp) {
    failures.retain(|_, of_key| {
        of_key.forget(now);
        !of_key.times.is_empty()
    });
    if failures.len() < CAPACITY {
        return;
    }
    let least = failures
        .iter()
        .min_by_key(|(_, of_key)| (of_key.times.len(), of_key.times.last().copied()))
        .map(|(key, _)| *key);
    if let Some(key) = least {
        failures.remove(&key);
    }
}

#[cfg(test)]
mod tests {
    use ledge_core::clock::Clock;

    use super::*;

    const HOME: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));

    fn start() -> Timestamp {
        Timestamp::from_micros(1_800_000_000_000_000)
    }

    #[test]
    fn the_sixth_attempt_waits_and_each_further_one_longer() {
        let (clock, hand) = Clock::manual(start());
        let throttle = Throttle::default();
        let key = throttle.key("mia", HOME);
        for _ in 0..5 {
            assert_eq!(throttle.admit(key, clock.now()), Ok(()));
            throttle.record(key, false, clock.now());
        }
        assert_eq!(throttle.admit(key, clock.now()), Err(30));
        hand.advance(Duration::from_millis(29_500));
        assert_eq!(throttle.admit(key, clock.now()), Err(1));
        hand.advance(Duration::from_millis(500));
        assert_eq!(throttle.admit(key, clock.now()), Ok(()));
        throttle.record(key, false, clock.now());
        assert_eq!(throttle.admit(key, clock.now()), Err(60));
    }

    #[test]
    fn five_failures_over_more_than_a_quarter_of_an_hour_are_free() {
        let (clock, hand) = Clock::manual(start());
        let throttle = Throttle::default();
        let key = throttle.key("mia", HOME);
        for _ in 0..20 {
            assert_eq!(throttle.admit(key, clock.now()), Ok(()));
            throttle.record(key, false, clock.now());
            hand.advance(Duration::from_mins(4));
        }
    }

    #[test]
    fn a_clock_that_was_set_back_closes_no_name_for_longer() {
        let (clock, hand) = Clock::manual(start());
        let throttle = Throttle::default();
        let key = throttle.key("mia", HOME);
        for _ in 0..9 {
            throttle.record(key, false, clock.now());
        }
        // By little steps it is put right all the time, and opens nothing.
        hand.set_back(Duration::from_secs(5));
        assert!(throttle.admit(key, clock.now()).is_err());
        hand.set_back(Duration::from_hours(24));
        assert_eq!(throttle.admit(key, clock.now()), Ok(()));
    }

    #[test]
    fn a_success_wipes_the_slate() {
        let throttle = Throttle::default();
        let key = throttle.key("mia", HOME);
        for success in [false, false, false, false, true, false, false, false, false] {
            throttle.record(key, success, start());
        }
        assert_eq!(throttle.admit(key, start()), Ok(()));
    }

    #[test]
    fn names_are_compared_like_those_of_users_and_ipv6_by_network() {
        let throttle = Throttle::default();
        let v6 = |text: &str| text.parse::<IpAddr>().expect("an address");
        let key = throttle.key("Mia", v6("2001:db8::1"));
        assert_eq!(key, throttle.key(" mIA ", v6("2001:db8::ffff:2")));
        assert_ne!(key, throttle.key("mia", v6("2001:db8:0:1::1")));
        assert_ne!(key, throttle.key("max", v6("2001:db8::1")));
        assert_ne!(key, throttle.key("mia", HOME));
        assert_eq!(
            throttle.key("mia", v6("::ffff:192.0.2.1")),
            throttle.key("mia", HOME)
        );
    }

    #[test]
    fn a_flood_of_names_takes_bounded_memory_and_opens_nothing() {
        let throttle = Throttle::default();
        let target = throttle.key("mia", HOME);
        for _ in 0..5 {
            throttle.record(target, false, start());
        }
        for n in 0..CAPACITY + 10 {
            let key = throttle.key(&format!("invented-{n}"), HOME);
            throttle.record(key, false, start());
        }
        assert_eq!(throttle.failures().len(), CAPACITY);
        assert!(throttle.admit(target, start()).is_err());
    }
}

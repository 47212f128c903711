//! Limits of password checks, per username and client, and per client.
//!
//! | password checks | answer |
//! |---|---|
//! | 5 wrong for a username from a client within 15 minutes | 429 for 30 s, doubled with each further one |
//! | 100 wrong from a client, less one every 9 s | 429 until the next 9 s are over |
//! | 300 correct for a username from a client, less 4 per second | 429 for a second |
//!
//! The second limit does not apply to a username that has signed in from the same client before: a
//! household shares an address, and one of its devices must not lock out the others. The third limit bounds the CPU time that a user
//! can spend on hashes.

mod buckets;

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ledge_core::Timestamp;
use ledge_core::id::UserId;
use ledge_core::store::account::user::username_key;

use super::hasher::{HashRequest, Lane, Rank};
use super::{Client, ClientNetwork};
use buckets::{Buckets, Limit};

/// Time after which a failure is forgotten.
const WINDOW: Duration = Duration::from_mins(15);
/// Number of failures without a delay.
const FREE: usize = 5;
/// Delay after the fifth failure; each further failure doubles it.
const FIRST_DELAY: Duration = Duration::from_secs(30);
/// Tolerance for failures in the future, because requests may overtake each other.
const SLACK: Duration = Duration::from_mins(1);
/// Limit of entries per table.
const CAPACITY: usize = 10_000;

/// Limit of wrong passwords per client, over all usernames: 100 in 15 minutes. A household with
/// several devices with an old password stays below it.
const WRONG: Limit = Limit {
    burst: 100,
    leak: Duration::from_secs(9),
};
/// Limit of correct passwords per username and client. Scripts that log in for each request stay
/// below it.
const CORRECT: Limit = Limit {
    burst: 300,
    leak: Duration::from_millis(250),
};

/// Keyed hash of username and network; eight bytes for names of any length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key(u64);

/// State of all limits.
#[derive(Debug)]
pub(crate) struct Throttle {
    hasher: RandomState,
    failures: Mutex<HashMap<Key, Failures>>,
    wrong: Mutex<Buckets<ClientNetwork>>,
    correct: Mutex<Buckets<Key>>,
    /// Pairs of username and network that have logged in since the server started, with the time of
    /// the last login.
    familiar: Mutex<HashMap<Key, Timestamp>>,
}

/// An attempt to log in or to confirm a password.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attempt {
    key: Key,
    /// Lane of the username if it is familiar.
    account: Lane,
    network: ClientNetwork,
    /// `true` for a proxy that does not name its clients. It represents many clients, so it has no
    /// limit.
    is_proxy: bool,
    signed_in: Option<UserId>,
}

#[derive(Debug, Clone, Default)]
struct Failures {
    /// Times of the failures, oldest first.
    times: Vec<Timestamp>,
}

impl Failures {
    /// Removes failures that are too old. It also removes failures in the future: after the clock
    /// was set back, they would block the name until that time.
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

impl Default for Throttle {
    fn default() -> Self {
        Self {
            hasher: RandomState::new(),
            failures: Mutex::default(),
            wrong: Mutex::new(Buckets::new(WRONG)),
            correct: Mutex::new(Buckets::new(CORRECT)),
            familiar: Mutex::default(),
        }
    }
}

impl Throttle {
    /// Describes an attempt of a client for a username, with the session's user if there is one.
    pub(crate) fn attempt(
        &self,
        username: &str,
        client: &Client,
        signed_in: Option<UserId>,
    ) -> Attempt {
        let network = ClientNetwork::from(client.address);
        let username = username_key(username);
        Attempt {
            account: Lane::Account(self.hasher.hash_one(&username)),
            key: Key(self.hasher.hash_one((username, network))),
            network,
            is_proxy: client.is_proxy,
            signed_in,
        }
    }

    /// Returns the request of an attempt for the queue of hashes.
    ///
    /// # Errors
    /// The number of seconds to wait for another attempt.
    pub(crate) fn admit(&self, attempt: &Attempt, now: Timestamp) -> Result<HashRequest, u64> {
        self.admit_key(attempt.key, now)?;
        lock(&self.correct).admit(attempt.key, now)?;
        let request = |lane, rank| HashRequest {
            lane,
            rank,
            network: Some(attempt.network),
        };
        if let Some(user) = attempt.signed_in {
            return Ok(request(Lane::User(user), Rank::TRUSTED));
        }
        if lock(&self.familiar).contains_key(&attempt.key) {
            return Ok(request(attempt.account, Rank::TRUSTED));
        }
        let failures = if attempt.is_proxy {
            0
        } else {
            lock(&self.wrong).admit(attempt.network, now)?
        };
        let lane = Lane::Unfamiliar(attempt.network);
        Ok(request(lane, Rank::of_failures(failures)))
    }

    fn admit_key(&self, key: Key, now: Timestamp) -> Result<(), u64> {
        let mut failures = lock(&self.failures);
        let Some(of_key) = failures.get_mut(&key) else {
            return Ok(());
        };
        of_key.forget(now);
        match of_key.closed_until() {
            Some(end) if end > now => Err(seconds_until(end, now)),
            _ => Ok(()),
        }
    }

    /// Records the result of an attempt. A success clears the failures of the username at the
    /// client. It does not clear those of the client, because an attacker can have an account.
    pub(crate) fn record(&self, attempt: &Attempt, is_success: bool, now: Timestamp) {
        if is_success {
            lock(&self.failures).remove(&attempt.key);
            lock(&self.correct).record(attempt.key, now);
            self.record_familiar(attempt.key, now);
            return;
        }
        self.record_failure(attempt.key, now);
        if attempt.signed_in.is_none() && !attempt.is_proxy {
            lock(&self.wrong).record(attempt.network, now);
        }
    }

    fn record_familiar(&self, key: Key, now: Timestamp) {
        let mut familiar = lock(&self.familiar);
        if familiar.len() >= CAPACITY && !familiar.contains_key(&key) {
            let oldest = familiar.iter().min_by_key(|(_, time)| **time);
            if let Some(oldest) = oldest.map(|(key, _)| *key) {
                familiar.remove(&oldest);
            }
        }
        familiar.insert(key, now);
    }

    fn record_failure(&self, key: Key, now: Timestamp) {
        let mut failures = lock(&self.failures);
        if failures.len() >= CAPACITY && !failures.contains_key(&key) {
            make_room(&mut failures, now);
        }
        let of_key = failures.entry(key).or_default();
        of_key.forget(now);
        of_key.times.push(now);
    }
}

/// Returns the seconds until a later time, rounded up.
fn seconds_until(end: Timestamp, now: Timestamp) -> u64 {
    let wait = end.since(now);
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // The mutex protects plain tables, so a panic cannot leave them inconsistent.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes expired entries or, if there are none, the least important pair. A flood of invented
/// names with one failure each must not displace a name under attack.
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
mod tests;

//! Limits on wrong passwords, for a username at an address and for an address.
//!
//! | wrong passwords | answer |
//! |---|---|
//! | 5 for a username from a client within 15 minutes | 429 for 30 s, doubled with each further one |
//! | 100 from a client, less one every 9 s | 429 until the next 9 s are over |
//!
//! The second limit does not apply to a username that has signed in from the same client before: a
//! household shares an address, and one of its devices must not lock out the others.

mod addresses;

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ledge_core::Timestamp;
use ledge_core::id::UserId;
use ledge_core::store::user::username_key;

use super::hasher::{Lane, Rank};
use super::{Client, ClientNetwork};
use addresses::Addresses;

/// Failures that are forgotten after this do not count together.
const WINDOW: Duration = Duration::from_mins(15);
/// Failures that are free.
const FREE: usize = 5;
/// Wait after the fifth failure; each further one doubles it.
const FIRST_DELAY: Duration = Duration::from_secs(30);
/// How far a failure may lie ahead: requests overtake each other.
const SLACK: Duration = Duration::from_mins(1);
/// Entries of each table that is kept in memory.
const CAPACITY: usize = 10_000;

/// Name and address, as a keyed hash: however long the name, it takes eight bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key(u64);

/// The failures of the last quarter of an hour.
#[derive(Debug, Default)]
pub(crate) struct Throttle {
    hasher: RandomState,
    failures: Mutex<HashMap<Key, Failures>>,
    addresses: Mutex<Addresses>,
    /// Pairs that have signed in since the server started, with the time of the last sign-in.
    familiar: Mutex<HashMap<Key, Timestamp>>,
}

/// An attempt to give the right password.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attempt {
    key: Key,
    network: ClientNetwork,
    /// A proxy that does not name its clients stands for all of them, and has no limit of its own.
    is_proxy: bool,
    signed_in: Option<UserId>,
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
    /// An attempt of a client for a username, in the session of a user if there is one.
    pub(crate) fn attempt(
        &self,
        username: &str,
        client: &Client,
        signed_in: Option<UserId>,
    ) -> Attempt {
        let network = ClientNetwork::from(client.address);
        Attempt {
            key: Key(self.hasher.hash_one((username_key(username), network))),
            network,
            is_proxy: client.is_proxy,
            signed_in,
        }
    }

    /// Returns the lane and rank of an attempt in the queue of hashes.
    ///
    /// # Errors
    /// The number of seconds to wait for another attempt.
    pub(crate) fn admit(&self, attempt: &Attempt, now: Timestamp) -> Result<(Lane, Rank), u64> {
        self.admit_key(attempt.key, now)?;
        if let Some(user) = attempt.signed_in {
            return Ok((Lane::User(user), Rank::TRUSTED));
        }
        if lock(&self.familiar).contains_key(&attempt.key) {
            return Ok((Lane::Familiar(attempt.network), Rank::TRUSTED));
        }
        let lane = Lane::Unfamiliar(attempt.network);
        if attempt.is_proxy {
            return Ok((lane, Rank::of_failures(0)));
        }
        let failures = lock(&self.addresses).admit(attempt.network, now)?;
        Ok((lane, Rank::of_failures(failures)))
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

    /// Records how an attempt ended. A success forgets the failures of the username at the client.
    /// It does not forget those of the address: an attacker can have an account.
    pub(crate) fn record(&self, attempt: &Attempt, is_success: bool, now: Timestamp) {
        if is_success {
            lock(&self.failures).remove(&attempt.key);
            self.record_familiar(attempt.key, now);
            return;
        }
        self.record_failure(attempt.key, now);
        if attempt.signed_in.is_none() && !attempt.is_proxy {
            lock(&self.addresses).record_failure(attempt.network, now);
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
    // Plain tables: no panic can leave them half written.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
mod tests;

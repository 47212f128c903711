//! Wrong passwords per client, whatever the usernames: a bucket that leaks.

use std::collections::HashMap;
use std::time::Duration;

use ledge_core::Timestamp;

use super::{CAPACITY, SLACK, seconds_until};
use crate::session::ClientNetwork;

/// Wrong passwords that a client may give at once. A household with several devices that all have
/// an old password stays below it.
const BURST: u32 = 100;
/// Time after which one wrong password is forgotten: [`BURST`] in 15 minutes.
const LEAK: Duration = Duration::from_secs(9);

/// The clients with wrong passwords.
#[derive(Debug, Default)]
pub(super) struct Addresses(HashMap<ClientNetwork, Bucket>);

/// A bucket, by the time when it will be empty.
#[derive(Debug, Clone, Copy)]
struct Bucket {
    empty_at: Timestamp,
}

impl Bucket {
    /// Returns the wrong passwords that are not forgotten, rounded up. A bucket from a time that
    /// the clock has not reached, because it was set back, is empty.
    fn level(self, now: Timestamp) -> u32 {
        if self.empty_at <= now || self.empty_at > now.plus(LEAK * (BURST + 1) + SLACK) {
            return 0;
        }
        let left = self
            .empty_at
            .since(now)
            .as_millis()
            .div_ceil(LEAK.as_millis());
        u32::try_from(left).unwrap_or(u32::MAX)
    }
}

impl Addresses {
    /// Returns the number of wrong passwords of a client that are not forgotten.
    ///
    /// # Errors
    /// The number of seconds to wait if there are too many.
    pub(super) fn admit(&self, network: ClientNetwork, now: Timestamp) -> Result<u32, u64> {
        let Some(bucket) = self.0.get(&network) else {
            return Ok(0);
        };
        let level = bucket.level(now);
        if level < BURST {
            return Ok(level);
        }
        // One more fits as soon as the level has fallen below the burst.
        let fits_at = bucket.empty_at.minus(LEAK * (BURST - 1));
        Err(seconds_until(fits_at, now).max(1))
    }

    /// Records a wrong password.
    pub(super) fn record_failure(&mut self, network: ClientNetwork, now: Timestamp) {
        if self.0.len() >= CAPACITY && !self.0.contains_key(&network) {
            self.make_room(now);
        }
        let bucket = self.0.entry(network).or_insert(Bucket { empty_at: now });
        let begin = if bucket.level(now) == 0 {
            now
        } else {
            bucket.empty_at
        };
        // Attempts that were under way at the limit do not make it last much longer.
        bucket.empty_at = begin.plus(LEAK).min(now.plus(LEAK * BURST));
    }

    /// Drops the empty buckets or, if there is none, the one with the fewest failures.
    fn make_room(&mut self, now: Timestamp) {
        self.0.retain(|_, bucket| bucket.level(now) > 0);
        if self.0.len() < CAPACITY {
            return;
        }
        let least = self.0.iter().min_by_key(|(_, bucket)| bucket.empty_at);
        if let Some(least) = least.map(|(network, _)| *network) {
            self.0.remove(&least);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    fn start() -> Timestamp {
        Timestamp::from_micros(1_800_000_000_000_000)
    }

    fn network(n: u16) -> ClientNetwork {
        let [high, low] = n.to_be_bytes();
        ClientNetwork::from(IpAddr::from([192, 0, high, low]))
    }

    fn fail(addresses: &mut Addresses, network: ClientNetwork, count: u32) {
        for _ in 0..count {
            addresses.record_failure(network, start());
        }
    }

    #[test]
    fn a_hundred_failures_close_an_address_until_one_is_forgotten() {
        let mut addresses = Addresses::default();
        fail(&mut addresses, network(1), BURST - 1);
        assert_eq!(addresses.admit(network(1), start()), Ok(BURST - 1));
        fail(&mut addresses, network(1), 1);
        assert_eq!(addresses.admit(network(1), start()), Err(9));
        assert_eq!(addresses.admit(network(2), start()), Ok(0));
        let later = |seconds| start().plus(Duration::from_secs(seconds));
        assert_eq!(addresses.admit(network(1), later(8)), Err(1));
        assert_eq!(addresses.admit(network(1), later(9)), Ok(BURST - 1));
        assert_eq!(addresses.admit(network(1), later(899)), Ok(1));
        assert_eq!(addresses.admit(network(1), later(900)), Ok(0));
    }

    #[test]
    fn attempts_beyond_the_limit_do_not_prolong_it() {
        let mut addresses = Addresses::default();
        fail(&mut addresses, network(1), BURST * 10);
        assert_eq!(addresses.admit(network(1), start()), Err(9));
    }

    #[test]
    fn a_clock_that_was_set_back_closes_no_address() {
        let mut addresses = Addresses::default();
        fail(&mut addresses, network(1), BURST);
        let before = start().minus(Duration::from_hours(24));
        assert_eq!(addresses.admit(network(1), before), Ok(0));
    }

    #[test]
    fn a_flood_of_addresses_takes_bounded_memory_and_keeps_the_worst() {
        let mut addresses = Addresses::default();
        fail(&mut addresses, network(0), BURST);
        for n in 1..=u16::try_from(CAPACITY + 10).expect("small") {
            fail(&mut addresses, network(n), 1);
        }
        assert_eq!(addresses.0.len(), CAPACITY);
        assert!(addresses.admit(network(0), start()).is_err());
    }
}

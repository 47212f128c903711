//! Leaky buckets: limits of events per client, with a burst and a steady rate.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::Duration;

use ledge_core::Timestamp;

use super::{CAPACITY, SLACK, seconds_until};

/// Limit of events.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limit {
    /// Number of events in quick succession.
    pub burst: u32,
    /// Time after which one event is forgotten.
    pub leak: Duration,
}

/// Buckets with a common limit.
#[derive(Debug)]
pub(super) struct Buckets<K> {
    limit: Limit,
    buckets: HashMap<K, Bucket>,
}

/// A bucket, represented by the time at which it will be empty.
#[derive(Debug, Clone, Copy)]
struct Bucket {
    empty_at: Timestamp,
}

impl Bucket {
    /// Returns the number of remembered events, rounded up. A bucket with a time in the future,
    /// after the clock was set back, counts as empty.
    fn level(self, limit: Limit, now: Timestamp) -> u32 {
        let Limit { burst, leak } = limit;
        if self.empty_at <= now || self.empty_at > now.plus(leak * (burst + 1) + SLACK) {
            return 0;
        }
        let left = self.empty_at.since(now).as_millis();
        u32::try_from(left.div_ceil(leak.as_millis())).unwrap_or(u32::MAX)
    }
}

impl<K: Copy + Eq + Hash> Buckets<K> {
    /// Creates empty buckets.
    pub(super) fn new(limit: Limit) -> Self {
        Self {
            limit,
            buckets: HashMap::new(),
        }
    }

    /// Returns the number of remembered events of a key.
    ///
    /// # Errors
    /// The number of seconds to wait if there are too many.
    pub(super) fn admit(&self, key: K, now: Timestamp) -> Result<u32, u64> {
        let Some(bucket) = self.buckets.get(&key) else {
            return Ok(0);
        };
        let Limit { burst, leak } = self.limit;
        let level = bucket.level(self.limit, now);
        if level < burst {
            return Ok(level);
        }
        // Another event is allowed as soon as the level falls below the limit.
        let fits_at = bucket.empty_at.minus(leak * (burst - 1));
        Err(seconds_until(fits_at, now).max(1))
    }

    /// Records an event.
    pub(super) fn record(&mut self, key: K, now: Timestamp) {
        if self.buckets.len() >= CAPACITY && !self.buckets.contains_key(&key) {
            self.make_room(now);
        }
        let Limit { burst, leak } = self.limit;
        let bucket = self.buckets.entry(key);
        let bucket = bucket.or_insert(Bucket { empty_at: now });
        let begin = if bucket.level(self.limit, now) == 0 {
            now
        } else {
            bucket.empty_at
        };
        // Concurrent events at the limit do not extend it much.
        bucket.empty_at = begin.plus(leak).min(now.plus(leak * burst));
    }

    /// Removes the empty buckets or, if there are none, the one with the fewest events.
    fn make_room(&mut self, now: Timestamp) {
        let limit = self.limit;
        self.buckets
            .retain(|_, bucket| bucket.level(limit, now) > 0);
        if self.buckets.len() < CAPACITY {
            return;
        }
        let least = self
            .buckets
            .iter()
            .min_by_key(|(_, bucket)| bucket.empty_at);
        if let Some(least) = least.map(|(key, _)| *key) {
            self.buckets.remove(&least);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;
    use crate::http::session::ClientNetwork;

    const BURST: u32 = 100;

    fn start() -> Timestamp {
        Timestamp::from_micros(1_800_000_000_000_000)
    }

    fn new() -> Buckets<ClientNetwork> {
        let leak = Duration::from_secs(9);
        Buckets::new(Limit { burst: BURST, leak })
    }

    fn network(n: u16) -> ClientNetwork {
        let [high, low] = n.to_be_bytes();
        ClientNetwork::from(IpAddr::from([192, 0, high, low]))
    }

    fn fail(addresses: &mut Buckets<ClientNetwork>, network: ClientNetwork, count: u32) {
        for _ in 0..count {
            addresses.record(network, start());
        }
    }

    #[test]
    fn hundred_failures_block_a_client_until_one_is_forgotten() {
        let mut addresses = new();
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
    fn attempts_beyond_the_limit_do_not_extend_it() {
        let mut addresses = new();
        fail(&mut addresses, network(1), BURST * 10);
        assert_eq!(addresses.admit(network(1), start()), Err(9));
    }

    #[test]
    fn clock_that_was_set_back_blocks_no_client() {
        let mut addresses = new();
        fail(&mut addresses, network(1), BURST);
        let before = start().minus(Duration::from_hours(24));
        assert_eq!(addresses.admit(network(1), before), Ok(0));
    }

    #[test]
    fn flood_of_clients_uses_bounded_memory_and_keeps_the_worst() {
        let mut addresses = new();
        fail(&mut addresses, network(0), BURST);
        for n in 1..=u16::try_from(CAPACITY + 10).expect("small") {
            fail(&mut addresses, network(n), 1);
        }
        assert_eq!(addresses.buckets.len(), CAPACITY);
        assert!(addresses.admit(network(0), start()).is_err());
    }
}

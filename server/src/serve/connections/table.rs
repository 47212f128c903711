//! The open connections, and the choice of those that end when there are too many.
//!
//! | connections | a new connection |
//! |---|---|
//! | 256 of its address without a session | ends the oldest of these, if that is older than 1 s |
//! | 1,024 of its address | ends the oldest of these without a session; without one it is refused |
//! | all but the reserve | ends the oldest without a session, if that is older than 1 s |
//! | all | ends the oldest without a session, whatever its age; without one it is refused |
//!
//! A new connection is therefore always accepted while connections without a session are open, and
//! no connection of a signed-in user ends for it. Trusted proxies count in the last two rows only.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::connection::Activity;
use crate::session::ClientNetwork;

/// Connections without a session that an address may keep for longer than [`YOUNG`].
const PER_ADDRESS: usize = 256;
/// Connections of an address.
const MOST_PER_ADDRESS: usize = 1024;
/// A connection may be this old before a soft limit ends it: most requests are over by then.
const YOUNG: Duration = Duration::from_secs(1);

/// The open connections; clones share them.
#[derive(Debug, Clone)]
pub(super) struct Table(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    capacity: usize,
    /// A connection of this age may be ended before a limit is reached that must not be exceeded.
    young: Duration,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    next: u64,
    entries: HashMap<u64, Entry>,
    counts: HashMap<ClientNetwork, usize>,
}

#[derive(Debug)]
struct Entry {
    /// `None` for a trusted proxy.
    network: Option<ClientNetwork>,
    activity: Activity,
}

/// A place in the table, until it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    table: Table,
    id: u64,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.table.open().remove(self.id);
    }
}

impl Table {
    /// A table for this many connections.
    pub(super) fn new(capacity: usize) -> Self {
        Self::with_young(capacity, YOUNG)
    }

    fn with_young(capacity: usize, young: Duration) -> Self {
        Self(Arc::new(Shared {
            capacity,
            young,
            open: Mutex::default(),
        }))
    }

    /// Adds a connection, of a client's network or of a trusted proxy. Returns `None` if it is
    /// refused.
    pub(super) fn add(&self, network: Option<ClientNetwork>, activity: &Activity) -> Option<Place> {
        let Shared {
            capacity, young, ..
        } = *self.0;
        let mut open = self.open();
        let is_admitted = network.is_none_or(|network| open.make_room_in(network, young))
            && open.make_room(capacity, young);
        if !is_admitted {
            return None;
        }
        let id = open.next;
        open.next += 1;
        let entry = Entry {
            network,
            activity: activity.clone(),
        };
        open.entries.insert(id, entry);
        if let Some(network) = network {
            *open.counts.entry(network).or_default() += 1;
        }
        drop(open);
        Some(Place {
            table: self.clone(),
            id,
        })
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        // Each change is complete before anything can panic.
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn remove(&mut self, id: u64) -> Option<Entry> {
        let entry = self.entries.remove(&id)?;
        if let Some(network) = entry.network
            && let Some(count) = self.counts.get_mut(&network)
        {
            *count -= 1;
            if *count == 0 {
                self.counts.remove(&network);
            }
        }
        Some(entry)
    }

    /// Makes room for one more connection of a network. Returns whether there is room.
    fn make_room_in(&mut self, network: ClientNetwork, young: Duration) -> bool {
        let count = self.counts.get(&network).copied().unwrap_or_default();
        if count < PER_ADDRESS {
            return true;
        }
        let candidates = self.candidates(Some(network));
        if count >= MOST_PER_ADDRESS {
            return self.evict(&candidates, Duration::ZERO);
        }
        if candidates.count >= PER_ADDRESS {
            self.evict(&candidates, young);
        }
        true
    }

    /// Makes room for one more connection. Returns whether there is room.
    fn make_room(&mut self, capacity: usize, young: Duration) -> bool {
        let reserve = (capacity / 16).max(1);
        if self.entries.len() + reserve < capacity {
            return true;
        }
        let candidates = self.candidates(None);
        if self.entries.len() >= capacity {
            return self.evict(&candidates, Duration::ZERO);
        }
        self.evict(&candidates, young);
        true
    }

    /// Finds the connections without a session, of one network or of all.
    fn candidates(&self, network: Option<ClientNetwork>) -> Candidates {
        let mut candidates = Candidates::default();
        for (id, entry) in &self.entries {
            if network.is_some() && entry.network != network {
                continue;
            }
            let Some(since) = entry.activity.unauthenticated_since() else {
                continue;
            };
            candidates.count += 1;
            let is_older = |(_, oldest): (u64, Instant)| since < oldest;
            if candidates.oldest.is_none_or(is_older) {
                candidates.oldest = Some((*id, since));
            }
        }
        candidates
    }

    /// Ends the oldest candidate, if there is one of at least this age.
    fn evict(&mut self, candidates: &Candidates, age: Duration) -> bool {
        let Some((id, since)) = candidates.oldest else {
            return false;
        };
        if since.elapsed() < age {
            return false;
        }
        if let Some(entry) = self.remove(id) {
            entry.activity.evict();
        }
        true
    }
}

/// Connections that may be ended.
#[derive(Debug, Default)]
struct Candidates {
    count: usize,
    oldest: Option<(u64, Instant)>,
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;
    use crate::connection::Limits;

    fn network(text: &str) -> ClientNetwork {
        ClientNetwork::from(text.parse::<std::net::IpAddr>().expect("an address"))
    }

    struct Opened {
        activity: Activity,
        place: Option<Place>,
    }

    impl Opened {
        fn is_evicted(&self) -> bool {
            self.activity.evicted().now_or_never().is_some()
        }
    }

    /// Opens connections, all of them at the same time.
    fn open(table: &Table, network: Option<ClientNetwork>, count: usize) -> Vec<Opened> {
        let one = |_| {
            let activity = Activity::new(network.is_none(), Limits::default());
            let place = table.add(network, &activity);
            Opened { activity, place }
        };
        (0..count).map(one).collect()
    }

    fn sign_in(opened: &[Opened]) {
        for opened in opened {
            opened.activity.set_authenticated();
        }
    }

    fn evicted(opened: &[Opened]) -> usize {
        opened.iter().filter(|opened| opened.is_evicted()).count()
    }

    fn refused(opened: &[Opened]) -> usize {
        let is_refused = |opened: &&Opened| opened.place.is_none();
        opened.iter().filter(is_refused).count()
    }

    #[test]
    fn new_connection_ends_the_oldest_without_a_session() {
        let table = Table::new(64);
        let home = Some(network("192.0.2.1"));
        let users = open(&table, home, 10);
        sign_in(&users);
        let flood = open(&table, Some(network("198.51.100.7")), 54);
        assert_eq!((evicted(&flood), refused(&flood)), (0, 0));
        let more = open(&table, home, 3);
        assert_eq!((evicted(&users), refused(&more)), (0, 0));
        let ended: Vec<bool> = flood.iter().map(Opened::is_evicted).collect();
        assert_eq!(ended.iter().filter(|ended| **ended).count(), 3);
        assert!(ended.iter().take(3).all(|ended| *ended), "{ended:?}");
        assert_eq!(table.open().entries.len(), 64);
    }

    #[test]
    fn signed_in_users_are_never_ended() {
        let table = Table::new(64);
        let users = open(&table, Some(network("192.0.2.1")), 64);
        sign_in(&users);
        let more = open(&table, Some(network("192.0.2.2")), 1);
        assert_eq!((evicted(&users), refused(&more)), (0, 1));
        drop(users);
        assert_eq!(refused(&open(&table, Some(network("192.0.2.2")), 1)), 0);
    }

    #[test]
    fn address_has_a_limit_and_its_signed_in_users_are_not_ended() {
        let table = Table::new(4096);
        let home = Some(network("2001:db8::1"));
        let users = open(&table, home, 600);
        sign_in(&users);
        let flood = open(&table, Some(network("2001:db8::ffff:2")), 500);
        assert_eq!(refused(&flood), 0);
        assert_eq!(evicted(&flood), 600 + 500 - MOST_PER_ADDRESS);
        assert_eq!(evicted(&users), 0);
        let elsewhere = open(&table, Some(network("2001:db8:0:1::1")), 200);
        assert_eq!((evicted(&elsewhere), refused(&elsewhere)), (0, 0));
    }

    #[test]
    fn old_connections_beyond_the_soft_limit_end_first() {
        let home = Some(network("192.0.2.1"));
        for (young, ended) in [(Duration::from_mins(1), 0), (Duration::ZERO, 10)] {
            let table = Table::with_young(4096, young);
            let opened = open(&table, home, PER_ADDRESS + 10);
            assert_eq!((evicted(&opened), refused(&opened)), (ended, 0));
        }
    }

    #[test]
    fn trusted_proxy_has_no_limit_of_its_own() {
        let table = Table::new(4096);
        let opened = open(&table, None, MOST_PER_ADDRESS + 500);
        assert_eq!((evicted(&opened), refused(&opened)), (0, 0));
        drop(opened);
        assert_eq!(table.open().entries.len(), 0);
    }

    #[test]
    fn counts_of_networks_go_with_their_connections() {
        let table = Table::new(64);
        let opened = open(&table, Some(network("192.0.2.1")), 100);
        drop(opened);
        assert_eq!(table.open().entries.len(), 0);
        assert!(table.open().counts.is_empty());
    }
}

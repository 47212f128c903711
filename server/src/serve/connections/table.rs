//! Open connections, and the choice of those that end when there are too many.
//!
//! | connections | a new connection evicts |
//! |---|---|
//! | 256 of its network without a session | the oldest of these, if that is older than 1 s |
//! | 1,024 of its network, or a quarter of all | the oldest of these without a session, or else one of the user with the most of these |
//! | all but the reserve, with a session | one of the user with the most |
//! | all but the reserve | the oldest without a session, if that is older than 1 s |
//! | all | the oldest without a session |
//!
//! A new connection is therefore always accepted, also that of a health check. Signed-in users
//! cannot occupy the reserve, a sixteenth of all. Of a user's connections, an idle one ends first,
//! then the one with the longest time without a byte. Among connections without a session, those
//! of this machine end last. Trusted proxies count in the last three rows only.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ledge_core::id::UserId;
use tokio::time::Instant;

use crate::http::session::ClientNetwork;
use crate::serve::connection::{Activity, per_client};

/// Connections without a session that an address may keep for longer than [`YOUNG`].
const PER_ADDRESS: usize = 256;
/// Age up to which a soft limit does not evict a connection; most requests are over by then.
const YOUNG: Duration = Duration::from_secs(1);

/// The open connections; clones share them.
#[derive(Debug, Clone)]
pub(super) struct Table(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    capacity: usize,
    /// Connections of at least this age may be evicted at a soft limit.
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

/// An entry of the table; dropping it removes the connection.
#[derive(Debug)]
pub(super) struct EntryGuard {
    table: Table,
    id: u64,
}

impl Drop for EntryGuard {
    fn drop(&mut self) {
        self.table.open().remove(self.id);
    }
}

impl Table {
    /// Creates a table for this many connections.
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

    /// Adds a connection of a client's network, or of a trusted proxy without one.
    pub(super) fn add(&self, network: Option<ClientNetwork>, activity: &Activity) -> EntryGuard {
        let Shared {
            capacity, young, ..
        } = *self.0;
        let mut open = self.open();
        if let Some(network) = network {
            open.make_room_in(network, per_client(capacity), young);
        }
        open.make_room(capacity, young);
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
        EntryGuard {
            table: self.clone(),
            id,
        }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        // Each change is complete before a panic is possible.
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

    /// Evicts a connection of a network if it has too many.
    fn make_room_in(&mut self, network: ClientNetwork, most: usize, young: Duration) {
        let count = self.counts.get(&network).copied().unwrap_or_default();
        if count < PER_ADDRESS.min(most) {
            return;
        }
        let scope = Some(network);
        let candidates = self.candidates(scope);
        if count >= most {
            if !self.evict_oldest(&candidates, Duration::ZERO) {
                self.evict_of_user(scope);
            }
        } else if candidates.count >= PER_ADDRESS {
            self.evict_oldest(&candidates, young);
        }
    }

    /// Evicts a connection if there are too many.
    fn make_room(&mut self, capacity: usize, young: Duration) {
        let open = self.entries.len();
        let most = capacity - (capacity / 16).max(1);
        if open < most {
            return;
        }
        let candidates = self.candidates(None);
        let authenticated = open - candidates.count;
        if authenticated >= most {
            // Two for one new connection: users who signed in since the last one leave the reserve.
            self.evict_of_user(None);
            if authenticated > most {
                self.evict_of_user(None);
            }
        } else if open >= capacity {
            self.evict_oldest(&candidates, Duration::ZERO);
        } else {
            self.evict_oldest(&candidates, young);
        }
    }

    /// Returns the connections of one network or of all.
    fn scope(&self, network: Option<ClientNetwork>) -> impl Iterator<Item = (u64, &Entry)> {
        let is_inside = move |entry: &Entry| network.is_none() || entry.network == network;
        let entries = self.entries.iter().map(|(id, entry)| (*id, entry));
        entries.filter(move |(_, entry)| is_inside(entry))
    }

    /// Finds the connections without a session, of one network or of all.
    fn candidates(&self, network: Option<ClientNetwork>) -> Candidates {
        let mut candidates = Candidates::default();
        for (id, entry) in self.scope(network) {
            let state = entry.activity.state();
            if state.user.is_some() {
                continue;
            }
            candidates.count += 1;
            let is_local = entry.network.is_some_and(ClientNetwork::is_loopback);
            let order = (is_local, state.since, id);
            if candidates.oldest.is_none_or(|oldest| order < oldest) {
                candidates.oldest = Some(order);
            }
        }
        candidates
    }

    /// Evicts the oldest candidate if it has at least this age. Returns whether it did.
    fn evict_oldest(&mut self, candidates: &Candidates, age: Duration) -> bool {
        let Some((_, since, id)) = candidates.oldest else {
            return false;
        };
        if since.elapsed() < age {
            return false;
        }
        self.evict(id);
        true
    }

    /// Evicts a connection of the user who has the most, of one network or of all.
    fn evict_of_user(&mut self, network: Option<ClientNetwork>) {
        let mut users: HashMap<UserId, UserConnections> = HashMap::new();
        for (id, entry) in self.scope(network) {
            let state = entry.activity.state();
            let Some(user) = state.user else { continue };
            let order = (!state.is_idle, state.last_byte, id);
            let entry = users.entry(user).or_insert(UserConnections {
                count: 0,
                slowest: order,
            });
            entry.count += 1;
            entry.slowest = entry.slowest.min(order);
        }
        let most = users.values().max_by_key(|user| user.count);
        if let Some(UserConnections { slowest, .. }) = most {
            self.evict(slowest.2);
        }
    }

    fn evict(&mut self, id: u64) {
        if let Some(entry) = self.remove(id) {
            entry.activity.evict();
        }
    }
}

/// Connections without a session.
#[derive(Debug, Default)]
struct Candidates {
    count: usize,
    /// The first in the order of eviction: of another machine, oldest.
    oldest: Option<(bool, Instant, u64)>,
}

/// Connections of a user.
#[derive(Debug)]
struct UserConnections {
    count: usize,
    /// The first in the order of eviction: idle, longest time without a byte.
    slowest: (bool, Instant, u64),
}

#[cfg(test)]
mod tests;

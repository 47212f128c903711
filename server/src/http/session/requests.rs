//! Requests in flight, per client behind a trusted proxy and per user. The proxy's connections do
//! not show how many of them a single client uses, and a user can have many addresses.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ledge_core::id::UserId;

use super::ClientNetwork;
use crate::serve::connection::{capacity, per_client};

/// Limit of requests without a session per client.
const WITHOUT_SESSION: usize = 256;

/// Counts of requests, shared by clones.
#[derive(Debug, Clone)]
pub(crate) struct Requests(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// Limit of requests per client and per user.
    limit: usize,
    counts: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    clients: HashMap<ClientNetwork, usize>,
    /// Requests of clients that no signed-in user has sent so far.
    without_session: HashMap<ClientNetwork, usize>,
    users: HashMap<UserId, usize>,
}

/// A request of a client in flight; dropping it ends its count.
#[derive(Debug)]
pub(crate) struct InFlight {
    requests: Requests,
    client: ClientNetwork,
    is_authenticated: AtomicBool,
}

/// A request of a user in flight; dropping it ends its count.
#[derive(Debug)]
pub(crate) struct UserInFlight {
    requests: Requests,
    user: UserId,
}

impl Default for Requests {
    fn default() -> Self {
        Self::with_limit(per_client(capacity()))
    }
}

impl Requests {
    fn with_limit(limit: usize) -> Self {
        Self(Arc::new(Shared {
            limit,
            counts: Mutex::default(),
        }))
    }

    /// Counts a request of a client without a session. Returns `None` if the client has reached a
    /// limit.
    pub(super) fn begin(&self, client: ClientNetwork) -> Option<InFlight> {
        let limit = self.0.limit;
        let mut counts = self.lock();
        if counts
            .clients
            .get(&client)
            .is_some_and(|count| *count >= limit)
        {
            return None;
        }
        increment(&mut counts.without_session, client, WITHOUT_SESSION)?;
        increment(&mut counts.clients, client, limit)?;
        drop(counts);
        Some(InFlight {
            requests: self.clone(),
            client,
            is_authenticated: AtomicBool::new(false),
        })
    }

    /// Counts a request of a user. Returns `None` if the user has reached the limit.
    pub(super) fn begin_user(&self, user: UserId) -> Option<UserInFlight> {
        increment(&mut self.lock().users, user, self.0.limit)?;
        Some(UserInFlight {
            requests: self.clone(),
            user,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        // The mutex protects counters, so a panic cannot leave them inconsistent.
        let counts = &self.0.counts;
        counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl InFlight {
    /// Records that a signed-in user sent the request.
    pub(super) fn set_authenticated(&self) {
        if !self.is_authenticated.swap(true, Ordering::Relaxed) {
            decrement(&mut self.requests.lock().without_session, &self.client);
        }
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.set_authenticated();
        decrement(&mut self.requests.lock().clients, &self.client);
    }
}

impl Drop for UserInFlight {
    fn drop(&mut self) {
        decrement(&mut self.requests.lock().users, &self.user);
    }
}

/// Adds one to a count. Returns `None` if it has reached the limit.
fn increment<K: Eq + Hash>(counts: &mut HashMap<K, usize>, key: K, limit: usize) -> Option<()> {
    let count = counts.entry(key).or_default();
    if *count >= limit {
        return None;
    }
    *count += 1;
    Some(())
}

/// Subtracts one from a count, and removes a count of zero.
fn decrement<K: Eq + Hash>(counts: &mut HashMap<K, usize>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    const LIMIT: usize = 1024;

    fn client(text: &str) -> ClientNetwork {
        ClientNetwork::from(text.parse::<IpAddr>().expect("an address"))
    }

    fn is_empty(requests: &Requests) -> bool {
        let counts = requests.lock();
        counts.clients.is_empty() && counts.without_session.is_empty() && counts.users.is_empty()
    }

    #[test]
    fn client_without_a_session_has_a_limit_and_leaves_no_entries() {
        let requests = Requests::with_limit(LIMIT);
        let begin = || requests.begin(client("2001:db8::1"));
        let held: Vec<_> = (0..WITHOUT_SESSION)
            .map(|_| begin().expect("room"))
            .collect();
        assert!(requests.begin(client("2001:db8::2")).is_none());
        assert!(requests.begin(client("192.0.2.1")).is_some());
        drop(held);
        assert!(begin().is_some());
        assert!(is_empty(&requests));
    }

    #[test]
    fn client_with_a_session_has_a_larger_limit() {
        let requests = Requests::with_limit(LIMIT);
        let begin = || requests.begin(client("2001:db8::1"));
        let sign_in = |_| {
            let request = begin().expect("room");
            request.set_authenticated();
            request
        };
        let held: Vec<_> = (0..LIMIT).map(sign_in).collect();
        assert!(begin().is_none());
        assert!(requests.begin(client("192.0.2.1")).is_some());
        drop(held);
        assert!(begin().is_some());
        assert!(is_empty(&requests));
    }

    #[test]
    fn user_has_a_limit_over_all_addresses() {
        let requests = Requests::with_limit(LIMIT);
        let begin = || requests.begin_user(UserId(1));
        let held: Vec<_> = (0..LIMIT).map(|_| begin().expect("room")).collect();
        assert!(begin().is_none());
        assert!(requests.begin_user(UserId(2)).is_some());
        drop(held);
        assert!(begin().is_some());
        assert!(is_empty(&requests));
    }
}

//! Requests in flight of each client behind a trusted proxy. The proxy's connections are not the
//! client's, so that their number says nothing about the client.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::ClientNetwork;

/// Requests of one client that may wait for the head of their response.
const PER_CLIENT: usize = 256;

/// The counts; clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Requests(Arc<Mutex<HashMap<ClientNetwork, usize>>>);

/// One request in flight, until it is dropped.
#[derive(Debug)]
pub(crate) struct InFlight {
    requests: Requests,
    client: ClientNetwork,
}

impl Requests {
    /// Counts a request. Returns `None` if the client has too many.
    pub(super) fn begin(&self, client: ClientNetwork) -> Option<InFlight> {
        let mut counts = self.lock();
        let count = counts.entry(client).or_default();
        if *count >= PER_CLIENT {
            return None;
        }
        *count += 1;
        drop(counts);
        Some(InFlight {
            requests: self.clone(),
            client,
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ClientNetwork, usize>> {
        // Plain counters: no panic can leave them half written.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let mut counts = self.requests.lock();
        if let Some(count) = counts.get_mut(&self.client) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    #[test]
    fn client_has_a_limit_of_its_own_and_leaves_nothing_behind() {
        let requests = Requests::default();
        let client = |text: &str| ClientNetwork::from(text.parse::<IpAddr>().expect("an address"));
        let begin = || requests.begin(client("2001:db8::1"));
        let held: Vec<_> = (0..PER_CLIENT).map(|_| begin().expect("room")).collect();
        assert!(requests.begin(client("2001:db8::2")).is_none());
        assert!(requests.begin(client("192.0.2.1")).is_some());
        drop(held);
        assert!(begin().is_some());
        assert!(requests.lock().is_empty());
    }
}

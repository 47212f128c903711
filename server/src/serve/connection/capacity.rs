//! Limits of the number of connections.

use rustix::process::{Resource, getrlimit};

/// Limit of simultaneous connections.
const MAX_CONNECTIONS: u64 = 4096;
/// Limit of connections per client, and of requests in flight per client and user.
const MAX_PER_CLIENT: usize = 1024;

/// Number of connections that the process can serve: each can need two open files.
pub(crate) fn capacity() -> usize {
    let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let capacity = (files / 2).clamp(16, MAX_CONNECTIONS);
    usize::try_from(capacity).expect("clamped to a few thousand")
}

/// Returns the part of a capacity that one client can use: at most a quarter, so that no client
/// takes the connections of all others.
pub(crate) fn per_client(capacity: usize) -> usize {
    (capacity / 4).clamp(1, MAX_PER_CLIENT)
}

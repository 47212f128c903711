//! Login of other programs: each protocol is behind one check of app passwords.

mod login;
pub(crate) mod middleware;
mod params;
pub(crate) mod secret;
pub(crate) mod server_key;

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use ledge_core::http::ApiError;
use ledge_core::http::protocol::Protocol;
use ledge_core::id::AppPasswordId;

use crate::http::session::throttle::Throttle;
use server_key::ServerKey;

/// The enabled protocols with the state of their login; clones share it.
#[derive(Debug, Clone)]
pub struct AppAccessService {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    protocols: Vec<&'static Protocol>,
    key: ServerKey,
    /// Failures of app passwords. They do not count as failed logins of the web interface.
    throttle: Throttle,
    /// App passwords whose last use is being written.
    recording: Mutex<HashSet<AppPasswordId>>,
}

impl AppAccessService {
    /// Creates the service of these protocols.
    pub(crate) fn new(protocols: Vec<&'static Protocol>, key: ServerKey) -> Self {
        Self {
            shared: Arc::new(Shared {
                protocols,
                key,
                throttle: Throttle::default(),
                recording: Mutex::default(),
            }),
        }
    }

    /// Returns the enabled protocols by rank.
    pub(crate) fn protocols(&self) -> &[&'static Protocol] {
        &self.shared.protocols
    }

    /// Begins to write the last use of an app password. Returns `false` if another request does it.
    fn begin_record(&self, id: AppPasswordId) -> bool {
        lock(&self.shared.recording).insert(id)
    }

    fn end_record(&self, id: AppPasswordId) {
        lock(&self.shared.recording).remove(&id);
    }

    /// Returns the key from which secrets are derived.
    pub(crate) fn key(&self) -> &ServerKey {
        &self.shared.key
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // The mutex protects a plain set, so a panic cannot leave it inconsistent.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<S: Send + Sync> FromRequestParts<S> for AppAccessService {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        let service = parts.extensions.get::<Self>().cloned();
        service.ok_or(ApiError::Unavailable)
    }
}

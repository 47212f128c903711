//! Requests to one provider: its HTTP client, its stored state, and the longest wait.

pub(super) mod check;
pub(super) mod local_pictures;
pub(super) mod person;
pub(super) mod picture;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use crate::App;
use crate::net::Limits;
use crate::net::providers::Provider;
use crate::registry::provider::{AskError, Lookup, Net, Request, Response};
use crate::store::matches::provider_state;

/// Largest response in bytes, after decompression.
const MAX_RESPONSE: u64 = 4 << 20;
/// Longest wait of a background request for the rate limit.
const BACKGROUND_WAIT: Duration = Duration::from_mins(2);
/// Longest wait of a request for which a user waits, unless the provider is slower.
const INTERACTIVE_WAIT: Duration = Duration::from_secs(15);

/// Access to one provider for one job or request.
pub(super) struct ProviderSession<'a> {
    pub(super) app: &'a App,
    pub(super) provider: Arc<Provider>,
    /// Longest wait for the rate limit.
    pub(super) max_wait: Duration,
    /// A user waits for the response.
    pub(super) is_interactive: bool,
    pub(super) is_stopped: &'a dyn Fn() -> bool,
}

impl<'a> ProviderSession<'a> {
    /// Creates the access for a job.
    pub(super) fn background(
        app: &'a App,
        provider: Arc<Provider>,
        is_stopped: &'a dyn Fn() -> bool,
    ) -> Self {
        Self {
            app,
            provider,
            max_wait: BACKGROUND_WAIT,
            is_interactive: false,
            is_stopped,
        }
    }

    /// Creates the access for a request of a user who waits for the response.
    pub(super) fn interactive(
        app: &'a App,
        provider: Arc<Provider>,
        is_stopped: &'a dyn Fn() -> bool,
    ) -> Self {
        // A job can hold the next turn of a slow provider.
        let turns = Duration::from_secs_f64(2.5 / provider.descriptor.pace.per_second.max(0.001));
        Self {
            max_wait: INTERACTIVE_WAIT.max(turns),
            is_interactive: true,
            ..Self::background(app, provider, is_stopped)
        }
    }

    fn id(&self) -> &'static str {
        self.provider.descriptor.id
    }

    /// Calls the provider. A panic of the provider becomes an error.
    pub(super) fn ask<T>(
        &self,
        question: impl FnOnce(&dyn Lookup, &dyn Net) -> Result<T, AskError>,
    ) -> Result<T, AskError> {
        let lookup = self.provider.lookup.as_ref();
        catch_unwind(AssertUnwindSafe(|| question(lookup, self))).unwrap_or_else(|_| {
            Err(AskError::Malformed(
                "the response could not be read: the provider's parser crashed".to_owned(),
            ))
        })
    }

    /// Sends a request whose response has at most `limit` bytes.
    pub(super) fn fetch(&self, request: &Request, limit: u64) -> Result<Response, AskError> {
        let limits = Limits {
            body: limit,
            max_wait: self.max_wait,
            is_interactive: self.is_interactive,
            is_stopped: self.is_stopped,
        };
        self.provider.client.send(request, &limits)
    }
}

impl Net for ProviderSession<'_> {
    fn send(&self, request: &Request) -> Result<Response, AskError> {
        self.fetch(request, MAX_RESPONSE)
    }

    fn remembered(&self, key: &str) -> Option<String> {
        let (id, key, now) = (self.id(), key.to_owned(), self.app.clock.now());
        let read = move |conn: &rusqlite::Connection| provider_state::get(conn, id, &key, now);
        // A value that cannot be read is requested again.
        self.app.db.read_blocking(read).ok().flatten()
    }

    fn remember(&self, key: &str, value: &str, lifetime: Duration) {
        let (id, key, value) = (self.id(), key.to_owned(), value.to_owned());
        let now = self.app.clock.now();
        let kept = self.app.db.write_blocking(move |tx| {
            provider_state::remove_expired(tx, id, now)?;
            provider_state::set(tx, id, (&key, &value), now.plus(lifetime))
        });
        if let Err(error) = kept {
            tracing::warn!(provider = id, %error, "cannot save a value for a provider");
        }
    }

    fn forget(&self, key: &str) {
        let (id, key) = (self.id(), key.to_owned());
        let forgotten = self
            .app
            .db
            .write_blocking(move |tx| provider_state::remove(tx, id, &key));
        if let Err(error) = forgotten {
            tracing::warn!(provider = id, %error, "cannot delete a saved value of a provider");
        }
    }
}

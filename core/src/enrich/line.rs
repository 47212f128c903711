//! The line to one provider: its client, its memory, and how long the one who asks has patience.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use super::providers::Provider;
use crate::App;
use crate::fetch::Bounds;
use crate::registry::provider::{AskError, Asks, Net, Request, Response};
use crate::store::provider_state;

/// Largest answer, decompressed.
const MAX_ANSWER: u64 = 4 << 20;
/// How long the background waits for its turn.
pub(super) const PATIENT: Duration = Duration::from_mins(2);
/// How long somebody waits who looks on.
pub(super) const IMPATIENT: Duration = Duration::from_secs(15);

/// Whoever asks a provider asks through this.
pub(super) struct Line<'a> {
    pub(super) app: &'a App,
    pub(super) provider: &'a Provider,
    pub(super) patience: Duration,
    /// Whether somebody looks on.
    pub(super) is_awaited: bool,
    pub(super) is_stopped: &'a dyn Fn() -> bool,
}

impl Line<'_> {
    fn id(&self) -> &'static str {
        self.provider.descriptor.id
    }

    /// Asks; a provider that crashes over an answer has given none.
    pub(super) fn ask<T>(
        &self,
        question: impl FnOnce(&dyn Asks, &dyn Net) -> Result<T, AskError>,
    ) -> Result<T, AskError> {
        let asks = self.provider.asks.as_ref();
        catch_unwind(AssertUnwindSafe(|| question(asks, self))).unwrap_or_else(|_| {
            Err(AskError::Malformed(
                "the answer could not be read: its reader crashed".to_owned(),
            ))
        })
    }

    /// Fetches something of up to so many bytes.
    pub(super) fn fetch(&self, request: &Request, limit: u64) -> Result<Response, AskError> {
        let bounds = Bounds {
            body: limit,
            patience: self.patience,
            is_awaited: self.is_awaited,
            is_stopped: self.is_stopped,
        };
        self.provider.client.send(request, &bounds)
    }
}

impl Net for Line<'_> {
    fn send(&self, request: &Request) -> Result<Response, AskError> {
        self.fetch(request, MAX_ANSWER)
    }

    fn remembered(&self, key: &str) -> Option<String> {
        let (id, key, now) = (self.id(), key.to_owned(), self.app.clock.now());
        let read = move |conn: &rusqlite::Connection| provider_state::get(conn, id, &key, now);
        // What cannot be read is asked for anew.
        self.app.db.read_blocking(read).ok().flatten()
    }

    fn remember(&self, key: &str, value: &str, lifetime: Duration) {
        let (id, key, value) = (self.id(), key.to_owned(), value.to_owned());
        let until = self.app.clock.now().plus(lifetime);
        let kept = self
            .app
            .db
            .write_blocking(move |tx| provider_state::set(tx, id, (&key, &value), until));
        if let Err(error) = kept {
            tracing::warn!(provider = id, %error, "what a provider wants kept could not be");
        }
    }

    fn forget(&self, key: &str) {
        let (id, key) = (self.id(), key.to_owned());
        let forgotten = self
            .app
            .db
            .write_blocking(move |tx| provider_state::remove(tx, id, &key));
        if let Err(error) = forgotten {
            tracing::warn!(provider = id, %error, "what a provider kept could not be dropped");
        }
    }
}

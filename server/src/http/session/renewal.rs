//! Renewal of sessions, with at most one pending write per session. Otherwise, while another
//! process holds the database, renewals would fill the writer's queue and block other writes.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ledge_core::App;
use ledge_core::store::account::session::{self, TokenHash};
use rusqlite::Transaction;

/// Sessions with a pending renewal; clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct Renewals(Arc<Mutex<HashSet<TokenHash>>>);

/// A pending renewal; dropping it ends the entry.
struct UnderWay {
    renewals: Renewals,
    hash: TokenHash,
}

impl Renewals {
    /// Renews a session in the background, so that the request does not wait for the disk.
    pub(super) fn renew(&self, app: &App, hash: TokenHash) {
        let Some(under_way) = self.begin(hash) else {
            return;
        };
        let app = app.clone();
        let now = app.clock.now();
        tokio::spawn(async move {
            let renew = move |tx: &Transaction<'_>| session::renew(tx, &hash, now);
            // It continues while a page is open, and must not make the transactions of a scan short.
            let renewed = app.db.write_background(renew).await;
            if let Err(error) = renewed {
                tracing::warn!(%error, "a session could not be renewed");
            }
            drop(under_way);
        });
    }

    /// Registers a renewal. Returns `None` if one is pending already.
    fn begin(&self, hash: TokenHash) -> Option<UnderWay> {
        let is_first = self.lock().insert(hash);
        is_first.then(|| UnderWay {
            renewals: self.clone(),
            hash,
        })
    }

    /// Locks the set, which a panic cannot leave inconsistent.
    fn lock(&self) -> MutexGuard<'_, HashSet<TokenHash>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.renewals.lock().remove(&self.hash);
    }
}

#[cfg(test)]
mod tests {
    use super::super::cookie::Token;
    use super::*;

    #[test]
    fn session_has_at_most_one_pending_renewal() {
        let renewals = Renewals::default();
        let [one, other] = ["one", "other"].map(|token| Token::given(token).hash());
        let first = renewals.begin(one);
        assert!(first.is_some() && renewals.begin(one).is_none());
        assert!(renewals.begin(other).is_some());
        drop(first);
        assert!(renewals.begin(one).is_some());
        assert!(renewals.lock().is_empty());
    }
}

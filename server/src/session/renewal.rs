//! Renewing sessions: one write under way for each, however many requests come meanwhile. While another
//! process holds the database, they would else fill the writer's queue and others be turned away.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ledge_core::App;
use ledge_core::store::session::{self, TokenHash};

/// The sessions that are being renewed; clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct Renewals(Arc<Mutex<HashSet<TokenHash>>>);

/// One that is being renewed, until this is dropped.
struct UnderWay {
    renewals: Renewals,
    hash: TokenHash,
}

impl Renewals {
    /// Renews a session beside the request, which does not wait for the disk.
    pub(super) fn renew(&self, app: &App, hash: TokenHash) {
        let Some(under_way) = self.begin(hash) else {
            return;
        };
        let app = app.clone();
        let now = app.clock.now();
        tokio::spawn(async move {
            let renewed = app.db.write(move |tx| session::renew(tx, &hash, now)).await;
            if let Err(error) = renewed {
                tracing::warn!(%error, "a session could not be renewed");
            }
            drop(under_way);
        });
    }

    /// `None` where it is being renewed already.
    fn begin(&self, hash: TokenHash) -> Option<UnderWay> {
        let is_first = self.lock().insert(hash);
        is_first.then(|| UnderWay {
            renewals: self.clone(),
            hash,
        })
    }

    /// A poisoned mutex guards a set that a panic cannot have left half written.
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
    fn each_session_is_renewed_once_at_a_time() {
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

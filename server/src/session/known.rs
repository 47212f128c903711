//! Sessions that were looked up since the last commit: until something is committed, by whomever,
//! the database would say the same again.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ledge_core::App;
use ledge_core::clock::Timestamp;
use ledge_core::db::Version;
use ledge_core::store::StoreResult;
use ledge_core::store::session::{self, Session, TokenHash};

/// Sessions at most; more people than that do not come between two commits.
const MOST: usize = 4096;

/// What is known; empty at the start.
#[derive(Debug, Default)]
pub(super) struct Known(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The version of the database that the sessions were found in.
    version: Option<Version>,
    sessions: HashMap<TokenHash, Session>,
}

impl Known {
    /// The session of a token, if it has not ended and its user is not disabled.
    pub(super) async fn find(
        &self,
        app: &App,
        hash: TokenHash,
        now: Timestamp,
    ) -> StoreResult<Option<Session>> {
        // Before the session is read: what is committed meanwhile makes it outdated.
        let version = app.db.version();
        if let Some(session) = version.and_then(|version| self.get(version, &hash)) {
            return Ok((session.expires_at > now).then_some(session));
        }
        let found = app
            .db
            .read_few(move |conn| session::find(conn, &hash, now))
            .await?;
        if let (Some(version), Some(session)) = (version, found) {
            self.put(version, hash, session);
        }
        Ok(found)
    }

    fn get(&self, version: Version, hash: &TokenHash) -> Option<Session> {
        let state = self.lock();
        let is_current = state.version == Some(version);
        is_current
            .then(|| state.sessions.get(hash).copied())
            .flatten()
    }

    fn put(&self, version: Version, hash: TokenHash, session: Session) {
        let mut state = self.lock();
        if state.version != Some(version) || state.sessions.len() >= MOST {
            state.version = Some(version);
            state.sessions.clear();
        }
        state.sessions.insert(hash, session);
    }

    /// A poisoned mutex guards a table that a panic cannot have left half written.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

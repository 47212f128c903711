//! Cache of sessions. It is valid for one database version: any commit invalidates it.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ledge_core::App;
use ledge_core::db::Version;
use ledge_core::error::StoreResult;
use ledge_core::store::account::session::{self, Session, TokenHash};
use ledge_core::time::Timestamp;

/// Limit of cached sessions; few commits are further apart than this many users.
const MOST: usize = 4096;

/// The cache; empty at the start.
#[derive(Debug, Default)]
pub(super) struct SessionCache(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Version of the database that the sessions were read from.
    version: Option<Version>,
    sessions: HashMap<TokenHash, Session>,
}

impl SessionCache {
    /// Returns the session of a token, if it has not expired and its user is not disabled.
    pub(super) async fn find(
        &self,
        app: &App,
        hash: TokenHash,
        now: Timestamp,
    ) -> StoreResult<Option<Session>> {
        // Read before the session: a commit in between makes the entry outdated.
        let version = app.db.version();
        if let Some(session) = version.and_then(|version| self.get(version, &hash)) {
            return Ok((session.expires_at > now).then_some(session));
        }
        let found = app
            .db
            .read_inline(move |conn| session::find(conn, &hash, now))
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

    /// Locks the table, which a panic cannot leave inconsistent.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

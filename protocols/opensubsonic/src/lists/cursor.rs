//! Pages of a walk along the whole library. Apps ask for them by an offset; a cursor remembers where
//! the previous page ended, so that every page costs the same.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use ledge_core::access::Visible;
use ledge_core::db::Db;
use ledge_core::http::recordings::Recordings;
use ledge_core::id::{LibraryId, UserId};
use ledge_core::paging::Window;
use ledge_core::store::file::recording::walk::{self, Noun};
use rusqlite::Connection;

use crate::failure::Failure;
use crate::params::scope;

/// Limit of the remembered walks. A forgotten one counts its offset again.
const MAX_WALKS: usize = 1_000;

/// Remembered ends of pages per walk: an app may have several requests under way.
const MAX_ENDS: usize = 8;

/// A walk of an app.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Walk {
    pub(super) user: UserId,
    /// Name of the app.
    pub(super) app: String,
    pub(super) library: Option<LibraryId>,
    pub(super) noun: Noun,
}

/// End of a page: the number of objects up to it, and the id of the last one.
type End = (u64, i64);

static ENDS: LazyLock<Mutex<HashMap<Walk, Vec<End>>>> = LazyLock::new(Mutex::default);

impl Walk {
    /// Returns the ids of a page in ascending order. An id is a bound only, so that a remembered one
    /// gives no access.
    pub(super) async fn page(self, db: &Db, window: Window) -> Result<Vec<i64>, Failure> {
        if window.limit == 0 {
            return Ok(Vec::new());
        }
        let start = self.start(window.offset);
        let (visible, library, noun) = (Visible::of(self.user), self.library, self.noun);
        let kinds = Recordings::kinds();
        let read = move |conn: &Connection| {
            let scope = scope(visible, library, &kinds);
            let start = match start {
                Some(start) => Some(start),
                None => walk::skip(conn, scope, noun, window.offset)?,
            };
            match start {
                Some(start) => walk::after(conn, scope, noun, start, window.limit),
                None => Ok(Vec::new()),
            }
        };
        let ids = db.read(read).await?;
        if let Some(last) = ids.last() {
            self.remember((window.offset.saturating_add(ids.len() as u64), *last));
        }
        Ok(ids)
    }

    /// Returns the id after which the page begins, if it is known.
    fn start(&self, offset: u64) -> Option<i64> {
        if offset == 0 {
            return Some(0);
        }
        let ends = ENDS.lock().unwrap_or_else(PoisonError::into_inner);
        let mut ends = ends.get(self)?.iter().rev();
        ends.find(|(count, _)| *count == offset)
            .map(|(_, last)| *last)
    }

    fn remember(self, end: End) {
        let mut all = ENDS.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MAX_WALKS && !all.contains_key(&self) {
            all.clear();
        }
        let ends = all.entry(self).or_default();
        ends.retain(|(count, _)| *count != end.0);
        if ends.len() >= MAX_ENDS {
            ends.remove(0);
        }
        ends.push(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_ends_of_a_walk_are_remembered() {
        let walk = |app: &str| Walk {
            user: UserId(-7),
            app: app.to_owned(),
            library: None,
            noun: Noun::Part,
        };
        for page in 1..=9 {
            walk("a").remember((page * 500, i64::try_from(page).expect("small")));
        }
        walk("a").remember((4_500, 10));
        assert_eq!(walk("a").start(0), Some(0));
        assert_eq!(walk("a").start(500), None);
        assert_eq!(walk("a").start(1_000), Some(2));
        assert_eq!(walk("a").start(4_500), Some(10));
        assert_eq!(walk("a").start(1_001), None);
        assert_eq!(walk("b").start(1_000), None);
    }
}

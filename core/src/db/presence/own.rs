//! What viewers have begun and love, for those who have much of it: two sets for each, kept between
//! requests.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::db::id_set::IdSet;
use crate::id::UserId;

/// Bytes of all sets together; those of one viewer take 256 KiB at most where there are a million
/// items.
const MAX_BYTES: usize = 4 << 20;
/// Bytes that each viewer takes besides.
const ENTRY: usize = 1 << 10;
/// Sets that somebody asked for so lately do not make room for others: where there were too many
/// for all, each would be made anew for every page.
const IN_USE: Duration = Duration::from_mins(1);

/// A viewer's sets, if they have enough to be worth it.
#[derive(Debug, Clone)]
pub enum OwnSets {
    /// So few items that their rows are looked up as quickly.
    Few,
    /// Every item.
    Sets {
        /// Begun, finished or not.
        begun: Arc<IdSet>,
        /// Favourites.
        loved: Arc<IdSet>,
    },
}

impl OwnSets {
    fn bytes(&self) -> usize {
        match self {
            Self::Few => ENTRY,
            Self::Sets { begun, loved } => ENTRY + begun.bytes() + loved.bytes(),
        }
    }
}

#[derive(Debug)]
struct Entry {
    viewer: UserId,
    state: u64,
    sets: OwnSets,
    used: Instant,
}

/// The sets; clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct Own {
    /// The last asked for come last.
    entries: Arc<Mutex<Vec<Entry>>>,
}

impl Own {
    /// What is kept of a viewer, and the state in which that was.
    pub(super) fn of(&self, viewer: UserId) -> Option<(u64, OwnSets)> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let at = entries.iter().position(|entry| entry.viewer == viewer)?;
        let mut entry = entries.remove(at);
        entry.used = Instant::now();
        let found = (entry.state, entry.sets.clone());
        entries.push(entry);
        Some(found)
    }

    /// Whether there is room for another viewer's.
    pub(super) fn has_room(&self) -> bool {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let in_use = entries.iter().filter(|entry| entry.used.elapsed() < IN_USE);
        let bytes: usize = in_use.map(|entry| entry.sets.bytes()).sum();
        bytes < MAX_BYTES
    }

    /// Keeps them in the place of older ones.
    pub(super) fn keep(&self, viewer: UserId, state: u64, sets: OwnSets) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let same = entries.iter().position(|entry| entry.viewer == viewer);
        if let Some(at) = same {
            let is_newer = entries.get(at).is_some_and(|entry| entry.state > state);
            if is_newer {
                return;
            }
            entries.remove(at);
        }
        entries.push(Entry {
            viewer,
            state,
            sets,
            used: Instant::now(),
        });
        let mut bytes = 0;
        let fits = entries.iter().rev().take_while(|entry| {
            bytes += entry.sets.bytes();
            bytes <= MAX_BYTES
        });
        let surplus = entries.len() - fits.count();
        entries.drain(..surplus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::ItemId;

    /// Sets of a viewer who has something among each 65,536 of a million.
    fn sets() -> OwnSets {
        let mut ids = IdSet::default();
        (0..16).for_each(|chunk| ids.insert(ItemId(chunk << 16)));
        let ids = Arc::new(ids);
        OwnSets::Sets {
            begun: Arc::clone(&ids),
            loved: ids,
        }
    }

    #[test]
    fn there_is_no_room_for_more_than_fit_and_those_stay() {
        let own = Own::default();
        let mut kept = 0;
        while own.has_room() && kept < 1000 {
            own.keep(UserId(kept), 1, sets());
            kept += 1;
        }
        let entries = own.entries.lock().expect("entries");
        let bytes: usize = entries.iter().map(|entry| entry.sets.bytes()).sum();
        assert!(kept > 10 && bytes <= MAX_BYTES, "{kept} of {bytes} bytes");
        assert!(bytes + sets().bytes() > MAX_BYTES, "{bytes} bytes");
    }

    #[test]
    fn a_viewer_has_one_entry_and_the_newest_stays() {
        let own = Own::default();
        own.keep(UserId(1), 5, OwnSets::Few);
        own.keep(UserId(1), 7, sets());
        own.keep(UserId(1), 6, OwnSets::Few);
        assert!(matches!(own.of(UserId(1)), Some((7, OwnSets::Sets { .. }))));
        assert_eq!(own.entries.lock().expect("entries").len(), 1);
        assert!(own.of(UserId(2)).is_none());
    }
}

//! What viewers have begun and love, for those who have much of it: two sets for each, kept between
//! requests.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::db::id_set::IdSet;
use crate::id::UserId;

/// Bytes of all sets together; those of one viewer take 256 KiB at most where ids go to a million.
const MAX_BYTES: usize = 4 << 20;
/// Bytes that each viewer takes besides.
const ENTRY: usize = 1 << 10;
/// Sets that somebody asked for so lately do not make room for others: where there were too many
/// for all, each would be made anew for every page.
const IN_USE: Duration = Duration::from_mins(1);

/// A viewer's sets, if they have enough to be worth it.
#[derive(Debug, Clone)]
pub(crate) enum OwnSets {
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
pub(super) struct KeptSets {
    /// The last asked for come last.
    entries: Arc<Mutex<Vec<Entry>>>,
}

impl KeptSets {
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

    /// Whether a viewer's find room where they take so many bytes at most.
    pub(super) fn have_room(&self, viewer: UserId, most: usize) -> bool {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let others = entries.iter().filter(|entry| entry.viewer != viewer);
        let in_use = others.filter(|entry| entry.used.elapsed() < IN_USE);
        let bytes: usize = in_use.map(|entry| entry.sets.bytes()).sum();
        bytes + ENTRY + most <= MAX_BYTES
    }

    /// Keeps them in the place of older ones, and of those that nobody uses any more. Where there is
    /// no room they are not kept.
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
        let mut bytes = sets.bytes();
        let fits = entries.iter().rev().take_while(|entry| {
            bytes += entry.sets.bytes();
            bytes <= MAX_BYTES
        });
        let surplus = entries.len() - fits.count();
        let is_full = sets.bytes() > MAX_BYTES
            || (entries.iter().take(surplus)).any(|entry| entry.used.elapsed() < IN_USE);
        if is_full {
            return;
        }
        entries.drain(..surplus);
        entries.push(Entry {
            viewer,
            state,
            sets,
            used: Instant::now(),
        });
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
    fn who_is_in_use_does_not_make_room_for_others() {
        let kept = KeptSets::default();
        let fit = i64::try_from(MAX_BYTES / sets().bytes()).expect("a number");
        assert!(fit > 10, "{fit}");
        let most = sets().bytes() - ENTRY;
        for viewer in 0..2 * fit {
            assert_eq!(kept.have_room(UserId(viewer), most), viewer < fit);
            kept.keep(UserId(viewer), 1, sets());
            assert_eq!(kept.of(UserId(viewer)).is_some(), viewer < fit);
        }
        assert!(kept.have_room(UserId(0), most), "their own do not count");
        let long_ago = Instant::now().checked_sub(IN_USE);
        for entry in kept.entries.lock().expect("entries").iter_mut() {
            entry.used = long_ago.expect("an earlier time");
        }
        assert!(kept.have_room(UserId(fit), most));
        kept.keep(UserId(fit), 1, sets());
        let entries = kept.entries.lock().expect("entries");
        let viewers: Vec<i64> = entries.iter().map(|entry| entry.viewer.0).collect();
        assert_eq!(viewers, (1..=fit).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_larger_than_all_room_is_not_kept() {
        let kept = KeptSets::default();
        kept.keep(UserId(1), 1, OwnSets::Few);
        let mut ids = IdSet::default();
        (0..512).for_each(|chunk| ids.insert(ItemId(chunk << 16)));
        let ids = Arc::new(ids);
        let large = OwnSets::Sets {
            begun: Arc::clone(&ids),
            loved: ids,
        };
        assert!(!kept.have_room(UserId(2), large.bytes()));
        kept.keep(UserId(2), 1, large);
        assert!(kept.of(UserId(1)).is_some() && kept.of(UserId(2)).is_none());
    }

    #[test]
    fn a_viewer_has_one_entry_and_the_newest_stays() {
        let kept = KeptSets::default();
        kept.keep(UserId(1), 5, OwnSets::Few);
        kept.keep(UserId(1), 7, sets());
        kept.keep(UserId(1), 6, OwnSets::Few);
        assert!(matches!(
            kept.of(UserId(1)),
            Some((7, OwnSets::Sets { .. }))
        ));
        assert_eq!(kept.entries.lock().expect("entries").len(), 1);
        assert!(kept.of(UserId(2)).is_none());
    }
}

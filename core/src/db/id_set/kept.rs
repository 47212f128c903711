//! Sets that took long to make, kept for whoever asks the same again: the same words by somebody
//! else, or with another kind.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::IdSet;
use crate::id::ItemId;
use crate::store::StoreResult;

/// What took less is as quickly made again; tests want to see every set kept.
const WORTH: Duration = Duration::from_millis(if cfg!(test) { 0 } else { 2 });
/// Bytes of all sets together; one of a million ids takes 128 KiB.
const MAX_BYTES: usize = 4 << 20;
/// Bytes that each takes besides.
const ENTRY: usize = 1 << 10;

/// What a set was made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// Something that never is the same again once what was asked has changed; with
    /// [`Kept::get_up_to`], otherwise than by newer items.
    pub state: Vec<u8>,
    /// The statement.
    pub sql: &'static str,
    /// Its parameter.
    pub query: String,
}

/// A set, and what it was made of.
#[derive(Debug)]
struct Entry {
    key: Key,
    /// The newest item that could have been in it.
    newest: ItemId,
    set: Arc<IdSet>,
}

/// The sets; clones share them.
#[derive(Debug, Clone, Default)]
pub struct Kept {
    /// The last asked for come last.
    entries: Arc<Mutex<Vec<Entry>>>,
}

impl Kept {
    /// The set, made if it is not there, and not kept unless the state is as before once it is made.
    pub fn get_while(
        &self,
        key: Key,
        make: impl FnOnce(&Key) -> StoreResult<IdSet>,
        is_as_before: impl FnOnce() -> bool,
    ) -> StoreResult<Arc<IdSet>> {
        if let Some((_, known)) = self.find(&key) {
            return Ok(known);
        }
        let start = Instant::now();
        let set = Arc::new(make(&key)?);
        if start.elapsed() >= WORTH && is_as_before() {
            self.keep(Entry {
                key,
                newest: ItemId(0),
                set: Arc::clone(&set),
            });
        }
        Ok(set)
    }

    /// The set among items up to `newest`, of which `make` finds those that are newer than one. In
    /// the same state items only come, newer than all before: what is kept of fewer is added to.
    pub fn get_up_to(
        &self,
        newest: ItemId,
        key: Key,
        make: impl FnOnce(&Key, ItemId) -> StoreResult<IdSet>,
    ) -> StoreResult<Arc<IdSet>> {
        // Who still reads what was there before others came finds all of it anew.
        let known = self.find(&key).filter(|(known, _)| *known <= newest);
        let start = Instant::now();
        let is_known = known.is_some();
        let set = match known {
            Some((known, set)) if known == newest => return Ok(set),
            Some((known, mut set)) => {
                let more = make(&key, known)?;
                Arc::make_mut(&mut set).unite(&more);
                set
            }
            None => Arc::new(make(&key, ItemId(0))?),
        };
        if is_known || start.elapsed() >= WORTH {
            self.keep(Entry {
                key,
                newest,
                set: Arc::clone(&set),
            });
        }
        Ok(set)
    }

    fn find(&self, key: &Key) -> Option<(ItemId, Arc<IdSet>)> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let at = entries.iter().position(|entry| entry.key == *key)?;
        let entry = entries.remove(at);
        let found = (entry.newest, Arc::clone(&entry.set));
        entries.push(entry);
        Some(found)
    }

    /// Keeps a set in the place of one of fewer items.
    fn keep(&self, entry: Entry) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let same = entries.iter().position(|known| known.key == entry.key);
        let known = same.map(|at| entries.remove(at));
        entries.push(match known {
            Some(known) if known.newest > entry.newest => known,
            _ => entry,
        });
        let mut bytes = 0;
        let fits = entries.iter().rev().take_while(|entry| {
            bytes += ENTRY + entry.set.bytes();
            bytes <= MAX_BYTES
        });
        let surplus = entries.len() - fits.count();
        entries.drain(..surplus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(state: u8, query: &str) -> Key {
        Key {
            state: vec![state],
            sql: "",
            query: query.to_owned(),
        }
    }

    fn set(ids: &[i64]) -> IdSet {
        let mut set = IdSet::default();
        for id in ids {
            set.insert(ItemId(*id));
        }
        set
    }

    fn entry(key: Key, newest: i64, set: &Arc<IdSet>) -> Entry {
        Entry {
            key,
            newest: ItemId(newest),
            set: Arc::clone(set),
        }
    }

    #[test]
    fn a_set_is_kept_until_what_it_was_made_of_has_changed() {
        let kept = Kept::default();
        kept.keep(entry(key(1, "a"), 0, &Arc::new(set(&[7]))));
        let empty = |_: &Key| Ok(IdSet::default());
        let has = |key| {
            let found = kept.get_while(key, empty, || true).expect("a set");
            found.contains(ItemId(7))
        };
        assert!(has(key(1, "a")));
        assert!(!has(key(2, "a")) && !has(key(1, "b")));
        assert!(has(key(1, "a")));
    }

    #[test]
    fn what_came_since_is_added_to_a_set() {
        let kept = Kept::default();
        // Every item is in it; which were asked for, and what came of it.
        let get = |state: u8, newest: i64| {
            let mut asked = None;
            let make = |_: &Key, after: ItemId| {
                asked = Some(after.0);
                Ok(set(&((after.0 + 1)..=newest).collect::<Vec<_>>()))
            };
            let found = kept.get_up_to(ItemId(newest), key(state, "a"), make);
            (asked, found.expect("a set").descending().count())
        };
        assert_eq!(get(1, 3), (Some(0), 3));
        assert_eq!(get(1, 3), (None, 3));
        assert_eq!(get(1, 5), (Some(3), 5));
        // Who reads as of before neither sees more nor takes it from others.
        assert_eq!(get(1, 4), (Some(0), 4));
        assert_eq!(get(1, 5), (None, 5));
        assert_eq!(get(2, 5), (Some(0), 5));
    }

    #[test]
    fn what_was_asked_for_last_stays_and_memory_is_bounded() {
        let kept = Kept::default();
        let chunks: Vec<i64> = (0..16).map(|chunk| chunk << 16).collect();
        let set = Arc::new(set(&chunks));
        kept.keep(entry(key(0, "first"), 0, &set));
        for n in 0..100 {
            kept.keep(entry(key(1, &n.to_string()), 0, &set));
            assert!(kept.find(&key(0, "first")).is_some());
        }
        let entries = kept.entries.lock().expect("entries");
        assert_eq!(entries.len(), MAX_BYTES / (ENTRY + set.bytes()));
    }
}

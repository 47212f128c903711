//! Sets that took long to make, kept for whoever asks the same again: the same words by somebody
//! else, or with another kind.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::IdSet;
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
    /// Something that never is the same again once what was asked has changed.
    pub state: Vec<u8>,
    /// The statement.
    pub sql: &'static str,
    /// Its parameter.
    pub query: String,
}

/// The sets; clones share them.
#[derive(Debug, Clone, Default)]
pub struct Kept {
    /// The last asked for come last.
    entries: Arc<Mutex<Vec<(Key, Arc<IdSet>)>>>,
}

impl Kept {
    /// The set, made if it is not there.
    pub fn get(
        &self,
        key: Key,
        make: impl FnOnce(&Key) -> StoreResult<IdSet>,
    ) -> StoreResult<Arc<IdSet>> {
        self.get_while(key, make, || true)
    }

    /// The same, not kept unless the state is as before once the set is made.
    pub fn get_while(
        &self,
        key: Key,
        make: impl FnOnce(&Key) -> StoreResult<IdSet>,
        is_as_before: impl FnOnce() -> bool,
    ) -> StoreResult<Arc<IdSet>> {
        if let Some(known) = self.find(&key) {
            return Ok(known);
        }
        let start = Instant::now();
        let set = Arc::new(make(&key)?);
        if start.elapsed() >= WORTH && is_as_before() {
            self.keep(key, Arc::clone(&set));
        }
        Ok(set)
    }

    /// Forgets all of them, for tests that make what was asked anew.
    #[cfg(test)]
    pub fn forget(&self) {
        self.entries.lock().expect("sets").clear();
    }

    fn find(&self, key: &Key) -> Option<Arc<IdSet>> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let at = entries.iter().position(|(known, _)| known == key)?;
        let entry = entries.remove(at);
        let found = Arc::clone(&entry.1);
        entries.push(entry);
        Some(found)
    }

    fn keep(&self, key: Key, set: Arc<IdSet>) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|(known, _)| *known != key);
        entries.push((key, set));
        let mut bytes = 0;
        let fits = entries.iter().rev().take_while(|(_, set)| {
            bytes += ENTRY + set.bytes();
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

    fn key(state: u8, query: &str) -> Key {
        Key {
            state: vec![state],
            sql: "",
            query: query.to_owned(),
        }
    }

    #[test]
    fn a_set_is_kept_until_what_it_was_made_of_has_changed() {
        let kept = Kept::default();
        let mut set = IdSet::default();
        set.insert(ItemId(7));
        kept.keep(key(1, "a"), Arc::new(set));
        let empty = |_: &Key| Ok(IdSet::default());
        let has = |key| {
            let found = kept.get(key, empty).expect("a set");
            found.contains(ItemId(7))
        };
        assert!(has(key(1, "a")));
        assert!(!has(key(2, "a")) && !has(key(1, "b")));
        assert!(has(key(1, "a")));
    }

    #[test]
    fn what_was_asked_for_last_stays_and_memory_is_bounded() {
        let kept = Kept::default();
        let mut set = IdSet::default();
        for chunk in 0..16 {
            set.insert(ItemId(chunk << 16));
        }
        let set = Arc::new(set);
        kept.keep(key(0, "first"), Arc::clone(&set));
        for n in 0..100 {
            kept.keep(key(1, &n.to_string()), Arc::clone(&set));
            assert!(kept.find(&key(0, "first")).is_some());
        }
        let entries = kept.entries.lock().expect("entries");
        assert_eq!(entries.len(), MAX_BYTES / (ENTRY + set.bytes()));
    }
}

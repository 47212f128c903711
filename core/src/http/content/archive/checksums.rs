//! Cache of the CRC-32 of files, by size and time. It has a fixed limit, and the oldest entries are
//! evicted first.

use std::collections::{HashMap, VecDeque};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use super::layout::Entry;
use crate::id::FileId;

/// Limit of checksums: five archives of the longest playlists, about 5 MB.
const CAPACITY: usize = 50_000;

/// State of a file: its id, size and modification time.
type Key = (FileId, u64, i128);

#[derive(Default)]
struct Cache {
    sums: HashMap<Key, u32>,
    order: VecDeque<Key>,
}

static CACHE: LazyLock<Mutex<Cache>> = LazyLock::new(Mutex::default);

/// Returns the checksum of a file in this state, if it is known.
pub(super) fn get(entry: &Entry) -> Option<u32> {
    if entry.size == 0 {
        return Some(0);
    }
    cache().sums.get(&key(entry)).copied()
}

/// Stores the checksum of a file in this state.
pub(super) fn put(entry: &Entry, crc: u32) {
    cache().put(key(entry), crc, CAPACITY);
}

fn key(entry: &Entry) -> Key {
    (entry.file, entry.size, entry.mtime_ns)
}

/// Locks the cache and ignores poisoning: a panic cannot leave it inconsistent.
fn cache() -> MutexGuard<'static, Cache> {
    CACHE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Cache {
    fn put(&mut self, key: Key, crc: u32, capacity: usize) {
        if self.sums.insert(key, crc).is_some() {
            return;
        }
        self.order.push_back(key);
        while self.order.len() > capacity {
            if let Some(oldest) = self.order.pop_front() {
                self.sums.remove(&oldest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oldest_checksums_are_evicted() {
        let mut cache = Cache::default();
        let key = |id| (FileId(id), 1, 1);
        for id in 1..=4 {
            cache.put(key(id), 7, 3);
            cache.put(key(id), 8, 3);
        }
        assert_eq!((cache.sums.len(), cache.order.len()), (3, 3));
        assert_eq!(cache.sums.get(&key(1)), None);
        assert_eq!(cache.sums.get(&key(2)), Some(&8));
    }
}

//! Room for files on their way through the stages: folders are counted by the channels between
//! them, and one folder may have as many files as whole libraries.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::run::lock;

/// Files that are on their way before another folder has to wait: some ten megabytes.
const FILES: usize = 10_000;
/// How often who waits looks whether to stop.
const PATIENCE: Duration = Duration::from_millis(100);

/// How many files are on their way; clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct Room {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    files: Mutex<usize>,
    changed: Condvar,
}

/// The room of one folder's files, given back when this is dropped.
#[derive(Debug)]
pub(super) struct Share {
    room: Room,
    files: usize,
}

impl Room {
    /// Room for a folder, if there is any. The last one may go beyond what there is: none is too
    /// large to be catalogued.
    pub(super) fn try_take(&self, files: usize) -> Option<Share> {
        let mut taken = lock(&self.shared.files);
        if *taken >= FILES {
            return None;
        }
        *taken += files;
        let room = self.clone();
        Some(Share { room, files })
    }

    /// Waits for room; `None` as soon as `should_stop` says so.
    pub(super) fn take(&self, files: usize, should_stop: impl Fn() -> bool) -> Option<Share> {
        loop {
            if let Some(share) = self.try_take(files) {
                return Some(share);
            }
            if should_stop() {
                return None;
            }
            let taken = lock(&self.shared.files);
            if *taken >= FILES {
                let woken = self.shared.changed.wait_timeout(taken, PATIENCE);
                drop(woken.unwrap_or_else(PoisonError::into_inner));
            }
        }
    }
}

impl Share {
    /// Takes the room of some of the files out of this.
    pub(super) fn part(&mut self, files: usize) -> Self {
        let files = files.min(self.files);
        self.files -= files;
        let room = self.room.clone();
        Self { room, files }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        *lock(&self.room.shared.files) -= self.files;
        self.room.shared.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_any_size_finds_room_and_the_next_one_waits_for_it() {
        let room = Room::default();
        let huge = room.try_take(50 * FILES).expect("room");
        assert!(room.try_take(0).is_none());
        assert!(room.take(1, || true).is_none());
        std::thread::scope(|scope| {
            let next = scope.spawn(|| room.take(1, || false).is_some());
            let (mut huge, half) = (huge, 25 * FILES);
            drop(huge.part(half));
            assert!(room.try_take(0).is_none());
            drop(huge);
            assert!(next.join().expect("a thread"));
        });
        assert_eq!(*lock(&room.shared.files), 0);
    }
}

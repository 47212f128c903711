//! Unscanned changes of a library: changed folders, and files that are being written. Each folder
//! settles on its own, with an upper limit of the waiting time.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use ledge_core::scan::{Folders, Scope};

/// Time without changes after which a folder has settled.
const QUIET: Duration = Duration::from_secs(2);
/// Time after which an unsettled folder is scanned nevertheless, without the files that are being
/// written.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// Time without events after which a file that is open for writing is not waited for.
const WRITER_PATIENCE: Duration = Duration::from_mins(1);
/// Limit of tracked files that are being written; further ones count as plain changes.
const MAX_WRITERS: usize = 256;
/// Limit of tracked folders; more of them become a scan of the whole library.
const MAX_FOLDERS: usize = 500;

/// A change; its path is relative to the library's root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Change {
    /// An entry of this folder was added or changed.
    Folder(Vec<u8>),
    /// An entry of this folder was removed; it may appear in another folder.
    Departure(Vec<u8>),
    /// This folder was added or removed, with everything below it.
    Tree(Vec<u8>),
    /// A file grew, and its writer has not closed it.
    Written(Vec<u8>),
    /// A file is complete, or removed.
    Closed(Vec<u8>),
    /// Anything may have changed.
    Anything,
}

/// Changes since the last scan.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// Times of a change that requires a scan of the whole library.
    whole: Option<Debounce>,
    folders: BTreeMap<Vec<u8>, ChangedFolder>,
    writing: HashMap<Vec<u8>, Instant>,
}

/// Times of the first and the last change.
#[derive(Debug, Clone, Copy)]
struct Debounce {
    first: Instant,
    last: Instant,
}

#[derive(Debug)]
struct ChangedFolder {
    when: Debounce,
    is_tree: bool,
    has_departure: bool,
}

impl Debounce {
    fn at(now: Instant) -> Self {
        Self {
            first: now,
            last: now,
        }
    }

    fn is_quiet(self, now: Instant) -> bool {
        now.duration_since(self.last) >= QUIET
    }

    fn is_overdue(self, now: Instant) -> bool {
        now.duration_since(self.first) >= LONGEST_WAIT
    }
}

impl Changes {
    /// Records a change.
    pub(super) fn note(&mut self, change: Change, now: Instant) {
        match change {
            Change::Folder(folder) => {
                self.touch(folder, now);
            }
            Change::Departure(folder) => {
                if let Some(changed) = self.touch(folder, now) {
                    changed.has_departure = true;
                }
            }
            Change::Tree(folder) => {
                if let Some(changed) = self.touch(folder, now) {
                    changed.is_tree = true;
                }
            }
            Change::Written(file) => self.wrote(file, now),
            Change::Closed(file) => {
                self.writing.remove(&file);
                self.touch(parent(&file), now);
            }
            Change::Anything => self.anything(now),
        }
    }

    fn anything(&mut self, now: Instant) {
        let first = self.folders.values().map(|changed| changed.when.first);
        let first = first.min().unwrap_or(now);
        self.folders.clear();
        let whole = self.whole.get_or_insert(Debounce { first, last: now });
        whole.last = now;
    }

    fn touch(&mut self, folder: Vec<u8>, now: Instant) -> Option<&mut ChangedFolder> {
        if let Some(whole) = &mut self.whole {
            whole.last = now;
            return None;
        }
        if self.folders.len() >= MAX_FOLDERS && !self.folders.contains_key(&folder) {
            self.anything(now);
            return None;
        }
        let changed = self.folders.entry(folder).or_insert_with(|| ChangedFolder {
            when: Debounce::at(now),
            is_tree: false,
            has_departure: false,
        });
        changed.when.last = now;
        Some(changed)
    }

    /// Records a write. A growing file causes no scan; it becomes a change when it stops growing.
    fn wrote(&mut self, file: Vec<u8>, now: Instant) {
        if let Some(at) = self.writing.get_mut(&file) {
            *at = now;
        } else if self.writing.len() < MAX_WRITERS {
            self.writing.insert(file, now);
        } else {
            self.touch(parent(&file), now);
        }
    }

    /// Returns the scope of the changes that have settled or are overdue. They stay recorded until
    /// [`Changes::forget`].
    pub(super) fn settled(&mut self, now: Instant) -> Option<Scope> {
        self.expire_writers(now);
        if let Some(whole) = self.whole {
            let is_ready =
                whole.is_overdue(now) || (whole.is_quiet(now) && self.writing.is_empty());
            return is_ready.then(|| Scope {
                folders: None,
                growing: self.writing.keys().cloned().collect(),
            });
        }
        let mut folders = Folders::default();
        for (path, changed) in &self.folders {
            if self.is_ready(path, changed, now) {
                let kind = if changed.is_tree {
                    &mut folders.trees
                } else {
                    &mut folders.alone
                };
                kind.insert(path.clone());
            }
        }
        if folders == Folders::default() {
            return None;
        }
        Some(Scope {
            growing: self.writing.keys().cloned().collect(),
            folders: Some(folders),
        })
    }

    /// Removes the changes of a scope that settled at `then`. Later changes stay.
    pub(super) fn forget(&mut self, scope: &Scope, then: Instant) {
        // The waiting time restarts for later changes.
        let stays = |when: &mut Debounce| {
            when.first = when.last;
            when.last > then
        };
        match &scope.folders {
            None => {
                self.whole = self.whole.filter(|when| when.last > then);
                self.whole
                    .iter_mut()
                    .for_each(|when| when.first = when.last);
                self.folders.retain(|_, changed| stays(&mut changed.when));
            }
            Some(folders) => self.folders.retain(|path, changed| {
                let is_scanned = folders.alone.contains(path) || folders.trees.contains(path);
                !is_scanned || stays(&mut changed.when)
            }),
        }
    }

    /// Treats files without events for [`WRITER_PATIENCE`] as complete.
    fn expire_writers(&mut self, now: Instant) {
        let is_silent = |at: &Instant| now.duration_since(*at) >= WRITER_PATIENCE;
        let silent: Vec<Vec<u8>> = self
            .writing
            .extract_if(|_, at| is_silent(at))
            .map(|(file, _)| file)
            .collect();
        for file in silent {
            self.touch(parent(&file), now);
        }
    }

    fn is_ready(&self, path: &[u8], changed: &ChangedFolder, now: Instant) -> bool {
        if changed.when.is_overdue(now) {
            return true;
        }
        if !changed.when.is_quiet(now) || self.is_written_in(path, changed.is_tree) {
            return false;
        }
        // A removed file may appear in a folder that is still changing. One scan of both detects
        // the move; separate scans would mark it as missing in between.
        !changed.has_departure || !self.has_unsettled(now)
    }

    fn is_written_in(&self, folder: &[u8], is_tree: bool) -> bool {
        self.writing.keys().any(|file| {
            let above = parent(file);
            above == folder || (is_tree && is_below(&above, folder))
        })
    }

    fn has_unsettled(&self, now: Instant) -> bool {
        let mut folders = self.folders.values();
        !self.writing.is_empty() || folders.any(|changed| !changed.when.is_quiet(now))
    }
}

/// Returns the parent folder of a path; the root is empty.
pub(super) fn parent(path: &[u8]) -> Vec<u8> {
    let slash = path.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
    path.get(..slash).unwrap_or_default().to_owned()
}

fn is_below(path: &[u8], folder: &[u8]) -> bool {
    folder.is_empty()
        || path
            .strip_prefix(folder)
            .is_some_and(|rest| rest.starts_with(b"/"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn set(paths: &[&str]) -> BTreeSet<Vec<u8>> {
        paths.iter().map(|path| path.as_bytes().to_vec()).collect()
    }

    fn folder(path: &str) -> Change {
        Change::Folder(path.into())
    }

    fn written(path: &str) -> Change {
        Change::Written(path.into())
    }

    fn closed(path: &str) -> Change {
        Change::Closed(path.into())
    }

    fn scope(alone: &[&str], trees: &[&str], growing: &[&str]) -> Scope {
        Scope {
            folders: Some(Folders {
                alone: set(alone),
                trees: set(trees),
            }),
            growing: set(growing),
        }
    }

    #[test]
    fn folder_settles_after_a_time_without_changes() {
        let (mut changes, start) = (Changes::default(), Instant::now());
        assert_eq!(changes.settled(start), None);
        changes.note(folder("a"), start);
        changes.note(Change::Tree("b".into()), start);
        changes.note(folder("a"), start + SECOND);
        let then = start + QUIET;
        let first = changes.settled(then);
        assert_eq!(first, Some(scope(&[], &["b"], &[])));
        changes.forget(&first.expect("a scope"), then);
        assert_eq!(
            changes.settled(start + SECOND + QUIET),
            Some(scope(&["a"], &[], &[]))
        );
    }

    #[test]
    fn unforgotten_changes_are_returned_again_and_later_ones_are_kept() {
        let (mut changes, start) = (Changes::default(), Instant::now());
        changes.note(folder("a"), start);
        let then = start + QUIET;
        let settled = changes.settled(then).expect("a scope");
        assert_eq!(changes.settled(then).as_ref(), Some(&settled));
        changes.note(folder("a"), then + SECOND);
        changes.forget(&settled, then);
        assert_eq!(changes.settled(then + SECOND), None);
        assert_eq!(changes.settled(then + SECOND + QUIET), Some(settled));
    }

    #[test]
    fn folder_waits_for_a_file_being_written_and_others_do_not() {
        let (mut changes, start) = (Changes::default(), Instant::now());
        changes.note(written("a/film.mkv"), start);
        changes.note(folder("a"), start);
        changes.note(folder("b"), start);
        let then = start + QUIET * 5;
        let first = changes.settled(then).expect("a scope");
        assert_eq!(first, scope(&["b"], &[], &["a/film.mkv"]));
        changes.forget(&first, then);
        changes.note(closed("a/film.mkv"), then);
        assert_eq!(changes.settled(then + SECOND), None);
        assert_eq!(changes.settled(then + QUIET), Some(scope(&["a"], &[], &[])));
    }

    #[test]
    fn file_written_forever_delays_nothing_and_causes_no_scan() {
        let (mut changes, start) = (Changes::default(), Instant::now());
        changes.note(folder("a"), start);
        let mut now = start;
        while now < start + LONGEST_WAIT {
            changes.note(written("a/dvr.ts"), now);
            assert_eq!(changes.settled(now), None);
            now += QUIET;
        }
        let settled = changes.settled(now);
        assert_eq!(settled, Some(scope(&["a"], &[], &["a/dvr.ts"])));
        changes.forget(&settled.expect("a scope"), now);
        for _ in 0..100 {
            now += QUIET;
            changes.note(written("a/dvr.ts"), now);
            assert_eq!(changes.settled(now), None);
        }
    }

    #[test]
    fn folder_that_never_settles_is_scanned_repeatedly() {
        let (mut changes, start) = (Changes::default(), Instant::now());
        let mut scans = 0;
        for n in 0..240 {
            let now = start + SECOND * n;
            changes.note(folder("a"), now);
            if let Some(settled) = changes.settled(now) {
                changes.forget(&settled, now);
                scans += 1;
            }
        }
        assert_eq!(scans, 3);
    }

    #[test]
    fn file_that_is_never_closed_is_not_waited_for_forever() {
        let (mut changes, start) = (Changes::default(), Instant::now());
        changes.note(written("a/film.mkv"), start);
        assert_eq!(changes.settled(start + WRITER_PATIENCE / 2), None);
        assert_eq!(changes.settled(start + WRITER_PATIENCE), None);
        let rest = start + WRITER_PATIENCE + QUIET;
        assert_eq!(changes.settled(rest), Some(scope(&["a"], &[], &[])));
    }

    #[test]
    fn folder_with_removed_entry_waits_for_changing_folders() {
        let (mut changes, start) = (Changes::default(), Instant::now());
        changes.note(Change::Departure("a".into()), start);
        changes.note(written("b/film.mkv"), start);
        let then = start + QUIET * 3;
        assert_eq!(changes.settled(then), None);
        changes.note(closed("b/film.mkv"), then);
        assert_eq!(
            changes.settled(then + QUIET),
            Some(scope(&["a", "b"], &[], &[]))
        );
    }

    #[test]
    fn change_of_whole_library_replaces_folder_changes() {
        let (mut changes, start) = (Changes::default(), Instant::now());
        changes.note(folder("a"), start);
        changes.note(Change::Anything, start);
        changes.note(written("a/dvr.ts"), start);
        changes.note(folder("b"), start + SECOND);
        assert_eq!(changes.settled(start + QUIET), None);
        changes.note(closed("a/dvr.ts"), start + SECOND);
        let then = start + SECOND + QUIET;
        let settled = changes.settled(then).expect("a scope");
        assert_eq!(settled, Scope::default());
        changes.forget(&settled, then);
        assert_eq!(changes.settled(then + LONGEST_WAIT), None);
    }

    #[test]
    fn memory_is_bounded_for_any_number_of_changes() {
        let (mut changes, start) = (Changes::default(), Instant::now());
        for n in 0..MAX_FOLDERS * 2 {
            changes.note(written(&n.to_string()), start);
            changes.note(folder(&n.to_string()), start);
        }
        assert_eq!(changes.writing.len(), MAX_WRITERS);
        assert!(changes.folders.is_empty());
        let settled = changes.settled(start + LONGEST_WAIT / 2);
        assert_eq!(settled, None, "files are still being written");
        let settled = changes.settled(start + LONGEST_WAIT).expect("a scope");
        assert_eq!(settled.folders, None);
    }
}

//! What changed in a library and has not been scanned: which folders, and which files are being
//! written. Folders come to rest one by one; none waits for ever for one that does not.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use ledge_core::scan::{Folders, Scope};

/// A folder is at rest when nothing happened in it for this long.
const QUIET: Duration = Duration::from_secs(2);
/// A folder that does not come to rest is scanned all the same after this, without the files that
/// are being written.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// A file that is open for writing and of which nothing was heard for this long is not waited for.
const WRITER_PATIENCE: Duration = Duration::from_mins(1);
/// Files that are waited for at once; the others count as written when it is quiet.
const MAX_WRITERS: usize = 256;
/// Folders that are told apart; more are as good as the whole library.
const MAX_FOLDERS: usize = 500;

/// One change; paths are below the library's root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Change {
    /// Something else is in this folder, or something in it is another.
    Folder(Vec<u8>),
    /// Something is gone from this folder; it may turn up elsewhere.
    Departure(Vec<u8>),
    /// This folder is new or gone, with everything below it.
    Tree(Vec<u8>),
    /// A file grew; whoever writes it has not closed it.
    Written(Vec<u8>),
    /// A file is complete, or gone.
    Closed(Vec<u8>),
    /// Anything may have changed.
    Anything,
}

/// Changes since the last scan.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// Whether single folders are not enough.
    whole: Option<Restless>,
    folders: BTreeMap<Vec<u8>, Touched>,
    writing: HashMap<Vec<u8>, Instant>,
}

/// When something began to change and when it did last.
#[derive(Debug, Clone, Copy)]
struct Restless {
    first: Instant,
    last: Instant,
}

#[derive(Debug)]
struct Touched {
    when: Restless,
    is_tree: bool,
    has_departure: bool,
}

impl Restless {
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
    /// Takes in what changed.
    pub(super) fn note(&mut self, change: Change, now: Instant) {
        match change {
            Change::Folder(folder) => {
                self.touch(folder, now);
            }
            Change::Departure(folder) => {
                if let Some(touched) = self.touch(folder, now) {
                    touched.has_departure = true;
                }
            }
            Change::Tree(folder) => {
                if let Some(touched) = self.touch(folder, now) {
                    touched.is_tree = true;
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
        let first = self.folders.values().map(|touched| touched.when.first);
        let first = first.min().unwrap_or(now);
        self.folders.clear();
        let whole = self.whole.get_or_insert(Restless { first, last: now });
        whole.last = now;
    }

    fn touch(&mut self, folder: Vec<u8>, now: Instant) -> Option<&mut Touched> {
        if let Some(whole) = &mut self.whole {
            whole.last = now;
            return None;
        }
        if self.folders.len() >= MAX_FOLDERS && !self.folders.contains_key(&folder) {
            self.anything(now);
            return None;
        }
        let touched = self.folders.entry(folder).or_insert_with(|| Touched {
            when: Restless::at(now),
            is_tree: false,
            has_departure: false,
        });
        touched.when.last = now;
        Some(touched)
    }

    /// Nothing is to be scanned for a file that grows; once it does not, it is a change.
    fn wrote(&mut self, file: Vec<u8>, now: Instant) {
        if let Some(at) = self.writing.get_mut(&file) {
            *at = now;
        } else if self.writing.len() < MAX_WRITERS {
            self.writing.insert(file, now);
        } else {
            self.touch(parent(&file), now);
        }
    }

    /// What has come to rest or does not, to be scanned; it stays noted until it is forgotten.
    pub(super) fn settled(&mut self, now: Instant) -> Option<Scope> {
        self.give_up_writers(now);
        if let Some(whole) = self.whole {
            let is_ready =
                whole.is_overdue(now) || (whole.is_quiet(now) && self.writing.is_empty());
            return is_ready.then(|| Scope {
                folders: None,
                growing: self.writing.keys().cloned().collect(),
            });
        }
        let mut folders = Folders::default();
        for (path, touched) in &self.folders {
            if self.is_ready(path, touched, now) {
                let kind = if touched.is_tree {
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

    /// What was settled at `then` is being scanned; what happened later stays.
    pub(super) fn forget(&mut self, scope: &Scope, then: Instant) {
        // Waiting begins anew with what came later.
        let stays = |when: &mut Restless| {
            when.first = when.last;
            when.last > then
        };
        match &scope.folders {
            None => {
                self.whole = self.whole.filter(|when| when.last > then);
                self.whole
                    .iter_mut()
                    .for_each(|when| when.first = when.last);
                self.folders.retain(|_, touched| stays(&mut touched.when));
            }
            Some(folders) => self.folders.retain(|path, touched| {
                let is_scanned = folders.alone.contains(path) || folders.trees.contains(path);
                !is_scanned || stays(&mut touched.when)
            }),
        }
    }

    /// Who has been silent for long has written all there is, as far as anybody can know.
    fn give_up_writers(&mut self, now: Instant) {
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

    fn is_ready(&self, path: &[u8], touched: &Touched, now: Instant) -> bool {
        if touched.when.is_overdue(now) {
            return true;
        }
        if !touched.when.is_quiet(now) || self.is_written_in(path, touched.is_tree) {
            return false;
        }
        // What is gone here may be on its way to where something still happens: scanned together
        // it has moved, scanned apart it would be missing for a while.
        !touched.has_departure || !self.is_anything_restless(now)
    }

    fn is_written_in(&self, folder: &[u8], is_tree: bool) -> bool {
        self.writing.keys().any(|file| {
            let above = parent(file);
            above == folder || (is_tree && is_below(&above, folder))
        })
    }

    fn is_anything_restless(&self, now: Instant) -> bool {
        let mut folders = self.folders.values();
        !self.writing.is_empty() || folders.any(|touched| !touched.when.is_quiet(now))
    }
}

/// The folder that a path lies in; the root is empty.
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
    fn each_folder_settles_once_nothing_more_happens_in_it() {
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
    fn what_is_not_forgotten_is_settled_again_and_what_happens_meanwhile_is_kept() {
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
    fn a_file_that_is_still_written_is_waited_for_and_other_folders_are_not() {
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
    fn one_who_writes_for_ever_holds_up_nothing_and_asks_for_no_scan() {
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
    fn a_folder_that_never_rests_is_scanned_every_now_and_then() {
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
    fn one_who_never_closes_is_not_waited_for_for_ever() {
        let (mut changes, start) = (Changes::default(), Instant::now());
        changes.note(written("a/film.mkv"), start);
        assert_eq!(changes.settled(start + WRITER_PATIENCE / 2), None);
        assert_eq!(changes.settled(start + WRITER_PATIENCE), None);
        let rest = start + WRITER_PATIENCE + QUIET;
        assert_eq!(changes.settled(rest), Some(scope(&["a"], &[], &[])));
    }

    #[test]
    fn what_has_gone_waits_for_where_it_may_be_going() {
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
    fn the_whole_library_takes_in_what_was_noted_of_folders() {
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
    fn no_number_of_changes_fills_the_memory() {
        let (mut changes, start) = (Changes::default(), Instant::now());
        for n in 0..MAX_FOLDERS * 2 {
            changes.note(written(&n.to_string()), start);
            changes.note(folder(&n.to_string()), start);
        }
        assert_eq!(changes.writing.len(), MAX_WRITERS);
        assert!(changes.folders.is_empty());
        let settled = changes.settled(start + LONGEST_WAIT / 2);
        assert_eq!(settled, None, "somebody writes");
        let settled = changes.settled(start + LONGEST_WAIT).expect("a scope");
        assert_eq!(settled.folders, None);
    }
}

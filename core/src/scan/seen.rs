//! What a walk has seen, kept small: a bit for each stored folder, and lists of what is odd.

use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::name;
use super::run::lock;
use crate::id::{FileId, FolderId};
use crate::store::folder::Digest;

/// Shared by the walkers; asked once the walk is complete.
#[derive(Debug, Default)]
pub(super) struct Seen {
    folders: Mutex<Bits>,
    odd: Mutex<Odd>,
    root_is_mount: AtomicBool,
}

/// What the end of the run has to decide about.
#[derive(Debug, Default, Clone)]
pub(super) struct Odd {
    /// Present files that are not in their folder any more.
    pub(super) absent: Vec<(FileId, FolderId)>,
    /// Listings of folders with absent files: they hold once the files are marked.
    pub(super) listings: HashMap<FolderId, Digest>,
    /// Folders to look at again, in this run or the next.
    pub(super) distrusted: HashSet<FolderId>,
    /// Folders that could not be listed.
    pub(super) unlisted: HashSet<Vec<u8>>,
    /// Folders where another file system began when they were listed.
    pub(super) mounts: Vec<Vec<u8>>,
    /// Folders where a file system begins or ends, unlike before.
    pub(super) boundaries: Vec<Boundary>,
}

/// A folder where another file system begins now and did not before, or the other way round.
#[derive(Debug, Clone)]
pub(super) struct Boundary {
    pub(super) id: FolderId,
    pub(super) path: Vec<u8>,
    pub(super) is_mount: bool,
}

impl Seen {
    pub(super) fn saw(&self, folder: FolderId) {
        lock(&self.folders).set(folder);
    }

    pub(super) fn saw_root(&self, is_mount: bool) {
        self.root_is_mount.store(is_mount, Ordering::Relaxed);
    }

    pub(super) fn absent(&self, folder: FolderId, files: &[FileId]) {
        if !files.is_empty() {
            let mut odd = lock(&self.odd);
            odd.absent.extend(files.iter().map(|file| (*file, folder)));
        }
    }

    /// A listing that holds once the folder's absent files are marked.
    pub(super) fn listed(&self, folder: FolderId, listing: Digest) {
        lock(&self.odd).listings.insert(folder, listing);
    }

    /// What is stored of a folder turned out to be another than the walk saw.
    pub(super) fn distrust(&self, folder: FolderId) {
        lock(&self.odd).distrusted.insert(folder);
    }

    /// Folders to look at again. What was noted of them is forgotten: the second look finds it.
    pub(super) fn take_distrusted(&self) -> HashSet<FolderId> {
        let mut odd = lock(&self.odd);
        let distrusted = std::mem::take(&mut odd.distrusted);
        odd.absent
            .retain(|(_, folder)| !distrusted.contains(folder));
        odd.listings
            .retain(|folder, _| !distrusted.contains(folder));
        distrusted
    }

    /// A file that lost its path to another and has not been found.
    pub(super) fn displaced(&self, file: FileId, folder: FolderId) {
        lock(&self.odd).absent.push((file, folder));
    }

    pub(super) fn mounted(&self, path: &[u8]) {
        lock(&self.odd).mounts.push(path.to_owned());
    }

    pub(super) fn could_not_list(&self, path: &[u8]) {
        lock(&self.odd).unlisted.insert(path.to_owned());
    }

    pub(super) fn boundary_changed(&self, id: FolderId, path: &[u8], is_mount: bool) {
        lock(&self.odd).boundaries.push(Boundary {
            id,
            path: path.to_owned(),
            is_mount,
        });
    }

    pub(super) fn has_seen(&self, folder: FolderId) -> bool {
        lock(&self.folders).get(folder)
    }

    pub(super) fn root_is_mount(&self) -> bool {
        self.root_is_mount.load(Ordering::Relaxed)
    }

    pub(super) fn odd(&self) -> Odd {
        lock(&self.odd).clone()
    }
}

impl Odd {
    /// Whether a folder lies in or below one that could not be listed.
    pub(super) fn is_unlisted(&self, path: &[u8]) -> bool {
        !self.unlisted.is_empty()
            && name::ancestors(path).any(|above| self.unlisted.contains(above))
    }

    /// The changed boundary in or above a folder.
    pub(super) fn boundary(&self, path: &[u8]) -> Option<&Boundary> {
        self.boundaries
            .iter()
            .find(|boundary| name::ancestors(path).any(|above| above == boundary.path))
    }
}

/// A set of row ids.
#[derive(Debug, Default)]
struct Bits {
    words: Vec<u64>,
}

impl Bits {
    fn set(&mut self, id: FolderId) {
        let (word, bit) = Self::place(id);
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        if let Some(word) = self.words.get_mut(word) {
            *word |= bit;
        }
    }

    fn get(&self, id: FolderId) -> bool {
        let (word, bit) = Self::place(id);
        self.words.get(word).is_some_and(|word| word & bit != 0)
    }

    fn place(id: FolderId) -> (usize, u64) {
        let id = usize::try_from(id.0).unwrap_or(0);
        (id / 64, 1 << (id % 64))
    }
}

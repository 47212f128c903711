//! Compact record of a walk: one bit for each stored folder, and lists of anomalies.

use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::id::{FileId, FolderId};
use crate::path;
use crate::scan::run::lock;
use crate::store::file::folder::Digest;

/// Record that the walkers share. It is evaluated once the walk is complete.
#[derive(Debug, Default)]
pub(crate) struct VisitedFolders {
    folders: Mutex<Bits>,
    anomalies: Mutex<Anomalies>,
    root_is_mount: AtomicBool,
}

/// Anomalies that the end of the run must decide about.
#[derive(Debug, Default, Clone)]
pub(crate) struct Anomalies {
    /// Files that are stored as present but are not in their folder any more.
    pub(crate) absent: Vec<(FileId, FolderId)>,
    /// Listing digests of folders with absent files. They become valid once those files are marked.
    pub(crate) listings: HashMap<FolderId, Digest>,
    /// Folders to examine again, in this run or the next.
    pub(crate) distrusted: HashSet<FolderId>,
    /// Folders that could not be listed.
    pub(crate) unlisted: HashSet<Vec<u8>>,
    /// Folders that were mount points when they were listed.
    pub(crate) mounts: Vec<Vec<u8>>,
    /// Folders that became a mount point or ceased to be one.
    pub(crate) boundaries: Vec<Boundary>,
}

/// Folder that became a mount point or ceased to be one.
#[derive(Debug, Clone)]
pub(crate) struct Boundary {
    pub(crate) id: FolderId,
    pub(crate) path: Vec<u8>,
    pub(crate) is_mount: bool,
}

impl VisitedFolders {
    pub(crate) fn mark_visited(&self, folder: FolderId) {
        lock(&self.folders).set(folder);
    }

    pub(crate) fn mark_root_visited(&self, is_mount: bool) {
        self.root_is_mount.store(is_mount, Ordering::Relaxed);
    }

    pub(crate) fn absent(&self, folder: FolderId, files: &[FileId]) {
        if !files.is_empty() {
            let mut anomalies = lock(&self.anomalies);
            anomalies
                .absent
                .extend(files.iter().map(|file| (*file, folder)));
        }
    }

    /// Adds a listing digest that becomes valid once the folder's absent files are marked.
    pub(crate) fn listed(&self, folder: FolderId, listing: Digest) {
        lock(&self.anomalies).listings.insert(folder, listing);
    }

    /// Records that the stored state of a folder differs from what the walk saw.
    pub(crate) fn distrust(&self, folder: FolderId) {
        lock(&self.anomalies).distrusted.insert(folder);
    }

    /// Takes the folders to examine again. Their recorded anomalies are dropped, because the second
    /// examination finds them again.
    pub(crate) fn take_distrusted(&self) -> HashSet<FolderId> {
        let mut anomalies = lock(&self.anomalies);
        let distrusted = std::mem::take(&mut anomalies.distrusted);
        anomalies
            .absent
            .retain(|(_, folder)| !distrusted.contains(folder));
        anomalies
            .listings
            .retain(|folder, _| !distrusted.contains(folder));
        distrusted
    }

    /// Records a file that lost its path to another and has not been found.
    pub(crate) fn displaced(&self, file: FileId, folder: FolderId) {
        lock(&self.anomalies).absent.push((file, folder));
    }

    pub(crate) fn mounted(&self, path: &[u8]) {
        lock(&self.anomalies).mounts.push(path.to_owned());
    }

    pub(crate) fn could_not_list(&self, path: &[u8]) {
        lock(&self.anomalies).unlisted.insert(path.to_owned());
    }

    pub(crate) fn boundary_changed(&self, id: FolderId, path: &[u8], is_mount: bool) {
        lock(&self.anomalies).boundaries.push(Boundary {
            id,
            path: path.to_owned(),
            is_mount,
        });
    }

    pub(crate) fn has_seen(&self, folder: FolderId) -> bool {
        lock(&self.folders).get(folder)
    }

    pub(crate) fn root_is_mount(&self) -> bool {
        self.root_is_mount.load(Ordering::Relaxed)
    }

    pub(crate) fn anomalies(&self) -> Anomalies {
        lock(&self.anomalies).clone()
    }
}

impl Anomalies {
    /// Returns `true` if a folder, or one above it, could not be listed.
    pub(crate) fn is_unlisted(&self, path: &[u8]) -> bool {
        !self.unlisted.is_empty()
            && path::ancestors(path).any(|above| self.unlisted.contains(above))
    }

    /// Returns the changed mount boundary at or above a folder.
    pub(crate) fn boundary(&self, path: &[u8]) -> Option<&Boundary> {
        self.boundaries
            .iter()
            .find(|boundary| path::ancestors(path).any(|above| above == boundary.path))
    }
}

/// Bit set of row ids.
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

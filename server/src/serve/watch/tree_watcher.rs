//! Recursive watch of one library's folder, and the interpretation of its notifications. It opens
//! no file and writes nothing.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::io;
use std::ops::Bound;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ledge_core::path;
use ledge_core::registry::MediaKind;
use rustix::io::Errno;

use super::changes::{Change, parent};
use super::mounts::Mounts;
use super::notices::{Notice, NoticeKind, Notices};
use super::watch_error::WatchError;

/// Limit of folders that a message about unwatched folders names.
const NAMED: usize = 3;

/// System functions, which tests replace.
pub(super) struct System {
    /// Creates a source of notifications.
    pub(super) notices: Box<dyn Fn() -> io::Result<Box<dyn Notices>> + Send + Sync>,
    /// Returns the file systems in and below a folder.
    pub(super) mounts: Box<dyn Fn(&Path) -> Mounts + Send + Sync>,
}

/// Identity of a folder, independent of its name: device and inode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Node(u64, u64);

impl Node {
    fn of(path: &Path) -> io::Result<Self> {
        let metadata = std::fs::metadata(path)?;
        Ok(Self(metadata.dev(), metadata.ino()))
    }
}

/// Recursive watch of a library's folder, until it is dropped. Paths are relative to the root.
pub(super) struct TreeWatcher {
    root: PathBuf,
    node: Node,
    mounts: Mounts,
    notices: Box<dyn Notices>,
    paths: HashMap<i32, Arc<[u8]>>,
    watches: BTreeMap<Arc<[u8]>, i32>,
    /// Folders that cannot be watched, with the reason.
    gaps: BTreeMap<Vec<u8>, String>,
    /// `true` if a link within the library leads to another part of it. A change is then reported
    /// for one of its paths only.
    has_links: bool,
}

impl TreeWatcher {
    /// Starts to watch; calls `heartbeat` for each folder.
    pub(super) fn open(
        root: &Path,
        system: &System,
        heartbeat: &dyn Fn(),
    ) -> Result<Self, WatchError> {
        let mounts = (system.mounts)(root);
        if let Some(kind) = &mounts.silent_root {
            return Err(WatchError::Silent(kind.clone()));
        }
        let mut tree_watcher = Self {
            root: root.to_owned(),
            node: Node::of(root).map_err(|error| WatchError::of_root(&error))?,
            mounts,
            notices: (system.notices)().map_err(|error| WatchError::of_system(&error))?,
            paths: HashMap::new(),
            watches: BTreeMap::new(),
            gaps: BTreeMap::new(),
            has_links: false,
        };
        tree_watcher.add_tree(Vec::new(), heartbeat)?;
        if let Some(why) = tree_watcher.gaps.remove(&Vec::new()) {
            return Err(WatchError::Root(why));
        }
        Ok(tree_watcher)
    }

    /// Checks that the root is still the watched folder with the same file systems below it.
    pub(super) fn check(&self, system: &System) -> Result<(), WatchError> {
        if Node::of(&self.root).map_err(|error| WatchError::of_root(&error))? != self.node {
            return Err(WatchError::Root(
                "It was replaced by another folder.".to_owned(),
            ));
        }
        if (system.mounts)(&self.root) != self.mounts {
            return Err(WatchError::Mounts);
        }
        Ok(())
    }

    /// Returns a message about the unwatched folders, or `None` if there are none.
    pub(super) fn gaps(&self) -> Option<String> {
        let mut named: Vec<String> = self
            .gaps
            .iter()
            .take(NAMED)
            .map(|(path, why)| format!("{}: {why}", path::display(path)))
            .collect();
        if named.is_empty() {
            return None;
        }
        if self.gaps.len() > NAMED {
            named.push(format!("{} more", self.gaps.len() - NAMED));
        }
        Some(format!(
            "Changes in these folders are not noticed: {}. They are scanned on request and every \
             LEDGE_SCAN_INTERVAL.",
            named.join("; ")
        ))
    }

    /// Returns the next changes; waits up to `limit` for them.
    pub(super) fn next_changes(
        &mut self,
        limit: Duration,
        heartbeat: &dyn Fn(),
    ) -> Result<Vec<Change>, WatchError> {
        let notices = self
            .notices
            .read(limit)
            .map_err(|error| WatchError::of_system(&error))?;
        let mut changes = Vec::new();
        for notice in notices {
            heartbeat();
            self.take_in(&notice, &mut changes, heartbeat)?;
        }
        if self.has_links
            && changes
                .iter()
                .any(|change| !matches!(change, Change::Written(_)))
        {
            // Only one path of a linked file is known, so the whole library is scanned.
            changes.push(Change::Anything);
        }
        Ok(changes)
    }

    fn take_in(
        &mut self,
        notice: &Notice,
        changes: &mut Vec<Change>,
        heartbeat: &dyn Fn(),
    ) -> Result<(), WatchError> {
        match notice.what {
            NoticeKind::Overflow => return Err(WatchError::Overflow),
            NoticeKind::Unmounted => return Err(WatchError::Mounts),
            _ => {}
        }
        // The notification belongs to a folder that is not watched any more.
        let Some(folder) = self.paths.get(&notice.watch).cloned() else {
            return Ok(());
        };
        match (&notice.name, notice.what) {
            (None, NoticeKind::Uprooted) if folder.is_empty() => {
                let why = "It was removed or renamed.";
                return Err(WatchError::Root(why.to_owned()));
            }
            (None, NoticeKind::Ended) => self.forget_watch(notice.watch),
            (None, NoticeKind::Attributes) => changes.push(Change::Folder(folder.to_vec())),
            // The parent folder's notification reports the same event.
            (None, _) => {}
            (Some(name), what) if notice.is_folder => {
                self.folder_changed(&join(&folder, name), what, changes, heartbeat)?;
            }
            (Some(name), what) => self.file_changed(&folder, name, what, changes),
        }
        Ok(())
    }

    fn folder_changed(
        &mut self,
        path: &[u8],
        what: NoticeKind,
        changes: &mut Vec<Change>,
        heartbeat: &dyn Fn(),
    ) -> Result<(), WatchError> {
        if path::is_passed_over_as_folder(path) {
            return Ok(());
        }
        match what {
            NoticeKind::Departed => {
                self.remove_tree(path);
                changes.push(Change::Departure(parent(path)));
                changes.push(Change::Departure(path.to_owned()));
                changes.push(Change::Tree(path.to_owned()));
            }
            NoticeKind::Created | NoticeKind::Arrived => {
                if what == NoticeKind::Arrived {
                    self.remove_tree(path);
                }
                self.add_tree(path.to_owned(), heartbeat)?;
                changes.push(Change::Folder(parent(path)));
                changes.push(Change::Tree(path.to_owned()));
            }
            // The folder may have become readable.
            NoticeKind::Attributes
                if self.has_gap_below(path) || !self.watches.contains_key(path) =>
            {
                self.add_tree(path.to_owned(), heartbeat)?;
                changes.push(Change::Tree(path.to_owned()));
            }
            NoticeKind::Attributes => changes.push(Change::Folder(path.to_owned())),
            _ => {}
        }
        Ok(())
    }

    fn file_changed(
        &mut self,
        folder: &[u8],
        name: &[u8],
        what: NoticeKind,
        changes: &mut Vec<Change>,
    ) {
        let path = join(folder, name);
        let folder = folder.to_vec();
        if speaks_of_folders_below(name) {
            changes.push(Change::Tree(folder.clone()));
        }
        if what == NoticeKind::Departed {
            // The removed file marked an incomplete download, so its download is complete now.
            if name.first() != Some(&b'.') {
                changes.push(Change::Closed(path));
                changes.push(Change::Departure(folder));
            }
            return;
        }
        if path::is_passed_over(&path) {
            return;
        }
        changes.push(match what {
            NoticeKind::Created if self.will_be_closed(&path) => Change::Written(path),
            NoticeKind::Arrived => {
                self.will_be_closed(&path);
                Change::Closed(path)
            }
            NoticeKind::Written => Change::Written(path),
            NoticeKind::Closed => Change::Closed(path),
            _ => Change::Folder(folder),
        });
    }

    /// Returns `true` if a path denotes a new file, which its writer will close. A symbolic or hard
    /// link is not closed.
    fn will_be_closed(&mut self, path: &[u8]) -> bool {
        let path = self.absolute(path);
        let Ok(metadata) = std::fs::symlink_metadata(&path) else {
            return false;
        };
        if metadata.is_symlink() {
            self.note_link(&path);
        }
        metadata.is_file() && metadata.nlink() == 1
    }

    /// Records a link within the library. Scans do not follow links out of the library.
    fn note_link(&mut self, link: &Path) {
        if !self.has_links {
            self.has_links =
                std::fs::canonicalize(link).is_ok_and(|target| target.starts_with(&self.root));
        }
    }

    /// Watches a folder and everything below it.
    fn add_tree(&mut self, folder: Vec<u8>, heartbeat: &dyn Fn()) -> Result<(), WatchError> {
        let mut pending = vec![folder];
        while let Some(folder) = pending.pop() {
            heartbeat();
            self.gaps.remove(&folder);
            let mount = self.mounts.below.get(&folder);
            if let Some(kind) = mount.and_then(|mount| mount.silent()) {
                let why = format!("{kind} does not report changes made by other machines");
                self.gaps.insert(folder, why);
                continue;
            }
            match self.add(&folder) {
                Ok(below) => pending.extend(below),
                Err(error) if is_limit(&error) => return Err(WatchError::Limit),
                // The parent folder's notification reports a removed folder.
                Err(error) if is_gone(&error) && !folder.is_empty() => {}
                Err(error) => drop(self.gaps.insert(folder, describe(&error))),
            }
        }
        Ok(())
    }

    /// Watches one folder and returns its subfolders. The watch precedes the listing, so that later
    /// entries are reported.
    fn add(&mut self, folder: &[u8]) -> io::Result<Vec<Vec<u8>>> {
        let absolute = self.absolute(folder);
        let watch = self.notices.watch(&absolute)?;
        let path: Arc<[u8]> = folder.into();
        if let Some(before) = self.paths.insert(watch, path.clone())
            && before != path
        {
            // The folder was renamed, and its notification is still pending.
            self.watches.remove(&before);
        }
        self.watches.insert(path, watch);
        let mut below = Vec::new();
        for entry in std::fs::read_dir(&absolute)? {
            let entry = entry?;
            let path = join(folder, entry.file_name().as_bytes());
            if path::is_passed_over_as_folder(&path) {
                continue;
            }
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => below.push(path),
                Ok(kind) if kind.is_symlink() => self.note_link(&entry.path()),
                _ => {}
            }
        }
        Ok(below)
    }

    fn remove_tree(&mut self, path: &[u8]) {
        let is_in = |other: &[u8]| is_at_or_below(other, path);
        let from = (Bound::Included(path), Bound::Unbounded);
        // Paths below the folder sort after it, with siblings such as `folder-2` in between.
        let first = path.to_vec();
        let watches: Vec<(Arc<[u8]>, i32)> = self
            .watches
            .range::<[u8], _>(from)
            .take_while(|(other, _)| other.starts_with(&first))
            .filter(|(other, _)| is_in(other))
            .map(|(other, watch)| (other.clone(), *watch))
            .collect();
        for (other, watch) in watches {
            self.watches.remove(&other);
            self.paths.remove(&watch);
            self.notices.unwatch(watch);
        }
        self.gaps.retain(|other, _| !is_in(other));
    }

    fn forget_watch(&mut self, watch: i32) {
        if let Some(path) = self.paths.remove(&watch)
            && self.watches.get(&path) == Some(&watch)
        {
            self.watches.remove(&path);
        }
    }

    fn has_gap_below(&self, path: &[u8]) -> bool {
        self.gaps.keys().any(|gap| is_at_or_below(gap, path))
    }

    fn absolute(&self, path: &[u8]) -> PathBuf {
        if path.is_empty() {
            return self.root.clone();
        }
        self.root.join(OsStr::from_bytes(path))
    }
}

fn join(folder: &[u8], name: &[u8]) -> Vec<u8> {
    if folder.is_empty() {
        return name.to_vec();
    }
    [folder, b"/", name].concat()
}

fn is_at_or_below(path: &[u8], folder: &[u8]) -> bool {
    let rest = path.strip_prefix(folder);
    rest.is_some_and(|rest| rest.is_empty() || folder.is_empty() || rest.starts_with(b"/"))
}

/// Returns `true` if the limit of watches or the memory for them is exhausted.
fn is_limit(error: &io::Error) -> bool {
    let limits = [Errno::NOSPC, Errno::NOMEM].map(Errno::raw_os_error);
    error
        .raw_os_error()
        .is_some_and(|code| limits.contains(&code))
}

fn is_gone(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

fn describe(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "the server may not read it".to_owned(),
        _ => error.to_string(),
    }
}

/// Returns `true` if readers also apply a file of this name to files in the subfolders of its
/// folder.
fn speaks_of_folders_below(name: &[u8]) -> bool {
    let mut kinds = inventory::iter::<MediaKind>.into_iter();
    kinds.any(|kind| {
        let mut sidecars = kind.metadata_sidecars.of_folders_below.iter();
        sidecars.any(|sidecar| name.eq_ignore_ascii_case(sidecar.as_bytes()))
    })
}

#[cfg(test)]
mod tests;

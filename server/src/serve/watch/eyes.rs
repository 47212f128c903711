//! The folders of one library that are watched, and what their notices mean. Watching opens no
//! file and writes nothing.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::io;
use std::ops::Bound;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ledge_core::registry::MediaKind;
use ledge_core::scan::name;
use rustix::io::Errno;

use super::changes::{Change, parent};
use super::lost::Lost;
use super::mounts::Mounts;
use super::notices::{Notice, Notices, What};

/// Folders that are named where several are not watched.
const NAMED: usize = 3;

/// What the eyes ask of the system.
pub(super) struct System {
    /// Makes a source of notices.
    pub(super) notices: Box<dyn Fn() -> io::Result<Box<dyn Notices>> + Send + Sync>,
    /// The file systems in and below a folder.
    pub(super) mounts: Box<dyn Fn(&Path) -> Mounts + Send + Sync>,
}

/// Which folder this is, whatever its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Node(u64, u64);

impl Node {
    fn of(path: &Path) -> io::Result<Self> {
        let metadata = std::fs::metadata(path)?;
        Ok(Self(metadata.dev(), metadata.ino()))
    }
}

/// A library's folder that is watched with all below it, until this is dropped. Paths are below
/// the root.
pub(super) struct Eyes {
    root: PathBuf,
    node: Node,
    mounts: Mounts,
    notices: Box<dyn Notices>,
    paths: HashMap<i32, Arc<[u8]>>,
    watches: BTreeMap<Arc<[u8]>, i32>,
    /// Folders that cannot be watched, and why.
    gaps: BTreeMap<Vec<u8>, String>,
    /// Whether something in the library can also be reached by a link in it: a change is then
    /// seen at one of its places only.
    has_links: bool,
}

impl Eyes {
    /// Begins to watch; `beat` is called for each folder.
    pub(super) fn open(root: &Path, system: &System, beat: &dyn Fn()) -> Result<Self, Lost> {
        let mounts = (system.mounts)(root);
        if let Some(kind) = &mounts.silent_root {
            return Err(Lost::Silent(kind.clone()));
        }
        let mut eyes = Self {
            root: root.to_owned(),
            node: Node::of(root).map_err(|error| Lost::of_root(&error))?,
            mounts,
            notices: (system.notices)().map_err(|error| Lost::of_system(&error))?,
            paths: HashMap::new(),
            watches: BTreeMap::new(),
            gaps: BTreeMap::new(),
            has_links: false,
        };
        eyes.add_tree(Vec::new(), beat)?;
        if let Some(why) = eyes.gaps.remove(&Vec::new()) {
            return Err(Lost::Root(why));
        }
        Ok(eyes)
    }

    /// Whether the root is still the folder that is watched, and holds the same file systems.
    pub(super) fn check(&self, system: &System) -> Result<(), Lost> {
        if Node::of(&self.root).map_err(|error| Lost::of_root(&error))? != self.node {
            return Err(Lost::Root("Another folder lies in its place.".to_owned()));
        }
        if (system.mounts)(&self.root) != self.mounts {
            return Err(Lost::Mounts);
        }
        Ok(())
    }

    /// Which folders are not watched, and why.
    pub(super) fn gaps(&self) -> Option<String> {
        let mut named: Vec<String> = self
            .gaps
            .iter()
            .take(NAMED)
            .map(|(path, why)| format!("{}: {why}", name::display(path)))
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

    /// What changed; waits for it, at most so long.
    pub(super) fn see(&mut self, limit: Duration, beat: &dyn Fn()) -> Result<Vec<Change>, Lost> {
        let notices = self
            .notices
            .read(limit)
            .map_err(|error| Lost::of_system(&error))?;
        let mut changes = Vec::new();
        for notice in notices {
            beat();
            self.take_in(&notice, &mut changes, beat)?;
        }
        if self.has_links
            && changes
                .iter()
                .any(|change| !matches!(change, Change::Written(_)))
        {
            // What grows is left out under each of its names: none is known but one.
            changes.push(Change::Anything);
        }
        Ok(changes)
    }

    fn take_in(
        &mut self,
        notice: &Notice,
        changes: &mut Vec<Change>,
        beat: &dyn Fn(),
    ) -> Result<(), Lost> {
        match notice.what {
            What::Overflow => return Err(Lost::Overflow),
            What::Unmounted => return Err(Lost::Mounts),
            _ => {}
        }
        // Of a folder that is not watched any more.
        let Some(folder) = self.paths.get(&notice.watch).cloned() else {
            return Ok(());
        };
        match (&notice.name, notice.what) {
            (None, What::Uprooted) if folder.is_empty() => {
                let why = "It was removed or renamed.";
                return Err(Lost::Root(why.to_owned()));
            }
            (None, What::Ended) => self.forget_watch(notice.watch),
            (None, What::Attributes) => changes.push(Change::Folder(folder.to_vec())),
            // The folder above tells of it, too.
            (None, _) => {}
            (Some(name), what) if notice.is_folder => {
                self.folder_changed(&join(&folder, name), what, changes, beat)?;
            }
            (Some(name), what) => self.file_changed(&folder, name, what, changes),
        }
        Ok(())
    }

    fn folder_changed(
        &mut self,
        path: &[u8],
        what: What,
        changes: &mut Vec<Change>,
        beat: &dyn Fn(),
    ) -> Result<(), Lost> {
        if name::is_passed_over_as_folder(path) {
            return Ok(());
        }
        match what {
            What::Departed => {
                self.remove_tree(path);
                changes.push(Change::Departure(parent(path)));
                changes.push(Change::Departure(path.to_owned()));
                changes.push(Change::Tree(path.to_owned()));
            }
            What::Created | What::Arrived => {
                if what == What::Arrived {
                    self.remove_tree(path);
                }
                self.add_tree(path.to_owned(), beat)?;
                changes.push(Change::Folder(parent(path)));
                changes.push(Change::Tree(path.to_owned()));
            }
            // It may be readable only now.
            What::Attributes if self.has_gap_below(path) || !self.watches.contains_key(path) => {
                self.add_tree(path.to_owned(), beat)?;
                changes.push(Change::Tree(path.to_owned()));
            }
            What::Attributes => changes.push(Change::Folder(path.to_owned())),
            _ => {}
        }
        Ok(())
    }

    fn file_changed(&mut self, folder: &[u8], name: &[u8], what: What, changes: &mut Vec<Change>) {
        let path = join(folder, name);
        let folder = folder.to_vec();
        if speaks_of_folders_below(name) {
            changes.push(Change::Tree(folder.clone()));
        }
        if what == What::Departed {
            // A downloader's note that is gone leaves a complete file behind.
            if name.first() != Some(&b'.') {
                changes.push(Change::Closed(path));
                changes.push(Change::Departure(folder));
            }
            return;
        }
        if name::is_passed_over(&path) {
            return;
        }
        changes.push(match what {
            What::Created if self.will_be_closed(&path) => Change::Written(path),
            What::Arrived => {
                self.will_be_closed(&path);
                Change::Closed(path)
            }
            What::Written => Change::Written(path),
            What::Closed => Change::Closed(path),
            _ => Change::Folder(folder),
        });
    }

    /// Whether a name is that of a new file, whose maker will close it; not a link to another, be
    /// it a symbolic or a hard one.
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

    /// A link out of the library leads nowhere, to a scan.
    fn note_link(&mut self, link: &Path) {
        if !self.has_links {
            self.has_links =
                std::fs::canonicalize(link).is_ok_and(|target| target.starts_with(&self.root));
        }
    }

    /// Watches a folder and all below it.
    fn add_tree(&mut self, folder: Vec<u8>, beat: &dyn Fn()) -> Result<(), Lost> {
        let mut pending = vec![folder];
        while let Some(folder) = pending.pop() {
            beat();
            self.gaps.remove(&folder);
            let mount = self.mounts.below.get(&folder);
            if let Some(kind) = mount.and_then(|mount| mount.silent()) {
                let why = format!("{kind} does not tell of changes made elsewhere");
                self.gaps.insert(folder, why);
                continue;
            }
            match self.add(&folder) {
                Ok(below) => pending.extend(below),
                Err(error) if is_limit(&error) => return Err(Lost::Limit),
                // The folder above tells of what is gone.
                Err(error) if is_gone(&error) && !folder.is_empty() => {}
                Err(error) => drop(self.gaps.insert(folder, describe(&error))),
            }
        }
        Ok(())
    }

    /// Watches one folder; the folders in it. First the watch, then the look: what is new after
    /// the look is told.
    fn add(&mut self, folder: &[u8]) -> io::Result<Vec<Vec<u8>>> {
        let absolute = self.absolute(folder);
        let watch = self.notices.watch(&absolute)?;
        let path: Arc<[u8]> = folder.into();
        if let Some(before) = self.paths.insert(watch, path.clone())
            && before != path
        {
            // It was renamed, and that has not been told yet.
            self.watches.remove(&before);
        }
        self.watches.insert(path, watch);
        let mut below = Vec::new();
        for entry in std::fs::read_dir(&absolute)? {
            let entry = entry?;
            let path = join(folder, entry.file_name().as_bytes());
            if name::is_passed_over_as_folder(&path) {
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
        // What lies below sorts after the folder, with others such as `folder-2` between.
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

/// No more watches, or no memory for them.
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

/// Whether readers read a file of this name for the files in the folders next to it as well.
fn speaks_of_folders_below(name: &[u8]) -> bool {
    let mut kinds = inventory::iter::<MediaKind>.into_iter();
    kinds.any(|kind| {
        let mut notes = kind.notes.of_folders_below.iter();
        notes.any(|note| name.eq_ignore_ascii_case(note.as_bytes()))
    })
}

#[cfg(test)]
mod tests;

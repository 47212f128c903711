//! Walk phase: folders are listed in parallel.

pub(super) mod scope;
pub(super) mod visited_folders;

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use crossbeam_channel::Sender;

use super::diff;
use super::identity;
use super::run::{Run, lock, raise};
use crate::error::StoreResult;
use crate::fs::disk::{Entry, Listing, Node};
use crate::path;
use crate::scan::diff::folder_change::ChangedFolder;
use crate::scan::diff::sidecars::Sidecars;
use crate::scan::run::file_budget::Permit;
use crate::scan::walk::scope::Start;
use crate::scan::walk::visited_folders::VisitedFolders;

/// Number of walker threads. More threads were not faster in measurements, and they would load a
/// shared disk.
pub(super) const WALKERS: usize = 2;
/// Maximum nesting of links to folders.
const MAX_LINKS: usize = 4;
/// Number of folders that are compared in one read transaction.
const FOLDERS_PER_READ: usize = 64;

/// Chain of the folders above a folder, to detect link loops.
struct FolderChain {
    node: Node,
    above: Option<Arc<FolderChain>>,
}

/// Subfolders of one folder that are not listed yet.
struct Frame {
    path: Arc<[u8]>,
    above: Option<Arc<FolderChain>>,
    links: usize,
    folders: VecDeque<crate::fs::disk::Subfolder>,
    origin: Origin,
    /// Sidecar files of the parent folder, or `None` if it has not been listed.
    sidecars: Option<Arc<[Entry]>>,
}

/// Reason why a folder is visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// Its parent folder lists it.
    Listed,
    /// The scope names it with everything below it. It may be gone.
    Tree,
    /// The scope names it without its subfolders. It may be gone.
    Alone,
    /// It was visited in this run before.
    Again,
}

/// Queue of folders to list, shared by the walkers.
pub(super) struct Pending {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    frames: Vec<Frame>,
    /// Number of folders that walkers are listing. They may add subfolders.
    busy: usize,
}

/// Folder to list.
struct Task {
    path: Vec<u8>,
    above: Option<Arc<FolderChain>>,
    links: usize,
    origin: Origin,
    sidecars: Option<Arc<[Entry]>>,
}

impl Pending {
    /// Creates a queue that starts at the root.
    pub(super) fn root() -> Self {
        Self::of(vec![Frame::of(Vec::new(), Origin::Listed)])
    }

    /// Creates a queue that starts at some folders.
    pub(super) fn starts(starts: Vec<Start>) -> Self {
        let frame = |start: Start| {
            let origin = if start.is_deep {
                Origin::Tree
            } else {
                Origin::Alone
            };
            let above = start.above.into_iter().fold(None, |above, node| {
                Some(Arc::new(FolderChain { node, above }))
            });
            Frame {
                above,
                ..Frame::of(start.path, origin)
            }
        };
        Self::of(starts.into_iter().map(frame).collect())
    }

    /// Creates a queue that visits some folders again, without their subfolders.
    pub(super) fn recheck(paths: Vec<Vec<u8>>) -> Self {
        let frame = |path| Frame::of(path, Origin::Again);
        Self::of(paths.into_iter().map(frame).collect())
    }

    fn of(frames: Vec<Frame>) -> Self {
        Self {
            state: Mutex::new(State { frames, busy: 0 }),
            changed: Condvar::new(),
        }
    }

    /// Returns the next folder. Waits while another walker may still add some. Returns `None` at
    /// the end.
    fn take(&self, run: &Run<'_>) -> Option<Task> {
        let mut state = lock(&self.state);
        loop {
            while let Some(frame) = state.frames.last_mut() {
                let Some(folder) = frame.folders.pop_front() else {
                    state.frames.pop();
                    continue;
                };
                let task = frame.task(&folder, run);
                if let Some(task) = task {
                    state.busy += 1;
                    return Some(task);
                }
            }
            if state.busy == 0 {
                self.changed.notify_all();
                return None;
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn finish(&self, found: Option<Frame>) {
        let mut state = lock(&self.state);
        state.busy -= 1;
        state.frames.extend(found);
        self.changed.notify_all();
    }
}

impl Frame {
    /// Creates a frame for one folder by its path below the root.
    fn of(path: Vec<u8>, origin: Origin) -> Self {
        let folder = crate::fs::disk::Subfolder {
            name: path,
            link: None,
        };
        Self {
            path: Arc::default(),
            above: None,
            links: 0,
            folders: VecDeque::from([folder]),
            origin,
            sidecars: None,
        }
    }

    /// Returns the folder as a task, unless it is a link that must not be followed.
    fn task(&self, folder: &crate::fs::disk::Subfolder, run: &Run<'_>) -> Option<Task> {
        let path = path::join(&self.path, &folder.name);
        let mut links = self.links;
        if let Some(node) = folder.link {
            links += 1;
            let mut above = self.above.as_ref();
            while let Some(folder) = above {
                if folder.node == node {
                    run.error(&path, &"the link leads back to a folder above it");
                    return None;
                }
                above = folder.above.as_ref();
            }
            if links > MAX_LINKS {
                run.error(&path, &"too many links to folders within each other");
                return None;
            }
        }
        Some(Task {
            path,
            above: self.above.clone(),
            links,
            origin: self.origin,
            sidecars: self.sidecars.clone(),
        })
    }
}

/// Runs one walker until the queue is empty or the run must stop.
pub(super) fn walk(
    run: &Run<'_>,
    pending: &Pending,
    seen: &VisitedFolders,
    changed: &Sender<(ChangedFolder, Permit)>,
) -> StoreResult<()> {
    let connection = run.app.db.connect_reader()?;
    let mut reads = 0;
    let mut snapshot = Some(connection.unchecked_transaction()?);
    while let Some(task) = pending.take(run) {
        // The guard finishes the task even after a panic. Otherwise, the other walker would wait
        // forever.
        let mut found = Found {
            pending,
            frame: None,
        };
        if run.should_stop() {
            run.abort(None);
            continue;
        }
        let Some(listing) = list(run, &task, seen) else {
            continue;
        };
        if task.origin != Origin::Again {
            // Files of folders that are visited again are already counted.
            raise(&run.tally.scanned, listing.files.len() as u64);
        }
        let here = run.rules.sidecars(&*run.disk, &task.path, &listing);
        if task.is_deep() {
            let sidecars = run.rules.sidecars_for_below(&here).into();
            found.frame = frame(&task, &listing, sidecars);
        }
        drop(found);
        // One snapshot serves several folders. It is not held for long, so that the write-ahead log
        // can be checkpointed.
        reads += 1;
        if reads % FOLDERS_PER_READ == 0 {
            drop(snapshot.take());
            snapshot = Some(connection.unchecked_transaction()?);
        }
        let sidecars = sidecars(run, &task, here);
        if let Some(folder) = diff::compare(run, &connection, task.path, (listing, sidecars), seen)?
        {
            // The snapshot must not be held while this thread waits for the writer.
            send(run, changed, folder, || {
                drop(snapshot.take());
                reads = 0;
            });
            if snapshot.is_none() {
                snapshot = Some(connection.unchecked_transaction()?);
            }
        }
    }
    Ok(())
}

/// Lists the folder of a task. Returns `None` if that fails.
fn list(run: &Run<'_>, task: &Task, seen: &VisitedFolders) -> Option<Listing> {
    let listed = run
        .disk
        .list(&task.path, &|file| run.rules.kind_of(file).is_some());
    match listed {
        Ok(listing) => Some(listing),
        // Its stored files become missing unless they are found elsewhere.
        Err(error) if task.is_asked_for() && identity::is_gone(&error) => None,
        Err(error) => {
            run.error(&task.path, &error);
            seen.could_not_list(&task.path);
            None
        }
    }
}

/// Returns the sidecar files that apply to the files of a folder. `here` are those inside it.
fn sidecars(run: &Run<'_>, task: &Task, here: Vec<Entry>) -> Sidecars {
    let above = task
        .sidecars
        .clone()
        .unwrap_or_else(|| sidecars_above(run, &task.path));
    Sidecars {
        general: run.rules.general_sidecars(&here),
        here,
        above,
    }
}

/// Sends a changed folder to the readers. Calls `release` before it may have to wait.
fn send(
    run: &Run<'_>,
    changed: &Sender<(ChangedFolder, Permit)>,
    folder: ChangedFolder,
    release: impl FnOnce(),
) {
    let mut permit = run.file_budget.try_take(folder.files.len());
    if changed.is_full() || permit.is_none() {
        release();
    }
    if permit.is_none() {
        let should_stop = || run.should_stop();
        permit = run.file_budget.take(folder.files.len(), should_stop);
    }
    let is_sent = permit.is_some_and(|permit| changed.send((folder, permit)).is_ok());
    if !is_sent {
        run.abort(None);
    }
}

impl Task {
    fn is_asked_for(&self) -> bool {
        matches!(self.origin, Origin::Tree | Origin::Alone)
    }

    fn is_deep(&self) -> bool {
        matches!(self.origin, Origin::Listed | Origin::Tree)
    }
}

struct Found<'a> {
    pending: &'a Pending,
    frame: Option<Frame>,
}

impl Drop for Found<'_> {
    fn drop(&mut self) {
        self.pending.finish(self.frame.take());
    }
}

/// Returns the sidecar files of the parent folder that apply to this one, if the walk did not start
/// above it.
fn sidecars_above(run: &Run<'_>, path: &[u8]) -> Arc<[Entry]> {
    if path.is_empty() || !run.rules.looks_above() {
        return Arc::default();
    }
    let slash = path.iter().rposition(|byte| *byte == b'/');
    let above = slash
        .and_then(|slash| path.get(..slash))
        .unwrap_or_default();
    let listed = run
        .disk
        .list(above, &|file| run.rules.kind_of(file).is_some());
    let sidecars = listed.map(|listing| run.rules.sidecars(&*run.disk, above, &listing));
    run.rules
        .sidecars_for_below(&sidecars.unwrap_or_default())
        .into()
}

fn frame(task: &Task, listing: &Listing, sidecars: Arc<[Entry]>) -> Option<Frame> {
    if listing.folders.is_empty() {
        return None;
    }
    Some(Frame {
        path: task.path.as_slice().into(),
        above: Some(Arc::new(FolderChain {
            node: listing.node,
            above: task.above.clone(),
        })),
        links: task.links,
        origin: Origin::Listed,
        sidecars: Some(sidecars),
        folders: listing.folders.clone().into(),
    })
}

//! The walk: folders in parallel, each compared with what is stored; what is as it was costs one
//! look at one row.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use crossbeam_channel::Sender;
use rusqlite::Connection;

use super::change::{ChangedFolder, SeenFile};
use super::disk::{Entry, Listing, Node};
use super::notes::Beside;
use super::room::Share;
use super::run::{Run, lock, raise};
use super::scope::Start;
use super::seen::Seen;
use super::{identity, name, rules};
use crate::store::folder::{self, Digest, Folder};
use crate::store::{StoreResult, file};

/// Threads that walk; more gained nothing where it was measured, and the disk is others' too.
pub(super) const WALKERS: usize = 2;
/// Links to folders that are followed within each other.
const MAX_LINKS: usize = 4;
/// Folders whose rows are read in one look at the database.
const FOLDERS_PER_READ: usize = 64;

/// A folder above others, for telling loops.
struct Above {
    node: Node,
    above: Option<Arc<Above>>,
}

/// Folders of one parent that nobody has listed yet.
struct Frame {
    path: Arc<[u8]>,
    above: Option<Arc<Above>>,
    links: usize,
    folders: VecDeque<super::disk::Subfolder>,
    origin: Origin,
    /// Notes of the folder above; `None` where it has not been listed.
    notes: Option<Arc<[Entry]>>,
}

/// Where a folder's name is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// The folder above lists it.
    Listed,
    /// Asked for with everything below it; it may be gone.
    Tree,
    /// Asked for by itself; it may be gone.
    Alone,
    /// Seen in this run before.
    Again,
}

/// What is still to be listed: shared by the walkers.
pub(super) struct Pending {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    frames: Vec<Frame>,
    /// Folders that a walker has taken and not finished: they may hold more.
    busy: usize,
}

/// A folder to list.
struct Task {
    path: Vec<u8>,
    above: Option<Arc<Above>>,
    links: usize,
    origin: Origin,
    notes: Option<Arc<[Entry]>>,
}

impl Pending {
    /// Everything below the root; the root itself is in the first frame.
    pub(super) fn root() -> Self {
        Self::of(vec![Frame::of(Vec::new(), Origin::Listed)])
    }

    /// These folders.
    pub(super) fn starts(starts: Vec<Start>) -> Self {
        let frame = |start: Start| {
            let origin = if start.is_deep {
                Origin::Tree
            } else {
                Origin::Alone
            };
            let above = start
                .above
                .into_iter()
                .fold(None, |above, node| Some(Arc::new(Above { node, above })));
            Frame {
                above,
                ..Frame::of(start.path, origin)
            }
        };
        Self::of(starts.into_iter().map(frame).collect())
    }

    /// These folders once more, by their paths; not what is below them.
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

    /// The next folder; waits while another walker may still find some. `None` at the end.
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
    /// One folder by its path below the root.
    fn of(path: Vec<u8>, origin: Origin) -> Self {
        let folder = super::disk::Subfolder {
            name: path,
            link: None,
        };
        Self {
            path: Arc::default(),
            above: None,
            links: 0,
            folders: VecDeque::from([folder]),
            origin,
            notes: None,
        }
    }

    /// The folder as a task, unless it is a link that must not be followed.
    fn task(&self, folder: &super::disk::Subfolder, run: &Run<'_>) -> Option<Task> {
        let path = name::join(&self.path, &folder.name);
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
            notes: self.notes.clone(),
        })
    }
}

/// One walker's work: until nothing is left or the run is to stop.
pub(super) fn walk(
    run: &Run<'_>,
    pending: &Pending,
    seen: &Seen,
    changed: &Sender<(ChangedFolder, Share)>,
) -> StoreResult<()> {
    let connection = run.app.db.connect_reader()?;
    let mut reads = 0;
    let mut snapshot = Some(connection.unchecked_transaction()?);
    while let Some(task) = pending.take(run) {
        // Finishes the task also if something below panics: the other walker would wait for ever.
        let mut found = Found {
            pending,
            frame: None,
        };
        if run.should_stop() {
            run.break_off(None);
            continue;
        }
        let listed = run
            .disk
            .list(&task.path, &|file| run.rules.kind_of(file).is_some());
        let listing = match listed {
            Ok(listing) => listing,
            // What was stored of it is missing unless it is found elsewhere.
            Err(error) if task.is_asked_for() && identity::is_gone(&error) => {
                continue;
            }
            Err(error) => {
                run.error(&task.path, &error);
                seen.could_not_list(&task.path);
                continue;
            }
        };
        if task.origin != Origin::Again {
            // Files of folders that are looked at again are counted already.
            raise(&run.tally.scanned, listing.files.len() as u64);
        }
        let here = run.rules.notes(&*run.disk, &task.path, &listing);
        if task.is_deep() {
            let notes = run.rules.notes_for_below(&here).into();
            found.frame = frame(&task, &listing, notes);
        }
        drop(found);
        // One snapshot serves several folders; none is held for long, so that the log can be
        // folded in.
        reads += 1;
        if reads % FOLDERS_PER_READ == 0 {
            drop(snapshot.take());
            snapshot = Some(connection.unchecked_transaction()?);
        }
        let above = task
            .notes
            .clone()
            .unwrap_or_else(|| notes_above(run, &task.path));
        let beside = Beside {
            general: run.rules.general_notes(&here),
            here,
            above,
        };
        if let Some(folder) = visit(run, &connection, task.path, (listing, beside), seen)? {
            // A snapshot must not be held while the writer is waited for.
            let mut share = run.room.try_take(folder.files.len());
            if changed.is_full() || share.is_none() {
                drop(snapshot.take());
                reads = 0;
            }
            if share.is_none() {
                let should_stop = || run.should_stop();
                share = run.room.take(folder.files.len(), should_stop);
            }
            let is_sent = share.is_some_and(|share| changed.send((folder, share)).is_ok());
            if !is_sent {
                run.break_off(None);
            }
            if snapshot.is_none() {
                snapshot = Some(connection.unchecked_transaction()?);
            }
        }
    }
    Ok(())
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

/// The notes that the folder above has for this one, where the walk has not come from there.
fn notes_above(run: &Run<'_>, path: &[u8]) -> Arc<[Entry]> {
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
    let notes = listed.map(|listing| run.rules.notes(&*run.disk, above, &listing));
    run.rules.notes_for_below(&notes.unwrap_or_default()).into()
}

fn frame(task: &Task, listing: &Listing, notes: Arc<[Entry]>) -> Option<Frame> {
    if listing.folders.is_empty() {
        return None;
    }
    Some(Frame {
        path: task.path.as_slice().into(),
        above: Some(Arc::new(Above {
            node: listing.node,
            above: task.above.clone(),
        })),
        links: task.links,
        origin: Origin::Listed,
        notes: Some(notes),
        folders: listing.folders.clone().into(),
    })
}

/// Compares one folder with what is stored; the folder, if something is to be written.
fn visit(
    run: &Run<'_>,
    connection: &Connection,
    path: Vec<u8>,
    (listing, beside): (Listing, Beside),
    seen: &Seen,
) -> StoreResult<Option<ChangedFolder>> {
    let mut is_doubtful = false;
    for trouble in &listing.troubles {
        run.error(&name::join(&path, &trouble.name), &trouble.what);
        is_doubtful |= !trouble.is_gone && run.rules.kind_of(&trouble.name).is_some();
    }
    let stored = folder::at_unscoped(connection, run.library, &path)?;
    if path.is_empty() {
        seen.saw_root(listing.is_mount);
    } else if let Some(folder) = &stored
        && folder.is_mount != listing.is_mount
    {
        seen.boundary_changed(folder.id, &path, listing.is_mount);
    }
    if listing.is_mount {
        seen.mounted(&path);
    }
    let pictures = rules::digest_of(&run.rules.pictures(&*run.disk, &path, &listing));
    let digests = Digests {
        listing: run
            .rules
            .digest(&listing, pictures.as_ref(), &beside, &run.root_name),
        pictures,
    };
    match stored {
        Some(folder) => {
            seen.saw(folder.id);
            if folder.listing == Some(digests.listing) && !is_doubtful {
                return Ok(None);
            }
            known_folder(
                run,
                connection,
                &folder,
                (path, listing, beside, digests),
                seen,
            )
        }
        None if listing.files.is_empty() && pictures.is_none() && !listing.is_mount => Ok(None),
        None => Ok(Some(changed(
            run,
            None,
            (path, listing, beside, digests),
            Vec::new(),
            true,
        ))),
    }
}

/// What tells one state of a folder from another.
#[derive(Clone, Copy)]
struct Digests {
    listing: Digest,
    /// Of what may be covers alone.
    pictures: Option<Digest>,
}

fn known_folder(
    run: &Run<'_>,
    connection: &Connection,
    folder: &Folder,
    (path, listing, beside, digests): (Vec<u8>, Listing, Beside, Digests),
    seen: &Seen,
) -> StoreResult<Option<ChangedFolder>> {
    let rows = file::in_folder_unscoped(connection, folder.id)?;
    // A name that could not be looked at is not gone.
    let is_there = |name: &[u8]| {
        let listed = listing
            .files
            .binary_search_by(|file| file.name.as_slice().cmp(name));
        let mut unclear = listing.troubles.iter().filter(|trouble| !trouble.is_gone);
        listed.is_ok() || unclear.any(|trouble| trouble.name == name)
    };
    let absent: Vec<_> = rows
        .iter()
        .filter(|row| !row.missing && !is_there(&row.name))
        .map(|row| row.id)
        .collect();
    seen.absent(folder.id, &absent);
    if listing.files.is_empty() && folder.pictures == digests.pictures {
        // Nothing to catalogue; the listing is kept once what is gone is marked.
        seen.listed(folder.id, digests.listing);
        return Ok(None);
    }
    let is_settled = absent.is_empty();
    Ok(Some(changed(
        run,
        Some(folder),
        (path, listing, beside, digests),
        rows,
        is_settled,
    )))
}

fn changed(
    run: &Run<'_>,
    folder: Option<&Folder>,
    (path, listing, beside, digests): (Vec<u8>, Listing, Beside, Digests),
    rows: Vec<file::StoredFile>,
    is_settled: bool,
) -> ChangedFolder {
    let mut rows = rows.into_iter().peekable();
    let files = listing.files.into_iter().filter_map(|entry| {
        while rows.next_if(|row| row.name < entry.name).is_some() {}
        let stored = rows.next_if(|row| row.name == entry.name);
        let kind = run.rules.kind_of(&entry.name)?;
        let contestants = run.rules.contestants(&entry.name).iter();
        Some(SeenFile {
            kind,
            mark: beside.mark(kind, &entry.name),
            contestants: contestants
                .map(|kind| (*kind, beside.mark(kind, &entry.name)))
                .collect(),
            name: entry.name,
            look: entry.look,
            stored: stored.map(Box::new),
        })
    });
    ChangedFolder {
        id: folder.map(|folder| folder.id),
        path,
        is_mount: listing.is_mount,
        digest: digests.listing,
        pictures: digests.pictures,
        is_settled,
        files: files.collect(),
        others: listing.others,
        folders: listing
            .folders
            .into_iter()
            .map(|folder| folder.name)
            .collect(),
    }
}

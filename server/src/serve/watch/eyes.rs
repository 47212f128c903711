//! The system's notices of changes below one root. Watching opens no file and writes nothing.

use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use ledge_core::scan::name;
use notify::event::{AccessKind, AccessMode, EventKind, ModifyKind};
use notify::{Config, ErrorKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::changes::Changes;

/// File systems on which others change what this machine is not told of, by the numbers that
/// statfs(2) lists: NFS, SMB, CIFS, SMB2, FUSE, 9P, Ceph, AFS.
const REMOTE: [u32; 8] = [
    0x6969,
    0x517b,
    0xff53_4d42,
    0xfe53_4d42,
    0x6573_5546,
    0x0102_1997,
    0x00c3_6400,
    0x5346_414f,
];

/// Which folder this is, whatever its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Node(u64, u64);

impl Node {
    pub(super) fn of(path: &Path) -> Option<Self> {
        let metadata = std::fs::metadata(path).ok()?;
        Some(Self(metadata.dev(), metadata.ino()))
    }
}

/// A folder that is watched, with all below it, until this is dropped.
pub(super) struct Eyes {
    seen: Arc<Mutex<Seen>>,
    node: Node,
    _watcher: RecommendedWatcher,
}

#[derive(Default)]
struct Seen {
    changes: Changes,
    /// Why nothing more will be seen.
    lost: Option<String>,
}

impl Eyes {
    /// Begins to watch; the sentence says why it cannot be and what to do.
    pub(super) fn open(root: &Path) -> Result<Self, String> {
        let node = Node::of(root).ok_or("The folder cannot be read.")?;
        let system = rustix::fs::statfs(root).map_err(|error| format!("{error}."))?;
        if u32::try_from(system.f_type & 0xffff_ffff).is_ok_and(is_remote) {
            return Err(
                "The folder lies on a network or user-space file system, which does not \
                        tell of changes made elsewhere. It is scanned on request and every \
                        LEDGE_SCAN_INTERVAL."
                    .to_owned(),
            );
        }
        let seen: Arc<Mutex<Seen>> = Arc::default();
        let (told, below) = (seen.clone(), root.to_owned());
        // What a link leads to is seen where it really lies.
        let config = Config::default().with_follow_symlinks(false);
        let mut watcher = RecommendedWatcher::new(
            move |event| take_in(&mut lock(&told), &below, event),
            config,
        )
        .map_err(|error| explain(&error))?;
        watcher
            .watch(root, RecursiveMode::Recursive)
            .map_err(|error| explain(&error))?;
        Ok(Self {
            seen,
            node,
            _watcher: watcher,
        })
    }

    pub(super) fn node(&self) -> Node {
        self.node
    }

    /// Why nothing is seen any more, if so.
    pub(super) fn lost(&self) -> Option<String> {
        lock(&self.seen).lost.clone()
    }

    /// Whether something changed and has come to rest; it is forgotten then.
    pub(super) fn take_settled(&self) -> bool {
        lock(&self.seen).changes.take_settled(Instant::now())
    }

    /// Something changed, or may have.
    pub(super) fn put_back(&self) {
        lock(&self.seen).changes.note(Instant::now());
    }
}

/// What the mutex guards is whole after every statement.
fn lock(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

fn take_in(seen: &mut Seen, root: &Path, event: notify::Result<notify::Event>) {
    let now = Instant::now();
    let event = match event {
        Ok(event) => event,
        Err(error) => {
            seen.lost = Some(explain(&error));
            return;
        }
    };
    if event.need_rescan() {
        // The system had more to tell than it could keep.
        seen.changes.note(now);
        return;
    }
    let is_end = matches!(
        event.kind,
        EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_))
    );
    if is_end && event.paths.iter().any(|path| path == root) {
        seen.lost = Some("The folder was removed or renamed.".to_owned());
        return;
    }
    for path in event.paths.iter().filter(|path| is_of_interest(root, path)) {
        match event.kind {
            EventKind::Modify(ModifyKind::Data(_)) => seen.changes.wrote(path, now),
            EventKind::Access(AccessKind::Close(AccessMode::Write)) | EventKind::Remove(_) => {
                seen.changes.closed(path, now);
            }
            EventKind::Modify(ModifyKind::Name(_)) => seen.changes.closed(path, now),
            EventKind::Access(_) => {}
            _ => seen.changes.note(now),
        }
    }
}

/// Whether a scan would take notice of what lies there.
fn is_of_interest(root: &Path, path: &Path) -> bool {
    path.strip_prefix(root)
        .is_ok_and(|below| !name::is_passed_over(below.as_os_str().as_bytes()))
}

fn is_remote(system: u32) -> bool {
    REMOTE.contains(&system)
}

fn explain(error: &notify::Error) -> String {
    let is_limit = match &error.kind {
        ErrorKind::MaxFilesWatch => true,
        // Too many instances.
        ErrorKind::Io(error) => {
            error.raw_os_error() == Some(rustix::io::Errno::MFILE.raw_os_error())
        }
        _ => false,
    };
    if is_limit {
        return "The system watches no more folders. Raise fs.inotify.max_user_watches and \
                fs.inotify.max_user_instances with sysctl."
            .to_owned();
    }
    format!("{error}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_of_the_system_is_told_with_its_remedy() {
        let full = notify::Error::new(ErrorKind::MaxFilesWatch);
        assert!(explain(&full).contains("fs.inotify.max_user_watches"));
        let other = notify::Error::new(ErrorKind::PathNotFound);
        assert!(!explain(&other).contains("sysctl"));
    }

    #[test]
    fn network_file_systems_are_known_by_their_numbers() {
        assert!(is_remote(0x6969), "NFS");
        assert!(is_remote(0xff53_4d42), "CIFS");
        assert!(!is_remote(0xef53), "ext4");
        assert!(!is_remote(0x0102_1994), "tmpfs");
    }

    #[test]
    fn what_a_scan_passes_over_is_no_change() {
        let root = Path::new("/m");
        for (path, expected) in [
            ("/m/a.epub", true),
            ("/m/folder/a.epub", true),
            ("/m/a.epub.part", false),
            ("/m/.a.epub", false),
            ("/m/.trash/a.epub", false),
            ("/elsewhere/a.epub", false),
        ] {
            assert_eq!(is_of_interest(root, Path::new(path)), expected, "{path}");
        }
    }
}

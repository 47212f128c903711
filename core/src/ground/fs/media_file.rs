//! Opens a file of a library. It must be a regular file inside the root after links are resolved.
//! Both are checked on the descriptor that is read.

use std::fs::File;
use std::io;
use std::path::{Component, Path};
use std::time::{Duration, SystemTime};

use rustix::fs::{FileType, OFlags};
use rustix::io::Errno;

use crate::fs::rooted;

/// Open file of a library.
#[derive(Debug)]
pub struct MediaFile {
    /// Open file.
    pub file: File,
    /// Length in bytes at the time of opening.
    pub size: u64,
    /// Modification time in nanoseconds since 1970.
    pub mtime_ns: i128,
}

impl MediaFile {
    /// Returns the modification time, or `None` outside the years 1970 to 9999, which HTTP dates
    /// cannot represent.
    pub fn modified(&self) -> Option<SystemTime> {
        const END: u64 = 253_402_300_800;
        let seconds = u64::try_from(self.mtime_ns.div_euclid(1_000_000_000)).ok()?;
        (seconds < END).then(|| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
    }

    /// Returns `true` if the file still has the size and the modification time of its opening.
    pub fn is_unchanged(&self) -> io::Result<bool> {
        Ok(state(&self.file)? == (self.size, self.mtime_ns))
    }
}

/// Opens the file at `relative` below `root`. Blocks. Returns `None` if it is absent.
pub fn open_blocking(root: &Path, relative: &Path) -> io::Result<Option<MediaFile>> {
    let plain = relative
        .components()
        .all(|component| matches!(component, Component::Normal(_)));
    if !plain || relative.as_os_str().is_empty() {
        return Ok(None);
    }
    match open_below(root, relative) {
        Ok(file) => Ok(file),
        Err(error) if is_absence(error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Opens the regular file at `path`, which is below `root`, to inspect it. Blocks. A path that
/// leads out of the root is treated as absent.
pub fn open_inside(root: &Path, path: &Path) -> io::Result<File> {
    let absent = || io::Error::from(Errno::NOENT);
    let relative = path.strip_prefix(root).map_err(|_| absent())?;
    let opened = open_below(root, relative)?;
    Ok(opened.ok_or_else(absent)?.file)
}

fn open_below(root: &Path, relative: &Path) -> Result<Option<MediaFile>, Errno> {
    let opened = rooted::open(root, relative, FLAGS, Some(FileType::RegularFile))?;
    let Some(descriptor) = opened else {
        return Ok(None);
    };
    let file = File::from(descriptor);
    let (size, mtime_ns) = state(&file)?;
    Ok(Some(MediaFile {
        file,
        size,
        mtime_ns,
    }))
}

/// Returns the length in bytes and the modification time in nanoseconds since 1970.
fn state(file: &File) -> Result<(u64, i128), Errno> {
    let stat = rustix::fs::fstat(file)?;
    let size = u64::try_from(stat.st_size).unwrap_or(0);
    let mtime_ns = i128::from(stat.st_mtime) * 1_000_000_000 + i128::from(stat.st_mtime_nsec);
    Ok((size, mtime_ns))
}

/// `NONBLOCK`, because opening a FIFO without a writer would block forever.
const FLAGS: OFlags = OFlags::RDONLY
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

fn is_absence(error: Errno) -> bool {
    matches!(
        error,
        Errno::NOENT
            | Errno::NOTDIR
            | Errno::LOOP
            | Errno::NAMETOOLONG
            | Errno::ACCESS
            | Errno::PERM
            | Errno::NXIO
            | Errno::INVAL
            | Errno::STALE
    )
}

/// Returns `true` if the system has run out of descriptors or memory.
pub(crate) fn is_exhaustion(error: &io::Error) -> bool {
    let errno = Errno::from_io_error(error);
    matches!(errno, Some(Errno::MFILE | Errno::NFILE | Errno::NOMEM))
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::unix::fs::symlink;

    use rustix::fs::Mode;

    use super::*;

    /// Creates a root `shelf`, and `shelf-private` with a secret next to it.
    fn tree() -> tempfile::TempDir {
        let tree = tempfile::tempdir().expect("a folder");
        let path = tree.path();
        std::fs::create_dir_all(path.join("shelf/sub")).expect("folders");
        std::fs::create_dir_all(path.join("shelf-private")).expect("folders");
        std::fs::write(path.join("shelf/sub/a.epub"), "inside").expect("a file");
        std::fs::write(path.join("shelf-private/b.epub"), "secret").expect("a file");
        tree
    }

    fn read(tree: &tempfile::TempDir, relative: &str) -> Option<String> {
        let opened = open_blocking(&tree.path().join("shelf"), Path::new(relative));
        let mut file = opened.expect("no error")?;
        let mut text = String::new();
        file.file.read_to_string(&mut text).expect("text");
        assert_eq!(usize::try_from(file.size).expect("small"), text.len());
        Some(text)
    }

    #[test]
    fn regular_file_is_opened_through_link_inside_root() {
        let tree = tree();
        let shelf = tree.path().join("shelf");
        symlink("sub/a.epub", shelf.join("relative.epub")).expect("a link");
        symlink(shelf.join("sub/a.epub"), shelf.join("absolute.epub")).expect("a link");
        symlink("sub", shelf.join("folder")).expect("a link");
        for name in [
            "sub/a.epub",
            "relative.epub",
            "absolute.epub",
            "folder/a.epub",
        ] {
            assert_eq!(read(&tree, name).as_deref(), Some("inside"), "{name}");
        }
    }

    #[test]
    fn file_outside_root_is_not_opened() {
        let tree = tree();
        let shelf = tree.path().join("shelf");
        symlink("../shelf-private/b.epub", shelf.join("out.epub")).expect("a link");
        symlink("../shelf-private", shelf.join("out")).expect("a link");
        symlink("/etc/passwd", shelf.join("passwd.epub")).expect("a link");
        symlink("loop.epub", shelf.join("loop.epub")).expect("a link");
        let absolute = tree.path().join("shelf-private/b.epub");
        for name in [
            "out.epub",
            "out/b.epub",
            "passwd.epub",
            "loop.epub",
            "../shelf-private/b.epub",
            "sub/../../shelf-private/b.epub",
            absolute.to_str().expect("text"),
            "",
        ] {
            assert_eq!(read(&tree, name), None, "{name}");
        }
    }

    #[test]
    fn root_behind_link_is_resolved() {
        let tree = tree();
        let alias = tree.path().join("alias");
        symlink(tree.path().join("shelf"), &alias).expect("a link");
        let opened = open_blocking(&alias, Path::new("sub/a.epub")).expect("no error");
        assert!(opened.is_some());
    }

    #[test]
    fn folders_fifos_and_absent_files_are_absent() {
        let tree = tree();
        let fifo = tree.path().join("shelf/pipe.epub");
        rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, Mode::RUSR | Mode::WUSR).expect("a FIFO");
        for name in ["sub", "pipe.epub", "none.epub", "sub/a.epub/x", "a\0b"] {
            assert_eq!(read(&tree, name), None, "{name:?}");
        }
    }

    #[test]
    fn open_inside_opens_only_files_inside_root() {
        let tree = tree();
        let shelf = tree.path().join("shelf");
        symlink("../shelf-private/b.epub", shelf.join("out.epub")).expect("a link");
        symlink(shelf.join("sub/a.epub"), shelf.join("absolute.epub")).expect("a link");
        let pipe = shelf.join("pipe.epub");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, Mode::RUSR | Mode::WUSR).expect("a FIFO");
        let opens = |path: &str| open_inside(&shelf, &tree.path().join(path)).is_ok();
        assert!(opens("shelf/sub/a.epub"));
        assert!(opens("shelf/absolute.epub"));
        for outside in [
            "shelf/out.epub",
            "shelf/pipe.epub",
            "shelf/sub",
            "shelf/none.epub",
            "shelf-private/b.epub",
            "shelf/../shelf-private/b.epub",
        ] {
            assert!(!opens(outside), "{outside}");
        }
    }

    /// Opens a path in both ways, independent of the kernel.
    fn both_ways(shelf: &Path, relative: &Path) -> [Option<File>; 2] {
        let flags = OFlags::PATH | OFlags::DIRECTORY;
        let folder = rustix::fs::open(shelf, flags, Mode::empty()).expect("a folder");
        let judged = rooted::open_and_judge(&folder, relative, FLAGS);
        let resolved = rooted::open_resolved(&folder, relative, FLAGS);
        [resolved.ok(), judged.ok().flatten()].map(|opened| opened.map(File::from))
    }

    #[test]
    fn path_swapped_for_link_during_open_does_not_leave_root() {
        const ROUNDS: usize = 20_000;
        // On a busy machine, the path may be a link during many rounds.
        const MAX_ROUNDS: usize = 2_000_000;
        let tree = tree();
        let shelf = tree.path().join("shelf");
        let (plain, link) = (shelf.join("plain"), shelf.join("link"));
        let (swapped, folder) = (shelf.join("a.epub"), shelf.join("folder"));
        let is_over = std::sync::atomic::AtomicBool::new(false);
        let (mut seen, mut leaked) = ([0, 0], [0, 0]);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                    // A file becomes a link to the secret and back. So does the folder above a
                    // file.
                    std::fs::write(&plain, "inside").expect("a file");
                    std::fs::rename(&plain, &swapped).expect("swapped");
                    symlink("../shelf-private/b.epub", &link).expect("a link");
                    std::fs::rename(&link, &swapped).expect("swapped");
                    let _ = std::fs::remove_file(&folder);
                    symlink("sub", &folder).expect("a link");
                    std::fs::remove_file(&folder).expect("gone");
                    symlink("../shelf-private", &folder).expect("a link");
                }
            });
            for round in 0..MAX_ROUNDS {
                if round >= ROUNDS && !seen.contains(&0) {
                    break;
                }
                let name = ["a.epub", "folder/a.epub", "folder/b.epub"][round % 3];
                for (way, opened) in both_ways(&shelf, Path::new(name)).into_iter().enumerate() {
                    let Some(mut file) = opened else { continue };
                    let mut text = String::new();
                    let is_read = file.read_to_string(&mut text).is_ok();
                    seen[way] += usize::from(is_read);
                    leaked[way] += usize::from(text == "secret");
                }
            }
            is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        assert_eq!(leaked, [0, 0], "of {seen:?} that were opened");
        assert!(seen.iter().all(|seen| *seen > 0), "{seen:?}");
    }

    #[test]
    fn hard_link_is_opened() {
        let tree = tree();
        let shelf = tree.path().join("shelf");
        std::fs::hard_link(shelf.join("sub/a.epub"), shelf.join("second.epub")).expect("a link");
        assert_eq!(read(&tree, "second.epub").as_deref(), Some("inside"));
    }

    #[test]
    fn time_outside_http_range_is_none() {
        let at = |mtime_ns| MediaFile {
            file: File::open("/dev/null").expect("a file"),
            size: 0,
            mtime_ns,
        };
        assert_eq!(at(-1).modified(), None);
        assert_eq!(at(253_402_300_800_000_000_000).modified(), None);
        assert_eq!(
            at(1_999_999_999).modified(),
            Some(SystemTime::UNIX_EPOCH + Duration::from_secs(1))
        );
    }
}

//! Opening a file of a library: a regular file, inside the root after links are resolved, and
//! both asked of the descriptor that is then read.

use std::fs::File;
use std::io;
use std::path::{Component, Path};
use std::time::{Duration, SystemTime};

use rustix::fs::{FileType, OFlags};
use rustix::io::Errno;

use super::beneath;

use crate::http::{ApiError, ApiResult};
use crate::store::location::FileLocation;

/// An open file of a library.
#[derive(Debug)]
pub struct MediaFile {
    /// The descriptor.
    pub file: File,
    /// Length in bytes when it was opened.
    pub size: u64,
    /// Time of its last change, in nanoseconds since 1970.
    pub mtime_ns: i128,
}

impl MediaFile {
    /// The time of its last change; `None` outside the years 1970 to 9999, which HTTP cannot say.
    pub fn modified(&self) -> Option<SystemTime> {
        const END: u64 = 253_402_300_800;
        let seconds = u64::try_from(self.mtime_ns.div_euclid(1_000_000_000)).ok()?;
        (seconds < END).then(|| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
    }
}

/// Opens a file off the async threads. What is gone, is no regular file, leads out of the root or
/// cannot be read is as absent as a file that never was.
pub async fn open(location: &FileLocation) -> ApiResult<MediaFile> {
    let root = location.root.clone();
    let relative = location.relative();
    let opened = tokio::task::spawn_blocking(move || open_blocking(&root, &relative)).await;
    match opened.map_err(ApiError::internal)? {
        Ok(file) => file.ok_or(ApiError::NotFound("file")),
        Err(error) if is_exhaustion(&error) => Err(ApiError::Unavailable),
        Err(error) => Err(ApiError::internal(error)),
    }
}

/// Opens the file at `relative` below `root`, on a thread that may block.
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

/// Opens the regular file at `path`, which is below `root`, to look into it; on a thread that may
/// block. What leads out of the root is as absent as a file that never was.
pub fn open_inside(root: &Path, path: &Path) -> io::Result<File> {
    let absent = || io::Error::from(Errno::NOENT);
    let relative = path.strip_prefix(root).map_err(|_| absent())?;
    let opened = open_below(root, relative)?;
    Ok(opened.ok_or_else(absent)?.file)
}

fn open_below(root: &Path, relative: &Path) -> Result<Option<MediaFile>, Errno> {
    let opened = beneath::open(root, relative, FLAGS, Some(FileType::RegularFile))?;
    let Some(descriptor) = opened else {
        return Ok(None);
    };
    let stat = rustix::fs::fstat(&descriptor)?;
    Ok(Some(MediaFile {
        size: u64::try_from(stat.st_size).unwrap_or(0),
        mtime_ns: i128::from(stat.st_mtime) * 1_000_000_000 + i128::from(stat.st_mtime_nsec),
        file: File::from(descriptor),
    }))
}

/// A FIFO that nobody writes to would hold up a blocking open for ever.
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

/// Whether the system has run out of descriptors or memory.
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

    /// A root `shelf`, and beside it `shelf-private` with a secret.
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
    fn a_regular_file_is_opened_also_through_links_inside_the_root() {
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
    fn nothing_outside_the_root_is_opened() {
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
    fn a_root_that_is_reached_through_a_link_is_resolved_too() {
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
    fn readers_open_by_path_what_lies_inside_only() {
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

    /// Both ways of opening, whichever the kernel here has.
    fn both_ways(shelf: &Path, relative: &Path) -> [Option<File>; 2] {
        let flags = OFlags::PATH | OFlags::DIRECTORY;
        let folder = rustix::fs::open(shelf, flags, Mode::empty()).expect("a folder");
        let judged = beneath::open_and_judge(&folder, relative, FLAGS);
        let resolved = beneath::open_resolved(&folder, relative, FLAGS);
        [resolved.ok(), judged.ok().flatten()].map(|opened| opened.map(File::from))
    }

    #[test]
    fn what_is_swapped_for_a_link_while_it_is_opened_leads_nowhere() {
        const ROUNDS: usize = 20_000;
        let tree = tree();
        let shelf = tree.path().join("shelf");
        let (plain, link) = (shelf.join("plain"), shelf.join("link"));
        let (swapped, folder) = (shelf.join("a.epub"), shelf.join("folder"));
        let is_over = std::sync::atomic::AtomicBool::new(false);
        let (mut seen, mut leaked) = ([0, 0], [0, 0]);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                    // A file becomes a link to the secret and back; so does the folder above one.
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
            for round in 0..ROUNDS {
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
    fn a_second_name_of_a_file_is_a_file_like_any_other() {
        let tree = tree();
        let shelf = tree.path().join("shelf");
        std::fs::hard_link(shelf.join("sub/a.epub"), shelf.join("second.epub")).expect("a link");
        assert_eq!(read(&tree, "second.epub").as_deref(), Some("inside"));
    }

    #[test]
    fn times_that_http_cannot_say_are_left_out() {
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

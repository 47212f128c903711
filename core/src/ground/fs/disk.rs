//! Read-only file system access for the scanner: folder listings and metadata lookups.

use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use crate::fs::rooted;
use crate::path;

/// File system queries below a library's root. Paths are relative to the root.
pub trait Disk: Send + Sync + fmt::Debug {
    /// Returns the content of a folder, sorted by name. Files that `wanted` rejects appear with
    /// their name only.
    fn list(&self, folder: &[u8], wanted: &dyn Fn(&[u8]) -> bool) -> io::Result<Listing>;

    /// Returns size and modification time of the file at a path. Follows links.
    fn stat(&self, path: &[u8]) -> io::Result<FileStat>;

    /// Returns the identity of the folder at a path, or `None` if the path is not a folder. Does
    /// not follow links.
    fn folder(&self, path: &[u8]) -> io::Result<Option<Node>>;

    /// Returns the absolute path, for callers that read the content.
    fn absolute(&self, path: &[u8]) -> PathBuf;
}

/// Size and modification time of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStat {
    /// Size in bytes.
    pub size: i64,
    /// Modification time in nanoseconds since 1970.
    pub mtime_ns: i64,
}

/// Identity of a folder (device and inode number), independent of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    dev: u64,
    ino: u64,
}

/// Content of a folder. Hidden, incomplete and system files are left out.
#[derive(Debug, Clone)]
pub struct Listing {
    /// Identity of the folder.
    pub node: Node,
    /// `true` if the folder is a mount point.
    pub is_mount: bool,
    /// Regular files that were wanted.
    pub files: Vec<Entry>,
    /// Names of the other regular files.
    pub others: Vec<Vec<u8>>,
    /// Subfolders.
    pub folders: Vec<Subfolder>,
    /// Entries that could not be examined, with the reason.
    pub failures: Vec<EntryFailure>,
}

/// Entry that could not be examined.
#[derive(Debug, Clone)]
pub struct EntryFailure {
    /// File name in the folder.
    pub name: Vec<u8>,
    /// Reason, as text for the error list of the run.
    pub what: String,
    /// `true` if the entry does not exist or leads out of the library. `false` if it exists but
    /// cannot be examined.
    pub is_gone: bool,
}

/// File that the caller wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// File name in the folder.
    pub name: Vec<u8>,
    /// Size and modification time.
    pub stat: FileStat,
}

impl AsRef<[u8]> for Entry {
    fn as_ref(&self) -> &[u8] {
        &self.name
    }
}

/// Folder in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subfolder {
    /// Folder name in the parent folder.
    pub name: Vec<u8>,
    /// Identity of the target if the entry is a link.
    pub link: Option<Node>,
}

/// Implementation for the local file system.
#[derive(Debug)]
pub struct LocalDisk {
    root: PathBuf,
}

impl LocalDisk {
    /// Opens the tree at `root`, which must be absolute and free of links.
    pub fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
        }
    }
}

impl Disk for LocalDisk {
    fn list(&self, folder: &[u8], wanted: &dyn Fn(&[u8]) -> bool) -> io::Result<Listing> {
        let path = self.absolute(folder);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = self.open(folder, flags)?;
        let own = rustix::fs::fstat(&fd)?;
        let mut listing = Listing {
            node: node(&own),
            is_mount: is_mount(fd.as_fd(), &path, &own),
            files: Vec::new(),
            others: Vec::new(),
            folders: Vec::new(),
            failures: Vec::new(),
        };
        let mut incomplete = Vec::new();
        for entry in Dir::read_from(&fd)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if let Some(whole) = name.strip_suffix(b".aria2") {
                incomplete.push(whole.to_owned());
            }
            let found = Found {
                folder: fd.as_fd(),
                name,
            };
            if let Err(error) = self.take(&mut listing, &found, entry.file_type(), wanted) {
                listing.failures.push(EntryFailure {
                    name: name.to_owned(),
                    what: error.to_string(),
                    is_gone: error.kind() == io::ErrorKind::NotFound,
                });
            }
        }
        // aria2 keeps a control file next to a download until the download is complete.
        listing
            .files
            .retain(|file| !incomplete.contains(&file.name));
        listing.sort();
        Ok(listing)
    }

    fn stat(&self, path: &[u8]) -> io::Result<FileStat> {
        let held = self.open(path, OFlags::PATH | OFlags::CLOEXEC)?;
        Ok(file_stat(&rustix::fs::fstat(held)?))
    }

    fn folder(&self, path: &[u8]) -> io::Result<Option<Node>> {
        let stat = rustix::fs::lstat(self.absolute(path))?;
        let is_folder = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
        Ok(is_folder.then(|| node(&stat)))
    }

    fn absolute(&self, path: &[u8]) -> PathBuf {
        if path.is_empty() {
            return self.root.clone();
        }
        self.root.join(OsStr::from_bytes(path))
    }
}

impl Listing {
    /// Sorts entries by name and removes duplicates.
    fn sort(&mut self) {
        self.files.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        self.others.sort_unstable();
        self.folders.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        // The kernel can list a name twice if it is replaced during the listing.
        self.files.dedup_by(|a, b| a.name == b.name);
        self.others.dedup();
        self.folders.dedup_by(|a, b| a.name == b.name);
    }
}

/// Entry of a folder that is being listed.
struct Found<'a> {
    folder: BorrowedFd<'a>,
    name: &'a [u8],
}

impl LocalDisk {
    /// Opens a path below the root without leaving the root. A folder on the path may have become a
    /// link since it was listed.
    fn open(&self, path: &[u8], flags: OFlags) -> io::Result<OwnedFd> {
        let relative = Path::new(OsStr::from_bytes(path));
        rooted::open(&self.root, relative, flags, None)?.ok_or_else(leads_out)
    }

    fn take(
        &self,
        listing: &mut Listing,
        found: &Found<'_>,
        file_type: FileType,
        wanted: &dyn Fn(&[u8]) -> bool,
    ) -> io::Result<()> {
        // Hidden entries are always left out, so they need no `stat`.
        if found.name.first() == Some(&b'.') {
            return Ok(());
        }
        match file_type {
            FileType::RegularFile => take_file(listing, found, None, wanted),
            FileType::Directory => {
                take_folder(listing, found.name, None);
                Ok(())
            }
            FileType::Symlink => self.take_link(listing, found, wanted),
            // Some file systems do not report the file type in the listing.
            FileType::Unknown => {
                let stat = found.stat()?;
                match FileType::from_raw_mode(stat.st_mode) {
                    FileType::RegularFile => take_file(listing, found, Some(&stat), wanted),
                    FileType::Directory => {
                        take_folder(listing, found.name, None);
                        Ok(())
                    }
                    FileType::Symlink => self.take_link(listing, found, wanted),
                    _ => Ok(()),
                }
            }
            // Pipes, sockets and devices are never opened.
            _ => Ok(()),
        }
    }

    fn take_link(
        &self,
        listing: &mut Listing,
        found: &Found<'_>,
        wanted: &dyn Fn(&[u8]) -> bool,
    ) -> io::Result<()> {
        if path::is_left_out_file(found.name) || path::is_left_out_folder(found.name) {
            return Ok(());
        }
        // All checks use one descriptor, so that a concurrent change of the link has no effect.
        let held = OFlags::PATH | OFlags::CLOEXEC;
        let held = match rustix::fs::openat(found.folder, found.name, held, Mode::empty()) {
            Err(Errno::NOENT) => return Err(gone("the link leads nowhere")),
            answer => answer?,
        };
        let stat = rustix::fs::fstat(&held)?;
        let file_type = FileType::from_raw_mode(stat.st_mode);
        let is_file = file_type == FileType::RegularFile;
        if !(is_file || file_type == FileType::Directory) {
            return Ok(());
        }
        if !rooted::real_path(&held)?.starts_with(&self.root) {
            return Err(leads_out());
        }
        if is_file {
            return take_file(listing, found, Some(&stat), wanted);
        }
        take_folder(listing, found.name, Some(node(&stat)));
        Ok(())
    }
}

impl Found<'_> {
    /// Returns the metadata of the entry itself. Does not follow links.
    fn stat(&self) -> io::Result<Stat> {
        let flags = AtFlags::SYMLINK_NOFOLLOW;
        Ok(rustix::fs::statat(self.folder, self.name, flags)?)
    }
}

fn leads_out() -> io::Error {
    gone("the link leads out of the library")
}

fn gone(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, what)
}

fn take_file(
    listing: &mut Listing,
    found: &Found<'_>,
    stat: Option<&Stat>,
    wanted: &dyn Fn(&[u8]) -> bool,
) -> io::Result<()> {
    if path::is_left_out_file(found.name) {
        return Ok(());
    }
    if !wanted(found.name) {
        listing.others.push(found.name.to_owned());
        return Ok(());
    }
    let stat = match stat {
        Some(stat) => file_stat(stat),
        None => file_stat(&found.stat()?),
    };
    listing.files.push(Entry {
        name: found.name.to_owned(),
        stat,
    });
    Ok(())
}

fn take_folder(listing: &mut Listing, name: &[u8], link: Option<Node>) {
    if !path::is_left_out_folder(name) {
        listing.folders.push(Subfolder {
            name: name.to_owned(),
            link,
        });
    }
}

#[expect(
    clippy::unnecessary_cast,
    clippy::cast_possible_wrap,
    reason = "the widths of these fields differ between platforms; times fit until 2262"
)]
fn file_stat(stat: &Stat) -> FileStat {
    FileStat {
        size: stat.st_size as i64,
        mtime_ns: (stat.st_mtime as i64)
            .saturating_mul(1_000_000_000)
            .saturating_add(stat.st_mtime_nsec as i64),
    }
}

#[expect(
    clippy::unnecessary_cast,
    reason = "the widths of these fields differ between platforms; they are compared only"
)]
fn node(stat: &Stat) -> Node {
    Node {
        dev: stat.st_dev as u64,
        ino: stat.st_ino as u64,
    }
}

/// Returns `true` if the folder is a mount point. Linux reports this directly, also for bind
/// mounts. Elsewhere, the parent folder has another device number.
fn is_mount(fd: BorrowedFd<'_>, path: &Path, own: &Stat) -> bool {
    #[cfg(target_os = "linux")]
    if let Ok(answer) = rustix::fs::statx(
        fd,
        c"",
        AtFlags::EMPTY_PATH,
        rustix::fs::StatxFlags::empty(),
    ) {
        use rustix::fs::StatxAttributes;
        if answer
            .stx_attributes_mask
            .contains(StatxAttributes::MOUNT_ROOT)
        {
            return answer.stx_attributes.contains(StatxAttributes::MOUNT_ROOT);
        }
    }
    let _ = fd;
    path.parent()
        .and_then(|above| rustix::fs::stat(above).ok())
        .is_some_and(|above| above.st_dev != own.st_dev)
}

#[cfg(test)]
mod tests;

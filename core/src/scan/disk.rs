//! The file system as the scanner sees it: listings and single looks, nothing that writes.

use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::name;
use crate::content::beneath;

/// What can be asked about a library's folders and files; paths are below its root.
pub trait Disk: Send + Sync + fmt::Debug {
    /// What lies in a folder, sorted by name. Files for which `wanted` says no are named only.
    fn list(&self, folder: &[u8], wanted: &dyn Fn(&[u8]) -> bool) -> io::Result<Listing>;

    /// Size and time of what lies at a path, links followed.
    fn look(&self, path: &[u8]) -> io::Result<Look>;

    /// Which folder lies at a path, links not followed; `None` if it is none.
    fn folder(&self, path: &[u8]) -> io::Result<Option<Node>>;

    /// The absolute path, for those who read the content.
    fn absolute(&self, path: &[u8]) -> PathBuf;
}

/// Size and time of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Size in bytes.
    pub size: i64,
    /// Nanoseconds since 1970.
    pub mtime_ns: i64,
}

/// Which folder this is, whatever it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    dev: u64,
    ino: u64,
}

/// A folder's content. Hidden, incomplete and foreign things are not in it.
#[derive(Debug, Clone)]
pub struct Listing {
    /// Which folder this is.
    pub node: Node,
    /// Whether another file system begins here.
    pub is_mount: bool,
    /// Regular files that were wanted.
    pub files: Vec<Entry>,
    /// Names of the other regular files.
    pub others: Vec<Vec<u8>>,
    /// Folders.
    pub folders: Vec<Subfolder>,
    /// Names that could not be looked at, and why.
    pub troubles: Vec<Trouble>,
}

/// A name behind which nothing could be seen.
#[derive(Debug, Clone)]
pub struct Trouble {
    /// The name.
    pub name: Vec<u8>,
    /// Why.
    pub what: String,
    /// Whether nothing of the library is there, rather than something that could not be seen.
    pub is_gone: bool,
}

/// A wanted file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: Vec<u8>,
    /// Its size and time.
    pub look: Look,
}

impl AsRef<[u8]> for Entry {
    fn as_ref(&self) -> &[u8] {
        &self.name
    }
}

/// A folder in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subfolder {
    /// Its name.
    pub name: Vec<u8>,
    /// Where it leads if it is a link.
    pub link: Option<Node>,
}

/// The real one.
#[derive(Debug)]
pub struct LocalDisk {
    root: PathBuf,
}

impl LocalDisk {
    /// The folder at `root`, which is absolute and without links.
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
            troubles: Vec::new(),
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
                listing.troubles.push(Trouble {
                    name: name.to_owned(),
                    what: error.to_string(),
                    is_gone: error.kind() == io::ErrorKind::NotFound,
                });
            }
        }
        // A downloader's note beside a file says that the file is not complete yet.
        listing
            .files
            .retain(|file| !incomplete.contains(&file.name));
        listing.sort();
        Ok(listing)
    }

    fn look(&self, path: &[u8]) -> io::Result<Look> {
        let held = self.open(path, OFlags::PATH | OFlags::CLOEXEC)?;
        Ok(look(&rustix::fs::fstat(held)?))
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
    /// In the order of names, each of them once.
    fn sort(&mut self) {
        self.files.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        self.others.sort_unstable();
        self.folders.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        // A name that is replaced while it is listed can be met twice.
        self.files.dedup_by(|a, b| a.name == b.name);
        self.others.dedup();
        self.folders.dedup_by(|a, b| a.name == b.name);
    }
}

/// One name in a folder that is being listed.
struct Found<'a> {
    folder: BorrowedFd<'a>,
    name: &'a [u8],
}

impl LocalDisk {
    /// Opens what lies at a path below the root, by a way that does not leave it: a folder on it may
    /// have become a link since it was listed.
    fn open(&self, path: &[u8], flags: OFlags) -> io::Result<OwnedFd> {
        let relative = Path::new(OsStr::from_bytes(path));
        beneath::open(&self.root, relative, flags, None)?.ok_or_else(leads_out)
    }

    fn take(
        &self,
        listing: &mut Listing,
        found: &Found<'_>,
        file_type: FileType,
        wanted: &dyn Fn(&[u8]) -> bool,
    ) -> io::Result<()> {
        // Most entries need no look at all: not those that are left out whatever they are.
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
            // Some file systems do not say in the listing.
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
        if name::is_left_out_file(found.name) || name::is_left_out_folder(found.name) {
            return Ok(());
        }
        // What is judged and what is told of are the same, whatever becomes of the link meanwhile.
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
        if !beneath::real_path(&held)?.starts_with(&self.root) {
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
    /// What the name itself is, not what it may lead to.
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
    if name::is_left_out_file(found.name) {
        return Ok(());
    }
    if !wanted(found.name) {
        listing.others.push(found.name.to_owned());
        return Ok(());
    }
    let look = match stat {
        Some(stat) => look(stat),
        None => look(&found.stat()?),
    };
    listing.files.push(Entry {
        name: found.name.to_owned(),
        look,
    });
    Ok(())
}

fn take_folder(listing: &mut Listing, name: &[u8], link: Option<Node>) {
    if !name::is_left_out_folder(name) {
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
fn look(stat: &Stat) -> Look {
    Look {
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

/// Linux says so itself, of bind mounts too; elsewhere the folder above has another device.
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

//! Opening what lies below a folder, whatever it is, without ever leaving that folder on the way.

use std::os::fd::{AsFd, AsRawFd};
use std::path::{Path, PathBuf};

use rustix::fd::OwnedFd;
use rustix::fs::{FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

/// Opens what lies at `relative` below the folder `root`; with [`OFlags::PATH`] it is held, and
/// not opened. `None` where it is not of the type that is wanted, or leads out of the root.
pub(crate) fn open(
    root: &Path,
    relative: &Path,
    flags: OFlags,
    wanted: Option<FileType>,
) -> Result<Option<OwnedFd>, Errno> {
    let folder = rustix::fs::open(
        root,
        OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC,
        Mode::empty(),
    )?;
    // The root itself: an empty path cannot be opened.
    let is_root = relative.as_os_str().is_empty();
    let relative = if is_root { Path::new(".") } else { relative };
    let descriptor = match open_resolved(&folder, relative, flags) {
        Ok(descriptor) => descriptor,
        // Some links only seem to lead out, as absolute ones do, and not every kernel or container
        // has the call.
        Err(Errno::XDEV | Errno::NOSYS | Errno::PERM | Errno::INVAL | Errno::AGAIN) => {
            match open_and_judge(&folder, relative, flags)? {
                Some(descriptor) => descriptor,
                None => return Ok(None),
            }
        }
        Err(error) => return Err(error),
    };
    let is_wanted = match wanted {
        Some(wanted) => file_type(&descriptor)? == wanted,
        None => true,
    };
    Ok(is_wanted.then_some(descriptor))
}

/// The kernel itself sees to it that no step of the way leaves the folder, whatever is renamed or
/// linked elsewhere meanwhile.
pub(super) fn open_resolved(
    folder: &OwnedFd,
    relative: &Path,
    flags: OFlags,
) -> Result<OwnedFd, Errno> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    rustix::fs::openat2(folder, relative, flags, Mode::empty(), resolve)
}

/// Takes hold of it without opening it, asks where it really is and what, and opens just that.
pub(super) fn open_and_judge(
    folder: &OwnedFd,
    relative: &Path,
    flags: OFlags,
) -> Result<Option<OwnedFd>, Errno> {
    // As a folder where one is wanted: else what is mounted only once somebody enters would be held
    // without what is to be mounted there.
    let held = OFlags::PATH | OFlags::CLOEXEC | (flags & OFlags::DIRECTORY);
    let held = rustix::fs::openat(folder, relative, held, Mode::empty())?;
    if !real_path(&held)?.starts_with(real_path(folder)?) {
        tracing::warn!("what lies in a library leads out of its root and was not opened");
        return Ok(None);
    }
    if flags.contains(OFlags::PATH) {
        return Ok(Some(held));
    }
    // A device would be asked to do something by being opened.
    if !matches!(
        file_type(&held)?,
        FileType::RegularFile | FileType::Directory
    ) {
        return Ok(None);
    }
    rustix::fs::open(by_number(&held), flags, Mode::empty()).map(Some)
}

/// The path of an open descriptor. Components, not text, are compared with it: `/srv/books` is
/// no part of `/srv/books-private`.
pub(crate) fn real_path(descriptor: impl AsFd) -> Result<PathBuf, Errno> {
    std::fs::read_link(by_number(descriptor))
        .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
}

/// Where the system shows what a descriptor holds.
fn by_number(descriptor: impl AsFd) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", descriptor.as_fd().as_raw_fd()))
}

fn file_type(descriptor: impl AsFd) -> Result<FileType, Errno> {
    Ok(FileType::from_raw_mode(
        rustix::fs::fstat(descriptor)?.st_mode,
    ))
}

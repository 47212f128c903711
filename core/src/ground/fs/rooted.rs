//! Opens paths below a root folder without leaving that folder on the way.

use std::os::fd::{AsFd, AsRawFd};
use std::path::{Path, PathBuf};

use rustix::fd::OwnedFd;
use rustix::fs::{FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

/// Opens `relative` below the folder `root`. With [`OFlags::PATH`], the result is only a handle and
/// nothing is opened for reading. Returns `None` if the target has another file type than `wanted`
/// or leads out of the root.
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
        // Absolute links seem to lead out of the root even if they do not. Some kernels and
        // containers lack the call.
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

/// Opens a path with `openat2(2)`. The kernel guarantees that no step leaves the folder, even if
/// another process renames or links something at the same time.
pub(super) fn open_resolved(
    folder: &OwnedFd,
    relative: &Path,
    flags: OFlags,
) -> Result<OwnedFd, Errno> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    rustix::fs::openat2(folder, relative, flags, Mode::empty(), resolve)
}

/// Opens a handle without opening the file, checks its real path and type, and then opens exactly
/// that file.
pub(super) fn open_and_judge(
    folder: &OwnedFd,
    relative: &Path,
    flags: OFlags,
) -> Result<Option<OwnedFd>, Errno> {
    // With `DIRECTORY`, an automount is triggered before the check. Otherwise, the handle would be
    // the empty mount point.
    let held = OFlags::PATH | OFlags::CLOEXEC | (flags & OFlags::DIRECTORY);
    let held = rustix::fs::openat(folder, relative, held, Mode::empty())?;
    if !real_path(&held)?.starts_with(real_path(folder)?) {
        tracing::warn!("a path in a library leads out of the library's root and was not opened");
        return Ok(None);
    }
    if flags.contains(OFlags::PATH) {
        return Ok(Some(held));
    }
    // Opening a device can have side effects.
    if !matches!(
        file_type(&held)?,
        FileType::RegularFile | FileType::Directory
    ) {
        return Ok(None);
    }
    rustix::fs::open(by_number(&held), flags, Mode::empty()).map(Some)
}

/// Returns the path of an open descriptor. Callers must compare path components, not text:
/// `/srv/books` is not a parent of `/srv/books-private`.
pub(crate) fn real_path(descriptor: impl AsFd) -> Result<PathBuf, Errno> {
    std::fs::read_link(by_number(descriptor))
        .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
}

/// Returns the procfs link of a descriptor.
fn by_number(descriptor: impl AsFd) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", descriptor.as_fd().as_raw_fd()))
}

fn file_type(descriptor: impl AsFd) -> Result<FileType, Errno> {
    Ok(FileType::from_raw_mode(
        rustix::fs::fstat(descriptor)?.st_mode,
    ))
}

//! A file in the making, beside the one that it becomes.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::db::open;

/// The unfinished file; removed unless it was put in place.
#[derive(Debug)]
pub(super) struct Partial {
    path: PathBuf,
}

impl Partial {
    /// An empty file that only its owner can read: password hashes are nobody else's business.
    pub(super) fn beside(target: &Path) -> io::Result<Self> {
        let mut path = target.as_os_str().to_owned();
        path.push(format!(
            ".{:016x}.partial",
            u64::from_le_bytes(crate::clock::random_bytes())
        ));
        let partial = Self { path: path.into() };
        open::create_private(&partial.path)?;
        Ok(partial)
    }

    /// Where it lies.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Gives it its name, which nothing may have yet.
    pub(super) fn put_in_place(self, target: &Path) -> io::Result<()> {
        // A hard link, unlike a rename, fails where the target has appeared in the meantime.
        match fs::hard_link(&self.path, target) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
            // File systems without hard links (FAT, some network shares).
            Err(_) if target.symlink_metadata().is_ok() => {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            Err(_) => fs::rename(&self.path, target)?,
        }
        sync_folder_of(target)
    }

    /// Gives it its name in place of what has it now.
    pub(super) fn replace(self, target: &Path) -> io::Result<()> {
        fs::rename(&self.path, target)?;
        sync_folder_of(target)
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // SQLite leaves these behind where a full disk keeps it from closing the copy properly.
        for end in ["", "-journal", "-wal", "-shm"] {
            let mut file = self.path.clone().into_os_string();
            file.push(end);
            // Gone already where it was renamed; nothing to tell anybody in either case.
            let _ = fs::remove_file(file);
        }
    }
}

/// Makes names in the file's folder as lasting as the files.
pub(super) fn sync_folder_of(file: &Path) -> io::Result<()> {
    let folder = match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    File::open(folder)?.sync_all()
}

//! Temporary file that is renamed to its target once it is complete.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::db::open;

/// Temporary file. Dropping it deletes the file unless it was put in place.
#[derive(Debug)]
pub(super) struct Partial {
    path: PathBuf,
}

impl Partial {
    /// Creates an empty file that only its owner can read, because the database contains password
    /// hashes.
    pub(super) fn beside(target: &Path) -> io::Result<Self> {
        let mut path = target.as_os_str().to_owned();
        path.push(format!(
            ".{:016x}.partial",
            u64::from_le_bytes(crate::rng::random_bytes())
        ));
        let partial = Self { path: path.into() };
        open::create_private(&partial.path)?;
        Ok(partial)
    }

    /// Returns the path of the file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Renames the file to `target`. Fails if the target exists.
    pub(super) fn put_in_place(self, target: &Path) -> io::Result<()> {
        // Unlike a rename, a hard link fails if the target has appeared in the meantime.
        match fs::hard_link(&self.path, target) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
            // Some file systems do not support hard links (FAT, some network shares).
            Err(_) if target.symlink_metadata().is_ok() => {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            Err(_) => fs::rename(&self.path, target)?,
        }
        sync_folder_of(target)
    }

    /// Renames the file to `target` and replaces an existing file.
    pub(super) fn replace(self, target: &Path) -> io::Result<()> {
        fs::rename(&self.path, target)?;
        sync_folder_of(target)
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // SQLite leaves these files if a full disk prevents it from closing the copy properly.
        for end in ["", "-journal", "-wal", "-shm"] {
            let mut file = self.path.clone().into_os_string();
            file.push(end);
            // The file is absent after a rename. Other errors have no consequence.
            let _ = fs::remove_file(file);
        }
    }
}

/// Syncs the folder of a file, so that a rename is durable.
pub(super) fn sync_folder_of(file: &Path) -> io::Result<()> {
    let folder = match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    File::open(folder)?.sync_all()
}

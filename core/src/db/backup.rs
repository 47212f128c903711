//! The online backup: one consistent copy, taken while the server runs.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::db::open;
use crate::store::{StoreError, StoreResult};

/// Copies the database behind `connection` to `target`, which must not exist yet.
///
/// The copy is written under a temporary name beside the target and put in place when it is
/// complete and on the disk, so that a target is either whole or absent.
pub fn backup(connection: &Connection, target: &Path) -> StoreResult<()> {
    refuse_existing(target)?;
    let partial = Partial::beside(target)?;
    let name = partial
        .path
        .to_str()
        .ok_or_else(|| cannot(target, &"its name is no UTF-8, which SQLite asks for"))?;
    // Asked as an SQL parameter, so that no name needs quoting. VACUUM INTO reads within one
    // transaction: the copy is of one moment, whatever is written meanwhile.
    connection
        .execute("VACUUM INTO ?1", [name])
        .map_err(|error| cannot(target, &error))?;
    File::open(&partial.path)
        .and_then(|file| file.sync_all())
        .map_err(|error| cannot(target, &error))?;
    partial.put_in_place(target)?;
    let folder = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(|error| cannot(target, &error))
}

fn refuse_existing(target: &Path) -> StoreResult<()> {
    if target.symlink_metadata().is_ok() {
        return Err(StoreError::Refused(format!(
            "{} exists already; a backup never overwrites. Name another file.",
            target.display()
        )));
    }
    Ok(())
}

fn cannot(target: &Path, error: &dyn std::fmt::Display) -> StoreError {
    StoreError::Refused(format!(
        "The backup to {} could not be written: {error}.",
        target.display()
    ))
}

/// The unfinished copy; removed unless it was put in place.
struct Partial {
    path: PathBuf,
}

impl Partial {
    fn beside(target: &Path) -> StoreResult<Self> {
        let mut path = target.as_os_str().to_owned();
        path.push(format!(
            ".{:016x}.partial",
            u64::from_le_bytes(crate::clock::random_bytes())
        ));
        let partial = Self { path: path.into() };
        // Password hashes are nobody else's business; VACUUM INTO takes an empty file as it is.
        open::create_private(&partial.path).map_err(|error| cannot(target, &error))?;
        Ok(partial)
    }

    fn put_in_place(self, target: &Path) -> StoreResult<()> {
        // A hard link, unlike a rename, fails where the target has appeared in the meantime.
        match fs::hard_link(&self.path, target) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                refuse_existing(target)
            }
            // File systems without hard links (FAT, some network shares).
            Err(_) => {
                refuse_existing(target)?;
                fs::rename(&self.path, target).map_err(|error| cannot(target, &error))
            }
        }
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // Gone already where it was renamed; nothing to tell anybody in either case.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::migrate;

    #[test]
    fn a_backup_is_whole_leaves_nothing_behind_and_never_overwrites() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut source = open::writable(&folder.path().join("ledge.db")).expect("a database");
        migrate::migrate(&mut source).expect("a schema");
        let target = folder.path().join("it's a \"copy\".db");
        backup(&source, &target).expect("a backup");
        let copy = open::writable(&target).expect("the copy");
        assert_eq!(migrate::version(&copy).expect("a version"), migrate::LATEST);
        let check: String = copy
            .pragma_query_value(None, "integrity_check", |row| row.get(0))
            .expect("a check");
        assert_eq!(check, "ok");
        for file in ["ledge.db", "it's a \"copy\".db"] {
            use std::os::unix::fs::PermissionsExt as _;
            let metadata = fs::metadata(folder.path().join(file)).expect("a file");
            assert_eq!(
                metadata.permissions().mode() & 0o077,
                0,
                "{file} is private"
            );
        }
        let error = backup(&source, &target)
            .expect_err("a second time")
            .to_string();
        assert!(error.contains("never overwrites"), "{error}");
        let partial = fs::read_dir(folder.path())
            .expect("a listing")
            .filter_map(Result::ok)
            .any(|entry| entry.file_name().to_string_lossy().ends_with(".partial"));
        assert!(!partial);
    }
}

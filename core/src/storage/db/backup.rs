//! Online backup: a consistent copy of the database, taken while the server runs and verified
//! before it is put in place.

pub mod folder;
mod partial;
pub mod restore;
pub mod verify;

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};

use self::partial::Partial;
use crate::db::{open, space};
use crate::error::{StoreError, StoreResult};

/// Copies the database of `connection` to `target`, which must not exist. Returns the number of
/// rows of each table in the copy.
///
/// The copy is written under a temporary name next to the target and verified. It is renamed when
/// it is complete and on the disk, so that a target is either complete or absent.
pub fn backup(connection: &Connection, target: &Path) -> StoreResult<BTreeMap<String, u64>> {
    refuse_existing(target)?;
    let cannot = |error: StoreError| cannot(target, &error);
    let partial = Partial::beside(target).map_err(|error| cannot(error.into()))?;
    let rows = copy(connection, partial.path())
        .map_err(|error| cannot(space::explain_at(partial.path(), error)))?;
    File::open(partial.path())
        .and_then(|file| file.sync_all())
        .map_err(|error| cannot(error.into()))?;
    match partial.put_in_place(target) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => refuse_existing(target)?,
        result => result.map_err(|error| cannot(error.into()))?,
    }
    Ok(rows)
}

/// Copies within one read transaction, so that the copy and the expected row counts are of the same
/// moment.
fn copy(connection: &Connection, path: &Path) -> StoreResult<BTreeMap<String, u64>> {
    let moment = connection.unchecked_transaction()?;
    let expected = verify::counts(&moment)?;
    let mut copy = open::unshared(path)?;
    // The file is synced to the disk once it is complete. An incomplete one is worthless anyway.
    copy.pragma_update(None, "synchronous", "OFF")?;
    let step = Backup::new(&moment, &mut copy)?.step(-1)?;
    drop(moment);
    if step != StepResult::Done {
        return Err(StoreError::Busy);
    }
    // Produces a single file without a log next to it.
    copy.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))?;
    let mut problems = verify::problems(&copy)?;
    let counts = verify::counts(&copy)?;
    if counts != expected {
        problems.push("it does not have as many rows as the database".to_owned());
    }
    match problems.first() {
        None => Ok(counts),
        Some(problem) => Err(StoreError::Refused(format!(
            "the copy was checked and is not whole ({problem}); `ledge check` tells more of the \
             database"
        ))),
    }
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

fn cannot(target: &Path, error: &StoreError) -> StoreError {
    let target = target.display();
    StoreError::Refused(match error {
        StoreError::DiskFull => format!(
            "The backup to {target} could not be written: the disk is full. Free some space there, \
             or name a file on another disk."
        ),
        error => format!("The backup to {target} could not be written: {error}."),
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::db::migrate;

    #[test]
    fn backup_is_complete_leaves_no_partial_file_and_never_overwrites() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut source = open::writable(&folder.path().join("ledge.db")).expect("a database");
        migrate::migrate(&mut source).expect("a schema");
        let target = folder.path().join("it's a \"copy\".db");
        let rows = backup(&source, &target).expect("a backup");
        assert_eq!(rows.get("user"), Some(&0));
        let copy = open::writable(&target).expect("the copy");
        assert_eq!(migrate::version(&copy).expect("a version"), migrate::LATEST);
        assert_eq!(verify::problems(&copy).expect("a check"), [""; 0]);
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
        assert_eq!(partials(folder.path()), 0);
    }

    #[test]
    fn backup_of_damaged_database_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut source = open::writable(&folder.path().join("ledge.db")).expect("a database");
        migrate::migrate(&mut source).expect("a schema");
        source
            .execute_batch(
                "PRAGMA foreign_keys = OFF;
                 INSERT INTO library_grant (user_id, library_id) VALUES (7, 8);",
            )
            .expect("a dangling grant");
        let target = folder.path().join("copy.db");
        let error = backup(&source, &target).expect_err("refused").to_string();
        assert!(error.contains("is not whole"), "{error}");
        assert!(!target.exists());
        assert_eq!(partials(folder.path()), 0);
    }

    fn partials(folder: &Path) -> usize {
        fs::read_dir(folder)
            .expect("a listing")
            .filter_map(Result::ok)
            .filter(|entry| entry.file_name().to_string_lossy().ends_with(".partial"))
            .count()
    }
}

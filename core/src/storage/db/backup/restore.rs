//! Restore: replaces the database with a backup while no server runs.

use std::ffi::OsString;
use std::fmt::Display;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::partial::{Partial, sync_folder_of};
use crate::db::lock::ServerLock;
use crate::db::{migrate, open, verify};
use crate::error::{StoreError, StoreResult};
use crate::time::Timestamp;

/// Replaces `database` with a copy of `backup`. Returns the new path of the previous database, if
/// there was one.
///
/// # Errors
///
/// Returns [`StoreError::Refused`] if a server runs, or if the backup is damaged, is not a database
/// of this program, or has a later version.
pub fn restore(backup: &Path, database: &Path, now: Timestamp) -> StoreResult<Option<PathBuf>> {
    let _lock = ServerLock::take(database)?;
    let cannot = |error: &dyn Display| {
        let error = error.to_string();
        StoreError::Refused(format!(
            "{} could not be restored: {}.",
            backup.display(),
            error.trim_end_matches('.')
        ))
    };
    if is_same(backup, database) {
        return Err(cannot(&"it is the database itself"));
    }
    let copy = Partial::beside(database).map_err(|error| cannot(&error))?;
    fill(copy.path(), backup).map_err(|error| cannot(&error))?;
    verify_copy(copy.path()).map_err(|error| cannot(&error))?;
    let moved_aside = set_aside(database, now).map_err(|error| cannot(&error))?;
    copy.replace(database).map_err(|error| cannot(&error))?;
    Ok(moved_aside)
}

/// Copies only the content and not the mode: users who may read the backup must not be able to read
/// the database.
fn fill(copy: &Path, backup: &Path) -> io::Result<()> {
    let mut copy = File::options().write(true).open(copy)?;
    io::copy(&mut File::open(backup)?, &mut copy)?;
    copy.sync_all()
}

fn is_same(one: &Path, other: &Path) -> bool {
    match (fs::canonicalize(one), fs::canonicalize(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// Verifies the copy instead of the backup, because SQLite may write files next to a database that
/// it opens.
fn verify_copy(copy: &Path) -> StoreResult<()> {
    let refused = |why: String| Err(StoreError::Refused(why));
    let connection = open::unshared(copy)?;
    let tables = connection.query_row(
        "SELECT count(*) FROM sqlite_schema WHERE name IN ('user', 'library', 'item', 'progress')",
        [],
        |row| row.get::<_, i64>(0),
    );
    match tables {
        Ok(4) => {}
        Ok(_) => return refused("it is not a database of Ledge".to_owned()),
        Err(error) => return refused(format!("it cannot be read ({error})")),
    }
    let version = migrate::version(&connection)?;
    if !(migrate::OLDEST..=migrate::LATEST).contains(&version) {
        return refused(format!(
            "it is of version {version}, and this program knows {} to {}",
            migrate::OLDEST,
            migrate::LATEST
        ));
    }
    if let Some(problem) = verify::problems(&connection)?.first() {
        return refused(format!("it is not whole ({problem})"));
    }
    connection.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))?;
    Ok(())
}

/// Gives the current database a second name. The original name stays until the replacement, so that
/// a crash loses nothing.
fn set_aside(database: &Path, now: Timestamp) -> io::Result<Option<PathBuf>> {
    if database.symlink_metadata().is_err() {
        // SQLite would apply a log without a database to the new database.
        for file in beside(database) {
            remove_if_there(&file)?;
        }
        return Ok(None);
    }
    let is_folded = fold_log(database).is_ok();
    let stamp = now.to_string().replace([':', '.'], "-");
    let moved_aside = PathBuf::from(with(database, &format!(".before-restore-{stamp}")));
    if fs::hard_link(database, &moved_aside).is_err() {
        fs::copy(database, &moved_aside)?;
        File::open(&moved_aside)?.sync_all()?;
    }
    if !is_folded {
        // If the log cannot be checkpointed into a damaged database, it is kept together with it.
        for (file, aside) in beside(database).into_iter().zip(beside(&moved_aside)) {
            match fs::rename(&file, aside) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
    }
    for file in beside(database) {
        remove_if_there(&file)?;
    }
    sync_folder_of(database)?;
    Ok(Some(moved_aside))
}

/// Checkpoints the write-ahead log into the database.
fn fold_log(database: &Path) -> StoreResult<()> {
    let connection = open::existing(database)?;
    let busy = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| {
        row.get::<_, i64>(0)
    })?;
    if busy == 0 {
        Ok(())
    } else {
        Err(StoreError::Busy)
    }
}

/// Returns the paths of a database's log and of the log's index.
fn beside(database: &Path) -> [PathBuf; 2] {
    ["-wal", "-shm"].map(|end| with(database, end).into())
}

fn with(path: &Path, end: &str) -> OsString {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name
}

fn remove_if_there(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use rusqlite::Connection;

    use super::*;
    use crate::db::backup::backup;

    struct House {
        folder: tempfile::TempDir,
    }

    impl House {
        fn new() -> Self {
            let folder = tempfile::tempdir().expect("a folder");
            Self { folder }
        }

        fn path(&self, name: &str) -> PathBuf {
            self.folder.path().join(name)
        }

        /// Creates a database with one user.
        fn database(&self, name: &str, user: &str) -> Connection {
            let mut database = open::writable(&self.path(name)).expect("a database");
            migrate::migrate(&mut database).expect("a schema");
            database
                .execute(
                    "INSERT INTO user (username, username_key, password_hash, role, created_at)
                     VALUES (?1, ?1, '', 'user', '')",
                    [user],
                )
                .expect("a user");
            database
        }
    }

    fn user_in(path: &Path) -> String {
        let database = open::existing(path).expect("a database");
        database
            .query_row("SELECT username FROM user", [], |row| row.get(0))
            .expect("a user")
    }

    #[test]
    fn restore_replaces_database_and_keeps_previous_one() {
        let house = House::new();
        let source = house.database("source.db", "then");
        backup(&source, &house.path("backup.db")).expect("a backup");
        // After copies between machines, all users may read the backup.
        let everybody = fs::Permissions::from_mode(0o644);
        fs::set_permissions(house.path("backup.db"), everybody).expect("its mode");
        // The last writes are only in the log, as after a crash.
        let current = house.database("ledge.db", "now");
        let crashed = ["ledge.db", "ledge.db-wal"].map(|name| {
            let copy = house.path(&format!("crashed-{name}"));
            fs::copy(house.path(name), &copy).expect("a copy");
            (copy, house.path(name))
        });
        drop(current);
        for (copy, name) in crashed {
            fs::rename(copy, name).expect("a crash");
        }
        let database = house.path("ledge.db");
        let moved_aside = restore(
            &house.path("backup.db"),
            &database,
            Timestamp::from_micros(0),
        )
        .expect("restored");
        let moved_aside = moved_aside.expect("what was there");
        assert_eq!(user_in(&database), "then");
        assert_eq!(user_in(&moved_aside), "now");
        let mode = fs::metadata(&database)
            .expect("a file")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
        let left = fs::read_dir(house.folder.path()).expect("a listing");
        let left = left.filter_map(Result::ok).map(|entry| entry.file_name());
        assert!(
            !left
                .into_iter()
                .any(|name| name.to_string_lossy().ends_with(".partial"))
        );
    }

    #[test]
    fn stale_log_is_not_applied_to_restored_database() {
        let house = House::new();
        let source = house.database("source.db", "then");
        backup(&source, &house.path("backup.db")).expect("a backup");
        // A log is not bound to a file: SQLite would write its valid frames into this database.
        let gone = house.database("gone.db", "now");
        fs::copy(house.path("gone.db-wal"), house.path("ledge.db-wal")).expect("a log");
        fs::copy(house.path("gone.db-shm"), house.path("ledge.db-shm")).expect("its index");
        drop(gone);
        let database = house.path("ledge.db");
        let moved_aside = restore(
            &house.path("backup.db"),
            &database,
            Timestamp::from_micros(0),
        )
        .expect("restored");
        assert_eq!(moved_aside, None);
        assert_eq!(user_in(&database), "then");
    }

    #[test]
    fn restore_of_invalid_backup_changes_nothing() {
        let house = House::new();
        let current = house.database("ledge.db", "now");
        let database = house.path("ledge.db");
        let refused = |backup: &Path| {
            let error = restore(backup, &database, Timestamp::from_micros(0)).expect_err("refused");
            assert_eq!(user_in(&database), "now");
            error.to_string()
        };
        fs::write(
            house.path("text"),
            "no database at all, whatever its length",
        )
        .expect("text");
        assert!(refused(&house.path("text")).contains("cannot be read"));
        assert!(refused(&house.path("none")).contains("could not be restored"));
        assert!(refused(&database).contains("the database itself"));
        let other = open::writable(&house.path("other.db")).expect("a database");
        other
            .execute_batch("CREATE TABLE user (id)")
            .expect("a table");
        assert!(refused(&house.path("other.db")).contains("not a database of Ledge"));
        let later = house.database("later.db", "later");
        for version in [29, 9999] {
            later
                .pragma_update(None, "user_version", version)
                .expect("a version");
            let copy = house.path(&format!("version-{version}-backup.db"));
            backup(&later, &copy).expect("a backup");
            assert!(refused(&copy).contains(&format!("version {version}")));
        }
        let _server = ServerLock::take(&database).expect("a server");
        assert!(refused(&house.path("version-29-backup.db")).contains("Another server is running"));
        drop(current);
    }
}

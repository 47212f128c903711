//! Opening of connections, with the same pragmas everywhere.

use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use rustix::fs::StatVfsMountFlags;

use crate::db::space;
use crate::error::{StoreError, StoreResult, is_for_lack_of_space};

/// Maximum wait of a writer for another process.
pub const BUSY_TIMEOUT: Duration = Duration::from_secs(15);

/// Page cache of a writer in KiB. A first scan of 300,000 books takes a tenth less time than with half
/// of it. The writer releases it ten seconds after the last large write.
const CACHE: i64 = 49_152;

/// Number of prepared statements that each connection caches.
const STATEMENT_CACHE: usize = 256;

/// File systems that do not support SQLite's write-ahead log, by `statfs` magic number. The log's
/// index is shared memory, which machines cannot share.
const NETWORK_FILE_SYSTEMS: [(i64, &str); 7] = [
    (0x6969, "NFS"),
    (0xff53_4d42, "CIFS"),
    (0xfe53_4d42, "SMB2"),
    (0x517b, "SMB"),
    (0x00c3_6400, "Ceph"),
    (0x5346_414f, "AFS"),
    (0x0102_1997, "9P"),
];

/// Characters that must be encoded in the path of an SQLite URI.
const NOT_IN_URI: AsciiSet = NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'.')
    .remove(b'-')
    .remove(b'_');

/// Opens or creates the database for writing.
pub fn writable(path: &Path) -> StoreResult<Connection> {
    refuse_network_file_system(path)?;
    if !path.exists() {
        create_private(path).map_err(|error| {
            if is_for_lack_of_space(&error) {
                return StoreError::DiskFull;
            }
            StoreError::Refused(format!(
                "The database {} cannot be made: {error}. Set LEDGE_DATABASE to a file in a \
                 folder that can be written to.",
                path.display()
            ))
        })?;
    }
    set_up_writable(path).map_err(|error| space::explain_at(path, error))
}

fn set_up_writable(path: &Path) -> StoreResult<Connection> {
    let connection = open(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
    )?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "cache_size", -CACHE)?;
    // A log that a scan has enlarged shrinks to this size when it starts again from its beginning.
    connection.pragma_update(None, "journal_size_limit", 64 << 20)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    Ok(connection)
}

/// Creates an empty file that only its owner can read. SQLite gives its log the same mode.
pub(crate) fn create_private(path: &Path) -> std::io::Result<()> {
    std::fs::File::options()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)
        .map(drop)
}

/// Opens an existing database for writing. The command line uses it while a server is running.
pub fn existing(path: &Path) -> StoreResult<Connection> {
    if !path.exists() {
        return Err(StoreError::Refused(format!(
            "There is no database at {}. Start the server once, or set LEDGE_DATABASE.",
            path.display()
        )));
    }
    writable(path)
}

/// Opens an existing database for a check or a copy. It also works on a read-only disk, because a
/// disk that became read-only after errors needs them most.
pub fn inspected(path: &Path) -> StoreResult<Connection> {
    let disk = rustix::fs::statvfs(folder_of(path));
    let is_frozen = disk.is_ok_and(|disk| disk.f_flag.contains(StatVfsMountFlags::RDONLY));
    if path.exists() && is_frozen {
        frozen(path)
    } else {
        existing(path)
    }
}

/// Opens a database on a read-only disk, without the files that SQLite would create next to it.
fn frozen(path: &Path) -> StoreResult<Connection> {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let log = Path::new(&log);
    if log.metadata().is_ok_and(|log| log.len() > 0) {
        return Err(StoreError::Refused(format!(
            "The disk of {} cannot be written to, and the last writes still stand in {}. Copy both \
             files to another folder and set LEDGE_DATABASE to the copy.",
            path.display(),
            log.display()
        )));
    }
    let name = path.as_os_str().as_bytes();
    let name = percent_encoding::percent_encode(name, &NOT_IN_URI);
    let uri = format!("file:{name}?immutable=1");
    open(
        Path::new(&uri),
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI,
    )
}

/// Opens an existing database for reading.
pub fn read_only(path: &Path) -> StoreResult<Connection> {
    let connection = unread(path)?;
    connection.pragma_update(None, "cache_size", -2048)?;
    Ok(connection)
}

/// Opens an existing database for reading, but reads nothing yet. Reading the schema takes a
/// millisecond or two, which the start need not wait for.
pub(super) fn unread(path: &Path) -> StoreResult<Connection> {
    // `SQLITE_OPEN_READ_ONLY` would prevent the setup of the log's shared memory.
    let connection = unshared(path)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

/// Opens an incomplete copy that no other process has open.
pub(super) fn unshared(path: &Path) -> StoreResult<Connection> {
    open(path, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(|error| space::explain_at(path, error))
}

fn open(path: &Path, flags: OpenFlags) -> StoreResult<Connection> {
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // Otherwise, a partial index on a table makes SQLite prepare each statement about it again for
    // every value.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
    Ok(connection)
}

pub(super) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

#[cfg(target_os = "linux")]
fn refuse_network_file_system(path: &Path) -> StoreResult<()> {
    let folder = folder_of(path);
    let stat = rustix::fs::statfs(folder).map_err(|error| {
        StoreError::Refused(format!(
            "The database's folder {} cannot be used: {error}.",
            folder.display()
        ))
    })?;
    // The width of the field differs between platforms. The magic numbers fit in 32 bits.
    let magic = i64::from(u32::try_from(stat.f_type & 0xffff_ffff).unwrap_or(0));
    match NETWORK_FILE_SYSTEMS
        .iter()
        .find(|(number, _)| *number == magic)
    {
        None => Ok(()),
        Some((_, name)) => Err(StoreError::Refused(format!(
            "The database {} lies on a network file system ({name}), where it could be damaged; \
             set LEDGE_DATABASE to a local disk.",
            path.display()
        ))),
    }
}

#[cfg(not(target_os = "linux"))]
fn refuse_network_file_system(_path: &Path) -> StoreResult<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use rusqlite::StatementStatus;

    use super::*;
    use crate::db::migrate;

    #[test]
    fn read_only_database_is_read_without_new_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("odd ?#% name.db");
        let mut writer = writable(&path).expect("a database");
        migrate::migrate(&mut writer).expect("a schema");
        let refused = frozen(&path).expect_err("writes in the log").to_string();
        assert!(refused.contains("name.db-wal"), "{refused}");
        drop(writer);
        let names = || {
            let entries = std::fs::read_dir(folder.path()).expect("a folder");
            entries.count()
        };
        let before = names();
        let connection = frozen(&path).expect("a database");
        assert_eq!(
            migrate::version(&connection).expect("a version"),
            migrate::LATEST
        );
        let problems = crate::db::verify::problems(&connection);
        assert_eq!(problems.expect("a check"), [""; 0]);
        connection
            .execute_batch("DELETE FROM user")
            .expect_err("it cannot be changed");
        assert_eq!((before, names()), (1, 1));
    }

    #[test]
    fn cached_statement_is_not_prepared_again_for_other_values() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ledge.db");
        let mut writer = writable(&path).expect("a database");
        migrate::migrate(&mut writer).expect("a schema");
        let reader = read_only(&path).expect("a reader");
        for connection in [&writer, &reader] {
            for sql in [
                "SELECT id FROM file WHERE item_id = ?1",
                "SELECT id FROM item WHERE library_id = ?1 AND id > ?1",
                "SELECT item_id FROM item_progress WHERE user_id = ?1 ORDER BY updated_at",
            ] {
                let mut statement = connection.prepare(sql).expect("a statement");
                for value in 1..9 {
                    let mut rows = statement.query([value]).expect("rows");
                    assert!(rows.next().expect("an answer").is_none());
                }
                let again = statement.get_status(StatementStatus::RePrepare);
                assert_eq!(again, 0, "{sql}");
            }
        }
    }
}

//! How connections are opened: the same pragmas everywhere.

use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::store::{StoreError, StoreResult};

/// How long a writer waits for another process.
pub const BUSY_TIMEOUT: Duration = Duration::from_secs(15);

/// Statements each connection keeps prepared.
const STATEMENT_CACHE: usize = 256;

/// File systems on which SQLite's write-ahead log cannot work, by `statfs` magic number:
/// its index is shared memory, which machines do not share.
const NETWORK_FILE_SYSTEMS: [(i64, &str); 7] = [
    (0x6969, "NFS"),
    (0xff53_4d42, "CIFS"),
    (0xfe53_4d42, "SMB2"),
    (0x517b, "SMB"),
    (0x00c3_6400, "Ceph"),
    (0x5346_414f, "AFS"),
    (0x0102_1997, "9P"),
];

/// Opens or creates the database for writing.
pub fn writable(path: &Path) -> StoreResult<Connection> {
    refuse_network_file_system(path)?;
    if !path.exists() {
        create_private(path).map_err(|error| {
            StoreError::Refused(format!(
                "The database {} cannot be made: {error}. Set LEDGE_DATABASE to a file in a \
                 folder that can be written to.",
                path.display()
            ))
        })?;
    }
    let connection = open(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
    )?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "cache_size", -24_576)?;
    connection.pragma_update(None, "journal_size_limit", 64 << 20)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    Ok(connection)
}

/// Makes an empty file that only its owner can read. SQLite gives its log the same mode.
pub(crate) fn create_private(path: &Path) -> std::io::Result<()> {
    std::fs::File::options()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)
        .map(drop)
}

/// Opens an existing database for writing, as the command line does beside a running server.
pub fn existing(path: &Path) -> StoreResult<Connection> {
    if !path.exists() {
        return Err(StoreError::Refused(format!(
            "There is no database at {}. Start the server once, or set LEDGE_DATABASE.",
            path.display()
        )));
    }
    writable(path)
}

/// Opens an existing database for reading.
pub fn read_only(path: &Path) -> StoreResult<Connection> {
    let connection = unread(path)?;
    set_up_reader(&connection)?;
    Ok(connection)
}

/// Opens an existing database for reading, and reads nothing of it yet, not even its schema: that
/// takes a millisecond or two, which the start need not wait for.
pub(super) fn unread(path: &Path) -> StoreResult<Connection> {
    // Not SQLITE_OPEN_READ_ONLY: such a connection could not set up the log's shared memory.
    let connection = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

/// The rest of what makes a reader of an [`unread`] connection.
pub(super) fn set_up_reader(connection: &Connection) -> StoreResult<()> {
    connection.pragma_update(None, "cache_size", -2048)?;
    Ok(())
}

/// Opens a copy in the making, which nobody else has open, as it is.
pub(super) fn unshared(path: &Path) -> StoreResult<Connection> {
    open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
}

fn open(path: &Path, flags: OpenFlags) -> StoreResult<Connection> {
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // Else a partial index on a table has every statement about it planned anew for each value.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
    Ok(connection)
}

#[cfg(target_os = "linux")]
fn refuse_network_file_system(path: &Path) -> StoreResult<()> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let stat = rustix::fs::statfs(folder).map_err(|error| {
        StoreError::Refused(format!(
            "The database's folder {} cannot be used: {error}.",
            folder.display()
        ))
    })?;
    // The field's width differs between platforms; the magic numbers fit in 32 bits.
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
    fn a_kept_statement_is_not_prepared_again_for_other_values() {
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

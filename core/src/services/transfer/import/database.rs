//! Copies the database of another program and opens the copy for reading. Nothing is written next to
//! the original.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags, Params};

use super::columns::Columns;
use super::source::ImportSource;
use super::{ImportError, ImportResult, refuse};

/// Name of the second database in statements.
const LIBRARY: &str = "library";
/// Attempts to copy a database that changes meanwhile.
const ATTEMPTS: usize = 5;
/// Longest value of a source that SQLite reads, in bytes.
const LONGEST_VALUE: i32 = 64 << 20;

/// Data of another program, open for reading.
#[derive(Debug)]
pub struct SourceData {
    connection: Connection,
    folder: PathBuf,
    source: &'static ImportSource,
}

impl SourceData {
    /// Copies the input of a source into `workspace`, and opens the copy.
    pub(super) fn open(
        source: &'static ImportSource,
        (path, library): (&Path, Option<&Path>),
        workspace: &Path,
    ) -> ImportResult<Self> {
        let copy = workspace.join("source.db");
        if source.is_folder {
            if !path.is_dir() {
                return refuse(format!("{} is not a folder.", path.display()));
            }
        } else {
            copy_database(source, path, &copy)?;
        }
        let data = Self {
            connection: connect(source, &copy)?,
            folder: path.to_owned(),
            source,
        };
        if let Some(library) = library {
            let copy = workspace.join("library.db");
            copy_database(source, library, &copy)?;
            let copy = copy.to_string_lossy().into_owned();
            data.connection
                .execute(&format!("ATTACH DATABASE ?1 AS {LIBRARY}"), [copy])?;
        }
        data.connection.pragma_update(None, "query_only", true)?;
        data.check_tables()?;
        Ok(data)
    }

    /// Returns the folder of a source without a database.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Calls `visit` with each row.
    pub fn each<P: Params>(
        &self,
        sql: &str,
        params: P,
        mut visit: impl FnMut(&Columns<'_, '_>) -> ImportResult<()>,
    ) -> ImportResult<()> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(params)?;
        while let Some(row) = rows.next()? {
            visit(&Columns::new(row))?;
        }
        Ok(())
    }

    /// Returns the values of all rows. For a few rows only.
    pub fn all<T, P: Params>(
        &self,
        sql: &str,
        params: P,
        mut read: impl FnMut(&Columns<'_, '_>) -> T,
    ) -> ImportResult<Vec<T>> {
        let mut values = Vec::new();
        self.each(sql, params, |row| {
            values.push(read(row));
            Ok(())
        })?;
        Ok(values)
    }

    /// Returns `true` if a table has this column.
    pub fn has(&self, table: &str, column: &str) -> ImportResult<bool> {
        let (schema, table) = table.split_once('.').unwrap_or(("main", table));
        let sql = format!(
            "SELECT 1
               FROM {schema}.sqlite_schema AS owner
               JOIN pragma_table_info(owner.name, ?3) AS info
              WHERE owner.type = 'table' AND lower(owner.name) = lower(?1)
                AND lower(info.name) = lower(?2)"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        Ok(statement.exists([table, column, schema])?)
    }

    /// Returns the column of a table with this alias, or `NULL` if the table lacks it.
    pub fn column(&self, alias: &str, table: &str, column: &str) -> ImportResult<String> {
        Ok(if self.has(table, column)? {
            format!("{alias}.\"{column}\"")
        } else {
            "NULL".to_owned()
        })
    }

    fn has_table(&self, table: &str) -> ImportResult<bool> {
        let (schema, table) = table.split_once('.').unwrap_or(("main", table));
        let sql = format!(
            "SELECT 1 FROM {schema}.sqlite_schema WHERE type = 'table' AND lower(name) = lower(?1)"
        );
        Ok(self.connection.prepare_cached(&sql)?.exists([table])?)
    }

    /// Refuses data without a required table or column.
    fn check_tables(&self) -> ImportResult<()> {
        let label = self.source.label;
        for (table, line) in self.source.refused {
            if self.has_table(table)? {
                return refuse((*line).to_owned());
            }
        }
        for (table, columns) in self.source.tables {
            if !self.has_table(table)? {
                return refuse(format!(
                    "This is not a database of {label} that Ledge can read: the table `{table}` is \
                     missing."
                ));
            }
            for column in *columns {
                if !self.has(table, column)? {
                    return refuse(format!(
                        "This is not a database of {label} that Ledge can read: the column \
                         `{table}.{column}` is missing."
                    ));
                }
            }
        }
        Ok(())
    }
}

/// Opens the copy. Its schema is untrusted: views and triggers are off.
fn connect(source: &ImportSource, path: &Path) -> ImportResult<Connection> {
    let connection = if source.is_folder {
        Connection::open_in_memory()?
    } else {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Connection::open_with_flags(path, flags)?
    };
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_VALUE)?;
    connection.set_prepared_statement_cache_capacity(64);
    // A damaged or encrypted file fails here.
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    Ok(connection)
}

/// Copies a database with its write-ahead log. A running program may write meanwhile: the copy is
/// repeated until both files stay unchanged.
fn copy_database(source: &ImportSource, path: &Path, copy: &Path) -> ImportResult<()> {
    for _ in 0..ATTEMPTS {
        let before = states(path)?;
        copy_file(path, copy)?;
        let log = with_suffix(path, "-wal");
        let log_copy = with_suffix(copy, "-wal");
        if log.exists() {
            copy_file(&log, &log_copy)?;
        } else if log_copy.exists() {
            fs::remove_file(&log_copy).map_err(|error| unreadable(&log_copy, &error))?;
        }
        if states(path)? == before {
            return Ok(());
        }
    }
    refuse(format!(
        "{} changes while it is copied: stop {} first.",
        path.display(),
        source.label
    ))
}

/// Size and time of a database and of its log.
fn states(path: &Path) -> ImportResult<[Option<(u64, i64, i64)>; 2]> {
    let state = |meta: &Metadata| (meta.len(), meta.mtime(), meta.mtime_nsec());
    let own = fs::metadata(path).map_err(|error| unreadable(path, &error))?;
    let log = fs::metadata(with_suffix(path, "-wal"));
    Ok([Some(state(&own)), log.ok().as_ref().map(state)])
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn copy_file(from: &Path, to: &Path) -> ImportResult<()> {
    // Opening a FIFO without a writer would block forever.
    let flags = rustix::fs::OFlags::NONBLOCK.bits();
    let mut options = File::options();
    let flags = i32::try_from(flags).unwrap_or(0);
    let opened = options.read(true).custom_flags(flags).open(from);
    let mut input = opened.map_err(|error| unreadable(from, &error))?;
    let meta = input.metadata().map_err(|error| unreadable(from, &error))?;
    if !meta.is_file() {
        return refuse(format!("{} is not a file.", from.display()));
    }
    let written = File::create(to).and_then(|mut output| io::copy(&mut input, &mut output));
    written.map_err(|error| {
        ImportError::Refused(format!(
            "{} cannot be copied to {}: {error}.",
            from.display(),
            to.display()
        ))
    })?;
    Ok(())
}

fn unreadable(path: &Path, error: &io::Error) -> ImportError {
    ImportError::Refused(format!("{} cannot be read: {error}.", path.display()))
}

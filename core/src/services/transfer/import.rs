//! Imports of other programs' data. A source reads a copy of its database and sends rows. They are
//! matched with users and files and staged in a temporary database. Only then, Ledge's database is
//! changed, so that a damaged source changes nothing.

mod apply;
mod collect;
mod columns;
mod database;
mod files;
mod job;
mod paths;
mod report;
pub mod rows;
mod source;
pub mod source_time;
mod staging;
mod summary;
mod users;
mod workspace;

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;
use serde::{Deserialize, Serialize};

use crate::db::open;
use crate::error::StoreError;
use crate::id::UserId;
use crate::registry::Registry;
use crate::time::Timestamp;

pub use apply::{Step, Target, Work};
pub use columns::Columns;
pub use database::SourceData;
pub use job::{RunningImport, get, request, run_job};
pub use paths::PathMapping;
pub use report::ReportRow;
pub use source::{ImportSource, all, find};
pub use summary::{Skipped, Summary, Taken};
pub use users::{MappedUser, UserMapping};

/// Result of the functions of sources.
pub type ImportResult<T> = Result<T, ImportError>;

/// Error that ends an import.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The import is refused; the value is one line for the administrator.
    #[error("{0}")]
    Refused(String),
    /// The copy of the source cannot be read.
    #[error(transparent)]
    Source(#[from] rusqlite::Error),
    /// Error of Ledge's own database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The server is stopping, or the job was cancelled.
    #[error("the import was interrupted")]
    Stopped,
}

/// Returns a refusal with this line.
pub fn refuse<T>(line: String) -> ImportResult<T> {
    Err(ImportError::Refused(line))
}

/// Import as an administrator requests it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Id of the source.
    pub source: String,
    /// Database or folder of the other program.
    pub path: PathBuf,
    /// Second database.
    pub library: Option<PathBuf>,
    /// Mapping of folders.
    pub map: Vec<PathMapping>,
    /// Mapping of users.
    pub users: Vec<UserMapping>,
    /// `true` if nothing is written.
    pub dry_run: bool,
    /// `true` if the version is not checked.
    pub any_version: bool,
}

/// Surroundings of an import.
#[derive(Debug, Clone, Copy)]
pub struct Environment<'a> {
    /// Ledge's database.
    pub database: &'a Path,
    /// Folder for temporary files.
    pub temporary: &'a Path,
    /// Registered kinds.
    pub registry: &'a Registry,
    /// User who started the import; `None` for the command line.
    pub user: Option<UserId>,
    /// Current time.
    pub now: Timestamp,
    /// File that the report is written to.
    pub report: Option<&'a Path>,
}

/// Result of an import.
#[derive(Debug)]
pub struct Imported {
    /// Numbers.
    pub summary: Summary,
    /// First rows of the report.
    pub report: Vec<ReportRow>,
}

/// Runs an import. `is_stopped` is asked regularly.
///
/// # Errors
///
/// Fails without changes if the source cannot be read, has an unknown version, or lacks a table or
/// column.
pub fn run(
    request: &Request,
    environment: Environment<'_>,
    target: &mut dyn Target,
    is_stopped: &dyn Fn() -> bool,
) -> ImportResult<Imported> {
    let Some(source) = find(&request.source) else {
        return refuse(format!("There is no source `{}`.", request.source));
    };
    let imported = import(source, request, environment, (target, is_stopped));
    imported.map_err(|error| describe(error, &request.path))
}

fn import(
    source: &'static ImportSource,
    request: &Request,
    environment: Environment<'_>,
    (target, is_stopped): (&mut dyn Target, &dyn Fn() -> bool),
) -> ImportResult<Imported> {
    let workspace = workspace::create(environment.temporary, environment.now)?;
    let paths = (request.path.as_path(), request.library.as_deref());
    let data = SourceData::open(source, paths, workspace.path())?;
    let version = (source.version)(&data)?;
    if !request.any_version {
        check_version(source, version.as_deref())?;
    }
    let ledge = open::read_only(environment.database)?;
    let users = users::Users::new(&ledge, (source.users)(&data)?, &request.users)?;
    let report = report::Report::create(environment.report)?;
    let mut summary = Summary::new(source.id, version, request.dry_run);
    summary.users.clone_from(&users.mapped);
    let mut collector = collect::Collector::new(
        (&ledge, environment.registry),
        workspace.path(),
        (users, paths::PathMap::new(&request.map)),
        (report, summary),
        is_stopped,
    )?;
    (source.read)(&data, &mut collector)?;
    let mut collected = collector.finish();
    drop(data);
    apply::apply(&ledge, environment, target, &mut collected, is_stopped)?;
    let report = collected.report.finish()?;
    Ok(Imported {
        summary: collected.summary,
        report,
    })
}

fn check_version(source: &ImportSource, version: Option<&str>) -> ImportResult<()> {
    let Some((oldest, newest)) = source.versions else {
        return Ok(());
    };
    let found = version.unwrap_or("none");
    if version.is_some_and(|version| source::is_in_range(version, (oldest, newest))) {
        return Ok(());
    }
    refuse(format!(
        "The data of {} has the version {found}, and Ledge knows {oldest} to {newest}. Use \
         --any-version to import it anyway.",
        source.label
    ))
}

/// Replaces SQLite's errors about the copy by one line about the original.
fn describe(error: ImportError, path: &Path) -> ImportError {
    let ImportError::Source(error) = error else {
        return error;
    };
    let path = path.display();
    let text = error.to_string();
    let text = text.lines().next().unwrap_or_default();
    ImportError::Refused(match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => {
            format!("{path} is not an SQLite database, or it is encrypted or damaged.")
        }
        Some(ErrorCode::DatabaseCorrupt) => format!("{path} is damaged: {text}."),
        Some(ErrorCode::DiskFull) => "The disk is full. Free some space on the disk of the \
             database, then try again."
            .to_owned(),
        _ => format!("{path} cannot be read: {text}."),
    })
}

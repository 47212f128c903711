//! State of the server, for administrators.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use futures_util::future::join_all;
use ledge_core::App;
use ledge_core::db::migrate;
use ledge_core::http::{ApiJson, ApiResult, CurrentUser};
use ledge_core::id::LibraryId;
use ledge_core::store::library::totals;
use ledge_core::store::library::usage::{self, LibraryUsage};
use ledge_core::store::library::{self, Library};
use ledge_core::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::http::transfers::Transfers;
use crate::serve::folder::{is_available, within};
use crate::serve::schedule::backups;

/// Timeout of the data folder.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// State of the server.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ServerStatus)]
pub(crate) struct Status {
    /// Version of the program.
    version: &'static str,
    /// Schema version of the database.
    schema: usize,
    /// Seconds since the start of the server.
    uptime: u64,
    /// Size of the database.
    database: DatabaseSize,
    /// Space on the disk of the data folder; null if the folder does not respond.
    disk: Option<Disk>,
    /// All libraries, by name.
    libraries: Vec<LibraryStatus>,
    /// Numbers of jobs.
    jobs: JobCounts,
    /// Time of the newest complete backup in the backup folder.
    last_backup_at: Option<Timestamp>,
    /// Problems that require an action.
    warnings: Vec<Warning>,
}

/// Size of the database in bytes.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DatabaseSize {
    /// Size of the file.
    size: u64,
    /// Size of the write-ahead log.
    wal: u64,
}

/// Space on a disk in bytes.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DiskSpace)]
pub(crate) struct Disk {
    /// Size of the disk.
    total: u64,
    /// Space that the server can use.
    free: u64,
}

/// State of a library.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LibraryStatus {
    /// Id of the library.
    id: LibraryId,
    /// Name of the library.
    name: String,
    /// Size of the present files in bytes.
    size: i64,
    /// `true` if its folder can be read now.
    available: bool,
    /// Present items by kind.
    counts: BTreeMap<String, u64>,
    /// End of the last complete scan.
    last_scan_at: Option<Timestamp>,
}

/// Numbers of jobs by status.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct JobCounts {
    /// Waiting jobs.
    queued: u64,
    /// Running jobs.
    running: u64,
    /// Failed jobs.
    failed: u64,
}

/// Kind of a warning.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ServerWarningCode)]
pub(crate) enum WarningCode {
    /// The newest backup is older than twice the interval.
    BackupOld,
}

/// Problem that requires an action.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ServerWarning)]
pub(crate) struct Warning {
    /// Kind of the warning.
    code: WarningCode,
    /// Message in English.
    message: String,
}

/// Returns the state of the server.
#[utoipa::path(
    get, path = "/status", tag = "system",
    responses(
        (status = 200, description = "The state", body = Status),
    ),
)]
pub(crate) async fn get_status(
    user: CurrentUser,
    State(app): State<App>,
    Extension(transfers): Extension<Transfers>,
) -> ApiResult<ApiJson<Status>> {
    let read = app.db.read(move |conn| {
        let libraries = library::list_unscoped(conn, user.id)?;
        let mut measured = Vec::with_capacity(libraries.len());
        for library in libraries {
            let usage = usage::of_library_unscoped(conn, library.id)?;
            measured.push((library, usage));
        }
        Ok((measured, totals::count(conn)?.jobs))
    });
    let (measured, jobs) = read.await?;
    let libraries = join_all(measured.into_iter().map(|one| library_status(&app, one))).await;
    let count = |status: &str| jobs.get(status).copied().unwrap_or(0);
    let uptime = transfers.uptime();
    let last_backup_at = last_backup_at(&app).await;
    Ok(ApiJson(Status {
        version: env!("CARGO_PKG_VERSION"),
        schema: migrate::LATEST,
        uptime: uptime.as_secs(),
        database: database_size(app.db.path()),
        disk: disk(&app.settings.data).await,
        libraries,
        jobs: JobCounts {
            queued: count("queued"),
            running: count("running"),
            failed: count("failed"),
        },
        last_backup_at,
        warnings: old_backup(&app, last_backup_at, uptime)
            .into_iter()
            .collect(),
    }))
}

async fn library_status(app: &App, (library, usage): (Library, LibraryUsage)) -> LibraryStatus {
    let available = is_available(&library.path).await;
    let mut counts = library.counts;
    for kind in app.registry.kinds() {
        counts.entry(kind.id.to_owned()).or_insert(0);
    }
    LibraryStatus {
        id: library.id,
        name: library.name,
        size: usage.size,
        available,
        counts,
        last_scan_at: usage.last_scan_at,
    }
}

/// Returns the sizes of the database and its log. The log is absent after a checkpoint at the end.
fn database_size(path: &Path) -> DatabaseSize {
    let size = |path: &Path| path.metadata().map_or(0, |metadata| metadata.len());
    let mut wal = OsString::from(path);
    wal.push("-wal");
    DatabaseSize {
        size: size(path),
        wal: size(Path::new(&wal)),
    }
}

async fn disk(folder: &Path) -> Option<Disk> {
    let folder = folder.to_owned();
    let disk = within(MAX_WAIT, move || rustix::fs::statvfs(&folder))
        .await?
        .ok()?;
    Some(Disk {
        total: disk.f_blocks.saturating_mul(disk.f_frsize),
        free: disk.f_bavail.saturating_mul(disk.f_frsize),
    })
}

async fn last_backup_at(app: &App) -> Option<Timestamp> {
    let settings = app.settings.backups.as_ref()?;
    backups::newest(&backups::list(&settings.folder).await?)
}

/// Returns the warning about the newest backup, if it is late.
fn old_backup(app: &App, newest: Option<Timestamp>, uptime: Duration) -> Option<Warning> {
    let interval = app.settings.backups.as_ref()?.interval?;
    backups::is_late(newest, interval, uptime, app.clock.now()).then(|| Warning {
        code: WarningCode::BackupOld,
        message: match newest {
            Some(newest) => format!("The newest backup is of {newest}. See the failed jobs."),
            None => "No backup has succeeded yet. See the failed jobs.".to_owned(),
        },
    })
}

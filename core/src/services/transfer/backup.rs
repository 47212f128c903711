//! Background job that writes a checked backup into the folder of backups, and deletes old ones.

use std::fs;
use std::io;
use std::path::Path;
use std::thread;

use rusqlite::{Connection, Transaction};
use serde_json::{Value, json};

use crate::app::BackupSettings;
use crate::db::backup::{self, folder};
use crate::db::open;
use crate::error::{StoreError, StoreResult};
use crate::id::JobId;
use crate::job_kind::BACKUP;
use crate::jobs::{JobContext, JobError};
use crate::process::lower_priority;
use crate::store::job::{self, Job};
use crate::time::Timestamp;

/// Object of the jobs: the only database.
const DATABASE: i64 = 1;

/// Queues a backup. If one is queued or running, returns that job.
pub fn request(tx: &Transaction<'_>, now: Timestamp) -> StoreResult<JobId> {
    match job::unfinished(tx, BACKUP, DATABASE)? {
        Some(job) => Ok(job.id),
        None => job::enqueue(tx, BACKUP, Some(DATABASE), &Value::Null, now),
    }
}

/// Returns the newest backup job.
pub fn newest_job(connection: &Connection) -> StoreResult<Option<Job>> {
    Ok(job::newest(connection, BACKUP, DATABASE, 1)?.pop())
}

/// Runs the job. A failed backup deletes nothing.
pub fn run_job(context: &JobContext<'_>) -> Result<Value, JobError> {
    let Some(settings) = &context.app.settings.backups else {
        let problem = "LEDGE_BACKUP_DIR is not set.";
        return Err(JobError::Permanent(problem.to_owned()));
    };
    let Some(turn) = context.app.jobs.take_turn(BACKUP) else {
        return Ok(json!({ "left_to_another": true }));
    };
    let (database, now) = (context.app.db.path(), context.app.clock.now());
    // A lowered thread priority cannot be raised again, so the work runs on a separate thread.
    let written = thread::scope(|scope| {
        let work = scope.spawn(|| {
            lower_priority();
            write(database, settings, now)
        });
        work.join()
    });
    // A request during this backup does not need another one.
    drop(turn);
    match written {
        Ok(Ok(name)) => Ok(json!({ "name": name })),
        Ok(Err(StoreError::Closed)) => Err(JobError::Stopping),
        Ok(Err(error)) => Err(JobError::Permanent(error.to_string())),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// Writes a backup, deletes old ones, and returns the name of the new file.
fn write(database: &Path, settings: &BackupSettings, now: Timestamp) -> StoreResult<String> {
    let in_folder = |error: io::Error| {
        let folder = settings.folder.display();
        StoreError::Refused(format!("The backup folder {folder}: {error}."))
    };
    // Only the last folder is created: an absent parent may be a disk that is not mounted.
    match fs::create_dir(&settings.folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(in_folder(error)),
        _ => {}
    }
    folder::delete_partial(&settings.folder).map_err(in_folder)?;
    let path = folder::new_path(&settings.folder, now);
    backup::backup(&open::inspected(database)?, &path)?;
    folder::delete_old(&settings.folder, settings.keep).map_err(in_folder)?;
    let name = path.file_name().unwrap_or_default();
    Ok(name.to_string_lossy().into_owned())
}

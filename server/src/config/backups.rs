//! Settings of the backups that the server writes.

use std::ffi::OsString;
use std::path::PathBuf;

use ledge_core::app::BackupSettings;

use super::{ConfigError, value};

/// Limit of backups to keep.
const MAX_KEEP: usize = 10_000;

/// Arguments of backups, before validation.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct BackupArgs {
    /// Folder for backups of the database; without it, the server writes none
    #[arg(
        long = "backup-dir",
        value_name = "FOLDER",
        env = "LEDGE_BACKUP_DIR",
        default_value = ""
    )]
    folder: OsString,
    /// Write a backup this long after the last one: `12h`, `1d`, or `off`
    #[arg(
        long = "backup-interval",
        value_name = "TIME",
        env = "LEDGE_BACKUP_INTERVAL",
        default_value = "off"
    )]
    interval: String,
    /// Number of backups to keep; older ones are deleted after a successful backup
    #[arg(
        long = "backup-keep",
        value_name = "N",
        env = "LEDGE_BACKUP_KEEP",
        default_value = "7"
    )]
    keep: String,
}

impl BackupArgs {
    /// Validates the arguments. Returns `None` without a folder.
    pub(super) fn check(&self) -> Result<Option<BackupSettings>, ConfigError> {
        let interval = value::interval("LEDGE_BACKUP_INTERVAL", &self.interval)?;
        let keep = value::number("LEDGE_BACKUP_KEEP", &self.keep, MAX_KEEP)?;
        if self.folder.is_empty() {
            if interval.is_some() {
                let problem = "it needs a folder in LEDGE_BACKUP_DIR.";
                return Err(ConfigError::new("LEDGE_BACKUP_INTERVAL", problem));
            }
            return Ok(None);
        }
        Ok(Some(BackupSettings {
            folder: PathBuf::from(&self.folder),
            interval,
            keep,
        }))
    }
}

//! The file with the random password of the first administrator.
//!
//! Services and containers keep standard error in a log. There, the password goes into a file of the
//! data folder instead. The file is deleted when the password changes, and when its user is
//! disabled or deleted.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use ledge_core::App;

use crate::http::session::password;

/// Name of the file, in the database's folder.
const NAME: &str = "first-password";

/// Limit of a password in bytes; see [`password::is_valid`].
const MAX_LENGTH: u64 = 1024;

/// The file, which may be absent.
#[derive(Debug, Clone)]
pub(crate) struct FirstPassword(PathBuf);

impl FirstPassword {
    /// Returns the file that belongs to this database.
    pub(crate) fn beside(database: &Path) -> Self {
        Self(database.with_file_name(NAME))
    }

    /// Returns the path of the file.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Writes the file, readable for its owner only. Replaces the file of an earlier database.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub(crate) fn write(&self, password: &str) -> anyhow::Result<()> {
        let write = || {
            match fs::remove_file(&self.0) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let mut file = OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(&self.0)?;
            writeln!(file, "{password}")?;
            file.sync_all()
        };
        write().with_context(|| {
            format!(
                "The password of the first administrator cannot be written to {}",
                self.0.display()
            )
        })
    }

    /// Deletes the file if its password has this hash, the hash of a password that is not valid any
    /// more. If the file exists, this takes the time of one password check.
    pub(crate) fn forget(&self, previous_hash: &str) {
        let Some(password) = self.read() else {
            return;
        };
        let mut memory = password::Memory::new();
        match password::verify(&password, Some(previous_hash), &mut memory) {
            Ok(true) => {}
            Ok(false) => return,
            Err(error) => {
                tracing::warn!(%error, "the stored password hash cannot be compared");
                return;
            }
        }
        if let Err(error) = fs::remove_file(&self.0) {
            let path = self.0.display();
            tracing::warn!(%path, %error, "the file of the first password cannot be deleted");
        }
    }

    /// Calls [`FirstPassword::forget`] for a password of the running server that is not valid any
    /// more, on a thread that may block.
    pub(crate) async fn forget_invalid(app: &App, previous_hash: String) {
        let file = Self::beside(app.db.path());
        if !file.path().exists() {
            return;
        }
        let forgotten = tokio::task::spawn_blocking(move || file.forget(&previous_hash)).await;
        if let Err(error) = forgotten {
            tracing::warn!(%error, "the file of the first password was not compared");
        }
    }

    fn read(&self) -> Option<String> {
        let mut text = String::new();
        let file = File::open(&self.0).ok()?;
        file.take(MAX_LENGTH).read_to_string(&mut text).ok()?;
        Some(text.trim_end_matches(['\r', '\n']).to_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn file_is_private_and_is_deleted_with_its_own_password_only() {
        let folder = tempfile::tempdir().expect("a folder");
        let first = FirstPassword::beside(&folder.path().join("ledge.db"));
        first.write("an earlier one").expect("written");
        first.write("correct horse").expect("written again");
        let mode = first.path().metadata().expect("a file").permissions();
        assert_eq!(mode.mode() & 0o777, 0o600);

        let hash = |text: &str| password::hash(text, &mut password::Memory::new()).expect("a hash");
        first.forget(&hash("another password"));
        assert!(first.path().exists());
        first.forget(&hash("correct horse"));
        assert!(!first.path().exists());
        first.forget(&hash("correct horse"));
    }
}

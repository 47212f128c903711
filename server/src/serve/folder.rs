//! Access to folders of this machine on separate threads with a timeout. An unresponsive network
//! mount therefore blocks no other work.

pub(crate) mod availability;
pub(crate) mod listing;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ledge_core::http::{ApiError, ApiResult};
use rustix::fs::{Access, AtFlags, CWD};
use tokio::sync::oneshot;

pub(crate) use availability::is_available;

/// Timeout of a folder for a request of an administrator.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// Resolves a path to an absolute, readable folder without symbolic links.
pub(crate) async fn resolve(text: String) -> ApiResult<PathBuf> {
    let resolved = within(MAX_WAIT, move || resolve_blocking(Path::new(&text))).await;
    resolved
        .unwrap_or(Err("The folder does not respond.".to_owned()))
        .map_err(|message| ApiError::invalid("path", message))
}

/// Resolves a path like [`resolve`], without a timeout.
pub(crate) fn resolve_blocking(path: &Path) -> Result<PathBuf, String> {
    // A client cannot know the working folder of the server.
    if !path.is_absolute() {
        return Err("The path must be absolute: it begins with a slash.".to_owned());
    }
    let resolved = std::fs::canonicalize(path).map_err(|error| match error.kind() {
        ErrorKind::PermissionDenied => {
            format!(
                "The server may not look into the folder {}.",
                path.display()
            )
        }
        _ => format!("The server has no folder {}.", path.display()),
    })?;
    if !resolved.is_dir() {
        return Err(format!("{} is a file, not a folder.", path.display()));
    }
    if is_readable(&resolved) {
        Ok(resolved)
    } else {
        Err(format!(
            "The server may not read the folder {}.",
            path.display()
        ))
    }
}

/// Returns `true` if the folder can be listed and entered.
pub(crate) fn is_readable(folder: &Path) -> bool {
    let listed = std::fs::read_dir(folder).map(|mut entries| entries.next().transpose());
    matches!(listed, Ok(Ok(_))) && may_enter(folder)
}

/// Returns `true` if the server has the rights to list and to enter a folder.
fn may_enter(folder: &Path) -> bool {
    let rights = Access::READ_OK | Access::EXEC_OK;
    rustix::fs::accessat(CWD, folder, rights, AtFlags::EACCESS).is_ok()
}

/// Runs `work` on a thread of its own. Returns `None` if it takes longer than `limit`. The thread
/// does not belong to tokio, because the runtime would wait for it when the server stops.
pub(crate) async fn within<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (answer, result) = oneshot::channel();
    std::thread::Builder::new()
        .name("folder".to_owned())
        .spawn(move || {
            // The receiver is gone after a timeout, and the result is dropped.
            let _ = answer.send(work());
        })
        .ok()?;
    tokio::time::timeout(limit, result).await.ok()?.ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    async fn refusal(text: &str) -> Option<String> {
        match resolve(text.to_owned()).await {
            Err(ApiError::Invalid { field, message }) => {
                assert_eq!(field, "path");
                Some(message)
            }
            Err(error) => panic!("another error: {error}"),
            Ok(_) => None,
        }
    }

    #[tokio::test]
    async fn path_with_links_and_dots_is_resolved() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a path");
        std::fs::create_dir(root.join("media")).expect("a folder");
        symlink("media", root.join("link")).expect("a link");
        for text in ["media", "link", "media/../link/.", "media/"] {
            let text = root.join(text).to_str().expect("text").to_owned();
            assert_eq!(resolve(text).await.expect("a folder"), root.join("media"));
        }
    }

    #[tokio::test]
    async fn path_that_is_not_a_readable_folder_is_rejected() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("file");
        std::fs::write(&file, "").expect("a file");
        symlink("gone", folder.path().join("dangling")).expect("a link");
        let at = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
        for text in [
            String::new(),
            ".".to_owned(),
            "src".to_owned(),
            at("none"),
            at("file"),
            at("dangling"),
            at("a\0b"),
        ] {
            assert!(refusal(&text).await.is_some(), "{text:?}");
        }
        for name in ["none", "file", "dangling"] {
            let message = refusal(&at(name)).await.expect("a message");
            assert!(message.contains(&at(name)), "{message}");
        }
    }

    #[tokio::test]
    async fn work_without_end_times_out() {
        let (_keep, never) = std::sync::mpsc::channel::<()>();
        let stuck = within(Duration::from_millis(20), move || never.recv().is_ok()).await;
        assert_eq!(stuck, None);
    }
}

//! Looking at folders of this machine off the async threads, and with a limit of time: a network
//! mount that does not answer holds up nobody but itself.

pub(crate) mod availability;
pub(crate) mod listing;

use std::path::{Path, PathBuf};
use std::time::Duration;

use ledge_core::http::{ApiError, ApiResult};
use rustix::fs::{Access, AtFlags, CWD};
use tokio::sync::oneshot;

pub(crate) use availability::is_available;

/// How long a folder may take to answer an administrator who waits for it.
const PATIENCE: Duration = Duration::from_secs(10);

/// The folder that a text names: absolute, without links, and readable.
pub(crate) async fn resolve(text: String) -> ApiResult<PathBuf> {
    let resolved = within(PATIENCE, move || resolve_blocking(Path::new(&text))).await;
    resolved
        .unwrap_or(Err("The folder does not answer."))
        .map_err(|message| ApiError::invalid("path", message))
}

/// Like [`resolve`], without a limit of time.
pub(crate) fn resolve_blocking(path: &Path) -> Result<PathBuf, &'static str> {
    // Relative to what, nobody who asks over the network can know.
    if !path.is_absolute() {
        return Err("The path must be absolute: it begins with a slash.");
    }
    let path = std::fs::canonicalize(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::PermissionDenied => "The server may not look into this folder.",
        _ => "There is no such folder on the server.",
    })?;
    if !path.is_dir() {
        return Err("This is a file, not a folder.");
    }
    if is_readable(&path) {
        Ok(path)
    } else {
        Err("The server may not read this folder.")
    }
}

/// Whether the folder can be listed and what is in it be reached.
pub(crate) fn is_readable(folder: &Path) -> bool {
    let listed = std::fs::read_dir(folder).map(|mut entries| entries.next().transpose());
    matches!(listed, Ok(Ok(_))) && may_enter(folder)
}

/// Whether the server has the rights to list and to enter a folder.
fn may_enter(folder: &Path) -> bool {
    let rights = Access::READ_OK | Access::EXEC_OK;
    rustix::fs::accessat(CWD, folder, rights, AtFlags::EACCESS).is_ok()
}

/// Runs `work` on a thread of its own; `None` if it takes longer than `limit`. Not one of tokio's
/// threads: the runtime would wait for it when the server stops.
pub(crate) async fn within<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (answer, result) = oneshot::channel();
    std::thread::Builder::new()
        .name("folder".to_owned())
        .spawn(move || {
            // Nobody waits any more: the answer is dropped.
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
    async fn links_and_dots_are_resolved() {
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
    async fn what_is_no_readable_folder_is_refused() {
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
    }

    #[tokio::test]
    async fn work_that_does_not_end_is_not_waited_for() {
        let (_keep, never) = std::sync::mpsc::channel::<()>();
        let stuck = within(Duration::from_millis(20), move || never.recv().is_ok()).await;
        assert_eq!(stuck, None);
    }
}

//! Availability check of library roots.
//!
//! One thread at a time checks a root. While an unresponsive mount blocks that thread, the root
//! counts as unavailable, and no second thread is started for it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

/// Time that a list of libraries waits for its slowest root.
const MAX_WAIT: Duration = Duration::from_secs(1);

type Answer = watch::Receiver<Option<bool>>;

/// Roots with a running check. The map is global, because a process has one file system.
static ASKED: LazyLock<Mutex<HashMap<PathBuf, Answer>>> = LazyLock::new(Mutex::default);

/// Returns `true` if the folder can be read now, and `false` after a timeout.
pub(crate) async fn is_available(root: &Path) -> bool {
    available_within(root, MAX_WAIT, super::is_readable).await
}

async fn available_within(
    root: &Path,
    limit: Duration,
    check: impl FnOnce(&Path) -> bool + Send + 'static,
) -> bool {
    let mut answer = ask(root, check);
    let answered = tokio::time::timeout(limit, answer.wait_for(Option::is_some)).await;
    matches!(answered, Ok(Ok(value)) if *value == Some(true))
}

fn ask(root: &Path, check: impl FnOnce(&Path) -> bool + Send + 'static) -> Answer {
    let mut asked = asked();
    if let Some(answer) = asked.get(root) {
        return answer.clone();
    }
    let (tx, answer) = watch::channel(None);
    let root = root.to_owned();
    asked.insert(root.clone(), answer.clone());
    drop(asked);
    let thread = std::thread::Builder::new().name("availability".to_owned());
    let spawned = thread.spawn({
        let root = root.clone();
        move || {
            let available = check(&root);
            self::asked().remove(&root);
            // The receivers may be gone.
            let _ = tx.send(Some(available));
        }
    });
    if spawned.is_err() {
        self::asked().remove(&root);
    }
    answer
}

/// Locks the map. A panic cannot leave a map of channels inconsistent.
fn asked() -> MutexGuard<'static, HashMap<PathBuf, Answer>> {
    ASKED.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[tokio::test]
    async fn existing_folder_is_available_and_a_file_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(is_available(folder.path()).await);
        let gone = folder.path().join("gone");
        assert!(!is_available(&gone).await);
        std::fs::write(&gone, "").expect("a file");
        assert!(!is_available(&gone).await);
        std::fs::remove_file(&gone).expect("no file");
        std::fs::create_dir(&gone).expect("a folder");
        assert!(is_available(&gone).await);
    }

    #[tokio::test]
    async fn unresponsive_root_is_checked_by_one_thread_only() {
        let root = Path::new("/a root that hangs");
        let limit = Duration::from_millis(20);
        let (release, hang) = mpsc::channel::<()>();
        let hanging = move |_: &Path| hang.recv().is_ok();
        assert!(!available_within(root, limit, hanging).await);
        let second = |_: &Path| panic!("a second thread");
        assert!(!available_within(root, limit, second).await);
        release.send(()).expect("the first thread waits");
        // The first thread notifies the remaining receivers and removes its entry.
        while asked().contains_key(root) {
            tokio::task::yield_now().await;
        }
        assert!(available_within(root, MAX_WAIT, |_| true).await);
    }
}

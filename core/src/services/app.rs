//! Application context, shared by handlers, jobs and the routes of kinds.

mod job_queue;
pub mod now_playing;
mod watches;

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rusqlite::Transaction;

use crate::db::Db;
use crate::error::StoreResult;
use crate::events::Events;
use crate::id::LibraryId;
use crate::net::Providers;
use crate::registry::Registry;
use crate::registry::reading::ReadTools;
use crate::time::Clock;

pub use job_queue::{JobQueue, WorkPermit};
pub use now_playing::NowPlaying;
pub use watches::{Watch, Watches};

/// End of a scan, for the hooks that run after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScanEnd {
    /// Library that was scanned.
    pub library: LibraryId,
    /// `true` if the scan completed.
    pub is_complete: bool,
}

/// Queues follow-up work in the transaction that ends a scan. The caller wakes the workers.
pub type ScanHook = fn(&Context, &Transaction<'_>, ScanEnd) -> StoreResult<()>;

/// Configuration that the administrator chose at start.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Path of the `ffprobe` executable; `None` if it is absent or switched off.
    pub ffprobe: Option<PathBuf>,
    /// Time limit for reading one file.
    pub read_time_limit: Duration,
    /// Data folder, which contains `cores/` and `bios/`.
    pub data: PathBuf,
    /// Backups that the server writes; `None` if no folder is configured.
    pub backups: Option<BackupSettings>,
}

/// Settings of the backups that the server writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupSettings {
    /// Folder of the backups.
    pub folder: PathBuf,
    /// Interval between backups; `None` if they are written on request only.
    pub interval: Option<Duration>,
    /// Number of backups to keep.
    pub keep: usize,
}

impl Settings {
    /// Returns the limits and programs for reading a file of the library with this root.
    pub fn read_tools<'a>(&'a self, root: &'a Path) -> ReadTools<'a> {
        ReadTools {
            root,
            ffprobe: self.ffprobe.as_deref(),
            time_limit: self.read_time_limit,
        }
    }
}

/// Reference-counted handle to the [`Context`]. Clones are cheap and share everything; each request
/// makes several.
#[derive(Debug, Clone)]
pub struct App(Arc<Context>);

impl App {
    /// Creates a handle to `context`.
    pub fn new(context: Context) -> Self {
        Self(Arc::new(context))
    }
}

impl Deref for App {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.0
    }
}

/// Contents of the application context.
#[derive(Debug, Clone)]
pub struct Context {
    /// The database.
    pub db: Db,
    /// Registered kinds, engines and providers.
    pub registry: Arc<Registry>,
    /// Metadata providers with their settings.
    pub providers: Providers,
    /// Source of the current time; tests replace it.
    pub clock: Clock,
    /// Queue of background work.
    pub jobs: JobQueue,
    /// Bus of background events, with one listener per event stream.
    pub events: Events,
    /// State of the folder watches, by library.
    pub watches: Watches,
    /// Players of all users.
    pub now_playing: NowPlaying,
    /// Configuration that the administrator chose at start.
    pub settings: Arc<Settings>,
    /// Follow-up work after a scan.
    pub after_scan: &'static [ScanHook],
}

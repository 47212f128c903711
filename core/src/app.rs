//! The application's context: what handlers, jobs and kinds' routes share.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::clock::Clock;
use crate::db::Db;
use crate::enrich::Providers;
use crate::events::Events;
use crate::jobs::JobQueue;
use crate::registry::Registry;
use crate::registry::reading::ReadTools;
use crate::watch::Watches;

/// What the person who runs the server decided.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The `ffprobe` executable; `None` where there is none or it is switched off.
    pub ffprobe: Option<PathBuf>,
    /// How long reading one file may take.
    pub read_time_limit: Duration,
    /// Where `cores/` and `bios/` lie.
    pub data: PathBuf,
    /// Whether libraries are enriched after complete scans.
    pub enrich_after_scans: bool,
}

impl Settings {
    /// The limits and programs for reading a file of the library at this root.
    pub fn read_tools<'a>(&'a self, root: &'a Path) -> ReadTools<'a> {
        ReadTools {
            root,
            ffprobe: self.ffprobe.as_deref(),
            time_limit: self.read_time_limit,
        }
    }
}

/// The context itself; clones share everything, and cost next to nothing: each request makes some.
#[derive(Debug, Clone)]
pub struct App(Arc<Context>);

impl App {
    /// A context of these parts.
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

/// What the context is made of.
#[derive(Debug, Clone)]
pub struct Context {
    /// The database.
    pub db: Db,
    /// Every kind, engine and provider.
    pub registry: Arc<Registry>,
    /// The metadata providers that can be asked.
    pub providers: Providers,
    /// Where time comes from.
    pub clock: Clock,
    /// Background work.
    pub jobs: JobQueue,
    /// What happens in the background, for those who listen.
    pub events: Events,
    /// Which libraries' folders are watched.
    pub watches: Watches,
    /// What the person who runs the server decided.
    pub settings: Arc<Settings>,
}

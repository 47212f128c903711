//! Descriptor of a metadata provider: its requests, its settings and its rate limit.

mod lookup;
mod net;
mod settings;

pub(crate) use settings::origin;

pub use lookup::{Candidate, Cover, ItemFolder, Lookup, Query};
pub use net::{AskError, Body, Method, Net, Request, Response};
pub use settings::{Absent, Base, BaseError, Secret, Setting, SettingKind, Settings};

/// Creates a provider from its settings. Returns the missing variables if it cannot work without
/// them.
pub type OpenFn = fn(&Settings) -> Result<Box<dyn Lookup>, Absent>;

/// Source of metadata in addition to the library's own files.
///
/// [`MetadataProvider::new`] fills in defaults: no settings, at most one request per second, and a
/// middle rank.
#[derive(Debug, Clone, Copy)]
pub struct MetadataProvider {
    /// Identifier in the API and the database: `^[a-z][a-z0-9_]*$`.
    pub id: &'static str,
    /// Name for users.
    pub label: &'static str,
    /// Position in the query order. Providers are queried until one has a match. `id` breaks ties.
    pub rank: i32,
    /// Ids of the kinds that it serves.
    pub kinds: &'static [&'static str],
    /// Settings. The server reads them from the environment and does not start with an invalid
    /// value.
    pub settings: &'static [Setting],
    /// Rate limit. The core enforces it for all callers.
    pub pace: RateLimit,
    /// `true` if the provider queries a server. If a provider that only reads local files has no
    /// match, this is not shown as an answer.
    pub is_remote: bool,
    /// Creates the provider from its settings.
    pub open: OpenFn,
}

impl MetadataProvider {
    /// Creates a descriptor with defaults for everything except its names, kinds and constructor.
    pub const fn new(
        id: &'static str,
        label: &'static str,
        kinds: &'static [&'static str],
        open: OpenFn,
    ) -> Self {
        Self {
            id,
            label,
            rank: 1000,
            kinds,
            settings: &[],
            pace: RateLimit { per_second: 1.0 },
            is_remote: true,
            open,
        }
    }

    /// Returns `true` if the provider serves this kind.
    pub fn serves(&self, kind: &str) -> bool {
        self.kinds.contains(&kind)
    }
}

inventory::collect!(MetadataProvider);

/// Rate limit of a provider.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateLimit {
    /// Requests per second, evenly spaced. May be less than one.
    pub per_second: f64,
}

//! The descriptor of a metadata provider: what a provider's crate tells the core about whom it
//! asks, what it is configured by, and how often it may ask.

mod asking;
mod net;
mod settings;

pub(crate) use settings::origin;

pub use asking::{Asks, Candidate, Cover, Place, Question};
pub use net::{AskError, Body, Method, Net, Request, Response};
pub use settings::{Absent, Base, BaseError, Secret, Setting, SettingKind, Settings};

/// Makes a provider of its settings; says what is missing where it cannot be asked without.
pub type OpenFn = fn(&Settings) -> Result<Box<dyn Asks>, Absent>;

/// One source of metadata outside what the library's own files say.
///
/// [`MetadataProvider::new`] fills in defaults: a provider without settings, asked at most once a
/// second, in the middle of the order.
#[derive(Debug, Clone, Copy)]
pub struct MetadataProvider {
    /// Identifier in the API and the database: `^[a-z][a-z0-9_]*$`.
    pub id: &'static str,
    /// Name shown to people.
    pub label: &'static str,
    /// Providers are asked in this order, until one of them knows; ties are broken by `id`.
    pub rank: i32,
    /// Identifiers of the kinds it knows about.
    pub kinds: &'static [&'static str],
    /// What it is configured by. The server reads each from the environment, and does not start
    /// with a value that cannot be used.
    pub settings: &'static [Setting],
    /// How often it may be asked; kept by the core, whoever asks.
    pub pace: Pace,
    /// Whether it asks somebody. That one which only looks at files found none is no answer that
    /// anybody wants to read.
    pub asks_somebody: bool,
    /// Makes it of its settings.
    pub open: OpenFn,
}

impl MetadataProvider {
    /// A provider with defaults for everything but its names and how it is made.
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
            pace: Pace { per_second: 1.0 },
            asks_somebody: true,
            open,
        }
    }

    /// Whether it knows about items of this kind.
    pub fn serves(&self, kind: &str) -> bool {
        self.kinds.contains(&kind)
    }
}

inventory::collect!(MetadataProvider);

/// How often a provider may be asked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// Requests a second, evenly spaced; a fraction for fewer than one.
    pub per_second: f64,
}

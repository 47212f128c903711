//! Descriptor of a metadata provider: its requests, its settings and its rate limit.

mod details;
mod lookup;
mod net;
mod seal;
mod settings;

pub(crate) use settings::origin;

pub use details::{
    Certificate, ChapterDetails, DeliveredPicture, DetailLink, Details, EpisodeDetails, ExternalId,
    KnownPart, LocalPictures, MAX_DELIVERED_PICTURES, PersonCredit, PersonDetails, PictureSubject,
    SeasonPoster,
};
pub use lookup::{Candidate, Cover, ItemFolder, Lookup, Query};
pub use net::{AskError, Body, Method, Net, Request, Response, absent_as_none};
pub use seal::{NONCE_LENGTH, Sealed, SealingKey};
pub use settings::{Absent, Base, BaseError, Secret, Setting, SettingError, SettingKind, Settings};

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
    /// Ids of the subkinds that it serves. Empty for all subkinds of its kinds.
    pub subkinds: &'static [&'static str],
    /// Text and address that the terms of the provider require on pages with its data.
    pub attribution: Option<Attribution>,
    /// Settings. The server reads them from the environment and does not start with an invalid
    /// value.
    pub settings: &'static [Setting],
    /// Rate limit. The core enforces it for all callers.
    pub pace: RateLimit,
    /// `true` if the provider queries a server. If a provider that only reads local files has no
    /// match, this is not shown as an answer.
    pub is_remote: bool,
    /// Data of an item that requests contain. The settings page shows them.
    pub sends: &'static [SentData],
    /// Hosts that requests reach in addition to the base URLs of the settings, such as the hosts of
    /// pictures and of redirects.
    pub further_hosts: &'static [&'static str],
    /// People about whom the provider answers.
    pub people: People,
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
            subkinds: &[],
            attribution: None,
            settings: &[],
            pace: RateLimit { per_second: 1.0 },
            is_remote: true,
            sends: SentData::ALL,
            further_hosts: &[],
            people: People::NONE,
            open,
        }
    }

    /// Returns `true` if the provider serves this kind.
    pub fn serves(&self, kind: &str) -> bool {
        self.kinds.contains(&kind)
    }

    /// Returns the data of an item that leave the server.
    pub fn sent_data(&self) -> &'static [SentData] {
        if self.is_remote { self.sends } else { &[] }
    }

    /// Returns `true` if the provider serves this subkind of its kinds.
    pub fn serves_subkind(&self, subkind: Option<&str>) -> bool {
        self.subkinds.is_empty() || subkind.is_some_and(|subkind| self.subkinds.contains(&subkind))
    }
}

inventory::collect!(MetadataProvider);

/// People about whom a provider answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct People {
    /// Databases whose ids of people the provider accepts. Empty if it answers about no people.
    pub databases: &'static [&'static str],
    /// Text and address that the terms of the provider require on pages of people.
    pub attribution: Option<Attribution>,
}

impl People {
    /// No people.
    pub const NONE: Self = Self {
        databases: &[],
        attribution: None,
    };

    /// Returns `true` if the provider accepts one of these ids.
    pub fn accepts(&self, ids: &[ExternalId]) -> bool {
        ids.iter()
            .any(|id| self.databases.contains(&id.database.as_str()))
    }
}

/// Credit that a provider's terms require.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
pub struct Attribution {
    /// Sentence in English.
    pub text: &'static str,
    /// Address of the provider's site or licence.
    pub url: &'static str,
}

/// Data of an item that a request to a provider can contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SentData {
    /// Title and subtitle.
    Title,
    /// Names of the authors or artists.
    People,
    /// Year of publication or release.
    Year,
    /// ISBNs.
    Isbn,
    /// Name of the series and the number in it.
    Series,
    /// Platform that the kind detected.
    Platform,
    /// Ids in external databases, from names, tags and metadata files.
    ExternalIds,
    /// Numbers, titles and lengths of episodes or tracks.
    Parts,
    /// Languages for texts.
    Languages,
}

impl SentData {
    /// Everything that a [`Query`] contains. A provider that declares nothing may send all of it.
    pub const ALL: &'static [Self] = &[
        Self::Title,
        Self::People,
        Self::Year,
        Self::Isbn,
        Self::Series,
        Self::Platform,
        Self::ExternalIds,
        Self::Parts,
        Self::Languages,
    ];
}

/// Rate limit of a provider.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateLimit {
    /// Requests per second, evenly spaced. May be less than one.
    pub per_second: f64,
}

//! Registries of all linked media kinds, playback engines and metadata providers. They are sorted
//! and checked once at start.

pub mod check;
pub(crate) mod cover_names;
pub mod display;
pub mod engine;
pub mod kind;
mod match_rules;
pub(crate) mod metadata;
pub mod naming;
pub mod provider;
pub mod reading;
pub mod subkind;
pub mod work;

use std::collections::HashMap;

pub use check::RegistryError;
pub use display::{Badge, DisplayTitle};
pub use engine::PlaybackEngine;
pub use kind::{Format, MediaKind, MetadataSidecars, PackedAsset, PartArtistsFn, Shape, Unit};
pub use match_rules::{MatchRules, YearRule};
pub use provider::MetadataProvider;
pub use subkind::{ItemTraits, PartName, Subkind, Translation};
pub use work::WorkForm;

/// Name of a codec or container that a probe does not recognize.
pub const UNKNOWN_CODEC: &str = "unknown";

/// Media type of files whose format has none.
pub const OCTET_STREAM: &str = "application/octet-stream";

/// Id of a kind or subkind that is not registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct UnknownId {
    /// Query parameter that contains the id.
    pub parameter: &'static str,
    /// Sentence that names the id.
    pub message: String,
}

/// All registered descriptors in a stable order.
#[derive(Debug)]
pub struct Registry {
    kinds: Vec<&'static MediaKind>,
    engines: Vec<&'static PlaybackEngine>,
    providers: Vec<&'static MetadataProvider>,
    by_extension: HashMap<&'static str, (&'static MediaKind, &'static Format)>,
}

impl Registry {
    /// Collects the descriptors of the linked crates.
    ///
    /// # Errors
    ///
    /// Returns all problems of the descriptors.
    pub fn collect() -> Result<Self, RegistryError> {
        Self::of(
            inventory::iter::<MediaKind>().collect(),
            inventory::iter::<PlaybackEngine>().collect(),
            inventory::iter::<MetadataProvider>().collect(),
        )
    }

    /// Creates a registry of the given descriptors.
    ///
    /// # Errors
    ///
    /// Returns all problems of the descriptors.
    pub fn of(
        mut kinds: Vec<&'static MediaKind>,
        mut engines: Vec<&'static PlaybackEngine>,
        mut providers: Vec<&'static MetadataProvider>,
    ) -> Result<Self, RegistryError> {
        // The order of `inventory` differs between builds.
        kinds.sort_by_key(|kind| (kind.rank, kind.id));
        engines.sort_by_key(|engine| (engine.rank, engine.id));
        providers.sort_by_key(|provider| (provider.rank, provider.id));
        check::check(&kinds, &engines, &providers)?;
        let by_extension = kinds
            .iter()
            .flat_map(|kind| kind.formats.iter().map(|f| (f.extension, (*kind, f))))
            .collect();
        Ok(Self {
            kinds,
            engines,
            providers,
            by_extension,
        })
    }

    /// Returns the kinds, ordered by rank.
    pub fn kinds(&self) -> &[&'static MediaKind] {
        &self.kinds
    }

    /// Returns the playback engines, ordered by rank.
    pub fn engines(&self) -> &[&'static PlaybackEngine] {
        &self.engines
    }

    /// Returns the metadata providers, ordered by rank.
    pub fn providers(&self) -> &[&'static MetadataProvider] {
        &self.providers
    }

    /// Returns a kind by its id.
    pub fn kind(&self, id: &str) -> Option<&'static MediaKind> {
        self.kinds.iter().find(|kind| kind.id == id).copied()
    }

    /// Returns the kind that a request filters by, or `None` if it names none.
    ///
    /// # Errors
    ///
    /// Fails if there is no kind with this id.
    pub fn wanted_kind(&self, id: Option<String>) -> Result<Option<String>, UnknownId> {
        match id.as_deref().filter(|id| self.kind(id).is_none()) {
            Some(unknown) => Err(UnknownId {
                parameter: "kind",
                message: format!("There is no kind `{unknown}`."),
            }),
            None => Ok(id),
        }
    }

    /// Returns the kind and format of an extension, in lower case and without its dot.
    pub fn by_extension(&self, extension: &str) -> Option<(&'static MediaKind, &'static Format)> {
        self.by_extension.get(extension).copied()
    }

    /// Returns the format of a stored file by its kind and name, or `None` if the kind is not
    /// linked.
    pub fn format_of(&self, kind: &str, file_name: &str) -> Option<&'static Format> {
        self.kind(kind)?.format_of(file_name)
    }

    /// Checks the id of a subkind that a request asks for.
    ///
    /// # Errors
    ///
    /// Fails if neither `kind` nor, without it, any kind has such a subkind.
    pub fn check_subkind(&self, kind: Option<&str>, id: &str) -> Result<(), UnknownId> {
        let mut kinds = self
            .kinds
            .iter()
            .filter(|one| kind.is_none_or(|kind| kind == one.id));
        if kinds.any(|kind| kind.subkind(id).is_some()) {
            return Ok(());
        }
        let message = match kind {
            Some(kind) => format!("The kind `{kind}` has no subkind `{id}`."),
            None => format!("There is no subkind `{id}`."),
        };
        Err(UnknownId {
            parameter: "subkind",
            message,
        })
    }
}

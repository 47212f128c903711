//! The registries: every media kind, playback engine and metadata provider that is linked in,
//! sorted and checked once at start.

pub mod check;
pub mod engine;
pub mod kind;
pub mod naming;
pub mod provider;
pub mod reading;
pub mod subkind;

use std::collections::HashMap;

use crate::http::{ApiError, ApiResult};

pub use check::RegistryError;
pub use engine::PlaybackEngine;
pub use kind::{Format, KindRouter, MediaKind, Notes, PackedAsset, Shape, Unit};
pub use provider::MetadataProvider;
pub use subkind::{ItemTraits, PartName, Subkind, Translation};

/// Media type of files without one of their own.
pub const OCTET_STREAM: &str = "application/octet-stream";

/// Everything that registered itself, in a stable order.
#[derive(Debug)]
pub struct Registry {
    kinds: Vec<&'static MediaKind>,
    engines: Vec<&'static PlaybackEngine>,
    providers: Vec<&'static MetadataProvider>,
    by_extension: HashMap<&'static str, (&'static MediaKind, &'static Format)>,
}

impl Registry {
    /// Collects what the linked crates handed in.
    pub fn collect() -> Result<Self, RegistryError> {
        Self::of(
            inventory::iter::<MediaKind>().collect(),
            inventory::iter::<PlaybackEngine>().collect(),
            inventory::iter::<MetadataProvider>().collect(),
        )
    }

    /// A registry of the given descriptors, or all that is wrong with them.
    pub fn of(
        mut kinds: Vec<&'static MediaKind>,
        mut engines: Vec<&'static PlaybackEngine>,
        mut providers: Vec<&'static MetadataProvider>,
    ) -> Result<Self, RegistryError> {
        // The order in which `inventory` yields differs from build to build.
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

    /// The kinds by rank.
    pub fn kinds(&self) -> &[&'static MediaKind] {
        &self.kinds
    }

    /// The playback engines by rank.
    pub fn engines(&self) -> &[&'static PlaybackEngine] {
        &self.engines
    }

    /// The metadata providers by rank.
    pub fn providers(&self) -> &[&'static MetadataProvider] {
        &self.providers
    }

    /// A kind by its identifier.
    pub fn kind(&self, id: &str) -> Option<&'static MediaKind> {
        self.kinds.iter().find(|kind| kind.id == id).copied()
    }

    /// The kind a request is narrowed to: none where it says nothing, refused where there is none
    /// of this identifier.
    pub fn wanted_kind(&self, id: Option<String>) -> ApiResult<Option<String>> {
        match id.as_deref().filter(|id| self.kind(id).is_none()) {
            Some(unknown) => Err(ApiError::invalid(
                "kind",
                format!("There is no kind `{unknown}`."),
            )),
            None => Ok(id),
        }
    }

    /// The kind and format that a lower-case extension without its dot belongs to.
    pub fn by_extension(&self, extension: &str) -> Option<(&'static MediaKind, &'static Format)> {
        self.by_extension.get(extension).copied()
    }

    /// The format of a stored file, by its kind and name; `None` where the kind is not linked in.
    pub fn format_of(&self, kind: &str, file_name: &str) -> Option<&'static Format> {
        self.kind(kind)?.format_of(file_name)
    }

    /// Returns the subkind that a request asks for: `None` if it names none.
    ///
    /// # Errors
    /// 422 if neither `kind` nor, without it, any kind has such a subkind.
    pub fn wanted_subkind(
        &self,
        kind: Option<&str>,
        id: Option<String>,
    ) -> ApiResult<Option<String>> {
        let Some(id) = id else { return Ok(None) };
        let mut kinds = self
            .kinds
            .iter()
            .filter(|one| kind.is_none_or(|kind| kind == one.id));
        if kinds.any(|kind| kind.subkind(&id).is_some()) {
            return Ok(Some(id));
        }
        let message = match kind {
            Some(kind) => format!("The kind `{kind}` has no subkind `{id}`."),
            None => format!("There is no subkind `{id}`."),
        };
        Err(ApiError::invalid("subkind", message))
    }
}

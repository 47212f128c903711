//! Configured providers with their clients.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::net::Client;
use crate::registry::provider::{Absent, Base, Lookup, Settings};
use crate::registry::{MetadataProvider, Registry};
use crate::time::Clock;

/// Configured providers, ordered by rank. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct Providers(Arc<Vec<Provider>>);

/// Configured provider.
#[derive(Debug)]
pub struct Provider {
    /// Descriptor of the provider.
    pub descriptor: &'static MetadataProvider,
    pub(crate) lookup: Box<dyn Lookup>,
    pub(crate) client: Client,
}

impl Providers {
    /// Opens every provider with its settings. Also returns the providers that are not usable, with
    /// the reason.
    pub fn open(
        registry: &Registry,
        settings: &BTreeMap<&'static str, Settings>,
        clock: &Clock,
    ) -> (Self, Vec<(&'static MetadataProvider, Absent)>) {
        let mut open = Vec::new();
        let mut absent = Vec::new();
        for descriptor in registry.providers().iter().copied() {
            let defaults = || Settings::defaults(descriptor.settings);
            let settings = settings
                .get(descriptor.id)
                .cloned()
                .unwrap_or_else(defaults);
            match (descriptor.open)(&settings) {
                Ok(lookup) => {
                    let configured = settings.bases().filter(|base| base.is_configured());
                    let origins = configured.map(Base::origin).map(str::to_owned).collect();
                    open.push(Provider {
                        descriptor,
                        lookup,
                        client: Client::new(descriptor.pace, origins, clock.clone()),
                    });
                }
                Err(why) => absent.push((descriptor, why)),
            }
        }
        (Self(Arc::new(open)), absent)
    }

    /// Returns all configured providers.
    pub fn iter(&self) -> impl Iterator<Item = &Provider> {
        self.0.iter()
    }

    /// Returns the providers that serve a kind.
    pub fn of_kind(&self, kind: &str) -> impl Iterator<Item = &Provider> {
        self.iter()
            .filter(move |provider| provider.descriptor.serves(kind))
    }

    /// Returns the ids of the providers that serve a kind, in query order.
    pub(crate) fn ids_of_kind(&self, kind: &str) -> Vec<&'static str> {
        let known = self.of_kind(kind);
        known.map(|provider| provider.descriptor.id).collect()
    }

    /// Returns the descriptors of the providers that serve a kind, in query order.
    pub(crate) fn descriptors_of_kind(&self, kind: &str) -> Vec<&'static MetadataProvider> {
        let known = self.of_kind(kind);
        known.map(|provider| provider.descriptor).collect()
    }

    /// Returns the shortest pause of the providers of a kind; `None` if one of them can be asked now.
    pub(crate) fn pause(&self, kind: &str) -> Option<Duration> {
        let pauses: Option<Vec<Duration>> = self
            .of_kind(kind)
            .map(|provider| provider.client.pause())
            .collect();
        pauses.into_iter().flatten().min()
    }

    /// Ends the back-off of all providers, because a user asked for metadata.
    pub fn reset_backoff(&self) {
        for provider in self.iter() {
            provider.client.reset_backoff();
        }
    }

    /// Returns a provider by its id.
    pub fn get(&self, id: &str) -> Option<&Provider> {
        self.iter().find(|provider| provider.descriptor.id == id)
    }

    /// Returns the kinds that at least one provider serves, sorted.
    pub fn kinds(&self) -> Vec<&'static str> {
        let mut kinds: Vec<_> = self
            .iter()
            .flat_map(|provider| provider.descriptor.kinds.iter().copied())
            .collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }
}

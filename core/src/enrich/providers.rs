//! The providers that can be asked, each with its client.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::clock::Clock;
use crate::fetch::Client;
use crate::registry::provider::{Absent, Asks, Base, Settings};
use crate::registry::{MetadataProvider, Registry};

/// The providers that were given what they need, by rank; clones share them.
#[derive(Debug, Clone, Default)]
pub struct Providers(Arc<Vec<Provider>>);

/// A provider that can be asked.
#[derive(Debug)]
pub struct Provider {
    /// What it says of itself.
    pub descriptor: &'static MetadataProvider,
    pub(super) asks: Box<dyn Asks>,
    pub(super) client: Client,
}

impl Providers {
    /// Opens every provider with its settings, and tells which cannot be asked and why not.
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
                Ok(asks) => {
                    let configured = settings.bases().filter(|base| base.is_configured());
                    let origins = configured.map(Base::origin).map(str::to_owned).collect();
                    open.push(Provider {
                        descriptor,
                        asks,
                        client: Client::new(descriptor.pace, origins, clock.clone()),
                    });
                }
                Err(why) => absent.push((descriptor, why)),
            }
        }
        (Self(Arc::new(open)), absent)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Provider> {
        self.0.iter()
    }

    /// Those that know about a kind.
    pub fn of_kind(&self, kind: &str) -> impl Iterator<Item = &Provider> {
        self.iter()
            .filter(move |provider| provider.descriptor.serves(kind))
    }

    /// Identifiers of those that know about a kind, in the order in which they are asked.
    pub(super) fn ids_of_kind(&self, kind: &str) -> Vec<&'static str> {
        let known = self.of_kind(kind);
        known.map(|provider| provider.descriptor.id).collect()
    }

    /// How long nobody can be asked about a kind, as every provider wants to be left alone.
    pub(super) fn rest(&self, kind: &str) -> Option<Duration> {
        let rests: Option<Vec<Duration>> = self
            .of_kind(kind)
            .map(|provider| provider.client.rest())
            .collect();
        rests.into_iter().flatten().min()
    }

    /// Somebody asks for answers: those that could not be reached may be by now.
    pub fn hope(&self) {
        for provider in self.iter() {
            provider.client.hope();
        }
    }

    /// One by its identifier.
    pub fn get(&self, id: &str) -> Option<&Provider> {
        self.iter().find(|provider| provider.descriptor.id == id)
    }

    /// The kinds that any of them knows about.
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

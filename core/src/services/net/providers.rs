//! Metadata providers with their clients. Administrators change their settings while the server
//! runs; each change replaces the set of providers.

mod people;
mod set;
mod status;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use super::HostLimits;
use crate::db::Db;
use crate::error::StoreResult;
use crate::net::Client;
use crate::registry::provider::{Lookup, Sealed, SealingKey, Settings};
use crate::registry::{MetadataProvider, Registry};
use crate::store::matches::provider_setting;
use crate::time::Clock;

pub use people::PersonPermit;
use people::RunningPeople;
use set::ProviderSet;
pub use status::{ProviderStatus, SettingSource, SettingStatus};

/// Settings of the environment. They take precedence over stored ones.
#[derive(Debug, Clone, Default)]
pub struct ProviderEnvironment {
    /// Settings of the providers by id.
    pub settings: BTreeMap<&'static str, Settings>,
    /// `LEDGE_ENRICH`, if it is set.
    pub after_scans: Option<bool>,
    /// `LEDGE_CONTACT`, if it is set: address of the operator, which every request contains. It has
    /// no parentheses and no control characters.
    pub contact: Option<String>,
}

/// All providers. Clones share them.
#[derive(Debug, Clone)]
pub struct Providers(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    descriptors: Vec<&'static MetadataProvider>,
    environment: ProviderEnvironment,
    /// Key of the stored secrets.
    key: Option<SealingKey>,
    clock: Clock,
    hosts: Arc<HostLimits>,
    current: RwLock<Arc<ProviderSet>>,
    /// People whose details are requested now.
    people: RunningPeople,
    /// Serializes reloads, so that an older state never replaces a newer one.
    reloading: Mutex<()>,
}

/// Configured provider.
#[derive(Debug)]
pub struct Provider {
    /// Descriptor of the provider.
    pub descriptor: &'static MetadataProvider,
    pub(crate) lookup: Box<dyn Lookup>,
    pub(crate) client: Client,
    pub(crate) settings: Settings,
}

impl Default for Providers {
    /// Returns an empty set, for tests.
    fn default() -> Self {
        let clock = Clock::system();
        let hosts = HostLimits::new(None, clock.clone());
        Self::with_hosts(
            Vec::new(),
            ProviderEnvironment::default(),
            None,
            hosts,
            clock,
        )
    }
}

impl Providers {
    /// Opens every provider with the settings of the environment and the stored ones. `key` opens
    /// stored secrets.
    ///
    /// # Errors
    ///
    /// Fails if the stored settings cannot be read.
    pub fn open(
        registry: &Registry,
        environment: ProviderEnvironment,
        key: SealingKey,
        db: &Db,
        clock: &Clock,
    ) -> StoreResult<Self> {
        let hosts = HostLimits::new(Some(db.clone()), clock.clone());
        let descriptors = registry.providers().to_vec();
        let clock = clock.clone();
        let providers = Self::with_hosts(descriptors, environment, Some(key), hosts, clock);
        providers.reload(db)?;
        Ok(providers)
    }

    fn with_hosts(
        descriptors: Vec<&'static MetadataProvider>,
        environment: ProviderEnvironment,
        key: Option<SealingKey>,
        hosts: HostLimits,
        clock: Clock,
    ) -> Self {
        Self(Arc::new(Shared {
            descriptors,
            environment,
            key,
            clock,
            hosts: Arc::new(hosts),
            current: RwLock::default(),
            people: RunningPeople::default(),
            reloading: Mutex::default(),
        }))
    }

    /// Applies the stored settings. A provider with unchanged settings keeps its client and its
    /// back-off. Requests that are running end with the previous settings.
    pub fn reload(&self, db: &Db) -> StoreResult<()> {
        let _reloading = self
            .0
            .reloading
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let stored = db.read_blocking(provider_setting::all)?;
        let next = Arc::new(ProviderSet::open(&self.0, &stored, &self.current()));
        // The lock protects a pointer, so a panic cannot leave it half written.
        *self
            .0
            .current
            .write()
            .unwrap_or_else(PoisonError::into_inner) = next;
        Ok(())
    }

    fn current(&self) -> Arc<ProviderSet> {
        let current = self.0.current.read();
        current.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Encrypts the value of a secret setting. Returns `None` if there is no key.
    pub fn seal(&self, provider: &str, name: &str, secret: &str) -> Option<Sealed> {
        let key = self.0.key.as_ref()?;
        Some(key.seal(&context(provider, name), secret))
    }

    /// Returns all providers that may be queried, by rank.
    pub fn iter(&self) -> impl Iterator<Item = Arc<Provider>> + use<> {
        self.current().usable().into_iter()
    }

    /// Returns the providers of a kind that may be queried, in query order.
    pub fn of_kind(&self, kind: &str) -> impl Iterator<Item = Arc<Provider>> + use<> {
        self.current().of_kind(kind).into_iter()
    }

    /// Returns the ids of the providers of a kind that may be queried, in query order.
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

    /// Returns a provider that may be queried by its id.
    pub fn get(&self, id: &str) -> Option<Arc<Provider>> {
        self.iter().find(|provider| provider.descriptor.id == id)
    }

    /// Returns a provider with complete settings by its id, also if it is disabled.
    pub(crate) fn configured(&self, id: &str) -> Option<Arc<Provider>> {
        self.current().configured(id)
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

    /// Returns the state of every registered provider, by rank.
    pub fn status(&self) -> Vec<ProviderStatus> {
        self.current().status().to_vec()
    }

    /// Returns the query order by kind, with disabled and unconfigured providers.
    pub fn order(&self) -> BTreeMap<&'static str, Vec<&'static str>> {
        self.current().order().clone()
    }

    /// Returns the languages for texts, most wanted first. Never empty.
    pub fn languages(&self) -> Vec<String> {
        self.current().languages()
    }

    /// Returns `true` if remote providers may be queried at all.
    pub fn is_remote_allowed(&self) -> bool {
        self.current().general().remote
    }

    /// Returns `true` if complete scans are followed by an enrichment of the library, and the source
    /// of this setting.
    pub fn after_scans(&self) -> (bool, SettingSource) {
        match self.0.environment.after_scans {
            Some(after_scans) => (after_scans, SettingSource::Environment),
            None if self.current().general().after_scans => (true, SettingSource::Stored),
            None => (false, SettingSource::Absent),
        }
    }
}

/// Returns the context of an encrypted setting.
fn context(provider: &str, name: &str) -> String {
    format!("{provider}/{name}")
}

#[cfg(test)]
mod tests;

//! The providers with one state of their settings.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Provider, ProviderStatus, SettingSource, SettingStatus, Shared, context};
use crate::net::Client;
use crate::registry::MetadataProvider;
use crate::registry::provider::{Base, SealingKey, Setting, SettingKind, Settings};
use crate::store::matches::provider_setting::{GeneralSettings, StoredSettings, StoredValue};

/// Language of texts without a setting.
const DEFAULT_LANGUAGE: &str = "en";

/// Providers with one state of their settings.
#[derive(Debug, Default)]
pub(super) struct ProviderSet {
    /// Providers with complete settings, by rank.
    configured: Vec<Arc<Provider>>,
    disabled: BTreeSet<String>,
    status: Vec<ProviderStatus>,
    /// Ids of all providers by kind, in query order.
    order: BTreeMap<&'static str, Vec<&'static str>>,
    general: GeneralSettings,
}

impl ProviderSet {
    /// Opens the providers. `previous` contains the clients of unchanged providers.
    pub(super) fn open(shared: &Shared, stored: &StoredSettings, previous: &Self) -> Self {
        let mut set = Self {
            disabled: stored.disabled.clone(),
            order: order(&shared.descriptors, stored),
            general: stored.general.clone(),
            ..Self::default()
        };
        for descriptor in shared.descriptors.iter().copied() {
            let (settings, statuses) = merged(shared, descriptor, stored);
            let missing = match (descriptor.open)(&settings) {
                Ok(lookup) => {
                    let unchanged = previous
                        .configured(descriptor.id)
                        .filter(|provider| provider.settings == settings);
                    let provider = unchanged.unwrap_or_else(|| {
                        Arc::new(Provider {
                            descriptor,
                            lookup,
                            client: client(shared, descriptor, &settings),
                            settings: settings.clone(),
                        })
                    });
                    set.configured.push(provider);
                    Vec::new()
                }
                Err(absent) => absent.missing,
            };
            set.status.push(ProviderStatus {
                descriptor,
                is_enabled: !stored.disabled.contains(descriptor.id),
                hosts: hosts(descriptor, &settings),
                settings: statuses,
                missing,
            });
        }
        set
    }

    fn is_usable(&self, provider: &Provider) -> bool {
        !self.disabled.contains(provider.descriptor.id)
            && (self.general.remote || !provider.descriptor.is_remote)
    }

    /// Returns the providers that may be queried, by rank.
    pub(super) fn usable(&self) -> Vec<Arc<Provider>> {
        let all = self.configured.iter();
        all.filter(|provider| self.is_usable(provider))
            .cloned()
            .collect()
    }

    /// Returns the providers of a kind that may be queried, in query order.
    pub(super) fn of_kind(&self, kind: &str) -> Vec<Arc<Provider>> {
        let ids = self.order.get(kind).into_iter().flatten();
        ids.filter_map(|id| self.configured(id))
            .filter(|provider| self.is_usable(provider))
            .collect()
    }

    /// Returns a provider with complete settings.
    pub(super) fn configured(&self, id: &str) -> Option<Arc<Provider>> {
        let mut all = self.configured.iter();
        all.find(|provider| provider.descriptor.id == id).cloned()
    }

    pub(super) fn status(&self) -> &[ProviderStatus] {
        &self.status
    }

    pub(super) fn order(&self) -> &BTreeMap<&'static str, Vec<&'static str>> {
        &self.order
    }

    /// Returns the languages for texts, most wanted first. Never empty.
    pub(super) fn languages(&self) -> Vec<String> {
        if self.general.languages.is_empty() {
            return vec![DEFAULT_LANGUAGE.to_owned()];
        }
        self.general.languages.clone()
    }

    pub(super) fn general(&self) -> &GeneralSettings {
        &self.general
    }
}

fn client(shared: &Shared, descriptor: &MetadataProvider, settings: &Settings) -> Client {
    let configured = settings.bases().filter(|base| base.is_configured());
    let origins: Vec<&str> = settings.bases().map(Base::origin).collect();
    Client::with_hosts(
        descriptor.pace,
        shared.hosts.clone(),
        &origins,
        configured.map(Base::origin).map(str::to_owned).collect(),
        shared.clock.clone(),
    )
    .with_contact(shared.environment.contact.as_deref())
}

fn hosts(descriptor: &MetadataProvider, settings: &Settings) -> Vec<String> {
    if !descriptor.is_remote {
        return Vec::new();
    }
    let mut hosts = settings.hosts(descriptor.settings);
    for host in descriptor.further_hosts {
        if !hosts.iter().any(|known| known == host) {
            hosts.push((*host).to_owned());
        }
    }
    hosts
}

/// Returns the query order by kind: the stored one, then the other providers by rank.
fn order(
    descriptors: &[&'static MetadataProvider],
    stored: &StoredSettings,
) -> BTreeMap<&'static str, Vec<&'static str>> {
    let mut order: BTreeMap<&'static str, Vec<&'static str>> = BTreeMap::new();
    for descriptor in descriptors {
        for kind in descriptor.kinds.iter().copied() {
            order.entry(kind).or_default().push(descriptor.id);
        }
    }
    for (kind, ids) in &mut order {
        let Some(first) = stored.order.get(*kind) else {
            continue;
        };
        let position = |id: &str| first.iter().position(|known| known == id);
        // The sort is stable, so providers without a position keep their order.
        ids.sort_by_key(|id| position(id).unwrap_or(usize::MAX));
    }
    order
}

/// Returns the values of a provider's settings, with their sources. Values of the environment take
/// precedence.
fn merged(
    shared: &Shared,
    descriptor: &'static MetadataProvider,
    stored: &StoredSettings,
) -> (Settings, Vec<SettingStatus>) {
    let environment = shared.environment.settings.get(descriptor.id).cloned();
    let mut settings = environment.unwrap_or_else(|| Settings::defaults(descriptor.settings));
    let statuses = descriptor.settings.iter().map(|setting| {
        let name = setting.variable;
        let key = (descriptor.id.to_owned(), name.to_owned());
        let mut source = SettingSource::Absent;
        let mut is_unreadable = false;
        if settings.is_set(name) {
            source = SettingSource::Environment;
        } else if let Some(value) = stored.values.get(&key) {
            let value = opened(value, setting, shared.key.as_ref(), descriptor.id);
            is_unreadable = value.is_none();
            match value.map(|value| settings.set(setting, &value)) {
                Some(Ok(())) => source = SettingSource::Stored,
                // An earlier version accepted any text.
                Some(Err(error)) => tracing::warn!("the stored value of {name} {error}"),
                None => {}
            }
        }
        SettingStatus {
            setting,
            source,
            value: shown(&settings, setting),
            is_unreadable,
        }
    });
    let statuses = statuses.collect();
    (settings, statuses)
}

/// Returns a stored value. Returns `None` if it cannot be decrypted.
fn opened(
    value: &StoredValue,
    setting: &Setting,
    key: Option<&SealingKey>,
    provider: &str,
) -> Option<String> {
    match value {
        StoredValue::Text(text) => Some(text.clone()),
        StoredValue::Sealed(sealed) => key?.open(&context(provider, setting.variable), sealed),
    }
}

/// Returns the value of a setting that is not secret.
fn shown(settings: &Settings, setting: &Setting) -> Option<String> {
    match setting.kind {
        SettingKind::BaseUrl { .. } => Some(settings.base(setting.variable).join("")),
        SettingKind::Text | SettingKind::Choice { .. } => {
            settings.text(setting.variable).map(str::to_owned)
        }
        SettingKind::Secret => None,
    }
}

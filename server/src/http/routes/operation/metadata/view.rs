//! Settings of the metadata providers as the API returns them.

use std::collections::BTreeMap;

use ledge_core::net::Providers;
use ledge_core::net::providers::{ProviderStatus, SettingSource, SettingStatus};
use ledge_core::registry::provider::{Attribution, SentData, SettingKind};
use serde::Serialize;
use utoipa::ToSchema;

/// Settings of all metadata providers.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MetadataSettings {
    /// Registered providers by rank, also disabled and unconfigured ones.
    providers: Vec<ProviderSettings>,
    /// Ids of the providers of each kind, in query order.
    order: BTreeMap<&'static str, Vec<&'static str>>,
    /// Languages for texts as BCP 47 tags, most wanted first. Never empty.
    languages: Vec<String>,
    /// `false` if no remote provider may be queried, not even on request.
    remote: bool,
    /// `true` if complete scans are followed by an enrichment of the library.
    after_scans: bool,
    /// Source of `after_scans`. A variable of the environment cannot be changed here.
    after_scans_source: SettingSource,
}

/// Settings of a metadata provider.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ProviderSettings {
    /// Id of the provider.
    id: &'static str,
    /// Name of the provider.
    label: &'static str,
    /// Ids of the kinds that the provider supports.
    kinds: &'static [&'static str],
    /// `false` if the provider only reads files of the library.
    is_remote: bool,
    /// Hosts that requests reach, with a port unless it is the default one.
    hosts: Vec<String>,
    /// Data of an item that requests can contain. Every request also contains the server's address
    /// and version.
    sends: &'static [SentData],
    /// Most requests per second to each host.
    requests_per_second: f64,
    /// Credit that the provider's terms require.
    attribution: Option<Attribution>,
    /// `true` unless an administrator disabled the provider.
    enabled: bool,
    /// Names of the settings without which the provider cannot be used.
    missing: Vec<&'static str>,
    /// Settings of the provider.
    settings: Vec<SettingView>,
}

/// Setting of a provider.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SettingView {
    /// Name of the environment variable.
    name: &'static str,
    /// Type of the value.
    kind: SettingType,
    /// Description as a phrase in English.
    help: &'static str,
    /// `true` if there is a value other than the default.
    set: bool,
    /// Source of the value. The environment takes precedence over a stored value.
    source: SettingSource,
    /// Value of a text or a URL, including defaults. Always null for a secret.
    value: Option<String>,
    /// `true` if a stored secret cannot be decrypted, because the key file was replaced.
    is_unreadable: bool,
}

/// Type of a provider's setting.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SettingType {
    /// Base URL. Only the environment can set it.
    BaseUrl,
    /// Plain text.
    Text,
    /// Secret. It can be written, but not read.
    Secret,
}

impl MetadataSettings {
    /// Returns the current settings.
    pub(crate) fn of(providers: &Providers) -> Self {
        let (after_scans, after_scans_source) = providers.after_scans();
        let all = providers.status().into_iter();
        Self {
            providers: all.map(ProviderSettings::from).collect(),
            order: providers.order(),
            languages: providers.languages(),
            remote: providers.is_remote_allowed(),
            after_scans,
            after_scans_source,
        }
    }
}

impl From<ProviderStatus> for ProviderSettings {
    fn from(status: ProviderStatus) -> Self {
        let descriptor = status.descriptor;
        Self {
            id: descriptor.id,
            label: descriptor.label,
            kinds: descriptor.kinds,
            is_remote: descriptor.is_remote,
            hosts: status.hosts,
            sends: descriptor.sent_data(),
            requests_per_second: descriptor.pace.per_second,
            attribution: descriptor.attribution,
            enabled: status.is_enabled,
            missing: status.missing,
            settings: status.settings.into_iter().map(SettingView::from).collect(),
        }
    }
}

impl From<SettingStatus> for SettingView {
    fn from(status: SettingStatus) -> Self {
        Self {
            name: status.setting.variable,
            kind: match status.setting.kind {
                SettingKind::BaseUrl { .. } => SettingType::BaseUrl,
                SettingKind::Text | SettingKind::Choice { .. } => SettingType::Text,
                SettingKind::Secret => SettingType::Secret,
            },
            help: status.setting.help,
            set: status.source != SettingSource::Absent,
            source: status.source,
            value: status.value,
            is_unreadable: status.is_unreadable,
        }
    }
}

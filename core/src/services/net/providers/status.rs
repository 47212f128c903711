//! State of the providers for the settings page. It contains no secrets.

use serde::Serialize;
use utoipa::ToSchema;

use crate::registry::MetadataProvider;
use crate::registry::provider::Setting;

/// State of a registered provider.
#[derive(Debug, Clone)]
pub struct ProviderStatus {
    /// Descriptor of the provider.
    pub descriptor: &'static MetadataProvider,
    /// `true` unless an administrator disabled the provider.
    pub is_enabled: bool,
    /// Hosts that requests reach, the API's own first. Empty if the provider is not remote.
    pub hosts: Vec<String>,
    /// Settings in the order of the descriptor.
    pub settings: Vec<SettingStatus>,
    /// Names of the settings without which the provider cannot be used.
    pub missing: Vec<&'static str>,
}

/// State of a setting.
#[derive(Debug, Clone)]
pub struct SettingStatus {
    /// The setting.
    pub setting: &'static Setting,
    /// Source of the value.
    pub source: SettingSource,
    /// Value of a setting that is not secret, including defaults.
    pub value: Option<String>,
    /// `true` if a stored secret cannot be decrypted, because the key file was replaced.
    pub is_unreadable: bool,
}

/// Source of a setting's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SettingSource {
    /// A variable of the environment. It takes precedence.
    Environment,
    /// The database, where an administrator stored it.
    Stored,
    /// There is no value, or it cannot be decrypted.
    Absent,
}

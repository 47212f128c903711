//! Changes of the settings of metadata providers, checked before they are stored.

use std::collections::BTreeMap;
use std::fmt;

use ledge_core::error::StoreResult;
use ledge_core::http::{ApiError, ApiResult};
use ledge_core::net::Providers;
use ledge_core::net::providers::{ProviderStatus, SettingSource};
use ledge_core::registry::provider::{SettingKind, Settings};
use ledge_core::store::matches::provider_setting::{self, StoredValue};
use ledge_core::text::language;
use rusqlite::Transaction;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::http::routes::text;

/// Longest value of a setting in characters.
const MAX_VALUE: usize = 2000;
/// Most languages for texts.
const MAX_LANGUAGES: usize = 10;

/// Changes of the settings of metadata providers. Absent fields stay.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "after_scans": true, "languages": ["de", "en"] }))]
pub(crate) struct UpdateMetadataSettings {
    /// `false` forbids queries to remote providers, also on request.
    remote: Option<bool>,
    /// `true` queries providers about a library after each complete scan.
    after_scans: Option<bool>,
    /// Languages for texts as BCP 47 tags, most wanted first. An empty list restores the default.
    #[schema(max_items = 10)]
    languages: Option<Vec<String>>,
    /// Query order by kind. Providers that a list omits follow by rank.
    order: Option<BTreeMap<String, Vec<String>>>,
    /// Changes of single providers by id.
    providers: Option<BTreeMap<String, UpdateProvider>>,
}

/// Changes of a provider's settings.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UpdateProvider {
    /// `false` disables the provider.
    enabled: Option<bool>,
    /// Values of texts and secrets by name; null deletes a value. A new value also deletes tokens
    /// that the provider issued for the previous one.
    settings: Option<BTreeMap<String, NewValue>>,
}

// It may be a secret, so its `Debug` output is a constant.
/// New value of a setting, or null to delete the value.
#[derive(Deserialize, ToSchema)]
#[serde(transparent)]
#[schema(value_type = Option<String>, max_length = 2000)]
pub(crate) struct NewValue(Option<String>);

impl fmt::Debug for NewValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NewValue")
    }
}

/// Checked changes.
#[derive(Debug)]
pub(super) struct Change {
    remote: Option<bool>,
    after_scans: Option<bool>,
    languages: Option<Vec<String>>,
    order: BTreeMap<String, Vec<String>>,
    enabled: Vec<(&'static str, bool)>,
    values: Vec<(&'static str, &'static str, Option<StoredValue>)>,
}

impl Change {
    /// Checks a change and encrypts its secrets.
    pub(super) fn check(body: UpdateMetadataSettings, providers: &Providers) -> ApiResult<Self> {
        let (_, source) = providers.after_scans();
        if body.after_scans.is_some() && source == SettingSource::Environment {
            return Err(environment("LEDGE_ENRICH"));
        }
        let order = body.order.unwrap_or_default();
        check_order(&order, providers)?;
        let mut change = Self {
            remote: body.remote,
            after_scans: body.after_scans,
            languages: body.languages.map(languages).transpose()?,
            order,
            enabled: Vec::new(),
            values: Vec::new(),
        };
        let all = providers.status();
        for (id, update) in body.providers.unwrap_or_default() {
            let status = all.iter().find(|status| status.descriptor.id == id);
            let status = status.ok_or_else(|| {
                ApiError::invalid("providers", format!("There is no provider `{id}`."))
            })?;
            let id = status.descriptor.id;
            change.enabled.extend(update.enabled.map(|on| (id, on)));
            for (name, value) in update.settings.unwrap_or_default() {
                let value = check_value(&name, value, status, providers)?;
                change.values.push(value);
            }
        }
        Ok(change)
    }

    /// Stores the changes.
    pub(super) fn apply(self, tx: &Transaction<'_>) -> StoreResult<()> {
        let mut general = provider_setting::general(tx)?;
        general.remote = self.remote.unwrap_or(general.remote);
        general.after_scans = self.after_scans.unwrap_or(general.after_scans);
        general.languages = self.languages.unwrap_or(general.languages);
        provider_setting::set_general(tx, &general)?;
        for (kind, providers) in &self.order {
            provider_setting::set_order(tx, kind, providers)?;
        }
        for (provider, is_enabled) in self.enabled {
            provider_setting::set_enabled(tx, provider, is_enabled)?;
        }
        for (provider, name, value) in &self.values {
            provider_setting::set_value(tx, provider, name, value.as_ref())?;
        }
        Ok(())
    }
}

fn environment(variable: &str) -> ApiError {
    ApiError::Conflict(format!(
        "{variable} is set in the environment, which takes precedence. Remove the variable and \
         restart the server to change the value here."
    ))
}

/// Returns canonical tags without repetitions.
fn languages(texts: Vec<String>) -> ApiResult<Vec<String>> {
    let mut tags: Vec<String> = Vec::new();
    if texts.len() > MAX_LANGUAGES {
        let message = format!("At most {MAX_LANGUAGES} languages are allowed.");
        return Err(ApiError::invalid("languages", message));
    }
    for text in texts {
        let tag = language::tag(&text).ok_or_else(|| {
            ApiError::invalid(
                "languages",
                "A language must be a tag such as `de` or `pt-BR`.",
            )
        })?;
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    Ok(tags)
}

fn check_order(order: &BTreeMap<String, Vec<String>>, providers: &Providers) -> ApiResult<()> {
    let all = providers.order();
    for (kind, ids) in order {
        let Some(known) = all.get(kind.as_str()) else {
            let message = format!("No provider serves the kind `{kind}`.");
            return Err(ApiError::invalid("order", message));
        };
        for (at, id) in ids.iter().enumerate() {
            if !known.contains(&id.as_str()) {
                let message = format!("No provider `{id}` serves the kind `{kind}`.");
                return Err(ApiError::invalid("order", message));
            }
            if ids.iter().skip(at + 1).any(|other| other == id) {
                let message = format!("The provider `{id}` is listed twice.");
                return Err(ApiError::invalid("order", message));
            }
        }
    }
    Ok(())
}

fn check_value(
    name: &str,
    NewValue(value): NewValue,
    status: &ProviderStatus,
    providers: &Providers,
) -> ApiResult<(&'static str, &'static str, Option<StoredValue>)> {
    let id = status.descriptor.id;
    let mut settings = status.settings.iter();
    let Some(known) = settings.find(|one| one.setting.variable == name) else {
        let message = format!("The provider `{id}` has no setting `{name}`.");
        return Err(ApiError::invalid("settings", message));
    };
    let name = known.setting.variable;
    if known.source == SettingSource::Environment {
        return Err(environment(name));
    }
    let is_secret = match known.setting.kind {
        SettingKind::Secret => true,
        SettingKind::Text | SettingKind::Choice { .. } => false,
        // Another address would receive the stored key. Only the operator of the server sets it.
        SettingKind::BaseUrl { .. } => {
            let message = format!("{name} can be set in the environment only.");
            return Err(ApiError::invalid("settings", message));
        }
    };
    let Some(value) = value else {
        return Ok((id, name, None));
    };
    let value = text::line("settings", &value, MAX_VALUE)?;
    if let Err(error) = Settings::default().set(known.setting, &value) {
        let message = format!("`{value}` {error}.");
        return Err(ApiError::invalid("settings", message));
    }
    if !is_secret {
        return Ok((id, name, Some(StoredValue::Text(value))));
    }
    let sealed = providers
        .seal(id, name, &value)
        .ok_or(ApiError::Unavailable)?;
    Ok((id, name, Some(StoredValue::Sealed(sealed))))
}

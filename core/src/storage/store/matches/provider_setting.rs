//! Settings of metadata providers that administrators changed. Secrets are encrypted.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};

use crate::error::StoreResult;
use crate::registry::provider::{NONCE_LENGTH, Sealed};

/// Stored settings of all providers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoredSettings {
    /// Settings that are not of one provider.
    pub general: GeneralSettings,
    /// Ids of the providers that must not be queried.
    pub disabled: BTreeSet<String>,
    /// Values of the settings, by provider and name.
    pub values: BTreeMap<(String, String), StoredValue>,
    /// Query order of the providers by kind.
    pub order: BTreeMap<String, Vec<String>>,
}

/// Settings that are not of one provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneralSettings {
    /// `false` if no remote provider may be queried, not even on request.
    pub remote: bool,
    /// `true` if complete scans are followed by an enrichment of the library.
    pub after_scans: bool,
    /// Languages of texts as BCP 47 tags, most wanted first. Empty for the default.
    pub languages: Vec<String>,
}

impl Default for GeneralSettings {
    fn default() -> Self {
        Self {
            remote: true,
            after_scans: false,
            languages: Vec::new(),
        }
    }
}

/// Stored value of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredValue {
    /// Plain text.
    Text(String),
    /// Encrypted secret.
    Sealed(Sealed),
}

/// Returns all stored settings.
pub fn all(connection: &Connection) -> StoreResult<StoredSettings> {
    Ok(StoredSettings {
        general: general(connection)?,
        disabled: disabled(connection)?,
        values: values(connection)?,
        order: order(connection)?,
    })
}

/// Returns the settings that are not of one provider.
pub fn general(connection: &Connection) -> StoreResult<GeneralSettings> {
    let mut statement =
        connection.prepare_cached("SELECT remote, after_scans, languages FROM metadata_setting")?;
    let row = statement.query_row([], |row| {
        let languages: String = row.get("languages")?;
        Ok(GeneralSettings {
            remote: row.get("remote")?,
            after_scans: row.get("after_scans")?,
            languages: serde_json::from_str(&languages).unwrap_or_default(),
        })
    });
    Ok(row.optional()?.unwrap_or_default())
}

/// Stores the settings that are not of one provider.
pub fn set_general(tx: &Transaction<'_>, general: &GeneralSettings) -> StoreResult<()> {
    let languages = serde_json::to_string(&general.languages).expect("texts are JSON");
    tx.prepare_cached(
        "INSERT OR REPLACE INTO metadata_setting (id, remote, after_scans, languages)
         VALUES (1, :remote, :after_scans, :languages)",
    )?
    .execute(named_params! {
        ":remote": general.remote,
        ":after_scans": general.after_scans,
        ":languages": languages,
    })?;
    Ok(())
}

/// Enables or disables a provider.
pub fn set_enabled(tx: &Transaction<'_>, provider: &str, is_enabled: bool) -> StoreResult<()> {
    let sql = if is_enabled {
        "DELETE FROM provider_disabled WHERE provider = :provider"
    } else {
        "INSERT OR IGNORE INTO provider_disabled (provider) VALUES (:provider)"
    };
    tx.prepare_cached(sql)?
        .execute(named_params! { ":provider": provider })?;
    Ok(())
}

/// Stores the value of a setting, or deletes it. Values that the provider stored with the previous
/// one, such as tokens, are deleted.
pub fn set_value(
    tx: &Transaction<'_>,
    provider: &str,
    name: &str,
    value: Option<&StoredValue>,
) -> StoreResult<()> {
    tx.prepare_cached("DELETE FROM provider_state WHERE provider = :provider")?
        .execute(named_params! { ":provider": provider })?;
    let Some(value) = value else {
        tx.prepare_cached(
            "DELETE FROM provider_value WHERE provider = :provider AND name = :name",
        )?
        .execute(named_params! { ":provider": provider, ":name": name })?;
        return Ok(());
    };
    let (text, sealed) = match value {
        StoredValue::Text(text) => (Some(text), None),
        StoredValue::Sealed(sealed) => (None, Some(sealed)),
    };
    tx.prepare_cached(
        "INSERT OR REPLACE INTO provider_value (provider, name, value, nonce, sealed)
         VALUES (:provider, :name, :value, :nonce, :sealed)",
    )?
    .execute(named_params! {
        ":provider": provider,
        ":name": name,
        ":value": text,
        ":nonce": sealed.map(|sealed| sealed.nonce.as_slice()),
        ":sealed": sealed.map(|sealed| sealed.bytes.as_slice()),
    })?;
    Ok(())
}

/// Replaces the query order of the providers of a kind.
pub fn set_order(tx: &Transaction<'_>, kind: &str, providers: &[String]) -> StoreResult<()> {
    tx.prepare_cached("DELETE FROM provider_order WHERE kind = :kind")?
        .execute(named_params! { ":kind": kind })?;
    let mut insert = tx.prepare_cached(
        "INSERT INTO provider_order (kind, provider, position)
         VALUES (:kind, :provider, :position)",
    )?;
    for (position, provider) in (0_i64..).zip(providers) {
        insert.execute(named_params! {
            ":kind": kind, ":provider": provider, ":position": position,
        })?;
    }
    Ok(())
}

fn disabled(connection: &Connection) -> StoreResult<BTreeSet<String>> {
    let mut statement = connection.prepare_cached("SELECT provider FROM provider_disabled")?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn values(connection: &Connection) -> StoreResult<BTreeMap<(String, String), StoredValue>> {
    let mut statement = connection
        .prepare_cached("SELECT provider, name, value, nonce, sealed FROM provider_value")?;
    let rows = statement.query_map([], |row| {
        let text: Option<String> = row.get("value")?;
        let value = match text {
            Some(text) => StoredValue::Text(text),
            None => StoredValue::Sealed(Sealed {
                nonce: row.get::<_, [u8; NONCE_LENGTH]>("nonce")?,
                bytes: row.get("sealed")?,
            }),
        };
        Ok(((row.get("provider")?, row.get("name")?), value))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn order(connection: &Connection) -> StoreResult<BTreeMap<String, Vec<String>>> {
    let mut statement = connection
        .prepare_cached("SELECT kind, provider FROM provider_order ORDER BY kind, position")?;
    let rows = statement.query_map([], |row| Ok((row.get("kind")?, row.get("provider")?)))?;
    let mut order: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in rows {
        let (kind, provider) = row?;
        order.entry(kind).or_default().push(provider);
    }
    Ok(order)
}

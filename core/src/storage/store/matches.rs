//! Attempts to match items with metadata providers, and the current match of each item.

mod credits;
pub mod details;
pub mod due;
pub mod episodes;
pub mod link;
pub mod people;
pub mod person_detail;
pub mod provider_setting;
pub mod provider_state;
pub mod subject;
pub mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use rusqlite::{Connection, Transaction, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::VisibleItem;
use crate::error::StoreResult;
use crate::id::ItemId;
use crate::time::Timestamp;

/// Validity of an answer; an expired one is requested again.
const VALIDITY: Duration = Duration::from_hours(30 * 24);
/// Limit of stored attempts per item and provider.
const MAX_ATTEMPTS: i64 = 20;

/// Outcome of a query to a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MatchOutcome {
    /// The provider has the item.
    Ok,
    /// The provider does not have the item, or the match is uncertain.
    Notfound,
    /// The query failed.
    Failure,
}

impl MatchOutcome {
    fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Notfound => "notfound",
            Self::Failure => "failure",
        }
    }

    fn of(word: &str) -> Self {
        let all = [Self::Ok, Self::Notfound];
        let found = all.into_iter().find(|outcome| outcome.as_str() == word);
        found.unwrap_or(Self::Failure)
    }
}

/// An attempt to match an item, as the API returns it.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct MatchAttempt {
    /// Id of the provider.
    pub provider: String,
    /// Outcome of the query.
    pub outcome: MatchOutcome,
    /// Text of the query.
    pub query: String,
    /// Id of the matched entry at the provider.
    pub provider_id: Option<String>,
    /// Title of the matched entry.
    pub title: Option<String>,
    /// Year of the matched entry.
    pub year: Option<i64>,
    /// Authors of the matched entry, joined by commas.
    pub authors: Option<String>,
    /// Match score from 0 to 1; null if a user chose the match.
    pub score: Option<f64>,
    /// Time of the query.
    pub fetched_at: Timestamp,
    /// Expiry of the answer. Null if the next refresh repeats the query: after a failure, if the
    /// cover could not be fetched yet, or if a field of the item was unlocked.
    pub expires_at: Option<Timestamp>,
    /// Error message, or a description of unusable parts of the answer.
    pub error: Option<String>,
    /// `true` for the current match.
    pub is_current: bool,
    /// `true` if a user chose the current match.
    pub is_chosen: bool,
}

/// Returns all attempts for an item, the newest first.
pub fn list(connection: &Connection, item: VisibleItem) -> StoreResult<Vec<MatchAttempt>> {
    let mut statement = connection.prepare_cached(
        "SELECT fetch.provider, fetch.outcome, fetch.query, fetch.external_id, fetch.title,
                fetch.year, fetch.authors, fetch.score, fetch.fetched_at, fetch.expires_at,
                fetch.error, link.is_chosen
           FROM metadata_fetch AS fetch
           LEFT JOIN item_provider AS link
             ON link.item_id = fetch.item_id AND link.provider = fetch.provider
            AND link.external_id = fetch.external_id AND fetch.outcome = 'ok'
          WHERE fetch.item_id = :item
          ORDER BY fetch.id DESC",
    )?;
    let rows = statement.query_map(named_params! { ":item": item.id() }, |row| {
        let outcome: String = row.get("outcome")?;
        let chosen: Option<bool> = row.get("is_chosen")?;
        Ok(MatchAttempt {
            provider: row.get("provider")?,
            outcome: MatchOutcome::of(&outcome),
            query: row.get("query")?,
            provider_id: row.get("external_id")?,
            title: row.get("title")?,
            year: row.get("year")?,
            authors: row.get("authors")?,
            score: row.get("score")?,
            fetched_at: row.get("fetched_at")?,
            expires_at: row.get("expires_at")?,
            error: row.get("error")?,
            is_current: chosen.is_some(),
            is_chosen: chosen.unwrap_or(false),
        })
    })?;
    let mut attempts: Vec<MatchAttempt> = rows.collect::<Result<_, _>>()?;
    // Only the newest of several attempts with the same answer is the current one.
    let mut seen = BTreeSet::new();
    for attempt in &mut attempts {
        if attempt.is_current && !seen.insert(attempt.provider.clone()) {
            attempt.is_current = false;
        }
    }
    Ok(attempts)
}

/// Latest answer of a provider about an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LatestAnswer {
    /// Outcome of the query.
    pub outcome: MatchOutcome,
    /// Id of the matched entry at the provider.
    pub provider_id: Option<String>,
    /// Time of the query.
    pub fetched_at: Timestamp,
    /// Expiry of the answer; `None` if the next refresh repeats the query.
    pub expires_at: Option<Timestamp>,
}

/// Returns the newest attempt of each provider.
pub fn newest_unscoped(
    connection: &Connection,
    item: ItemId,
) -> StoreResult<BTreeMap<String, LatestAnswer>> {
    let mut statement = connection.prepare_cached(
        "SELECT provider, outcome, external_id, fetched_at, expires_at
           FROM metadata_fetch
          WHERE item_id = :item
          ORDER BY id",
    )?;
    let rows = statement.query_map(named_params! { ":item": item }, |row| {
        let outcome: String = row.get("outcome")?;
        let valid_answer = LatestAnswer {
            outcome: MatchOutcome::of(&outcome),
            provider_id: row.get("external_id")?,
            fetched_at: row.get("fetched_at")?,
            expires_at: row.get("expires_at")?,
        };
        Ok((row.get("provider")?, valid_answer))
    })?;
    // Later rows overwrite earlier ones of the same provider.
    Ok(rows.collect::<Result<_, _>>()?)
}

/// An attempt to store.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// Id of the provider.
    pub provider: &'static str,
    /// Outcome of the query.
    pub outcome: MatchOutcome,
    /// Text of the query.
    pub query: String,
    /// Matched entry.
    pub found: Option<Found>,
    /// Match score from 0 to 1.
    pub score: Option<f64>,
    /// Error message, or a description of unusable parts of the answer.
    pub error: Option<String>,
    /// `true` if the answer is valid for its full time; otherwise the next refresh repeats the
    /// query.
    pub is_final: bool,
}

/// Entry of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Id at the provider.
    pub provider_id: String,
    /// Title of the entry.
    pub title: String,
    /// Year of the entry.
    pub year: Option<i32>,
    /// Authors, joined by commas.
    pub authors: String,
}

/// Stores an attempt and deletes the oldest ones beyond the limit. Of consecutive failures, only
/// the last one stays.
pub fn record(
    tx: &Transaction<'_>,
    item: ItemId,
    attempt: &Attempt,
    now: Timestamp,
) -> StoreResult<()> {
    let expires_at = attempt.is_final.then(|| now.plus(VALIDITY));
    let found = attempt.found.as_ref();
    if attempt.outcome == MatchOutcome::Failure {
        tx.prepare_cached(
            "DELETE FROM metadata_fetch
              WHERE outcome = 'failure'
                AND id = (SELECT max(id)
                            FROM metadata_fetch
                           WHERE item_id = :item AND provider = :provider)",
        )?
        .execute(named_params! { ":item": item, ":provider": attempt.provider })?;
    }
    tx.prepare_cached(
        "INSERT INTO metadata_fetch (item_id, provider, outcome, query, external_id, title, year,
                                     authors, score, error, fetched_at, expires_at)
         VALUES (:item, :provider, :outcome, :query, :external_id, :title, :year,
                 :authors, :score, :error, :now, :expires_at)",
    )?
    .execute(named_params! {
        ":item": item,
        ":provider": attempt.provider,
        ":outcome": attempt.outcome.as_str(),
        ":query": attempt.query,
        ":external_id": found.map(|found| found.provider_id.as_str()),
        ":title": found.map(|found| found.title.as_str()),
        ":year": found.and_then(|found| found.year),
        ":authors": found.map(|found| found.authors.as_str()),
        ":score": attempt.score,
        ":error": attempt.error,
        ":now": now,
        ":expires_at": expires_at,
    })?;
    tx.prepare_cached(
        "DELETE FROM metadata_fetch
          WHERE item_id = :item AND provider = :provider
            AND id <= (SELECT id
                         FROM metadata_fetch
                        WHERE item_id = :item AND provider = :provider
                        ORDER BY id DESC
                        LIMIT 1 OFFSET :kept)",
    )?
    .execute(
        named_params! { ":item": item, ":provider": attempt.provider, ":kept": MAX_ATTEMPTS },
    )?;
    Ok(())
}

/// Expires all answers about an item, so that the next refresh repeats the queries. Earlier
/// negative answers may result from values that a user had edited.
pub fn expire(tx: &Transaction<'_>, item: ItemId) -> StoreResult<()> {
    tx.prepare_cached(
        "UPDATE metadata_fetch
            SET expires_at = NULL
          WHERE item_id = :item AND expires_at IS NOT NULL",
    )?
    .execute(named_params! { ":item": item })?;
    Ok(())
}

//! Matches: what providers were asked about items and answered, and which answer holds.

pub mod due;
pub mod link;
pub mod subject;
pub mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use rusqlite::{Connection, Transaction, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::VisibleItem;
use crate::clock::Timestamp;
use crate::id::ItemId;
use crate::store::StoreResult;

/// How long an answer stands.
const STANDS: Duration = Duration::from_hours(30 * 24);
/// Attempts of one item and provider that are kept.
const KEPT: i64 = 20;

/// What came of asking a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MatchOutcome {
    /// It knows the item.
    Ok,
    /// It does not, or not surely.
    Notfound,
    /// It gave no answer.
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

/// One attempt, as the API shows it.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct MatchAttempt {
    /// Whom was asked.
    pub provider: String,
    /// What came of it.
    pub outcome: MatchOutcome,
    /// What was asked.
    pub query: String,
    /// Id at the provider of what was found.
    pub provider_id: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// Its year.
    pub year: Option<i64>,
    /// Its authors, joined.
    pub authors: Option<String>,
    /// How well it fits, 0 to 1; null where a person chose it.
    pub score: Option<f64>,
    /// When it was asked.
    pub fetched_at: Timestamp,
    /// Until when the answer stands; null for what is asked for again: failures, matches whose cover
    /// could not be fetched yet, and answers about an item of which a field was unlocked.
    pub expires_at: Option<Timestamp>,
    /// Why there was no answer, or what of it could not be used.
    pub error: Option<String>,
    /// Whether this is the match that holds now.
    pub is_current: bool,
    /// Whether a person chose the match that holds.
    pub is_chosen: bool,
}

/// Every attempt about an item, the newest first.
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
    // Of several attempts with the same answer the newest is the one that holds.
    let mut seen = BTreeSet::new();
    for attempt in &mut attempts {
        if attempt.is_current && !seen.insert(attempt.provider.clone()) {
            attempt.is_current = false;
        }
    }
    Ok(attempts)
}

/// What a provider was last found to say, as the work needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// What came of it.
    pub outcome: MatchOutcome,
    /// Id at the provider of what was found.
    pub provider_id: Option<String>,
    /// When.
    pub fetched_at: Timestamp,
    /// Until when it stands.
    pub expires_at: Option<Timestamp>,
}

/// The newest attempt of each provider.
pub fn newest_unscoped(
    connection: &Connection,
    item: ItemId,
) -> StoreResult<BTreeMap<String, Standing>> {
    let mut statement = connection.prepare_cached(
        "SELECT provider, outcome, external_id, fetched_at, expires_at
           FROM metadata_fetch
          WHERE item_id = :item
          ORDER BY id",
    )?;
    let rows = statement.query_map(named_params! { ":item": item }, |row| {
        let outcome: String = row.get("outcome")?;
        let standing = Standing {
            outcome: MatchOutcome::of(&outcome),
            provider_id: row.get("external_id")?,
            fetched_at: row.get("fetched_at")?,
            expires_at: row.get("expires_at")?,
        };
        Ok((row.get("provider")?, standing))
    })?;
    // The last of each provider is what stays.
    Ok(rows.collect::<Result<_, _>>()?)
}

/// One attempt, to be kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// Whom was asked.
    pub provider: &'static str,
    /// What came of it.
    pub outcome: MatchOutcome,
    /// What was asked.
    pub query: String,
    /// What was found.
    pub found: Option<Found>,
    /// How well it fits.
    pub score: Option<f64>,
    /// Why there was no answer, or what of it could not be used.
    pub error: Option<String>,
    /// Whether the answer stands; what does not is asked for again.
    pub stands: bool,
}

/// What an attempt found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its id at the provider.
    pub provider_id: String,
    /// Its title.
    pub title: String,
    /// Its year.
    pub year: Option<i32>,
    /// Its authors, joined.
    pub authors: String,
}

/// Keeps an attempt, and drops those of long ago. Of failures in a row the last one is kept.
pub fn record(
    tx: &Transaction<'_>,
    item: ItemId,
    attempt: &Attempt,
    now: Timestamp,
) -> StoreResult<()> {
    let expires_at = attempt.stands.then(|| now.plus(STANDS));
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
    .execute(named_params! { ":item": item, ":provider": attempt.provider, ":kept": KEPT })?;
    Ok(())
}

/// Has the providers asked about an item again at its next refresh, although their answers would
/// still stand: those that do not know it may have been asked with the words of a person.
pub fn expire(tx: &Transaction<'_>, item: ItemId) -> StoreResult<()> {
    tx.prepare_cached(
        "UPDATE metadata_fetch
            SET expires_at = NULL
          WHERE item_id = :item AND expires_at IS NOT NULL",
    )?
    .execute(named_params! { ":item": item })?;
    Ok(())
}

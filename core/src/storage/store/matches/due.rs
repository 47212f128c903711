//! Selection of the items for which providers must be queried.
//!
//! The stored answers ([`Answers`]) decide this. The table `enrichment_checked` caches the time
//! until which no query is necessary, so that a run need not read the answers of every item.
//! Triggers of the schema delete an item's row whenever its answers or choices change. An item
//! without a row is checked.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};

use super::link::{self, Link};
use super::{LatestAnswer, MatchOutcome};
use crate::error::StoreResult;
use crate::id::{ItemId, LibraryId};
use crate::registry::MetadataProvider;
use crate::time::Timestamp;

/// Stored answers about an item, and its current matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answers {
    /// Id of the item's kind.
    pub kind: String,
    /// Id of the item's subkind.
    pub subkind: Option<String>,
    /// Newest attempt of each provider.
    pub newest: BTreeMap<String, LatestAnswer>,
    /// Match that a user chose.
    pub chosen: Option<Link>,
    /// Match whose values are in the item's fields.
    pub source: Option<Link>,
}

/// Reads the answers about an item. Returns `None` if it is gone.
pub fn answers_unscoped(connection: &Connection, item: ItemId) -> StoreResult<Option<Answers>> {
    let mut statement =
        connection.prepare_cached("SELECT kind, subkind FROM item WHERE id = :item")?;
    let row = statement.query_row(named_params! { ":item": item }, |row| {
        Ok((row.get(0)?, row.get(1)?))
    });
    let Some((kind, subkind)) = row.optional()? else {
        return Ok(None);
    };
    Ok(Some(Answers {
        kind,
        subkind,
        newest: super::newest_unscoped(connection, item)?,
        chosen: link::chosen_unscoped(connection, item)?,
        source: link::source_unscoped(connection, item)?,
    }))
}

/// Decision about one provider in the order of an item's providers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// The provider must be queried.
    Query,
    /// The next provider decides: this one does not serve the item, or has no match.
    Next,
    /// The match of this provider is valid. No later provider is queried.
    Done,
}

impl Answers {
    /// Returns the decision about a provider. Answers from before `since` are not valid.
    pub fn turn(
        &self,
        provider: &MetadataProvider,
        since: Option<Timestamp>,
        now: Timestamp,
    ) -> Turn {
        if self.is_skipped(provider) {
            return Turn::Next;
        }
        match self.valid_answer(provider.id, since, now) {
            Some((MatchOutcome::Ok, _)) => Turn::Done,
            Some(_) => Turn::Next,
            None => Turn::Query,
        }
    }

    /// Returns `true` if this provider is not queried: a user chose another provider's match, or the
    /// provider does not serve the item's subkind.
    fn is_skipped(&self, provider: &MetadataProvider) -> bool {
        let chosen = self.chosen.as_ref();
        chosen.is_some_and(|(chosen, _)| chosen != provider.id)
            || !provider.serves_subkind(self.subkind.as_deref())
    }

    /// Returns `true` if the item's fields contain this provider's values.
    pub fn is_source(&self, provider: &str) -> bool {
        let source = self.source.as_ref();
        source.is_some_and(|(source, _)| source == provider)
    }

    /// Returns outcome and expiry of a provider's valid answer. An answer is valid if it has not
    /// expired, is not older than `since`, and its match is still in the item's fields.
    fn valid_answer(
        &self,
        provider: &str,
        since: Option<Timestamp>,
        now: Timestamp,
    ) -> Option<(MatchOutcome, Timestamp)> {
        let newest = self.newest.get(provider)?;
        let until = newest.expires_at.filter(|until| *until > now)?;
        if since.is_some_and(|since| newest.fetched_at < since) {
            return None;
        }
        let is_applied = || {
            let source = self.source.as_ref();
            let of_it = source.filter(|(source, _)| source == provider);
            of_it.is_some_and(|(_, id)| Some(id) == newest.provider_id.as_ref())
        };
        if newest.outcome == MatchOutcome::Ok && !is_applied() {
            return None;
        }
        Some((newest.outcome, until))
    }

    /// Returns the time until which no query to these providers, in this order, is due. Returns
    /// `None` if a query is necessary now.
    pub fn checked_until(
        &self,
        providers: &[&MetadataProvider],
        now: Timestamp,
    ) -> Option<Timestamp> {
        let mut first: Option<Timestamp> = None;
        for provider in providers {
            if self.is_skipped(provider) {
                continue;
            }
            let (outcome, until) = self.valid_answer(provider.id, None, now)?;
            first = Some(first.map_or(until, |first| first.min(until)));
            if outcome == MatchOutcome::Ok {
                break;
            }
        }
        first
    }
}

/// Caches the time until which no query about an item is necessary. Does nothing if a query is due.
pub fn mark_checked(
    tx: &Transaction<'_>,
    item: ItemId,
    providers: &[&'static MetadataProvider],
    now: Timestamp,
) -> StoreResult<()> {
    let Some(answers) = answers_unscoped(tx, item)? else {
        return Ok(());
    };
    let Some(until) = answers.checked_until(providers, now) else {
        return Ok(());
    };
    let ids: Vec<&str> = providers.iter().map(|provider| provider.id).collect();
    tx.prepare_cached(
        "INSERT OR REPLACE INTO enrichment_checked (item_id, providers, until)
         VALUES (:item, :providers, :until)",
    )?
    .execute(named_params! {
        ":item": item,
        ":providers": list_hash(&ids),
        ":until": until,
    })?;
    Ok(())
}

/// Returns a hash of the provider list, which invalidates the cache if the list changes.
fn list_hash(providers: &[&str]) -> i64 {
    let hash = blake3::hash(providers.join(",").as_bytes());
    let head = hash.as_bytes().first_chunk::<8>();
    head.map_or(0, |head| i64::from_le_bytes(*head))
}

/// An item of a library, with the cached decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// Id of the item.
    pub item: ItemId,
    /// `true` if the item's answers must be checked.
    pub is_due: bool,
}

/// Returns up to `limit` present items of a kind with ids greater than `after`, in id order.
pub fn items_after_unscoped(
    connection: &Connection,
    (library, kind): (LibraryId, &str),
    providers: &[&str],
    after: i64,
    now: Timestamp,
    limit: usize,
) -> StoreResult<Vec<Candidate>> {
    let mut statement = connection.prepare_cached(
        "SELECT item.id,
                checked.item_id IS NULL OR checked.until <= :now
                    OR checked.providers <> :providers AS is_due
           FROM item
           LEFT JOIN enrichment_checked AS checked ON checked.item_id = item.id
          WHERE item.library_id = :library AND item.kind = :kind AND item.missing = 0
            AND item.id > :after
          ORDER BY item.id
          LIMIT :limit",
    )?;
    let rows = statement.query_map(
        named_params! {
            ":library": library,
            ":kind": kind,
            ":providers": list_hash(providers),
            ":after": after,
            ":now": now,
            ":limit": limit,
        },
        |row| {
            Ok(Candidate {
                item: row.get("id")?,
                is_due: row.get("is_due")?,
            })
        },
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the number of present items of a kind.
pub fn count_unscoped(connection: &Connection, library: LibraryId, kind: &str) -> StoreResult<u64> {
    let mut statement = connection.prepare_cached(
        "SELECT ifnull(sum(n), 0)
           FROM item_count
          WHERE library_id = :library AND kind = :kind AND missing = 0",
    )?;
    let parameters = named_params! { ":library": library, ":kind": kind };
    Ok(statement.query_row(parameters, |row| row.get(0))?)
}

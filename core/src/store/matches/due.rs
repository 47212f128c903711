//! About which items somebody is to be asked.
//!
//! What was answered tells ([`Answers`]). So that it need not be read for every item of a library
//! each time, `item_settled` keeps until when nobody is to be asked; whatever is answered or decided
//! about an item takes its row away (triggers of the schema), and one without a row is looked at.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};

use super::link::{self, Link};
use super::{MatchOutcome, Standing};
use crate::clock::Timestamp;
use crate::id::{ItemId, LibraryId};
use crate::store::StoreResult;

/// What was answered about an item, and which match holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answers {
    /// The item's kind.
    pub kind: String,
    /// The newest attempt of each provider.
    pub newest: BTreeMap<String, Standing>,
    /// The match that a person chose.
    pub chosen: Option<Link>,
    /// The match whose words stand in the item's fields.
    pub source: Option<Link>,
}

/// What was answered about an item; `None` where it is gone.
pub fn answers_unscoped(connection: &Connection, item: ItemId) -> StoreResult<Option<Answers>> {
    let mut statement = connection.prepare_cached("SELECT kind FROM item WHERE id = :item")?;
    let kind = statement.query_row(named_params! { ":item": item }, |row| row.get(0));
    let Some(kind) = kind.optional()? else {
        return Ok(None);
    };
    Ok(Some(Answers {
        kind,
        newest: super::newest_unscoped(connection, item)?,
        chosen: link::chosen_unscoped(connection, item)?,
        source: link::source_unscoped(connection, item)?,
    }))
}

impl Answers {
    /// Whether a person chose another provider's match: then this one is not asked.
    pub fn is_passed_over(&self, provider: &str) -> bool {
        let chosen = self.chosen.as_ref();
        chosen.is_some_and(|(chosen, _)| chosen != provider)
    }

    /// Whether the words in the item's fields are this provider's.
    pub fn is_source(&self, provider: &str) -> bool {
        let source = self.source.as_ref();
        source.is_some_and(|(source, _)| source == provider)
    }

    /// A provider's answer, if it stands: it is not too old, and what it found is still what the
    /// item's fields say. `since`: no answer from before that time stands.
    pub fn standing(
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
        let holds = || {
            let source = self.source.as_ref();
            let of_it = source.filter(|(source, _)| source == provider);
            of_it.is_some_and(|(_, id)| Some(id) == newest.provider_id.as_ref())
        };
        if newest.outcome == MatchOutcome::Ok && !holds() {
            return None;
        }
        Some((newest.outcome, until))
    }

    /// Until when nobody of these is to be asked, who would be asked in this order; `None` where
    /// somebody is.
    fn settled_until(&self, providers: &[&str], now: Timestamp) -> Option<Timestamp> {
        let mut first: Option<Timestamp> = None;
        for provider in providers {
            if self.is_passed_over(provider) {
                continue;
            }
            let (outcome, until) = self.standing(provider, None, now)?;
            first = Some(first.map_or(until, |first| first.min(until)));
            if outcome == MatchOutcome::Ok {
                break;
            }
        }
        first
    }
}

/// Keeps until when nobody is to be asked about an item, if that is so.
pub fn settle(
    tx: &Transaction<'_>,
    item: ItemId,
    providers: &[&str],
    now: Timestamp,
) -> StoreResult<()> {
    let Some(answers) = answers_unscoped(tx, item)? else {
        return Ok(());
    };
    let Some(until) = answers.settled_until(providers, now) else {
        return Ok(());
    };
    tx.prepare_cached(
        "INSERT OR REPLACE INTO item_settled (item_id, providers, until)
         VALUES (:item, :providers, :until)",
    )?
    .execute(named_params! {
        ":item": item,
        ":providers": mark(providers),
        ":until": until,
    })?;
    Ok(())
}

/// A number for a list of providers: another list asks others.
fn mark(providers: &[&str]) -> i64 {
    let hash = blake3::hash(providers.join(",").as_bytes());
    let head = hash.as_bytes().first_chunk::<8>();
    head.map_or(0, |head| i64::from_le_bytes(*head))
}

/// An item of a library, and whether somebody may have to be asked about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// The item.
    pub item: ItemId,
    /// Whether it is to be looked at.
    pub is_due: bool,
}

/// Items of a kind that are there, in the order of their ids.
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
                settled.item_id IS NULL OR settled.until <= :now
                    OR settled.providers <> :providers AS is_due
           FROM item
           LEFT JOIN item_settled AS settled ON settled.item_id = item.id
          WHERE item.library_id = :library AND item.kind = :kind AND item.missing = 0
            AND item.id > :after
          ORDER BY item.id
          LIMIT :limit",
    )?;
    let rows = statement.query_map(
        named_params! {
            ":library": library,
            ":kind": kind,
            ":providers": mark(providers),
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

/// How many items of a kind are there.
pub fn count_unscoped(connection: &Connection, library: LibraryId, kind: &str) -> StoreResult<u64> {
    let mut statement = connection.prepare_cached(
        "SELECT ifnull(sum(n), 0)
           FROM item_count
          WHERE library_id = :library AND kind = :kind AND missing = 0",
    )?;
    let parameters = named_params! { ":library": library, ":kind": kind };
    Ok(statement.query_row(parameters, |row| row.get(0))?)
}

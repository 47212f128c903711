//! The best matches of each kind and the number of matches.

use std::collections::BTreeSet;

use rusqlite::Connection;

use super::matching::{self, Indexes};
use super::ranking::Ranking;
use super::terms::parse;
use crate::access::Visible;
use crate::db::item_index::IndexSnapshot;
use crate::error::StoreResult;
use crate::id::ItemId;
use crate::text;

/// Matches of a search.
#[derive(Debug, Default)]
pub struct Matches {
    /// Number of matching items, the sum over all kinds.
    pub total: u64,
    /// Matches by kind, in the order of the kinds.
    pub groups: Vec<KindMatches>,
}

/// Matches of one kind.
#[derive(Debug)]
pub struct KindMatches {
    /// Media kind.
    pub kind: String,
    /// Number of matching items of the kind.
    pub total: u64,
    /// Best matches, best first.
    pub items: Vec<ItemId>,
}

/// Parameters of a search.
#[derive(Debug)]
pub struct Query<'a> {
    /// Query text as entered.
    pub text: &'a str,
    /// Restriction to one kind.
    pub kind: Option<&'a str>,
    /// Maximum number of items per kind.
    pub limit: usize,
}

/// Searches the present items that a user may see. The groups follow `kinds`. Kinds that are not in
/// it come last.
pub fn find(
    conn: &Connection,
    view: &IndexSnapshot,
    visible: Visible,
    kinds: &[&str],
    query: &Query<'_>,
) -> StoreResult<Matches> {
    let mut found = Matches::default();
    let terms = parse(query.text);
    if terms.is_empty() {
        return Ok(found);
    }
    let kinds = order(kinds, view, query.kind);
    let groups = view.groups(conn, visible, |bucket| {
        let kind = kinds.iter().position(|kind| **kind == *bucket.kind);
        kind.filter(|_| !bucket.missing)
    })?;
    let indexes = Indexes { conn };
    let matches = matching::matches(indexes, &terms, &groups)?;
    let ranking = Ranking {
        conn,
        indexes,
        visible,
        terms: &terms,
        key: text::sort_key(query.text).1,
        kinds: &kinds,
        groups: &groups,
        matches: &matches,
        limit: query.limit,
    };
    let tally = ranking.tally();
    found.total = tally.iter().map(|kind| kind.count as u64).sum();
    let best = ranking.best(&tally)?;
    for ((kind, tally), items) in kinds.iter().zip(&tally).zip(best) {
        if tally.count > 0 {
            found.groups.push(KindMatches {
                kind: (*kind).clone(),
                total: tally.count as u64,
                items,
            });
        }
    }
    Ok(found)
}

/// Returns the kinds to search, in the order of the result.
fn order(kinds: &[&str], view: &IndexSnapshot, wanted: Option<&str>) -> Vec<String> {
    let unknown: BTreeSet<&str> = view
        .buckets()
        .map(|bucket| &*bucket.kind)
        .filter(|kind| !kinds.contains(kind))
        .collect();
    let all = kinds.iter().copied().chain(unknown);
    all.filter(|kind| wanted.is_none_or(|wanted| wanted == *kind))
        .map(str::to_owned)
        .collect()
}

//! The best matches of each kind and the number of matches. If there are few, similar words match too.

use std::collections::BTreeSet;

use rusqlite::Connection;

use super::fuzzy::{FuzzyMatches, FuzzyQuery};
use super::matching::{self, Indexes};
use super::ranking::{Ranking, Tally};
use super::terms::parse;
use crate::access::Visible;
use crate::db::item_index::IndexSnapshot;
use crate::error::StoreResult;
use crate::id::ItemId;
use crate::text;

/// Similar words match if fewer items contain the terms.
const ENOUGH: usize = 5;

/// Matches of a search.
#[derive(Debug, Default)]
pub struct Matches {
    /// Number of matching items, the sum over all kinds.
    pub total: u64,
    /// Matches by kind, in the order of the kinds.
    pub groups: Vec<KindMatches>,
    /// Query with the similar words of the best match. `None` without such a match.
    pub corrected: Option<String>,
    /// Queries with other similar words.
    pub suggestions: Vec<String>,
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
    /// `true` if similar words match too.
    pub fuzzy: bool,
}

/// Searches the present items that a user may see. The groups follow `kinds`. Kinds that are not in
/// it come last. Matches with similar words follow all other matches of their kind.
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
    let mut fuzzy = FuzzyMatches::default();
    if query.fuzzy && tally.iter().map(|kind| kind.count).sum::<usize>() < ENOUGH {
        let query = FuzzyQuery {
            conn,
            visible,
            terms: &terms,
            groups: &groups,
            kinds: kinds.len(),
            exact: &matches.ids,
            limit: query.limit,
        };
        fuzzy = query.matches()?;
    }
    let best = ranking.best(&tally)?;
    found.groups = join(&kinds, tally.iter().zip(best), &fuzzy, query.limit);
    found.total = found.groups.iter().map(|group| group.total).sum();
    found.corrected = fuzzy.corrected;
    found.suggestions = fuzzy.suggestions;
    Ok(found)
}

/// Returns the kinds with matches: the exact ones, then those with similar words.
fn join<'a>(
    kinds: &[String],
    exact: impl Iterator<Item = (&'a Tally, Vec<ItemId>)>,
    fuzzy: &FuzzyMatches,
    limit: usize,
) -> Vec<KindMatches> {
    let mut groups = Vec::new();
    for (number, (kind, (tally, mut items))) in kinds.iter().zip(exact).enumerate() {
        let similar = fuzzy.counts.get(number).copied().unwrap_or_default();
        items.extend(fuzzy.best.get(number).into_iter().flatten());
        items.truncate(limit);
        if tally.count + similar > 0 {
            groups.push(KindMatches {
                kind: kind.clone(),
                total: (tally.count + similar) as u64,
                items,
            });
        }
    }
    groups
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

//! The answer to a search: the best matches of each kind, and how many there are.

use std::collections::BTreeSet;

use rusqlite::Connection;
use serde::Serialize;
use utoipa::ToSchema;

use super::matching::{self, Indexes};
use super::ranking::Ranking;
use super::terms::parse;
use crate::access::Visible;
use crate::db::presence::View;
use crate::playback::Offer;
use crate::store::StoreResult;
use crate::store::item::{self, ItemCard};
use crate::text;

/// What was found.
#[derive(Debug, Serialize, ToSchema)]
pub struct Found {
    /// What was asked.
    pub query: String,
    /// How many items match: the sum over the kinds.
    pub total: u64,
    /// They by kind, in the order of the kinds.
    pub groups: Vec<FoundOfKind>,
}

/// The matches of one kind.
#[derive(Debug, Serialize, ToSchema)]
pub struct FoundOfKind {
    /// The kind.
    pub kind: String,
    /// How many items of it match. Exact while at most 1,000 visible items have all runs of three
    /// letters of the terms without having the terms as words or beginnings of words. Beyond that
    /// such items are not looked at one by one, and those that have the runs in different places
    /// only are counted too; what is listed always has the terms.
    pub total: u64,
    /// The best of them, the best first: titles before authors before paths, in each whole words
    /// before beginnings before insides of words. Where more than 1,000 match in all and more than
    /// 200 of the kind, those with the terms as words or beginnings of words in title or authors
    /// are compared (beyond 50,000, as whole words), and the newest stand in for the rest.
    pub items: Vec<ItemCard>,
}

/// What to find.
#[derive(Debug)]
pub struct Wanted<'a> {
    /// The words, as they were typed.
    pub query: &'a str,
    /// Only this kind.
    pub kind: Option<&'a str>,
    /// How many items of each kind.
    pub limit: usize,
    /// What the cards are to say they play in.
    pub engines: Option<&'a Offer>,
}

/// Searches what a user may see and what is present. The groups follow `kinds`; kinds that are
/// not among them come last.
pub fn find(
    conn: &Connection,
    view: &View,
    visible: Visible,
    kinds: &[&str],
    wanted: &Wanted<'_>,
) -> StoreResult<Found> {
    let mut found = Found {
        query: wanted.query.to_owned(),
        total: 0,
        groups: Vec::new(),
    };
    let terms = parse(wanted.query);
    if terms.is_empty() {
        return Ok(found);
    }
    let kinds = order(kinds, view, wanted.kind);
    let groups = view.groups(conn, visible, |place| {
        let kind = kinds.iter().position(|kind| **kind == *place.kind);
        kind.filter(|_| !place.missing)
    })?;
    let indexes = Indexes {
        conn,
        kept: view.kept(),
    };
    let matches = matching::matches(indexes, &terms, &groups)?;
    let ranking = Ranking {
        conn,
        indexes,
        visible,
        terms: &terms,
        key: text::sort_key(wanted.query).1,
        kinds: &kinds,
        groups: &groups,
        matches: &matches,
        limit: wanted.limit,
    };
    let tally = ranking.tally();
    found.total = tally.iter().map(|kind| kind.count as u64).sum();
    let best = ranking.best(&tally)?;
    let cards = item::cards(conn, Some(view), visible, &best.concat(), wanted.engines)?;
    let mut cards = cards.into_iter();
    for ((kind, tally), ids) in kinds.iter().zip(&tally).zip(&best) {
        if tally.count > 0 {
            found.groups.push(FoundOfKind {
                kind: (*kind).clone(),
                total: tally.count as u64,
                items: cards.by_ref().take(ids.len()).collect(),
            });
        }
    }
    Ok(found)
}

/// The kinds to look among, in the order of the answer.
fn order(kinds: &[&str], view: &View, wanted: Option<&str>) -> Vec<String> {
    let unknown: BTreeSet<&str> = view
        .places()
        .map(|place| &*place.kind)
        .filter(|kind| !kinds.contains(kind))
        .collect();
    let all = kinds.iter().copied().chain(unknown);
    all.filter(|kind| wanted.is_none_or(|wanted| wanted == *kind))
        .map(str::to_owned)
        .collect()
}

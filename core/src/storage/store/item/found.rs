//! Search results: cards of the best matches of each kind.

use rusqlite::Connection;
use serde::Serialize;
use utoipa::ToSchema;

use super::card::{ItemCard, cards};
use crate::access::Visible;
use crate::db::item_index::IndexSnapshot;
use crate::error::StoreResult;
use crate::playback::Offer;
use crate::search;

/// Search result.
#[derive(Debug, Serialize, ToSchema)]
pub struct Found {
    /// Query text.
    pub query: String,
    /// Number of matching items, the sum over all kinds.
    pub total: u64,
    /// Query as it was searched, if items match only with similar words. Null otherwise.
    pub corrected: Option<String>,
    /// Up to three queries with other similar words that also have matches.
    #[schema(max_items = 3)]
    pub suggestions: Vec<String>,
    /// Matches by kind, in the order of the kinds.
    pub groups: Vec<FoundOfKind>,
}

/// Matches of one kind.
#[derive(Debug, Serialize, ToSchema)]
pub struct FoundOfKind {
    /// Media kind.
    pub kind: String,
    /// Number of matching items of the kind. It is exact while at most 1,000 visible items contain
    /// all trigrams of the terms without having the terms as words or starts of words. Beyond that,
    /// such items are not verified one by one, so items with scattered trigrams count too. Listed
    /// items always contain the terms.
    pub total: u64,
    /// Best matches, best first: titles before authors before paths, series and other people. In each, whole words precede
    /// starts of words, and these precede insides of words. Not all matches are compared if there
    /// are more than 1,000 in all and more than 200 of the kind. Then the compared ones have the
    /// terms in title or authors as words or starts of words (beyond 50,000, as whole words). The
    /// newest matches fill the rest. Items that match only with similar words follow all others.
    pub items: Vec<ItemCard>,
}

/// Parameters of a search.
#[derive(Debug)]
pub struct SearchRequest<'a> {
    /// Query text, restriction to a kind, and limit.
    pub query: search::Query<'a>,
    /// Engines of the client, for the playability on the cards.
    pub engines: Option<&'a Offer>,
}

/// Searches the present items that a user may see. The groups follow `kinds`. Kinds that are not in
/// it come last.
pub fn search(
    conn: &Connection,
    view: &IndexSnapshot,
    visible: Visible,
    kinds: &[&str],
    request: &SearchRequest<'_>,
) -> StoreResult<Found> {
    let matches = search::find(conn, view, visible, kinds, &request.query)?;
    let ids: Vec<_> = matches
        .groups
        .iter()
        .flat_map(|kind| kind.items.iter().copied())
        .collect();
    let mut cards = cards(conn, visible, &ids, request.engines)?.into_iter();
    let groups = matches.groups.into_iter().map(|matches| FoundOfKind {
        kind: matches.kind,
        total: matches.total,
        items: cards.by_ref().take(matches.items.len()).collect(),
    });
    Ok(Found {
        query: request.query.text.to_owned(),
        total: matches.total,
        corrected: matches.corrected,
        suggestions: matches.suggestions,
        groups: groups.collect(),
    })
}

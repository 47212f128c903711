//! Home page: six shelves of the content that one user may see, read from one database snapshot.
//!
//! Each shelf finds ids along an index that begins with user or library, with one range per visible
//! library. None of these indexes contains missing items. The cards of all shelves are then read in
//! one query.

mod arms;
mod continue_file;
mod continue_shelf;
mod explore;
mod most_viewed;
mod recently_added;
mod suggestions;
#[cfg(test)]
mod tests;
mod up_next;

use std::collections::{BTreeSet, HashMap};

use rusqlite::Connection;
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::Visible;
use crate::error::StoreResult;
use crate::id::ItemId;
use crate::playback::Offer;
use crate::registry::Registry;
use crate::store::item::{self, ItemCard};

pub use continue_file::{ContinueChapter, ContinueFile};
pub use continue_shelf::{ContinueCard, ContinueProgress};
pub use most_viewed::ViewedCard;
pub use recently_added::AddedShelf;
pub use suggestions::{ReasonCode, SuggestionCard};
pub use up_next::{SeriesName, UpNextCard};

use arms::Arms;

/// Limit of cards per shelf.
const SHELF: usize = 20;

/// The six shelves of the home page. None of them contains missing items.
#[derive(Debug, Serialize, ToSchema)]
pub struct Home {
    /// Items in progress, the most recent first.
    #[serde(rename = "continue")]
    pub going_on: Vec<ContinueCard>,
    /// Next items of series of which the viewer has finished an item and started none. Items added
    /// since come first.
    pub up_next: Vec<UpNextCard>,
    /// Items that the viewer opened most often.
    pub most_viewed: Vec<ViewedCard>,
    /// Items not yet started that match recently consumed ones.
    pub suggestions: Vec<SuggestionCard>,
    /// Newest items of each kind; kinds without items are omitted.
    pub recently_added: Vec<AddedShelf>,
    /// Random sample across all kinds, different for each request.
    pub explore: Vec<ItemCard>,
}

/// Reads the shelves of a viewer. With `engines`, each card states if the client can play the item.
pub fn home(
    conn: &Connection,
    visible: Visible,
    registry: &Registry,
    engines: Option<&Offer>,
) -> StoreResult<Home> {
    let libraries = visible.libraries(conn)?;
    let arms = Arms::of(conn, visible, registry)?;
    let going_on = continue_shelf::find(conn, registry, visible, &libraries)?;
    let next = up_next::find(conn, visible, &libraries, &arms)?;
    let viewed = most_viewed::find(conn, visible, &libraries)?;
    let added = recently_added::find(conn, &arms)?;
    let suggested = suggestions::find(conn, visible, &libraries, &arms)?;
    let explored = explore::find(conn, visible, &arms)?;
    let wanted = (going_on.iter().map(|entry| entry.item))
        .chain(next.iter().map(|entry| entry.item))
        .chain(viewed.iter().map(|entry| entry.item))
        .chain(added.iter().flat_map(|shelf| shelf.items.iter().copied()))
        .chain(suggested.iter().map(|entry| entry.item))
        .chain(explored.iter().copied());
    let cards = Cards::read(conn, visible, wanted, engines)?;
    Ok(Home {
        going_on: cards.fill(going_on, continue_shelf::Entry::card),
        up_next: cards.fill(next, up_next::Entry::card),
        most_viewed: cards.fill(viewed, most_viewed::Entry::card),
        suggestions: cards.fill(suggested, suggestions::Entry::card),
        recently_added: added.into_iter().map(|shelf| shelf.card(&cards)).collect(),
        explore: cards.of(&explored),
    })
}

/// Cards of all shelves, read in one query.
struct Cards(HashMap<ItemId, ItemCard>);

/// Shelf entry before its card is read.
trait OnShelf {
    fn item(&self) -> ItemId;
}

impl Cards {
    fn read(
        conn: &Connection,
        visible: Visible,
        wanted: impl Iterator<Item = ItemId>,
        engines: Option<&Offer>,
    ) -> StoreResult<Self> {
        // Ascending ids, so that neighbouring rows are read from the same page.
        let ids: Vec<ItemId> = wanted.collect::<BTreeSet<_>>().into_iter().collect();
        let cards = item::cards(conn, visible, &ids, engines)?;
        Ok(Self(
            cards.into_iter().map(|card| (card.id, card)).collect(),
        ))
    }

    fn fill<E: OnShelf, C>(&self, entries: Vec<E>, card: fn(E, ItemCard) -> C) -> Vec<C> {
        let filled = entries.into_iter().filter_map(|entry| {
            let found = self.0.get(&entry.item())?.clone();
            Some(card(entry, found))
        });
        filled.collect()
    }

    fn of(&self, ids: &[ItemId]) -> Vec<ItemCard> {
        ids.iter()
            .filter_map(|id| self.0.get(id).cloned())
            .collect()
    }
}

/// Sorts the entries by `key` in descending order and keeps the first [`SHELF`].
fn merge_newest<T, K: Ord>(mut entries: Vec<T>, key: impl Fn(&T) -> K) -> Vec<T> {
    entries.sort_by_key(|entry| std::cmp::Reverse(key(entry)));
    entries.truncate(SHELF);
    entries
}

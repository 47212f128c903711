//! The home page: five shelves of what one user may see, from one moment of the database.
//!
//! Each shelf finds ids along an index that begins with user or library, one range per visible
//! library; what is missing stands in none of these indexes. The cards of all shelves are then
//! read at once.

mod arms;
mod continue_file;
mod continue_shelf;
mod explore;
mod most_viewed;
mod recently_added;
mod suggestions;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};

use rusqlite::Connection;
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::Visible;
use crate::db::presence::View;
use crate::id::ItemId;
use crate::playback::Offer;
use crate::registry::Registry;
use crate::store::StoreResult;
use crate::store::item::{self, ItemCard};

pub use continue_file::{ContinueChapter, ContinueFile};
pub use continue_shelf::{ContinueCard, ContinueProgress};
pub use most_viewed::ViewedCard;
pub use recently_added::AddedShelf;
pub use suggestions::{ReasonCode, SuggestionCard};

use arms::Arms;

/// How many cards a shelf has at most.
const SHELF: usize = 20;

/// The five shelves. Missing items stand on none of them.
#[derive(Debug, Serialize, ToSchema)]
pub struct Home {
    /// What was begun and not finished, the newest first.
    #[serde(rename = "continue")]
    pub going_on: Vec<ContinueCard>,
    /// What the viewer opened most often.
    pub most_viewed: Vec<ViewedCard>,
    /// What was never begun and goes with what was consumed lately.
    pub suggestions: Vec<SuggestionCard>,
    /// The newest of each kind; kinds with nothing are left out.
    pub recently_added: Vec<AddedShelf>,
    /// A sample across every kind, another one each time.
    pub explore: Vec<ItemCard>,
}

/// The shelves of this viewer; with an offer the cards say whether they play.
pub fn home(
    conn: &Connection,
    view: Option<&View>,
    visible: Visible,
    registry: &Registry,
    engines: Option<&Offer>,
) -> StoreResult<Home> {
    let libraries = visible.libraries(conn)?;
    let arms = Arms::of(conn, visible, registry)?;
    let going_on = continue_shelf::find(conn, registry, visible, &libraries)?;
    let viewed = most_viewed::find(conn, visible, &libraries)?;
    let added = recently_added::find(conn, &arms)?;
    let suggested = suggestions::find(conn, visible, &libraries, &arms)?;
    let explored = explore::find(conn, visible, &arms)?;
    let wanted = (going_on.iter().map(|entry| entry.item))
        .chain(viewed.iter().map(|entry| entry.item))
        .chain(added.iter().flat_map(|shelf| shelf.items.iter().copied()))
        .chain(suggested.iter().map(|entry| entry.item))
        .chain(explored.iter().copied());
    let cards = Cards::read(conn, view, visible, wanted, engines)?;
    Ok(Home {
        going_on: cards.fill(going_on, continue_shelf::Entry::card),
        most_viewed: cards.fill(viewed, most_viewed::Entry::card),
        suggestions: cards.fill(suggested, suggestions::Entry::card),
        recently_added: added.into_iter().map(|shelf| shelf.card(&cards)).collect(),
        explore: cards.of(&explored),
    })
}

/// The cards of every shelf, read at once.
struct Cards(HashMap<ItemId, ItemCard>);

/// What a shelf knows about an item before it has the card.
trait OnShelf {
    fn item(&self) -> ItemId;
}

impl Cards {
    fn read(
        conn: &Connection,
        view: Option<&View>,
        visible: Visible,
        wanted: impl Iterator<Item = ItemId>,
        engines: Option<&Offer>,
    ) -> StoreResult<Self> {
        // In the order of ids, so that neighbours are read from the same page.
        let ids: Vec<ItemId> = wanted.collect::<BTreeSet<_>>().into_iter().collect();
        let cards = item::cards(conn, view, visible, &ids, engines)?;
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

/// The largest keys of several ordered lists, in order.
fn merge_newest<T, K: Ord>(mut entries: Vec<T>, key: impl Fn(&T) -> K) -> Vec<T> {
    entries.sort_by_key(|entry| std::cmp::Reverse(key(entry)));
    entries.truncate(SHELF);
    entries
}

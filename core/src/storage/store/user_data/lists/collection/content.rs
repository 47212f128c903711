//! Items of collections for a reader: in the owner's order, or by the rule.

use super::{Collection, CollectionKind, ReadableCollection, Reader, Rule, manual, rule};
use crate::error::StoreResult;
use crate::id::ItemId;
use crate::paging::{Page, Window};
use crate::playback::Offer;
use crate::store::item::list::selection::Selection;
use crate::store::item::{Filter, ItemCard, Order, cards, list};
use crate::store::user_data::lists::user_list::cover::{self, Tiles};
use crate::store::user_data::lists::user_list::{self, MAX_ENTRIES};

/// Number of items of a smart collection among which covers are looked for.
const COVERED: u32 = 100;

/// Reads a collection. Returns `None` if it is no longer readable.
pub fn get(reader: &Reader<'_>, list: ReadableCollection) -> StoreResult<Option<Collection>> {
    let Some(mut collection) = user_list::get(reader.conn, list)? else {
        return Ok(None);
    };
    if collection.kind == CollectionKind::Smart {
        let first = Window {
            offset: 0,
            limit: COVERED,
        };
        let (ids, total) = ids(reader, list, None, first)?;
        collection.item_count = Some(total);
        if cover::tiles_of_items(reader.conn, &ids)?.is_none() {
            collection.cover = None;
        }
    }
    Ok(Some(collection))
}

/// Returns a page of the visible items. Without `order`, they have the order of the collection. With
/// `engines`, each card states if it plays.
pub fn items(
    reader: &Reader<'_>,
    list: ReadableCollection,
    order: Option<Order>,
    engines: Option<&Offer>,
    window: Window,
) -> StoreResult<Page<ItemCard>> {
    let (ids, total) = ids(reader, list, order, window)?;
    let cards = cards(reader.conn, reader.visible, &ids, engines)?;
    Ok(Page::new(cards, total, window))
}

/// Returns a page of the items that a rule selects.
pub fn preview(
    reader: &Reader<'_>,
    rule: &Rule,
    engines: Option<&Offer>,
    window: Window,
) -> StoreResult<Page<ItemCard>> {
    let (ids, total) = reader.page(rule, None, window)?;
    let cards = cards(reader.conn, reader.visible, &ids, engines)?;
    Ok(Page::new(cards, total, window))
}

/// Returns the first distinct covers of a collection, or `None` if no visible item has one.
pub fn tiles(reader: &Reader<'_>, list: ReadableCollection) -> StoreResult<Option<Tiles>> {
    let first = Window {
        offset: 0,
        limit: COVERED,
    };
    if rule::stored(reader.conn, list)?.is_none() {
        return cover::tiles(reader.conn, list);
    }
    let (ids, _) = ids(reader, list, None, first)?;
    cover::tiles_of_items(reader.conn, &ids)
}

fn ids(
    reader: &Reader<'_>,
    list: ReadableCollection,
    order: Option<Order>,
    window: Window,
) -> StoreResult<(Vec<ItemId>, u64)> {
    let conn = reader.conn;
    if let Some(text) = rule::stored(conn, list)? {
        return match Rule::of_stored(reader.registry, &text) {
            Some(rule) => reader.page(&rule, order, window),
            None => Ok((Vec::new(), 0)),
        };
    }
    let Some(order) = order else {
        let total = user_list::entry_count(conn, list)?;
        return Ok((manual::ids(conn, list, window)?, total));
    };
    let all = Window {
        offset: 0,
        limit: u32::try_from(MAX_ENTRIES).unwrap_or(u32::MAX),
    };
    let selection = Selection::of(manual::ids(conn, list, all)?.into_iter().collect());
    let filter = Filter::default();
    list::ids(
        conn,
        reader.view,
        reader.visible,
        &filter,
        Some(selection),
        order,
        window,
    )
}

//! Cards: an item as lists show it.

use std::sync::LazyLock;

use rusqlite::{Connection, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use super::own::Own;
use super::plays;
use crate::access::Visible;
use crate::clock::Timestamp;
use crate::db::presence::View;
use crate::id::{FileId, ItemId, LibraryId};
use crate::playback::Offer;
use crate::store::StoreResult;
use crate::store::in_order::InOrder;
use crate::store::progress::fraction;

/// An item as lists show it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ItemCard {
    /// Its id.
    pub id: ItemId,
    /// Its library.
    pub library_id: LibraryId,
    /// Its kind.
    pub kind: String,
    /// Its subkind; null where its kind assigns none.
    pub subkind: Option<String>,
    /// Its title.
    pub title: String,
    /// Year of publication or release.
    pub year: Option<i64>,
    /// The author line; empty where nobody is known.
    pub authors: String,
    /// Its cover.
    pub cover: Option<Cover>,
    /// Whether none of its files was found by the last scan.
    pub missing: bool,
    /// When it came into the library: of its newest file.
    pub added_at: Timestamp,
    /// Whether the viewer marked it.
    pub favourite: bool,
    /// Where the viewer is.
    pub progress: Option<CardProgress>,
    /// Whether one of the engines that were asked for plays the file to continue with; null where
    /// none were asked for, and where there are no codecs.
    pub plays: Option<bool>,
    /// Why not: the reason that resolving the item gives.
    pub plays_reason: Option<String>,
}

/// A cover image.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Cover {
    /// Where it is served; takes `&size=`.
    pub url: String,
    /// Width in pixels.
    pub width: i64,
    /// Height in pixels.
    pub height: i64,
    /// Main colour, `#rrggbb`.
    pub tint: String,
}

/// Where a viewer is in an item: their newest place.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct CardProgress {
    /// The file they were in.
    pub file_id: FileId,
    /// The place, in the file's unit.
    pub position: i64,
    /// The file's length in the same unit.
    pub extent: Option<i64>,
    /// 1 when finished, else place over length; null without a length.
    pub fraction: Option<f64>,
    /// Whether that file is finished.
    pub finished: bool,
    /// When the place was reached.
    pub updated_at: Timestamp,
    /// How much of the item is done.
    pub item_fraction: Option<f64>,
    /// Whether the item is finished.
    pub item_finished: bool,
}

/// The columns of a card in the order in which [`card`] takes them, over `item`, `cover` and the
/// viewer's rows.
pub(super) static COLUMNS: LazyLock<String> = LazyLock::new(|| format!("{OF_ITEM}, {OF_VIEWER}"));

/// The same where the viewer has neither begun nor marked the item.
pub(super) static COLUMNS_OF_OTHERS: LazyLock<String> =
    LazyLock::new(|| format!("{OF_ITEM}, {OF_NOBODY}"));

const OF_ITEM: &str = "
           item.id, item.library_id, item.kind, item.subkind, item.title, item.year, item.authors,
           cover.hash, cover.width, cover.height, cover.tint,
           item.missing, item.added_at";

const OF_VIEWER: &str = "
           EXISTS (SELECT 1 FROM favourite AS f
                    WHERE f.user_id = :viewer AND f.item_id = item.id) AS favourite,
           place.file_id, place.position, begun.extent, place.finished, place.updated_at,
           summary.fraction AS item_fraction, summary.finished AS item_finished";

/// What stands for the viewer's where they have no rows about the item.
const OF_NOBODY: &str = "0, NULL, NULL, NULL, NULL, NULL, NULL, NULL";

/// What a card needs beside `item`.
pub(super) const JOINS: &str = "
      LEFT JOIN cover ON cover.id = item.cover_id
      LEFT JOIN item_progress AS summary
        ON summary.user_id = :viewer AND summary.item_id = item.id
      LEFT JOIN progress AS place
        ON place.user_id = :viewer AND place.file_id = summary.file_id
      LEFT JOIN file AS begun ON begun.id = place.file_id";

/// The same where the viewer has neither begun nor marked the item.
pub(super) const JOINS_OF_OTHERS: &str = "
      LEFT JOIN cover ON cover.id = item.cover_id";

/// A card of the row's next columns.
pub(super) fn card(row: &mut InOrder<'_, '_>) -> rusqlite::Result<ItemCard> {
    let id: ItemId = row.take()?;
    Ok(ItemCard {
        id,
        library_id: row.take()?,
        kind: row.take()?,
        subkind: row.take()?,
        title: row.take()?,
        year: row.take()?,
        authors: row.take()?,
        cover: cover(id, row)?,
        missing: row.take()?,
        added_at: row.take()?,
        favourite: row.take()?,
        progress: progress(row)?,
        plays: None,
        plays_reason: None,
    })
}

fn progress(row: &mut InOrder<'_, '_>) -> rusqlite::Result<Option<CardProgress>> {
    let Some(file_id) = row.take()? else {
        row.skip(6);
        return Ok(None);
    };
    let (position, extent, finished) = (row.take()?, row.take()?, row.take()?);
    Ok(Some(CardProgress {
        file_id,
        position,
        extent,
        fraction: fraction(position, extent, finished),
        finished,
        updated_at: row.take()?,
        item_fraction: row.take()?,
        item_finished: row.take()?,
    }))
}

fn cover(id: ItemId, row: &mut InOrder<'_, '_>) -> rusqlite::Result<Option<Cover>> {
    let Some(hash) = row.take::<Option<String>>()? else {
        row.skip(3);
        return Ok(None);
    };
    Ok(Some(Cover {
        url: format!("/api/v1/items/{id}/cover?v={hash}"),
        width: row.take()?,
        height: row.take()?,
        tint: row.take()?,
    }))
}

/// The cards of these items in this order; with an offer they say whether they play. What is not
/// visible is left out. With every item's place at hand, the viewer's rows are only looked for where
/// there are any, if they have many.
pub(crate) fn cards(
    conn: &Connection,
    view: Option<&View>,
    visible: Visible,
    ids: &[ItemId],
    engines: Option<&Offer>,
) -> StoreResult<Vec<ItemCard>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let sets = Own::of(conn, view, visible, ids.len())?;
    let mut cards = cards_with(conn, sets.as_ref(), visible, ids)?;
    if let Some(offer) = engines {
        plays::judge(conn, visible, offer, &mut cards)?;
    }
    Ok(cards)
}

/// The same, where the viewer's sets are at hand or not.
pub(super) fn cards_with(
    conn: &Connection,
    sets: Option<&Own<'_>>,
    visible: Visible,
    ids: &[ItemId],
) -> StoreResult<Vec<ItemCard>> {
    let mut cards = Vec::with_capacity(ids.len());
    let wanted: Vec<(usize, ItemId)> = ids.iter().copied().enumerate().collect();
    if let Some(sets) = sets {
        let (own, others): (Vec<_>, Vec<_>) = wanted.iter().partition(|(_, id)| sets.has(*id));
        read(conn, visible, &SQL, &own, &mut cards)?;
        read(conn, visible, &SQL_OF_OTHERS, &others, &mut cards)?;
    }
    if sets.is_none_or(|sets| !sets.holds()) {
        // Also where something changed just before the first read of this transaction.
        cards.clear();
        read(conn, visible, &SQL, &wanted, &mut cards)?;
    }
    // They mostly come in order already; that SQLite sorts them would cost twice the page.
    cards.sort_by_key(|(place, _)| *place);
    Ok(cards.into_iter().map(|(_, card)| card).collect())
}

/// Adds the cards of what is visible of these, each with the place that stands beside its id.
fn read(
    conn: &Connection,
    visible: Visible,
    sql: &str,
    wanted: &[(usize, ItemId)],
    cards: &mut Vec<(usize, ItemCard)>,
) -> StoreResult<()> {
    if wanted.is_empty() {
        return Ok(());
    }
    let ids: Vec<ItemId> = wanted.iter().map(|(_, id)| *id).collect();
    let list = serde_json::to_string(&ids).expect("integers are JSON");
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query(named_params! { ":viewer": visible.user(), ":ids": list })?;
    while let Some(row) = rows.next()? {
        let mut row = InOrder::of(row);
        let key: usize = row.take()?;
        let (place, _) = wanted.get(key).expect("a key of the list");
        cards.push((*place, card(&mut row)?));
    }
    Ok(())
}

static SQL: LazyLock<String> = LazyLock::new(|| sql(&COLUMNS, JOINS));

static SQL_OF_OTHERS: LazyLock<String> = LazyLock::new(|| sql(&COLUMNS_OF_OTHERS, JOINS_OF_OTHERS));

fn sql(columns: &str, joins: &str) -> String {
    format!(
        "SELECT wanted.key,
                {columns}
           FROM json_each(:ids) AS wanted
           CROSS JOIN item ON item.id = wanted.value
           JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = item.library_id
           {joins}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::progress::tests::plan;

    #[test]
    fn a_card_is_found_by_keys_alone() {
        for sql in [&SQL, &SQL_OF_OTHERS] {
            let plan = plan(sql);
            let scans: Vec<&str> = plan.lines().filter(|line| line.contains("SCAN")).collect();
            assert_eq!(scans.len(), 1, "{plan}");
            assert!(scans.concat().contains("wanted VIRTUAL TABLE"), "{plan}");
            assert!(!plan.contains("TEMP B-TREE"), "{plan}");
        }
    }
}

//! Item cards, as lists contain them.

use rusqlite::{Connection, OptionalExtension, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use super::plays;
use super::sort::UNKNOWN;
use crate::access::{Visible, VisibleItem};
use crate::error::StoreResult;
use crate::id::{FileId, ItemId, LibraryId};
use crate::playback::Offer;
use crate::registry::{Badge, DisplayTitle};
use crate::store::catalogue::column_reader::ColumnReader;
use crate::store::user_data::progress::fraction;
use crate::time::Timestamp;

/// Summary of an item for lists.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ItemCard {
    /// Id of the item.
    pub id: ItemId,
    /// Id of the item's library.
    pub library_id: LibraryId,
    /// Id of the item's kind.
    pub kind: String,
    /// Subkind of the item; null if its kind assigns none.
    pub subkind: Option<String>,
    /// Title of the item.
    pub title: String,
    /// Title as its kind shows it: the title without the values of `badges`.
    pub display_title: String,
    /// Values that the kind took out of the title, in order.
    pub badges: Vec<Badge>,
    /// Year of publication or release.
    pub year: Option<i64>,
    /// Author line; empty if no author is known.
    pub authors: String,
    /// Cover image; null if the item has none.
    pub cover: Option<Cover>,
    /// `true` if the last scan found none of its files.
    pub missing: bool,
    /// Time at which the item's newest file was added to the library.
    pub added_at: Timestamp,
    /// Length of its parts in seconds; null if it is unknown.
    pub duration: Option<i64>,
    /// Number of pages; null if it is unknown.
    pub pages: Option<i64>,
    /// Size of its files in bytes.
    pub size: Option<i64>,
    /// Date of release: `2001-05-03`, `2001-05` or `2001`; null if it is unknown.
    pub released: Option<String>,
    /// `true` if the item is a favourite of the viewer.
    pub favourite: bool,
    /// Rating of the viewer, from 1 to 10; null if there is none.
    pub rating: Option<u8>,
    /// Progress of the viewer; null if the item was never started.
    pub progress: Option<CardProgress>,
    /// `true` if one of the requested engines plays the file to continue with. Null if the request
    /// names no engines, and for items without codecs.
    pub plays: Option<bool>,
    /// Reason if no engine plays the file; the same as in the resolve response.
    pub plays_reason: Option<String>,
}

/// Cover image of an item.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Cover {
    /// URL of the image; accepts `&size=`.
    pub url: String,
    /// Width in pixels.
    pub width: i64,
    /// Height in pixels.
    pub height: i64,
    /// Main colour, `#rrggbb`.
    pub tint: String,
}

/// Latest progress of a viewer in an item.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct CardProgress {
    /// Id of the file of the latest progress.
    pub file_id: FileId,
    /// Position in the file's unit.
    pub position: i64,
    /// Length of the file in the same unit.
    pub extent: Option<i64>,
    /// 1 if the file is finished, otherwise position divided by length; null if the length is
    /// unknown.
    pub fraction: Option<f64>,
    /// `true` if that file is finished.
    pub finished: bool,
    /// Time at which the position was reached.
    pub updated_at: Timestamp,
    /// Fraction of the item that is done, from 0 to 1.
    pub item_fraction: Option<f64>,
    /// `true` if the item is finished.
    pub item_finished: bool,
}

/// Columns of a card in the order in which [`card`] reads them: of `item`, `cover` and the viewer's
/// rows.
pub(crate) const COLUMNS: &str = "
           item.id, item.library_id, item.kind, item.subkind, item.title, item.year, item.authors,
           cover.hash, cover.width, cover.height, cover.tint,
           item.missing, item.added_at,
           item.sort_duration, item.sort_pages, item.sort_size, item.sort_released,
           EXISTS (SELECT 1 FROM favourite AS f
                    WHERE f.user_id = :viewer AND f.item_id = item.id) AS favourite,
           (SELECT r.rating FROM rating AS r
             WHERE r.user_id = :viewer AND r.item_id = item.id) AS rating,
           place.file_id, place.position, begun.extent, place.finished, place.updated_at,
           summary.fraction AS item_fraction, summary.finished AS item_finished";

/// Joins that provide the columns of a card in addition to `item`.
pub(crate) const JOINS: &str = "
      LEFT JOIN cover ON cover.id = item.cover_id
      LEFT JOIN item_progress AS summary
        ON summary.user_id = :viewer AND summary.item_id = item.id
      LEFT JOIN progress AS place
        ON place.user_id = :viewer AND place.file_id = summary.file_id
      LEFT JOIN file AS begun ON begun.id = place.file_id";

/// Reads a card from the row's next columns.
pub(crate) fn card(row: &mut ColumnReader<'_, '_>) -> rusqlite::Result<ItemCard> {
    let (id, library_id, kind): (ItemId, _, String) = (row.take()?, row.take()?, row.take()?);
    let (subkind, title): (_, String) = (row.take()?, row.take()?);
    let display = DisplayTitle::of(&kind, &title);
    Ok(ItemCard {
        id,
        library_id,
        kind,
        subkind,
        title,
        display_title: display.title,
        badges: display.badges,
        year: row.take()?,
        authors: row.take()?,
        cover: cover(id, row)?,
        missing: row.take()?,
        added_at: row.take()?,
        duration: known(row.take()?),
        pages: known(row.take()?),
        size: known(row.take()?),
        released: known(row.take()?).map(date),
        favourite: row.take()?,
        rating: row.take()?,
        progress: progress(row)?,
        plays: None,
        plays_reason: None,
    })
}

/// Returns the value of a sort column, or `None` if it is unknown.
fn known(value: i64) -> Option<i64> {
    (value != UNKNOWN).then_some(value)
}

/// Formats a date from the number YYYYMMDD. A month or day of 0 is unknown.
fn date(number: i64) -> String {
    let (year, rest) = (number.div_euclid(10_000), number.rem_euclid(10_000));
    match (rest / 100, rest % 100) {
        (0, _) => year.to_string(),
        (month, 0) => format!("{year:04}-{month:02}"),
        (month, day) => format!("{year:04}-{month:02}-{day:02}"),
    }
}

fn progress(row: &mut ColumnReader<'_, '_>) -> rusqlite::Result<Option<CardProgress>> {
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

/// Returns the cover of an item.
pub fn cover_of_item(conn: &Connection, item: VisibleItem) -> StoreResult<Option<Cover>> {
    let mut statement = conn.prepare_cached(
        "SELECT cover.hash, cover.width, cover.height, cover.tint
           FROM item
           JOIN cover ON cover.id = item.cover_id
          WHERE item.id = :item",
    )?;
    let found = statement
        .query_row(named_params! { ":item": item.id() }, |row| {
            cover(item.id(), &mut ColumnReader::of(row))
        })
        .optional()?;
    Ok(found.flatten())
}

fn cover(id: ItemId, row: &mut ColumnReader<'_, '_>) -> rusqlite::Result<Option<Cover>> {
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

/// Reads the cards of these items in this order, without the items that are not visible. With
/// `engines`, each card states if it plays.
pub(crate) fn cards(
    conn: &Connection,
    visible: Visible,
    ids: &[ItemId],
    engines: Option<&Offer>,
) -> StoreResult<Vec<ItemCard>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let list = serde_json::to_string(ids).expect("integers are JSON");
    let mut statement = conn.prepare_cached(&sql())?;
    let mut rows = statement.query(named_params! { ":viewer": visible.user(), ":ids": list })?;
    let mut cards: Vec<(usize, ItemCard)> = Vec::with_capacity(ids.len());
    while let Some(row) = rows.next()? {
        let mut row = ColumnReader::of(row);
        cards.push((row.take()?, card(&mut row)?));
    }
    // The rows mostly arrive in order. Sorting in SQLite would double the cost of the page.
    cards.sort_by_key(|(place, _)| *place);
    let mut cards: Vec<ItemCard> = cards.into_iter().map(|(_, card)| card).collect();
    if let Some(offer) = engines {
        plays::judge(conn, visible, offer, &mut cards)?;
    }
    Ok(cards)
}

fn sql() -> String {
    format!(
        "SELECT wanted.key,
                {COLUMNS}
           FROM json_each(:ids) AS wanted
           CROSS JOIN item ON item.id = wanted.value
           JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = item.library_id
           {JOINS}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::user_data::progress::tests::plan;

    #[test]
    fn dates_have_the_known_parts() {
        let dates = [20_010_503, 20_010_500, 20_010_000, 9_990_000, -5_000_000].map(date);
        assert_eq!(dates, ["2001-05-03", "2001-05", "2001", "999", "-500"]);
    }

    #[test]
    fn card_statement_uses_keys_only() {
        let plan = plan(&sql());
        let scans: Vec<&str> = plan.lines().filter(|line| line.contains("SCAN")).collect();
        assert_eq!(scans.len(), 1, "{plan}");
        assert!(scans.concat().contains("wanted VIRTUAL TABLE"), "{plan}");
        assert!(!plan.contains("TEMP B-TREE"), "{plan}");
    }
}

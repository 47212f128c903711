//! Details of one item: its card, its people and its files.

pub mod episodes;
mod files;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use rusqlite::{Connection, OptionalExtension, Row, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use super::card::{self, Cover, ItemCard};
use super::sources::{self, Sources};
use crate::access::{Visible, VisibleItem};
use crate::error::StoreResult;
use crate::id::{FileId, GenreId, ItemId, PersonId, SeriesId};
use crate::registry::Registry;
use crate::store::catalogue::column_reader::ColumnReader;
use crate::store::catalogue::field::Field;
use crate::store::catalogue::genre;
use crate::store::catalogue::work::{self, Work};
use crate::store::cover::picture;
use crate::store::matches::details::{self, SourcedDetails};
use crate::store::user_data::tag::{self, Tag};
use crate::time::Timestamp;
pub(crate) use files::page_order;
pub use files::{Chapter, FileDetail, Stream};

/// An item with all its metadata and files.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ItemDetail {
    /// Fields of the item's card.
    #[serde(flatten)]
    pub card: ItemCard,
    /// Background picture; null if the item has none.
    pub backdrop: Option<Cover>,
    /// Logo of the title; null if the item has none.
    pub logo: Option<Cover>,
    /// Details from the provider of the item's match; null if it has none.
    pub details: Option<SourcedDetails>,
    /// Description as plain text.
    pub description: Option<String>,
    /// Credited people in order.
    pub people: Vec<PersonCredit>,
    /// Genres in order.
    pub genres: Vec<String>,
    /// Ids of the genres in the same order.
    pub genre_ids: Vec<GenreId>,
    /// Primary subtag of the language, such as `en`.
    pub language: Option<String>,
    /// Shared tags and the viewer's own tags, by name.
    pub tags: Vec<Tag>,
    /// Forms of the item's title, including this one; null if this item is the only visible one.
    pub work: Option<Work>,
    /// Id of the item's series. The facts contain its name and the number in it.
    pub series_id: Option<SeriesId>,
    /// Ids of the item at metadata providers, by provider.
    pub provider_ids: BTreeMap<String, String>,
    /// Time since which the item is missing.
    pub missing_since: Option<Timestamp>,
    /// Times that the viewer opened the item.
    pub views: i64,
    /// Id of the file to continue with; null if the item was never started, or nothing is left.
    pub continue_file_id: Option<FileId>,
    /// Files: parts in order, then alternatives by name.
    pub files: Vec<FileDetail>,
    /// Sources of the fields.
    pub sources: Sources,
    /// Fields that a user has edited. Neither scans nor providers change them.
    pub locked: Vec<Field>,
    /// Facts that the kind extracted from names and files.
    #[schema(value_type = Object)]
    pub facts: serde_json::Value,
}

/// A person credited with an item.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PersonCredit {
    /// Id of the person.
    pub id: PersonId,
    /// Name of the person.
    pub name: String,
    /// Role of the person, such as `author`.
    pub role: String,
    /// Played character; null for people other than cast members.
    pub character: Option<String>,
    /// URL of a portrait; null if none is known.
    pub portrait: Option<String>,
}

/// Returns the id of the item's kind, or `None` if the item is gone.
pub fn kind(conn: &Connection, item: VisibleItem) -> StoreResult<Option<String>> {
    let kind = conn
        .prepare_cached("SELECT kind FROM item WHERE id = :item")?
        .query_row(named_params! { ":item": item.id() }, |row| row.get(0))
        .optional()?;
    Ok(kind)
}

/// Returns the description of an item.
pub fn description(conn: &Connection, item: VisibleItem) -> StoreResult<Option<String>> {
    let description = conn
        .prepare_cached("SELECT description FROM item WHERE id = :item")?
        .query_row(named_params! { ":item": item.id() }, |row| row.get(0))
        .optional()?;
    Ok(description.flatten())
}

/// Reads one item, if its library is visible.
pub fn detail(
    conn: &Connection,
    registry: &Registry,
    visible: Visible,
    item: ItemId,
) -> StoreResult<Option<ItemDetail>> {
    let mut statement = conn.prepare_cached(&ITEM)?;
    let detail = statement
        .query_row(
            named_params! { ":item": item, ":viewer": visible.user() },
            of_row,
        )
        .optional()?;
    let Some((mut detail, has)) = detail else {
        return Ok(None);
    };
    detail.files = files::files(conn, registry, visible, &detail.card)?;
    if has.people {
        detail.people = people(conn, item)?;
    }
    if has.genres {
        let genres = genre::of_item(conn, item)?.into_iter();
        (detail.genre_ids, detail.genres) = genres.unzip();
    }
    if has.tags {
        detail.tags = tag::of_item(conn, visible.user(), item)?;
    }
    if has.provider_ids {
        detail.provider_ids = provider_ids(conn, item)?;
    }
    if has.match_details {
        let pictures = picture::of_item(conn, item)?;
        (detail.backdrop, detail.logo) = (pictures.backdrop, pictures.logo);
        detail.details = details::of_item(conn, registry.providers(), item)?;
    }
    if has.work {
        detail.work = work::of_item(conn, visible, item)?;
    }
    Ok(Some(detail))
}

/// Flags for an item's rows in other tables. They save statements that would return no row.
#[expect(clippy::struct_excessive_bools, reason = "one for each table")]
struct Has {
    people: bool,
    genres: bool,
    tags: bool,
    provider_ids: bool,
    work: bool,
    match_details: bool,
}

/// Selects an item with its card.
static ITEM: LazyLock<String> = LazyLock::new(|| {
    let (columns, joins, sources) = (card::COLUMNS, card::JOINS, sources::COLUMNS);
    format!(
        "SELECT {columns},
                summary.continue_file_id, item.description, item.language, item.missing_since,
                item.series_id,
                (SELECT n FROM item_view AS v
                  WHERE v.user_id = :viewer AND v.item_id = item.id) AS views,
                item.facts,
                (SELECT name FROM series WHERE series.id = item.series_id) AS series,
                item.series_index,
                {sources},
                EXISTS (SELECT 1 FROM item_person AS p WHERE p.item_id = item.id) AS has_people,
                EXISTS (SELECT 1 FROM item_genre AS own WHERE own.item_id = item.id) AS has_genres,
                EXISTS (SELECT 1 FROM item_tag AS own WHERE own.item_id = item.id) AS has_tags,
                EXISTS (SELECT 1 FROM item_provider AS p
                         WHERE p.item_id = item.id) AS has_provider_ids,
                EXISTS (SELECT 1 FROM work_item AS own WHERE own.item_id = item.id) AS has_work,
                EXISTS (SELECT 1 FROM item_detail AS own WHERE own.item_id = item.id)
                OR EXISTS (SELECT 1 FROM picture AS own
                            WHERE own.item_id = item.id) AS has_match_details
           FROM item
           JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = item.library_id
           {joins}
          WHERE item.id = :item"
    )
});

/// Reads the item's own columns, without its rows in other tables.
fn of_row(row: &Row<'_>) -> rusqlite::Result<(ItemDetail, Has)> {
    let mut row = ColumnReader::of(row);
    let card = card::card(&mut row)?;
    let continue_file_id = row.take()?;
    let (description, language, missing_since) = (row.take()?, row.take()?, row.take()?);
    let (series_id, views) = (row.take()?, row.take::<Option<i64>>()?);
    let facts = facts(&mut row)?;
    let sources = Sources::take(&mut row)?;
    let has = Has {
        people: row.take()?,
        genres: row.take()?,
        tags: row.take()?,
        provider_ids: row.take()?,
        work: row.take()?,
        match_details: row.take()?,
    };
    let detail = ItemDetail {
        card,
        backdrop: None,
        logo: None,
        details: None,
        description,
        people: Vec::new(),
        genres: Vec::new(),
        genre_ids: Vec::new(),
        language,
        tags: Vec::new(),
        work: None,
        series_id,
        provider_ids: BTreeMap::new(),
        missing_since,
        views: views.unwrap_or(0),
        continue_file_id,
        files: Vec::new(),
        sources,
        locked: sources.locked(),
        facts,
    };
    Ok((detail, has))
}

/// Returns the kind's facts, with the current series from any source.
fn facts(row: &mut ColumnReader<'_, '_>) -> rusqlite::Result<serde_json::Value> {
    let (stored, series): (String, Option<String>) = (row.take()?, row.take()?);
    let index: Option<f64> = row.take()?;
    let mut facts: serde_json::Map<_, _> = serde_json::from_str(&stored).unwrap_or_default();
    if let Some(series) = series {
        facts.insert("series".to_owned(), series.into());
        facts.insert("series_index".to_owned(), index.into());
    }
    Ok(facts.into())
}

fn people(conn: &Connection, item: ItemId) -> StoreResult<Vec<PersonCredit>> {
    let mut statement = conn.prepare_cached(
        "SELECT person.id, person.name, link.role, link.character,
                EXISTS (SELECT 1 FROM picture
                         WHERE picture.person_id = person.id AND picture.failures < :most)
           FROM item_person AS link
           JOIN person ON person.id = link.person_id
          WHERE link.item_id = :item
          ORDER BY link.position",
    )?;
    let of = named_params! { ":item": item, ":most": picture::MAX_FAILURES };
    let rows = statement.query_map(of, |row| {
        let id: PersonId = row.get(0)?;
        let has_portrait: bool = row.get(4)?;
        Ok(PersonCredit {
            id,
            name: row.get(1)?,
            role: row.get(2)?,
            character: row.get(3)?,
            portrait: has_portrait.then(|| format!("/api/v1/people/{id}/picture")),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn provider_ids(conn: &Connection, item: ItemId) -> StoreResult<BTreeMap<String, String>> {
    let mut statement = conn
        .prepare_cached("SELECT provider, external_id FROM item_provider WHERE item_id = :item")?;
    let rows = statement.query_map(named_params! { ":item": item }, |row| {
        Ok((row.get(0)?, row.get(1)?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::user_data::progress::tests::assert_searches;

    #[test]
    fn item_statement_uses_keys_only() {
        assert_searches(&ITEM);
    }
}

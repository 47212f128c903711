//! Items as the scanner writes them: found by key, fields by the strength of their source.

pub mod beneath;

use rusqlite::{Connection, OptionalExtension, Row, Transaction, named_params};

use super::edit::Field;
use super::{person, series};
use crate::clock::Timestamp;
use crate::id::{ItemId, LibraryId, SeriesId};
use crate::registry::naming::{Credit, Series};
use crate::store::StoreResult;
use crate::text;

pub use beneath::Beneath;

/// Where a field's value comes from; a weaker source never overwrites a stronger one.
pub mod source {
    /// Names of files and folders.
    pub const NAME: i64 = 0;
    /// What the file itself says.
    pub const FILE: i64 = 1;
    /// A metadata provider.
    pub const PROVIDER: i64 = 2;
    /// A person, which locks the field.
    pub const PERSON: i64 = 3;
}

/// A value and where it comes from.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Sourced<T> {
    /// The value.
    pub value: T,
    /// One of [`source`]'s numbers.
    pub source: i64,
}

/// What a scan knows about an item. `None` leaves what is stored.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Fields {
    /// Its title.
    pub title: Option<Sourced<String>>,
    /// Its year.
    pub year: Option<Sourced<Option<i64>>>,
    /// Who made it, in order.
    pub credits: Option<Sourced<Vec<Credit>>>,
    /// Its series and number.
    pub series: Option<Sourced<Option<Series>>>,
    /// Its description.
    pub description: Option<Sourced<Option<String>>>,
    /// Facts, those of the files over those of the names, as JSON.
    pub facts: String,
    /// Facts of the files, as JSON.
    pub file_facts: String,
    /// Its subkind, as its kind assigns it.
    pub subkind: Option<&'static str>,
}

/// An item as the scanner compares it.
#[derive(Debug, Clone)]
pub struct StoredItem {
    /// Its id.
    pub id: ItemId,
    /// Its kind.
    pub kind: String,
    /// What its kind's grouping calls it.
    pub key: String,
    /// Its title.
    pub title: Sourced<String>,
    /// Its year.
    pub year: Sourced<Option<i64>>,
    /// Where its credits come from.
    pub authors_source: i64,
    /// Its series.
    pub series: Sourced<(Option<SeriesId>, Option<f64>)>,
    /// Its description.
    pub description: Sourced<Option<String>>,
    /// Its facts as JSON.
    pub facts: String,
    /// The facts of its files as JSON.
    pub file_facts: String,
    /// Its subkind.
    pub subkind: Option<String>,
    /// What scans say of the fields that bear another's value.
    pub beneath: Beneath,
}

const COLUMNS: &str = "id, kind, group_key, title, title_source, year, year_source, authors_source,
    series_id, series_index, series_source, description, description_source, facts, file_facts,
    subkind, beneath";

fn stored(row: &Row<'_>) -> rusqlite::Result<StoredItem> {
    Ok(StoredItem {
        id: row.get("id")?,
        kind: row.get("kind")?,
        key: row.get("group_key")?,
        title: Sourced {
            value: row.get("title")?,
            source: row.get("title_source")?,
        },
        year: Sourced {
            value: row.get("year")?,
            source: row.get("year_source")?,
        },
        authors_source: row.get("authors_source")?,
        series: Sourced {
            value: (row.get("series_id")?, row.get("series_index")?),
            source: row.get("series_source")?,
        },
        description: Sourced {
            value: row.get("description")?,
            source: row.get("description_source")?,
        },
        facts: row.get("facts")?,
        file_facts: row.get("file_facts")?,
        subkind: row.get("subkind")?,
        beneath: Beneath::read(row.get::<_, Option<String>>("beneath")?.as_deref()),
    })
}

/// The item of this key.
pub fn keyed_unscoped(
    connection: &Connection,
    library: LibraryId,
    kind: &str,
    key: &str,
) -> StoreResult<Option<StoredItem>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS}
           FROM item
          WHERE library_id = :library AND kind = :kind AND group_key = :key"
    ))?;
    let item = statement
        .query_row(
            named_params! { ":library": library, ":kind": kind, ":key": key },
            stored,
        )
        .optional()?;
    Ok(item)
}

/// One item.
pub fn get_unscoped(connection: &Connection, id: ItemId) -> StoreResult<Option<StoredItem>> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT {COLUMNS} FROM item WHERE id = :id"))?;
    Ok(statement
        .query_row(named_params! { ":id": id }, stored)
        .optional()?)
}

/// An item that is not stored yet.
#[derive(Debug, Clone, Copy)]
pub struct NewItem<'a> {
    /// Its library.
    pub library: LibraryId,
    /// Its kind.
    pub kind: &'a str,
    /// What its kind's grouping calls it.
    pub key: &'a str,
    /// What is in its first file, where that is known before it is stored.
    pub profile: Option<i64>,
    /// When it came.
    pub added_at: Timestamp,
}

/// Stores a new item; its files follow.
pub fn insert(tx: &Transaction<'_>, new: NewItem<'_>, fields: &Fields) -> StoreResult<ItemId> {
    let title = fields.title.as_ref();
    let text = title.map_or("", |title| title.value.as_str());
    let (initial, sort_title) = text::sort_key(text);
    let credits = fields.credits.as_ref();
    let people = credits.map_or(&[][..], |credits| credits.value.as_slice());
    let authors = person::author_line(people);
    let sourced_series = fields.series.as_ref();
    let series = series_of(tx, new.kind, sourced_series.and_then(|s| s.value.as_ref()))?;
    tx.prepare_cached(
        // The keys of year and place as the triggers keep them: else each row were written twice.
        "INSERT INTO item (library_id, kind, group_key, title, sort_title, initial, year, sort_year,
                           authors, sort_authors, description, series_id, series_index,
                           sort_series_index, sort_series, facts, file_facts, subkind, title_source,
                           year_source, authors_source, description_source, series_source,
                           added_at, profile_id)
         VALUES (:library, :kind, :key, :title, :sort_title, :initial, :year, ifnull(:year, 0),
                 :authors, :sort_authors, :description, :series, :series_index,
                 ifnull(:series_index, 0), :sort_series, :facts, :file_facts, :subkind, :title_source,
                 :year_source, :authors_source, :description_source, :series_source,
                 :now, :profile)",
    )?
    .execute(named_params! {
        ":library": new.library,
        ":kind": new.kind,
        ":key": new.key,
        ":title": text,
        ":sort_title": sort_title,
        ":initial": initial,
        ":year": fields.year.as_ref().and_then(|year| year.value),
        ":authors": authors,
        ":sort_authors": text::name_sort_key(&authors),
        ":description": fields.description.as_ref().and_then(|text| text.value.as_deref()),
        ":series": series.id,
        ":series_index": series.index,
        ":sort_series": series.sort,
        ":facts": fields.facts,
        ":file_facts": fields.file_facts,
        ":subkind": fields.subkind,
        ":title_source": source_of(title),
        ":year_source": source_of(fields.year.as_ref()),
        ":authors_source": source_of(credits),
        ":description_source": source_of(fields.description.as_ref()),
        ":series_source": source_of(sourced_series),
        ":now": new.added_at,
        ":profile": new.profile,
    })?;
    let id = ItemId(tx.last_insert_rowid());
    person::link(tx, id, people)?;
    Ok(id)
}

fn source_of<T>(field: Option<&Sourced<T>>) -> i64 {
    field.map_or(source::NAME, |field| field.source)
}

/// What a scan may write of a field: where the stored value comes from nothing stronger than the
/// file, and differs.
fn news<'a, T: PartialEq>(
    fresh: Option<&'a Sourced<T>>,
    stored: &Sourced<T>,
) -> Option<&'a Sourced<T>> {
    fresh.filter(|fresh| stored.source <= source::FILE && *fresh != stored)
}

/// Writes what differs and is not of a stronger source; `true` if the search index is affected.
pub fn update(tx: &Transaction<'_>, item: &StoredItem, fields: &Fields) -> StoreResult<bool> {
    let mut searched = false;
    if let Some(title) = news(fields.title.as_ref(), &item.title) {
        set_title(tx, item.id, title)?;
        searched = true;
    }
    if let Some(year) = news(fields.year.as_ref(), &item.year) {
        set_year(tx, item.id, year)?;
    }
    if let Some(description) = news(fields.description.as_ref(), &item.description) {
        set_description(tx, item.id, description)?;
    }
    if let Some(credits) = &fields.credits
        && item.authors_source <= source::FILE
    {
        searched |= person::set_credits(tx, item.id, &credits.value)?;
        set_authors_source(tx, item, credits.source)?;
    }
    if let Some(series) = &fields.series
        && item.series.source <= source::FILE
    {
        set_series(tx, item, series)?;
    }
    beneath::keep(tx, item, fields)?;
    if (&fields.facts, &fields.file_facts) != (&item.facts, &item.file_facts) {
        tx.prepare_cached(
            "UPDATE item SET facts = :facts, file_facts = :file_facts WHERE id = :id",
        )?
        .execute(named_params! {
            ":id": item.id, ":facts": fields.facts, ":file_facts": fields.file_facts,
        })?;
    }
    if fields.subkind != item.subkind.as_deref() {
        tx.prepare_cached("UPDATE item SET subkind = :subkind WHERE id = :id")?
            .execute(named_params! { ":id": item.id, ":subkind": fields.subkind })?;
    }
    Ok(searched)
}

/// Writes a title with what is derived from it; the search index is the caller's.
pub(super) fn set_title(
    tx: &Transaction<'_>,
    id: ItemId,
    title: &Sourced<String>,
) -> StoreResult<()> {
    let (initial, sort_title) = text::sort_key(&title.value);
    tx.prepare_cached(
        "UPDATE item
            SET title = :title, title_source = :source, sort_title = :sort_title,
                initial = :initial
          WHERE id = :id",
    )?
    .execute(named_params! {
        ":id": id,
        ":title": title.value,
        ":source": title.source,
        ":sort_title": sort_title,
        ":initial": initial,
    })?;
    Ok(())
}

pub(super) fn set_year(
    tx: &Transaction<'_>,
    id: ItemId,
    year: &Sourced<Option<i64>>,
) -> StoreResult<()> {
    tx.prepare_cached("UPDATE item SET year = :value, year_source = :source WHERE id = :id")?
        .execute(named_params! { ":id": id, ":value": year.value, ":source": year.source })?;
    Ok(())
}

pub(super) fn set_description(
    tx: &Transaction<'_>,
    id: ItemId,
    text: &Sourced<Option<String>>,
) -> StoreResult<()> {
    tx.prepare_cached(
        "UPDATE item SET description = :value, description_source = :source WHERE id = :id",
    )?
    .execute(named_params! { ":id": id, ":value": text.value, ":source": text.source })?;
    Ok(())
}

pub(super) fn set_authors_source(
    tx: &Transaction<'_>,
    item: &StoredItem,
    source: i64,
) -> StoreResult<()> {
    if item.authors_source != source {
        tx.prepare_cached("UPDATE item SET authors_source = :source WHERE id = :id")?
            .execute(named_params! { ":id": item.id, ":source": source })?;
    }
    Ok(())
}

/// An item's series as it is stored.
struct SeriesColumns {
    id: Option<SeriesId>,
    index: Option<f64>,
    sort: String,
}

fn series_of(
    tx: &Transaction<'_>,
    kind: &str,
    series: Option<&Series>,
) -> StoreResult<SeriesColumns> {
    let named = series.filter(|series| !series.name.trim().is_empty());
    let Some(series) = named else {
        return Ok(SeriesColumns {
            id: None,
            index: None,
            sort: String::new(),
        });
    };
    Ok(SeriesColumns {
        id: Some(series::ensure(tx, kind, series.name.trim())?),
        index: series.index.filter(|index| index.is_finite()),
        sort: text::name_sort_key(&series.name),
    })
}

/// Writes a series and the number in it.
pub(super) fn set_series(
    tx: &Transaction<'_>,
    item: &StoredItem,
    series: &Sourced<Option<Series>>,
) -> StoreResult<()> {
    let columns = series_of(tx, &item.kind, series.value.as_ref())?;
    if item.series.value == (columns.id, columns.index) && item.series.source == series.source {
        return Ok(());
    }
    tx.prepare_cached(
        "UPDATE item
            SET series_id = :series, series_index = :index, sort_series = :sort,
                series_source = :source
          WHERE id = :id",
    )?
    .execute(named_params! {
        ":id": item.id,
        ":series": columns.id,
        ":index": columns.index,
        ":sort": columns.sort,
        ":source": series.source,
    })?;
    Ok(())
}

/// Lets the next scan write a field again.
pub(super) fn clear_source(tx: &Transaction<'_>, id: ItemId, field: Field) -> StoreResult<()> {
    let column = match field {
        Field::Title => "title_source",
        Field::Year => "year_source",
        Field::Authors => "authors_source",
        Field::Description => "description_source",
        Field::Series => "series_source",
        Field::Cover => "cover_source",
    };
    tx.prepare_cached(&format!("UPDATE item SET {column} = 0 WHERE id = :id"))?
        .execute(named_params! { ":id": id })?;
    Ok(())
}

/// Gives an item another key: the same thing has another place.
pub fn rekey(tx: &Transaction<'_>, id: ItemId, key: &str) -> StoreResult<()> {
    tx.prepare_cached("UPDATE item SET group_key = :key WHERE id = :id")?
        .execute(named_params! { ":id": id, ":key": key })?;
    Ok(())
}

/// Brings presence and the time of addition in line with an item's files.
pub fn settle(tx: &Transaction<'_>, id: ItemId, now: Timestamp) -> StoreResult<()> {
    tx.prepare_cached(
        "UPDATE item
            SET missing = fresh.missing,
                missing_since = CASE WHEN fresh.missing = 0 THEN NULL
                                     WHEN item.missing = 1 THEN item.missing_since
                                     ELSE :now END,
                added_at = fresh.added_at
           FROM (SELECT min(file.missing) AS missing, max(file.added_at) AS added_at
                   FROM file
                  WHERE file.item_id = :id) AS fresh
          WHERE item.id = :id AND fresh.added_at IS NOT NULL
            AND (item.missing, item.added_at) IS NOT (fresh.missing, fresh.added_at)",
    )?
    .execute(named_params! { ":id": id, ":now": now })?;
    Ok(())
}

/// Forgets an item without files; its search rows are the caller's.
pub fn delete(tx: &Transaction<'_>, id: ItemId) -> StoreResult<()> {
    let people = person::ids_of_items(tx, &[id])?;
    tx.prepare_cached("DELETE FROM item WHERE id = :id")?
        .execute(named_params! { ":id": id })?;
    person::forget_unused(tx, &people)
}

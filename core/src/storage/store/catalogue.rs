//! Items as the scanner writes them. The scanner finds an item by its key and writes a field only
//! if the field's source is not stronger.

pub mod batch;
pub(crate) mod column_reader;
mod columns;
pub mod edit;
pub mod field;
pub mod genre;
pub mod instance;
pub mod named;
pub mod person;
pub mod scanned_values;
pub mod series;
pub mod work;

use rusqlite::{Connection, OptionalExtension, Row, Transaction, named_params};

use crate::error::StoreResult;
use crate::id::{ItemId, LibraryId, SeriesId};
use crate::registry::naming::{Credit, Series};
use crate::store::file::totals::Totals;
use crate::text;
use crate::time::Timestamp;
use field::{Sourced, source};

pub(super) use columns::{
    clear_source, set_authors_source, set_description, set_genres_source, set_language, set_title,
    set_year,
};
pub use scanned_values::ScannedValues;

/// Fields of an item as a scan determined them. `None` keeps the stored value.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Fields {
    /// Title of the item.
    pub title: Option<Sourced<String>>,
    /// Year of publication or release.
    pub year: Option<Sourced<Option<i64>>>,
    /// Credited people in order.
    pub credits: Option<Sourced<Vec<Credit>>>,
    /// Series and number in it.
    pub series: Option<Sourced<Option<Series>>>,
    /// Description as plain text.
    pub description: Option<Sourced<Option<String>>>,
    /// Genres in order.
    pub genres: Option<Sourced<Vec<String>>>,
    /// Primary subtag of the language.
    pub language: Option<Sourced<Option<String>>>,
    /// Facts as JSON: those of the names, overridden by those of the files.
    pub facts: String,
    /// Facts of the files alone, as JSON.
    pub file_facts: String,
    /// Subkind that the item's kind assigns.
    pub subkind: Option<&'static str>,
}

/// A stored item, for comparison by the scanner.
#[derive(Debug, Clone)]
pub struct StoredItem {
    /// Id of the item.
    pub id: ItemId,
    /// Id of the item's kind.
    pub kind: String,
    /// Key that the kind's grouping assigned.
    pub key: String,
    /// Title and its source.
    pub title: Sourced<String>,
    /// Year and its source.
    pub year: Sourced<Option<i64>>,
    /// Source of the credits.
    pub authors_source: i64,
    /// Series, number in it, and their source.
    pub series: Sourced<(Option<SeriesId>, Option<f64>)>,
    /// Description and its source.
    pub description: Sourced<Option<String>>,
    /// Source of the genres.
    pub genres_source: i64,
    /// Primary subtag of the language, and its source.
    pub language: Sourced<Option<String>>,
    /// Facts as JSON.
    pub facts: String,
    /// Facts of the files alone, as JSON.
    pub file_facts: String,
    /// Subkind that the item's kind assigns.
    pub subkind: Option<String>,
    /// Scanned values of the fields whose current value has a stronger source.
    pub scanned_values: ScannedValues,
}

const COLUMNS: &str = "id, kind, group_key, title, title_source, year, year_source, authors_source,
    series_id, series_index, series_source, description, description_source, genres_source,
    language, language_source, facts, file_facts, subkind, scanned_values";

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
        genres_source: row.get("genres_source")?,
        language: Sourced {
            value: row.get("language")?,
            source: row.get("language_source")?,
        },
        facts: row.get("facts")?,
        file_facts: row.get("file_facts")?,
        subkind: row.get("subkind")?,
        scanned_values: ScannedValues::read(
            row.get::<_, Option<String>>("scanned_values")?.as_deref(),
        ),
    })
}

/// Reads the item with this key.
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

/// Reads one item.
pub fn get_unscoped(connection: &Connection, id: ItemId) -> StoreResult<Option<StoredItem>> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT {COLUMNS} FROM item WHERE id = :id"))?;
    Ok(statement
        .query_row(named_params! { ":id": id }, stored)
        .optional()?)
}

/// Identity of an item that is not stored yet.
#[derive(Debug, Clone, Copy)]
pub struct NewItem<'a> {
    /// Id of the item's library.
    pub library: LibraryId,
    /// Id of the item's kind.
    pub kind: &'a str,
    /// Key that the kind's grouping assigned.
    pub key: &'a str,
    /// Id of the media profile of its first file, if it is known before the insert.
    pub profile: Option<i64>,
    /// Totals of its files, if all of them are known before the insert.
    pub totals: Totals,
    /// Time of addition.
    pub added_at: Timestamp,
}

/// Inserts an item. The sort keys of year, series number and release have the values that the triggers
/// would set. Otherwise each row would be written twice.
const INSERT: &str = "
    INSERT INTO item (library_id, kind, group_key, title, sort_title, initial, year, sort_year,
                      authors, sort_authors, description, series_id, series_index,
                      sort_series_index, sort_series, facts, file_facts, subkind, title_source,
                      year_source, authors_source, description_source, series_source,
                      genres_source, language, language_source, added_at, profile_id,
                      sort_duration, sort_pages, sort_size, sort_released)
    VALUES (:library, :kind, :key, :title, :sort_title, :initial, :year, ifnull(:year, 0),
            :authors, :sort_authors, :description, :series, :series_index,
            ifnull(:series_index, 0), :sort_series, :facts, :file_facts, :subkind, :title_source,
            :year_source, :authors_source, :description_source, :series_source,
            :genres_source, :language, :language_source, :now, :profile,
            :duration, :pages, :size,
            (SELECT CASE
                    WHEN date GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*'
                     AND strftime('%Y', substr(date, 1, 10)) = printf('%04d', :year)
                    THEN 0 + strftime('%Y%m%d', substr(date, 1, 10))
                    WHEN date GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]*'
                     AND strftime('%Y', substr(date, 1, 7) || '-01') = printf('%04d', :year)
                    THEN 0 + strftime('%Y%m00', substr(date, 1, 7) || '-01')
                    ELSE ifnull(:year * 10000, 9223372036854775807)
                    END
               FROM (SELECT :facts ->> '$.date' AS date)))";

/// Inserts a new item; the caller inserts its files afterwards.
pub fn insert(tx: &Transaction<'_>, new: NewItem<'_>, fields: &Fields) -> StoreResult<ItemId> {
    let title = fields.title.as_ref();
    let text = title.map_or("", |title| title.value.as_str());
    let (initial, sort_title) = text::sort_key(text);
    let credits = fields.credits.as_ref();
    let people = credits.map_or(&[][..], |credits| credits.value.as_slice());
    let authors = person::author_line(people);
    let sourced_series = fields.series.as_ref();
    let series = series_of(tx, new.kind, sourced_series.and_then(|s| s.value.as_ref()))?;
    let [duration, pages, size] = new.totals.keys();
    tx.prepare_cached(INSERT)?.execute(named_params! {
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
        ":genres_source": source_of(fields.genres.as_ref()),
        ":language": fields.language.as_ref().and_then(|language| language.value.as_deref()),
        ":language_source": source_of(fields.language.as_ref()),
        ":now": new.added_at,
        ":profile": new.profile,
        ":duration": duration,
        ":pages": pages,
        ":size": size,
    })?;
    let id = ItemId(tx.last_insert_rowid());
    person::link(tx, id, people)?;
    if let Some(genres) = &fields.genres {
        genre::link(tx, id, &genres.value)?;
    }
    Ok(id)
}

fn source_of<T>(field: Option<&Sourced<T>>) -> i64 {
    field.map_or(source::NAME, |field| field.source)
}

/// Returns the fresh value if a scan may write it: the stored source is not stronger than `FILE`,
/// and the value differs.
fn writable_change<'a, T: PartialEq>(
    fresh: Option<&'a Sourced<T>>,
    stored: &Sourced<T>,
) -> Option<&'a Sourced<T>> {
    fresh.filter(|fresh| stored.source <= source::FILE && *fresh != stored)
}

/// Writes changed fields whose stored source is not stronger. Returns `true` if the search index is
/// affected.
pub fn update(tx: &Transaction<'_>, item: &StoredItem, fields: &Fields) -> StoreResult<bool> {
    let mut searched = false;
    if let Some(title) = writable_change(fields.title.as_ref(), &item.title) {
        set_title(tx, item.id, title)?;
        searched = true;
    }
    if let Some(year) = writable_change(fields.year.as_ref(), &item.year) {
        set_year(tx, item.id, year)?;
    }
    if let Some(description) = writable_change(fields.description.as_ref(), &item.description) {
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
        searched |= set_series(tx, item, series)?;
    }
    if let Some(genres) = &fields.genres
        && item.genres_source <= source::FILE
    {
        genre::set(tx, item.id, &genres.value)?;
        set_genres_source(tx, item, genres.source)?;
    }
    if let Some(language) = writable_change(fields.language.as_ref(), &item.language) {
        set_language(tx, item.id, language)?;
    }
    scanned_values::keep(tx, item, fields)?;
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

/// Columns of an item that store its series.
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

/// Writes a series and the number in it. Returns `true` if the search index is affected.
pub(super) fn set_series(
    tx: &Transaction<'_>,
    item: &StoredItem,
    series: &Sourced<Option<Series>>,
) -> StoreResult<bool> {
    let columns = series_of(tx, &item.kind, series.value.as_ref())?;
    if item.series.value == (columns.id, columns.index) && item.series.source == series.source {
        return Ok(false);
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
    Ok(item.series.value.0 != columns.id)
}

/// Assigns another key to an item, for example after its folder was renamed.
pub fn rekey(tx: &Transaction<'_>, id: ItemId, key: &str) -> StoreResult<()> {
    tx.prepare_cached("UPDATE item SET group_key = :key WHERE id = :id")?
        .execute(named_params! { ":id": id, ":key": key })?;
    Ok(())
}

/// Recomputes presence and the time of addition from an item's files.
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

/// Deletes an item without files; the caller deletes its search rows.
pub fn delete(tx: &Transaction<'_>, id: ItemId) -> StoreResult<()> {
    let people = person::ids_of_items(tx, &[id])?;
    let genres = genre::ids_of_items(tx, &[id])?;
    tx.prepare_cached("DELETE FROM item WHERE id = :id")?
        .execute(named_params! { ":id": id })?;
    person::forget_unused(tx, &people)?;
    genre::forget_unused(tx, &genres)
}

//! Single fields of an item in its own row, with their sources.

use rusqlite::{Transaction, named_params};

use super::StoredItem;
use crate::error::StoreResult;
use crate::id::ItemId;
use crate::store::catalogue::field::{Field, Sourced};
use crate::text;

/// Writes a title and the columns derived from it; the caller updates the search index.
pub(in crate::storage::store) fn set_title(
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

/// Writes a year and its source.
pub(in crate::storage::store) fn set_year(
    tx: &Transaction<'_>,
    id: ItemId,
    year: &Sourced<Option<i64>>,
) -> StoreResult<()> {
    tx.prepare_cached("UPDATE item SET year = :value, year_source = :source WHERE id = :id")?
        .execute(named_params! { ":id": id, ":value": year.value, ":source": year.source })?;
    Ok(())
}

/// Writes a description and its source.
pub(in crate::storage::store) fn set_description(
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

/// Writes the source of the credits.
pub(in crate::storage::store) fn set_authors_source(
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

/// Writes a language and its source.
pub(in crate::storage::store) fn set_language(
    tx: &Transaction<'_>,
    id: ItemId,
    language: &Sourced<Option<String>>,
) -> StoreResult<()> {
    tx.prepare_cached(
        "UPDATE item SET language = :value, language_source = :source WHERE id = :id",
    )?
    .execute(named_params! { ":id": id, ":value": language.value, ":source": language.source })?;
    Ok(())
}

/// Writes the source of the genres.
pub(in crate::storage::store) fn set_genres_source(
    tx: &Transaction<'_>,
    item: &StoredItem,
    source: i64,
) -> StoreResult<()> {
    if item.genres_source != source {
        tx.prepare_cached("UPDATE item SET genres_source = :source WHERE id = :id")?
            .execute(named_params! { ":id": item.id, ":source": source })?;
    }
    Ok(())
}

/// Clears the source of a field, so that the next scan writes it.
pub(in crate::storage::store) fn clear_source(
    tx: &Transaction<'_>,
    id: ItemId,
    field: Field,
) -> StoreResult<()> {
    let column = field.source_column();
    tx.prepare_cached(&format!("UPDATE item SET {column} = 0 WHERE id = :id"))?
        .execute(named_params! { ":id": id })?;
    Ok(())
}

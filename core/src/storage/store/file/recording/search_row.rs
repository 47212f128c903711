//! Titles and artists of files, for the search in files.

use rusqlite::{OptionalExtension as _, Row, Transaction, named_params};

use crate::error::StoreResult;
use crate::id::{FileId, ItemId, LibraryId};
use crate::path;
use crate::registry::{MediaKind, Registry};
use crate::search::parts::{self, PartText};

/// Separator of the artists.
const SEPARATOR: &str = ", ";

/// A file and its row in `part`.
struct Draft {
    file: FileId,
    is_missing: bool,
    text: PartText,
    stored: Option<PartText>,
}

const FILES: &str = "
    SELECT file.id, file.missing, file.name, file.title, file.kind_data, part.title, part.artists
      FROM file
      LEFT JOIN part ON part.file_id = file.id
     WHERE file.item_id = :item";

/// Writes the titles and artists of an item's files, if its kind has artists of files.
///
/// Call it after every change of an item's files and of their titles.
pub fn settle(tx: &Transaction<'_>, registry: &Registry, item: ItemId) -> StoreResult<()> {
    let mut statement = tx.prepare_cached("SELECT kind, library_id FROM item WHERE id = :item")?;
    let found = statement.query_row(named_params! { ":item": item }, |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, LibraryId>(1)?))
    });
    let Some((kind, library)) = found.optional()? else {
        return Ok(());
    };
    let kind = registry.kind(&kind);
    let Some(kind) = kind.filter(|kind| kind.part_artists.is_some()) else {
        return Ok(());
    };
    for draft in drafts(tx, kind, item)? {
        if draft.stored.as_ref() != Some(&draft.text) {
            write(tx, library, &draft)?;
        }
    }
    Ok(())
}

fn drafts(tx: &Transaction<'_>, kind: &MediaKind, item: ItemId) -> StoreResult<Vec<Draft>> {
    let mut statement = tx.prepare_cached(FILES)?;
    let rows = statement.query_map(named_params! { ":item": item }, |row| draft(kind, row))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn draft(kind: &MediaKind, row: &Row<'_>) -> rusqlite::Result<Draft> {
    let name = path::display(row.get_ref(2)?.as_blob()?);
    let stem = || {
        name.rsplit_once('.')
            .map_or(name.as_str(), |(stem, _)| stem)
    };
    let title: Option<String> = row.get(3)?;
    let kind_data: Option<String> = row.get(4)?;
    let artists = kind.part_artists.zip(kind_data);
    let artists = artists.map(|(artists, data)| artists(&data));
    let stored: (Option<String>, Option<String>) = (row.get(5)?, row.get(6)?);
    Ok(Draft {
        file: row.get(0)?,
        is_missing: row.get(1)?,
        text: PartText {
            title: title.unwrap_or_else(|| stem().to_owned()),
            artists: artists.unwrap_or_default().join(SEPARATOR),
        },
        stored: stored
            .0
            .zip(stored.1)
            .map(|(title, artists)| PartText { title, artists }),
    })
}

fn write(tx: &Transaction<'_>, library: LibraryId, draft: &Draft) -> StoreResult<()> {
    tx.prepare_cached(
        "INSERT INTO part (file_id, library_id, title, artists, missing)
         VALUES (:file, :library, :title, :artists, :missing)
             ON CONFLICT DO UPDATE SET title = excluded.title, artists = excluded.artists",
    )?
    .execute(named_params! {
        ":file": draft.file,
        ":library": library,
        ":title": draft.text.title,
        ":artists": draft.text.artists,
        ":missing": draft.is_missing,
    })?;
    if draft.stored.is_some() {
        parts::remove(tx, draft.file)?;
    }
    parts::add(tx, draft.file, &draft.text)
}

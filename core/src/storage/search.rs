//! Search index: the indexed text of an item, the functions that write it, and the search results.

mod candidate;
pub mod find;
pub mod fold;
mod fuzzy;
mod matching;
pub mod merge;
pub mod parts;
mod ranking;
mod similar;
mod terms;
pub mod upgrade;
pub mod vocabulary;

use rusqlite::{Connection, Statement, Transaction, named_params};

use crate::error::StoreResult;
use crate::id::{ItemId, LibraryId};
use crate::path;

pub use find::{KindMatches, Matches, Query, find};
pub use fold::{fold, fold_with_variants, split_ideographs};
pub(crate) use matching::may_contain;

/// Maximum length of the indexed paths of an item, in bytes. A show of ten thousand episodes is
/// found by its folders and first episodes.
const MAX_PATH: usize = 32 << 10;

/// Number of items that [`rebuild`] writes at once.
const CHUNK: usize = 500;

/// Folded text that is indexed for an item. Title and authors include spelling variants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Library of the item.
    pub library: LibraryId,
    /// Title with spelling variants.
    pub title: String,
    /// Paths of the item's files, below the library's root.
    pub path: String,
    /// Author line, other people and the series, with spelling variants.
    pub authors: String,
}

/// Rewrites the index rows of these items. Must run in the transaction that changed their titles,
/// paths or credits. An item that no longer exists loses its rows.
pub fn reindex(tx: &Transaction<'_>, items: &[ItemId]) -> StoreResult<()> {
    remove(tx, items)?;
    add(tx, items)
}

/// Writes the index rows of items that have none yet.
pub fn add(tx: &Transaction<'_>, items: &[ItemId]) -> StoreResult<()> {
    let documents = items
        .iter()
        .filter_map(|item| Some((*item, document_unscoped(tx, *item).transpose()?)))
        .map(|(item, document)| Ok((item, document?)))
        .collect::<StoreResult<Vec<_>>>()?;
    vocabulary::add(tx, documents.iter().map(|(_, document)| document))?;
    // The indexes are written one after the other, so that their pages stay in the cache.
    let mut words = tx.prepare_cached(
        "INSERT INTO search_word (rowid, title, path, authors)
         VALUES (:id, :title, :path, :authors)",
    )?;
    for (item, document) in &documents {
        words.execute(named_params! {
            ":id": item,
            ":title": split_ideographs(&document.title),
            ":path": split_ideographs(&document.path),
            ":authors": split_ideographs(&document.authors),
        })?;
    }
    let mut infixes =
        tx.prepare_cached("INSERT INTO search_infix (rowid, text) VALUES (:id, :text)")?;
    for (item, document) in &documents {
        infixes.execute(named_params! { ":id": item, ":text": document.text() })?;
    }
    Ok(())
}

/// Removes items from the index.
pub fn remove(tx: &Transaction<'_>, items: &[ItemId]) -> StoreResult<()> {
    for sql in [
        "DELETE FROM search_word WHERE rowid = :id",
        "DELETE FROM search_infix WHERE rowid = :id",
    ] {
        let mut delete = tx.prepare_cached(sql)?;
        for item in items {
            delete.execute(named_params! { ":id": item })?;
        }
    }
    Ok(())
}

/// Rebuilds the whole index from the stored items.
pub fn rebuild(tx: &Transaction<'_>) -> StoreResult<()> {
    for table in ["search_word", "search_infix"] {
        tx.execute(
            &format!("INSERT INTO {table} ({table}) VALUES ('delete-all')"),
            [],
        )?;
    }
    vocabulary::clear(tx)?;
    let mut after = ItemId(0);
    loop {
        let items = after_unscoped(tx, after)?;
        let Some(last) = items.last() else {
            return Ok(());
        };
        add(tx, &items)?;
        after = *last;
    }
}

fn after_unscoped(connection: &Connection, after: ItemId) -> StoreResult<Vec<ItemId>> {
    let mut statement =
        connection.prepare_cached("SELECT id FROM item WHERE id > :after ORDER BY id LIMIT :n")?;
    let rows = statement.query_map(named_params! { ":after": after, ":n": CHUNK }, |row| {
        row.get(0)
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the text to index for an item, or `None` if the item does not exist.
pub fn document_unscoped(connection: &Connection, item: ItemId) -> StoreResult<Option<Document>> {
    let mut statement =
        connection.prepare_cached("SELECT title, authors, library_id FROM item WHERE id = :id")?;
    let mut rows = statement.query(named_params! { ":id": item })?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    let (title, authors): (String, String) = (row.get(0)?, row.get(1)?);
    Ok(Some(Document {
        title: fold_with_variants(&title),
        path: paths_unscoped(connection, item)?,
        authors: names_unscoped(connection, item, &authors)?,
        library: row.get(2)?,
    }))
}

/// Returns the folded author line, followed by the other people and the series of an item.
fn names_unscoped(connection: &Connection, item: ItemId, authors: &str) -> StoreResult<String> {
    let mut statement = connection.prepare_cached(
        "SELECT person.name
           FROM item_person AS credit
           JOIN person ON person.id = credit.person_id
          WHERE credit.item_id = :id AND credit.role <> 'author'
          UNION ALL
         SELECT series.name
           FROM item
           JOIN series ON series.id = item.series_id
          WHERE item.id = :id",
    )?;
    let mut rows = statement.query(named_params! { ":id": item })?;
    let mut text = fold_with_variants(authors);
    while let Some(row) = rows.next()? {
        text.push('\n');
        let name = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
        text.push_str(&fold_with_variants(name));
    }
    Ok(text)
}

/// Folders and files of an item in the order of its parts, for [`paths_until`].
const PATHS: &str = "
    SELECT folder.id, folder.path, file.name
      FROM file
      JOIN folder ON folder.id = file.folder_id
     WHERE file.item_id = :id
     ORDER BY file.sequence, file.id";

/// Returns the paths of an item's files in the order of its parts. Consecutive files of one folder
/// share one mention of the folder.
fn paths_unscoped(connection: &Connection, item: ItemId) -> StoreResult<String> {
    paths_until(&mut *connection.prepare_cached(PATHS)?, item, |_| false)
}

/// Returns the paths of an item's files up to the first one for which `is_enough` returns `true`.
/// It gets the folded name of a file, after that of its folder if the previous file was in another one.
/// `statement` is [`PATHS`].
fn paths_until(
    statement: &mut Statement<'_>,
    item: ItemId,
    mut is_enough: impl FnMut(&str) -> bool,
) -> StoreResult<String> {
    let mut rows = statement.query(named_params! { ":id": item })?;
    let mut text = String::new();
    let mut folder = None;
    while let Some(row) = rows.next()? {
        let lies_in: i64 = row.get(0)?;
        let (mut apart, start) = ('\n', text.len());
        if folder != Some(lies_in) {
            let path = row.get_ref(1)?.as_bytes().unwrap_or_default();
            push(&mut text, apart, path);
            folder = Some(lies_in);
            if !path.is_empty() {
                apart = '/';
            }
        }
        push(
            &mut text,
            apart,
            row.get_ref(2)?.as_bytes().unwrap_or_default(),
        );
        if text.len() >= MAX_PATH || is_enough(text.get(start..).unwrap_or_default()) {
            break;
        }
    }
    Ok(text)
}

fn push(text: &mut String, apart: char, name: &[u8]) {
    if !text.is_empty() && !name.is_empty() {
        text.push(apart);
    }
    text.push_str(&fold(&path::display(name)));
}

impl Document {
    /// Returns the text for the trigram index. The fields are separated by a line break, which no
    /// term contains.
    pub fn text(&self) -> String {
        format!("{}\n{}\n{}", self.title, self.authors, self.path)
    }
}

#[cfg(test)]
mod tests;

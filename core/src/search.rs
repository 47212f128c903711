//! The search index: what stands in it for an item, the one function that writes it, and the
//! answers it gives.

mod candidate;
pub mod find;
pub mod fold;
mod matching;
mod ranking;
mod terms;
pub mod tidy;

use rusqlite::{Connection, Transaction, named_params};

use crate::id::ItemId;
use crate::scan::name;
use crate::store::StoreResult;

pub use find::{Found, FoundOfKind, Wanted, find};
pub use fold::{fold, fold_with_variants, split_ideographs};

/// Longest text of paths that is indexed for an item, in bytes: a show of ten thousand episodes
/// is found by its folders and first episodes.
const MAX_PATH: usize = 32 << 10;

/// Items that [`rebuild`] writes in one go.
const CHUNK: usize = 500;

/// What is indexed for one item, folded; title and authors with the other ways to write them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Its title.
    pub title: String,
    /// Paths of its files, below the library's root.
    pub path: String,
    /// Its author line.
    pub authors: String,
}

/// Writes the index rows of these items anew, in the transaction that changed their titles,
/// paths or credits. An item that is gone loses its rows.
pub fn reindex(tx: &Transaction<'_>, items: &[ItemId]) -> StoreResult<()> {
    remove(tx, items)?;
    add(tx, items)
}

/// Writes the index rows of items that have none yet.
pub fn add(tx: &Transaction<'_>, items: &[ItemId]) -> StoreResult<()> {
    let newest: ItemId = tx.prepare_cached(NEWEST)?.query_row([], |row| row.get(0))?;
    if items.iter().any(|item| *item <= newest) {
        begin_epoch(tx)?;
    }
    let documents = items
        .iter()
        .filter_map(|item| Some((*item, document_unscoped(tx, *item).transpose()?)))
        .map(|(item, document)| Ok((item, document?)))
        .collect::<StoreResult<Vec<_>>>()?;
    // Each index on its own: its pages stay in the cache.
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

/// What was found in the index may be another thing now, not only more.
fn begin_epoch(tx: &Transaction<'_>) -> StoreResult<()> {
    let mut begin = tx.prepare_cached("UPDATE search_epoch SET epoch = epoch + 1 WHERE id = 1")?;
    begin.execute([])?;
    Ok(())
}

/// The newest item in the index, 0 where there is none.
const NEWEST: &str = "SELECT ifnull(max(id), 0) FROM search_infix_docsize";

/// Takes items out of the index.
pub fn remove(tx: &Transaction<'_>, items: &[ItemId]) -> StoreResult<()> {
    if items.is_empty() {
        return Ok(());
    }
    begin_epoch(tx)?;
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

/// Makes the whole index anew from what is stored.
pub fn rebuild(tx: &Transaction<'_>) -> StoreResult<()> {
    begin_epoch(tx)?;
    for table in ["search_word", "search_infix"] {
        tx.execute(
            &format!("INSERT INTO {table} ({table}) VALUES ('delete-all')"),
            [],
        )?;
    }
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

/// What is to be indexed for an item; `None` if there is no such item.
pub fn document_unscoped(connection: &Connection, item: ItemId) -> StoreResult<Option<Document>> {
    let mut statement =
        connection.prepare_cached("SELECT title, authors FROM item WHERE id = :id")?;
    let mut rows = statement.query(named_params! { ":id": item })?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    let (title, authors): (String, String) = (row.get(0)?, row.get(1)?);
    Ok(Some(Document {
        title: fold_with_variants(&title),
        path: paths_unscoped(connection, item)?,
        authors: fold_with_variants(&authors),
    }))
}

/// The paths of an item's files in the order of its parts, each folder named once in a row.
fn paths_unscoped(connection: &Connection, item: ItemId) -> StoreResult<String> {
    let mut statement = connection.prepare_cached(
        "SELECT folder.id, folder.path, file.name
           FROM file
           JOIN folder ON folder.id = file.folder_id
          WHERE file.item_id = :id
          ORDER BY file.sequence, file.id",
    )?;
    let mut rows = statement.query(named_params! { ":id": item })?;
    let mut text = String::new();
    let mut folder = None;
    while let Some(row) = rows.next()? {
        let lies_in: i64 = row.get(0)?;
        let mut apart = '\n';
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
        if text.len() >= MAX_PATH {
            break;
        }
    }
    Ok(text)
}

fn push(text: &mut String, apart: char, name: &[u8]) {
    if !text.is_empty() && !name.is_empty() {
        text.push(apart);
    }
    text.push_str(&fold(&name::display(name)));
}

impl Document {
    /// All of it, for the index of what stands inside words. A line break parts the fields: no
    /// term has one.
    pub fn text(&self) -> String {
        format!("{}\n{}\n{}", self.title, self.authors, self.path)
    }
}

#[cfg(test)]
mod tests;

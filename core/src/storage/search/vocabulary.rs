//! Vocabulary: the words of titles, people and series, by library. Misspelled terms are compared with
//! them.
//!
//! A word stays stored after its last item has changed or vanished. This is harmless, because every
//! match of a similar word is a visible item that contains the word. [`sweep_blocking`] deletes the
//! unused words.

use std::collections::BTreeSet;

use rusqlite::{Connection, Transaction, named_params};

use super::Document;
use super::fold::{is_ideograph, words};
use crate::db::Db;
use crate::error::StoreResult;
use crate::id::LibraryId;

/// Minimum number of letters of a stored word. Terms have at least four and lose at most one.
const SHORTEST: usize = 3;
/// Maximum number of letters of a stored word.
pub(super) const LONGEST: usize = 64;
/// Number of words that a sweep checks per transaction.
const SWEPT: usize = 200;

/// Returns `true` if a word may be corrected: it has a limited number of letters, no digits, and
/// belongs to a script with spaces.
pub(super) fn is_correctable(word: &str, letters: usize) -> bool {
    (SHORTEST..=LONGEST).contains(&letters)
        && !word.chars().any(|c| c.is_numeric() || is_ideograph(c))
}

/// Adds the words of these documents.
pub(super) fn add<'a>(
    tx: &Transaction<'_>,
    documents: impl Iterator<Item = &'a Document>,
) -> StoreResult<()> {
    let mut found = BTreeSet::new();
    for document in documents {
        for text in [&document.title, &document.authors] {
            for word in words(text).split_ascii_whitespace() {
                if is_correctable(word, word.chars().count()) {
                    found.insert((word.to_owned(), document.library));
                }
            }
        }
    }
    let mut insert = tx.prepare_cached(
        "INSERT INTO search_vocabulary (is_reversed, text, library_id)
         VALUES (:is_reversed, :text, :library)
             ON CONFLICT DO NOTHING",
    )?;
    let mut reversed = BTreeSet::new();
    for (word, library) in &found {
        let row = named_params! { ":is_reversed": false, ":text": word, ":library": library };
        if insert.execute(row)? > 0 {
            reversed.insert((reverse(word), library));
        }
    }
    for (text, library) in reversed {
        insert
            .execute(named_params! { ":is_reversed": true, ":text": text, ":library": library })?;
    }
    Ok(())
}

/// Returns the letters of a word in reverse order.
pub(super) fn reverse(word: &str) -> String {
    word.chars().rev().collect()
}

/// Deletes all words.
pub(super) fn clear(tx: &Transaction<'_>) -> StoreResult<()> {
    tx.execute("DELETE FROM search_vocabulary", [])?;
    Ok(())
}

/// Returns `true` if an item in one of these libraries has had the word.
pub(super) fn is_in(conn: &Connection, libraries: &[LibraryId], word: &str) -> StoreResult<bool> {
    let mut statement = conn.prepare_cached(
        "SELECT library_id
           FROM search_vocabulary
          WHERE is_reversed = 0 AND text = :word",
    )?;
    let mut rows = statement.query(named_params! { ":word": word })?;
    while let Some(row) = rows.next()? {
        if libraries.binary_search(&row.get(0)?).is_ok() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Deletes words without an item, and those of deleted libraries. Stops between transactions when
/// `go_on` returns `false`.
pub fn sweep_blocking(db: &Db, go_on: impl Fn() -> bool) -> StoreResult<()> {
    let mut after = Some((String::new(), LibraryId(0)));
    while let Some(last) = after
        && go_on()
    {
        after = db.bulk_blocking(move |tx| sweep(tx, &last))?;
    }
    Ok(())
}

/// Checks the words that follow `after`. Returns the last of them, or `None` at the end.
fn sweep(
    tx: &Transaction<'_>,
    after: &(String, LibraryId),
) -> StoreResult<Option<(String, LibraryId)>> {
    let mut statement = tx.prepare_cached(
        "SELECT text, library_id, EXISTS (SELECT 1 FROM library WHERE id = library_id)
           FROM search_vocabulary
          WHERE is_reversed = 0 AND (text, library_id) > (:text, :library)
          ORDER BY text, library_id
          LIMIT :n",
    )?;
    let words = statement
        .query_map(
            named_params! { ":text": after.0, ":library": after.1, ":n": SWEPT },
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )?
        .collect::<Result<Vec<(String, LibraryId, bool)>, _>>()?;
    let mut used = tx.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM search_word WHERE search_word MATCH :query)",
    )?;
    let mut delete = tx.prepare_cached(
        "DELETE FROM search_vocabulary
          WHERE is_reversed = :is_reversed AND text = :text AND library_id = :library",
    )?;
    for (word, library, exists) in &words {
        let query = format!("{{title authors}} : \"{word}\"");
        let is_used = *exists
            && used.query_row(named_params! { ":query": query }, |row| {
                row.get::<_, bool>(0)
            })?;
        for (is_reversed, text) in [(false, word.clone()), (true, reverse(word))] {
            if !is_used {
                delete.execute(named_params! {
                    ":is_reversed": is_reversed, ":text": text, ":library": library,
                })?;
            }
        }
    }
    Ok(words
        .into_iter()
        .last()
        .map(|(word, library, _)| (word, library)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::tests::{database, insert};
    use crate::store::library::purge;

    fn vocabulary(db: &Db) -> Vec<String> {
        db.read_blocking(|conn| {
            let mut statement = conn.prepare("SELECT text FROM search_vocabulary")?;
            let rows = statement.query_map([], |row| row.get(0))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .expect("words")
    }

    #[test]
    fn words_of_titles_and_authors_are_stored_in_both_directions() {
        let (_folder, db) = database();
        db.write_blocking(|tx| insert(tx, "paper", "Dune 2, 猫 of Ü8", "Ann", "path"))
            .expect("an item");
        assert_eq!(vocabulary(&db), ["ann", "dune", "enud", "nna"]);
    }

    #[test]
    fn sweep_deletes_words_without_items() {
        let (_folder, db) = database();
        let items = db
            .write_blocking(|tx| {
                Ok([
                    insert(tx, "paper", "Dune", "", "x")?,
                    insert(tx, "paper", "Dune Messiah", "", "x")?,
                ])
            })
            .expect("items");
        db.write_blocking(move |tx| purge::delete_items(tx, &items[1..]))
            .expect("a deletion");
        assert_eq!(vocabulary(&db).len(), 4);
        sweep_blocking(&db, || true).expect("a sweep");
        assert_eq!(vocabulary(&db), ["dune", "enud"]);
        db.write_blocking(move |tx| purge::delete_items(tx, &items[..1]))
            .expect("a deletion");
        sweep_blocking(&db, || true).expect("a sweep");
        assert_eq!(vocabulary(&db), [""; 0]);
    }
}

//! Keeping the indexes quick. What is taken out of one is only noted beside the piece of it that
//! has it, and each match is looked up among the notes, which lie side by side as ids do: after
//! some thousands the index takes several times as long. Pieces that are merged lose their notes.

use rusqlite::{Connection, Transaction, named_params};

use crate::db::Db;
use crate::store::StoreResult;

/// Bytes of notes that are left alone, those of a hundred or so items: merging reads and writes
/// the whole index.
const NOTES: i64 = 1 << 11;
/// Pages written in one transaction.
const PAGES: i64 = 64;
/// As many while somebody keeps places or edits.
const PAGES_IN_USE: i64 = 8;

/// The notes lie behind everything else that an index keeps.
const FIRST_NOTE: i64 = 1 << 53;

struct Index {
    notes: &'static str,
    merge: &'static str,
}

const INDEXES: [Index; 2] = [
    Index {
        notes: "SELECT ifnull(sum(length(block)), 0) FROM search_word_data WHERE id >= :first",
        merge: "INSERT INTO search_word (search_word, rank) VALUES ('merge', :pages)",
    },
    Index {
        notes: "SELECT ifnull(sum(length(block)), 0) FROM search_infix_data WHERE id >= :first",
        merge: "INSERT INTO search_infix (search_infix, rank) VALUES ('merge', :pages)",
    },
];

/// Merges each index in which much was changed, in short transactions; stops between two of them
/// when `go_on` says no. Whether anything was to be done.
pub fn tidy_blocking(db: &Db, go_on: impl Fn() -> bool) -> StoreResult<bool> {
    let mut was_worth = false;
    for index in &INDEXES {
        if db.read_blocking(|conn| notes(conn, index))? > NOTES {
            was_worth = true;
            merge_blocking(db, index, &go_on)?;
        }
    }
    Ok(was_worth)
}

fn notes(conn: &Connection, index: &Index) -> StoreResult<i64> {
    let mut statement = conn.prepare_cached(index.notes)?;
    Ok(statement.query_row(named_params! { ":first": FIRST_NOTE }, |row| row.get(0))?)
}

fn merge_blocking(db: &Db, index: &'static Index, go_on: &impl Fn() -> bool) -> StoreResult<()> {
    // What is below zero says to merge all pieces, whatever their sizes.
    let mut sign = -1;
    while go_on() {
        let pages = if db.is_in_use() { PAGES_IN_USE } else { PAGES };
        if !db.aside_blocking(move |tx| merge(tx, index, sign * pages))? {
            return Ok(());
        }
        sign = 1;
    }
    Ok(())
}

/// Whether there was anything left to merge.
fn merge(tx: &Transaction<'_>, index: &Index, pages: i64) -> StoreResult<bool> {
    let before = tx.total_changes();
    tx.prepare_cached(index.merge)?
        .execute(named_params! { ":pages": pages })?;
    // The statement itself counts as one.
    Ok(tx.total_changes() - before > 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::ItemId;
    use crate::search::reindex;
    use crate::search::tests::{database, found, insert};

    #[test]
    fn much_that_was_taken_out_is_merged_away_and_nothing_else() {
        let (_folder, db) = database();
        let items = db
            .write_blocking(|tx| {
                let item = |n| insert(tx, "paper", &format!("Dune {n}"), "", "x");
                (0..2_000).map(item).collect::<StoreResult<Vec<ItemId>>>()
            })
            .expect("items");
        let tidy = |go_on: bool| tidy_blocking(&db, || go_on).expect("an index");
        assert!(!tidy(true));
        // Of a piece that has lost a tenth FTS5 gets rid by itself.
        db.write_blocking(move |tx| reindex(tx, items.get(..150).unwrap_or_default()))
            .expect("an index");
        let total = || found(&db, "dune", 5).total;
        assert_eq!(total(), 2_000);
        assert!(tidy(false));
        assert!(tidy(true));
        assert!(!tidy(true));
        assert_eq!(total(), 2_000);
        let left =
            db.read_blocking(|conn| Ok([notes(conn, &INDEXES[0])?, notes(conn, &INDEXES[1])?]));
        assert_eq!(left.expect("notes"), [0, 0]);
    }

    #[test]
    fn both_indexes_merge_as_they_are_told_also_when_made_anew() {
        let (_folder, db) = database();
        let settings = || {
            let sql = "SELECT k, v FROM search_word_config WHERE k LIKE '%merge'
                        UNION ALL
                       SELECT k, v FROM search_infix_config WHERE k LIKE '%merge'
                        ORDER BY k";
            let settings = db.read_blocking(move |conn| {
                let mut statement = conn.prepare(sql)?;
                let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
                Ok(rows.collect::<Result<Vec<(String, i64)>, _>>()?)
            });
            let settings = settings.expect("settings").into_iter();
            settings.map(|(_, value)| value).collect::<Vec<_>>()
        };
        assert_eq!(settings(), [16, 16, 32, 32]);
        db.write_blocking(crate::search::rebuild).expect("an index");
        assert_eq!(settings(), [16, 16, 32, 32]);
    }
}

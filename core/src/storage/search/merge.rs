//! Merges of the segments of the search indexes.
//!
//! Every transaction that changes an FTS5 index writes a new segment, and a query looks up each of
//! its terms in every segment. With twenty segments, a search without a match takes eight times as
//! long as with one. A deletion is recorded only as a tombstone next to the segment with the row,
//! and each match is checked against the tombstones. Merging segments also removes tombstones.
//!
//! | state of an index                                | merge                            |
//! |--------------------------------------------------|----------------------------------|
//! | more tombstones than a share of the index       | all segments                     |
//! | more than `SEGMENTS`, a tenth outside the largest | all segments                    |
//! | more than `SEGMENTS`, less outside the largest   | the small ones with one another  |

use rusqlite::{Connection, Transaction, named_params};

use crate::db::Db;
use crate::error::StoreResult;
use crate::search::vocabulary;

/// Fewest bytes of tombstones that a merge is worth, about a hundred items.
const TOMBSTONES: i64 = 1 << 11;
/// Bytes of tombstones per page of the index that a merge is worth: a merge reads and writes the
/// whole index. With a million items, this is about ten thousand items.
const TOMBSTONES_PER_PAGE: i64 = 4;
/// Maximum number of segments before a merge. Four segments are the fewest that FTS5 merges without
/// the others.
const SEGMENTS: usize = 6;
/// A merge of all segments rewrites the largest one. It is worth that if the others contain at
/// least this share of its pages.
const SHARE: i64 = 10;
/// Pages written per transaction.
const PAGES: i64 = 64;
/// Pages written per transaction while users write progress or edits.
const PAGES_IN_USE: i64 = 8;

/// First block id of tombstones, which follow all other blocks of an index.
const FIRST_TOMBSTONE: i64 = 1 << 53;

struct Index {
    tombstones: &'static str,
    /// Query of the number of pages of each segment.
    segments: &'static str,
    merge: &'static str,
}

const INDEXES: [Index; 2] = [
    Index {
        tombstones: "SELECT ifnull(sum(length(block)), 0)
                       FROM search_word_data
                      WHERE id >= :first",
        segments: "SELECT count(*) FROM search_word_idx GROUP BY segid",
        merge: "INSERT INTO search_word (search_word, rank) VALUES ('merge', :pages)",
    },
    Index {
        tombstones: "SELECT ifnull(sum(length(block)), 0)
                       FROM search_infix_data
                      WHERE id >= :first",
        segments: "SELECT count(*) FROM search_infix_idx GROUP BY segid",
        merge: "INSERT INTO search_infix (search_infix, rank) VALUES ('merge', :pages)",
    },
];

/// Segments that a merge includes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    All,
    /// Those levels of the index that have at least four segments.
    Small,
}

/// Merges the segments of each index whose state requires it, in short transactions. Stops between
/// transactions when `go_on` returns `false`. Returns `true` if a merge was necessary. After many
/// deletions, it also deletes words of the vocabulary that no item has.
pub fn merge_segments_blocking(db: &Db, go_on: impl Fn() -> bool) -> StoreResult<bool> {
    let [words, _] = &INDEXES;
    if db.read_blocking(|conn| has_many_tombstones(conn, words, &segments(conn, words)?))? {
        vocabulary::sweep_blocking(db, &go_on)?;
    }
    let mut was_necessary = false;
    for index in &INDEXES {
        if let Some(extent) = db.read_blocking(|conn| necessary_merge(conn, index))? {
            was_necessary = true;
            merge_blocking(db, index, extent, &go_on)?;
        }
    }
    Ok(was_necessary)
}

fn necessary_merge(conn: &Connection, index: &Index) -> StoreResult<Option<Extent>> {
    let segments = segments(conn, index)?;
    if has_many_tombstones(conn, index, &segments)? {
        return Ok(Some(Extent::All));
    }
    if segments.len() <= SEGMENTS {
        return Ok(None);
    }
    let largest = segments.iter().max().copied().unwrap_or(0);
    let others = segments.iter().sum::<i64>() - largest;
    Ok(Some(if others * SHARE >= largest {
        Extent::All
    } else {
        Extent::Small
    }))
}

fn has_many_tombstones(conn: &Connection, index: &Index, segments: &[i64]) -> StoreResult<bool> {
    let pages = segments.iter().sum::<i64>();
    Ok(tombstones(conn, index)? > TOMBSTONES.max(pages * TOMBSTONES_PER_PAGE))
}

/// Returns the size of the tombstones in bytes.
fn tombstones(conn: &Connection, index: &Index) -> StoreResult<i64> {
    let mut statement = conn.prepare_cached(index.tombstones)?;
    Ok(
        statement.query_row(named_params! { ":first": FIRST_TOMBSTONE }, |row| {
            row.get(0)
        })?,
    )
}

/// Returns the number of pages of each segment.
fn segments(conn: &Connection, index: &Index) -> StoreResult<Vec<i64>> {
    let mut statement = conn.prepare_cached(index.segments)?;
    let pages = statement.query_map([], |row| row.get(0))?;
    Ok(pages.collect::<Result<_, _>>()?)
}

fn merge_blocking(
    db: &Db,
    index: &'static Index,
    extent: Extent,
    go_on: &impl Fn() -> bool,
) -> StoreResult<()> {
    // A negative number starts a merge of all segments. The following calls continue it.
    let mut sign = match extent {
        Extent::All => -1,
        Extent::Small => 1,
    };
    while go_on() {
        let pages = if db.is_in_use() { PAGES_IN_USE } else { PAGES };
        if !db.bulk_blocking(move |tx| merge(tx, index, sign * pages))? {
            return Ok(());
        }
        sign = 1;
    }
    Ok(())
}

/// Merges some pages. Returns `true` if more may be left.
fn merge(tx: &Transaction<'_>, index: &Index, pages: i64) -> StoreResult<bool> {
    let before = tx.total_changes();
    tx.prepare_cached(index.merge)?
        .execute(named_params! { ":pages": pages })?;
    // The statement itself counts as one change.
    Ok(tx.total_changes() - before > 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::ItemId;
    use crate::search::reindex;
    use crate::search::tests::{database, found, insert};

    #[test]
    fn index_with_many_deletions_is_merged_and_others_are_not() {
        let (_folder, db) = database();
        let items = db
            .write_blocking(|tx| {
                let item = |n| insert(tx, "paper", &format!("Dune {n}"), "", "x");
                (0..2_000).map(item).collect::<StoreResult<Vec<ItemId>>>()
            })
            .expect("items");
        let merge = |go_on: bool| merge_segments_blocking(&db, || go_on).expect("an index");
        // FTS5 writes several segments in one long transaction.
        merge(true);
        assert!(!merge(true));
        // FTS5 automatically merges a segment that has lost a tenth of its rows.
        db.write_blocking(move |tx| reindex(tx, items.get(..150).unwrap_or_default()))
            .expect("an index");
        let total = || found(&db, "dune", 5).total;
        assert_eq!(total(), 2_000);
        assert!(merge(false));
        assert!(merge(true));
        assert!(!merge(true));
        assert_eq!(total(), 2_000);
        let left = db.read_blocking(|conn| {
            Ok([
                tombstones(conn, &INDEXES[0])?,
                tombstones(conn, &INDEXES[1])?,
            ])
        });
        assert_eq!(left.expect("tombstones"), [0, 0]);
    }

    /// Adds items in transactions of their own. Each transaction writes a segment.
    fn add_items(db: &Db, transactions: u32, items: u32) {
        for number in 0..transactions {
            let added = db.write_blocking(move |tx| {
                for item in 0..items {
                    insert(tx, "paper", &format!("Dune {number} {item}"), "", "x")?;
                }
                Ok(())
            });
            added.expect("items");
        }
    }

    fn segments_of_words(db: &Db) -> Vec<i64> {
        let segments = db.read_blocking(|conn| segments(conn, &INDEXES[0]));
        segments.expect("segments")
    }

    #[test]
    fn many_segments_are_merged_into_one() {
        let (_folder, db) = database();
        add_items(&db, 12, 40);
        assert!(segments_of_words(&db).len() > SEGMENTS);
        assert!(merge_segments_blocking(&db, || true).expect("a merge"));
        assert_eq!(segments_of_words(&db).len(), 1);
        assert_eq!(found(&db, "dune", 5).total, 12 * 40);
        assert!(!merge_segments_blocking(&db, || true).expect("no merge"));
    }

    #[test]
    fn small_segments_are_merged_without_rewriting_a_large_one() {
        let (_folder, db) = database();
        add_items(&db, 8, 3_000);
        assert!(merge_segments_blocking(&db, || true).expect("a merge"));
        let large = segments_of_words(&db);
        assert_eq!(large.len(), 1);
        add_items(&db, 8, 1);
        assert!(merge_segments_blocking(&db, || true).expect("a merge"));
        let merged = segments_of_words(&db);
        assert!((2..=SEGMENTS).contains(&merged.len()), "{merged:?}");
        assert!(merged.contains(&large[0]), "{merged:?}");
        assert_eq!(found(&db, "dune", 5).total, 8 * 3_001);
    }

    #[test]
    fn both_indexes_are_merged_also_after_rebuild() {
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

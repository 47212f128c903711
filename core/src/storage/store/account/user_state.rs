//! Transfer of user data: with a file to another item, or from an item that is merged into another.

use rusqlite::{Transaction, named_params};

use crate::error::StoreResult;
use crate::id::{FileId, ItemId};
use crate::store::catalogue::field::Field;
use crate::store::catalogue::{genre, scanned_values};
use crate::store::user_data::{progress, save};

/// Moves the user data of a file to the item that now contains the file.
pub fn follow_file(tx: &Transaction<'_>, file: FileId, to: ItemId) -> StoreResult<()> {
    for sql in [
        "UPDATE progress SET item_id = :to WHERE file_id = :file",
        "UPDATE progress_history SET item_id = :to WHERE file_id = :file",
        "UPDATE annotation SET item_id = :to WHERE file_id = :file",
        "DELETE FROM item_progress WHERE file_id = :file AND item_id <> :to",
    ] {
        tx.prepare_cached(sql)?
            .execute(named_params! { ":file": file, ":to": to })?;
    }
    Ok(())
}

const MERGE: [&str; 21] = [
    "INSERT OR IGNORE INTO favourite (user_id, item_id, created_at)
     SELECT user_id, :to, created_at FROM favourite WHERE item_id = :from",
    // Of two ratings of a user, the newer one is kept.
    "INSERT INTO rating (user_id, item_id, rating, rated_at)
     SELECT user_id, :to, rating, rated_at FROM rating WHERE item_id = :from
         ON CONFLICT (user_id, item_id) DO UPDATE
        SET rating = excluded.rating, rated_at = excluded.rated_at
      WHERE excluded.rated_at > rated_at",
    "INSERT OR IGNORE INTO item_tag (tag_id, item_id)
     SELECT tag_id, :to FROM item_tag WHERE item_id = :from",
    "INSERT OR IGNORE INTO work_item (item_id, work_id)
     SELECT :to, work_id FROM work_item WHERE item_id = :from",
    "INSERT OR IGNORE INTO work_rejected (item_id, other_id)
     SELECT :to, other_id FROM work_rejected WHERE item_id = :from AND other_id <> :to",
    "INSERT OR IGNORE INTO work_rejected (item_id, other_id)
     SELECT item_id, :to FROM work_rejected WHERE other_id = :from AND item_id <> :to",
    // The deletion of the merged item increases the versions.
    "INSERT OR IGNORE INTO collection_item (list_id, item_id, position, library_id, added_at)
     SELECT list_id, :to, position, (SELECT library_id FROM item WHERE id = :to), added_at
       FROM collection_item WHERE item_id = :from",
    "INSERT INTO item_view (user_id, item_id, library_id, n, viewed_at)
     SELECT user_id, :to, (SELECT library_id FROM item WHERE id = :to), n, viewed_at
       FROM item_view WHERE item_id = :from
         ON CONFLICT (user_id, item_id) DO UPDATE
        SET n = n + excluded.n, viewed_at = max(viewed_at, excluded.viewed_at)",
    "UPDATE progress SET item_id = :to WHERE item_id = :from",
    "UPDATE progress_history SET item_id = :to WHERE item_id = :from",
    "UPDATE annotation SET item_id = :to WHERE item_id = :from",
    "UPDATE usage_session SET item_id = :to WHERE item_id = :from",
    "UPDATE edit_value SET item_id = :to WHERE item_id = :from",
    "UPDATE OR IGNORE item_cover SET item_id = :to WHERE item_id = :from",
    // At most one match is chosen, and at most one is the source of the fields. The matches of the
    // remaining item take precedence.
    "INSERT OR IGNORE INTO item_provider (item_id, provider, external_id, is_chosen, is_source)
     SELECT :to, provider, external_id,
            is_chosen AND NOT EXISTS (SELECT 1 FROM item_provider AS own
                                       WHERE own.item_id = :to AND own.is_chosen = 1),
            is_source AND NOT EXISTS (SELECT 1 FROM item_provider AS own
                                       WHERE own.item_id = :to AND own.is_source = 1)
       FROM item_provider WHERE item_id = :from",
    "INSERT OR IGNORE INTO match_rejected (item_id, provider, external_id)
     SELECT :to, provider, external_id FROM match_rejected WHERE item_id = :from",
    "UPDATE metadata_fetch SET item_id = :to WHERE item_id = :from",
    // If both have a save in the same slot, the older one becomes a version of the newer one.
    "INSERT INTO game_save_version (user_id, item_id, slot, n, core, size, sha256, saved_at, body)
     SELECT old.user_id, old.item_id, old.slot,
            1 + ifnull((SELECT max(v.n) FROM game_save_version AS v
                         WHERE v.user_id = old.user_id AND v.slot = old.slot
                           AND v.item_id IN (:from, :to)), 0),
            old.core, old.size, old.sha256, old.updated_at, old.body
       FROM game_save AS old
       JOIN game_save AS new
         ON new.user_id = old.user_id AND new.slot = old.slot
        AND old.item_id IN (:from, :to) AND new.item_id IN (:from, :to)
        AND (new.updated_at, new.item_id) > (old.updated_at, old.item_id)",
    "DELETE FROM game_save
      WHERE item_id IN (:from, :to)
        AND EXISTS (SELECT 1 FROM game_save AS new
                     WHERE new.user_id = game_save.user_id AND new.slot = game_save.slot
                       AND new.item_id IN (:from, :to)
                       AND (new.updated_at, new.item_id) > (game_save.updated_at, game_save.item_id))",
    "UPDATE game_save SET item_id = :to WHERE item_id = :from",
    // Versions of both items are ordered by time. The new numbers exceed all existing ones, so that
    // no number is reused.
    "UPDATE game_save_version
        SET item_id = :to, n = ranked.n
       FROM (SELECT id,
                    max(n) OVER (PARTITION BY user_id, slot)
                      + row_number() OVER (PARTITION BY user_id, slot
                                           ORDER BY saved_at, id) AS n
               FROM game_save_version AS version
              WHERE item_id IN (:from, :to)
                AND EXISTS (SELECT 1
                              FROM game_save_version AS gone
                             WHERE gone.user_id = version.user_id AND gone.item_id = :from
                               AND gone.slot = version.slot)) AS ranked
      WHERE game_save_version.id = ranked.id",
];

/// Moves all user data of an item to another item. Progress, annotations and saves of both stay,
/// within the limits of a slot; views are added.
///
/// Each field has one value. An edited value or a provider's value of the merged item is kept if
/// its source is stronger than that of the other item's value. For equally strong sources, the
/// other item's value stays and the merged item's value is lost.
pub fn merge(tx: &Transaction<'_>, from: ItemId, to: ItemId) -> StoreResult<()> {
    for sql in MERGE {
        tx.prepare_cached(sql)?
            .execute(named_params! { ":from": from, ":to": to })?;
    }
    save::drop_oldest_unscoped(tx, to)?;
    merge_fields(tx, from, to)?;
    progress::recompute(tx, to)
}

/// Fields with the columns of their values.
const FIELDS: [(Field, &[&str]); 8] = [
    (Field::Title, &["title", "sort_title", "initial"]),
    (Field::Year, &["year"]),
    (Field::Authors, &["authors", "sort_authors"]),
    (Field::Description, &["description"]),
    (Field::Series, &["series_id", "series_index", "sort_series"]),
    (Field::Cover, &["cover_id"]),
    (Field::Genres, &[]),
    (Field::Language, &["language"]),
];

fn merge_fields(tx: &Transaction<'_>, from: ItemId, to: ItemId) -> StoreResult<()> {
    let scanned = scanned_values::all_unscoped(tx, to)?;
    let mut stored = scanned_values::of_unscoped(tx, to)?;
    for (field, columns) in FIELDS {
        let source = field.source_column();
        let mut assignments: Vec<String> = columns
            .iter()
            .map(|column| format!("{column} = weak.{column}"))
            .collect();
        assignments.push(format!("{source} = weak.{source}"));
        // `weak` is the merged item; only its values of a provider or a user are kept.
        let taken = tx
            .prepare_cached(&format!(
                "UPDATE item
                    SET {}
                   FROM (SELECT * FROM item WHERE id = :from) AS weak
                  WHERE item.id = :to AND weak.{source} > item.{source} AND weak.{source} > 1",
                assignments.join(", ")
            ))?
            .execute(named_params! { ":from": from, ":to": to })?;
        if taken > 0 {
            stored.take_over(field, &scanned);
        }
        if taken > 0 {
            move_rows(tx, field, from, to)?;
        }
    }
    scanned_values::set(tx, to, &stored)
}

/// Replaces the rows of a field that has them by those of the merged item.
fn move_rows(tx: &Transaction<'_>, field: Field, from: ItemId, to: ItemId) -> StoreResult<()> {
    match field {
        Field::Authors => {
            tx.prepare_cached("DELETE FROM item_person WHERE item_id = :to")?
                .execute(named_params! { ":to": to })?;
            // Triggers count insertions and deletions, and no updates.
            tx.prepare_cached(
                "INSERT INTO item_person (item_id, position, person_id, role)
                 SELECT :to, position, person_id, role FROM item_person WHERE item_id = :from",
            )?
            .execute(named_params! { ":from": from, ":to": to })?;
            tx.prepare_cached("DELETE FROM item_person WHERE item_id = :from")?
                .execute(named_params! { ":from": from })?;
            Ok(())
        }
        Field::Genres => {
            let genres = genre::names_of_item(tx, from)?;
            genre::set(tx, to, &genres)?;
            Ok(())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::Db;

    /// Returns links as `provider id`, with `+` for a chosen match and `*` for the source of the
    /// fields.
    fn links(tx: &Transaction<'_>, item: i64) -> Vec<String> {
        let sql = "SELECT provider || ' ' || external_id || iif(is_chosen, '+', '')
                          || iif(is_source, '*', '')
                     FROM item_provider WHERE item_id = ? ORDER BY provider";
        let mut statement = tx.prepare(sql).expect("a statement");
        let rows = statement.query_map([item], |row| row.get(0)).expect("rows");
        rows.collect::<Result<_, _>>().expect("links")
    }

    #[test]
    fn merge_keeps_one_chosen_match_and_one_source() {
        let folder = tempfile::tempdir().expect("a folder");
        let db = Db::open(&folder.path().join("ledge.db")).expect("a database");
        db.write_blocking(|tx| {
            tx.execute_batch(
                "INSERT INTO library (name, name_key, path, created_at)
                 VALUES ('l', 'l', x'2f', '');
                 INSERT INTO item (library_id, kind, group_key, title, sort_title, initial, added_at)
                 VALUES (1, 'paper', 'a', 'A', 'a', 'A', ''), (1, 'paper', 'b', 'B', 'b', 'B', ''),
                        (1, 'paper', 'c', 'C', 'c', 'C', ''), (1, 'paper', 'd', 'D', 'd', 'D', '');
                 INSERT INTO item_provider (item_id, provider, external_id, is_chosen, is_source)
                 VALUES (1, 'one', '1', 1, 1), (1, 'two', '1', 0, 0),
                        (2, 'three', '2', 1, 1), (2, 'two', '2', 0, 0),
                        (3, 'one', '3', 1, 1);
                 INSERT INTO enrichment_checked (item_id, providers, until)
                 VALUES (2, 1, ''), (4, 1, '');",
            )?;
            merge(tx, ItemId(1), ItemId(2))?;
            assert_eq!(links(tx, 2), ["one 1", "three 2+*", "two 2"]);
            merge(tx, ItemId(3), ItemId(4))?;
            assert_eq!(links(tx, 4), ["one 3+*"], "where there is none, it is taken over");
            let settled: i64 =
                tx.query_row("SELECT count(*) FROM enrichment_checked", [], |row| row.get(0))?;
            assert_eq!(settled, 0, "what was answered about either is looked at again");
            Ok(())
        })
        .expect("a write");
    }

    /// Returns the rows of a statement as texts.
    fn rows(tx: &Transaction<'_>, sql: &str) -> Vec<String> {
        let mut statement = tx.prepare(sql).expect(sql);
        let rows = statement.query_map([], |row| row.get(0)).expect(sql);
        rows.collect::<Result<_, _>>().expect(sql)
    }

    #[test]
    fn merge_keeps_newer_ratings_each_tag_once_and_locked_genres() {
        let folder = tempfile::tempdir().expect("a folder");
        let db = Db::open(&folder.path().join("ledge.db")).expect("a database");
        db.write_blocking(|tx| {
            tx.execute_batch(
                "INSERT INTO user (id, username, username_key, password_hash, role, created_at)
                 VALUES (1, 'a', 'a', '', 'user', ''), (2, 'b', 'b', '', 'user', '');
                 INSERT INTO library (name, name_key, path, created_at)
                 VALUES ('l', 'l', x'2f', '');
                 INSERT INTO item (library_id, kind, group_key, title, sort_title, initial, added_at,
                                   genres_source, language, language_source)
                 VALUES (1, 'paper', 'a', 'A', 'a', 'A', '', 3, 'de', 3),
                        (1, 'paper', 'b', 'B', 'b', 'B', '', 1, 'en', 1);
                 INSERT INTO rating (user_id, item_id, rating, rated_at)
                 VALUES (1, 1, 3, '2026-01-02'), (1, 2, 9, '2026-01-01'),
                        (2, 1, 4, '2026-01-01'), (2, 2, 8, '2026-01-02');
                 INSERT INTO tag (id, user_id, name, name_key) VALUES (1, 1, 'T', 't'), (2, NULL, 'S', 's');
                 INSERT INTO item_tag (tag_id, item_id) VALUES (1, 1), (1, 2), (2, 1);",
            )?;
            genre::set(tx, ItemId(1), &["Satire".to_owned(), "Drama".to_owned()])?;
            genre::set(tx, ItemId(2), &["Rock".to_owned()])?;
            merge(tx, ItemId(1), ItemId(2))?;
            crate::store::catalogue::delete(tx, ItemId(1))?;
            let ratings = "SELECT user_id || ' ' || rating FROM rating ORDER BY user_id";
            assert_eq!(rows(tx, ratings), ["1 3", "2 8"]);
            let tags = "SELECT tag_id || ' ' || item_id FROM item_tag ORDER BY tag_id";
            assert_eq!(rows(tx, tags), ["1 2", "2 2"]);
            assert_eq!(genre::names_of_item(tx, ItemId(2))?, ["Satire", "Drama"]);
            let counts = "SELECT genre.name || ' ' || n FROM genre_count
                            JOIN genre ON genre.id = genre_id ORDER BY 1";
            assert_eq!(rows(tx, counts), ["Drama 1", "Satire 1"]);
            let fields = "SELECT language || ' ' || language_source || ' ' || genres_source FROM item";
            assert_eq!(rows(tx, fields), ["de 3 3"]);
            Ok(())
        })
        .expect("a write");
    }

    #[test]
    fn merge_counts_the_authors_of_a_missing_item_as_those_of_the_other() {
        let folder = tempfile::tempdir().expect("a folder");
        let db = Db::open(&folder.path().join("ledge.db")).expect("a database");
        db.write_blocking(|tx| {
            tx.execute_batch(
                "INSERT INTO library (name, name_key, path, created_at)
                 VALUES ('l', 'l', x'2f', '');
                 INSERT INTO item (library_id, kind, group_key, title, sort_title, initial, added_at,
                                   authors, authors_source, missing)
                 VALUES (1, 'paper', 'a', 'A', 'a', 'A', '', 'Ann', 3, 1),
                        (1, 'paper', 'b', 'B', 'b', 'B', '', 'Bob', 1, 0);
                 INSERT INTO person (id, name, name_key) VALUES (1, 'Ann', 'ann'), (2, 'Bob', 'bob');
                 INSERT INTO item_person (item_id, position, person_id, role)
                 VALUES (1, 0, 1, 'author'), (2, 0, 2, 'author');",
            )?;
            merge(tx, ItemId(1), ItemId(2))?;
            crate::store::catalogue::delete(tx, ItemId(1))?;
            for counts in ["author_count", "person_count"] {
                let sql = format!("SELECT person_id || ' ' || n FROM {counts} ORDER BY person_id");
                assert_eq!(rows(tx, &sql), ["1 1"], "{counts}");
            }
            Ok(())
        })
        .expect("a write");
    }
}

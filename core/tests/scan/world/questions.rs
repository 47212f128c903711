//! Database queries, and user data of items.

use std::collections::BTreeMap;

use ledge_core::error::StoreResult;
use ledge_core::registry::naming::join;
use ledge_core::{path, search};

use super::World;

impl World {
    /// Returns the terms of the stored search index, and of a rebuilt one.
    pub(crate) fn search_index(&self) -> (Vec<String>, Vec<String>) {
        self.app
            .db
            .write_blocking(|tx| {
                tx.execute_batch(
                    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.words
                      USING fts5vocab(main, search_word, instance);
                     CREATE VIRTUAL TABLE IF NOT EXISTS temp.infixes
                      USING fts5vocab(main, search_infix, instance);",
                )?;
                let kept = terms(tx)?;
                search::rebuild(tx)?;
                Ok((kept, terms(tx)?))
            })
            .expect("terms")
    }

    pub(crate) fn sql(&self, sql: &str) {
        let sql = sql.to_owned();
        self.app
            .db
            .write_blocking(move |tx| Ok(tx.execute_batch(&sql)?))
            .expect("statements");
    }

    /// Returns the rows of a query, with columns joined by `|`.
    pub(crate) fn rows(&self, sql: &str) -> Vec<String> {
        let sql = sql.to_owned();
        self.app
            .db
            .read_blocking(move |conn| {
                let mut statement = conn.prepare(&sql)?;
                let columns = statement.column_count();
                let rows = statement.query_map([], |row| {
                    let texts: Vec<String> = (0..columns)
                        .map(|column| text(row.get_ref(column).expect("a column")))
                        .collect();
                    Ok(texts.join("|"))
                })?;
                Ok(rows.collect::<Result<_, _>>()?)
            })
            .expect("rows")
    }

    pub(crate) fn one(&self, sql: &str) -> String {
        let mut rows = self.rows(sql);
        assert_eq!(rows.len(), 1, "{sql}: {rows:?}");
        rows.remove(0)
    }

    /// Returns the file ids by path. Paths of missing files end in `?`.
    pub(crate) fn files(&self) -> BTreeMap<String, i64> {
        self.app
            .db
            .read_blocking(|conn| {
                let mut statement = conn.prepare(
                    "SELECT folder.path, file.name, file.missing, file.id
                       FROM file JOIN folder ON folder.id = file.folder_id",
                )?;
                let rows = statement.query_map([], |row| {
                    let (folder, name): (Vec<u8>, Vec<u8>) = (row.get(0)?, row.get(1)?);
                    let path = join(&path::display(&folder), &path::display(&name));
                    let mark = if row.get(2)? { "?" } else { "" };
                    Ok((format!("{path}{mark}"), row.get(3)?))
                })?;
                Ok(rows.collect::<Result<_, _>>()?)
            })
            .expect("files")
    }

    pub(crate) fn file(&self, path: &str) -> i64 {
        let files = self.files();
        *files
            .get(path)
            .unwrap_or_else(|| panic!("{path} is not in {files:?}"))
    }

    pub(crate) fn item(&self, path: &str) -> i64 {
        let file = self.file(path);
        self.one(&format!("SELECT item_id FROM file WHERE id = {file}"))
            .parse()
            .expect("an id")
    }

    /// Adds progress, a favourite and a view of the item for the user.
    pub(crate) fn enjoy(&self, path: &str) {
        let (file, item) = (self.file(path), self.item(path));
        self.sql(&format!(
            "INSERT INTO progress (user_id, file_id, item_id, position, updated_at)
             VALUES (1, {file}, {item}, 7, '2026-05-01T00:00:0{0}.000000Z');
             INSERT OR REPLACE INTO item_progress (user_id, item_id, library_id, file_id, updated_at)
             VALUES (1, {item}, 1, {file}, '2026-05-01T00:00:0{0}.000000Z');
             INSERT OR IGNORE INTO favourite (user_id, item_id, created_at)
             VALUES (1, {item}, '2026-05-01T00:00:00.000000Z');
             INSERT OR IGNORE INTO item_view (user_id, item_id, library_id, n, viewed_at)
             VALUES (1, {item}, 1, 3, '2026-05-01T00:00:00.000000Z');",
            file % 10,
        ));
    }

    /// Returns the user's data about the item of a file: position, favourites, views.
    pub(crate) fn enjoyed(&self, path: &str) -> String {
        let (file, item) = (self.file(path), self.item(path));
        self.one(&format!(
            "SELECT (SELECT position FROM progress WHERE file_id = {file} AND item_id = {item}),
                    (SELECT count(*) FROM item_progress WHERE item_id = {item}),
                    (SELECT count(*) FROM favourite WHERE item_id = {item}),
                    (SELECT n FROM item_view WHERE item_id = {item})"
        ))
    }

    /// Adds all user data. For the file: progress, history and an annotation. For its item: a
    /// favourite, views, a save, a save version and an edited title.
    pub(crate) fn own(&self, path: &str, n: i64) {
        let (file, item) = (self.file(path), self.item(path));
        let at = |minute: i64| format!("'2026-05-01T00:{:02}:00.000000Z'", minute + n);
        self.sql(&format!(
            "INSERT INTO progress (user_id, file_id, item_id, position, updated_at)
             VALUES (1, {file}, {item}, 1{n}, {now});
             INSERT INTO item_progress (user_id, item_id, library_id, file_id, updated_at)
             VALUES (1, {item}, 1, {file}, {now});
             INSERT INTO progress_history
                    (user_id, file_id, item_id, position, finished, updated_at, replaced_at)
             VALUES (1, {file}, {item}, 1{n} - 1, 0, {past}, {now});
             INSERT INTO annotation (user_id, item_id, file_id, type, position, created_at)
             VALUES (1, {item}, {file}, 'bookmark', 1{n}, {now});
             INSERT INTO favourite (user_id, item_id, created_at) VALUES (1, {item}, {now});
             INSERT INTO item_view (user_id, item_id, library_id, n, viewed_at)
             VALUES (1, {item}, 1, 3, {now});
             INSERT INTO game_save (user_id, item_id, slot, size, sha256, updated_at, body)
             VALUES (1, {item}, 's', 2{n}, '', {now}, zeroblob(2{n}));
             INSERT INTO game_save_version
                    (user_id, item_id, slot, n, size, sha256, saved_at, body)
             VALUES (1, {item}, 's', 1, 2{n} - 1, '', {past}, zeroblob(2{n} - 1));
             UPDATE item SET title = 'Mine', sort_title = 'mine', title_source = 3
              WHERE id = {item};",
            now = at(1),
            past = at(0),
        ));
    }

    /// Returns that data of an item: position, history position, annotation, views, sizes of the
    /// save and its version, title.
    pub(crate) fn owned(&self, item: i64) -> String {
        self.one(&format!(
            "SELECT (SELECT max(position) FROM progress WHERE item_id = {item}),
                    (SELECT position FROM progress_history WHERE item_id = {item}),
                    (SELECT position FROM annotation WHERE item_id = {item}),
                    (SELECT n FROM item_view JOIN favourite USING (user_id, item_id)
                      WHERE item_id = {item}),
                    (SELECT size FROM game_save WHERE item_id = {item}),
                    (SELECT size FROM game_save_version WHERE item_id = {item}),
                    title
               FROM item WHERE id = {item}"
        ))
    }
}

fn terms(tx: &rusqlite::Transaction<'_>) -> StoreResult<Vec<String>> {
    let mut statement = tx.prepare(
        "SELECT 'word ' || term || ' ' || doc || ' ' || col || ' ' || offset FROM temp.words
          UNION ALL
         SELECT 'infix ' || term || ' ' || doc FROM temp.infixes
          ORDER BY 1",
    )?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn text(value: rusqlite::types::ValueRef<'_>) -> String {
    use rusqlite::types::ValueRef;
    match value {
        ValueRef::Null => "null".to_owned(),
        ValueRef::Integer(n) => n.to_string(),
        ValueRef::Real(n) => n.to_string(),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => path::display(bytes),
    }
}

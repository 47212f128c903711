//! Temporary database of an import. It contains the rows with the ids of Ledge, once per user, item
//! and field, and the outcome of each row.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension, Row, named_params};

use crate::error::{StoreError, StoreResult};
use crate::id::{FileId, ItemId, LibraryId, UserId};
use crate::store::catalogue::batch::import::{self, ItemRows, ListKind, ListRows, Outcome, Value};

const SCHEMA: &str = "
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    CREATE TABLE source_row (
        n INTEGER PRIMARY KEY, type TEXT, user TEXT, path TEXT, title TEXT, outcome INTEGER
    ) STRICT;
    CREATE TABLE staged_value (
        item INTEGER, user INTEGER, field INTEGER, file INTEGER, key TEXT, rank INTEGER, n INTEGER,
        value TEXT,
        PRIMARY KEY (item, user, field, file, key)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE staged_list (
        n INTEGER PRIMARY KEY, kind TEXT, key TEXT, owner INTEGER, name TEXT, description TEXT,
        public INTEGER
    ) STRICT;
    CREATE TABLE staged_entry (
        list INTEGER, position INTEGER, member INTEGER, library INTEGER,
        PRIMARY KEY (list, position)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE known_file (size INTEGER, name TEXT, file INTEGER) STRICT;
    CREATE INDEX known_file_by_size ON known_file (size, name);
    CREATE TABLE known_stem (
        stem TEXT, is_folder INTEGER, file INTEGER, item INTEGER, folder TEXT, subkind TEXT
    ) STRICT;
    CREATE INDEX known_stem_by_stem ON known_stem (stem, is_folder);
    BEGIN;";

/// The temporary database.
pub(super) struct Staging {
    connection: Connection,
}

/// Row of the source, for the report.
pub(super) struct SourceRow<'a> {
    pub(super) kind: &'a str,
    pub(super) user: &'a str,
    pub(super) path: &'a str,
    pub(super) title: &'a str,
}

/// Value with the key that identifies it for a user and an item.
pub(super) struct StagedValue {
    pub(super) item: ItemId,
    pub(super) user: UserId,
    pub(super) file: Option<FileId>,
    pub(super) key: String,
    /// Of two values with the same key, the one with the higher rank is kept.
    pub(super) rank: i64,
    pub(super) n: i64,
    pub(super) value: Value,
}

/// File that a stem names.
pub(super) struct KnownStem {
    /// `true` if the stem is the name of the file's folder.
    pub(super) is_folder: bool,
    pub(super) file: FileId,
    pub(super) item: ItemId,
    /// Path of the file's folder below the library's root.
    pub(super) folder: String,
    pub(super) subkind: Option<String>,
}

/// Position in the staged values.
type Cursor = (i64, i64, i64, i64, String);

impl Staging {
    #[expect(
        clippy::disallowed_methods,
        reason = "a temporary database has other pragmas than Ledge's database"
    )]
    pub(super) fn create(path: &Path) -> StoreResult<Self> {
        let connection = Connection::open(path)?;
        connection.execute_batch(SCHEMA)?;
        connection.set_prepared_statement_cache_capacity(32);
        Ok(Self { connection })
    }

    /// Adds a row of the source, and returns its number.
    pub(super) fn add_row(&self, row: &SourceRow<'_>) -> StoreResult<i64> {
        self.connection
            .prepare_cached(
                "INSERT INTO source_row (type, user, path, title)
                 VALUES (:type, :user, :path, :title)",
            )?
            .execute(named_params! {
                ":type": row.kind,
                ":user": row.user,
                ":path": row.path,
                ":title": row.title,
            })?;
        Ok(self.connection.last_insert_rowid())
    }

    pub(super) fn add_value(&self, staged: &StagedValue) -> StoreResult<()> {
        let value = serde_json::to_string(&staged.value).expect("plain data is JSON");
        self.connection
            .prepare_cached(
                "INSERT INTO staged_value (item, user, field, file, key, rank, n, value)
                 VALUES (:item, :user, :field, :file, :key, :rank, :n, :value)
                     ON CONFLICT DO UPDATE
                    SET rank = excluded.rank, n = excluded.n, value = excluded.value
                  WHERE excluded.rank > rank",
            )?
            .execute(named_params! {
                ":item": staged.item,
                ":user": staged.user,
                ":field": field(&staged.value),
                ":file": staged.file.map_or(0, |file| file.0),
                ":key": staged.key,
                ":rank": staged.rank,
                ":n": staged.n,
                ":value": value,
            })?;
        Ok(())
    }

    /// Adds a list without entries. `n` is the number of its row.
    pub(super) fn add_list(&self, n: i64, list: &ListRows) -> StoreResult<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO staged_list (n, kind, key, owner, name, description, public)
                 VALUES (:n, :kind, :key, :owner, :name, :description, :public)",
            )?
            .execute(named_params! {
                ":n": n,
                ":kind": is_playlist(list.kind),
                ":key": list.key,
                ":owner": list.owner,
                ":name": list.name,
                ":description": list.description,
                ":public": list.public,
            })?;
        Ok(())
    }

    pub(super) fn add_entry(
        &self,
        (list, position): (i64, usize),
        (member, library): (i64, LibraryId),
    ) -> StoreResult<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO staged_entry (list, position, member, library)
                 VALUES (:list, :position, :member, :library)",
            )?
            .execute(named_params! {
                ":list": list,
                ":position": i64::try_from(position).unwrap_or(i64::MAX),
                ":member": member,
                ":library": library,
            })?;
        Ok(())
    }

    pub(super) fn add_name(&self, file: FileId, size: i64, name: &str) -> StoreResult<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO known_file (size, name, file) VALUES (:size, :name, :file)",
            )?
            .execute(named_params! { ":size": size, ":name": name, ":file": file })?;
        Ok(())
    }

    /// Returns up to two files with this size and name.
    pub(super) fn files_named(&self, size: i64, name: &str) -> StoreResult<Vec<FileId>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT file FROM known_file WHERE size = :size AND name = :name LIMIT 2",
        )?;
        let rows = statement.query_map(named_params! { ":size": size, ":name": name }, |row| {
            row.get(0)
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    pub(super) fn add_stem(&self, stem: &str, known: &KnownStem) -> StoreResult<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO known_stem (stem, is_folder, file, item, folder, subkind)
                 VALUES (:stem, :is_folder, :file, :item, :folder, :subkind)",
            )?
            .execute(named_params! {
                ":stem": stem,
                ":is_folder": known.is_folder,
                ":file": known.file,
                ":item": known.item,
                ":folder": known.folder,
                ":subkind": known.subkind,
            })?;
        Ok(())
    }

    /// Returns up to 100 files whose own name, or whose folder's name, has this stem.
    pub(super) fn files_of_stem(&self, stem: &str, is_folder: bool) -> StoreResult<Vec<KnownStem>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT file, item, folder, subkind
               FROM known_stem
              WHERE stem = :stem AND is_folder = :is_folder
              LIMIT 100",
        )?;
        let params = named_params! { ":stem": stem, ":is_folder": is_folder };
        let rows = statement.query_map(params, |row| {
            Ok(KnownStem {
                is_folder,
                file: row.get(0)?,
                item: row.get(1)?,
                folder: row.get(2)?,
                subkind: row.get(3)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Returns the names of the staged fields.
    pub(super) fn types(&self) -> StoreResult<Vec<String>> {
        let mut statement = self
            .connection
            .prepare("SELECT DISTINCT type FROM source_row ORDER BY type")?;
        let rows = statement.query_map([], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Returns the next values by item, at least `limit` unless these are the last ones. An item is
    /// never divided. An empty result is the end.
    pub(super) fn next_items(
        &self,
        cursor: &mut Cursor,
        limit: usize,
    ) -> StoreResult<Vec<ItemRows>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT item, user, field, file, key, n, value
               FROM staged_value
              WHERE (item, user, field, file, key) > (?1, ?2, ?3, ?4, ?5)
              ORDER BY item, user, field, file, key",
        )?;
        let (item, user, field, file, key) = cursor.clone();
        let mut rows = statement.query((item, user, field, file, key))?;
        let mut items: Vec<ItemRows> = Vec::new();
        let mut count = 0;
        while let Some(row) = rows.next()? {
            let item: ItemId = row.get(0)?;
            let is_other = items.last().is_none_or(|last| last.item != item);
            if is_other && count >= limit {
                break;
            }
            if is_other {
                items.push(ItemRows {
                    item,
                    rows: Vec::new(),
                });
            }
            *cursor = (item.0, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?);
            let value = parsed(row)?;
            if let Some(last) = items.last_mut() {
                last.rows.push(value);
            }
            count += 1;
        }
        Ok(items)
    }

    /// Returns the list after `n` with its entries, and its number.
    pub(super) fn next_list(&self, n: i64, source: &str) -> StoreResult<Option<(i64, ListRows)>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT n, kind, key, owner, name, description, public
               FROM staged_list
              WHERE n > :n
              ORDER BY n
              LIMIT 1",
        )?;
        let found = statement.query_row(named_params! { ":n": n }, |row| {
            let list = list(row, source)?;
            Ok((row.get(0)?, list))
        });
        let Some((n, mut list)) = found.optional()? else {
            return Ok(None);
        };
        let mut statement = self.connection.prepare_cached(
            "SELECT member, library FROM staged_entry WHERE list = :list ORDER BY position",
        )?;
        let rows = statement.query_map(named_params! { ":list": n }, |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
        list.members = rows.collect::<Result<_, _>>()?;
        Ok(Some((n, list)))
    }

    /// Stores the outcome of a part of a row. The best outcome of the parts counts.
    pub(super) fn set_outcome(&self, n: i64, outcome: Outcome) -> StoreResult<()> {
        self.connection
            .prepare_cached(
                "UPDATE source_row SET outcome = max(ifnull(outcome, -1), :outcome) WHERE n = :n",
            )?
            .execute(named_params! { ":n": n, ":outcome": code(outcome) })?;
        Ok(())
    }

    /// Calls `visit` with each row and its outcome. A row without an outcome lost to another row of
    /// the same value, so it counts as unchanged.
    pub(super) fn each_outcome<E: From<StoreError>>(
        &self,
        mut visit: impl FnMut(&SourceRow<'_>, Outcome) -> Result<(), E>,
    ) -> Result<(), E> {
        let store = |error: rusqlite::Error| E::from(StoreError::from(error));
        let mut statement = self
            .connection
            .prepare("SELECT type, user, path, title, outcome FROM source_row ORDER BY n")
            .map_err(store)?;
        let mut rows = statement.query([]).map_err(store)?;
        while let Some(row) = rows.next().map_err(store)? {
            let text = |column| row.get::<_, String>(column).map_err(store);
            let (kind, user, path, title) = (text(0)?, text(1)?, text(2)?, text(3)?);
            let outcome = outcome(row.get(4).map_err(store)?);
            let row = SourceRow {
                kind: &kind,
                user: &user,
                path: &path,
                title: &title,
            };
            visit(&row, outcome)?;
        }
        Ok(())
    }
}

/// Returns the order of a field within the rows of a user.
fn field(value: &Value) -> i64 {
    match value {
        Value::Progress { .. } => 0,
        Value::Favourite(_) => 1,
        Value::Rating(..) => 2,
        Value::Views(..) => 3,
        Value::Bookmark { .. } => 4,
        Value::Session(..) => 5,
        Value::Save(_) => 6,
    }
}

fn parsed(row: &Row<'_>) -> StoreResult<import::Row> {
    let value = serde_json::from_str(row.get_ref(6)?.as_str().map_err(rusqlite::Error::from)?);
    Ok(import::Row {
        n: row.get(5)?,
        user: row.get(1)?,
        value: value.map_err(|error| StoreError::Refused(error.to_string()))?,
    })
}

fn list(row: &Row<'_>, source: &str) -> rusqlite::Result<ListRows> {
    let kind: String = row.get(1)?;
    Ok(ListRows {
        kind: if kind == is_playlist(ListKind::Playlist) {
            ListKind::Playlist
        } else {
            ListKind::Collection
        },
        source: source.to_owned(),
        key: row.get(2)?,
        owner: row.get(3)?,
        name: row.get(4)?,
        description: row.get(5)?,
        public: row.get(6)?,
        members: Vec::new(),
    })
}

fn is_playlist(kind: ListKind) -> &'static str {
    match kind {
        ListKind::Playlist => "playlist",
        ListKind::Collection => "collection",
    }
}

/// Outcomes in the order of their precedence.
const OUTCOMES: [Outcome; 5] = [
    Outcome::Unchanged,
    Outcome::Unsupported,
    Outcome::NewerHere,
    Outcome::ChangedHere,
    Outcome::Taken,
];

fn code(outcome: Outcome) -> i64 {
    let found = OUTCOMES.iter().position(|one| *one == outcome);
    found.and_then(|code| i64::try_from(code).ok()).unwrap_or(0)
}

fn outcome(code: Option<i64>) -> Outcome {
    let index = code.and_then(|code| usize::try_from(code).ok());
    let found = index.and_then(|index| OUTCOMES.get(index));
    found.copied().unwrap_or(Outcome::Unchanged)
}

//! Files that a request adds to a playlist or queue, named by their ids or by their items.

use rusqlite::{Connection, named_params};

use crate::access::Visible;
use crate::error::{StoreError, StoreResult};
use crate::id::{FileId, ItemId};
use crate::path;
use crate::registry::Registry;
use crate::registry::naming::join;
use crate::store::item::page_order;
use crate::store::user_data::lists::ordered_list::Member;
use crate::store::user_data::lists::user_list::MAX_ENTRIES;
use crate::store::user_data::progress::is_same_episode;

/// Items and files to add. The ids of each list are distinct.
#[derive(Debug, Clone, Default)]
pub struct Additions {
    /// Items, whose parts are added in order.
    pub items: Vec<ItemId>,
    /// Files, which are added after the items.
    pub files: Vec<FileId>,
}

impl Additions {
    /// Returns the field that a rejection of all additions names.
    pub(super) fn field(&self) -> &'static str {
        if self.files.is_empty() {
            "items"
        } else {
            "files"
        }
    }
}

/// Additions, and their place in a list.
#[derive(Debug, Clone, Default)]
pub struct Insertion {
    /// Items and files to add.
    pub additions: Additions,
    /// Index among the visible entries before which they are inserted; `None` for the end.
    pub at: Option<usize>,
    /// `true` if files that the list contains already are left out.
    pub skip_existing: bool,
}

/// Returns the files of the additions in order.
///
/// # Errors
///
/// Returns `Invalid` on `items` or `files` if an id is not visible, or has no timeline.
pub(super) fn members(
    conn: &Connection,
    registry: &Registry,
    visible: Visible,
    additions: &Additions,
) -> StoreResult<Vec<Member>> {
    let mut members = Vec::new();
    for item in &additions.items {
        members.extend(parts(conn, registry, visible, *item)?);
        if members.len() > MAX_ENTRIES {
            // The caller rejects the request, so the other items need not be read.
            return Ok(members);
        }
    }
    for file in &additions.files {
        members.push(single(conn, registry, visible, *file)?);
    }
    Ok(members)
}

/// Returns the member of a file.
fn single(
    conn: &Connection,
    registry: &Registry,
    visible: Visible,
    id: FileId,
) -> StoreResult<Member> {
    let mut statement = conn.prepare_cached(FILE)?;
    let mut rows = statement.query(named_params! { ":id": id, ":viewer": visible.user() })?;
    let row = rows.next()?;
    let row = row.ok_or_else(|| refuse("files", format!("There is no file {id}.")))?;
    let (kind, name): (String, Vec<u8>) = (row.get(1)?, row.get(2)?);
    if !has_timeline(registry, &kind, &name) {
        let message = format!("The file {id} has no timeline, so a player cannot play it.");
        return Err(refuse("files", message));
    }
    Ok(Member {
        id: id.0,
        library: row.get(0)?,
    })
}

const FILE: &str = "
    SELECT item.library_id, item.kind, file.name
      FROM file
      JOIN item ON item.id = file.item_id
      JOIN library_grant AS g ON g.library_id = item.library_id AND g.user_id = :viewer
     WHERE file.id = :id";

/// A file of an item.
struct Part {
    id: FileId,
    sequence: Option<i64>,
    /// Season and episode.
    episode: Option<(i64, i64)>,
    path: String,
    is_missing: bool,
}

/// Returns the members of an item: its parts in order, each in one version, or else its first file. Missing files are
/// used only if no file is present, because they may be replaced ones.
fn parts(
    conn: &Connection,
    registry: &Registry,
    visible: Visible,
    id: ItemId,
) -> StoreResult<Vec<Member>> {
    let item = visible.item(conn, id)?;
    let item = item.ok_or_else(|| refuse("items", format!("There is no item {id}.")))?;
    let mut parts = playable(conn, registry, id)?;
    if parts.iter().any(|part| !part.is_missing) {
        parts.retain(|part| !part.is_missing);
    }
    if parts.iter().any(|part| part.sequence.is_some()) {
        parts.retain(|part| part.sequence.is_some());
        parts.sort_by_cached_key(|part| page_order(part.sequence, &part.path, part.id));
        let key = |part: &Part| (part.sequence, part.episode);
        parts.dedup_by(|next, part| is_same_episode(key(part), key(next)));
    } else {
        let first = parts
            .into_iter()
            .min_by_key(|part| page_order(part.sequence, &part.path, part.id));
        parts = first.into_iter().collect();
    }
    if parts.is_empty() {
        let message = format!("The item {id} has no file with a timeline.");
        return Err(refuse("items", message));
    }
    let member = |part: &Part| Member {
        id: part.id.0,
        library: item.library(),
    };
    Ok(parts.iter().map(member).collect())
}

/// Returns the files of an item that have a timeline.
fn playable(conn: &Connection, registry: &Registry, item: ItemId) -> StoreResult<Vec<Part>> {
    let mut statement = conn.prepare_cached(FILES)?;
    let mut rows = statement.query(named_params! { ":item": item })?;
    let mut parts = Vec::new();
    while let Some(row) = rows.next()? {
        let (kind, name, folder): (String, Vec<u8>, Vec<u8>) =
            (row.get(0)?, row.get(1)?, row.get(2)?);
        if !has_timeline(registry, &kind, &name) {
            continue;
        }
        parts.push(Part {
            id: row.get(3)?,
            sequence: row.get(4)?,
            episode: row.get::<_, Option<i64>>(6)?.zip(row.get(7)?),
            path: join(&path::display(&folder), &path::display(&name)),
            is_missing: row.get(5)?,
        });
    }
    Ok(parts)
}

const FILES: &str = "
    SELECT item.kind, file.name, folder.path, file.id, file.sequence, file.missing,
           file.season, file.episode
      FROM item
      JOIN file ON file.item_id = item.id
      JOIN folder ON folder.id = file.folder_id
     WHERE item.id = :item";

fn has_timeline(registry: &Registry, kind: &str, name: &[u8]) -> bool {
    let Some(kind) = registry.kind(kind) else {
        return false;
    };
    let format = kind.format_of(&path::display(name));
    format.is_some_and(|format| kind.has_timeline(format))
}

fn refuse(field: &'static str, message: String) -> StoreError {
    StoreError::Invalid { field, message }
}

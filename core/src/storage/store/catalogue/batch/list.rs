//! Batches that a user sees: own ones, and for administrators all batches of shared fields.

use rusqlite::{Connection, OptionalExtension, Row, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use super::recorder::Action;
use super::{OWN_FIELDS, RETENTION};
use crate::access::Visible;
use crate::error::StoreResult;
use crate::id::{BatchId, UserId};
use crate::paging::{Page, Window};
use crate::time::Timestamp;

/// User who asks for batches.
#[derive(Debug, Clone, Copy)]
pub struct Viewer {
    /// The libraries that the user may see.
    pub visible: Visible,
    /// `true` for an administrator.
    pub is_admin: bool,
}

/// A batch of changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct EditBatch {
    /// Id of the batch.
    pub id: BatchId,
    /// User who made the changes; null after the deletion of the user.
    pub user: Option<BatchUser>,
    /// Time of the changes.
    pub at: Timestamp,
    /// Origin of the changes.
    pub action: Action,
    /// Names of the changed fields. For another user's batch, only shared fields.
    pub fields: Vec<String>,
    /// Number of items that the batch changed in libraries that the viewer sees.
    pub changed: u64,
    /// Time of the first undo; null if there was none.
    pub undone_at: Option<Timestamp>,
    /// `true` if all administrators see the batch.
    #[serde(skip)]
    #[schema(ignore)]
    pub is_shared: bool,
}

/// User who made a batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct BatchUser {
    /// Id of the user.
    pub id: UserId,
    /// Name of the user.
    pub username: String,
}

/// Ids of the visible batches. A batch is hidden while the user sees none of its items, except for
/// imports.
const IDS: &str = "
    SELECT id
      FROM edit_batch INDEXED BY edit_batch_by_user
     WHERE user_id = :viewer AND created_at > :since
       AND (action = 'import'
            OR EXISTS (SELECT 1
                         FROM edit_batch_total AS t
                         JOIN library_grant AS g
                           ON g.user_id = :viewer AND g.library_id = t.library_id
                        WHERE t.batch_id = edit_batch.id))
     UNION
    SELECT id
      FROM edit_batch INDEXED BY edit_batch_shared
     WHERE is_shared = 1 AND :is_admin AND created_at > :since
       AND (action = 'import'
            OR EXISTS (SELECT 1
                         FROM edit_batch_total AS t
                         JOIN library_grant AS g
                           ON g.user_id = :viewer AND g.library_id = t.library_id
                        WHERE t.batch_id = edit_batch.id AND t.n_shared > 0))";

/// Columns of a batch, over the row `batch`.
const COLUMNS: &str = "batch.id, batch.user_id, user.username, batch.created_at, batch.action,
    batch.fields, batch.undone_at, batch.is_shared,
    (SELECT ifnull(sum(iif(batch.user_id IS :viewer OR batch.action = 'import',
                           t.n, t.n_shared)), 0)
       FROM edit_batch_total AS t
       JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = t.library_id
      WHERE t.batch_id = batch.id) AS changed";

fn count_sql() -> String {
    format!("SELECT count(*) FROM ({IDS}) AS page")
}

fn page_sql() -> String {
    format!(
        "SELECT {COLUMNS}
           FROM ({IDS} ORDER BY id DESC LIMIT :limit OFFSET :offset) AS page
          CROSS JOIN edit_batch AS batch ON batch.id = page.id
           LEFT JOIN user ON user.id = batch.user_id
          ORDER BY page.id DESC"
    )
}

/// Returns a page of the batches that the user sees, the newest first.
pub fn page(
    conn: &Connection,
    viewer: Viewer,
    window: Window,
    now: Timestamp,
) -> StoreResult<Page<EditBatch>> {
    let (user, since) = (viewer.visible.user(), now.minus(RETENTION));
    let total = conn.prepare_cached(&count_sql())?.query_row(
        named_params! { ":viewer": user, ":is_admin": viewer.is_admin, ":since": since },
        |row| row.get(0),
    )?;
    let mut statement = conn.prepare_cached(&page_sql())?;
    let rows = statement.query_map(
        named_params! {
            ":viewer": user,
            ":is_admin": viewer.is_admin,
            ":since": since,
            ":limit": window.limit,
            ":offset": window.offset,
        },
        |row| batch(row, user),
    )?;
    Ok(Page::new(rows.collect::<Result<_, _>>()?, total, window))
}

fn get_sql() -> String {
    format!(
        "SELECT {COLUMNS}
           FROM edit_batch AS batch
           LEFT JOIN user ON user.id = batch.user_id
          WHERE batch.id = :id AND batch.created_at > :since
            AND (batch.user_id = :viewer OR (:is_admin AND batch.is_shared = 1))
            AND (batch.action = 'import'
                 OR EXISTS (SELECT 1
                              FROM edit_batch_total AS t
                              JOIN library_grant AS g
                                ON g.user_id = :viewer AND g.library_id = t.library_id
                             WHERE t.batch_id = batch.id
                               AND (t.n_shared > 0 OR batch.user_id IS :viewer)))"
    )
}

/// Returns a batch that the user sees, or `None`.
pub(super) fn get(
    conn: &Connection,
    viewer: Viewer,
    id: BatchId,
    now: Timestamp,
) -> StoreResult<Option<EditBatch>> {
    let user = viewer.visible.user();
    let mut statement = conn.prepare_cached(&get_sql())?;
    let found = statement
        .query_row(
            named_params! {
                ":id": id,
                ":viewer": user,
                ":is_admin": viewer.is_admin,
                ":since": now.minus(RETENTION),
            },
            |row| batch(row, user),
        )
        .optional()?;
    Ok(found)
}

fn batch(row: &Row<'_>, viewer: UserId) -> rusqlite::Result<EditBatch> {
    let (owner, username): (Option<UserId>, Option<String>) = (row.get(1)?, row.get(2)?);
    let action = match row.get_ref(4)?.as_str()? {
        "import" => Action::Import,
        _ => Action::Edit,
    };
    let fields: String = row.get(5)?;
    let mut fields: Vec<String> = serde_json::from_str(&fields).unwrap_or_default();
    if action == Action::Edit && owner != Some(viewer) {
        fields.retain(|field| !OWN_FIELDS.contains(&field.as_str()));
    }
    Ok(EditBatch {
        id: row.get(0)?,
        user: owner
            .zip(username)
            .map(|(id, username)| BatchUser { id, username }),
        at: row.get(3)?,
        action,
        fields,
        changed: row.get(8)?,
        undone_at: row.get(6)?,
        is_shared: row.get(7)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::user_data::progress::tests::plan;

    #[test]
    fn batches_are_found_by_index_without_scans() {
        for sql in [count_sql(), page_sql(), get_sql()] {
            let plan = plan(&sql);
            let mut scans = plan.lines().filter(|step| step.starts_with("SCAN "));
            assert!(scans.all(|step| step == "SCAN page"), "{plan}");
        }
    }

    #[test]
    fn page_merges_both_indexes_without_reading_all_batches() {
        let plan = plan(&format!(
            "{IDS} ORDER BY id DESC LIMIT :limit OFFSET :offset"
        ));
        assert!(plan.contains("MERGE (UNION)"), "{plan}");
        assert!(!plan.contains("TEMP B-TREE"), "{plan}");
    }
}

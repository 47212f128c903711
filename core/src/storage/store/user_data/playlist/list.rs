//! Lists of playlists: those of the user, and public ones of other users.

use rusqlite::{Connection, named_params};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{COLUMNS, Playlist, playlist};
use crate::access::Visible;
use crate::error::StoreResult;
use crate::paging::{Page, Window};
use crate::store::catalogue::column_reader::ColumnReader;
use crate::store::item::Direction;
use crate::text;

/// Sort key of a list of playlists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlaylistSort {
    /// Name, with numbers by value.
    #[default]
    Name,
    /// Time of the owner's last change.
    Updated,
    /// Time of creation.
    Created,
}

impl PlaylistSort {
    fn column(self) -> &'static str {
        match self {
            Self::Name => "playlist.sort_name",
            Self::Updated => "playlist.updated_at",
            Self::Created => "playlist.created_at",
        }
    }
}

/// Criteria and order of a list of playlists.
#[derive(Debug, Clone, Default)]
pub struct PlaylistFilter {
    /// `true` for the user's own playlists, `false` for those of other users.
    pub own: Option<bool>,
    /// Part of the name, without regard to case and accents.
    pub query: String,
    /// Sort key.
    pub sort: PlaylistSort,
    /// Sort direction.
    pub direction: Direction,
}

/// Returns a page of the playlists that the user can read.
pub fn page(
    conn: &Connection,
    visible: Visible,
    filter: &PlaylistFilter,
    window: Window,
) -> StoreResult<Page<Playlist>> {
    let query = text::fold(&filter.query);
    let total = conn.prepare_cached(&count_sql())?.query_row(
        named_params! { ":viewer": visible.user(), ":own": filter.own, ":query": query },
        |row| row.get(0),
    )?;
    let mut statement = conn.prepare_cached(&page_sql(filter.sort, filter.direction))?;
    let rows = statement.query_map(
        named_params! {
            ":viewer": visible.user(),
            ":own": filter.own,
            ":query": query,
            ":limit": window.limit,
            ":offset": window.offset,
        },
        |row| playlist(&mut ColumnReader::of(row)),
    )?;
    Ok(Page::new(rows.collect::<Result<_, _>>()?, total, window))
}

/// The ids of the playlists that the user can read. Each part reads an index, so that private
/// playlists of other users are not read.
const READABLE_IDS: &str = "
    SELECT id FROM playlist INDEXED BY playlist_by_user
     WHERE user_id = :viewer AND :own IS NOT 0
     UNION ALL
    SELECT id FROM playlist INDEXED BY playlist_public
     WHERE is_public = 1 AND user_id <> :viewer AND :own IS NOT 1
       AND EXISTS (SELECT 1
                     FROM library_grant AS g
                     JOIN playlist_total AS t
                       ON t.list_id = playlist.id AND t.library_id = g.library_id
                    WHERE g.user_id = :viewer)";

fn count_sql() -> String {
    format!(
        "SELECT count(*)
           FROM ({READABLE_IDS}) AS readable
          CROSS JOIN playlist ON playlist.id = readable.id
          WHERE instr(playlist.name_key, :query) > 0"
    )
}

/// Sorts the keys of all own and public playlists. The other columns are computed for the rows of
/// the page only.
pub(super) fn page_sql(sort: PlaylistSort, direction: Direction) -> String {
    let direction = direction.sql();
    let order = format!("{} {direction}, playlist.id {direction}", sort.column());
    format!(
        "SELECT {COLUMNS}
           FROM (SELECT playlist.id
                   FROM ({READABLE_IDS}) AS readable
                  CROSS JOIN playlist ON playlist.id = readable.id
                  WHERE instr(playlist.name_key, :query) > 0
                  ORDER BY {order}
                  LIMIT :limit OFFSET :offset) AS page
          CROSS JOIN playlist ON playlist.id = page.id
          CROSS JOIN user AS owner ON owner.id = playlist.user_id
          ORDER BY {order}"
    )
}

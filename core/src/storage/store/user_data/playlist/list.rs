//! Lists of playlists: those of the user, and public ones of other users.

use rusqlite::{Connection, named_params};
use serde::Deserialize;
use utoipa::ToSchema;

use super::access::READABLE;
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

fn filter_sql() -> String {
    format!(
        "{READABLE}
         AND (:own IS NULL OR (playlist.user_id = :viewer) = :own)
         AND instr(playlist.name_key, :query) > 0"
    )
}

fn count_sql() -> String {
    format!("SELECT count(*) FROM playlist WHERE {}", filter_sql())
}

/// Sorts the keys of all readable playlists: a user has at most a thousand. The columns are computed
/// for the rows of the page only.
pub(super) fn page_sql(sort: PlaylistSort, direction: Direction) -> String {
    let direction = match direction {
        Direction::Asc => "ASC",
        Direction::Desc => "DESC",
    };
    let order = format!("{} {direction}, playlist.id {direction}", sort.column());
    format!(
        "SELECT {COLUMNS}
           FROM (SELECT playlist.id
                   FROM playlist
                  WHERE {}
                  ORDER BY {order}
                  LIMIT :limit OFFSET :offset) AS page
           JOIN playlist ON playlist.id = page.id
           JOIN user AS owner ON owner.id = playlist.user_id
          ORDER BY {order}",
        filter_sql()
    )
}

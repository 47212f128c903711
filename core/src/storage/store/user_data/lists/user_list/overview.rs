//! Pages of lists: those of the user, and public ones of other users.

use rusqlite::{Connection, named_params};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{ListTables, UserList, columns, view};
use crate::access::Visible;
use crate::error::StoreResult;
use crate::paging::{Page, Window};
use crate::store::catalogue::column_reader::ColumnReader;
use crate::store::item::Direction;
use crate::text;

/// Sort key of a page of lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ListSort {
    /// Name, with numbers by value.
    #[default]
    Name,
    /// Time of the owner's last change.
    Updated,
    /// Time of creation.
    Created,
}

impl ListSort {
    fn column(self) -> &'static str {
        match self {
            Self::Name => "sort_name",
            Self::Updated => "updated_at",
            Self::Created => "created_at",
        }
    }
}

/// Criteria and order of a page of lists.
#[derive(Debug, Clone, Default)]
pub struct ListFilter {
    /// `true` for the user's own lists, `false` for those of other users.
    pub own: Option<bool>,
    /// Part of the name, without regard to case and accents.
    pub query: String,
    /// Sort key.
    pub sort: ListSort,
    /// Sort direction.
    pub direction: Direction,
}

/// Returns a page of the lists that the user can read.
pub fn page<L: UserList>(
    conn: &Connection,
    visible: Visible,
    filter: &ListFilter,
    window: Window,
) -> StoreResult<Page<L::View>> {
    let query = text::fold(&filter.query);
    let total = conn.prepare_cached(&count_sql::<L>())?.query_row(
        named_params! { ":viewer": visible.user(), ":own": filter.own, ":query": query },
        |row| row.get(0),
    )?;
    let mut statement = conn.prepare_cached(&page_sql::<L>(filter.sort, filter.direction))?;
    let rows = statement.query_map(
        named_params! {
            ":viewer": visible.user(),
            ":own": filter.own,
            ":query": query,
            ":limit": window.limit,
            ":offset": window.offset,
        },
        |row| view::<L>(&mut ColumnReader::of(row)),
    )?;
    Ok(Page::new(rows.collect::<Result<_, _>>()?, total, window))
}

/// Returns a query of the lists that the user can read. Each part reads an index, so that private
/// lists of other users are not read.
fn readable_ids<L: UserList>() -> String {
    let ListTables {
        name,
        total,
        readable_if_empty,
        ..
    } = L::TABLES;
    format!(
        "SELECT id FROM {name} INDEXED BY {name}_by_user
          WHERE user_id = :viewer AND :own IS NOT 0
          UNION ALL
         SELECT id FROM {name} INDEXED BY {name}_public
          WHERE is_public = 1 AND user_id <> :viewer AND :own IS NOT 1
            AND ({readable_if_empty}
                 OR EXISTS (SELECT 1
                              FROM library_grant AS g
                              JOIN {total} AS t
                                ON t.list_id = {name}.id AND t.library_id = g.library_id
                             WHERE g.user_id = :viewer))"
    )
}

fn count_sql<L: UserList>() -> String {
    let name = L::TABLES.name;
    format!(
        "SELECT count(*)
           FROM ({}) AS readable
          CROSS JOIN {name} ON {name}.id = readable.id
          WHERE instr({name}.name_key, :query) > 0",
        readable_ids::<L>()
    )
}

/// Sorts the keys of all own and public lists. The other columns are computed for the rows of the
/// page only.
pub(super) fn page_sql<L: UserList>(sort: ListSort, direction: Direction) -> String {
    let name = L::TABLES.name;
    let direction = direction.sql();
    let order = format!(
        "{name}.{} {direction}, {name}.id {direction}",
        sort.column()
    );
    format!(
        "SELECT {}
           FROM (SELECT {name}.id
                   FROM ({}) AS readable
                  CROSS JOIN {name} ON {name}.id = readable.id
                  WHERE instr({name}.name_key, :query) > 0
                  ORDER BY {order}
                  LIMIT :limit OFFSET :offset) AS page
          CROSS JOIN {name} ON {name}.id = page.id
          CROSS JOIN user AS owner ON owner.id = {name}.user_id
          ORDER BY {order}",
        columns::<L>(),
        readable_ids::<L>()
    )
}

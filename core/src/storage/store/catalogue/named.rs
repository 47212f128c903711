//! Lists of people, series and genres by name, with the number of visible items of each.

pub mod of_kinds;

use rusqlite::{Connection, ToSql};
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::Visible;
use crate::error::StoreResult;
use crate::paging::{Page, Window};
use crate::store::catalogue::series;
use crate::text;

/// Limit of evaluated characters of a query.
const MAX_CHARACTERS: usize = 256;
/// Limit of evaluated terms of a query.
const MAX_TERMS: usize = 16;
/// Minimum length in characters of an ASCII term that is also searched within words.
const ANYWHERE: usize = 3;

/// A person, a series or a genre in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Named {
    /// Id of the person, the series or the genre.
    pub id: i64,
    /// Name of the person, the series or the genre.
    pub name: String,
    /// Number of visible items, including missing ones, as `/items` lists them.
    pub items: u64,
}

/// Returns the people credited in visible items, ordered by name.
pub fn people(
    conn: &Connection,
    visible: Visible,
    query: &str,
    window: Window,
) -> StoreResult<Page<Named>> {
    let count = if query.trim().is_empty() {
        EVERYBODY
    } else {
        MANY_PEOPLE
    };
    page(
        conn,
        visible,
        (PEOPLE, count),
        None,
        &terms(query, series::key),
        window,
    )
}

/// Returns the series of visible items, ordered by name, optionally of one kind.
pub fn series(
    conn: &Connection,
    visible: Visible,
    kind: Option<&str>,
    query: &str,
    window: Window,
) -> StoreResult<Page<Named>> {
    let terms = terms(query, series::key);
    page(conn, visible, (SERIES, MANY_SERIES), kind, &terms, window)
}

/// Returns the genres of visible items, ordered by name, optionally of one kind.
pub fn genres(
    conn: &Connection,
    visible: Visible,
    kind: Option<&str>,
    query: &str,
    window: Window,
) -> StoreResult<Page<Named>> {
    // The punctuation of genres counts: `C#` and `C++` differ.
    let terms = terms(query, text::fold);
    page(conn, visible, (GENRES, MANY_GENRES), kind, &terms, window)
}

// Rows before the offset are skipped in the index alone, without the computed columns.
const PEOPLE: &str = "
    SELECT named.id, named.name,
           (SELECT sum(c.n)
              FROM person_count AS c
              JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = c.library_id
             WHERE c.person_id = named.id)
      FROM person AS named
     WHERE EXISTS (SELECT 1
                     FROM person_count AS c
                     JOIN library_grant AS g
                       ON g.user_id = :viewer AND g.library_id = c.library_id
                    WHERE c.person_id = named.id)
       AND /* terms */ 1
     ORDER BY named.name_key
     LIMIT :limit OFFSET :offset";

/// Counts along the stored counts, which is several times cheaper than a check per name.
const EVERYBODY: &str = "
    SELECT count(*)
      FROM (SELECT c.person_id
              FROM person_count AS c
             WHERE c.library_id IN (SELECT library_id
                                      FROM library_grant
                                     WHERE user_id = :viewer)
             GROUP BY c.person_id)";

const MANY_PEOPLE: &str = "
    SELECT count(*)
      FROM person AS named
     WHERE EXISTS (SELECT 1
                     FROM person_count AS c
                     JOIN library_grant AS g
                       ON g.user_id = :viewer AND g.library_id = c.library_id
                    WHERE c.person_id = named.id)
       AND /* terms */ 1";

const SERIES: &str = "
    SELECT named.id, named.name, sum(c.n)
      FROM series AS named INDEXED BY series_by_name
     CROSS JOIN series_count AS c ON c.series_id = named.id
      JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = c.library_id
     WHERE (:kind IS NULL OR named.kind = :kind) AND /* terms */ 1
     GROUP BY named.name_key, named.id
     ORDER BY named.name_key, named.id
     LIMIT :limit OFFSET :offset";

const MANY_SERIES: &str = "
    SELECT count(*)
      FROM series AS named
     WHERE EXISTS (SELECT 1
                     FROM series_count AS c
                     JOIN library_grant AS g
                       ON g.user_id = :viewer AND g.library_id = c.library_id
                    WHERE c.series_id = named.id)
       AND (:kind IS NULL OR named.kind = :kind) AND /* terms */ 1";

const GENRES: &str = "
    SELECT named.id, named.name, sum(c.n)
      FROM genre AS named
     CROSS JOIN genre_count AS c ON c.genre_id = named.id
      JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = c.library_id
     WHERE (:kind IS NULL OR c.kind = :kind) AND /* terms */ 1
     GROUP BY named.name_key
     ORDER BY named.name_key
     LIMIT :limit OFFSET :offset";

const MANY_GENRES: &str = "
    SELECT count(*)
      FROM genre AS named
     WHERE EXISTS (SELECT 1
                     FROM genre_count AS c
                     JOIN library_grant AS g
                       ON g.user_id = :viewer AND g.library_id = c.library_id
                    WHERE c.genre_id = named.id AND (:kind IS NULL OR c.kind = :kind))
       AND /* terms */ 1";

fn page(
    conn: &Connection,
    visible: Visible,
    (list, count): (&str, &str),
    kind: Option<&str>,
    terms: &Terms,
    window: Window,
) -> StoreResult<Page<Named>> {
    let Some(terms) = terms else {
        return Ok(Page::new(Vec::new(), 0, window));
    };
    let ask = NameQuery {
        conn,
        terms,
        viewer: visible.user(),
        kind,
    };
    let mut total = 0;
    ask.each(count, window, |row| {
        total = row.get(0)?;
        Ok(())
    })?;
    let mut items = Vec::new();
    if window.offset < total {
        ask.each(list, window, |row| {
            items.push(Named {
                id: row.get(0)?,
                name: row.get(1)?,
                items: row.get(2)?,
            });
            Ok(())
        })?;
    }
    Ok(Page::new(items, total, window))
}

/// Terms of a query, or `None` if the query contains none that a name can contain.
type Terms = Option<Vec<String>>;

/// Splits a query into terms and normalises them like the keys of the names.
fn terms(query: &str, key: fn(&str) -> String) -> Terms {
    let is_empty = query.trim().is_empty();
    let query: String = query.chars().take(MAX_CHARACTERS).collect();
    let terms: Vec<String> = query
        .split(|c: char| c.is_whitespace() || c.is_control())
        .map(key)
        .filter(|key| key.chars().any(char::is_alphanumeric))
        .take(MAX_TERMS)
        .collect();
    (is_empty || !terms.is_empty()).then_some(terms)
}

struct NameQuery<'a> {
    conn: &'a Connection,
    terms: &'a [String],
    viewer: crate::id::UserId,
    kind: Option<&'a str>,
}

impl NameQuery<'_> {
    /// Runs a statement with a condition for each term.
    fn each(
        &self,
        sql: &str,
        window: Window,
        mut row: impl FnMut(&rusqlite::Row<'_>) -> StoreResult<()>,
    ) -> StoreResult<()> {
        let sql = with_terms(sql, self.terms.len());
        let mut statement = self.conn.prepare_cached(&sql)?;
        let mut bind = |name: &str, value: &dyn ToSql| -> StoreResult<()> {
            if let Some(index) = statement.parameter_index(name)? {
                statement.raw_bind_parameter(index, value)?;
            }
            Ok(())
        };
        bind(":viewer", &self.viewer)?;
        bind(":kind", &self.kind)?;
        bind(":limit", &window.limit)?;
        bind(":offset", &window.offset)?;
        for (n, term) in self.terms.iter().enumerate() {
            bind(&format!(":start{n}"), &format!(" {term}"))?;
            // A name may be written as `J. R. R.` or `JRR`, so the joined form matches both.
            let joined: String = term.split(' ').collect();
            let is_long = joined.chars().count() >= ANYWHERE || !joined.is_ascii();
            bind(&format!(":inside{n}"), &is_long.then_some(joined))?;
        }
        let mut rows = statement.raw_query();
        while let Some(found) = rows.next()? {
            row(found)?;
        }
        Ok(())
    }
}

fn with_terms(sql: &str, terms: usize) -> String {
    let conditions: Vec<String> = (0..terms)
        .map(|n| {
            format!(
                "(instr(' ' || named.name_key, :start{n}) > 0
                  OR instr(replace(named.name_key, ' ', ''), :inside{n}) > 0)"
            )
        })
        .chain(["1".to_owned()])
        .collect();
    sql.replace("/* terms */ 1", &conditions.join(" AND "))
}

#[cfg(test)]
mod tests;

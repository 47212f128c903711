//! Names of the authors, series and genres of some kinds, in ranges by their first letter.

use rusqlite::{Connection, OptionalExtension, named_params};

use crate::access::Visible;
use crate::error::StoreResult;
use crate::paging::Window;

/// Noun of a list of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Noun {
    /// People who are credited as authors.
    Author,
    /// Series.
    Series,
    /// Genres.
    Genre,
}

/// First letter of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Initial {
    /// Any.
    Any,
    /// A letter from `a` to `z`.
    Letter(u8),
    /// Any other character.
    Other,
}

impl Initial {
    /// Returns the ranges of keys: each from its first text up to, and without, its second one.
    fn ranges(self) -> Vec<(String, String)> {
        let text = |byte: u8| char::from(byte).to_string();
        let last = || char::MAX.to_string();
        match self {
            Self::Any => vec![(String::new(), last())],
            Self::Letter(letter) => vec![(text(letter), text(letter + 1))],
            Self::Other => vec![(String::new(), text(b'a')), (text(b'z' + 1), last())],
        }
    }
}

/// Scope of a list of names.
#[derive(Debug, Clone, Copy)]
pub struct NameScope<'a> {
    /// Noun of the names.
    pub noun: Noun,
    /// Ids of the kinds.
    pub kinds: &'a [&'static str],
    /// First letter.
    pub initial: Initial,
}

/// Author, series or genre with present items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// Id of the person, the series or the genre.
    pub id: i64,
    /// The name.
    pub name: String,
}

// The number of items per library excludes most of the other names before an item is read.
const AUTHORS: &str = "
    SELECT named.id, named.name
      FROM person AS named
     WHERE named.name_key >= :from AND named.name_key < :to
       AND EXISTS (SELECT 1
                     FROM person_count AS c
                     JOIN library_grant AS g
                       ON g.user_id = :viewer AND g.library_id = c.library_id
                    WHERE c.person_id = named.id
                      AND EXISTS (SELECT 1
                                    FROM item_count AS i
                                   WHERE i.library_id = c.library_id
                                     AND i.kind IN (SELECT value FROM json_each(:kinds))))
       AND EXISTS (SELECT 1
                     FROM item_person AS link
                     JOIN item ON item.id = link.item_id
                     JOIN library_grant AS g
                       ON g.user_id = :viewer AND g.library_id = item.library_id
                    WHERE link.person_id = named.id AND link.role = 'author'
                      AND item.missing = 0
                      AND item.kind IN (SELECT value FROM json_each(:kinds)))
     ORDER BY named.name_key
     LIMIT :limit";

const SERIES: &str = "
    SELECT named.id, named.name
      FROM series AS named INDEXED BY series_by_name
     WHERE named.name_key >= :from AND named.name_key < :to
       AND named.kind IN (SELECT value FROM json_each(:kinds))
       AND EXISTS (SELECT 1
                     FROM series_count AS c
                     JOIN library_grant AS g
                       ON g.user_id = :viewer AND g.library_id = c.library_id
                    WHERE c.series_id = named.id)
       AND EXISTS (SELECT 1
                     FROM item
                     JOIN library_grant AS g
                       ON g.user_id = :viewer AND g.library_id = item.library_id
                    WHERE item.series_id = named.id AND item.missing = 0)
     ORDER BY named.name_key, named.id
     LIMIT :limit";

const GENRES: &str = "
    SELECT named.id, named.name
      FROM genre AS named
     WHERE named.name_key >= :from AND named.name_key < :to
       AND EXISTS (SELECT 1
                     FROM genre_count AS c
                     JOIN library_grant AS g
                       ON g.user_id = :viewer AND g.library_id = c.library_id
                    WHERE c.genre_id = named.id
                      AND c.kind IN (SELECT value FROM json_each(:kinds)))
       AND EXISTS (SELECT 1
                     FROM item_genre AS link
                     JOIN item ON item.id = link.item_id
                     JOIN library_grant AS g
                       ON g.user_id = :viewer AND g.library_id = item.library_id
                    WHERE link.genre_id = named.id AND item.missing = 0
                      AND item.kind IN (SELECT value FROM json_each(:kinds)))
     ORDER BY named.name_key
     LIMIT :limit";

/// Returns names of visible items in order.
pub fn names(
    conn: &Connection,
    visible: Visible,
    scope: NameScope<'_>,
    window: Window,
) -> StoreResult<Vec<Name>> {
    let kinds = serde_json::to_string(scope.kinds).expect("texts are JSON");
    let walk = Walk {
        conn,
        visible,
        noun: scope.noun,
        kinds: &kinds,
    };
    let (skipped, wanted) = (window.offset, u64::from(window.limit));
    let mut names = Vec::new();
    // The ranges form one list, so the offset counts over all of them.
    for (from, to) in scope.initial.ranges() {
        names.extend(walk.range(&from, &to, skipped + wanted)?);
    }
    let skipped = usize::try_from(skipped).unwrap_or(usize::MAX);
    let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
    Ok(names.into_iter().skip(skipped).take(wanted).collect())
}

/// Returns the name of an author, a series or a genre, or `None` if it has no visible item.
pub fn name(
    conn: &Connection,
    visible: Visible,
    noun: Noun,
    kinds: &[&'static str],
    id: i64,
) -> StoreResult<Option<String>> {
    let sql = match noun {
        Noun::Author => "SELECT name_key FROM person WHERE id = :id",
        Noun::Series => "SELECT name_key FROM series WHERE id = :id",
        Noun::Genre => "SELECT name_key FROM genre WHERE id = :id",
    };
    let mut statement = conn.prepare_cached(sql)?;
    let key = statement.query_row(named_params! { ":id": id }, |row| row.get::<_, String>(0));
    let Some(key) = key.optional()? else {
        return Ok(None);
    };
    let kinds = serde_json::to_string(kinds).expect("texts are JSON");
    let walk = Walk {
        conn,
        visible,
        noun,
        kinds: &kinds,
    };
    // Series of several kinds can have one key.
    let mut names = walk.range(&key, &format!("{key}\0"), u64::from(u8::MAX))?;
    names.retain(|name| name.id == id);
    Ok(names.pop().map(|name| name.name))
}

const ITEMS_OF_AUTHOR: &str = "
    SELECT ifnull(sum(c.n), 0)
      FROM author_count AS c
      JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = c.library_id
     WHERE c.person_id = :id AND c.kind IN (SELECT value FROM json_each(:kinds))";

const ITEMS_OF_SERIES: &str = "
    SELECT count(*)
      FROM item
      JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = item.library_id
     WHERE item.series_id = :id AND item.missing = 0
       AND item.kind IN (SELECT value FROM json_each(:kinds))";

const ITEMS_OF_GENRE: &str = "
    SELECT ifnull(sum(c.n), 0)
      FROM genre_count AS c
      JOIN library_grant AS g ON g.user_id = :viewer AND g.library_id = c.library_id
     WHERE c.genre_id = :id AND c.kind IN (SELECT value FROM json_each(:kinds))";

/// Returns the number of visible items of an author, a series or a genre. Missing items count for a
/// genre only, because counting the present ones would read each of them.
pub fn items(
    conn: &Connection,
    visible: Visible,
    noun: Noun,
    kinds: &[&'static str],
    id: i64,
) -> StoreResult<u64> {
    let sql = match noun {
        Noun::Author => ITEMS_OF_AUTHOR,
        Noun::Series => ITEMS_OF_SERIES,
        Noun::Genre => ITEMS_OF_GENRE,
    };
    let kinds = serde_json::to_string(kinds).expect("texts are JSON");
    let count = conn.prepare_cached(sql)?.query_row(
        named_params! { ":viewer": visible.user(), ":kinds": kinds, ":id": id },
        |row| row.get(0),
    )?;
    Ok(count)
}

/// Walk along the names of a noun.
struct Walk<'a> {
    conn: &'a Connection,
    visible: Visible,
    noun: Noun,
    kinds: &'a str,
}

impl Walk<'_> {
    /// Returns the first names in a range of keys.
    fn range(&self, from: &str, to: &str, limit: u64) -> StoreResult<Vec<Name>> {
        let sql = match self.noun {
            Noun::Author => AUTHORS,
            Noun::Series => SERIES,
            Noun::Genre => GENRES,
        };
        let mut statement = self.conn.prepare_cached(sql)?;
        let rows = statement.query_map(
            named_params! {
                ":viewer": self.visible.user(),
                ":kinds": self.kinds,
                ":from": from,
                ":to": to,
                ":limit": limit,
            },
            |row| {
                Ok(Name {
                    id: row.get(0)?,
                    name: row.get(1)?,
                })
            },
        )?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// Returns the initials of visible names in order.
pub fn initials(
    conn: &Connection,
    visible: Visible,
    noun: Noun,
    kinds: &[&'static str],
) -> StoreResult<Vec<Initial>> {
    let all = (b'a'..=b'z').map(Initial::Letter).chain([Initial::Other]);
    let first = Window {
        offset: 0,
        limit: 1,
    };
    let mut used = Vec::new();
    for initial in all {
        let scope = NameScope {
            noun,
            kinds,
            initial,
        };
        if !names(conn, visible, scope, first)?.is_empty() {
            used.push(initial);
        }
    }
    Ok(used)
}

//! Criteria that select items by their ids: rows of the viewer, and what items have in common.

use std::cell::RefCell;
use std::ops::RangeInclusive;

use rusqlite::types::Value;
use rusqlite::{Connection, ToSql};

use crate::access::Visible;
use crate::db::id_set::{self, IdSet};
use crate::error::StoreResult;
use crate::id::GenreId;
use crate::store::item::filter::{Filter, State};
use crate::store::item::list::selection::Selection;

const OF_PERSON: &str = "
    SELECT id_set(item_id)
      FROM item_person
     WHERE person_id = :of";

const OF_SERIES: &str = "
    SELECT id_set(id)
      FROM item
     WHERE series_id = :of";

const OF_GENRES: &str = "
    SELECT id_set(link.item_id)
      FROM json_each(:of) AS wanted
     CROSS JOIN item_genre AS link ON link.genre_id = wanted.value";

const OF_TAGS: &str = "
    SELECT id_set(link.item_id)
      FROM json_each(:of) AS wanted
     CROSS JOIN tag ON tag.id = wanted.value AND (tag.user_id = :viewer OR tag.user_id IS NULL)
     CROSS JOIN item_tag AS link ON link.tag_id = tag.id";

const OF_LANGUAGES: &str = "
    SELECT id_set(item.id)
      FROM json_each(:of) AS wanted
     CROSS JOIN item ON item.language = wanted.value";

/// Year 0 means that the year is unknown.
const OF_YEARS: &str = "
    SELECT id_set(item.id)
      FROM library_grant AS g
     CROSS JOIN (SELECT DISTINCT library_id, kind FROM item_count) AS c
        ON c.library_id = g.library_id
     CROSS JOIN item INDEXED BY item_by_year
        ON item.library_id = c.library_id AND item.kind = c.kind
       AND item.sort_year BETWEEN :from AND :to AND item.sort_year <> 0
     WHERE g.user_id = :viewer";

const STARTED: &str = "
    SELECT id_set(item_id)
      FROM item_progress INDEXED BY item_progress_by_state
     WHERE user_id = :viewer AND finished = 0";

const FINISHED: &str = "
    SELECT id_set(item_id)
      FROM item_progress INDEXED BY item_progress_by_state
     WHERE user_id = :viewer AND finished = 1";

const BEGUN: &str = "
    SELECT id_set(item_id)
      FROM item_progress INDEXED BY item_progress_by_state
     WHERE user_id = :viewer AND finished IN (0, 1)";

const FAVOURITES: &str = "
    SELECT id_set(item_id)
      FROM favourite
     WHERE user_id = :viewer";

const RATED: &str = "
    SELECT id_set(item_id)
      FROM rating INDEXED BY rating_by_value
     WHERE user_id = :viewer AND rating >= :least";

#[cfg(test)]
pub(super) const STATEMENTS: [&str; 11] = [
    OF_PERSON,
    OF_SERIES,
    OF_GENRES,
    OF_TAGS,
    OF_LANGUAGES,
    OF_YEARS,
    FAVOURITES,
    STARTED,
    FINISHED,
    BEGUN,
    RATED,
];

/// One criterion. Its set of ids may contain invisible items.
#[derive(Clone)]
pub(in crate::storage::store::item) struct Criterion {
    /// Statement that selects the ids as one `id_set`.
    sql: &'static str,
    parameters: Vec<(&'static str, Value)>,
    /// `true` if the list contains these items, `false` if it excludes them.
    is_wanted: bool,
}

impl Criterion {
    fn new(sql: &'static str, parameters: impl Into<Vec<(&'static str, Value)>>) -> Self {
        Self {
            sql,
            parameters: parameters.into(),
            is_wanted: true,
        }
    }

    fn wanted(self, is_wanted: bool) -> Self {
        Self { is_wanted, ..self }
    }

    /// Selects the items that the viewer has in a state.
    pub(in crate::storage::store::item) fn state(visible: Visible, state: State) -> Self {
        let of_viewer = |sql| Self::new(sql, [viewer(visible)]);
        match state {
            State::Started => of_viewer(STARTED),
            State::Finished => of_viewer(FINISHED),
            State::Unstarted => of_viewer(BEGUN).wanted(false),
        }
    }

    /// Selects the items of a genre.
    pub(in crate::storage::store::item) fn genre(id: GenreId) -> Self {
        any(OF_GENRES, &[id]).expect("one value")
    }

    /// Selects the items in a language.
    pub(in crate::storage::store::item) fn language(tag: &str) -> Self {
        any(OF_LANGUAGES, &[tag]).expect("one value")
    }

    /// Selects the items of the ten years that begin with this one.
    pub(in crate::storage::store::item) fn decade(visible: Visible, first: i64) -> Self {
        Self::years(visible, &(first..=first + 9))
    }

    fn years(visible: Visible, years: &RangeInclusive<i64>) -> Self {
        let (from, to) = ((":from", int(*years.start())), (":to", int(*years.end())));
        Self::new(OF_YEARS, [viewer(visible), from, to])
    }

    /// Reads the ids.
    pub(in crate::storage::store::item) fn ids(&self, conn: &Connection) -> StoreResult<IdSet> {
        let parameters: Vec<(&str, &dyn ToSql)> = self
            .parameters
            .iter()
            .map(|(name, value)| (*name, value as &dyn ToSql))
            .collect();
        id_set::query(conn, self.sql, parameters.as_slice())
    }
}

fn viewer(visible: Visible) -> (&'static str, Value) {
    (":viewer", int(visible.user().0))
}

fn int(value: impl Into<i64>) -> Value {
    Value::Integer(value.into())
}

/// Returns the statement for any of the values, or `None` for no values.
fn any<T: serde::Serialize>(sql: &'static str, values: &[T]) -> Option<Criterion> {
    let list = || serde_json::to_string(values).expect("numbers and texts are JSON");
    (!values.is_empty()).then(|| Criterion::new(sql, [(":of", Value::Text(list()))]))
}

/// Ids of criteria that several lists share.
#[derive(Default)]
pub(in crate::storage::store::item) struct KnownIds(RefCell<Vec<(Criterion, IdSet)>>);

impl KnownIds {
    /// Returns the ids of a criterion. They are read once.
    pub(in crate::storage::store::item) fn of(
        &self,
        conn: &Connection,
        criterion: &Criterion,
    ) -> StoreResult<IdSet> {
        let same = |(known, _): &&(Criterion, IdSet)| {
            known.sql == criterion.sql && known.parameters == criterion.parameters
        };
        if let Some((_, ids)) = self.0.borrow().iter().find(same) {
            return Ok(ids.clone());
        }
        let ids = criterion.ids(conn)?;
        self.0.borrow_mut().push((criterion.clone(), ids.clone()));
        Ok(ids)
    }
}

/// Returns the items that meet all criteria of a filter, or `None` if it has no criterion.
pub(crate) fn selection(
    conn: &Connection,
    visible: Visible,
    filter: &Filter,
) -> StoreResult<Option<Selection>> {
    selection_with(conn, visible, filter, &KnownIds::default())
}

/// Returns the items that meet all criteria of a filter, and reads only unknown ids.
pub(in crate::storage::store::item) fn selection_with(
    conn: &Connection,
    visible: Visible,
    filter: &Filter,
    known: &KnownIds,
) -> StoreResult<Option<Selection>> {
    let mut selection: Option<Selection> = None;
    for criterion in of(visible, filter) {
        let ids = Selection::of(known.of(conn, &criterion)?);
        let one = if criterion.is_wanted {
            ids
        } else {
            ids.negated()
        };
        selection = Some(match selection {
            Some(others) => others.and(one),
            None => one,
        });
    }
    Ok(selection)
}

/// Returns the criteria of a filter.
fn of(visible: Visible, filter: &Filter) -> Vec<Criterion> {
    let of = |sql, id: i64| Criterion::new(sql, [(":of", int(id))]);
    let favourites = || Criterion::new(FAVOURITES, [viewer(visible)]);
    let tags = any(OF_TAGS, &filter.tags).map(|mut tags| {
        tags.parameters.push(viewer(visible));
        tags
    });
    let rated = |least: u8| Criterion::new(RATED, [viewer(visible), (":least", int(least))]);
    let criteria = [
        filter.author.map(|person| of(OF_PERSON, person.0)),
        filter.series.map(|series| of(OF_SERIES, series.0)),
        any(OF_GENRES, &filter.genres),
        tags,
        any(OF_LANGUAGES, &filter.languages),
        filter
            .years
            .as_ref()
            .map(|years| Criterion::years(visible, years)),
        filter.decade.map(|first| Criterion::decade(visible, first)),
        filter
            .favourite
            .map(|is_wanted| favourites().wanted(is_wanted)),
        filter.state.map(|state| Criterion::state(visible, state)),
        filter.rating_min.map(rated),
    ];
    criteria.into_iter().flatten().collect()
}

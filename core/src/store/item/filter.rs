//! Which items a list is of, as arms of one library and kind each, and a condition on top.

use rusqlite::{Connection, named_params};

use crate::access::Visible;
use crate::id::{LibraryId, PersonId, SeriesId};
use crate::playback::Offer;
use crate::store::StoreResult;

/// What a list is narrowed to. The default is everything visible.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only this kind.
    pub kind: Option<String>,
    /// Only this subkind.
    pub subkind: Option<String>,
    /// Only this library.
    pub library: Option<LibraryId>,
    /// Only items this person is credited with.
    pub author: Option<PersonId>,
    /// Only items of this series.
    pub series: Option<SeriesId>,
    /// Only favourites of the viewer, or all but those.
    pub favourite: Option<bool>,
    /// Only missing items, or only present ones.
    pub missing: Option<bool>,
    /// Only items the viewer stands so with.
    pub state: Option<State>,
    /// Only what one of these engines plays.
    pub engines: Option<Offer>,
}

/// How far a viewer is with an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Never begun.
    Unstarted,
    /// Begun and not finished.
    Started,
    /// Finished.
    Finished,
}

/// The items of one library and kind: one range of every browse index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Arm {
    pub(super) library: LibraryId,
    pub(super) kind: String,
    /// How many items it has under the filter's `missing`.
    pub(super) count: u64,
}

impl Filter {
    /// The visible arms that have items at all.
    pub(super) fn arms(&self, conn: &Connection, visible: Visible) -> StoreResult<Vec<Arm>> {
        let mut statement = conn.prepare_cached(
            "SELECT c.library_id, c.kind, sum(c.n)
               FROM library_grant AS g
               JOIN item_count AS c ON c.library_id = g.library_id
              WHERE g.user_id = :viewer
                AND (:library IS NULL OR c.library_id = :library)
                AND (:kind IS NULL OR c.kind = :kind)
                AND (:subkind IS NULL OR c.subkind = :subkind)
                AND (:missing IS NULL OR c.missing = :missing)
              GROUP BY c.library_id, c.kind
             HAVING sum(c.n) > 0
              ORDER BY c.library_id, c.kind",
        )?;
        let rows = statement.query_map(
            named_params! {
                ":viewer": visible.user(),
                ":library": self.library,
                ":kind": self.kind,
                ":subkind": self.subkind,
                ":missing": self.missing,
            },
            |row| {
                Ok(Arm {
                    library: row.get(0)?,
                    kind: row.get(1)?,
                    count: row.get(2)?,
                })
            },
        )?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Whether every item of the arms belongs to the list, so that counts tell totals.
    pub(super) fn is_whole_arms(&self) -> bool {
        self.is_whole_but_for_the_viewers() && self.favourite.is_none() && self.state.is_none()
    }

    /// Whether the list is the arms, less some that the viewer has: counts tell totals once those
    /// are subtracted.
    pub(super) fn is_whole_but_for_the_viewers(&self) -> bool {
        self.author.is_none()
            && self.series.is_none()
            && self.favourite != Some(true)
            && matches!(self.state, None | Some(State::Unstarted))
    }

    /// A query for the ids of the items that may belong, where that is a short list.
    pub(super) fn selection(&self) -> Option<String> {
        let mut parts = Vec::new();
        if let Some(PersonId(id)) = self.author {
            parts.push(format!(
                "SELECT item_id FROM item_person WHERE person_id = {id}"
            ));
        }
        if let Some(SeriesId(id)) = self.series {
            parts.push(format!("SELECT id FROM item WHERE series_id = {id}"));
        }
        if self.favourite == Some(true) {
            parts.push("SELECT item_id FROM favourite WHERE user_id = :viewer".to_owned());
        }
        match self.state {
            Some(State::Started) => parts.push(in_state(0)),
            Some(State::Finished) => parts.push(in_state(1)),
            Some(State::Unstarted) | None => {}
        }
        (!parts.is_empty()).then(|| parts.join(" INTERSECT "))
    }

    /// The condition on a row of `item` for its subkind and for whether it may be missing.
    pub(super) fn place_condition(&self) -> String {
        let subkind = match self.subkind {
            Some(_) => " AND subkind = :subkind",
            None => "",
        };
        let missing = match self.missing {
            Some(true) => " AND missing = 1",
            Some(false) => " AND missing = 0",
            None => "",
        };
        format!("{subkind}{missing}")
    }

    /// Whether an item of this subkind belongs to the list.
    pub(super) fn has_subkind(&self, subkind: Option<&str>) -> bool {
        self.subkind.is_none() || self.subkind.as_deref() == subkind
    }

    /// The condition on a row of `item` that arms and selection leave open.
    pub(super) fn condition(&self) -> String {
        let mut condition = self.place_condition();
        if self.favourite == Some(false) {
            condition.push_str(
                " AND NOT EXISTS (SELECT 1 FROM favourite AS f
                                   WHERE f.user_id = :viewer AND f.item_id = item.id)",
            );
        }
        if self.state == Some(State::Unstarted) {
            condition.push_str(
                " AND NOT EXISTS (SELECT 1 FROM item_progress AS p
                                   WHERE p.user_id = :viewer AND p.item_id = item.id)",
            );
        }
        condition
    }
}

fn in_state(finished: u8) -> String {
    format!("SELECT item_id FROM item_progress WHERE user_id = :viewer AND finished = {finished}")
}

//! Edits of many items by one request.

use rusqlite::{Connection, Transaction};
use serde::Serialize;
use utoipa::ToSchema;

use super::personal;
use super::recorder::{Action, NewBatch, Recorded, Recorder};
use super::snapshot::{self, Snapshot};
use super::tags::TagEdit;
use super::value::Change;
use crate::access::{Visible, VisibleItem};
use crate::db::item_index::IndexSnapshot;
use crate::error::{StoreError, StoreResult};
use crate::id::ItemId;
use crate::paging::Window;
use crate::store::catalogue::edit::{self, Edit};
use crate::store::catalogue::genre;
use crate::store::item::{self, Filter, ItemCard, Order};
use crate::store::user_data::tag::Owner;
use crate::text;
use crate::time::Timestamp;

/// Limit of items that a filter may select.
pub const MAX_SELECTED: u64 = 10_000;
/// Number of cards in a preview.
const SAMPLE: u32 = 5;

/// Values to set. `None` and an empty list keep a field.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Set {
    /// Makes the items favourites of the user, or removes them.
    pub favourite: Option<bool>,
    /// Finishes all files of the items, or resets the progress of the user.
    pub finished: Option<bool>,
    /// New rating of the user; the inner `None` removes it.
    pub rating: Option<Option<u8>>,
    /// Tags of the user to add.
    pub tags_add: Vec<String>,
    /// Tags of the user to remove.
    pub tags_remove: Vec<String>,
    /// New authors in order.
    pub authors: Option<Vec<String>>,
    /// New series; the items keep their numbers. The inner `None` means no series.
    pub series: Option<Option<String>>,
    /// New genres in order.
    pub genres: Option<Vec<String>>,
    /// Genres to add at the end.
    pub genres_add: Vec<String>,
    /// Genres to remove.
    pub genres_remove: Vec<String>,
    /// New language as a primary subtag, or none.
    pub language: Option<Option<String>>,
    /// New year, or none.
    pub year: Option<Option<i64>>,
    /// Shared tags to add.
    pub shared_tags_add: Vec<String>,
    /// Shared tags to remove.
    pub shared_tags_remove: Vec<String>,
    /// Names of the fields, for the batch.
    pub fields: Vec<String>,
    /// `true` if written fields keep their source, so that an unlocked field stays unlocked.
    pub keeps_sources: bool,
}

/// Items of a request.
#[derive(Debug, Clone)]
pub enum Selection {
    /// Distinct ids.
    Ids(Vec<ItemId>),
    /// All visible items of a filter.
    Filter(Box<Filter>),
}

impl Selection {
    /// Returns the visible items.
    ///
    /// # Errors
    ///
    /// Returns `Invalid` on `ids` if an id is not visible, and on `filter` for too many items.
    fn items(
        &self,
        conn: &Connection,
        view: &IndexSnapshot,
        visible: Visible,
    ) -> StoreResult<Vec<ItemId>> {
        match self {
            Self::Ids(ids) => {
                visible.check_items(conn, ids)?;
                Ok(ids.clone())
            }
            Self::Filter(filter) => {
                let ids = item::all_ids(conn, view, visible, filter)?;
                check_number(ids.len())?;
                let mut ids: Vec<ItemId> = ids.descending().collect();
                ids.reverse();
                Ok(ids)
            }
        }
    }
}

fn check_number(selected: u64) -> StoreResult<()> {
    if selected <= MAX_SELECTED {
        return Ok(());
    }
    let message = format!(
        "The filter selects {selected} items, and one request changes at most {MAX_SELECTED}: add a \
         criterion."
    );
    Err(StoreError::Invalid {
        field: "filter",
        message,
    })
}

/// Items that a selection contains.
#[derive(Debug, Serialize, ToSchema)]
pub struct Preview {
    /// Number of selected items, for `expected`.
    pub count: u64,
    /// Up to 5 of these items.
    pub sample: Vec<ItemCard>,
}

/// Returns the number of selected items with a sample. The errors are those of [`apply`].
pub fn preview(
    conn: &Connection,
    view: &IndexSnapshot,
    visible: Visible,
    selection: &Selection,
) -> StoreResult<Preview> {
    match selection {
        Selection::Ids(ids) => {
            visible.check_items(conn, ids)?;
            let sample: Vec<ItemId> = ids.iter().copied().take(SAMPLE as usize).collect();
            Ok(Preview {
                count: ids.len() as u64,
                sample: item::cards(conn, visible, &sample, None)?,
            })
        }
        Selection::Filter(filter) => {
            let window = Window {
                offset: 0,
                limit: SAMPLE,
            };
            let page = item::page(conn, view, visible, filter, Order::default(), window)?;
            check_number(page.total)?;
            Ok(Preview {
                count: page.total,
                sample: page.items,
            })
        }
    }
}

/// Returns the items of a selection. `expected` is the number of items that the client expects.
///
/// # Errors
///
/// Returns `Invalid` on `ids` or `filter` for an unacceptable selection, and `Stale` if the number
/// differs.
fn items(
    conn: &Connection,
    view: &IndexSnapshot,
    visible: Visible,
    (selection, expected): (&Selection, Option<u64>),
) -> StoreResult<Vec<ItemId>> {
    let items = selection.items(conn, view, visible)?;
    if expected.is_some_and(|expected| expected != items.len() as u64) {
        return Err(StoreError::Stale);
    }
    Ok(items)
}

/// Checks a selection outside the writer thread, because a filter can select a whole library. The
/// errors are those of [`apply`].
pub fn check(
    conn: &Connection,
    view: &IndexSnapshot,
    visible: Visible,
    selection: (&Selection, Option<u64>),
) -> StoreResult<()> {
    items(conn, view, visible, selection).map(drop)
}

/// Applies an edit to all items of a selection, as one batch. `expected` is the number of items that
/// the client expects.
///
/// # Errors
///
/// Returns `Stale` if the number differs, and `Invalid` if an item cannot have the values.
pub fn apply(
    tx: &Transaction<'_>,
    view: &IndexSnapshot,
    visible: Visible,
    (selection, expected): (&Selection, Option<u64>),
    set: &Set,
    now: Timestamp,
) -> StoreResult<Recorded> {
    let items = items(tx, view, visible, (selection, expected))?;
    let new = NewBatch {
        user: Some(visible.user()),
        action: Action::Edit,
        fields: set.fields.clone(),
        now,
    };
    let mut bulk = Bulk::new(tx, visible, set, now);
    let mut recorder = Recorder::new(tx, new);
    for id in items {
        // The index may contain an item whose deletion shares this commit.
        if let Some(item) = visible.item(tx, id)? {
            let changes = bulk.edit(item)?;
            recorder.record(item, &changes)?;
        }
    }
    recorder.finish()
}

struct Bulk<'a, 'tx> {
    tx: &'a Transaction<'tx>,
    set: &'a Set,
    own_tags: TagEdit<'a>,
    shared_tags: TagEdit<'a>,
    now: Timestamp,
}

impl<'a, 'tx> Bulk<'a, 'tx> {
    fn new(tx: &'a Transaction<'tx>, visible: Visible, set: &'a Set, now: Timestamp) -> Self {
        let owner = Owner::User(visible.user());
        Self {
            tx,
            set,
            own_tags: TagEdit::new(owner, "set.tags_add", &set.tags_add, &set.tags_remove),
            shared_tags: TagEdit::new(
                Owner::Everyone,
                "set.shared_tags_add",
                &set.shared_tags_add,
                &set.shared_tags_remove,
            ),
            now,
        }
    }

    /// Edits one item and returns the changes.
    fn edit(&mut self, item: VisibleItem) -> StoreResult<Vec<Change>> {
        let mut changes = if self.set.has_fields() {
            self.edit_fields(item)?
        } else {
            Vec::new()
        };
        let (tx, set, now) = (self.tx, self.set, self.now);
        if let Some(wanted) = set.favourite {
            changes.extend(personal::set_favourite(tx, item, wanted, now)?);
        }
        if let Some(wanted) = set.rating {
            changes.extend(personal::set_rating(tx, item, wanted, now)?);
        }
        if let Some(wanted) = set.finished {
            changes.extend(personal::set_finished(tx, item, wanted, now)?);
        }
        self.own_tags.apply(tx, item.id(), &mut changes)?;
        self.shared_tags.apply(tx, item.id(), &mut changes)?;
        Ok(changes)
    }

    fn edit_fields(&self, item: VisibleItem) -> StoreResult<Vec<Change>> {
        let Some(before) = snapshot::read(self.tx, item.id())? else {
            return Ok(Vec::new());
        };
        edit::apply(self.tx, item, &self.set.edit_of(&before)?)?;
        let after = snapshot::read(self.tx, item.id())?;
        Ok(after.map_or(Vec::new(), |after| before.changes(&after)))
    }
}

impl Set {
    /// Returns `true` if a field of the items themselves changes.
    fn has_fields(&self) -> bool {
        self.authors.is_some()
            || self.series.is_some()
            || self.has_genres()
            || self.language.is_some()
            || self.year.is_some()
    }

    fn has_genres(&self) -> bool {
        self.genres.is_some() || !self.genres_add.is_empty() || !self.genres_remove.is_empty()
    }

    /// Returns the edit of one item.
    fn edit_of(&self, before: &Snapshot) -> StoreResult<Edit> {
        let genres = self.has_genres().then(|| self.genres_of(before));
        // An addition or a removal without effect does not lock the genres.
        let is_effective =
            |genres: &Vec<String>| self.genres.is_some() || *genres != before.genres.value;
        Ok(Edit {
            authors: self.authors.clone(),
            series: self.series.clone(),
            genres: genres.transpose()?.filter(is_effective),
            language: self.language.clone(),
            year: self.year,
            keeps_sources: self.keeps_sources,
            ..Edit::default()
        })
    }

    /// Returns the genres of an item: the new or the existing ones without the removed ones, with the
    /// added ones at the end.
    fn genres_of(&self, before: &Snapshot) -> StoreResult<Vec<String>> {
        let existing = self.genres.as_ref().unwrap_or(&before.genres.value);
        let removed: Vec<String> = self.genres_remove.iter().map(|n| text::fold(n)).collect();
        let mut keys: Vec<String> = Vec::new();
        let mut genres = Vec::new();
        let kept = existing
            .iter()
            .filter(|name| !removed.contains(&text::fold(name)));
        for name in kept.chain(&self.genres_add) {
            let key = text::fold(name);
            if !keys.contains(&key) {
                keys.push(key);
                genres.push(name.clone());
            }
        }
        if genres.len() > genre::MAX_GENRES {
            let message = format!("An item has at most {} genres.", genre::MAX_GENRES);
            return Err(StoreError::Invalid {
                field: "set.genres_add",
                message,
            });
        }
        Ok(genres)
    }
}

//! Index of all items in memory. It has two bytes per item for its library, its kind and its
//! missing flag, and two bytes for its probed media profile.
//!
//! Without this index, counting the visible items among half a million matches would join each
//! match with its item. The writer publishes changes after each commit and before it answers, so a
//! client reads its own writes. The index fails closed: an unknown item is not visible. It does not
//! contain grants. These come from the same read transaction as all other data, and reads of one
//! item use SQL alone.

mod changed_ranges;
mod grid;
mod load;
mod profile;

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use rusqlite::{Connection, named_params};
use tokio::sync::watch;

use super::id_set::IdSet;
use crate::access::Visible;
use crate::error::{StoreError, StoreResult};
use crate::id::{ItemId, LibraryId};

use grid::{Grid, Segments};
use profile::Profiles;

pub(super) use changed_ranges::{ChangedRanges, Watch};
pub(super) use load::Loader;
pub use profile::{LAST_PROFILE, ProfileView};

/// Deleted item. It differs from an unknown item, so that loading does not restore it.
const GONE: u16 = 1;
/// First number that refers to a bucket.
const FIRST: u16 = 2;

/// Bucket of an item.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ItemBucket {
    /// Library of the item.
    pub library: LibraryId,
    /// Kind of the item.
    pub kind: Arc<str>,
    /// Subkind of the item.
    pub subkind: Option<Arc<str>>,
    /// `true` if the last scan found none of its files.
    pub missing: bool,
}

/// The bucket of every item; clones share it.
#[derive(Debug, Clone)]
pub struct ItemIndex {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    entries: Grid,
    profiles: Profiles,
    buckets: RwLock<Arc<Vec<ItemBucket>>>,
    numbers: Mutex<HashMap<ItemBucket, u16>>,
    state: watch::Sender<State>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Loading,
    Ready,
    Failed,
    Closed,
}

impl ItemIndex {
    /// Creates an empty index.
    pub(super) fn new() -> Self {
        Self {
            shared: Arc::new(Shared {
                entries: Grid::default(),
                profiles: Profiles::default(),
                buckets: RwLock::default(),
                numbers: Mutex::default(),
                state: watch::Sender::new(State::Loading),
            }),
        }
    }

    /// Waits until every item is loaded.
    pub(super) async fn ready(&self) -> StoreResult<()> {
        let mut state = self.shared.state.subscribe();
        let state = state.wait_for(|state| *state != State::Loading).await;
        match state.map(|state| *state) {
            Ok(State::Ready) => Ok(()),
            Ok(State::Failed) => Err(StoreError::Refused(
                "The catalogue could not be read at start; the log says why.".to_owned(),
            )),
            _ => Err(StoreError::Closed),
        }
    }

    fn end_loading(&self, end: State) {
        self.shared.state.send_if_modified(|state| {
            let is_news = *state == State::Loading || end == State::Closed;
            if is_news {
                *state = end;
            }
            is_news
        });
    }

    /// Returns a snapshot of the current state.
    pub(super) fn view(&self) -> IndexSnapshot {
        // Segments first: a number that is newer than the buckets is not visible.
        let segments = self.shared.entries.segments();
        let buckets = self.shared.buckets.read();
        IndexSnapshot {
            segments,
            profiles: self.shared.profiles.snapshot(),
            buckets: Arc::clone(&buckets.unwrap_or_else(PoisonError::into_inner)),
        }
    }

    /// Reads the recorded items again and publishes their state. The writer calls it directly after
    /// a transaction, committed or not, because the stored state counts.
    pub(super) fn publish(&self, connection: &Connection, changed_ranges: &ChangedRanges) {
        for (first, last) in changed_ranges.ranges() {
            if let Err(error) = self.publish_range(connection, first, last) {
                tracing::error!(%error, "changed items could not be read and are hidden from lists");
                self.shared.entries.set_all(first, last, GONE);
            }
        }
    }

    fn publish_range(&self, connection: &Connection, first: i64, last: i64) -> StoreResult<()> {
        let mut statement = connection.prepare_cached(
            "SELECT id, library_id, kind, missing, profile_id, subkind
               FROM item
              WHERE id BETWEEN :first AND :last
              ORDER BY id",
        )?;
        let mut rows = statement.query(named_params! { ":first": first, ":last": last })?;
        let mut next = first;
        while let Some(row) = rows.next()? {
            let id: i64 = row.get(0)?;
            let (entries, profiles) = (&self.shared.entries, &self.shared.profiles);
            entries.set_all(next, id - 1, GONE);
            let kind = row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)?;
            let bucket = ItemBucket {
                library: LibraryId(row.get(1)?),
                kind: kind.into(),
                subkind: row.get(5)?,
                missing: row.get(3)?,
            };
            let number = self.number(bucket);
            profiles.set(id, row.get(4)?);
            entries.set_all(id, id, number);
            next = id + 1;
        }
        self.shared.entries.set_all(next, last, GONE);
        Ok(())
    }

    /// Publishes an item that has not been published since.
    fn set_unless_known(&self, id: i64, number: u16, profile: Option<i64>) {
        self.shared.profiles.set_unless_known(id, profile);
        self.shared.entries.set_unless_known(id, number);
    }

    /// Returns the number of a bucket. Beyond 65,000 buckets, the items of further buckets would
    /// not be visible.
    fn number(&self, bucket: ItemBucket) -> u16 {
        let mut numbers = self
            .shared
            .numbers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = numbers.get(&bucket) {
            return *number;
        }
        let next = u16::try_from(numbers.len()).ok();
        let Some(number) = next.and_then(|next| next.checked_add(FIRST)) else {
            let (library, kind) = (bucket.library, &*bucket.kind);
            tracing::error!(%library, kind, "too many libraries and kinds for the lists");
            return GONE;
        };
        numbers.insert(bucket.clone(), number);
        let mut buckets = self
            .shared
            .buckets
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        Arc::make_mut(&mut buckets).push(bucket);
        number
    }
}

/// Snapshot of the index. Items that change meanwhile show their new bucket, but never that of
/// another item, because ids are not reused.
#[derive(Debug)]
pub struct IndexSnapshot {
    segments: Arc<Segments>,
    profiles: ProfileView,
    buckets: Arc<Vec<ItemBucket>>,
}

impl IndexSnapshot {
    /// Returns the bucket of an item, or `None` if the item does not exist.
    pub fn bucket(&self, id: ItemId) -> Option<&ItemBucket> {
        self.buckets.get(self.number(id)?)
    }

    /// Returns the media profile of each item.
    pub fn profiles(&self) -> &ProfileView {
        &self.profiles
    }

    /// Returns every library and kind that has had items since the start.
    pub fn buckets(&self) -> impl Iterator<Item = &ItemBucket> {
        self.buckets.iter()
    }

    /// Loads the snapshot of a database without a writer.
    #[cfg(test)]
    pub(crate) fn of(connection: &Connection) -> Self {
        let item_index = ItemIndex::new();
        let stop = std::sync::atomic::AtomicBool::new(false);
        load::load(&item_index, connection, &stop).expect("every item");
        item_index.view()
    }

    /// Returns the ids of all items, in ascending order.
    pub fn ids(&self) -> impl Iterator<Item = ItemId> + '_ {
        grid::ids(&self.segments, FIRST).map(ItemId)
    }

    /// Counts the items of a set by bucket. Buckets without items are omitted.
    pub fn count_by_bucket(&self, ids: &IdSet) -> Vec<(&ItemBucket, u64)> {
        let mut counts = vec![0; self.buckets.len()];
        for id in ids.descending() {
            if let Some(count) = self.number(id).and_then(|number| counts.get_mut(number)) {
                *count += 1;
            }
        }
        let buckets = self.buckets.iter().zip(counts);
        buckets.filter(|(_, count)| *count > 0).collect()
    }

    fn number(&self, id: ItemId) -> Option<usize> {
        bucket(grid::number(&self.segments, id.0))
    }

    /// Groups the items that a user may see. `group` returns the group of a bucket, or `None` to
    /// leave the bucket out. The grants are read in the transaction of `connection`.
    pub fn groups(
        &self,
        connection: &Connection,
        visible: Visible,
        group: impl Fn(&ItemBucket) -> Option<usize>,
    ) -> StoreResult<Groups<'_>> {
        let libraries = visible.libraries(connection)?;
        let of = |bucket: &ItemBucket| {
            let is_granted = libraries.binary_search(&bucket.library).is_ok();
            is_granted.then(|| group(bucket)).flatten()
        };
        Ok(Groups {
            view: self,
            by_bucket: self.buckets.iter().map(of).collect(),
        })
    }
}

/// Visible items in groups, such as one group per kind.
#[derive(Debug)]
pub struct Groups<'a> {
    view: &'a IndexSnapshot,
    by_bucket: Vec<Option<usize>>,
}

impl Groups<'_> {
    /// Returns the group of an item, or `None` if it is not visible or in no group.
    pub fn of(&self, id: ItemId) -> Option<usize> {
        *self.by_bucket.get(self.view.number(id)?)?
    }

    /// Calls `visit` for each id in `ids` that belongs to a group, in descending order, until `visit`
    /// breaks.
    pub fn each(&self, ids: &IdSet, mut visit: impl FnMut(usize, ItemId) -> ControlFlow<()>) {
        for id in ids.descending() {
            if let Some(group) = self.of(id)
                && visit(group, id).is_break()
            {
                return;
            }
        }
    }
}

/// Returns the bucket of an entry, or `None` if the item is unknown or deleted.
fn bucket(number: u16) -> Option<usize> {
    number.checked_sub(FIRST).map(usize::from)
}

#[cfg(test)]
mod tests;

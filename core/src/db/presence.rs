//! Which items there are, in memory: for each item its library, its kind and whether it is
//! missing, in two bytes, and in two more what is in it where that was probed.
//!
//! Counting what a user may see of half a million matches would otherwise join each with its item.
//! The writer publishes after each commit and before it answers, so that whoever wrote reads their
//! own write. It fails closed: what is not known is not visible. Grants are not kept here; they
//! come from the same read transaction as everything else, and reads of one item ask SQL alone.
//!
//! Beside it stand what makes pages deep in a list quick, whether a viewer's own rows are as they
//! were, and sets of those that are many.

mod grid;
mod kept_sets;
pub mod levels;
mod load;
mod orders;
mod profile;
mod touched;
mod viewers;

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use rusqlite::{Connection, named_params};
use tokio::sync::watch;

use super::id_set::kept::Kept;
use super::id_set::{self, Bits, IdSet};
use crate::access::Visible;
use crate::id::{ItemId, LibraryId, UserId};
use crate::store::{StoreError, StoreResult};

use grid::{Grid, Segments};
use kept_sets::KeptSets;
use levels::{Levels, Order};
use orders::Orders;
use profile::Profiles;

pub(crate) use kept_sets::OwnSets;
pub(super) use load::Loader;
pub use profile::ProfileView;
pub(super) use touched::{Touched, Watch};
pub(super) use viewers::Viewers;

/// Deleted; told apart from the unknown so that loading does not bring it back.
const GONE: u16 = 1;
/// The first number that stands for a place.
const FIRST: u16 = 2;

/// Where an item belongs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    /// Its library.
    pub library: LibraryId,
    /// Its kind.
    pub kind: Arc<str>,
    /// Its subkind.
    pub subkind: Option<Arc<str>>,
    /// Whether none of its files was found by the last scan.
    pub missing: bool,
}

/// Every item's place; clones share it.
#[derive(Debug, Clone)]
pub struct Presence {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    entries: Grid,
    profiles: Profiles,
    places: RwLock<Arc<Vec<Place>>>,
    numbers: Mutex<HashMap<Place, u16>>,
    state: watch::Sender<State>,
    kept: Kept,
    orders: Orders,
    viewers: Viewers,
    sets: KeptSets,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Loading,
    Ready,
    Failed,
    Closed,
}

impl Presence {
    /// Of a database that nobody asks for deep pages.
    #[cfg(test)]
    pub(super) fn new() -> Self {
        Self::with(Orders::of(None), Viewers::default())
    }

    /// Of the database at `path`, whose writer tells `viewers` of changes.
    pub(super) fn of(path: &Path, viewers: Viewers) -> Self {
        Self::with(Orders::of(Some(path)), viewers)
    }

    fn with(orders: Orders, viewers: Viewers) -> Self {
        Self {
            shared: Arc::new(Shared {
                entries: Grid::default(),
                profiles: Profiles::default(),
                places: RwLock::default(),
                numbers: Mutex::default(),
                state: watch::Sender::new(State::Loading),
                kept: Kept::default(),
                orders,
                viewers,
                sets: KeptSets::default(),
            }),
        }
    }

    /// Waits until every item is known.
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

    /// What is known now, if every item is.
    pub(super) fn view_of_all(&self) -> Option<View> {
        let is_ready = *self.shared.state.borrow() == State::Ready;
        is_ready.then(|| self.view())
    }

    /// What is known now.
    pub(super) fn view(&self) -> View {
        let since = self.shared.viewers.clock();
        // The segments first: a number that is newer than the places is not visible.
        let segments = self.shared.entries.segments();
        let places = self.shared.places.read();
        View {
            segments,
            profiles: self.shared.profiles.now(),
            places: Arc::clone(&places.unwrap_or_else(PoisonError::into_inner)),
            kept: self.shared.kept.clone(),
            orders: self.shared.orders.clone(),
            viewers: self.shared.viewers.clone(),
            sets: self.shared.sets.clone(),
            since,
        }
    }

    /// These items are about to be committed: whoever reads from now on may see them as they were or
    /// as they are, and looks them up.
    pub(super) fn announce(&self, touched: Touched) {
        self.shared.orders.touch(touched);
    }

    /// Reads the touched items anew and tells what became of them. Right after a transaction,
    /// whether it was committed or not: what is stored counts.
    pub(super) fn publish(&self, connection: &Connection, touched: Touched) {
        self.shared.viewers.settle();
        for (first, last) in touched.ranges() {
            if let Err(error) = self.publish_range(connection, first, last) {
                tracing::error!(%error, "changed items could not be read and are hidden from lists");
                self.shared.entries.set_all(first, last, GONE);
            }
        }
        // Once more: levels may have been begun since, from what was there before.
        self.shared.orders.touch(touched);
    }

    /// Stops what goes on beside requests.
    pub(super) fn close(&self) {
        self.shared.orders.close();
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
            let place = Place {
                library: LibraryId(row.get(1)?),
                kind: kind.into(),
                subkind: row.get(5)?,
                missing: row.get(3)?,
            };
            let number = self.number(place);
            profiles.set(id, row.get(4)?);
            entries.set_all(id, id, number);
            next = id + 1;
        }
        self.shared.entries.set_all(next, last, GONE);
        Ok(())
    }

    /// Tells of an item that nobody has told of since.
    fn set_unless_known(&self, id: i64, number: u16, profile: Option<i64>) {
        self.shared.profiles.set_unless_known(id, profile);
        self.shared.entries.set_unless_known(id, number);
    }

    /// The number that stands for a place. Were there ever more than 65,000 places, the items of
    /// the last ones would not be visible.
    fn number(&self, place: Place) -> u16 {
        let mut numbers = self
            .shared
            .numbers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = numbers.get(&place) {
            return *number;
        }
        let next = u16::try_from(numbers.len()).ok();
        let Some(number) = next.and_then(|next| next.checked_add(FIRST)) else {
            let (library, kind) = (place.library, &*place.kind);
            tracing::error!(%library, kind, "too many libraries and kinds for the lists");
            return GONE;
        };
        numbers.insert(place.clone(), number);
        let mut places = self
            .shared
            .places
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        Arc::make_mut(&mut places).push(place);
        number
    }
}

/// What is known at one moment. Items that change meanwhile show their new place, never that of
/// another item: ids are not used twice.
#[derive(Debug)]
pub struct View {
    segments: Arc<Segments>,
    profiles: Option<ProfileView>,
    places: Arc<Vec<Place>>,
    kept: Kept,
    orders: Orders,
    viewers: Viewers,
    sets: KeptSets,
    /// The moment, as viewers' changes count.
    since: u64,
}

impl View {
    /// Sets of ids that others asked for.
    pub fn kept(&self) -> &Kept {
        &self.kept
    }

    /// How deep in an order each item lies; `None` while that is not known. To ask is to have it
    /// found out.
    pub fn levels(&self, order: Order) -> Option<Arc<Levels>> {
        self.orders.levels(order)
    }

    /// So many items have changed since these were made that they help no more.
    pub fn outdate_levels(&self, levels: &Arc<Levels>) {
        self.orders.outdate(levels);
    }

    /// A number that stands for what a viewer has begun and loves. `None` where that has changed
    /// since this view was taken: what a transaction that is as old sees may then be another state.
    pub fn viewers_state(&self, viewer: UserId) -> Option<u64> {
        self.viewers.unchanged_since(self.since, viewer)
    }

    /// The items of which something has changed for a viewer since this state; `None` where those
    /// were too many.
    pub(crate) fn changed_since(&self, state: u64, viewer: UserId) -> Option<Vec<ItemId>> {
        self.viewers.changed_since(state, viewer)
    }

    /// What is kept of a viewer, and the state in which that was.
    pub(crate) fn own_sets(&self, viewer: UserId) -> Option<(u64, OwnSets)> {
        self.sets.of(viewer)
    }

    /// Whether there is room to keep a viewer's, if they have something among all items.
    pub(crate) fn has_room_for_sets(&self, viewer: UserId) -> bool {
        let most = 2 * self.segments.len() * id_set::WORDS * size_of::<u64>();
        self.sets.have_room(viewer, most)
    }

    /// Keeps what a viewer has in this state.
    pub(crate) fn keep_own_sets(&self, viewer: UserId, state: u64, sets: OwnSets) {
        self.sets.keep(viewer, state, sets);
    }

    /// Where an item belongs; `None` if there is none of this id.
    pub fn place(&self, id: ItemId) -> Option<&Place> {
        self.places.get(self.number(id)?)
    }

    /// What is in each item; `None` where that is not known of all.
    pub fn profiles(&self) -> Option<&ProfileView> {
        self.profiles.as_ref()
    }

    /// Every library and kind that has or had items since the start.
    pub fn places(&self) -> impl Iterator<Item = &Place> {
        self.places.iter()
    }

    /// What a database holds that nobody writes to.
    #[cfg(test)]
    pub(crate) fn of(connection: &Connection) -> Self {
        let presence = Presence::new();
        let stop = std::sync::atomic::AtomicBool::new(false);
        load::load(&presence, connection, &stop).expect("every item");
        presence.view()
    }

    /// The same with levels, where these items have changed since those were made.
    #[cfg(test)]
    pub(crate) fn with_levels(
        connection: &Connection,
        orders: impl Iterator<Item = Order>,
        changed: impl Iterator<Item = ItemId>,
    ) -> Self {
        let view = Self::of(connection);
        for order in orders {
            let levels = Levels::make(connection, order, || true).expect("an index");
            view.orders.put(levels.expect("items"));
        }
        view.orders.touch(Touched::of(changed));
        view
    }

    fn number(&self, id: ItemId) -> Option<usize> {
        place(grid::number(&self.segments, id.0))
    }

    /// What a user may see, by groups: `group` names that of a place, or leaves the place out.
    /// The grants are read in the transaction of `connection`.
    pub fn groups(
        &self,
        connection: &Connection,
        visible: Visible,
        group: impl Fn(&Place) -> Option<usize>,
    ) -> StoreResult<Groups<'_>> {
        let libraries = visible.libraries(connection)?;
        let of = |place: &Place| {
            let is_granted = libraries.binary_search(&place.library).is_ok();
            is_granted.then(|| group(place)).flatten()
        };
        Ok(Groups {
            view: self,
            by_place: self.places.iter().map(of).collect(),
        })
    }
}

/// Visible items in groups, such as one for each kind.
#[derive(Debug)]
pub struct Groups<'a> {
    view: &'a View,
    by_place: Vec<Option<usize>>,
}

impl Groups<'_> {
    /// The item's group; `None` if the user may not see it or it was left out.
    pub fn of(&self, id: ItemId) -> Option<usize> {
        *self.by_place.get(self.view.number(id)?)?
    }

    /// Tells of each item that belongs to a group.
    pub fn all(&self, mut tell: impl FnMut(ItemId)) {
        for (number, segment) in self.view.segments.iter().enumerate() {
            for (at, entry) in segment
                .iter()
                .flat_map(|entries| entries.iter())
                .enumerate()
            {
                let place = place(entry.load(Ordering::Relaxed));
                if place.is_some_and(|place| matches!(self.by_place.get(place), Some(Some(_)))) {
                    let id = number * grid::SEGMENT + at;
                    tell(ItemId(i64::try_from(id).unwrap_or(i64::MAX)));
                }
            }
        }
    }

    /// How many of `ids` belong to a group.
    pub fn count(&self, ids: &IdSet) -> u64 {
        let mut count = 0;
        self.each(ids, |_, _| {
            count += 1;
            ControlFlow::Continue(())
        });
        count
    }

    /// Tells of each id in `ids` that belongs to a group, highest first, until `tell` breaks off.
    /// What [`Self::of`] finds out for one id takes many times as long as the next one here.
    pub fn each(&self, ids: &IdSet, mut tell: impl FnMut(usize, ItemId) -> ControlFlow<()>) {
        for (number, words) in ids.chunks_descending() {
            let Some(Some(segment)) = self.view.segments.get(number) else {
                continue;
            };
            // A segment has an entry for each bit of a chunk.
            let (entries, _) = segment.as_chunks::<64>();
            for (word, (bits, entries)) in words.iter().zip(entries).enumerate().rev() {
                for bit in Bits(*bits) {
                    let entry = entries.get(bit as usize);
                    let place = entry.and_then(|entry| place(entry.load(Ordering::Relaxed)));
                    let group = place.and_then(|place| *self.by_place.get(place)?);
                    let Some(group) = group else { continue };
                    let id = id_set::id_at(number * id_set::WORDS + word, bit);
                    if tell(group, id).is_break() {
                        return;
                    }
                }
            }
        }
    }
}

/// The place that an entry stands for; `None` for what is unknown or gone.
fn place(number: u16) -> Option<usize> {
    number.checked_sub(FIRST).map(usize::from)
}

#[cfg(test)]
mod tests;

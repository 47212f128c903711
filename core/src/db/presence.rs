//! Which items there are, in memory: for each item its library, its kind and whether it is
//! missing, in two bytes, and in two more what is in it where that was probed.
//!
//! Counting what a user may see of half a million matches would otherwise join each with its item.
//! The writer publishes after each commit and before it answers, so that whoever wrote reads their
//! own write. It fails closed: what is not known is not visible. Grants are not kept here; they
//! come from the same read transaction as everything else, and reads of one item ask SQL alone.

mod grid;
mod load;
mod profile;
mod touched;

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use rusqlite::{Connection, named_params};
use tokio::sync::watch;

use super::id_set::kept::Kept;
use super::id_set::{self, Bits, IdSet};
use crate::access::Visible;
use crate::id::{ItemId, LibraryId};
use crate::store::{StoreError, StoreResult};

use grid::{Grid, Segments};
use profile::Profiles;

pub(super) use load::Loader;
pub use profile::ProfileView;
pub(super) use touched::{Touched, Watch};

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
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Loading,
    Ready,
    Failed,
    Closed,
}

impl Presence {
    pub(super) fn new() -> Self {
        Self {
            shared: Arc::new(Shared {
                entries: Grid::default(),
                profiles: Profiles::default(),
                places: RwLock::default(),
                numbers: Mutex::default(),
                state: watch::Sender::new(State::Loading),
                kept: Kept::default(),
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
        // The segments first: a number that is newer than the places is not visible.
        let segments = self.shared.entries.segments();
        let places = self.shared.places.read();
        View {
            segments,
            profiles: self.shared.profiles.now(),
            places: Arc::clone(&places.unwrap_or_else(PoisonError::into_inner)),
            kept: self.shared.kept.clone(),
        }
    }

    /// Reads the touched items anew and tells what became of them. Right after a transaction,
    /// whether it was committed or not: what is stored counts.
    pub(super) fn publish(&self, connection: &Connection, touched: &Touched) {
        for (first, last) in touched.ranges() {
            if let Err(error) = self.publish_range(connection, first, last) {
                tracing::error!(%error, "changed items could not be read and are hidden from lists");
                self.shared.entries.set_all(first, last, GONE);
            }
        }
    }

    fn publish_range(&self, connection: &Connection, first: i64, last: i64) -> StoreResult<()> {
        let mut statement = connection.prepare_cached(
            "SELECT id, library_id, kind, missing, profile_id
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
            let number = self.number(LibraryId(row.get(1)?), kind, row.get(3)?);
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
    fn number(&self, library: LibraryId, kind: &str, missing: bool) -> u16 {
        let place = Place {
            library,
            kind: kind.into(),
            missing,
        };
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
}

impl View {
    /// Sets of ids that others asked for.
    pub fn kept(&self) -> &Kept {
        &self.kept
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

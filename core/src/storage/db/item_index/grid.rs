//! Small numbers per item, addressed by item id.

use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// Ids per segment. Segments are allocated on demand.
const SEGMENT: usize = 1 << 16;
const SEGMENT_BITS: u32 = 16;
/// Limit of segments. Ids beyond it, about four thousand million, have no number.
const MAX_SEGMENTS: usize = 1 << 16;
pub(super) const LAST_ID: i64 = (1 << 32) - 1;

/// Number of an unknown item.
pub(super) const UNKNOWN: u16 = 0;

type Segment = Arc<[AtomicU16]>;
/// Current segments; their numbers keep changing.
pub(super) type Segments = Vec<Option<Segment>>;

/// Numbers of all items.
#[derive(Debug, Default)]
pub(super) struct Grid {
    segments: RwLock<Arc<Segments>>,
}

impl Grid {
    /// Returns all current segments.
    pub(super) fn segments(&self) -> Arc<Segments> {
        Arc::clone(&self.segments.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Sets the number of each id from `first` to `last`.
    pub(super) fn set_all(&self, first: i64, last: i64, number: u16) {
        for id in first.max(0)..=last.min(LAST_ID) {
            if let Some((segment, at)) = self.segment(id)
                && let Some(entry) = segment.get(at)
            {
                entry.store(number, Ordering::Relaxed);
            }
        }
    }

    /// Sets the number of an item that has none yet.
    pub(super) fn set_unless_known(&self, id: i64, number: u16) {
        if let Some((segment, at)) = self.segment(id)
            && let Some(entry) = segment.get(at)
        {
            // The exchange fails if the writer was first, and the writer's number is newer.
            let _ = entry.compare_exchange(UNKNOWN, number, Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    fn segment(&self, id: i64) -> Option<(Segment, usize)> {
        let (number, at) = position(id)?;
        let known = self.segments.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(Some(segment)) = known.get(number) {
            return Some((Arc::clone(segment), at));
        }
        drop(known);
        let mut segments = self
            .segments
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let list = Arc::make_mut(&mut segments);
        if list.len() <= number {
            list.resize_with(number + 1, || None);
        }
        let slot = list.get_mut(number)?;
        let segment =
            slot.get_or_insert_with(|| (0..SEGMENT).map(|_| AtomicU16::new(UNKNOWN)).collect());
        Some((Arc::clone(segment), at))
    }
}

/// Returns the ids with a number of at least `least`, in ascending order.
pub(super) fn ids(segments: &Segments, least: u16) -> impl Iterator<Item = i64> + '_ {
    let firsts = (0_i64..).step_by(SEGMENT);
    segments
        .iter()
        .zip(firsts)
        .flat_map(move |(segment, first)| {
            let entries = segment.iter().flat_map(|segment| segment.iter());
            entries.zip(first..).filter_map(move |(entry, id)| {
                (entry.load(Ordering::Relaxed) >= least).then_some(id)
            })
        })
}

/// Returns the number of an item.
pub(super) fn number(segments: &Segments, id: i64) -> u16 {
    let entry = position(id).and_then(|(number, at)| segments.get(number)?.as_ref()?.get(at));
    entry.map_or(UNKNOWN, |entry| entry.load(Ordering::Relaxed))
}

fn position(id: i64) -> Option<(usize, usize)> {
    let number = usize::try_from(id >> SEGMENT_BITS).ok()?;
    let at = usize::try_from(id).ok()? % SEGMENT;
    (number < MAX_SEGMENTS).then_some((number, at))
}

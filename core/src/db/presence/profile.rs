//! Which combination of container and codecs items have, beside their places.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::grid::{self, Grid, Segments};

/// What stands for having none, where it is to be told from not being known.
const NONE: u16 = 1;
/// What is added to a profile's id.
const FIRST: i64 = 2;

/// Every item's profile.
#[derive(Debug, Default)]
pub(super) struct Profiles {
    grid: Grid,
    /// Whether there is one of an id that has no number here.
    is_beyond: AtomicBool,
}

impl Profiles {
    pub(super) fn set(&self, item: i64, profile: Option<i64>) {
        self.grid.set_all(item, item, self.number(profile));
    }

    /// Tells of an item that nobody has told of since.
    pub(super) fn set_unless_known(&self, item: i64, profile: Option<i64>) {
        // Most have none; those take no memory.
        if profile.is_some() {
            self.grid.set_unless_known(item, self.number(profile));
        }
    }

    fn number(&self, profile: Option<i64>) -> u16 {
        let Some(profile) = profile else {
            return NONE;
        };
        let number = u16::try_from(profile.saturating_add(FIRST)).ok();
        number.filter(|_| profile > 0).unwrap_or_else(|| {
            self.is_beyond.store(true, Ordering::Relaxed);
            NONE
        })
    }

    /// What is known now; `None` where that is not all.
    pub(super) fn now(&self) -> Option<ProfileView> {
        let segments = self.grid.segments();
        (!self.is_beyond.load(Ordering::Relaxed)).then_some(ProfileView { segments })
    }
}

/// Every item's profile at one moment.
#[derive(Debug)]
pub struct ProfileView {
    segments: Arc<Segments>,
}

impl ProfileView {
    /// The profile of an item, if it has one.
    pub fn of(&self, item: crate::id::ItemId) -> Option<i64> {
        let number = i64::from(grid::number(&self.segments, item.0));
        (number >= FIRST).then(|| number - FIRST)
    }
}

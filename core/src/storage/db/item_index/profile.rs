//! Combinations of container and codecs (media profiles) per item.

use std::sync::Arc;

use super::grid::{self, Grid, Segments};

/// Number of an item without a profile, as opposed to an unknown item.
const NONE: u16 = 1;
/// Offset that is added to a profile's id.
const FIRST: i64 = 2;
/// Last profile that has a number. Items with later profiles belong to no list of playable items.
pub const LAST_PROFILE: i64 = u16::MAX as i64 - FIRST;

/// Media profile of every item.
#[derive(Debug, Default)]
pub(super) struct Profiles(Grid);

impl Profiles {
    pub(super) fn set(&self, item: i64, profile: Option<i64>) {
        self.0.set_all(item, item, number(profile));
    }

    /// Records the profile of an item that has none yet.
    pub(super) fn set_unless_known(&self, item: i64, profile: Option<i64>) {
        // Most items have none; they take no memory.
        if profile.is_some() {
            self.0.set_unless_known(item, number(profile));
        }
    }

    /// Returns the current profiles.
    pub(super) fn snapshot(&self) -> ProfileView {
        ProfileView {
            segments: self.0.segments(),
        }
    }
}

fn number(profile: Option<i64>) -> u16 {
    let known = profile.filter(|profile| (1..=LAST_PROFILE).contains(profile));
    known
        .and_then(|profile| u16::try_from(profile + FIRST).ok())
        .unwrap_or(NONE)
}

/// Snapshot of the media profiles.
#[derive(Debug)]
pub struct ProfileView {
    segments: Arc<Segments>,
}

impl ProfileView {
    /// Returns the profile of an item, if it has one.
    pub fn of(&self, item: crate::id::ItemId) -> Option<i64> {
        let number = i64::from(grid::number(&self.segments, item.0));
        (number >= FIRST).then(|| number - FIRST)
    }
}

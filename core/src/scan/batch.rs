//! Batches: prepared folders cut into transactions of a bounded size.

use std::time::Duration;

use super::change::{PreparedFolder, PreparedGroup};
use crate::store::folder::Digest;

/// How much goes into one transaction at most.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    /// Groups, and folders.
    groups: usize,
    /// Groups and their files together, beyond the first group's.
    weight: usize,
}

impl Size {
    /// The fastest: pages that many groups change are written once.
    pub(super) const LARGE: Self = Self {
        groups: 800,
        weight: 2_100,
    };
    /// A few milliseconds, to begin with, while somebody waits for the writer now and then.
    pub(super) const SMALL: Self = Self::of_weight(72);
    /// How long a small one is to take, the commit included.
    const TARGET: Duration = Duration::from_millis(4);
    /// What is always worth a transaction, and what is never too much for a small one.
    const WEIGHTS: (usize, usize) = (12, 144);

    /// No group weighs less than two.
    const fn of_weight(weight: usize) -> Self {
        Self {
            groups: weight / 2,
            weight,
        }
    }

    /// The next small one after one of this weight took so long: half way to what would have
    /// taken as long as it is to.
    pub(super) fn after(self, weight: usize, took: Duration) -> Self {
        let fitting = u128::try_from(weight).unwrap_or(u128::MAX) * Self::TARGET.as_micros()
            / took.as_micros().max(1);
        let (least, most) = Self::WEIGHTS;
        let fitting = usize::try_from(fitting).unwrap_or(most).clamp(least, most);
        Self::of_weight(usize::midpoint(self.weight, fitting))
    }
}

/// What parts weigh: their groups and files.
pub(super) fn weight(parts: &[Part]) -> usize {
    let groups = parts.iter().flat_map(|part| &part.groups);
    groups.map(weight_of).sum()
}

fn weight_of(group: &PreparedGroup) -> usize {
    1 + group.files.len()
}

/// A folder, or the part of it that goes into one transaction.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) path: Vec<u8>,
    pub(super) is_mount: bool,
    pub(super) groups: Vec<PreparedGroup>,
    /// What the folder's listing becomes: `None` while there is more of it to come, or while it
    /// is to be looked at again.
    pub(super) listing: Option<Digest>,
    /// What its pictures are, told with the last part of the folder.
    pub(super) pictures: Option<Pictures>,
}

/// A digest of the pictures in a folder that may be covers; of none, nothing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pictures(pub(super) Option<Digest>);

/// What waits to be written.
#[derive(Debug, Default)]
pub(super) struct Batch {
    parts: Vec<Part>,
    groups: usize,
    weight: usize,
}

impl Batch {
    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Adds a folder; calls `write` for each batch that is full.
    pub(super) fn add<E>(
        &mut self,
        folder: PreparedFolder,
        size: Size,
        mut write: impl FnMut(Vec<Part>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut groups = folder.groups.into_iter().peekable();
        loop {
            let mut part = Part {
                path: folder.path.clone(),
                is_mount: folder.is_mount,
                groups: Vec::new(),
                listing: None,
                pictures: None,
            };
            while let Some(group) = groups.next_if(|group| self.has_room(group, size)) {
                self.groups += 1;
                self.weight += weight_of(&group);
                part.groups.push(group);
            }
            let is_last = groups.peek().is_none();
            if is_last && folder.is_last {
                part.listing = folder.is_settled.then_some(folder.digest);
                part.pictures = Some(Pictures(folder.pictures));
            }
            self.parts.push(part);
            if !is_last || self.groups >= size.groups || self.parts.len() >= size.groups {
                write(self.take())?;
            }
            if is_last {
                return Ok(());
            }
        }
    }

    fn has_room(&self, group: &PreparedGroup, size: Size) -> bool {
        self.groups == 0
            || (self.groups < size.groups && self.weight + weight_of(group) <= size.weight)
    }

    pub(super) fn take(&mut self) -> Vec<Part> {
        self.groups = 0;
        self.weight = 0;
        std::mem::take(&mut self.parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_transactions_come_to_take_as_long_as_they_are_to() {
        // A row takes a tenth of a millisecond, and a transaction one more.
        let took = |weight: usize| Duration::from_micros(1000 + 100 * weight as u64);
        let mut size = Size::SMALL;
        for _ in 0..20 {
            size = size.after(size.weight, took(size.weight));
        }
        let took = took(size.weight);
        assert!(
            took > Size::TARGET / 2 && took < Size::TARGET * 3 / 2,
            "{took:?}"
        );
    }

    #[test]
    fn small_transactions_stay_within_bounds() {
        let (mut least, mut most) = (Size::SMALL, Size::SMALL);
        for _ in 0..20 {
            least = least.after(least.weight, Duration::from_secs(9));
            most = most.after(most.weight, Duration::ZERO);
        }
        assert_eq!(
            (least.weight, most.weight.next_multiple_of(2)),
            Size::WEIGHTS
        );
    }
}

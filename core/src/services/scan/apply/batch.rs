//! Batches: prepared folders, cut into transactions of a bounded size.

use std::time::Duration;

use crate::scan::diff::folder_change::{PreparedFolder, PreparedGroup};
use crate::store::file::folder::Digest;

/// Upper limits for one transaction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    /// Limit for the number of groups, and also for the number of folders.
    groups: usize,
    /// Limit for the number of groups and files together. The first group may exceed it.
    weight: usize,
}

impl Size {
    /// Size with the highest throughput: a database page that many groups change is written once.
    pub(crate) const LARGE: Self = Self {
        groups: 800,
        weight: 2_100,
    };
    /// Initial size while other writes wait for the writer from time to time. Such a transaction
    /// takes a few milliseconds.
    pub(crate) const SMALL: Self = Self::of_weight(72);
    /// Target duration of a small transaction, including the commit.
    const TARGET: Duration = Duration::from_millis(4);
    /// Minimum and maximum weight of a small transaction.
    const WEIGHTS: (usize, usize) = (12, 144);

    /// Every group weighs at least two.
    const fn of_weight(weight: usize) -> Self {
        Self {
            groups: weight / 2,
            weight,
        }
    }

    /// Returns the size of the next small transaction after one of `weight` took `took`. It is the
    /// midpoint between the current weight and the weight that would have met [`Self::TARGET`].
    pub(crate) fn after(self, weight: usize, took: Duration) -> Self {
        let fitting = u128::try_from(weight).unwrap_or(u128::MAX) * Self::TARGET.as_micros()
            / took.as_micros().max(1);
        let (least, most) = Self::WEIGHTS;
        let fitting = usize::try_from(fitting).unwrap_or(most).clamp(least, most);
        Self::of_weight(usize::midpoint(self.weight, fitting))
    }
}

/// Returns the weight of parts: the number of their groups and files.
pub(crate) fn weight(parts: &[Part]) -> usize {
    let groups = parts.iter().flat_map(|part| &part.groups);
    groups.map(weight_of).sum()
}

fn weight_of(group: &PreparedGroup) -> usize {
    1 + group.files.len()
}

/// Folder, or the part of a folder that is written in one transaction.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) path: Vec<u8>,
    pub(crate) is_mount: bool,
    pub(crate) groups: Vec<PreparedGroup>,
    /// New listing digest of the folder. `None` if more parts of the folder follow, or if the
    /// folder must be examined again.
    pub(crate) listing: Option<Digest>,
    /// Digest of the folder's picture files. Only the last part of a folder has it.
    pub(crate) pictures: Option<Pictures>,
}

/// Digest of the picture files in a folder that may be covers. `None` inside if there are none.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pictures(pub(crate) Option<Digest>);

/// Parts that wait to be written.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    parts: Vec<Part>,
    groups: usize,
    weight: usize,
}

impl Batch {
    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Adds a folder, and calls `write` for each full batch.
    pub(crate) fn add<E>(
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

    pub(crate) fn take(&mut self) -> Vec<Part> {
        self.groups = 0;
        self.weight = 0;
        std::mem::take(&mut self.parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_transaction_size_converges_to_target_duration() {
        // The simulated transaction takes 0.1 ms per row and 1 ms for the commit.
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
    fn small_transaction_size_stays_within_bounds() {
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

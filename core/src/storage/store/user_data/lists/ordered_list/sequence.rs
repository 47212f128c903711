//! The entries of a list in memory, for changes of their order.

use rusqlite::Row;

use super::gap::{Gap, STEP};
use crate::error::{StoreError, StoreResult};
use crate::id::EntryId;

/// Move of one entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Move {
    /// Id of the entry.
    pub id: EntryId,
    /// Index among the visible entries after the move.
    pub to: usize,
}

/// All entries of a list in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sequence {
    entries: Vec<Entry>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    id: EntryId,
    position: i64,
    is_visible: bool,
    is_moved: bool,
}

/// Reads an entry from a row: id, position and visibility.
pub(super) fn row(row: &Row<'_>) -> rusqlite::Result<Entry> {
    Ok(Entry {
        id: row.get(0)?,
        position: row.get(1)?,
        is_visible: row.get(2)?,
        is_moved: false,
    })
}

impl Sequence {
    pub(super) fn new(entries: Vec<Entry>) -> Self {
        Self { entries }
    }

    /// Returns the number of all entries, including hidden ones.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the ids of the visible entries.
    pub(crate) fn visible(&self) -> impl Iterator<Item = EntryId> {
        let visible = self.entries.iter().filter(|entry| entry.is_visible);
        visible.map(|entry| entry.id)
    }

    /// Returns the gap before the visible entry with this index, or at the end. Hidden entries in
    /// front of that entry are before the gap.
    pub(super) fn gap(&self, index: Option<usize>) -> Gap {
        let at = index.and_then(|index| {
            let mut visible = self.entries.iter().enumerate();
            let found = visible.by_ref().filter(|(_, entry)| entry.is_visible);
            found.map(|(at, _)| at).nth(index)
        });
        let at = at.unwrap_or(self.entries.len());
        let position = |at: usize| self.entries.get(at).map(|entry| entry.position);
        Gap {
            before: at.checked_sub(1).and_then(position),
            after: position(at),
        }
    }

    /// Assigns new positions with wide gaps to all entries, and returns them.
    pub(super) fn renumber(&mut self) -> Vec<(EntryId, i64)> {
        for (entry, position) in self.entries.iter_mut().zip((1..).map(|n: i64| n * STEP)) {
            entry.position = position;
        }
        let entries = self.entries.iter();
        entries.map(|entry| (entry.id, entry.position)).collect()
    }

    /// Applies moves in order, and returns the new positions of the entries that get one.
    ///
    /// # Errors
    ///
    /// Returns `Invalid` on `move` for an entry that is not visible, and for an index beyond the
    /// end.
    pub(crate) fn rearrange(&self, moves: &[Move]) -> StoreResult<Vec<(EntryId, i64)>> {
        let mut blocks = Blocks::new(&self.entries);
        for step in moves {
            blocks.apply(*step)?;
        }
        let mut rearranged = Self::new(blocks.into_entries());
        if rearranged.ids().eq(self.ids()) {
            return Ok(Vec::new());
        }
        let narrow = rearranged.fill_gaps();
        Ok(narrow.unwrap_or_else(|| rearranged.renumber()))
    }

    fn ids(&self) -> impl Iterator<Item = EntryId> {
        self.entries.iter().map(|entry| entry.id)
    }

    /// Returns positions of the moved entries between those of their neighbours, or `None` if a gap
    /// is too narrow. The other entries are still in the order of their positions.
    fn fill_gaps(&self) -> Option<Vec<(EntryId, i64)>> {
        let runs: Vec<&[Entry]> = self
            .entries
            .chunk_by(|a, b| a.is_moved == b.is_moved)
            .collect();
        let mut changed = Vec::new();
        for (n, run) in runs.iter().enumerate() {
            if !run.first()?.is_moved {
                continue;
            }
            let before = n.checked_sub(1).and_then(|n| runs.get(n)?.last());
            let after = runs.get(n + 1).and_then(|run| run.first());
            let gap = Gap {
                before: before.map(|entry| entry.position),
                after: after.map(|entry| entry.position),
            };
            let positions = gap.positions(run.len())?;
            changed.extend(run.iter().map(|entry| entry.id).zip(positions));
        }
        Some(changed)
    }
}

/// A visible entry with the hidden entries that follow it. They move together.
struct Block {
    head: Entry,
    hidden: Vec<Entry>,
}

/// Entries by block, and the hidden entries in front of the first visible one.
struct Blocks {
    leading: Vec<Entry>,
    blocks: Vec<Block>,
}

impl Blocks {
    fn new(entries: &[Entry]) -> Self {
        let mut all = Self {
            leading: Vec::new(),
            blocks: Vec::with_capacity(entries.len()),
        };
        for entry in entries.iter().copied() {
            match all.blocks.last_mut() {
                _ if entry.is_visible => all.blocks.push(Block {
                    head: entry,
                    hidden: Vec::new(),
                }),
                Some(block) => block.hidden.push(entry),
                None => all.leading.push(entry),
            }
        }
        all
    }

    fn apply(&mut self, step: Move) -> StoreResult<()> {
        let Move { id, to } = step;
        let from = self.blocks.iter().position(|block| block.head.id == id);
        let from = from.ok_or_else(|| refuse(format!("The list has no entry {id}.")))?;
        if to >= self.blocks.len() {
            return Err(refuse(format!("The index {to} is beyond the end.")));
        }
        let mut block = self.blocks.remove(from);
        block.head.is_moved = true;
        for entry in &mut block.hidden {
            entry.is_moved = true;
        }
        self.blocks.insert(to, block);
        Ok(())
    }

    fn into_entries(self) -> Vec<Entry> {
        let blocks = self.blocks.into_iter();
        let entries = blocks.flat_map(|block| std::iter::once(block.head).chain(block.hidden));
        self.leading.into_iter().chain(entries).collect()
    }
}

fn refuse(message: String) -> StoreError {
    StoreError::Invalid {
        field: "move",
        message,
    }
}

#[cfg(test)]
mod tests;

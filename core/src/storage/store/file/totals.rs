//! Totals of an item's files: size, duration and pages. The sort columns of the item contain them.

use std::collections::BTreeMap;

use rusqlite::{Transaction, named_params};

use crate::error::StoreResult;
use crate::id::ItemId;
use crate::path;
use crate::registry::{MediaKind, Registry, Unit};

/// Sort key of an unknown value. It is greater than every known value.
pub const UNKNOWN: i64 = i64::MAX;

/// Values of a file that count for its item.
#[derive(Debug, Clone)]
pub struct Measured {
    /// Sequence number of a part; `None` for alternatives.
    pub sequence: Option<i64>,
    /// Season and episode. Files of the same episode are versions of it.
    pub episode: Option<(i64, i64)>,
    /// Size in bytes.
    pub size: i64,
    /// Length in `unit`.
    pub extent: Option<i64>,
    /// Unit of the file's format.
    pub unit: Unit,
}

/// Totals of an item's files. `None` if no file has the value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Length in seconds.
    pub duration: Option<i64>,
    /// Number of pages.
    pub pages: Option<i64>,
    /// Size in bytes.
    pub size: Option<i64>,
}

impl Totals {
    /// Adds up the files of an item. Sizes of all files count. Lengths of parts are added, where a
    /// part with several versions counts once. Without parts, the longest alternative counts.
    pub fn of(files: &[Measured]) -> Self {
        let sizes = files.iter().map(|file| file.size);
        Self {
            duration: length(files, Unit::Second),
            pages: length(files, Unit::Page),
            size: sizes.reduce(i64::saturating_add),
        }
    }

    /// Returns the values of the sort columns: duration, pages and size.
    pub(in crate::storage::store) fn keys(self) -> [i64; 3] {
        [self.duration, self.pages, self.size].map(|value| value.unwrap_or(UNKNOWN))
    }
}

fn length(files: &[Measured], unit: Unit) -> Option<i64> {
    let known = files.iter().enumerate().filter_map(|(at, file)| {
        let extent = file.extent.filter(|_| file.unit == unit)?;
        Some((at, file, extent))
    });
    let mut parts: BTreeMap<_, i64> = BTreeMap::new();
    let mut longest = None;
    for (at, file, extent) in known {
        longest = longest.max(Some(extent));
        if let Some(sequence) = file.sequence {
            let version = file.episode.ok_or(at);
            let part = parts.entry((sequence, version)).or_insert(extent);
            *part = extent.max(*part);
        }
    }
    parts.into_values().reduce(i64::saturating_add).or(longest)
}

/// Returns the unit of a file. Files of unknown kinds and formats have none.
pub fn unit(kind: Option<&MediaKind>, name: &[u8]) -> Unit {
    let format = kind.and_then(|kind| kind.format_of(&path::display(name)));
    format.map_or(Unit::None, |format| format.unit)
}

const FILES: &str = "
    SELECT item.kind, file.name, file.sequence, file.season, file.episode, file.size, file.extent,
           file.missing
      FROM item
      JOIN file ON file.item_id = item.id
     WHERE item.id = :item";

/// Updates the totals of an item from its present files, or from all files if none is present.
///
/// Call it after every change of an item's files, their presence or their lengths.
pub fn settle(tx: &Transaction<'_>, registry: &Registry, item: ItemId) -> StoreResult<()> {
    let [duration, pages, size] = Totals::of(&measured(tx, registry, item)?).keys();
    tx.prepare_cached(
        "UPDATE item
            SET sort_duration = :duration, sort_pages = :pages, sort_size = :size
          WHERE id = :item
            AND (sort_duration, sort_pages, sort_size) <> (:duration, :pages, :size)",
    )?
    .execute(named_params! {
        ":item": item, ":duration": duration, ":pages": pages, ":size": size,
    })?;
    Ok(())
}

fn measured(tx: &Transaction<'_>, registry: &Registry, item: ItemId) -> StoreResult<Vec<Measured>> {
    let mut statement = tx.prepare_cached(FILES)?;
    let mut rows = statement.query(named_params! { ":item": item })?;
    let (mut present, mut missing) = (Vec::new(), Vec::new());
    while let Some(row) = rows.next()? {
        let kind = registry.kind(row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?);
        let name = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
        let (season, episode): (Option<i64>, Option<i64>) = (row.get(3)?, row.get(4)?);
        let file = Measured {
            sequence: row.get(2)?,
            episode: season.zip(episode),
            size: row.get(5)?,
            extent: row.get(6)?,
            unit: unit(kind, name),
        };
        if row.get(7)? {
            missing.push(file);
        } else {
            present.push(file);
        }
    }
    Ok(if present.is_empty() { missing } else { present })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(sequence: Option<i64>, unit: Unit, extent: impl Into<Option<i64>>) -> Measured {
        Measured {
            sequence,
            episode: None,
            size: 10,
            extent: extent.into(),
            unit,
        }
    }

    fn lengths(files: &[Measured]) -> (Option<i64>, Option<i64>) {
        let totals = Totals::of(files);
        (totals.duration, totals.pages)
    }

    #[test]
    fn parts_are_added_and_unknown_lengths_are_skipped() {
        let files = [
            file(Some(1), Unit::Second, 60),
            file(Some(2), Unit::Second, None),
            file(Some(3), Unit::Second, 30),
            file(None, Unit::Second, 500),
        ];
        assert_eq!(lengths(&files), (Some(90), None));
        assert_eq!(Totals::of(&files).size, Some(40));
    }

    #[test]
    fn longest_alternative_counts_in_each_unit() {
        let files = [
            file(None, Unit::Section, 900),
            file(None, Unit::Page, 12),
            file(None, Unit::Page, 300),
        ];
        assert_eq!(lengths(&files), (None, Some(300)));
    }

    #[test]
    fn versions_of_an_episode_count_once() {
        let version = |episode, extent| Measured {
            episode: Some((1, episode)),
            ..file(Some(episode), Unit::Second, extent)
        };
        let files = [version(1, 60), version(1, 61), version(2, 30)];
        assert_eq!(lengths(&files), (Some(91), None));
    }

    #[test]
    fn item_without_files_has_no_totals() {
        assert_eq!(Totals::of(&[]), Totals::default());
        assert_eq!(Totals::default().keys(), [UNKNOWN; 3]);
    }
}

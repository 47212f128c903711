//! Progress of an item, derived from the progress in its files.

use super::{fraction, ratio};
use crate::id::FileId;

/// A file of an item with the user's progress in it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Part {
    pub(super) file: FileId,
    /// Sequence number of the part; `None` for alternatives.
    pub(super) sequence: Option<i64>,
    /// Season and episode.
    pub(super) episode: Option<(i64, i64)>,
    /// Season of a file, also of a file without an episode number.
    pub(super) season: Option<i64>,
    pub(super) missing: bool,
    pub(super) extent: Option<i64>,
    /// Position, and `true` if the file is finished.
    pub(super) place: Option<(i64, bool)>,
}

/// Derived progress of an item.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ItemProgress {
    pub(super) finished: bool,
    pub(super) fraction: Option<f64>,
    pub(super) continue_file: Option<FileId>,
}

/// Derives the progress of an item. `newest` is the file of the latest progress, and `parts` are in
/// page order. Returns `None` if `newest` is not among them.
///
/// An item is finished if one alternative is finished, or if its last part or every present part is
/// finished. The file to continue with is the newest file. If that is finished or missing, another
/// present version of it follows, provided that no version is finished. Otherwise it is the next
/// unfinished present part. Specials count as parts only if an item has no other parts.
pub(super) fn derive(parts: &[Part], newest: FileId) -> Option<ItemProgress> {
    let slots: Vec<Slot<'_>> = parts.chunk_by(are_versions).map(Slot).collect();
    let at = slots.iter().position(|slot| slot.has(newest))?;
    let finished = is_finished(&slots);
    Some(ItemProgress {
        finished,
        fraction: if finished {
            Some(1.0)
        } else {
            item_fraction(&slots, at, newest)
        },
        continue_file: if finished {
            None
        } else {
            continue_file(&slots, at, newest)
        },
    })
}

/// Returns `true` if two files are versions of the same content: alternatives, or files of the same
/// episode.
fn are_versions(a: &Part, b: &Part) -> bool {
    let are_alternatives = a.sequence.is_none() && b.sequence.is_none();
    are_alternatives || is_same_episode((a.sequence, a.episode), (b.sequence, b.episode))
}

/// Returns `true` if two parts with these sequence numbers and episodes are versions of one episode.
pub(crate) fn is_same_episode(
    a: (Option<i64>, Option<(i64, i64)>),
    b: (Option<i64>, Option<(i64, i64)>),
) -> bool {
    a == b && a.1.is_some()
}

/// All versions of one part, or all alternatives.
struct Slot<'a>(&'a [Part]);

impl<'a> Slot<'a> {
    fn has(&self, file: FileId) -> bool {
        self.0.iter().any(|part| part.file == file)
    }

    fn is_part(&self) -> bool {
        self.0.iter().all(|part| part.sequence.is_some())
    }

    fn is_special(&self) -> bool {
        self.0.iter().all(Part::is_special)
    }

    fn is_finished(&self) -> bool {
        self.0.iter().any(Part::is_finished)
    }

    /// Returns the present file to continue with; a started version takes precedence.
    fn present(&self) -> Option<&'a Part> {
        let mut present = self.0.iter().filter(|part| !part.missing);
        let first = present.clone().next();
        present.find(|part| part.place.is_some()).or(first)
    }

    /// Returns the present file to continue with, or `None` if the slot is finished.
    fn open(&self) -> Option<&'a Part> {
        if self.is_finished() {
            return None;
        }
        self.present()
    }

    /// Returns the version that counts for the fraction of the item.
    fn counted(&self, newest: FileId) -> Option<&'a Part> {
        let find = |wanted: &dyn Fn(&Part) -> bool| self.0.iter().find(|part| wanted(part));
        find(&Part::is_finished)
            .or_else(|| find(&|part| part.file == newest))
            .or_else(|| find(&|part| part.place.is_some()))
            .or(self.0.first())
    }
}

impl Part {
    /// Returns `true` for files of season 0.
    pub(super) fn is_special(&self) -> bool {
        self.season == Some(0)
    }

    fn is_finished(&self) -> bool {
        matches!(self.place, Some((_, true)))
    }

    fn fraction(&self) -> Option<f64> {
        let (position, finished) = self.place.unwrap_or((0, false));
        fraction(position, self.extent, finished)
    }
}

/// Returns the parts that make up the item: all but the specials, unless there are no others.
fn regular_parts<'s, 'a>(
    slots: &'s [Slot<'a>],
) -> impl DoubleEndedIterator<Item = &'s Slot<'a>> + use<'s, 'a> {
    let parts = || slots.iter().filter(|slot| slot.is_part());
    let only_specials = parts().all(Slot::is_special);
    parts().filter(move |slot| only_specials || !slot.is_special())
}

fn is_finished(slots: &[Slot<'_>]) -> bool {
    let parts = || regular_parts(slots);
    let alternative = slots
        .iter()
        .any(|slot| !slot.is_part() && slot.is_finished());
    let last = parts().next_back().is_some_and(Slot::is_finished);
    let mut present = parts().filter(|slot| slot.present().is_some()).peekable();
    let all = present.peek().is_some() && present.all(Slot::is_finished);
    alternative || last || all
}

fn item_fraction(slots: &[Slot<'_>], at: usize, newest: FileId) -> Option<f64> {
    let current = slots.get(at)?;
    if !current.is_part() {
        let newest = current.0.iter().find(|part| part.file == newest);
        return newest.and_then(Part::fraction);
    }
    let counted: Vec<&Part> = regular_parts(slots)
        .filter_map(|slot| slot.counted(newest))
        .collect();
    by_extent(&counted).or_else(|| by_count(&counted))
}

/// Returns the finished fraction by length, or `None` if a length is unknown.
fn by_extent(parts: &[&Part]) -> Option<f64> {
    let mut read: i64 = 0;
    let mut all: i64 = 0;
    for part in parts {
        let extent = part.extent.filter(|extent| *extent >= 0)?;
        all = all.checked_add(extent)?;
        // `read` never exceeds `all`, and the addition to `all` is checked.
        read += match part.place {
            None => 0,
            Some((_, true)) => extent,
            Some((position, false)) => position.min(extent),
        };
    }
    (all > 0).then(|| ratio(read, all))
}

fn by_count(parts: &[&Part]) -> Option<f64> {
    let finished = parts.iter().filter(|part| part.is_finished()).count();
    let (finished, all) = (i64::try_from(finished), i64::try_from(parts.len()));
    Some(ratio(finished.ok()?, all.ok()?))
}

fn continue_file(slots: &[Slot<'_>], at: usize, newest: FileId) -> Option<FileId> {
    let (current, rest) = slots.get(at..)?.split_first()?;
    // Specials come last in page order. After a special, the first unfinished regular episode
    // follows.
    let has_others = regular_parts(slots).any(|slot| !slot.is_special());
    let rest = if has_others && current.is_special() {
        slots
    } else {
        rest
    };
    let newest = current.0.iter().find(|part| part.file == newest)?;
    if !newest.is_finished() && !newest.missing {
        return Some(newest.file);
    }
    let mut parts = rest
        .iter()
        .filter(|slot| slot.is_part() && !(has_others && slot.is_special()));
    let open = current.open().or_else(|| parts.find_map(Slot::open));
    open.map(|part| part.file)
}

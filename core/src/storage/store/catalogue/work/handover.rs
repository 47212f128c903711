//! Position in another form of a work that corresponds to the progress in an item.

use rusqlite::{Connection, OptionalExtension as _, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use super::timeline::{Chapter, Timeline};
use crate::access::{Visible, VisibleItem};
use crate::error::{StoreError, StoreResult};
use crate::id::{FileId, ItemId};
use crate::registry::{Registry, WorkForm};
use crate::store::user_data::progress::{self, FilePlace};

/// Confidence of an equal number and name.
const SAME_CHAPTER: f64 = 0.95;
/// Confidence of an equal name.
const SAME_NAME: f64 = 0.9;
/// Confidence of an equal number.
const SAME_NUMBER: f64 = 0.8;
/// Confidence of the same index among equally many chapters.
const SAME_INDEX: f64 = 0.6;
/// Confidence of an equal fraction of the whole.
const SAME_FRACTION: f64 = 0.4;

/// Position in another form. All fields are null without progress.
#[derive(Debug, Clone, PartialEq, Default, Serialize, ToSchema)]
pub struct Handover {
    /// Id of the file.
    pub file_id: Option<FileId>,
    /// Position in the file's unit.
    pub position: Option<i64>,
    /// Relative position inside the section or page of `position`, from 0 to 1; null for recordings.
    pub within: Option<f64>,
    /// Fraction of the item before the position, from 0 to 1.
    pub fraction: Option<f64>,
    /// Title of the chapter.
    pub chapter: Option<String>,
    /// Derivation of the position.
    pub method: Option<HandoverMethod>,
    /// Confidence, from 0 to 1; at most 0.5 for `fraction`.
    pub confidence: Option<f64>,
}

/// Derivation of a position in another form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum HandoverMethod {
    /// By chapters of the same number and name, then by the fraction inside the chapter.
    Chapters,
    /// By the fraction of the whole.
    Fraction,
}

/// Returns the position in the item `to` that corresponds to the user's newest progress in `from`.
/// Returns `None` if `to` is not a visible form of the same work.
///
/// # Errors
///
/// Returns `Invalid` on `to` if the items are not one text and one recording.
pub fn find(
    conn: &Connection,
    registry: &Registry,
    visible: Visible,
    from: VisibleItem,
    to: ItemId,
) -> StoreResult<Option<Handover>> {
    let forms = super::forms(conn, visible, from.id())?;
    if !forms.iter().any(|(_, form)| form.item_id == to) {
        return Ok(None);
    }
    let form = |item| form_unscoped(conn, registry, item);
    let target = match (form(from.id())?, form(to)?) {
        (Some(WorkForm::Text), Some(WorkForm::Recording)) => WorkForm::Recording,
        (Some(WorkForm::Recording), Some(WorkForm::Text)) => WorkForm::Text,
        _ => {
            return Err(StoreError::Invalid {
                field: "to",
                message: "One item must be a text, and the other one a recording.".to_owned(),
            });
        }
    };
    let Some(place) = progress::of_item(conn, from)?.into_iter().next() else {
        return Ok(Some(Handover::default()));
    };
    let source = Timeline::read_unscoped(conn, from.id(), Some(place.file_id))?;
    let preferred = match visible.item(conn, to)? {
        Some(item) => progress::of_item(conn, item)?.into_iter().next(),
        None => None,
    };
    let preferred = preferred.map(|place| place.file_id);
    let goal = Timeline::read_unscoped(conn, to, preferred)?;
    Ok(Some(hand_over(&source, &place, &goal, target)))
}

fn form_unscoped(
    conn: &Connection,
    registry: &Registry,
    item: ItemId,
) -> StoreResult<Option<WorkForm>> {
    let row: Option<(String, Option<String>)> = conn
        .prepare_cached("SELECT kind, subkind FROM item WHERE id = :item")?
        .query_row(named_params! { ":item": item }, |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    Ok(row.and_then(|(kind, subkind)| (registry.kind(&kind)?.work_form)(subkind.as_deref())))
}

fn hand_over(source: &Timeline, place: &FilePlace, goal: &Timeline, form: WorkForm) -> Handover {
    let Some(position) = position_of(source, place) else {
        return Handover::default();
    };
    let by_chapter = source.chapter_at(position).and_then(|index| {
        let chapter = source.chapters.get(index)?;
        let (found, confidence) = matching(source, index, goal)?;
        let inside = fraction(position - chapter.start, chapter.end - chapter.start);
        Some((found.start + inside * (found.end - found.start), confidence))
    });
    let (target, method, confidence) = if let Some((target, confidence)) = by_chapter {
        (target, HandoverMethod::Chapters, confidence)
    } else {
        let target = fraction(position, source.length()) * goal.length();
        (target, HandoverMethod::Fraction, SAME_FRACTION)
    };
    let Some((file, offset)) = goal.place(target) else {
        return Handover::default();
    };
    let (whole, within) = split(offset);
    let chapter = goal
        .chapter_at(target)
        .and_then(|index| goal.chapters.get(index));
    Handover {
        file_id: Some(file),
        position: Some(whole),
        within: (form == WorkForm::Text).then_some(within),
        fraction: Some(fraction(target, goal.length())),
        chapter: chapter
            .map(|chapter| chapter.title.clone())
            .filter(|title| !title.is_empty()),
        method: Some(method),
        confidence: Some(confidence),
    }
}

/// Returns the position of the user on the timeline. A finished file counts as a whole.
fn position_of(source: &Timeline, place: &FilePlace) -> Option<f64> {
    let offset = if place.finished {
        f64::INFINITY
    } else {
        number(place.position) + place.within.unwrap_or(0.0)
    };
    source.position(place.file_id, offset)
}

/// Returns the chapter that corresponds to a chapter of the source, with the confidence.
fn matching<'a>(source: &Timeline, index: usize, goal: &'a Timeline) -> Option<(&'a Chapter, f64)> {
    let chapter = source.chapters.get(index)?;
    let has_number = chapter.number.is_some();
    let has_name = !chapter.name.is_empty();
    let same_number = |other: &Chapter| has_number && other.number == chapter.number;
    let same_name = |other: &Chapter| has_name && other.name == chapter.name;
    let both = |other: &Chapter| same_number(other) && other.name == chapter.name;
    let rules: [(&dyn Fn(&Chapter) -> bool, f64); 3] = [
        (&both, SAME_CHAPTER),
        (&same_name, SAME_NAME),
        (&same_number, SAME_NUMBER),
    ];
    for (rule, confidence) in rules {
        let mut own = source.chapters.iter().filter(|other| rule(other));
        let mut found = goal.chapters.iter().filter(|other| rule(other));
        let is_unique = own.nth(1).is_none();
        if let Some(first) = found.next()
            && is_unique
            && found.next().is_none()
        {
            return Some((first, confidence));
        }
    }
    let same_count = source.chapters.len() == goal.chapters.len();
    let found = goal.chapters.get(index).filter(|_| same_count)?;
    Some((found, SAME_INDEX))
}

fn fraction(part: f64, whole: f64) -> f64 {
    if whole > 0.0 {
        (part / whole).clamp(0.0, 1.0)
    } else {
        0.0
    }
}

#[expect(clippy::cast_precision_loss, reason = "positions are far below 2^52")]
fn number(position: i64) -> f64 {
    position as f64
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "positions are far below 2^52"
)]
fn split(offset: f64) -> (i64, f64) {
    (offset.floor() as i64, offset.fract())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::catalogue::work::timeline::Part;
    use crate::time::Clock;

    /// Creates a timeline of one file with chapters of equal names and these starts.
    fn timeline(names: &[(&str, f64)], length: f64) -> Timeline {
        let ends = names
            .iter()
            .skip(1)
            .map(|(_, start)| *start)
            .chain([length]);
        let chapters = names.iter().zip(ends).map(|((name, start), end)| Chapter {
            title: (*name).to_owned(),
            number: None,
            name: (*name).to_owned(),
            start: *start,
            end,
        });
        Timeline {
            chapters: chapters.collect(),
            parts: vec![Part {
                file: FileId(1),
                start: 0.0,
                length,
            }],
        }
    }

    fn at(position: i64, within: f64) -> FilePlace {
        FilePlace {
            file_id: FileId(1),
            position,
            extent: None,
            fraction: None,
            finished: false,
            locator: None,
            within: Some(within),
            updated_at: Clock::system().now(),
        }
    }

    #[test]
    fn chapters_are_matched_by_name_and_fraction() {
        let text = timeline(&[("a", 1.0), ("b", 2.0), ("c", 4.0)], 5.0);
        let sound = timeline(
            &[("intro", 0.0), ("a", 10.0), ("b", 110.0), ("c", 210.0)],
            300.0,
        );
        let found = hand_over(&text, &at(3, 0.0), &sound, WorkForm::Recording);
        assert_eq!(found.position, Some(160));
        assert_eq!(found.within, None);
        assert_eq!(found.chapter.as_deref(), Some("b"));
        assert_eq!(found.method, Some(HandoverMethod::Chapters));
        let back = hand_over(&sound, &at(160, 0.0), &text, WorkForm::Text);
        assert_eq!((back.position, back.within), (Some(3), Some(0.0)));
    }

    #[test]
    fn fraction_is_used_without_a_matching_chapter() {
        let text = timeline(&[], 10.0);
        let sound = timeline(&[("a", 0.0), ("b", 500.0)], 1_000.0);
        let found = hand_over(&text, &at(2, 0.5), &sound, WorkForm::Recording);
        assert_eq!((found.position, found.fraction), (Some(250), Some(0.25)));
        assert_eq!(found.method, Some(HandoverMethod::Fraction));
        assert!(found.confidence <= Some(0.5));
    }
}

//! Positions of other programs in the units of Ledge.

use std::time::Duration;

use crate::registry::Unit;
use crate::registry::reading::ReadTools;
use crate::transfer::import::columns::whole;
use crate::transfer::import::files::Found;
use crate::transfer::import::rows::{Part, Position};

/// Limit of a locator in bytes.
const MAX_LOCATOR: usize = 1024;
/// Time limit for reading the sections of a file.
const MAX_READ: Duration = Duration::from_secs(4);

/// Position in the unit of a file.
#[derive(Debug, Default)]
pub(super) struct Resolved {
    pub(super) position: i64,
    /// Opaque text of the reader.
    pub(super) locator: Option<String>,
    /// Relative position inside the section.
    pub(super) within: Option<f64>,
}

/// Returns the position in the unit of the file. Returns `None` for a position of another unit. A
/// finished file may have any position.
pub(super) fn resolve(part: &Part, found: &Found) -> Option<Resolved> {
    let is_divided = matches!(found.unit, Unit::Page | Unit::Section);
    let resolved = match &part.position {
        Position::End => plain(Some(found.extent.unwrap_or(0))),
        Position::Seconds(seconds) if found.unit == Unit::Second => plain(whole(*seconds)),
        Position::Index(index) if is_divided => plain(Some(*index)),
        Position::Located(index, locator) if found.unit == Unit::Section => Some(Resolved {
            position: (*index).max(0),
            locator: Some(locator.clone()).filter(|text| text.len() <= MAX_LOCATOR),
            within: None,
        }),
        Position::Fraction(fraction) => plain(of_extent(*fraction, found)),
        Position::Section {
            href,
            within,
            total,
        } => match section(href, found) {
            Some(section) => Some(Resolved {
                position: section.max(0),
                locator: None,
                within: within.filter(|within| (0.0..=1.0).contains(within)),
            }),
            None => plain(total.and_then(|total| of_extent(total, found))),
        },
        _ => None,
    };
    if part.finished {
        return plain(Some(resolved.map_or(0, |resolved| resolved.position)));
    }
    resolved
}

fn plain(position: Option<i64>) -> Option<Resolved> {
    position.map(|position| Resolved {
        position: position.max(0),
        ..Resolved::default()
    })
}

/// Returns the position of a fraction. It is before the end, because an end is `finished`.
fn of_extent(fraction: f64, found: &Found) -> Option<i64> {
    let extent = found.extent.filter(|extent| *extent > 0)?;
    if found.unit == Unit::None || !fraction.is_finite() {
        return None;
    }
    let exact = fraction.clamp(0.0, 1.0) * f64::from(i32::try_from(extent).ok()?);
    whole(exact).map(|position| position.min(extent - 1))
}

/// Returns the index of a section that its file name identifies.
fn section(href: &str, found: &Found) -> Option<i64> {
    let section_of = found.kind?.section_of?;
    if found.unit != Unit::Section {
        return None;
    }
    let (root, path) = &found.location;
    let tools = ReadTools {
        root,
        ffprobe: None,
        time_limit: MAX_READ,
    };
    // A file that cannot be read has a fraction still.
    section_of(path, &tools, href).ok().flatten()
}

//! Conversion of positions between Ledge and other reading programs.

use std::fs::File;

use crate::error::ReadError;

/// Form of a position in other programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// `XPointer` of crengine: `/body/DocFragment[3]/body/p[2]/text().14`.
    XPointer,
    /// Number of a page, from 1.
    Page1,
    /// Fraction of the file, from 0 to 1.
    Fraction,
    /// Canonical fragment identifier of EPUB.
    Cfi,
    /// Seconds from the start.
    MediaTime,
    /// Path of a section inside the file, with the relative position after
    /// [`RELATIVE`](Self::RELATIVE) if it is known: `text/two.xhtml#progression=0.5`.
    Path,
}

impl Scheme {
    /// Text between a path and the relative position in the section.
    pub const RELATIVE: &str = "#progression=";

    /// Returns the identifier in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::XPointer => "xpointer",
            Self::Page1 => "page1",
            Self::Fraction => "fraction",
            Self::Cfi => "cfi",
            Self::MediaTime => "media_time",
            Self::Path => "path",
        }
    }

    /// Returns the start of a section or page, or `None` if the scheme cannot express it without
    /// the file.
    pub fn start(self, position: i64) -> Option<String> {
        let number = position.checked_add(1)?;
        match self {
            Self::XPointer => Some(format!("/body/DocFragment[{number}].0")),
            Self::Page1 => Some(number.to_string()),
            Self::MediaTime => Some(position.to_string()),
            Self::Fraction | Self::Cfi | Self::Path => None,
        }
    }

    /// Returns the section or page of a position, or `None` if the scheme does not name it. It is
    /// the inverse of [`Self::start`]. The position is untrusted, and can be beyond the end.
    pub fn position(self, value: &str) -> Option<i64> {
        let value = value.trim();
        let position: i64 = match self {
            Self::XPointer => {
                if let Some(rest) = value.strip_prefix("#_doc_fragment_") {
                    rest.split_once('_')?.0.parse().ok()?
                } else {
                    let rest = value.strip_prefix("/body/DocFragment[")?;
                    let number: i64 = rest.split_once(']')?.0.parse().ok()?;
                    number.checked_sub(1)?
                }
            }
            Self::Page1 => value.parse::<i64>().ok()?.checked_sub(1)?,
            Self::Fraction | Self::Cfi | Self::MediaTime | Self::Path => return None,
        };
        (position >= 0).then_some(position)
    }
}

/// Position in a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Place {
    /// Position in the file's unit.
    pub position: i64,
    /// Relative position inside the section or page, from 0 to 1.
    pub within: Option<f64>,
    /// Exact position in the form of the web interface's reader.
    pub locator: Option<String>,
}

/// Position of another program.
#[derive(Debug, Clone, PartialEq)]
pub struct Foreign {
    /// Form of the value.
    pub scheme: Scheme,
    /// The position. It is untrusted.
    pub value: String,
    /// Fraction of the file, from 0 to 1.
    pub fraction: f64,
}

/// Position in the form of another program.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Converted {
    /// The position, or `None` if the scheme does not fit the file.
    pub value: Option<String>,
    /// Relative position inside the section or page, from 0 to 1, if it is known.
    pub within: Option<f64>,
}

/// Opened file whose positions are converted.
#[derive(Debug)]
pub struct PlaceFile {
    /// The file.
    pub file: File,
    /// Name of the file.
    pub name: String,
    /// Length in the file's unit.
    pub extent: Option<i64>,
}

/// Conversions of a kind. They run on a blocking thread, and bound their memory and time.
#[derive(Debug, Clone, Copy)]
pub struct Places {
    /// Returns the schemes of files with this name, the most exact first.
    pub schemes: fn(name: &str) -> &'static [Scheme],
    /// Converts a position to a scheme.
    pub to: fn(&PlaceFile, &Place, Scheme) -> Result<Converted, ReadError>,
    /// Converts a position of another program.
    pub from: fn(&PlaceFile, &Foreign) -> Result<Place, ReadError>,
    /// Returns the size of each section or page: bytes, or 1 for equal parts.
    pub weights: fn(&PlaceFile) -> Result<Vec<u64>, ReadError>,
}

impl Place {
    /// Returns the position at a fraction of sections with these sizes.
    pub fn at_fraction(weights: &[u64], fraction: f64) -> Self {
        let total = sum(weights);
        let mut rest = float(total) * fraction.clamp(0.0, 1.0);
        let last = weights.len().saturating_sub(1);
        for (at, weight) in weights.iter().enumerate() {
            let weight = float(*weight);
            if rest < weight || at == last {
                let within = if weight > 0.0 { rest / weight } else { 0.0 };
                return Self {
                    position: i64::try_from(at).unwrap_or(0),
                    within: Some(within.clamp(0.0, 1.0)),
                    locator: None,
                };
            }
            rest -= weight;
        }
        Self::default()
    }

    /// Returns the fraction of a position in sections with these sizes, or `None` without sizes.
    pub fn fraction(weights: &[u64], position: i64, within: Option<f64>) -> Option<f64> {
        let total = sum(weights);
        let at = usize::try_from(position).ok()?;
        let before = sum(weights.get(..at).unwrap_or(weights));
        let own = weights.get(at).copied().unwrap_or(0);
        let done = float(before) + float(own) * within.unwrap_or(0.0).clamp(0.0, 1.0);
        (total > 0).then(|| (done / float(total)).clamp(0.0, 1.0))
    }

    /// Returns equal sizes for the sections or pages of a file with this length, up to a limit.
    pub fn equal_weights(extent: Option<i64>) -> Vec<u64> {
        const MOST: usize = 100_000;
        let parts = extent.and_then(|extent| usize::try_from(extent).ok());
        vec![1; parts.unwrap_or(0).min(MOST)]
    }
}

/// Returns the sum of sizes. An archive declares them, so they can be as large as the type.
fn sum(sizes: &[u64]) -> u64 {
    sizes.iter().copied().fold(0, u64::saturating_add)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "sizes are far below 2^52, and a fraction is approximate"
)]
fn float(size: u64) -> f64 {
    size as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fraction_and_position_are_inverse() {
        let weights = [10, 0, 30, 60];
        for (fraction, position, within) in [
            (0.0, 0, 0.0),
            (0.05, 0, 0.5),
            (0.1, 2, 0.0),
            (0.4, 3, 0.0),
            (0.7, 3, 0.5),
            (1.0, 3, 1.0),
        ] {
            let place = Place::at_fraction(&weights, fraction);
            assert_eq!(place.position, position, "{fraction}");
            let found = place.within.expect("a relative position");
            assert!((found - within).abs() < 1e-9, "{fraction}: {found}");
            let back = Place::fraction(&weights, place.position, place.within);
            assert!((back.expect("a fraction") - fraction).abs() < 1e-9);
        }
        assert_eq!(Place::at_fraction(&[], 0.5), Place::default());
        assert_eq!(Place::fraction(&[], 0, None), None);
        assert_eq!(Place::fraction(&weights, 99, None), Some(1.0));
    }

    #[test]
    fn section_of_a_position_is_the_inverse_of_its_start() {
        for scheme in [Scheme::XPointer, Scheme::Page1] {
            let start = scheme.start(6).expect("a start");
            assert_eq!(scheme.position(&start), Some(6));
        }
        for (value, position) in [
            ("/body/DocFragment[3]/body/p[2]/text().14", Some(2)),
            ("#_doc_fragment_2_ id", Some(2)),
            ("#_doc_fragment_-2_ id", None),
            ("/body/DocFragment[0].0", None),
            ("/body/DocFragment.0", None),
            ("/body/DocFragment[-9223372036854775808]", None),
            ("", None),
        ] {
            assert_eq!(Scheme::XPointer.position(value), position, "{value}");
        }
        assert_eq!(Scheme::Page1.position("0"), None);
        assert_eq!(Scheme::Fraction.position("1"), None);
    }

    #[test]
    fn largest_sizes_do_not_overflow() {
        let weights = [u64::MAX, u64::MAX];
        assert_eq!(Place::at_fraction(&weights, 1.0).position, 1);
        assert_eq!(Place::fraction(&weights, 1, Some(0.5)), Some(1.0));
    }
}

//! Columns of a source's rows. A value of an unexpected type counts as absent.

use rusqlite::Row;
use rusqlite::types::ValueRef;

use super::source_time;
use crate::time::Timestamp;

/// Longest text that is read, in bytes. Longer ones count as absent.
const LONGEST: usize = 16 << 20;

/// Row of a source.
#[derive(Debug)]
pub struct Columns<'a, 'stmt>(&'a Row<'stmt>);

impl<'a, 'stmt> Columns<'a, 'stmt> {
    /// Wraps a row.
    pub(super) fn new(row: &'a Row<'stmt>) -> Self {
        Self(row)
    }

    fn value(&self, column: usize) -> ValueRef<'_> {
        self.0.get_ref(column).unwrap_or(ValueRef::Null)
    }

    /// Returns a text, or a number as text.
    pub fn text(&self, column: usize) -> Option<String> {
        match self.value(column) {
            ValueRef::Text(bytes) if bytes.len() <= LONGEST => {
                std::str::from_utf8(bytes).ok().map(str::to_owned)
            }
            ValueRef::Integer(number) => Some(number.to_string()),
            _ => None,
        }
    }

    /// Returns a text that is not empty, otherwise an empty one.
    pub fn text_or_empty(&self, column: usize) -> String {
        self.text(column).unwrap_or_default()
    }

    /// Returns bytes.
    pub fn blob(&self, column: usize) -> Option<Vec<u8>> {
        match self.value(column) {
            ValueRef::Blob(bytes) if bytes.len() <= LONGEST => Some(bytes.to_vec()),
            _ => None,
        }
    }

    /// Returns a whole number, also from a number in a text.
    pub fn int(&self, column: usize) -> Option<i64> {
        match self.value(column) {
            ValueRef::Integer(number) => Some(number),
            ValueRef::Real(number) => whole(number),
            ValueRef::Text(_) => self.text(column)?.trim().parse().ok(),
            _ => None,
        }
    }

    /// Returns a finite number.
    pub fn real(&self, column: usize) -> Option<f64> {
        let number = match self.value(column) {
            ValueRef::Integer(number) => as_real(number),
            ValueRef::Real(number) => number,
            ValueRef::Text(_) => self.text(column)?.trim().parse().ok()?,
            _ => return None,
        };
        number.is_finite().then_some(number)
    }

    /// Returns a truth value: a number other than 0, or the text `true`.
    pub fn flag(&self, column: usize) -> bool {
        self.int(column).is_some_and(|number| number != 0)
            || self
                .text(column)
                .is_some_and(|text| text.eq_ignore_ascii_case("true"))
    }

    /// Returns a time: a text, or seconds or milliseconds since 1970.
    pub fn time(&self, column: usize) -> Option<Timestamp> {
        match self.value(column) {
            ValueRef::Integer(number) => source_time::from_number(as_real(number)),
            ValueRef::Real(number) => source_time::from_number(number),
            ValueRef::Text(_) => source_time::parse(&self.text(column)?),
            _ => None,
        }
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "positions and times of media are far below 2^52"
)]
fn as_real(number: i64) -> f64 {
    number as f64
}

/// Returns a whole number, without its fraction.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the range is checked before"
)]
pub(super) fn whole(number: f64) -> Option<i64> {
    (number.abs() < 9e15).then_some(number.trunc() as i64)
}

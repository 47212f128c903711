//! Values of conditions.

use std::time::Duration;

use serde_json::Value;

use super::condition::Op;
use super::parse::{RuleError, RuleResult};
use super::{Range, TextTest, Times};
use crate::id::LibraryId;
use crate::registry::Registry;
use crate::store::item::State;
use crate::text;
use crate::time::Timestamp;

/// Limit of values of `one_of`.
const MAX_VALUES: usize = 100;
/// Limit of a text in characters.
const MAX_TEXT: usize = 500;
/// Limit of days of `within_days`.
const MAX_DAYS: u32 = 36_500;
const DAY: Duration = Duration::from_hours(24);

/// Value of a condition with its operator.
pub(super) struct Operand<'a> {
    pub(super) registry: &'a Registry,
    /// Path of the value, for errors.
    pub(super) path: String,
    pub(super) op: Op,
    pub(super) json: &'a Value,
}

impl Operand<'_> {
    fn refuse<T>(&self, message: impl Into<String>) -> RuleResult<T> {
        Err(RuleError::new(&self.path, message))
    }

    fn require<T>(&self, value: Option<T>, message: &str) -> RuleResult<T> {
        value.map_or_else(|| self.refuse(message), Ok)
    }

    /// Returns the values of `one_of`, or the single value of another operator.
    fn values(&self) -> RuleResult<Vec<&Value>> {
        if self.op != Op::OneOf {
            return Ok(vec![self.json]);
        }
        let list = self.json.as_array();
        let list = list.filter(|list| (1..=MAX_VALUES).contains(&list.len()));
        let message = format!("`one_of` needs a list of 1 to {MAX_VALUES} values.");
        Ok(self.require(list, &message)?.iter().collect())
    }

    /// Parses the values one by one.
    fn each<T>(&self, parse: impl Fn(&Value) -> Option<T>, message: &str) -> RuleResult<Vec<T>> {
        let values = self.values()?.into_iter();
        values
            .map(|value| self.require(parse(value), message))
            .collect()
    }

    pub(super) fn text_test(&self) -> RuleResult<TextTest> {
        let parse = |value: &Value| {
            let text = value.as_str()?;
            let folded = text::fold(text.trim());
            let is_sound = !folded.is_empty() && text.chars().count() <= MAX_TEXT;
            is_sound.then_some(folded)
        };
        let message = format!("The value is a text of 1 to {MAX_TEXT} characters.");
        let mut texts = self.each(parse, &message)?;
        if self.op == Op::Contains
            && let Some(text) = texts.pop()
        {
            return Ok(TextTest::Contains(text));
        }
        Ok(TextTest::OneOf(texts))
    }

    /// Returns identifiers that `is_known` accepts.
    fn identifiers(&self, noun: &str, is_known: impl Fn(&str) -> bool) -> RuleResult<Vec<String>> {
        let parse = |value: &Value| value.as_str().map(str::to_owned);
        let ids = self.each(parse, &format!("The value is the id of a {noun}."))?;
        match ids.iter().find(|id| !is_known(id)) {
            Some(id) => self.refuse(format!("There is no {noun} `{id}`.")),
            None => Ok(ids),
        }
    }

    pub(super) fn kinds(&self) -> RuleResult<Vec<String>> {
        self.identifiers("kind", |id| self.registry.kind(id).is_some())
    }

    pub(super) fn subkinds(&self) -> RuleResult<Vec<String>> {
        self.identifiers("subkind", |id| {
            self.registry.check_subkind(None, id).is_ok()
        })
    }

    pub(super) fn engines(&self) -> RuleResult<Vec<String>> {
        let engines = self.registry.engines();
        self.identifiers("playback engine", |id| {
            engines.iter().any(|engine| engine.id == id)
        })
    }

    pub(super) fn states(&self) -> RuleResult<Vec<State>> {
        self.each(
            |value| serde_json::from_value(value.clone()).ok(),
            "The value is `unstarted`, `started` or `finished`.",
        )
    }

    pub(super) fn libraries(&self) -> RuleResult<Vec<LibraryId>> {
        self.each(
            |value| value.as_i64().filter(|id| *id > 0).map(LibraryId),
            "The value is the id of a library.",
        )
    }

    pub(super) fn flag(&self) -> RuleResult<bool> {
        self.require(self.json.as_bool(), "The value is true or false.")
    }

    pub(super) fn range(&self) -> RuleResult<Range> {
        if self.op == Op::Between {
            let (low, high) = self.pair(Value::as_f64, "The value is a list of two numbers.")?;
            if low > high {
                return self.refuse("The first number is at most the second one.");
            }
            return Ok(Range { low, high });
        }
        let number = self.require(self.json.as_f64(), "The value is a number.")?;
        // The next numbers exclude the value itself.
        let (low, high) = match self.op {
            Op::Greater => (number.next_up(), f64::INFINITY),
            Op::Less => (f64::NEG_INFINITY, number.next_down()),
            _ => (number, number),
        };
        Ok(Range { low, high })
    }

    pub(super) fn times(&self) -> RuleResult<Times> {
        if self.op == Op::WithinDays {
            let days = self.json.as_u64().and_then(|days| u32::try_from(days).ok());
            let days = days.filter(|days| (1..=MAX_DAYS).contains(days));
            let message = format!("The value is a number of days from 1 to {MAX_DAYS}.");
            return Ok(Times::WithinDays(self.require(days, &message)?));
        }
        let message = "The value is a date such as 2026-11-20, or a time in UTC.";
        if self.op == Op::Between {
            let (first, last) = self.pair(moment, &format!("{message} `between` needs two."))?;
            if first.0 > last.1 {
                return self.refuse("The first time is at most the second one.");
            }
            return Ok(Times::Between(Some(first.0), Some(last.1)));
        }
        let (start, end) = self.require(moment(self.json), message)?;
        let instant = Duration::from_micros(1);
        Ok(match self.op {
            Op::Before => Times::Between(None, Some(start.minus(instant))),
            _ => Times::Between(Some(end.plus(instant)), None),
        })
    }

    fn pair<T>(&self, parse: impl Fn(&Value) -> Option<T>, message: &str) -> RuleResult<(T, T)> {
        let pair = match self.json.as_array().map(Vec::as_slice) {
            Some([first, second]) => parse(first).zip(parse(second)),
            _ => None,
        };
        self.require(pair, message)
    }
}

/// Returns the first and last moment of a day in UTC, or twice the moment of a timestamp.
fn moment(json: &Value) -> Option<(Timestamp, Timestamp)> {
    let text = json.as_str()?;
    if text.len() > "YYYY-MM-DD".len() {
        let time = text.parse().ok()?;
        return Some((time, time));
    }
    let start: Timestamp = format!("{text}T00:00:00Z").parse().ok()?;
    let end = start.plus(DAY).minus(Duration::from_micros(1));
    Some((start, end))
}

impl Times {
    /// Returns the first and last time of the range.
    pub(super) fn bounds(self, now: Timestamp) -> (Timestamp, Timestamp) {
        let (first, last) = match self {
            Self::Between(first, last) => (first, last),
            Self::WithinDays(days) => (Some(now.minus(DAY * days)), None),
        };
        let ends = (
            Timestamp::from_micros(i64::MIN),
            Timestamp::from_micros(i64::MAX),
        );
        (first.unwrap_or(ends.0), last.unwrap_or(ends.1))
    }
}

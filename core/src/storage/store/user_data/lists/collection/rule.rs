//! Rules of smart collections.
//!
//! A rule is a tree of groups and conditions. [`Rule::parse`] checks the JSON and names the path of an
//! error. Each condition selects a set of ids, and the groups combine these sets.

mod condition;
mod named;
mod parse;
mod ranges;
mod select;
mod storage;
mod value;

pub use parse::RuleError;
pub use select::Reader;
pub(super) use storage::{check_has_rule, check_is_manual, set, stored};

use crate::id::LibraryId;
use crate::store::item::{Direction, Sort, State};
use crate::time::Timestamp;

/// A valid rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    group: Group,
    /// Sort key of the collection.
    pub(crate) sort: Sort,
    /// Sort direction of the collection.
    pub(crate) direction: Direction,
    /// Number of items that the collection has at most, in the order of the rule.
    pub(crate) limit: Option<u64>,
}

/// Members that an item must meet: all of them, or any.
#[derive(Debug, Clone, PartialEq)]
struct Group {
    is_all: bool,
    members: Vec<Member>,
}

#[derive(Debug, Clone, PartialEq)]
enum Member {
    Condition(Condition),
    Group(Group),
}

/// Test of one field.
#[derive(Debug, Clone, PartialEq)]
struct Condition {
    test: Test,
    /// `true` if the condition selects the items that fail the test.
    is_negated: bool,
}

#[derive(Debug, Clone, PartialEq)]
enum Test {
    Text(TextField, TextTest),
    Kind(Vec<String>),
    Subkind(Vec<String>),
    State(Vec<State>),
    Library(Vec<LibraryId>),
    Number(NumberField, Range),
    Time(TimeField, Times),
    Favourite(bool),
    Missing(bool),
    Plays(Vec<String>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextField {
    Title,
    Author,
    Series,
    Genre,
    Tag,
    Codec,
    Language,
}

/// Comparison with folded texts.
#[derive(Debug, Clone, PartialEq, Eq)]
enum TextTest {
    OneOf(Vec<String>),
    Contains(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NumberField {
    Year,
    Rating,
    Duration,
    Pages,
    Size,
}

/// Inclusive range of numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Range {
    low: f64,
    high: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TimeField {
    AddedAt,
    FinishedAt,
}

/// Inclusive range of times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Times {
    Between(Option<Timestamp>, Option<Timestamp>),
    WithinDays(u32),
}

impl Rule {
    /// Returns `true` if a condition asks for missing items. Without one, a collection has only
    /// present items.
    fn asks_for_missing(&self) -> bool {
        self.group.asks_for_missing()
    }
}

impl Group {
    fn asks_for_missing(&self) -> bool {
        self.members.iter().any(|member| match member {
            Member::Condition(condition) => matches!(condition.test, Test::Missing(_)),
            Member::Group(group) => group.asks_for_missing(),
        })
    }
}

//! Conditions of rules: the fields with their operators.

use serde_json::{Map, Value};

use super::parse::{RuleError, RuleResult};
use super::value::Operand;
use super::{Condition, NumberField, Test, TextField, TimeField};
use crate::registry::Registry;

/// Fields of conditions.
#[derive(Debug, Clone, Copy)]
enum Field {
    Text(TextField),
    Kind,
    Subkind,
    State,
    Library,
    Number(NumberField),
    Time(TimeField),
    Favourite,
    Missing,
    Plays,
}

const FIELDS: &[(&str, Field)] = &[
    ("title", Field::Text(TextField::Title)),
    ("author", Field::Text(TextField::Author)),
    ("series", Field::Text(TextField::Series)),
    ("genre", Field::Text(TextField::Genre)),
    ("tag", Field::Text(TextField::Tag)),
    ("codec", Field::Text(TextField::Codec)),
    ("language", Field::Text(TextField::Language)),
    ("kind", Field::Kind),
    ("subkind", Field::Subkind),
    ("state", Field::State),
    ("library", Field::Library),
    ("year", Field::Number(NumberField::Year)),
    ("rating", Field::Number(NumberField::Rating)),
    ("duration", Field::Number(NumberField::Duration)),
    ("pages", Field::Number(NumberField::Pages)),
    ("size", Field::Number(NumberField::Size)),
    ("added_at", Field::Time(TimeField::AddedAt)),
    ("finished_at", Field::Time(TimeField::FinishedAt)),
    ("favourite", Field::Favourite),
    ("missing", Field::Missing),
    ("plays", Field::Plays),
];

/// Operators of conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
    Is,
    IsNot,
    Contains,
    OneOf,
    Greater,
    Less,
    Between,
    Before,
    After,
    WithinDays,
}

const OPS: &[(&str, Op)] = &[
    ("is", Op::Is),
    ("is_not", Op::IsNot),
    ("contains", Op::Contains),
    ("one_of", Op::OneOf),
    ("greater", Op::Greater),
    ("less", Op::Less),
    ("between", Op::Between),
    ("before", Op::Before),
    ("after", Op::After),
    ("within_days", Op::WithinDays),
];

impl Field {
    fn ops(self) -> &'static [Op] {
        match self {
            Self::Text(_) => &[Op::Is, Op::IsNot, Op::Contains, Op::OneOf],
            Self::Kind | Self::Subkind | Self::State | Self::Library => {
                &[Op::Is, Op::IsNot, Op::OneOf]
            }
            Self::Number(_) => &[Op::Is, Op::IsNot, Op::Greater, Op::Less, Op::Between],
            Self::Time(_) => &[Op::Before, Op::After, Op::Between, Op::WithinDays],
            Self::Favourite | Self::Missing => &[Op::Is],
            Self::Plays => &[Op::Is, Op::OneOf],
        }
    }
}

/// Parses a condition.
pub(super) fn parse(
    registry: &Registry,
    path: &str,
    json: &Map<String, Value>,
) -> RuleResult<Condition> {
    let field = lookup(path, json, "field", FIELDS)?;
    let op = lookup(path, json, "op", OPS)?;
    if !field.ops().contains(&op) {
        let names = OPS.iter().filter(|(_, op)| field.ops().contains(op));
        let names: Vec<&str> = names.map(|(name, _)| *name).collect();
        let message = format!("This field has these operators: {}.", names.join(", "));
        return Err(RuleError::new(format!("{path}.op"), message));
    }
    let operand = Operand {
        registry,
        path: format!("{path}.value"),
        op,
        json: json.get("value").unwrap_or(&Value::Null),
    };
    Ok(Condition {
        test: test(field, &operand)?,
        is_negated: op == Op::IsNot,
    })
}

fn test(field: Field, operand: &Operand<'_>) -> RuleResult<Test> {
    Ok(match field {
        Field::Text(field) => Test::Text(field, operand.text_test()?),
        Field::Kind => Test::Kind(operand.kinds()?),
        Field::Subkind => Test::Subkind(operand.subkinds()?),
        Field::State => Test::State(operand.states()?),
        Field::Library => Test::Library(operand.libraries()?),
        Field::Number(field) => Test::Number(field, operand.range()?),
        Field::Time(field) => Test::Time(field, operand.times()?),
        Field::Favourite => Test::Favourite(operand.flag()?),
        Field::Missing => Test::Missing(operand.flag()?),
        Field::Plays => Test::Plays(operand.engines()?),
    })
}

/// Returns the value of a name in a table.
fn lookup<T: Copy>(
    path: &str,
    json: &Map<String, Value>,
    name: &str,
    table: &[(&str, T)],
) -> RuleResult<T> {
    let value = json.get(name).and_then(Value::as_str);
    let found = table.iter().find(|(known, _)| Some(*known) == value);
    let refusal = || {
        let known: Vec<&str> = table.iter().map(|(known, _)| *known).collect();
        let message = format!("`{name}` is one of: {}.", known.join(", "));
        RuleError::new(format!("{path}.{name}"), message)
    };
    found.map(|(_, value)| *value).ok_or_else(refusal)
}

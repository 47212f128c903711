//! Groups of rules. An error states the path of the member that is not valid.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::condition;
use super::{Group, Member, Rule};
use crate::registry::Registry;

/// Limit of levels of groups.
const MAX_LEVELS: usize = 3;
/// Limit of conditions.
const MAX_CONDITIONS: usize = 30;
/// Limit of items of a collection.
const MAX_ITEMS: u64 = 10_000;

/// Error of a rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RuleError {
    /// Path of the value that is not valid, such as `rule.all[1].op`.
    pub path: String,
    /// Sentence that describes the problem.
    pub message: String,
}

impl RuleError {
    pub(super) fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            message: message.into(),
        }
    }
}

pub(super) type RuleResult<T> = Result<T, RuleError>;

impl Rule {
    /// Parses a rule. Kinds, subkinds and engines must be registered.
    ///
    /// # Errors
    ///
    /// Fails with the path of the first value that is not valid.
    pub fn parse(registry: &Registry, json: &Value) -> RuleResult<Self> {
        let path = "rule";
        let rule = object(path, json)?;
        let known = ["all", "any", "sort", "order", "limit"];
        check_names(path, rule, &known)?;
        let mut parser = Parser {
            registry,
            conditions: 0,
        };
        let is_whole_library = rule
            .get("all")
            .is_some_and(|all| *all == Value::Array(vec![]));
        let group = if is_whole_library && !rule.contains_key("any") {
            Group {
                is_all: true,
                members: Vec::new(),
            }
        } else {
            parser.group(path, rule, 1)?
        };
        Ok(Self {
            group,
            sort: named_value(path, rule, "sort", "`sort` is a sort key of item lists.")?
                .unwrap_or_default(),
            direction: named_value(path, rule, "order", "`order` is `asc` or `desc`.")?
                .unwrap_or_default(),
            limit: limit(path, rule)?,
        })
    }
}

struct Parser<'a> {
    registry: &'a Registry,
    conditions: usize,
}

impl Parser<'_> {
    fn group(&mut self, path: &str, json: &Map<String, Value>, level: usize) -> RuleResult<Group> {
        if level > MAX_LEVELS {
            let message = format!("A rule has at most {MAX_LEVELS} levels of groups.");
            return Err(RuleError::new(path, message));
        }
        let (name, members) = match (json.get("all"), json.get("any")) {
            (Some(members), None) => ("all", members),
            (None, Some(members)) => ("any", members),
            _ => return Err(RuleError::new(path, "A group has either `all` or `any`.")),
        };
        let members_path = format!("{path}.{name}");
        let members = members.as_array().ok_or_else(|| {
            RuleError::new(
                &members_path,
                format!("`{name}` is a list of conditions and groups."),
            )
        })?;
        if members.is_empty() {
            let message = "A group has at least one condition or group.";
            return Err(RuleError::new(path, message));
        }
        let members = members.iter().enumerate();
        let members = members.map(|(n, json)| {
            let path = format!("{members_path}[{n}]");
            self.member(&path, json, level)
        });
        Ok(Group {
            is_all: name == "all",
            members: members.collect::<RuleResult<_>>()?,
        })
    }

    fn member(&mut self, path: &str, json: &Value, level: usize) -> RuleResult<Member> {
        let member = object(path, json)?;
        if member.contains_key("all") || member.contains_key("any") {
            check_names(path, member, &["all", "any"])?;
            return self.group(path, member, level + 1).map(Member::Group);
        }
        self.conditions += 1;
        if self.conditions > MAX_CONDITIONS {
            let message = format!("A rule has at most {MAX_CONDITIONS} conditions.");
            return Err(RuleError::new("rule", message));
        }
        check_names(path, member, &["field", "op", "value"])?;
        condition::parse(self.registry, path, member).map(Member::Condition)
    }
}

fn object<'a>(path: &str, json: &'a Value) -> RuleResult<&'a Map<String, Value>> {
    let refusal = || {
        RuleError::new(
            path,
            "A rule consists of objects with conditions and groups.",
        )
    };
    json.as_object().ok_or_else(refusal)
}

/// Rejects names other than the known ones.
fn check_names(path: &str, json: &Map<String, Value>, known: &[&str]) -> RuleResult<()> {
    match json.keys().find(|name| !known.contains(&name.as_str())) {
        Some(name) => {
            let message = format!("Only these names are allowed here: {}.", known.join(", "));
            Err(RuleError::new(format!("{path}.{name}"), message))
        }
        None => Ok(()),
    }
}

fn named_value<T: DeserializeOwned>(
    path: &str,
    rule: &Map<String, Value>,
    name: &str,
    message: &str,
) -> RuleResult<Option<T>> {
    let value = rule.get(name).filter(|value| !value.is_null());
    let value = value.map(|value| serde_json::from_value(value.clone()));
    value
        .transpose()
        .map_err(|_| RuleError::new(format!("{path}.{name}"), message))
}

fn limit(path: &str, rule: &Map<String, Value>) -> RuleResult<Option<u64>> {
    let Some(value) = rule.get("limit").filter(|value| !value.is_null()) else {
        return Ok(None);
    };
    let limit = value.as_u64().filter(|n| (1..=MAX_ITEMS).contains(n));
    let message = format!("`limit` is a whole number from 1 to {MAX_ITEMS}.");
    let refusal = || RuleError::new(format!("{path}.limit"), message);
    limit.map(Some).ok_or_else(refusal)
}

//! Request bodies of collections and their validation.

use ledge_core::http::{ApiError, ApiResult};
use ledge_core::id::ItemId;
use ledge_core::registry::Registry;
use ledge_core::store::user_data::lists::collection::{
    CollectionKind, Insertion, NewContent, Rule, RuleError,
};
use ledge_core::store::user_data::lists::user_list::{ListPatch, NewList};
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::http::patch_field::present;
use crate::http::routes::id_list;
use crate::http::routes::organise::lists::request::{description, name};

/// A new collection.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({
    "name": "Long films", "kind": "smart",
    "rule": { "all": [{ "field": "year", "op": "greater", "value": 1990 }] }
}))]
pub(crate) struct CreateCollection {
    /// Name, 1 to 200 characters without control characters.
    #[schema(min_length = 1, max_length = 200)]
    name: String,
    /// Description.
    #[schema(max_length = 5_000)]
    description: Option<String>,
    /// `true` if every user can read the collection; the default is `false`.
    #[serde(default)]
    public: bool,
    /// Kind of the collection; the default is `manual`.
    #[serde(default)]
    kind: CollectionKind,
    /// Rule of a smart collection.
    #[schema(value_type = Option<Object>)]
    rule: Option<Value>,
    /// First items of a manual collection.
    #[schema(min_items = 1, max_items = 1_000)]
    items: Option<Vec<ItemId>>,
}

impl CreateCollection {
    /// Validates the new collection.
    pub(crate) fn check(self, registry: &Registry) -> ApiResult<(NewList, NewContent)> {
        let new = NewList {
            name: name(&self.name)?,
            description: description(self.description)?,
            public: self.public,
        };
        let content = match (self.kind, self.rule, self.items) {
            (CollectionKind::Manual, None, items) => {
                let items = items.map(|items| id_list::distinct("items", &items));
                NewContent::Items(items.transpose()?.unwrap_or_default())
            }
            (CollectionKind::Manual, Some(_), _) => {
                let message = "A manual collection has no rule: set `kind` to `smart`.";
                return Err(ApiError::invalid("rule", message));
            }
            (CollectionKind::Smart, _, Some(_)) => {
                let message = "The rule selects the items of a smart collection.";
                return Err(ApiError::invalid("items", message));
            }
            (CollectionKind::Smart, None, None) => {
                return Err(ApiError::invalid(
                    "rule",
                    "A smart collection needs a `rule`.",
                ));
            }
            (CollectionKind::Smart, Some(rule), None) => {
                parse_rule(registry, &rule)?;
                NewContent::Rule(rule)
            }
        };
        Ok((new, content))
    }
}

/// Changes to a collection; an omitted field stays, and null clears the description.
#[expect(
    clippy::option_option,
    reason = "absence, null and a text have different meanings"
)]
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "name": "Evening", "public": true }))]
pub(crate) struct UpdateCollection {
    /// Name, 1 to 200 characters without control characters.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = false, min_length = 1, max_length = 200)]
    name: Option<String>,
    /// Description.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, max_length = 5_000)]
    description: Option<Option<String>>,
    /// `true` if every user can read the collection.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = bool, required = false)]
    public: Option<bool>,
    /// Rule of a smart collection.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Object, required = false)]
    rule: Option<Value>,
}

impl UpdateCollection {
    /// Validates the changes.
    pub(crate) fn check(self, registry: &Registry) -> ApiResult<(ListPatch, Option<Value>)> {
        if let Some(rule) = &self.rule {
            parse_rule(registry, rule)?;
        }
        let patch = ListPatch {
            name: self.name.as_deref().map(name).transpose()?,
            description: self.description.map(description).transpose()?,
            public: self.public,
        };
        Ok((patch, self.rule))
    }
}

/// Items to add.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "items": [1], "at": 0 }))]
pub(crate) struct AddItems {
    /// Items. Those that the collection contains already are left out.
    #[schema(min_items = 1, max_items = 1_000)]
    items: Vec<ItemId>,
    /// Index of the item before which they are inserted; the default is the end.
    #[schema(minimum = 0)]
    at: Option<usize>,
}

impl AddItems {
    /// Validates the addition.
    pub(crate) fn check(self) -> ApiResult<Insertion> {
        Ok(Insertion {
            items: id_list::distinct("items", &self.items)?,
            at: self.at,
        })
    }
}

/// A rule to try.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({
    "rule": { "all": [{ "field": "year", "op": "greater", "value": 1990 }] }
}))]
pub(crate) struct PreviewRule {
    /// Rule.
    #[schema(value_type = Object)]
    #[serde(default)]
    rule: Value,
}

impl PreviewRule {
    /// Parses the rule.
    pub(crate) fn check(&self, registry: &Registry) -> ApiResult<Rule> {
        parse_rule(registry, &self.rule)
    }
}

fn parse_rule(registry: &Registry, rule: &Value) -> ApiResult<Rule> {
    let rule = Rule::parse(registry, rule);
    rule.map_err(|RuleError { path, message }| ApiError::invalid(path, message))
}

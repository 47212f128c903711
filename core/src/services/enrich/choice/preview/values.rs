//! Values of an item that a match can change, as texts for a comparison.

use std::collections::{BTreeSet, HashSet};

use rusqlite::Connection;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::access::{Visible, VisibleItem};
use crate::error::StoreResult;
use crate::registry::Registry;
use crate::registry::provider::{Candidate, Cover, PictureSubject};
use crate::store::catalogue::person;
use crate::store::cover::picture::Role;
use crate::store::item::{self, ItemDetail, PersonCredit};
use crate::store::matches::episodes;

/// Maximum number of values of a field that are all in a preview.
const MAX_VALUES: usize = 200;

/// A field that a match would change. Of more than 200 values, only the first 200 are listed that
/// the other side lacks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct FieldChange {
    /// Name of the field, such as `title` or `details.tagline`.
    pub field: String,
    /// Values at present; empty if there is none.
    pub before: Vec<String>,
    /// Values after the change; empty if there will be none.
    pub after: Vec<String>,
}

/// Values of an item by field, in the order of a page.
#[derive(Debug)]
pub(super) struct Values {
    fields: Vec<(String, Vec<String>)>,
}

impl Values {
    fn get(&self, field: &str) -> &[String] {
        let found = self.fields.iter().find(|(name, _)| name == field);
        found.map_or(&[], |(_, values)| values)
    }
}

/// Reads the values of an item. Returns `None` if it is gone.
pub(super) fn of_item(
    conn: &Connection,
    registry: &Registry,
    item: VisibleItem,
) -> StoreResult<Option<Values>> {
    let (id, viewer) = (item.id(), Visible::of(item.viewer()));
    let Some(detail) = item::detail(conn, registry, viewer, id)? else {
        return Ok(None);
    };
    let mut fields = own_fields(&detail);
    if let Some(sourced) = &detail.details {
        // Plain data without keys other than texts.
        if let Ok(Value::Object(details)) = serde_json::to_value(&sourced.details) {
            let named = details.iter();
            fields.extend(named.map(|(name, value)| (format!("details.{name}"), texts(value))));
        }
        let ids = sourced.external_ids.iter();
        let ids = ids.map(|(database, id)| format!("{database} {id}"));
        fields.push(("external_ids".to_owned(), ids.collect()));
    }
    let known = episodes::known(conn, id)?.into_iter();
    let episodes = known.map(|one| {
        let title = one.title.unwrap_or_default();
        let number = format!("{} × {}", one.season, one.number);
        format!("{number} {title}").trim_end().to_owned()
    });
    fields.push(("episodes".to_owned(), episodes.collect()));
    Ok(Some(Values { fields }))
}

fn own_fields(detail: &ItemDetail) -> Vec<(String, Vec<String>)> {
    let card = &detail.card;
    let text = |value: &str| -> Vec<String> {
        let value = Some(value.to_owned());
        value
            .filter(|value| !value.is_empty())
            .into_iter()
            .collect()
    };
    let (authors, others): (Vec<_>, Vec<_>) = detail
        .people
        .iter()
        .partition(|credit| credit.role == person::AUTHOR);
    let names = |credits: Vec<&PersonCredit>| credits.into_iter().map(credit_text).collect();
    [
        ("title", text(&card.title)),
        (
            "year",
            card.year.map(|year| year.to_string()).into_iter().collect(),
        ),
        ("authors", names(authors)),
        (
            "description",
            text(detail.description.as_deref().unwrap_or_default()),
        ),
        ("series", text(&series_text(&detail.facts))),
        ("genres", detail.genres.clone()),
        ("people", names(others)),
    ]
    .map(|(name, values)| (name.to_owned(), values))
    .into()
}

/// Returns the name of the series, and the number if it is known.
fn series_text(facts: &Value) -> String {
    let name = facts["series"].as_str().unwrap_or_default();
    match facts["series_index"].as_f64() {
        Some(index) => format!("{name} {index}"),
        None => name.to_owned(),
    }
}

fn credit_text(credit: &PersonCredit) -> String {
    match credit.character.as_deref() {
        Some(character) => format!("{} ({character})", credit.name),
        None if credit.role == person::AUTHOR => credit.name.clone(),
        None => format!("{} ({})", credit.name, credit.role),
    }
}

/// Returns the texts of a plain value. The values of an object become one text.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Null => Vec::new(),
        Value::String(text) => vec![text.clone()],
        Value::Array(values) => values.iter().flat_map(texts).collect(),
        Value::Object(values) => {
            let parts: Vec<String> = values.values().flat_map(texts).collect();
            vec![parts.join(" · ")]
        }
        Value::Bool(_) | Value::Number(_) => vec![value.to_string()],
    }
}

/// Returns the fields whose values differ.
pub(super) fn changes(before: &Values, after: &Values) -> Vec<FieldChange> {
    let gone = before.fields.iter();
    let gone = gone.filter(|(name, _)| after.fields.iter().all(|(other, _)| other != name));
    let named = after.fields.iter().chain(gone);
    let changed = named.filter_map(|(name, _)| {
        let (old, new) = (before.get(name), after.get(name));
        let is_long = old.len().max(new.len()) > MAX_VALUES;
        (old != new).then(|| FieldChange {
            field: name.clone(),
            before: if is_long {
                lacking(old, new)
            } else {
                old.to_vec()
            },
            after: if is_long {
                lacking(new, old)
            } else {
                new.to_vec()
            },
        })
    });
    changed.collect()
}

/// Returns the first values that the other list lacks.
fn lacking(values: &[String], other: &[String]) -> Vec<String> {
    let other: HashSet<&String> = other.iter().collect();
    let lacking = values.iter().filter(|value| !other.contains(value));
    lacking.take(MAX_VALUES).cloned().collect()
}

/// Returns the roles of the pictures that come with a candidate: those that the write would request
/// (`pending`), its cover, and those that it contains as bytes.
pub(super) fn pictures(pending: &BTreeSet<Role>, candidate: &Candidate) -> Vec<&'static str> {
    let details = &candidate.details;
    let is_delivered = |picture: &Option<Cover>| matches!(picture, Some(Cover::Bytes(_)));
    let mut roles = pending.clone();
    if is_delivered(&details.backdrop) {
        roles.insert(Role::Backdrop);
    }
    if is_delivered(&details.logo) {
        roles.insert(Role::Logo);
    }
    roles.extend(details.pictures.iter().map(|picture| match picture.of {
        PictureSubject::Person(_) => Role::Portrait,
        PictureSubject::Season(_) => Role::Season,
        PictureSubject::Episode { .. } => Role::Still,
    }));
    let cover = candidate.cover.is_some().then_some("cover");
    cover
        .into_iter()
        .chain(roles.into_iter().map(Role::as_str))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::registry::provider::{DeliveredPicture, Details};

    fn values(fields: &[(&str, &[&str])]) -> Values {
        let owned = |(name, values): &(&str, &[&str])| {
            let values = values.iter().map(|&value| value.to_owned());
            ((*name).to_owned(), values.collect())
        };
        Values {
            fields: fields.iter().map(owned).collect(),
        }
    }

    #[test]
    fn changed_added_and_removed_fields_are_changes() {
        let before = values(&[("title", &["A"]), ("year", &["1999"]), ("old", &["x"])]);
        let after = values(&[("title", &["B"]), ("year", &["1999"]), ("new", &["y"])]);
        let changes = changes(&before, &after);
        let texts: Vec<String> = changes
            .iter()
            .map(|one| format!("{}: {:?} {:?}", one.field, one.before, one.after))
            .collect();
        let expected = [
            r#"title: ["A"] ["B"]"#,
            r#"new: [] ["y"]"#,
            r#"old: ["x"] []"#,
        ];
        assert_eq!(texts, expected);
    }

    #[test]
    fn long_list_contains_only_the_values_that_differ() {
        let numbers = |range: std::ops::Range<u32>| -> Vec<String> {
            range.map(|number| number.to_string()).collect()
        };
        let before = Values {
            fields: vec![("episodes".to_owned(), numbers(0..250))],
        };
        let after = Values {
            fields: vec![("episodes".to_owned(), numbers(1..251))],
        };
        let [change] = <[FieldChange; 1]>::try_from(changes(&before, &after)).expect("a change");
        assert_eq!(
            (change.before, change.after),
            (numbers(0..1), numbers(250..251))
        );
    }

    #[test]
    fn pictures_are_those_to_request_and_those_that_are_delivered() {
        let season = |season| DeliveredPicture {
            of: PictureSubject::Season(season),
            picture: Cover::Bytes(vec![1]),
        };
        let candidate = Candidate {
            cover: Some(Cover::Address("https://example.org/a.jpg".to_owned())),
            details: Details {
                logo: Some(Cover::Bytes(vec![1])),
                backdrop: Some(Cover::Address("https://example.org/b.jpg".to_owned())),
                pictures: vec![season(1), season(2)],
                ..Details::default()
            },
            ..Candidate::default()
        };
        let none = BTreeSet::new();
        assert_eq!(pictures(&none, &candidate), ["cover", "logo", "season"]);
        let pending = BTreeSet::from([Role::Backdrop]);
        let roles = pictures(&pending, &candidate);
        assert_eq!(roles, ["cover", "backdrop", "logo", "season"]);
    }

    #[test]
    fn object_becomes_one_text() {
        let value = json!([{ "country": "DE", "rating": "12" }, "b", null, 7]);
        assert_eq!(texts(&value), ["DE · 12", "b", "7"]);
    }
}

//! Corrections of schemas that type definitions cannot express.

use std::collections::{BTreeMap, BTreeSet};

use ledge_core::registry::Registry;
use serde_json::{Map, Value, json};

const SCHEMAS: &str = "/components/schemas";

/// Makes the schemas match the behaviour of the server.
pub(super) fn tidy(document: &mut Value, registry: &Registry) {
    let kinds: Vec<&str> = registry.kinds().iter().map(|kind| kind.id).collect();
    walk(document, &mut |schema| name_kind(schema, &kinds));
    walk(document, &mut tell_what_is_always_there);
    walk(document, &mut bound_parameter);
    walk(document, &mut leave_out_instead_of_null);
    count_ids_from_one(document);
    refer_to_named(document);
    drop_unused(document);
}

/// Calls `change` on every object, inner objects first.
fn walk(value: &mut Value, change: &mut impl FnMut(&mut Map<String, Value>)) {
    match value {
        Value::Object(fields) => {
            fields.values_mut().for_each(|field| walk(field, change));
            change(fields);
        }
        Value::Array(values) => values.iter_mut().for_each(|value| walk(value, change)),
        _ => {}
    }
}

/// Replaces the format `kind` by an enumeration of the registered kinds.
fn name_kind(schema: &mut Map<String, Value>, kinds: &[&str]) {
    if schema.get("format") == Some(&json!("kind")) {
        schema.remove("format");
        schema.insert("enum".to_owned(), json!(kinds));
    }
}

/// Marks the fields of responses as required: an unknown value is null. Request bodies, which deny
/// further fields, may omit nullable fields.
fn tell_what_is_always_there(schema: &mut Map<String, Value>) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return;
    };
    if schema.get("additionalProperties") == Some(&Value::Bool(false)) {
        return;
    }
    let required = schema.get("required").and_then(Value::as_array);
    let named: BTreeSet<&str> = required
        .iter()
        .flat_map(|names| names.iter().filter_map(Value::as_str))
        .collect();
    let always = |(name, property): &(&String, &Value)| {
        named.contains(name.as_str()) || admits_null(property)
    };
    let always: Vec<&String> = properties
        .iter()
        .filter(always)
        .map(|(name, _)| name)
        .collect();
    let always = json!(always);
    if always != json!([]) {
        schema.insert("required".to_owned(), always);
    }
}

fn admits_null(schema: &Value) -> bool {
    let is_null = |value: &Value| value == "null";
    match schema.get("type") {
        Some(Value::Array(types)) => types.iter().any(is_null),
        Some(kind) => is_null(kind),
        None => schema
            .get("oneOf")
            .and_then(Value::as_array)
            .is_some_and(|choices| choices.iter().any(admits_null)),
    }
}

/// Removes null from parameters, because an absent parameter is omitted. Sets the minimum 1 of ids.
fn bound_parameter(parameter: &mut Map<String, Value>) {
    let (Some(place), Some(_)) = (parameter.get("in").cloned(), parameter.get("name")) else {
        return;
    };
    if let Some(choice) = parameter.get("schema").and_then(only_choice) {
        parameter.insert("schema".to_owned(), choice);
    }
    let Some(schema) = parameter.get_mut("schema").and_then(Value::as_object_mut) else {
        return;
    };
    if let Some(Value::Array(types)) = schema.get("type") {
        let given: Vec<&Value> = types.iter().filter(|kind| *kind != "null").collect();
        if let [kind] = given[..] {
            let kind = kind.clone();
            schema.insert("type".to_owned(), kind);
        }
    }
    if place == "path" && schema.get("type") == Some(&json!("integer")) {
        schema.entry("minimum").or_insert(json!(1));
    }
}

/// Removes null from optional request bodies, because an absent body is omitted.
fn leave_out_instead_of_null(operation: &mut Map<String, Value>) {
    let Some(body) = operation.get_mut("requestBody") else {
        return;
    };
    walk(body, &mut |content| {
        let choice = content.get("schema").and_then(only_choice);
        if let Some(choice) = choice {
            content.insert("schema".to_owned(), choice);
        }
    });
}

/// Returns the only other schema of a nullable value.
fn only_choice(schema: &Value) -> Option<Value> {
    let choices = schema.get("oneOf")?.as_array()?;
    let mut given = choices.iter().filter(|choice| !admits_null(choice));
    match (given.next(), given.next()) {
        (Some(choice), None) => Some(choice.clone()),
        _ => None,
    }
}

/// Sets the minimum 1 of named id types.
fn count_ids_from_one(document: &mut Value) {
    let schemas = document.pointer_mut(SCHEMAS);
    for (name, schema) in schemas.and_then(Value::as_object_mut).into_iter().flatten() {
        let is_number = schema.get("type") == Some(&json!("integer"));
        if let (true, true, Some(schema)) =
            (name.ends_with("Id"), is_number, schema.as_object_mut())
        {
            schema.insert("minimum".to_owned(), json!(1));
        }
    }
}

/// Replaces the repeated schemas of generic types by references to the named types.
fn refer_to_named(document: &mut Value) {
    let Some(named) = document.pointer(SCHEMAS).and_then(Value::as_object) else {
        return;
    };
    let objects = named
        .iter()
        .filter(|(_, schema)| schema.get("properties").is_some() || schema.get("allOf").is_some());
    let named: BTreeMap<String, Value> = objects
        .map(|(name, schema)| (name.clone(), schema.clone()))
        .collect();
    let refer = &mut |fields: &mut Map<String, Value>| {
        for value in fields.values_mut() {
            let name = named.iter().find(|(_, schema)| *schema == value);
            if let Some((name, _)) = name {
                *value = json!({ "$ref": format!("#/components/schemas/{name}") });
            }
        }
    };
    walk_below_names(document, refer);
}

/// Calls `change` like [`walk`], but not on the table of named schemas itself.
fn walk_below_names(document: &mut Value, change: &mut impl FnMut(&mut Map<String, Value>)) {
    if let Some(paths) = document.get_mut("paths") {
        walk(paths, change);
    }
    if let Some(Value::Object(schemas)) = document.pointer_mut(SCHEMAS) {
        schemas.values_mut().for_each(|schema| walk(schema, change));
    }
}

/// Removes named schemas without references.
fn drop_unused(document: &mut Value) {
    loop {
        let text = document.to_string();
        let Some(Value::Object(schemas)) = document.pointer_mut(SCHEMAS) else {
            return;
        };
        let before = schemas.len();
        schemas.retain(|name, _| text.contains(&format!("\"#/components/schemas/{name}\"")));
        if schemas.len() == before {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(mut value: Value, change: fn(&mut Map<String, Value>)) -> Value {
        walk(&mut value, &mut { change });
        value
    }

    #[test]
    fn nullable_field_is_required_in_responses_and_optional_in_bodies() {
        let mut schema = json!({
            "properties": {
                "id": { "type": "integer" },
                "field": { "type": "string" },
                "year": { "type": ["integer", "null"] },
                "cover": { "oneOf": [{ "$ref": "#/x" }, { "type": "null" }] },
            },
            "required": ["id"],
        });
        let answer = changed(schema.clone(), tell_what_is_always_there);
        assert_eq!(answer["required"], json!(["cover", "id", "year"]));
        schema["additionalProperties"] = json!(false);
        let body = changed(schema.clone(), tell_what_is_always_there);
        assert_eq!(body, schema);
    }

    #[test]
    fn parameter_is_not_nullable_and_id_parameter_starts_at_one() {
        let bound = |schema| {
            let parameter = json!({ "in": "path", "name": "id", "schema": schema });
            changed(parameter, bound_parameter)["schema"].clone()
        };
        let integer = json!({ "type": "integer", "minimum": 1 });
        assert_eq!(bound(json!({ "type": "integer" })), integer);
        let from_five = json!({ "type": "integer", "minimum": 5 });
        assert_eq!(bound(from_five.clone()), from_five);
        let text = json!({ "type": "string" });
        assert_eq!(bound(json!({ "type": ["string", "null"] })), text);
        let choice = json!({ "oneOf": [{ "type": "null" }, { "type": "string" }] });
        assert_eq!(bound(choice), text);
    }

    #[test]
    fn optional_body_is_not_nullable() {
        let body = json!({ "$ref": "#/components/schemas/ScanRequest" });
        let schema = json!({ "oneOf": [body, { "type": "null" }] });
        let json = json!({ "application/json": { "schema": schema } });
        let operation = json!({ "requestBody": { "content": json } });
        let actual = changed(operation, leave_out_instead_of_null);
        let actual = &actual["requestBody"]["content"]["application/json"]["schema"];
        assert_eq!(*actual, body);
    }

    #[test]
    fn id_types_start_at_one_and_other_numbers_are_unchanged() {
        let mut document = json!({ "components": { "schemas": {
            "ItemId": { "type": "integer" },
            "KindId": { "type": "string" },
            "Number": { "type": "integer" },
        } } });
        count_ids_from_one(&mut document);
        let schemas = &document["components"]["schemas"];
        assert_eq!(schemas["ItemId"]["minimum"], 1);
        assert_eq!(schemas["KindId"]["minimum"], Value::Null);
        assert_eq!(schemas["Number"]["minimum"], Value::Null);
    }

    #[test]
    fn repeated_schemas_become_references_and_unused_ones_are_removed() {
        let named = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
        let mut document = json!({
            "paths": { "/x": { "schema": { "$ref": "#/components/schemas/List" } } },
            "components": { "schemas": {
                "List": { "type": "array", "items": named },
                "Named": named,
                "Unused": { "$ref": "#/components/schemas/OnlyThere" },
                "OnlyThere": { "type": "string" },
            } },
        });
        refer_to_named(&mut document);
        drop_unused(&mut document);
        let left = json!({
            "List": { "type": "array", "items": { "$ref": "#/components/schemas/Named" } },
            "Named": named,
        });
        assert_eq!(document["components"]["schemas"], left);
    }
}

//! The refusals that many routes give alike: written once, referred to by every operation.

use serde_json::{Map, Value, json};
use utoipa::openapi::path::{Operation, Parameter, ParameterIn};
use utoipa::openapi::schema::{SchemaType, Type};
use utoipa::openapi::{Ref, RefOr, Schema};

/// An error answer: its status, its code, and what it means where the handler says nothing closer.
struct Refusal {
    status: u16,
    code: &'static str,
    meaning: &'static str,
}

const fn refusal(status: u16, code: &'static str, meaning: &'static str) -> Refusal {
    Refusal {
        status,
        code,
        meaning,
    }
}

const REFUSALS: &[Refusal] = &[
    refusal(400, "bad_request", "Malformed, or cut short"),
    refusal(401, "unauthenticated", "Not signed in"),
    refusal(
        403,
        "forbidden",
        "Not allowed to this user, or a change that another site made the browser send",
    ),
    refusal(
        404,
        "not_found",
        "Absent, or not visible to this user: the two are not told apart",
    ),
    refusal(409, "conflict", "What is there already does not allow it"),
    refusal(412, "precondition_failed", "It has changed in the meantime"),
    refusal(413, "payload_too_large", "Larger than 1 MiB"),
    refusal(415, "unsupported_media_type", "Not JSON"),
    refusal(416, "range_not_satisfiable", "No such range"),
    refusal(
        422,
        "invalid",
        "Well-formed, but not acceptable; `field` names what",
    ),
    refusal(429, "too_many_requests", "Too many attempts"),
    refusal(500, "internal", "The server's own fault; its log has more"),
    refusal(
        503,
        "unavailable",
        "The database does not answer, or the server is starting or stopping",
    ),
];

/// Adds an error answer that the handler need not know of.
pub(super) fn add(operation: &mut Operation, status: u16) {
    let refusal = REFUSALS.iter().find(|refusal| refusal.status == status);
    let refusal = refusal.expect("only statuses of the table are added");
    let responses = &mut operation.responses.responses;
    responses
        .entry(status.to_string())
        .or_insert_with(|| Ref::from_response_name(refusal.code).into());
}

/// Adds the error answers that follow from an operation's form, and lets all of them refer to the
/// shared ones. What the handler says of one stays.
pub(super) fn describe(path: &str, operation: &mut Operation) {
    if path.contains('{') {
        add(operation, 404);
    }
    if operation.request_body.is_some() {
        for status in [400, 413, 415, 422] {
            add(operation, status);
        }
    }
    let parameters = operation.parameters.iter().flatten();
    let mut parameters = parameters.filter_map(|parameter| match parameter {
        RefOr::T(parameter) => Some(parameter),
        RefOr::Ref(_) => None,
    });
    if parameters.any(has_a_form) {
        add(operation, 422);
    }
    add(operation, 500);
    add(operation, 503);
    for refusal in REFUSALS {
        let status = refusal.status.to_string();
        if let Some(response) = operation.responses.responses.get_mut(&status)
            && let RefOr::T(own) = response
        {
            let mut reference = Ref::from_response_name(refusal.code);
            reference.description = std::mem::take(&mut own.description);
            *response = RefOr::Ref(reference);
        }
    }
}

/// Whether a value of the parameter can be unacceptable: what is no id in a path is absent, and
/// header fields that make no sense are passed over.
fn has_a_form(parameter: &Parameter) -> bool {
    match parameter.parameter_in {
        ParameterIn::Query => true,
        ParameterIn::Path => is_text(parameter.schema.as_ref()),
        _ => false,
    }
}

fn is_text(schema: Option<&RefOr<Schema>>) -> bool {
    let text = SchemaType::new(Type::String);
    matches!(schema, Some(RefOr::T(Schema::Object(object))) if object.schema_type == text)
}

/// Defines the shared answers that are referred to.
pub(super) fn define(document: &mut Value) {
    let used = document.to_string();
    let is_used = |refusal: &&Refusal| {
        let reference = format!("\"#/components/responses/{}\"", refusal.code);
        used.contains(&reference)
    };
    let defined: Map<String, Value> = REFUSALS
        .iter()
        .filter(is_used)
        .map(|refusal| (refusal.code.to_owned(), definition(refusal)))
        .collect();
    let components = document.get_mut("components");
    let components = components.and_then(Value::as_object_mut);
    if let Some(components) = components {
        components.insert("responses".to_owned(), defined.into());
    }
}

fn definition(refusal: &Refusal) -> Value {
    let mut error = json!({ "properties": { "code": { "const": refusal.code } } });
    if refusal.status == 422 {
        merge(&mut error, "required", json!(["field"]));
    }
    let mut headers = json!({
        "X-Request-Id": {
            "description": "Names the request in the server's log",
            "required": true,
            "schema": { "type": "string", "pattern": "^[0-9a-f]{16}$" },
        },
    });
    match refusal.status {
        416 => merge(
            &mut headers,
            "Content-Range",
            json!({
                "description": "The size of the file",
                "required": true,
                "schema": { "type": "string", "pattern": "^bytes \\*/[0-9]+$" },
            }),
        ),
        429 => merge(
            &mut headers,
            "Retry-After",
            json!({
                "description": "Seconds to wait",
                "required": true,
                "schema": { "type": "integer", "minimum": 1 },
            }),
        ),
        _ => {}
    }
    json!({
        "description": refusal.meaning,
        "headers": headers,
        "content": {
            "application/json": {
                "schema": {
                    "allOf": [
                        { "$ref": "#/components/schemas/ErrorBody" },
                        { "properties": { "error": error } },
                    ],
                },
            },
        },
    })
}

fn merge(object: &mut Value, key: &str, value: Value) {
    if let Some(object) = object.as_object_mut() {
        object.insert(key.to_owned(), value);
    }
}

//! Error responses that many routes share: defined once, and referenced by every operation.

use serde_json::{Map, Value, json};
use utoipa::openapi::path::{Operation, Parameter, ParameterIn};
use utoipa::openapi::schema::{SchemaType, Type};
use utoipa::openapi::{Ref, RefOr, Schema};

/// An error response: status, code, and default description.
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
    refusal(400, "bad_request", "Malformed or truncated request"),
    refusal(401, "unauthenticated", "Not signed in"),
    refusal(
        403,
        "forbidden",
        "Not allowed for this user, or a cross-site change",
    ),
    refusal(
        404,
        "not_found",
        "Absent, or not visible to this user; both give the same response",
    ),
    refusal(
        409,
        "conflict",
        "Conflict with the current state of the resource",
    ),
    refusal(
        412,
        "precondition_failed",
        "The precondition failed, because the resource has changed",
    ),
    refusal(413, "payload_too_large", "Larger than 1 MiB"),
    refusal(415, "unsupported_media_type", "Not JSON"),
    refusal(416, "range_not_satisfiable", "No such range"),
    refusal(
        422,
        "invalid",
        "Well-formed, but not acceptable; `field` contains the name of the field",
    ),
    refusal(429, "too_many_requests", "Too many attempts"),
    refusal(
        500,
        "internal",
        "Internal failure; the server's log contains the cause",
    ),
    refusal(
        503,
        "unavailable",
        "The database does not respond, or the server is starting or stopping",
    ),
];

/// Adds an error response to an operation.
pub(super) fn add(operation: &mut Operation, status: u16) {
    let refusal = REFUSALS.iter().find(|refusal| refusal.status == status);
    let refusal = refusal.expect("callers pass only statuses of the table");
    let responses = &mut operation.responses.responses;
    responses
        .entry(status.to_string())
        .or_insert_with(|| Ref::from_response_name(refusal.code).into());
}

/// Adds the error responses that follow from an operation's parameters and body. All error
/// responses become references; a description by the handler stays.
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

/// Returns `true` if a value of the parameter can be unacceptable. A malformed id in a path is
/// answered with 404, and malformed header fields are ignored.
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

/// Defines the shared responses that are referenced.
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

//! OpenAPI document: it is complete, consistent and true.

use std::collections::{BTreeMap, BTreeSet};

use ledge_tests::server::program;
use ledge_tests::{Client, Server};
use serde_json::Value;

use crate::http::conventions::refused;
use crate::operation::system::ROUTES;

/// Returns the document of the executable with the additional kind.
fn document(server: &Server) -> Value {
    server.admin().get("/openapi.json").expect(200).json()
}

fn server() -> Server {
    Server::with(&program("ledge"), &[])
}

/// Operation of the document.
struct Operation<'a> {
    method: &'a str,
    path: &'a str,
    definition: &'a Value,
}

impl Operation<'_> {
    fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    /// Returns `true` if a response with this status is described.
    fn answers(&self, status: u16) -> bool {
        !self.definition["responses"][status.to_string()].is_null()
    }

    fn takes(&self, place: &str) -> bool {
        let parameters = self.definition["parameters"].as_array();
        parameters.is_some_and(|all| all.iter().any(|one| one["in"] == place))
    }

    /// Returns its path with unused ids.
    fn filled_in(&self) -> String {
        let fill = |segment| match segment {
            "{slot}" => "auto",
            id if str::starts_with(id, "{") => "98765",
            word => word,
        };
        let path = self.path.split('/').map(fill).collect::<Vec<_>>().join("/");
        match path.strip_prefix("/api/v1") {
            Some(rest) => rest.to_owned(),
            None => format!("/{path}"),
        }
    }
}

fn operations(document: &Value) -> Vec<Operation<'_>> {
    let paths = document["paths"].as_object().expect("paths");
    let methods = paths.iter().flat_map(|(path, item)| {
        let item = item.as_object().expect("methods");
        item.iter().map(move |(method, definition)| Operation {
            method,
            path,
            definition,
        })
    });
    methods.collect()
}

/// Collects every `$ref` below a value.
fn references<'a>(value: &'a Value, found: &mut BTreeSet<&'a str>) {
    match value {
        Value::Object(fields) => {
            if let Some(reference) = fields.get("$ref").and_then(Value::as_str) {
                found.insert(reference);
            }
            fields.values().for_each(|field| references(field, found));
        }
        Value::Array(values) => values.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

#[test]
fn exactly_the_routes_of_the_contract_are_described() {
    let server = server();
    let anonymous = server.client().get("/openapi.json");
    refused(&anonymous, 401, "unauthenticated");
    let answer = server.admin().get("/openapi.json").expect(200);
    assert_eq!(answer.header("content-type"), "application/json");
    let document = answer.json();
    let version = document["openapi"].as_str().expect("a version");
    assert!(version.starts_with("3.1."), "{version}");
    let described: BTreeSet<_> = operations(&document)
        .iter()
        .map(|operation| (operation.method, operation.path))
        .collect();
    let routes: BTreeSet<_> = ROUTES.iter().copied().collect();
    assert_eq!(described, routes);
}

#[test]
fn every_operation_has_unique_id_summary_and_known_tag() {
    let server = server();
    let document = document(&server);
    let tags = document["tags"].as_array().expect("tags");
    let tags: BTreeSet<_> = tags.iter().filter_map(|tag| tag["name"].as_str()).collect();
    let mut names = BTreeMap::new();
    for operation in operations(&document) {
        let definition = operation.definition;
        let name = definition["operationId"].as_str().expect("a name");
        assert_eq!(names.insert(name, operation.name()), None, "{name}");
        let summary = definition["summary"].as_str().unwrap_or_default();
        assert!(!summary.is_empty(), "{}", operation.name());
        let tag = definition["tags"][0].as_str().unwrap_or_default();
        assert!(tags.contains(tag), "{}: {tag}", operation.name());
        for parameter in definition["parameters"].as_array().into_iter().flatten() {
            let text = parameter["description"].as_str().unwrap_or_default();
            assert!(!text.is_empty(), "{}: {parameter}", operation.name());
            assert_ne!(parameter["schema"], Value::Null, "{parameter}");
        }
    }
}

/// Returns the types that a schema and its references permit. Empty if it does not restrict them.
fn types(document: &Value, schema: &Value) -> BTreeSet<String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let schema = document.pointer(reference.trim_start_matches('#'));
        return types(document, schema.expect("what is referred to"));
    }
    match &schema["type"] {
        Value::String(one) => BTreeSet::from([one.clone()]),
        Value::Array(several) => several
            .iter()
            .map(|one| one.as_str().expect("a type").to_owned())
            .collect(),
        _ => BTreeSet::new(),
    }
}

/// Collects every schema with `allOf` or with a default.
fn strict<'a>(value: &'a Value, found: &mut Vec<&'a Value>) {
    match value {
        Value::Object(fields) => {
            if fields.contains_key("allOf") || fields.contains_key("default") {
                found.push(value);
            }
            fields.values().for_each(|field| strict(field, found));
        }
        Value::Array(values) => values.iter().for_each(|value| strict(value, found)),
        _ => {}
    }
}

#[test]
fn no_schema_contradicts_itself() {
    let server = server();
    let document = document(&server);
    let mut schemas = Vec::new();
    strict(&document, &mut schemas);
    assert!(!schemas.is_empty());
    for schema in schemas {
        let parts = schema["allOf"].as_array().into_iter().flatten();
        let kinds: BTreeSet<_> = parts
            .map(|part| types(&document, part))
            .filter(|types| !types.is_empty())
            .collect();
        assert!(kinds.len() < 2, "{schema}");
        if let (Some(words), word) = (schema["enum"].as_array(), &schema["default"]) {
            assert!(word.is_null() || words.contains(word), "{schema}");
        }
    }
}

#[test]
fn every_response_has_description_and_content() {
    let server = server();
    let document = document(&server);
    for operation in operations(&document) {
        let responses = operation.definition["responses"]
            .as_object()
            .expect("answers");
        let succeeds = responses.keys().any(|status| status.starts_with('2'));
        assert!(succeeds, "{}", operation.name());
        for (status, answer) in responses {
            let about = format!("{status} of {}: {answer}", operation.name());
            let answer = match answer["$ref"].as_str() {
                Some(reference) => document
                    .pointer(reference.trim_start_matches('#'))
                    .expect("a shared answer"),
                None => answer,
            };
            let text = answer["description"].as_str().unwrap_or_default();
            assert!(!text.is_empty(), "{about}");
            let without_body = ["204", "304"].contains(&status.as_str());
            let content = answer["content"].as_object();
            if without_body || operation.method == "head" {
                assert!(content.is_none() || !status.starts_with('2'), "{about}");
                continue;
            }
            let content = content.unwrap_or_else(|| panic!("{about}"));
            assert!(!content.is_empty(), "{about}");
            let is_error = status.starts_with(['4', '5']);
            assert!(
                !is_error || content.contains_key("application/json"),
                "{about}"
            );
        }
    }
}

#[test]
fn implied_error_responses_are_described() {
    let server = server();
    let document = document(&server);
    for operation in operations(&document) {
        let name = operation.name();
        let mut implied = vec![500, 503];
        if operation.path.contains('{') {
            implied.push(404);
        }
        if operation.takes("query") || operation.path.contains("{slot}") {
            implied.push(422);
        }
        if !operation.definition["requestBody"].is_null() {
            implied.extend([400, 413, 415, 422]);
        }
        for status in implied {
            assert!(operation.answers(status), "{status} of {name}");
        }
    }
}

/// Sends a request without content, and asserts that the response status is described. Returns the
/// status.
fn described_answer(client: &Client, operation: &Operation<'_>) -> u16 {
    let method = operation.method.to_uppercase();
    let answer = client.send(&method, &operation.filled_in(), &[], None);
    let name = operation.name();
    assert!(operation.answers(answer.status), "{name}: {answer:?}");
    answer.status
}

#[test]
fn refusals_match_description() {
    let server = server();
    let document = document(&server);
    let admin = server.admin();
    let (_, user) = server.user(&admin, "mia");
    for operation in operations(&document) {
        let name = operation.name();
        let security = operation.definition["security"]
            .as_array()
            .expect("security");
        let refused = described_answer(server.client(), &operation) == 401;
        // Absent, because no monitoring token is configured.
        if operation.path == "/metrics" {
            continue;
        }
        // A wrong password is also a 401, but without a body the login is not attempted.
        assert_eq!(refused, !security.is_empty(), "{name}");
        assert!(!refused || operation.answers(401), "{name}");
        // One never ends, the other ends the session that this test needs.
        if ["/api/v1/events", "/api/v1/auth/logout"].contains(&operation.path) {
            continue;
        }
        let refused = described_answer(&user, &operation) == 403;
        let text = operation.definition["description"]
            .as_str()
            .unwrap_or_default();
        assert_eq!(refused, text.contains("For administrators."), "{name}");
        described_answer(&admin, &operation);
    }
}

#[test]
fn cross_site_change_is_refused_as_described() {
    let server = server();
    let document = document(&server);
    let admin = server.admin();
    let cookie = format!("ledge_session={}", admin.token().expect("a token"));
    let headers = [
        ("Cookie", cookie.as_str()),
        ("Origin", "http://evil.example"),
    ];
    for operation in operations(&document) {
        if ["get", "head"].contains(&operation.method) {
            continue;
        }
        let method = operation.method.to_uppercase();
        let path = operation.filled_in();
        let answer = server.client().send(&method, &path, &headers, None);
        refused(&answer, 403, "forbidden");
        assert!(operation.answers(403), "{}", operation.name());
    }
}

#[test]
fn every_reference_has_target_and_every_definition_is_used() {
    let server = server();
    let document = document(&server);
    let mut used = BTreeSet::new();
    references(&document, &mut used);
    for reference in &used {
        let pointer = reference.trim_start_matches('#');
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
    for section in ["schemas", "responses"] {
        let defined = document["components"][section].as_object().expect(section);
        for name in defined.keys() {
            let reference = format!("#/components/{section}/{name}");
            assert!(used.contains(reference.as_str()), "{reference}");
        }
    }
    let schemes = document["components"]["securitySchemes"].as_object();
    let schemes: BTreeSet<_> = schemes.expect("schemes").keys().cloned().collect();
    let mut named = BTreeSet::new();
    for operation in operations(&document) {
        for way in operation.definition["security"]
            .as_array()
            .into_iter()
            .flatten()
        {
            named.extend(way.as_object().expect("a way").keys().cloned());
        }
    }
    assert_eq!(named, schemes);
}

#[test]
fn response_fields_are_null_instead_of_absent() {
    let server = server();
    let document = document(&server);
    let card = &document["components"]["schemas"]["ItemCard"];
    let mut required: Vec<_> = card["required"].as_array().expect("names").clone();
    required.sort_by_key(ToString::to_string);
    let fields = card["properties"].as_object().expect("fields").keys();
    assert_eq!(
        required,
        fields
            .map(|name| name.clone().into())
            .collect::<Vec<Value>>()
    );
    // Request bodies may omit fields.
    let place = &document["components"]["schemas"]["ProgressBody"];
    assert_eq!(place["required"], serde_json::json!(["position"]));
    assert_eq!(place["additionalProperties"], false);
}

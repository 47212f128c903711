//! The envelope of every response, as XML, JSON or JSONP.

use std::collections::BTreeMap;
use std::io;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use ledge_core::http::protocol::Params;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

use crate::failure::Failure;
use crate::node::{Node, Value};

/// Version of the Subsonic API.
const VERSION: &str = "1.16.1";
const NAMESPACE: &str = "http://subsonic.org/restapi";

/// Longest name of a JavaScript function in bytes.
const MAX_CALLBACK: usize = 64;

/// Apps that cannot read the additions of OpenSubsonic.
const OLD_APPS: [&str; 2] = ["DSub", "SubMusic"];

/// Result of a method.
pub(crate) type Outcome = Result<Reply, Failure>;

/// Response to a successful request.
#[derive(Debug)]
pub(crate) enum Reply {
    /// Fields in the envelope.
    Node(Node),
    /// A stream or a picture.
    Raw(Response),
}

impl From<Node> for Reply {
    fn from(node: Node) -> Self {
        Self::Node(node)
    }
}

/// Returns a successful response with one field in the envelope.
#[expect(
    clippy::unnecessary_wraps,
    reason = "methods end with it, and most of them can fail before"
)]
pub(crate) fn reply(name: &'static str, value: impl Into<Value>) -> Outcome {
    Ok(Node::new().with(name, value).into())
}

/// Returns a successful response with nothing in the envelope.
#[expect(
    clippy::unnecessary_wraps,
    reason = "methods end with it, and most of them can fail before"
)]
pub(crate) fn empty() -> Outcome {
    Ok(Node::new().into())
}

/// Format of a response.
#[derive(Debug, PartialEq, Eq)]
enum Format {
    Xml,
    Json,
    Jsonp(String),
}

impl Format {
    /// Reads the format. An unreadable one is reported in XML, and an unreadable function in JSON.
    fn read(params: &Params) -> Result<Self, (Self, Failure)> {
        match params.first("f").unwrap_or("xml") {
            "xml" => Ok(Self::Xml),
            "json" => Ok(Self::Json),
            "jsonp" => match params.first("callback").filter(|name| is_callback(name)) {
                Some(name) => Ok(Self::Jsonp(name.to_owned())),
                None => Err((Self::Json, Failure::parameter("callback"))),
            },
            _ => Err((Self::Xml, Failure::parameter("f"))),
        }
    }

    fn mime(&self) -> &'static str {
        match self {
            Self::Xml => "text/xml; charset=utf-8",
            Self::Json => "application/json",
            Self::Jsonp(_) => "application/javascript; charset=utf-8",
        }
    }
}

/// Returns `true` for identifiers that are joined with dots.
fn is_callback(name: &str) -> bool {
    let is_identifier = |part: &str| {
        let is_first = |c: char| c.is_ascii_alphabetic() || c == '_' || c == '$';
        part.starts_with(is_first) && part.chars().all(|c| is_first(c) || c.is_ascii_digit())
    };
    name.len() <= MAX_CALLBACK && name.split('.').all(is_identifier)
}

/// Checks the format of the response. A method runs only if the app can read its result.
///
/// # Errors
///
/// Fails if the format or the name of the function is unreadable.
pub(crate) fn check_format(params: &Params) -> Result<(), Failure> {
    match Format::read(params) {
        Ok(_) => Ok(()),
        Err((_, failure)) => Err(failure),
    }
}

/// Returns the response of a method.
pub(crate) fn respond(params: &Params, outcome: Outcome) -> Response {
    let (format, outcome) = match Format::read(params) {
        Ok(format) => (format, outcome),
        // A failure with a status of its own stays: a player or a limit of requests needs it.
        Err((format, failure)) => match outcome {
            Err(earlier) if earlier.status != StatusCode::OK => (format, Err(earlier)),
            _ => (format, Err(failure)),
        },
    };
    let (status, retry_after, mut node) = match outcome {
        Ok(Reply::Raw(response)) => return response,
        Ok(Reply::Node(node)) => (StatusCode::OK, None, envelope("ok", node)),
        Err(failure) => (failure.status, failure.retry_after, error(failure)),
    };
    if params.first("c").is_some_and(|app| OLD_APPS.contains(&app)) {
        node.remove_additions();
    }
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static(format.mime()),
        ),
        (
            header::CACHE_CONTROL,
            HeaderValue::from_static("private, no-cache"),
        ),
    ];
    let mut response = (status, headers, body(&format, &node)).into_response();
    if let Some(seconds) = retry_after {
        response
            .headers_mut()
            .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

fn envelope(status: &'static str, content: Node) -> Node {
    let mut node = Node::new()
        .with("status", status)
        .with("version", VERSION)
        .with("type", "ledge")
        .with("serverVersion", env!("CARGO_PKG_VERSION"))
        .with("openSubsonic", true);
    node.fields.extend(content.fields);
    node
}

fn error(failure: Failure) -> Node {
    let error = Node::new()
        .with("code", failure.code as i64)
        .with("message", failure.message);
    envelope("failed", Node::new().with("error", error))
}

fn body(format: &Format, node: &Node) -> Vec<u8> {
    let json = || {
        let document = BTreeMap::from([("subsonic-response", node)]);
        serde_json::to_vec(&document).expect("a tree of values is JSON")
    };
    match format {
        Format::Xml => xml(node),
        Format::Json => json(),
        Format::Jsonp(callback) => {
            let mut script = callback.clone().into_bytes();
            script.push(b'(');
            script.extend(json());
            script.extend(b");");
            script
        }
    }
}

type Xml = Writer<Vec<u8>>;

fn xml(node: &Node) -> Vec<u8> {
    let mut xml = Writer::new(Vec::new());
    let declaration = BytesDecl::new("1.0", Some("UTF-8"), None);
    xml.write_event(Event::Decl(declaration))
        .and_then(|()| write(&mut xml, "subsonic-response", node, Some(NAMESPACE)))
        .expect("a vector takes all that is written to it");
    xml.into_inner()
}

fn write(xml: &mut Xml, name: &str, node: &Node, namespace: Option<&str>) -> io::Result<()> {
    let mut start = BytesStart::new(name);
    if let Some(namespace) = namespace {
        start.push_attribute(("xmlns", namespace));
    }
    let mut is_empty = true;
    for field in &node.fields {
        match attribute(&field.value) {
            Some(value) => start.push_attribute((field.name, value.as_str())),
            None => is_empty = false,
        }
    }
    if is_empty {
        return xml.write_event(Event::Empty(start));
    }
    xml.write_event(Event::Start(start))?;
    for field in &node.fields {
        write_inside(xml, field.name, &field.value)?;
    }
    xml.write_event(Event::End(BytesEnd::new(name)))
}

/// Returns the value of an attribute, or `None` if the value is written as elements.
fn attribute(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(legal(text)),
        Value::Integer(number) => Some(number.to_string()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        _ => None,
    }
}

fn write_inside(xml: &mut Xml, name: &str, value: &Value) -> io::Result<()> {
    match value {
        Value::Content(content) => xml.write_event(Event::Text(BytesText::new(&legal(content)))),
        Value::Element(content) => write_text(xml, name, content),
        Value::Node(node) => write(xml, name, node, None),
        Value::List(nodes) => nodes
            .iter()
            .try_for_each(|node| write(xml, name, node, None)),
        Value::Texts(texts) => texts
            .iter()
            .try_for_each(|text| write_text(xml, name, text)),
        Value::Integers(numbers) => {
            let mut numbers = numbers.iter();
            numbers.try_for_each(|number| write_text(xml, name, &number.to_string()))
        }
        Value::Text(_) | Value::Integer(_) | Value::Number(_) | Value::Bool(_) => Ok(()),
    }
}

fn write_text(xml: &mut Xml, name: &str, text: &str) -> io::Result<()> {
    xml.create_element(name)
        .write_text_content(BytesText::new(&legal(text)))?;
    Ok(())
}

/// Returns a text without the characters that XML 1.0 forbids.
fn legal(text: &str) -> String {
    let is_legal = |c: &char| {
        matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
            && !matches!(c, '\u{7f}'..='\u{9f}')
    };
    text.chars().filter(is_legal).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(pairs: &[(&str, &str)]) -> Params {
        let pairs = pairs.iter();
        Params::new(
            pairs
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
        )
    }

    fn hostile() -> Node {
        let text = "]]>\u{0}<script>&\"'\u{ffff}";
        Node::new()
            .with("title", text)
            .with("value", Value::Content(text.to_owned()))
            .with("notes", Value::Element(text.to_owned()))
            .with("none", Vec::<Node>::new())
            .with("roles", vec![text.to_owned()])
            .plus("bpm", 7_i64)
    }

    #[test]
    fn hostile_texts_stay_texts() {
        let text = String::from_utf8(xml(&hostile())).expect("UTF-8");
        let escaped = "]]&gt;&lt;script&gt;&amp;";
        assert_eq!(text.matches(escaped).count(), 4, "{text}");
        assert!(
            !text.contains("<script") && !text.contains("CDATA"),
            "{text}"
        );
        assert!(text.ends_with("</subsonic-response>"), "{text}");
    }

    #[test]
    fn lists_stay_lists_in_json() {
        let json = serde_json::to_value(hostile()).expect("JSON");
        assert_eq!(json["none"], serde_json::json!([]));
        assert_eq!(json["roles"].as_array().map(Vec::len), Some(1));
        assert_eq!(json["bpm"], 7);
    }

    #[test]
    fn additions_are_absent_for_old_apps() {
        let mut node = Node::new().with("song", vec![hostile()]);
        node.remove_additions();
        let json = serde_json::to_value(node).expect("JSON");
        assert!(json["song"][0].get("bpm").is_none(), "{json}");
    }

    #[test]
    fn functions_are_identifiers_with_dots() {
        for name in ["a", "a.b", "_$1.x2", &"a".repeat(64)] {
            assert!(is_callback(name), "{name}");
        }
        for name in [
            "",
            ".",
            "a.",
            "1a",
            "a b",
            "a(",
            "alert(1)//",
            "ä",
            &"a".repeat(65),
        ] {
            assert!(!is_callback(name), "{name}");
        }
        let read = |pairs: &[_]| Format::read(&params(pairs)).ok();
        assert_eq!(read(&[("f", "json")]), Some(Format::Json));
        assert_eq!(read(&[]), Some(Format::Xml));
        assert_eq!(read(&[("f", "jsonp")]), None);
        assert_eq!(read(&[("f", "yaml")]), None);
    }
}

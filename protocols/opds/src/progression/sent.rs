//! Documents as apps send them. All of it is untrusted.

use ledge_core::Timestamp;
use ledge_core::http::publications::places::{Foreign, Scheme};
use ledge_core::store::user_data::foreign::ForeignProgress;
use serde_json::Value;

use super::{Form, document, readium};

/// Limits in bytes, and of the name of a device in characters.
const MAX_DOCUMENT: usize = 8 << 10;
const MAX_DEVICE_ID: usize = 256;
const MAX_DEVICE: usize = 100;
pub(super) const MAX_REFERENCE: usize = 1 << 10;

/// Parsed document.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sent {
    pub(super) form: Form,
    /// The document as the app sent it.
    pub(super) document: Value,
    pub(super) modified: Timestamp,
    pub(super) device: String,
    pub(super) device_id: Option<String>,
    pub(super) position: Foreign,
}

impl Sent {
    /// Parses a document about a file with these schemes and this length. Unknown members are kept.
    pub(super) fn parse(body: &[u8], schemes: &[Scheme], extent: Option<i64>) -> Option<Self> {
        if body.len() > MAX_DOCUMENT {
            return None;
        }
        let mut document: Value = serde_json::from_slice(body).ok()?;
        let form = if document.get("locator").is_some() {
            Form::Readium
        } else {
            Form::Progression
        };
        let modified = time(&document)?;
        let device = document.get("device")?;
        let id = device.get("id")?.as_str()?;
        let name = device.get("name")?.as_str()?;
        let is_id = match form {
            Form::Progression => is_uri(id),
            Form::Readium => true,
        };
        if !is_id || id.len() > MAX_DEVICE_ID || name.chars().count() > MAX_DEVICE {
            return None;
        }
        let (device, device_id) = (name.to_owned(), Some(id.to_owned()));
        let position = match form {
            Form::Progression => document::read(&mut document, schemes)?,
            Form::Readium => readium::read(&document, schemes, extent)?,
        };
        Some(Self {
            form,
            document,
            modified,
            device,
            device_id,
            position,
        })
    }
}

fn time(document: &Value) -> Option<Timestamp> {
    document.get("modified")?.as_str()?.parse().ok()
}

/// Returns `true` for a text with a scheme and without blanks.
fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let is_scheme_byte = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(is_scheme_byte)
        && !rest.is_empty()
        && !rest.contains(|c: char| c.is_whitespace() || c.is_control())
}

/// Returns a fraction from 0 to 1.
pub(super) fn fraction(value: Option<&Value>) -> Option<f64> {
    let fraction = value?.as_f64()?;
    (0.0..=1.0).contains(&fraction).then_some(fraction)
}

/// Returns a stored document. A time that counted as another one is replaced by it.
pub(super) fn stored(row: &ForeignProgress) -> Option<Value> {
    let mut document: Value = serde_json::from_str(&row.value).ok()?;
    if time(&document)? != row.at {
        let members = document.as_object_mut()?;
        members.insert("modified".to_owned(), row.at.to_string().into());
    }
    Some(document)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const EPUB: &[Scheme] = &[Scheme::Cfi, Scheme::Path, Scheme::Fraction];
    const COMIC: &[Scheme] = &[Scheme::Page1, Scheme::Fraction];

    fn progression() -> Value {
        json!({
            "modified": "2026-03-01T10:00:00Z",
            "device": { "id": "urn:uuid:1", "name": "Tablet" },
            "progression": 0.5,
        })
    }

    fn position(document: &Value, schemes: &[Scheme]) -> Option<Foreign> {
        let body = document.to_string();
        Some(Sent::parse(body.as_bytes(), schemes, Some(4))?.position)
    }

    #[test]
    fn first_reference_that_fits_the_file_is_the_position() {
        let read = |name: &str, references: Value, schemes| {
            let mut document = progression();
            document[name] = references;
            let found = position(&document, schemes).expect("a position");
            (found.scheme, found.value)
        };
        let cfi = "epubcfi(/6/4!/4/2/1:3)";
        let all = json!(["#t=7", format!("b.xhtml#{cfi}"), "b.xhtml", "#page=3"]);
        assert_eq!(
            read("references", all.clone(), EPUB),
            (Scheme::Cfi, cfi.to_owned())
        );
        assert_eq!(read("refs", all, COMIC), (Scheme::Page1, "3".to_owned()));
        let path = json!(["b.xhtml#x"]);
        assert_eq!(
            read("refs", path, EPUB),
            (Scheme::Path, "b.xhtml".to_owned())
        );
        for none in [json!([]), json!(["", "#x", 7]), json!(["x".repeat(1_025)])] {
            assert_eq!(read("references", none, EPUB).0, Scheme::Fraction);
        }
    }

    #[test]
    fn older_form_uses_the_section_or_the_page() {
        let mut document = progression();
        document["locator"] = json!({
            "href": "b.xhtml", "type": "text/html",
            "locations": { "position": 2, "progression": 0.25, "totalProgression": 0.4 },
        });
        let found = position(&document, EPUB).expect("a position");
        assert_eq!(found.value, "b.xhtml#progression=0.25");
        let page = position(&document, COMIC).expect("a position");
        assert_eq!((page.scheme, page.value.as_str()), (Scheme::Page1, "2"));
        document["locator"]["locations"] = json!({ "position": 2 });
        let page = position(&document, COMIC).expect("a position");
        assert!((page.fraction - 0.25).abs() < 1e-9);
        document["locator"]["locations"] = json!({});
        assert_eq!(position(&document, COMIC), None);
    }

    #[test]
    fn invalid_documents_are_refused() {
        for (pointer, value) in [
            ("/modified", json!("yesterday")),
            ("/modified", Value::Null),
            ("/device", json!("Tablet")),
            ("/device/id", json!("tablet")),
            ("/device/id", json!("urn: x")),
            ("/device/id", json!(format!("urn:{}", "x".repeat(256)))),
            ("/device/name", json!("é".repeat(101))),
            ("/progression", json!(1.1)),
            ("/progression", json!("0.5")),
        ] {
            let mut document = progression();
            *document.pointer_mut(pointer).expect("a member") = value;
            assert_eq!(position(&document, EPUB), None, "{document}");
        }
        let mut long = progression();
        long["title"] = json!("x".repeat(MAX_DOCUMENT));
        assert_eq!(position(&long, EPUB), None);
        for body in ["", "null", "[]", "{"] {
            assert_eq!(Sent::parse(body.as_bytes(), EPUB, None), None, "{body}");
        }
    }
}

//! Progress as the programs send it. All of it is untrusted.

use ledge_core::http::publications::places::Scheme;
use serde_json::Value;

use crate::reply;

/// Limits in bytes, and of a name in characters.
const MAX_DOCUMENT: usize = 128;
const MAX_PROGRESS: usize = 1 << 10;
const MAX_DEVICE: usize = 100;

/// Parsed message.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Message {
    pub(crate) document: String,
    pub(crate) progress: String,
    pub(crate) percentage: f64,
    pub(crate) device: String,
    pub(crate) device_id: Option<String>,
}

/// Reason for which a message is rejected: a code of the protocol, and a sentence.
pub(crate) type Invalid = (u32, &'static str);

impl Message {
    /// Parses the body of a request. Unknown fields are ignored.
    pub(crate) fn parse(body: &[u8]) -> Result<Self, Invalid> {
        let message: Value =
            serde_json::from_slice(body).map_err(|_| (reply::INVALID, "Send a JSON object."))?;
        let document = message.get("document").and_then(Value::as_str);
        let document = document.filter(|document| is_document(document)).ok_or((
            reply::DOCUMENT,
            "`document` is a text of 1 to 128 bytes without a colon.",
        ))?;
        let progress = message.get("progress").and_then(progress).ok_or((
            reply::INVALID,
            "`progress` is a number or a text of at most 1024 bytes.",
        ))?;
        let percentage = message.get("percentage").and_then(Value::as_f64);
        let percentage = percentage
            .filter(|percentage| (0.0..=1.0).contains(percentage))
            .ok_or((reply::INVALID, "`percentage` is a number from 0 to 1."))?;
        let device = message.get("device").and_then(name).ok_or((
            reply::INVALID,
            "`device` is a text of at most 100 characters.",
        ))?;
        let device_id = match message.get("device_id") {
            None | Some(Value::Null) => None,
            Some(value) => Some(name(value).ok_or((
                reply::INVALID,
                "`device_id` is a text of at most 100 characters.",
            ))?),
        };
        Ok(Self {
            document: document.to_owned(),
            progress,
            percentage,
            device,
            device_id,
        })
    }

    /// Returns the form of the position.
    pub(crate) fn scheme(&self) -> Scheme {
        let progress = self.progress.trim();
        if progress.starts_with("/body/DocFragment") || progress.starts_with("#_doc_fragment_") {
            Scheme::XPointer
        } else if !progress.is_empty() && progress.bytes().all(|byte| byte.is_ascii_digit()) {
            Scheme::Page1
        } else {
            Scheme::Fraction
        }
    }
}

/// Returns `true` for the name of a document.
pub(crate) fn is_document(text: &str) -> bool {
    !text.is_empty() && text.len() <= MAX_DOCUMENT && !text.contains(':')
}

fn progress(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    (text.len() <= MAX_PROGRESS).then_some(text)
}

fn name(value: &Value) -> Option<String> {
    let text = value.as_str()?;
    (text.chars().count() <= MAX_DEVICE).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parse(field: &str, value: Value) -> Result<Message, u32> {
        let mut message = json!({
            "document": "d", "progress": 7, "percentage": 0.5, "device": "Kobo", "extra": [],
        });
        message[field] = value;
        Message::parse(message.to_string().as_bytes()).map_err(|(code, _)| code)
    }

    #[test]
    fn each_field_has_its_limits() {
        let message = parse("device_id", json!("id")).expect("a message");
        assert_eq!(message.progress, "7");
        assert_eq!(message.device_id.as_deref(), Some("id"));
        for (field, value, code) in [
            ("document", Value::Null, reply::DOCUMENT),
            ("document", json!(""), reply::DOCUMENT),
            ("document", json!("a:b"), reply::DOCUMENT),
            ("document", json!("x".repeat(129)), reply::DOCUMENT),
            ("progress", Value::Null, reply::INVALID),
            ("progress", json!("x".repeat(1_025)), reply::INVALID),
            ("percentage", json!("0.5"), reply::INVALID),
            ("percentage", json!(1.1), reply::INVALID),
            ("percentage", json!(-0.1), reply::INVALID),
            ("device", json!("é".repeat(101)), reply::INVALID),
            ("device_id", json!(1), reply::INVALID),
        ] {
            assert_eq!(parse(field, value.clone()), Err(code), "{field} {value}");
        }
        assert!(parse("document", json!("x".repeat(128))).is_ok());
        assert!(parse("device", json!("é".repeat(100))).is_ok());
        for body in ["", "[", "1", "null"] {
            assert!(Message::parse(body.as_bytes()).is_err(), "{body}");
        }
    }

    #[test]
    fn form_of_the_position_follows_from_its_text() {
        for (progress, scheme) in [
            (json!(12), Scheme::Page1),
            (json!("12"), Scheme::Page1),
            (json!("/body/DocFragment[2].0"), Scheme::XPointer),
            (json!("#_doc_fragment_1_ a"), Scheme::XPointer),
            (json!("/FictionBook/body/p"), Scheme::Fraction),
            (json!(""), Scheme::Fraction),
            (json!(0.5), Scheme::Fraction),
        ] {
            let message = parse("progress", progress.clone()).expect("a message");
            assert_eq!(message.scheme(), scheme, "{progress}");
        }
    }
}

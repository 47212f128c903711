//! What a provider may do outside: plain requests, sent by the core within its limits.

use std::fmt;
use std::time::Duration;

use serde::de::DeserializeOwned;

/// The core's client as a provider sees it. Its pace, its limits of time and size, and which
/// addresses may be reached are kept behind it.
pub trait Net {
    /// Sends a request and reads the whole answer. Only a status of success is an answer; every
    /// other one is [`AskError::Status`].
    fn send(&self, request: &Request) -> Result<Response, AskError>;

    /// What the provider kept under this key, unless its lifetime is over; restarts do not end it.
    fn remembered(&self, key: &str) -> Option<String>;

    /// Keeps a text of the provider's, such as a token, for so long.
    fn remember(&self, key: &str, value: &str, lifetime: Duration);

    /// Drops what was kept.
    fn forget(&self, key: &str);
}

impl dyn Net + '_ {
    /// Sends a request whose answer is JSON.
    pub fn json<T: DeserializeOwned>(&self, request: &Request) -> Result<T, AskError> {
        self.send(request)?.json()
    }

    /// `GET` of an address whose answer is JSON.
    pub fn get_json<T: DeserializeOwned>(&self, url: &str) -> Result<T, AskError> {
        self.json(&Request::get(url))
    }
}

/// A request.
#[derive(Clone)]
pub struct Request {
    /// What to do.
    pub method: Method,
    /// Absolute address.
    pub url: String,
    /// Header fields of the provider's own; they go to the address's own host only, not to where
    /// it redirects.
    pub headers: Vec<(&'static str, String)>,
    /// What to send.
    pub body: Option<Body>,
}

/// What a request does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// `GET`.
    Get,
    /// `POST`; never sent again, and so never redirected.
    Post,
}

/// What a request sends.
#[derive(Clone)]
pub struct Body {
    /// Its media type.
    pub content_type: &'static str,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Body({}, {} bytes)", self.content_type, self.bytes.len())
    }
}

impl Request {
    /// `GET` of an address.
    pub fn get(url: impl Into<String>) -> Self {
        Self {
            method: Method::Get,
            url: url.into(),
            headers: Vec::new(),
            body: None,
        }
    }

    /// `POST` of a body.
    pub fn post(
        url: impl Into<String>,
        content_type: &'static str,
        bytes: impl Into<Vec<u8>>,
    ) -> Self {
        Self {
            method: Method::Post,
            body: Some(Body {
                content_type,
                bytes: bytes.into(),
            }),
            ..Self::get(url)
        }
    }

    /// The same request with a header field.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

impl fmt::Debug for Request {
    /// Header fields, bodies and queries may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = self.url.split('?').next().unwrap_or_default();
        write!(f, "Request({:?} {url})", self.method)
    }
}

/// An answer of success.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// 200 to 299.
    pub status: u16,
    /// The media type without its parameters, in lower case; empty where none is given.
    pub content_type: String,
    /// All of it, decompressed.
    pub body: Vec<u8>,
}

impl Response {
    /// The body as JSON. What calls itself a page of the web is none, whatever it begins with.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, AskError> {
        if matches!(
            self.content_type.as_str(),
            "text/html" | "application/xhtml+xml"
        ) {
            return Err(AskError::Malformed("the answer is a web page".to_owned()));
        }
        serde_json::from_slice(&self.body).map_err(|error| {
            // The error's own words may quote the answer at length.
            let (line, column) = (error.line(), error.column());
            AskError::Malformed(format!(
                "the answer is not the JSON expected, at line {line}, column {column}"
            ))
        })
    }
}

/// Why there is no answer. The texts are shown to administrators: no address with a query, and no
/// secret, may stand in them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// No connection, or it broke.
    #[error("no connection: {0}")]
    Network(String),
    /// It took too long.
    #[error("no answer in time")]
    Timeout,
    /// A status other than success.
    #[error("the answer's status is {code}")]
    Status {
        /// The status.
        code: u16,
        /// How long to wait before asking again, where the answer says so.
        retry_after: Option<Duration>,
    },
    /// The answer is not what it should be.
    #[error("{0}")]
    Malformed(String),
    /// The answer is larger than any sound one.
    #[error("the answer is too large")]
    TooLarge,
    /// The address may not be reached.
    #[error("not asked: {0}")]
    Refused(String),
    /// The server is stopping, or the work was cancelled.
    #[error("the work was stopped")]
    Stopped,
}

impl AskError {
    /// How long the provider wants to be left alone.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Status { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// Whether the answer has this status.
    pub fn has_status(&self, wanted: u16) -> bool {
        matches!(self, Self::Status { code, .. } if *code == wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_secret_is_printed() {
        let request = Request::post(
            "https://id.example/token?secret=hunter2",
            "text/plain",
            "hunter2",
        )
        .header("Authorization", "hunter2");
        let text = format!("{request:?}");
        assert_eq!(text, "Request(Post https://id.example/token)");
    }

    #[test]
    fn a_web_page_is_no_json_and_errors_do_not_quote() {
        let response = |content_type: &str, body: &str| Response {
            status: 200,
            content_type: content_type.to_owned(),
            body: body.as_bytes().to_vec(),
        };
        let read = |response: Response| response.json::<Vec<u8>>();
        assert_eq!(read(response("application/json", "[1]")), Ok(vec![1]));
        assert_eq!(read(response("", "[1]")), Ok(vec![1]));
        assert!(read(response("text/html", "[1]")).is_err());
        let error = read(response("application/json", "[\"hunter2\"]")).expect_err("no number");
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }
}

//! Network access of providers: simple requests that the core sends within its limits.

use std::fmt;
use std::time::Duration;

use serde::de::DeserializeOwned;

/// HTTP client of the core as a provider sees it. It enforces the rate limit, the limits of time
/// and size, and the permitted addresses.
pub trait Net {
    /// Sends a request and reads the whole response. Every status other than success is an error,
    /// [`AskError::Status`].
    fn send(&self, request: &Request) -> Result<Response, AskError>;

    /// Returns the value that the provider stored under this key, unless it has expired. Values
    /// survive restarts.
    fn remembered(&self, key: &str) -> Option<String>;

    /// Stores a text for the provider, such as a token, with a lifetime.
    fn remember(&self, key: &str, value: &str, lifetime: Duration);

    /// Deletes a stored value.
    fn forget(&self, key: &str);
}

impl dyn Net + '_ {
    /// Sends a request and parses the response as JSON.
    pub fn json<T: DeserializeOwned>(&self, request: &Request) -> Result<T, AskError> {
        self.send(request)?.json()
    }

    /// Sends a `GET` and parses the response as JSON.
    pub fn get_json<T: DeserializeOwned>(&self, url: &str) -> Result<T, AskError> {
        self.json(&Request::get(url))
    }
}

/// HTTP request.
#[derive(Clone)]
pub struct Request {
    /// HTTP method.
    pub method: Method,
    /// Absolute URL.
    pub url: String,
    /// Header fields of the provider. They are sent to the host of the URL only, not to the target
    /// of a redirect.
    pub headers: Vec<(&'static str, String)>,
    /// Request body.
    pub body: Option<Body>,
}

/// HTTP method of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// `GET`.
    Get,
    /// `POST`. It is never sent twice, and so never follows a redirect.
    Post,
}

/// Body of a request.
#[derive(Clone)]
pub struct Body {
    /// Media type.
    pub content_type: &'static str,
    /// Content.
    pub bytes: Vec<u8>,
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Body({}, {} bytes)", self.content_type, self.bytes.len())
    }
}

impl Request {
    /// Creates a `GET` request.
    pub fn get(url: impl Into<String>) -> Self {
        Self {
            method: Method::Get,
            url: url.into(),
            headers: Vec::new(),
            body: None,
        }
    }

    /// Creates a `POST` request with a body.
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

    /// Adds a header field.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

impl fmt::Debug for Request {
    /// Omits header fields, bodies and queries, because they may contain secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = self.url.split('?').next().unwrap_or_default();
        write!(f, "Request({:?} {url})", self.method)
    }
}

/// Successful response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// Status code, 200 to 299.
    pub status: u16,
    /// Media type without parameters, in lower case. Empty if the response has none.
    pub content_type: String,
    /// Complete body after decompression.
    pub body: Vec<u8>,
}

impl Response {
    /// Parses the body as JSON. A response with an HTML media type is an error, whatever its
    /// content is.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, AskError> {
        if matches!(
            self.content_type.as_str(),
            "text/html" | "application/xhtml+xml"
        ) {
            return Err(AskError::Malformed("the answer is a web page".to_owned()));
        }
        serde_json::from_slice(&self.body).map_err(|error| {
            // The parser's own message may quote a large part of the response.
            let (line, column) = (error.line(), error.column());
            AskError::Malformed(format!(
                "the answer is not the JSON expected, at line {line}, column {column}"
            ))
        })
    }
}

/// Reason why there is no response. Administrators see the texts, so they must not contain a secret
/// or a URL with a query.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// The connection failed or was interrupted.
    #[error("no connection: {0}")]
    Network(String),
    /// The request timed out.
    #[error("the request timed out")]
    Timeout,
    /// The status is not a success.
    #[error("the response has status {code}")]
    Status {
        /// Status code.
        code: u16,
        /// Wait before the next request, if the response requests one.
        retry_after: Option<Duration>,
    },
    /// The response is malformed.
    #[error("{0}")]
    Malformed(String),
    /// The response exceeds the size limit.
    #[error("the answer is too large")]
    TooLarge,
    /// The address is not permitted.
    #[error("the request is not permitted: {0}")]
    Refused(String),
    /// The server is stopping, or the job was cancelled.
    #[error("the request was stopped")]
    Stopped,
}

impl AskError {
    /// Returns the wait that the provider requested.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Status { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// Returns `true` if the response has this status.
    pub fn has_status(&self, wanted: u16) -> bool {
        matches!(self, Self::Status { code, .. } if *code == wanted)
    }
}

/// Returns `None` for a response with status 404: the provider has no such entry.
pub fn absent_as_none<T>(answer: Result<T, AskError>) -> Result<Option<T>, AskError> {
    match answer {
        Ok(entry) => Ok(Some(entry)),
        Err(error) if error.has_status(404) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_output_contains_no_secrets() {
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
    fn web_page_is_rejected_as_json_and_errors_do_not_quote() {
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

//! One request with its redirects, up to the complete response.

use std::net::IpAddr;
use std::time::{Duration, UNIX_EPOCH};

use reqwest::Method as HttpMethod;
use reqwest::header::{CONTENT_TYPE, HeaderMap, LOCATION, RETRY_AFTER};
use url::{Host, Url};

use super::body;
use super::dns::PrivateAddress;
use super::error::ask_error;
use super::public_address::is_public;
use super::transport::Transport;
use super::url::redirect_target;
use crate::registry::provider::{AskError, Method, Request, Response, origin};
use crate::time::{Clock, Timestamp};

/// Most redirects of a request.
pub(super) const MAX_REDIRECTS: usize = 5;
/// Upper limit for `Retry-After`.
pub(super) const MAX_RETRY_AFTER: Duration = Duration::from_hours(7 * 24);

/// A request with its limits.
pub(super) struct Exchange<'a> {
    pub(super) transport: &'a Transport,
    pub(super) configured: &'a [String],
    pub(super) request: &'a Request,
    /// Largest response body in bytes.
    pub(super) limit: u64,
    pub(super) clock: &'a Clock,
}

impl Exchange<'_> {
    /// Sends the request to `url` and follows redirects of GET requests.
    pub(super) async fn run(&self, mut url: Url) -> Result<Response, AskError> {
        let first = origin(&url);
        for _ in 0..=MAX_REDIRECTS {
            // The provider's header fields can contain its key: other hosts do not receive them.
            let is_first = origin(&url) == first;
            let response = self.send(&url, is_first).await?;
            let location = body::text(response.headers(), LOCATION);
            if !response.status().is_redirection() || location.is_empty() {
                return self.read(response).await;
            }
            if self.request.method == Method::Post {
                let what = "a redirect of a POST request is not followed";
                return Err(AskError::Refused(what.to_owned()));
            }
            url = redirect_target(&url, location)?;
        }
        Err(AskError::Refused("too many redirects".to_owned()))
    }

    async fn send(&self, url: &Url, is_first: bool) -> Result<reqwest::Response, AskError> {
        let method = match self.request.method {
            Method::Get => HttpMethod::GET,
            Method::Post => HttpMethod::POST,
        };
        let mut request = self.client(url)?.request(method, url.clone());
        if is_first {
            for (name, value) in &self.request.headers {
                request = request.header(*name, value);
            }
        }
        if let Some(body) = &self.request.body {
            request = request
                .header(CONTENT_TYPE, body.content_type)
                .body(body.bytes.clone());
        }
        request.send().await.map_err(|error| ask_error(&error))
    }

    /// Returns the HTTP client that may reach the host of `url`. The resolver never sees a host that
    /// is an IP address; it is checked here.
    fn client(&self, url: &Url) -> Result<&reqwest::Client, AskError> {
        if origin(url).is_some_and(|origin| self.configured.contains(&origin)) {
            return Ok(&self.transport.configured);
        }
        let address = match url.host() {
            Some(Host::Ipv4(address)) => Some(IpAddr::V4(address)),
            Some(Host::Ipv6(address)) => Some(IpAddr::V6(address)),
            _ => None,
        };
        if address.is_some_and(|address| !is_public(address)) {
            return Err(AskError::Refused(PrivateAddress.to_string()));
        }
        Ok(&self.transport.public)
    }

    async fn read(&self, response: reqwest::Response) -> Result<Response, AskError> {
        let status = response.status();
        if !status.is_success() {
            return Err(AskError::Status {
                code: status.as_u16(),
                retry_after: retry_after(response.headers(), self.clock.now()),
            });
        }
        Ok(Response {
            status: status.as_u16(),
            content_type: body::content_type(response.headers()),
            body: body::read(response, self.limit).await?,
        })
    }
}

/// Returns the value of `Retry-After`, in seconds or as a date (RFC 9110, 10.2.3).
fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = body::text(headers, RETRY_AFTER);
    let time = if let Ok(seconds) = text.parse() {
        Duration::from_secs(seconds)
    } else {
        let date = httpdate::parse_http_date(text).ok()?;
        let micros = date.duration_since(UNIX_EPOCH).ok()?.as_micros();
        Timestamp::from_micros(i64::try_from(micros).ok()?).since(now)
    };
    Some(time.min(MAX_RETRY_AFTER))
}

//! The one HTTP client: plain requests to strangers, within limits of time, size, pace and of
//! where they may lead. Certificates are verified against the roots that are compiled in; proxies
//! of the environment are not used, as what they connect to could not be checked.

mod address;
mod body;
mod pace;
mod redirect;
mod resolve;

use std::time::{Duration, Instant, UNIX_EPOCH};

use ureq::http::header::{LOCATION, RETRY_AFTER};
use ureq::http::{self, HeaderMap, Uri};
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::DefaultConnector;
use ureq::{Agent, RequestExt};

use crate::clock::{Clock, Timestamp};
use crate::registry::provider::{AskError, Method, Pace, Request, Response, origin};
use pace::Keeper;
use resolve::{Private, PublicOnly};

/// Who asks.
const USER_AGENT: &str = concat!(
    "Ledge/",
    env!("CARGO_PKG_VERSION"),
    " (+self-hosted media library)"
);
/// From the name's resolution to the last byte, redirects included.
const TIME: Duration = Duration::from_secs(30);
/// To find a host and connect to it.
const CONNECT_TIME: Duration = Duration::from_secs(10);
/// Most redirects of a request.
const MAX_REDIRECTS: usize = 5;
/// Largest head of an answer.
const MAX_HEAD: usize = 64 << 10;
/// No wish to be left alone is believed beyond this.
const MAX_RETRY_AFTER: Duration = Duration::from_hours(7 * 24);

/// The client of one provider.
#[derive(Debug)]
pub(crate) struct Client {
    agent: Agent,
    keeper: Keeper,
    clock: Clock,
    time: Duration,
}

/// How far one request may go.
pub(crate) struct Bounds<'a> {
    /// Largest body, sent or decompressed.
    pub(crate) body: u64,
    /// How long to wait for a turn.
    pub(crate) patience: Duration,
    /// Whether the work was stopped meanwhile.
    pub(crate) is_stopped: &'a dyn Fn() -> bool,
}

impl std::fmt::Debug for Bounds<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Bounds({} bytes, {:?})", self.body, self.patience)
    }
}

impl Client {
    /// A client that keeps this pace. Besides public addresses it reaches the origins (scheme,
    /// host and port) that somebody configured.
    pub(crate) fn new(pace: Pace, configured: Vec<String>, clock: Clock) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .user_agent(USER_AGENT)
            .max_response_header_size(MAX_HEAD)
            .timeout_resolve(Some(CONNECT_TIME))
            .timeout_connect(Some(CONNECT_TIME))
            .build();
        let resolver = PublicOnly {
            system: DefaultResolver::default(),
            configured,
        };
        Self {
            agent: Agent::with_parts(config, DefaultConnector::default(), resolver),
            keeper: Keeper::new(pace),
            clock,
            time: TIME,
        }
    }

    /// Sends a request, follows where it leads, and reads the answer.
    pub(crate) fn send(
        &self,
        request: &Request,
        bounds: &Bounds<'_>,
    ) -> Result<Response, AskError> {
        let mut uri = redirect::parse(&request.url)?;
        self.keeper.wait(bounds.patience, bounds.is_stopped)?;
        let deadline = Instant::now() + self.time;
        let own = origin(&uri);
        for _ in 0..=MAX_REDIRECTS {
            if (bounds.is_stopped)() {
                return Err(AskError::Stopped);
            }
            // What the provider says of itself is said to its host only.
            let is_own = origin(&uri) == own;
            let answer = self.send_once(request, &uri, is_own, deadline)?;
            let status = answer.status();
            let location = body::text(answer.headers(), LOCATION);
            if !matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308) || location.is_empty() {
                return self.take(answer, bounds.body);
            }
            if request.method == Method::Post {
                let what = "what was sent would be sent elsewhere again";
                return Err(AskError::Refused(what.to_owned()));
            }
            uri = redirect::target(&uri, location)?;
        }
        Err(AskError::Refused("too many redirects".to_owned()))
    }

    fn send_once(
        &self,
        request: &Request,
        uri: &Uri,
        is_own: bool,
        deadline: Instant,
    ) -> Result<http::Response<ureq::Body>, AskError> {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(AskError::Timeout);
        }
        let mut sent = http::Request::builder()
            .uri(uri)
            .header("Accept-Encoding", "gzip");
        if is_own {
            for (name, value) in &request.headers {
                sent = sent.header(*name, value);
            }
        }
        let malformed = |_| AskError::Malformed("the request is malformed".to_owned());
        let answer = match (request.method, &request.body) {
            (Method::Get, _) => sent
                .method("GET")
                .body(())
                .map_err(malformed)?
                .with_agent(&self.agent)
                .configure()
                .timeout_global(Some(left))
                .run(),
            (Method::Post, body) => {
                let (kind, bytes) = body.as_ref().map_or(("", [].as_slice()), |body| {
                    (body.content_type, body.bytes.as_slice())
                });
                if !kind.is_empty() {
                    sent = sent.header("Content-Type", kind);
                }
                sent.method("POST")
                    .body(bytes)
                    .map_err(malformed)?
                    .with_agent(&self.agent)
                    .configure()
                    .timeout_global(Some(left))
                    .run()
            }
        };
        answer.map_err(said)
    }

    fn take(&self, answer: http::Response<ureq::Body>, limit: u64) -> Result<Response, AskError> {
        let status = answer.status();
        let (head, body) = answer.into_parts();
        if !status.is_success() {
            let retry_after = retry_after(&head.headers, self.clock.now());
            if let (429 | 503, Some(time)) = (status.as_u16(), retry_after) {
                self.keeper.rest(time);
            }
            return Err(AskError::Status {
                code: status.as_u16(),
                retry_after,
            });
        }
        Ok(Response {
            status: status.as_u16(),
            content_type: body::content_type(&head.headers),
            body: body::read(&head.headers, body.into_reader(), limit)?,
        })
    }
}

/// How long to wait, as seconds or as a date.
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

/// What went wrong, without the address: it may bear a secret.
fn said(error: ureq::Error) -> AskError {
    use ureq::Error;
    match error {
        Error::Timeout(_) => AskError::Timeout,
        Error::HostNotFound => AskError::Network("there is no such host".to_owned()),
        Error::ConnectionFailed => AskError::Network("nobody answers there".to_owned()),
        Error::Io(error) => said_by_system(error),
        Error::Rustls(error) => AskError::Network(format!("TLS: {error}")),
        Error::Tls(what) => AskError::Network(format!("TLS: {what}")),
        Error::BadUri(_) | Error::Http(_) => {
            AskError::Malformed("an address is malformed".to_owned())
        }
        Error::BodyExceedsLimit(_) | Error::LargeResponseHeader(..) => AskError::TooLarge,
        Error::Protocol(_) => AskError::Malformed("the answer is no answer in HTTP".to_owned()),
        _ => AskError::Network("the connection broke".to_owned()),
    }
}

fn said_by_system(error: std::io::Error) -> AskError {
    let kind = error.kind();
    let Some(inner) = error.get_ref() else {
        return match kind {
            std::io::ErrorKind::TimedOut | std::io::ErrorKind::WouldBlock => AskError::Timeout,
            _ => AskError::Network(error.to_string()),
        };
    };
    if let Some(private) = inner.downcast_ref::<Private>() {
        return AskError::Refused(private.to_string());
    }
    if inner.is::<ureq::Error>() {
        return match error
            .into_inner()
            .map(<dyn std::error::Error + Send + Sync>::downcast::<ureq::Error>)
        {
            Some(Ok(error)) => said(*error),
            _ => AskError::Network("the connection broke".to_owned()),
        };
    }
    match kind {
        std::io::ErrorKind::TimedOut | std::io::ErrorKind::WouldBlock => AskError::Timeout,
        _ => AskError::Network(error.to_string()),
    }
}

#[cfg(test)]
mod tests;

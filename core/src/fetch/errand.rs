//! One request on its way: sent, followed where it leads, and read; on a thread of its own, so that
//! whoever waits for it can leave.

use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant, UNIX_EPOCH};

use ureq::http::header::{LOCATION, RETRY_AFTER};
use ureq::http::{self, HeaderMap, Uri};
use ureq::{Agent, RequestExt};

use super::body;
use super::redirect;
use super::resolve::Private;
use crate::clock::{Clock, Timestamp};
use crate::registry::provider::{AskError, Method, Request, Response, origin};

/// Most redirects of a request.
pub(super) const MAX_REDIRECTS: usize = 5;
/// No wish to be left alone is believed beyond this.
pub(super) const MAX_RETRY_AFTER: Duration = Duration::from_hours(7 * 24);
/// How often one who waits looks whether the work was stopped.
const LOOK: Duration = Duration::from_millis(50);

/// A request and the bounds it keeps.
pub(super) struct Errand {
    pub(super) agent: Agent,
    pub(super) request: Request,
    pub(super) uri: Uri,
    /// Largest body.
    pub(super) limit: u64,
    pub(super) deadline: Instant,
    pub(super) clock: Clock,
}

impl Errand {
    /// The answer, or that the work was stopped before there was one.
    pub(super) fn run_beside(self, is_stopped: &dyn Fn() -> bool) -> Result<Response, AskError> {
        let (tell, told) = sync_channel(1);
        let run = move || self.run_and_tell(&tell);
        let started = thread::Builder::new().name("fetch".to_owned()).spawn(run);
        started.map_err(|error| AskError::Network(error.to_string()))?;
        loop {
            match told.recv_timeout(LOOK) {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Timeout) if is_stopped() => return Err(AskError::Stopped),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    let what = "the answer could not be read: its reader crashed";
                    return Err(AskError::Malformed(what.to_owned()));
                }
            }
        }
    }

    fn run_and_tell(self, tell: &SyncSender<Result<Response, AskError>>) {
        // Nobody may wait for it any more.
        let _ = tell.send(self.run());
    }

    fn run(self) -> Result<Response, AskError> {
        let mut uri = self.uri.clone();
        let own = origin(&uri);
        for _ in 0..=MAX_REDIRECTS {
            // What the provider says of itself is said to its host only.
            let is_own = origin(&uri) == own;
            let answer = self.send(&uri, is_own)?;
            let status = answer.status();
            let location = body::text(answer.headers(), LOCATION);
            if !matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308) || location.is_empty() {
                return self.take(answer);
            }
            if self.request.method == Method::Post {
                let what = "what was sent would be sent elsewhere again";
                return Err(AskError::Refused(what.to_owned()));
            }
            uri = redirect::target(&uri, location)?;
        }
        Err(AskError::Refused("too many redirects".to_owned()))
    }

    fn send(&self, uri: &Uri, is_own: bool) -> Result<http::Response<ureq::Body>, AskError> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(AskError::Timeout);
        }
        let mut sent = http::Request::builder()
            .uri(uri)
            .header("Accept-Encoding", "gzip");
        if is_own {
            for (name, value) in &self.request.headers {
                sent = sent.header(*name, value);
            }
        }
        let malformed = |_| AskError::Malformed("the request is malformed".to_owned());
        let answer = match (self.request.method, &self.request.body) {
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

    fn take(&self, answer: http::Response<ureq::Body>) -> Result<Response, AskError> {
        let status = answer.status();
        let (head, body) = answer.into_parts();
        if !status.is_success() {
            return Err(AskError::Status {
                code: status.as_u16(),
                retry_after: retry_after(&head.headers, self.clock.now()),
            });
        }
        Ok(Response {
            status: status.as_u16(),
            content_type: body::content_type(&head.headers),
            body: body::read(&head.headers, body.into_reader(), self.limit)?,
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
pub(super) fn said(error: ureq::Error) -> AskError {
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

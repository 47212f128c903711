//! The one HTTP client: plain requests to strangers, within limits of time, size, pace and of
//! where they may lead. Certificates are verified against the roots that are compiled in; proxies
//! of the environment are not used, as what they connect to could not be checked.

mod address;
mod body;
mod errand;
mod pace;
mod redirect;
mod resolve;

use std::time::{Duration, Instant};

use ureq::Agent;
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::DefaultConnector;

use crate::clock::Clock;
use crate::registry::provider::{AskError, Pace, Request, Response};
pub(crate) use pace::is_outage;

use errand::Errand;
use pace::Keeper;
use resolve::PublicOnly;

/// Who asks.
const USER_AGENT: &str = concat!(
    "Ledge/",
    env!("CARGO_PKG_VERSION"),
    " (self-hosted media library)"
);
/// From the name's resolution to the last byte, redirects included.
const TIME: Duration = Duration::from_secs(30);
/// To find a host and connect to it.
const CONNECT_TIME: Duration = Duration::from_secs(10);
/// Largest head of an answer.
const MAX_HEAD: usize = 64 << 10;

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
    /// Whether somebody looks on: then one that could not be reached lately is asked all the same.
    pub(crate) is_awaited: bool,
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

    /// How long the provider is to be left alone: because it said so, or because it could not be
    /// reached again and again.
    pub(crate) fn rest(&self) -> Option<Duration> {
        self.keeper.rests()
    }

    /// Somebody wants to know whether it can be reached now.
    pub(crate) fn hope(&self) {
        self.keeper.hope();
    }

    /// Sends a request, follows where it leads, and reads the answer. Whoever stops the work does
    /// not wait for a stranger: the request is left to itself, until its time is over.
    pub(crate) fn send(
        &self,
        request: &Request,
        bounds: &Bounds<'_>,
    ) -> Result<Response, AskError> {
        let uri = redirect::parse(&request.url)?;
        self.keeper.wait(bounds)?;
        let errand = Errand {
            agent: self.agent.clone(),
            request: request.clone(),
            uri,
            limit: bounds.body,
            deadline: Instant::now() + self.time,
            clock: self.clock.clone(),
        };
        let answer = errand.run_beside(bounds.is_stopped);
        self.keeper.learn(&answer);
        answer
    }
}

#[cfg(test)]
mod tests;

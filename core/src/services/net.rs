//! The HTTP client of metadata providers. It limits time, size and rate, and reaches public
//! addresses only. Certificates are verified against compiled-in roots. Proxies of the environment
//! are not used: the client could not check the addresses to which they connect.

mod backoff;
mod body;
mod dns;
mod error;
mod exchange;
mod host_limits;
pub mod providers;
mod public_address;
mod rate_limit;
mod transport;
pub(crate) mod url;

use std::sync::Arc;
use std::time::{Duration, Instant};

use once_cell::sync::OnceCell;

use crate::registry::provider::{AskError, RateLimit, Request, Response};
use crate::time::Clock;
pub(crate) use error::is_outage;
pub use providers::{Provider, ProviderEnvironment, Providers};

use backoff::Backoff;
use exchange::Exchange;
use host_limits::{HostLimit, HostLimits};
use transport::Transport;

/// Limit for one request, from name resolution to the last byte, redirects included.
const TIME: Duration = Duration::from_secs(30);
/// Interval at which a waiting request checks whether the job was stopped.
const STOP_CHECK: Duration = Duration::from_millis(50);

/// The HTTP client of one provider.
#[derive(Debug)]
pub(crate) struct Client {
    /// Opened by the first request: TLS roots cost memory that many installations never need.
    transport: OnceCell<Transport>,
    /// Header field `User-Agent` of each request.
    user_agent: String,
    /// Origins (scheme, host and port) of the configuration. Only these may be private.
    configured: Vec<String>,
    pace: RateLimit,
    /// Limits of all hosts.
    hosts: Arc<HostLimits>,
    /// Limits of the provider's own hosts.
    own_hosts: Vec<HostLimit>,
    backoff: Backoff,
    clock: Clock,
    time: Duration,
}

/// Limits of one request.
pub(crate) struct Limits<'a> {
    /// Largest response body in bytes, also after decompression.
    pub(crate) body: u64,
    /// Longest wait for the rate limit.
    pub(crate) max_wait: Duration,
    /// A user waits for the response. The request is then sent even to a provider that recently
    /// failed.
    pub(crate) is_interactive: bool,
    /// Returns true once the job was stopped.
    pub(crate) is_stopped: &'a dyn Fn() -> bool,
}

impl std::fmt::Debug for Limits<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Limits({} bytes, {:?})", self.body, self.max_wait)
    }
}

impl Client {
    /// Creates a client with a rate limit. Private addresses are reachable only at the
    /// `configured` origins.
    #[cfg(test)]
    pub(crate) fn new(pace: RateLimit, configured: Vec<String>, clock: Clock) -> Self {
        let hosts = Arc::new(HostLimits::new(None, clock.clone()));
        Self::with_hosts(pace, hosts, &[], configured, clock)
    }

    /// Creates a client that shares the limits of hosts with other clients. A pause of one of the
    /// `own` origins is a pause of the provider.
    fn with_hosts(
        pace: RateLimit,
        hosts: Arc<HostLimits>,
        own: &[&str],
        configured: Vec<String>,
        clock: Clock,
    ) -> Self {
        let own = own.iter().filter_map(|origin| url::parse(origin).ok());
        Self {
            transport: OnceCell::new(),
            user_agent: transport::user_agent(None),
            configured,
            pace,
            own_hosts: own.map(|url| hosts.of(&url, pace)).collect(),
            hosts,
            backoff: Backoff::default(),
            clock,
            time: TIME,
        }
    }

    /// Adds the address of the operator to each request.
    fn with_contact(self, contact: Option<&str>) -> Self {
        Self {
            user_agent: transport::user_agent(contact),
            ..self
        }
    }

    /// Returns the time until the next background request may be sent, if a host demanded a pause
    /// or the provider failed repeatedly.
    pub(crate) fn pause(&self) -> Option<Duration> {
        let hosts = self.own_hosts.iter();
        let pause = hosts.filter_map(|host| host.limiter.pause()).max();
        pause.max(self.backoff.pause())
    }

    /// Clears the back-off after failures, so that the next request is sent at once.
    pub(crate) fn reset_backoff(&self) {
        self.backoff.reset();
    }

    /// Sends a request, follows redirects, and reads the response.
    ///
    /// # Errors
    /// Returns `AskError::Stopped` within [`STOP_CHECK`] after the job was stopped, and
    /// `AskError::Refused` for private addresses and unsafe redirects.
    pub(crate) fn send(
        &self,
        request: &Request,
        limits: &Limits<'_>,
    ) -> Result<Response, AskError> {
        let url = url::parse(&request.url)?;
        self.backoff.check(limits.is_interactive)?;
        let host = self.hosts.of(&url, self.pace);
        let time = host.limiter.reserve(limits.max_wait)?;
        // Stored before the request, so that a crash does not lead to an early request.
        self.hosts.save(&host);
        host.limiter.wait(time, limits.is_stopped)?;
        let response = self.exchange(request, url, limits);
        self.backoff.record(&response);
        if host.limiter.record(&response) {
            self.hosts.save(&host);
        }
        response
    }

    fn exchange(
        &self,
        request: &Request,
        url: ::url::Url,
        limits: &Limits<'_>,
    ) -> Result<Response, AskError> {
        let exchange = Exchange {
            transport: self
                .transport
                .get_or_try_init(|| Transport::open(&self.user_agent))?,
            configured: &self.configured,
            request,
            limit: limits.body,
            clock: &self.clock,
        };
        let deadline = Instant::now() + self.time;
        transport::runtime()?.block_on(async {
            tokio::select! {
                response = tokio::time::timeout_at(deadline.into(), exchange.run(url)) => {
                    response.unwrap_or(Err(AskError::Timeout))
                }
                () = stopped(limits.is_stopped) => Err(AskError::Stopped),
            }
        })
    }
}

async fn stopped(is_stopped: &dyn Fn() -> bool) {
    while !is_stopped() {
        tokio::time::sleep(STOP_CHECK).await;
    }
}

#[cfg(test)]
mod tests;

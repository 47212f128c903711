//! The HTTP client of metadata providers. It limits time, size and rate, and reaches public
//! addresses only. Certificates are verified against compiled-in roots. Proxies of the environment
//! are not used: the client could not check the addresses to which they connect.

mod body;
mod dns;
mod error;
mod exchange;
pub mod providers;
mod public_address;
mod rate_limit;
mod transport;
pub(crate) mod url;

use std::time::{Duration, Instant};

use once_cell::sync::OnceCell;

use crate::registry::provider::{AskError, RateLimit, Request, Response};
use crate::time::Clock;
pub(crate) use error::is_outage;
pub use providers::{Provider, Providers};

use exchange::Exchange;
use rate_limit::RateLimiter;
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
    /// Origins (scheme, host and port) of the configuration. Only these may be private.
    configured: Vec<String>,
    limiter: RateLimiter,
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
    pub(crate) fn new(pace: RateLimit, configured: Vec<String>, clock: Clock) -> Self {
        Self {
            transport: OnceCell::new(),
            configured,
            limiter: RateLimiter::new(pace),
            clock,
            time: TIME,
        }
    }

    /// Returns the time until the next background request may be sent, if the provider demanded a
    /// pause or failed repeatedly.
    pub(crate) fn pause(&self) -> Option<Duration> {
        self.limiter.pause()
    }

    /// Clears the back-off after failures, so that the next request is sent at once.
    pub(crate) fn reset_backoff(&self) {
        self.limiter.reset_backoff();
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
        self.limiter.wait(limits)?;
        let response = self.exchange(request, url, limits);
        self.limiter.record(&response);
        response
    }

    fn exchange(
        &self,
        request: &Request,
        url: ::url::Url,
        limits: &Limits<'_>,
    ) -> Result<Response, AskError> {
        let exchange = Exchange {
            transport: self.transport.get_or_try_init(Transport::open)?,
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

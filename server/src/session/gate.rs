//! What guards the door, for the whole process: throttle, password hashing, trusted proxies.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::extract::{ConnectInfo, FromRequestParts, Request};
use axum::http::request::Parts;
use ipnet::IpNet;
use ledge_core::App;
use ledge_core::clock::Timestamp;
use ledge_core::http::{ApiError, ApiResult};
use ledge_core::store::StoreResult;
use ledge_core::store::session::{Session, TokenHash};

use super::client::is_trusted;
use super::csrf::PublicUrl;
use super::hasher::Hasher;
use super::known::Known;
use super::renewal::Renewals;
use super::requests::{InFlight, Requests};
use super::throttle::Throttle;
use super::{Client, ClientNetwork};

/// Seconds after which a client with too many requests in flight may try again.
const RETRY_AFTER: u64 = 1;

/// Shared by every request; handlers take it as an extractor.
#[derive(Debug, Clone)]
pub struct Gate {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    hasher: Hasher,
    known: Known,
    renewals: Renewals,
    requests: Requests,
    throttle: Throttle,
    trusted_proxies: Vec<IpNet>,
    public_url: Option<PublicUrl>,
    stopping: AtomicBool,
}

impl Gate {
    /// A gate that trusts these proxies and answers under this address.
    pub fn new(trusted_proxies: Vec<IpNet>, public_url: Option<PublicUrl>) -> Self {
        Self {
            shared: Arc::new(Shared {
                hasher: Hasher::default(),
                known: Known::default(),
                renewals: Renewals::default(),
                requests: Requests::default(),
                throttle: Throttle::default(),
                trusted_proxies,
                public_url,
                stopping: AtomicBool::new(false),
            }),
        }
    }

    /// The session of a token, if it has not ended and its user is not disabled.
    pub(super) async fn session(
        &self,
        app: &App,
        token: TokenHash,
        now: Timestamp,
    ) -> StoreResult<Option<Session>> {
        self.shared.known.find(app, token, now).await
    }

    pub(super) fn renewals(&self) -> &Renewals {
        &self.shared.renewals
    }

    pub(crate) fn hasher(&self) -> &Hasher {
        &self.shared.hasher
    }

    pub(crate) fn throttle(&self) -> &Throttle {
        &self.shared.throttle
    }

    pub(crate) fn trusted_proxies(&self) -> &[IpNet] {
        &self.shared.trusted_proxies
    }

    /// Returns whether an address is that of a trusted proxy.
    pub(crate) fn is_trusted(&self, address: IpAddr) -> bool {
        is_trusted(address.to_canonical(), self.trusted_proxies())
    }

    /// Counts a request until it is answered, if it came through a trusted proxy from a client
    /// that is none.
    ///
    /// # Errors
    /// 429 if the client has too many requests in flight.
    pub(crate) fn begin_request(&self, request: &Request) -> ApiResult<Option<InFlight>> {
        let (headers, extensions) = (request.headers(), request.extensions());
        let peer = extensions.get::<ConnectInfo<SocketAddr>>();
        if !peer.is_some_and(|peer| self.is_trusted(peer.0.ip())) {
            return Ok(None);
        }
        let client = Client::of_request(headers, extensions);
        if client.is_proxy {
            return Ok(None);
        }
        let begun = self
            .shared
            .requests
            .begin(ClientNetwork::from(client.address));
        begun
            .map(Some)
            .ok_or(ApiError::TooManyRequests(RETRY_AFTER))
    }

    pub(crate) fn public_url(&self) -> Option<&PublicUrl> {
        self.shared.public_url.as_ref()
    }

    /// From now on every request is answered with 503.
    pub(crate) fn stop(&self) {
        self.shared.stopping.store(true, Ordering::Release);
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.shared.stopping.load(Ordering::Acquire)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Gate {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        parts
            .extensions
            .get::<Self>()
            .cloned()
            .ok_or(ApiError::Unavailable)
    }
}

//! Session service of the process: throttle, password hashing, session cache and trusted proxies.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::extract::{ConnectInfo, FromRequestParts, Request};
use axum::http::request::Parts;
use ipnet::IpNet;
use ledge_core::App;
use ledge_core::error::StoreResult;
use ledge_core::http::{ApiError, ApiResult};
use ledge_core::id::UserId;
use ledge_core::store::account::session::{Session, TokenHash};
use ledge_core::time::Timestamp;

use super::client::is_trusted;
use super::csrf::PublicUrl;
use super::hasher::Hasher;
use super::renewal::Renewals;
use super::requests::{InFlight, Requests, UserInFlight};
use super::session_cache::SessionCache;
use super::throttle::Throttle;
use super::{Client, ClientNetwork};

/// Seconds after which a client with too many requests in flight may try again.
const RETRY_AFTER: u64 = 1;

/// Services shared by all requests; handlers extract them.
#[derive(Debug, Clone)]
pub struct SessionService {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    hasher: Hasher,
    cache: SessionCache,
    renewals: Renewals,
    requests: Requests,
    throttle: Throttle,
    trusted_proxies: Vec<IpNet>,
    public_url: Option<PublicUrl>,
    stopping: AtomicBool,
}

impl SessionService {
    /// Creates the service with these trusted proxies and this public address.
    pub fn new(trusted_proxies: Vec<IpNet>, public_url: Option<PublicUrl>) -> Self {
        Self {
            shared: Arc::new(Shared {
                hasher: Hasher::default(),
                cache: SessionCache::default(),
                renewals: Renewals::default(),
                requests: Requests::default(),
                throttle: Throttle::default(),
                trusted_proxies,
                public_url,
                stopping: AtomicBool::new(false),
            }),
        }
    }

    /// Returns the session of a token, if it has not expired and its user is not disabled.
    pub(super) async fn session(
        &self,
        app: &App,
        token: TokenHash,
        now: Timestamp,
    ) -> StoreResult<Option<Session>> {
        self.shared.cache.find(app, token, now).await
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

    /// Returns `true` if an address belongs to a trusted proxy.
    pub(crate) fn is_trusted(&self, address: IpAddr) -> bool {
        is_trusted(address.to_canonical(), self.trusted_proxies())
    }

    /// Counts a request until the caller drops it, if a trusted proxy forwarded it for a client.
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

    /// Counts a request of a signed-in user until the caller drops it.
    ///
    /// # Errors
    /// 429 if the user has too many requests in flight.
    pub(super) fn begin_user_request(&self, user: UserId) -> ApiResult<UserInFlight> {
        let begun = self.shared.requests.begin_user(user);
        begun.ok_or(ApiError::TooManyRequests(RETRY_AFTER))
    }

    pub(crate) fn public_url(&self) -> Option<&PublicUrl> {
        self.shared.public_url.as_ref()
    }

    /// Makes every later request fail with 503.
    pub(crate) fn stop(&self) {
        self.shared.stopping.store(true, Ordering::Release);
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.shared.stopping.load(Ordering::Acquire)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for SessionService {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        parts
            .extensions
            .get::<Self>()
            .cloned()
            .ok_or(ApiError::Unavailable)
    }
}

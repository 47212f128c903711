//! What guards the door, for the whole process: throttle, password hashing, trusted proxies.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use ipnet::IpNet;
use ledge_core::App;
use ledge_core::clock::Timestamp;
use ledge_core::http::ApiError;
use ledge_core::store::StoreResult;
use ledge_core::store::session::{Session, TokenHash};

use super::csrf::PublicUrl;
use super::hasher::Hasher;
use super::known::Known;
use super::renewal::Renewals;
use super::throttle::Throttle;

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

//! Connections of a client, and the runtime that drives them.

use std::time::Duration;

use once_cell::sync::OnceCell;
use rustls::{ClientConfig, RootCertStore};
use tokio::runtime::{Builder, Runtime};

use super::dns::PublicResolver;
use crate::registry::provider::AskError;

/// Limit for name resolution, connection and TLS handshake.
const CONNECT_TIME: Duration = Duration::from_secs(10);

/// Returns the header field `User-Agent` (RFC 9110, section 10.1.5), with the address of the
/// operator if one is set. MusicBrainz and Wikimedia ask for such an address.
pub(super) fn user_agent(contact: Option<&str>) -> String {
    let comment = contact.map_or_else(
        || "self-hosted media library".to_owned(),
        |contact| format!("+{contact}"),
    );
    format!("Ledge/{} ({comment})", env!("CARGO_PKG_VERSION"))
}

/// Two HTTP clients that differ in the addresses they may reach.
#[derive(Debug)]
pub(super) struct Transport {
    /// Resolves names to public addresses only.
    pub(super) public: reqwest::Client,
    /// Resolves names to any address, for configured origins.
    pub(super) configured: reqwest::Client,
}

impl Transport {
    pub(super) fn open(user_agent: &str) -> Result<Self, AskError> {
        let roots: RootCertStore = webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect();
        let provider = rustls::crypto::ring::default_provider();
        let tls = ClientConfig::builder_with_provider(provider.into())
            .with_safe_default_protocol_versions()
            .map_err(|error| AskError::Network(format!("TLS: {error}")))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Self::with_tls(&tls, user_agent)
    }

    pub(super) fn with_tls(tls: &ClientConfig, user_agent: &str) -> Result<Self, AskError> {
        let builder = || {
            reqwest::Client::builder()
                .tls_backend_preconfigured(tls.clone())
                .user_agent(user_agent)
                // Each redirect is checked before it is followed.
                .redirect(reqwest::redirect::Policy::none())
                .referer(false)
                .no_proxy()
                .http1_only()
                .connect_timeout(CONNECT_TIME)
        };
        let opened = |error| AskError::Network(format!("the HTTP client cannot start: {error}"));
        let public = builder().dns_resolver(PublicResolver).build();
        Ok(Self {
            public: public.map_err(opened)?,
            configured: builder().build().map_err(opened)?,
        })
    }
}

/// Returns the runtime of all clients. Its one thread drives connections; requests run on the
/// thread of their caller.
pub(super) fn runtime() -> Result<&'static Runtime, AskError> {
    static RUNTIME: OnceCell<Runtime> = OnceCell::new();
    RUNTIME
        .get_or_try_init(|| {
            Builder::new_multi_thread()
                .worker_threads(1)
                .thread_name("net")
                .enable_all()
                .build()
        })
        .map_err(|error| AskError::Network(format!("the HTTP client cannot start: {error}")))
}

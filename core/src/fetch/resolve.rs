//! Names become addresses, and private ones are left out, at the moment of connecting: what a name
//! stood for a moment before does not count.

use std::fmt;
use std::io;

use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

use super::address::is_public;
use crate::registry::provider::origin;

/// The address leads where nobody may be led.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Private;

impl fmt::Display for Private {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the host has no public address")
    }
}

impl std::error::Error for Private {}

/// Keeps public addresses, except for origins that were configured.
#[derive(Debug)]
pub(super) struct PublicOnly {
    pub(super) system: DefaultResolver,
    /// Scheme, host and port of what may be private.
    pub(super) configured: Vec<String>,
}

impl Resolver for PublicOnly {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = self.system.resolve(uri, config, timeout)?;
        if origin(uri).is_some_and(|origin| self.configured.contains(&origin)) {
            return Ok(found);
        }
        let mut public = self.empty();
        for address in found.iter().filter(|address| is_public(address.ip())) {
            public.push(*address);
        }
        if public.is_empty() {
            let error = io::Error::new(io::ErrorKind::PermissionDenied, Private);
            return Err(ureq::Error::Io(error));
        }
        Ok(public)
    }
}

//! Name resolution that returns public addresses only. The check happens at the time of the
//! connection, so that a name cannot change its address between check and connection (DNS
//! rebinding).

use std::fmt;
use std::net::SocketAddr;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::public_address::is_public;

/// Error of a name that has private addresses only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PrivateAddress;

impl fmt::Display for PrivateAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the host has no public address")
    }
}

impl std::error::Error for PrivateAddress {}

/// Resolver that drops private addresses.
#[derive(Debug)]
pub(super) struct PublicResolver;

impl Resolve for PublicResolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            // The client replaces port 0 by the port of the request.
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let public: Vec<SocketAddr> = found.filter(|found| is_public(found.ip())).collect();
            if public.is_empty() {
                return Err(PrivateAddress.into());
            }
            Ok(Box::new(public.into_iter()) as Addrs)
        })
    }
}

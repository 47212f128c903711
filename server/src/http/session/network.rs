//! Part of an address that identifies one client.

use std::net::{IpAddr, Ipv6Addr};

/// An IPv4 address, or the /64 network of an IPv6 address, which one household may use completely.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ClientNetwork(IpAddr);

impl ClientNetwork {
    /// Returns `true` for addresses of this machine. The network of `::1` begins at `::`.
    pub(crate) fn is_loopback(self) -> bool {
        self.0.is_loopback() || self.0 == IpAddr::V6(Ipv6Addr::UNSPECIFIED)
    }
}

impl From<IpAddr> for ClientNetwork {
    fn from(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(v6) => IpAddr::V6((v6.to_bits() & (u128::MAX << 64)).into()),
            v4 @ IpAddr::V4(_) => v4,
        })
    }
}

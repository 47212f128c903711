//! The part of an address that stands for one client.

use std::net::IpAddr;

/// An IPv4 address, or the /64 network of an IPv6 address: a home has 2⁶⁴ of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ClientNetwork(IpAddr);

impl From<IpAddr> for ClientNetwork {
    fn from(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(v6) => IpAddr::V6((v6.to_bits() & (u128::MAX << 64)).into()),
            v4 @ IpAddr::V4(_) => v4,
        })
    }
}

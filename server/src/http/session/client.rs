//! Origin of a request: the peer, or the client that a trusted proxy names.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap};
use ipnet::IpNet;
use ledge_core::http::ApiError;

use super::SessionService;

/// The client of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Client {
    /// Address of the client.
    pub address: IpAddr,
    /// `true` if the address belongs to a trusted proxy, which represents many clients.
    pub is_proxy: bool,
    /// `true` if the client uses HTTPS to the proxy.
    pub secure: bool,
    /// Host of the client's request to the proxy.
    pub forwarded_host: Option<String>,
}

impl Client {
    /// Determines the client. The forwarding headers are read only if the peer is a trusted proxy.
    pub(crate) fn of(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> Self {
        let peer = peer.to_canonical();
        if !is_trusted(peer, trusted) {
            return Self {
                address: peer,
                is_proxy: false,
                secure: false,
                forwarded_host: None,
            };
        }
        let first = |name| values(headers, name).next().map(str::to_owned);
        let address = forwarded_address(peer, headers, trusted);
        Self {
            address,
            is_proxy: is_trusted(address, trusted),
            secure: first("x-forwarded-proto")
                .is_some_and(|proto| proto.eq_ignore_ascii_case("https")),
            forwarded_host: first("x-forwarded-host"),
        }
    }

    /// Determines the client of a request with these headers.
    pub(crate) fn of_request(headers: &HeaderMap, extensions: &Extensions) -> Self {
        let peer = extensions
            .get::<ConnectInfo<SocketAddr>>()
            .map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |info| info.0.ip());
        let trusted = extensions
            .get::<SessionService>()
            .map(SessionService::trusted_proxies);
        Self::of(peer, headers, trusted.unwrap_or_default())
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Client {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(Self::of_request(&parts.headers, &parts.extensions))
    }
}

/// Returns `true` if an address belongs to a trusted proxy.
pub(super) fn is_trusted(address: IpAddr, trusted: &[IpNet]) -> bool {
    trusted.iter().any(|net| net.contains(&address))
}

/// Returns the client's address. Each proxy appends the address of its peer. The list is therefore
/// read from its end: the first address that does not belong to a trusted proxy is the client.
/// Earlier entries are untrusted.
fn forwarded_address(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let mut nearest = peer;
    let hops: Vec<&str> = values(headers, "x-forwarded-for").collect();
    for hop in hops.into_iter().rev() {
        let Some(address) = address_in(hop) else {
            break;
        };
        nearest = address;
        if !is_trusted(address, trusted) {
            break;
        }
    }
    nearest
}

/// Parses an address with or without a port; IPv6 with or without brackets.
fn address_in(text: &str) -> Option<IpAddr> {
    let address = text
        .parse::<IpAddr>()
        .or_else(|_| text.parse::<SocketAddr>().map(|address| address.ip()))
        .or_else(|_| text.trim_matches(['[', ']']).parse());
    address.ok().map(|address| address.to_canonical())
}

/// Returns the comma-separated values of all header lines with this name.
fn values<'a>(headers: &'a HeaderMap, name: &'static str) -> impl Iterator<Item = &'a str> {
    headers
        .get_all(name)
        .into_iter()
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .map(str::trim)
        .filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(peer: &str, lines: &[(&'static str, &'static str)]) -> Client {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, value.parse().expect("a header value"));
        }
        let trusted = ["10.0.0.0/8", "fd00::/8"].map(|net| net.parse().expect("a network"));
        Client::of(peer.parse().expect("an address"), &headers, &trusted)
    }

    fn address(peer: &str, lines: &[(&'static str, &'static str)]) -> String {
        client(peer, lines).address.to_string()
    }

    #[test]
    fn forwarding_headers_of_untrusted_peer_are_ignored() {
        let lines = [
            ("x-forwarded-for", "192.0.2.1"),
            ("x-forwarded-proto", "https"),
            ("x-forwarded-host", "evil.example"),
        ];
        let stranger = client("198.51.100.7", &lines);
        assert_eq!(stranger.address.to_string(), "198.51.100.7");
        assert!(!stranger.secure);
        assert_eq!(stranger.forwarded_host, None);
        let proxied = client("10.1.2.3", &lines);
        assert_eq!(proxied.address.to_string(), "192.0.2.1");
        assert!(proxied.secure);
        assert_eq!(proxied.forwarded_host.as_deref(), Some("evil.example"));
    }

    #[test]
    fn last_untrusted_forwarded_address_is_the_client() {
        for (header, expected) in [
            ("203.0.113.9, 192.0.2.1, 10.9.9.9", "192.0.2.1"),
            ("192.0.2.1:4711", "192.0.2.1"),
            ("[2001:db8::1]:4711", "2001:db8::1"),
            ("2001:db8::1", "2001:db8::1"),
            ("::ffff:192.0.2.1", "192.0.2.1"),
            ("10.0.0.5", "10.0.0.5"),
            ("192.0.2.1, unknown", "10.0.0.1"),
            ("", "10.0.0.1"),
        ] {
            let found = client("10.0.0.1", &[("x-forwarded-for", header)]);
            assert_eq!(found.address.to_string(), expected, "{header}");
            assert_eq!(found.is_proxy, expected.starts_with("10."), "{header}");
        }
    }

    #[test]
    fn several_header_lines_form_one_list() {
        let lines = [
            ("x-forwarded-for", "203.0.113.9"),
            ("x-forwarded-for", "192.0.2.1"),
        ];
        assert_eq!(address("::ffff:10.0.0.1", &lines), "192.0.2.1");
    }
}

//! Protection against cross-site request forgery.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Method, Uri, header};
use ledge_core::http::{ApiError, ApiResult};

use super::{Client, SessionService};

/// Public address of the server, from `LEDGE_PUBLIC_URL`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl(Origin);

impl PublicUrl {
    /// Parses `http://host[:port]` or `https://host[:port]`. Ledge must be at the root of a host.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let origin = text.strip_suffix('/').unwrap_or(text);
        Origin::parse(origin).map(Self)
    }

    /// Returns the address without a trailing slash.
    pub(crate) fn base(&self) -> String {
        let Origin {
            host,
            port,
            default_port,
        } = &self.0;
        let scheme = if *default_port == 443 {
            "https"
        } else {
            "http"
        };
        if port == default_port {
            format!("{scheme}://{host}")
        } else {
            format!("{scheme}://{host}:{port}")
        }
    }
}

/// Origin: host, port, and the default port of its scheme.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Origin {
    host: String,
    port: u16,
    default_port: u16,
}

impl Origin {
    fn parse(text: &str) -> Option<Self> {
        let (scheme, authority) = text.split_once("://")?;
        let default_port = match scheme.to_ascii_lowercase().as_str() {
            "http" => 80,
            "https" => 443,
            _ => return None,
        };
        let (host, port) = host_and_port(authority, default_port)?;
        Some(Self {
            host,
            port,
            default_port,
        })
    }

    /// Returns `true` if an authority denotes the same host and port. Without a port it has the
    /// default port of this origin's scheme.
    fn is_at(&self, authority: &str) -> bool {
        host_and_port(authority, self.default_port)
            .is_some_and(|(host, port)| host == self.host && port == self.port)
    }
}

/// Returns `true` if the text is a host with an optional port.
pub(crate) fn is_host(authority: &str) -> bool {
    host_and_port(authority, 80).is_some()
}

fn host_and_port(authority: &str, default_port: u16) -> Option<(String, u16)> {
    let authority: Authority = authority.parse().ok()?;
    if authority.as_str().contains('@') || authority.host().is_empty() {
        return None;
    }
    let port = match authority.port() {
        Some(port) => port.as_u16(),
        // A colon without a valid port number after it is an error.
        None if authority.as_str() != authority.host() => return None,
        None => default_port,
    };
    Some((authority.host().to_ascii_lowercase(), port))
}

/// Rejects requests that a page of another site made the browser send.
pub(crate) fn check(
    headers: &HeaderMap,
    uri: &Uri,
    client: &Client,
    sessions: &SessionService,
) -> ApiResult<()> {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or(""));
    let same = if let Some(site) = text(header::HeaderName::from_static("sec-fetch-site")) {
        matches!(site, "same-origin" | "none")
    } else if let Some(origin) = text(header::ORIGIN) {
        let host = text(header::HOST).or_else(|| uri.authority().map(Authority::as_str));
        is_ours(origin, host, client, sessions)
    } else {
        // Every current browser sends one of the headers, so the client is not a browser.
        true
    };
    if same { Ok(()) } else { Err(refusal()) }
}

fn is_ours(origin: &str, host: Option<&str>, client: &Client, sessions: &SessionService) -> bool {
    let Some(origin) = Origin::parse(origin) else {
        return false;
    };
    let public = sessions
        .public_url()
        .is_some_and(|url| url.0.host == origin.host && url.0.port == origin.port);
    public
        || host.is_some_and(|host| origin.is_at(host))
        || client
            .forwarded_host
            .as_deref()
            .is_some_and(|host| origin.is_at(host))
}

fn refusal() -> ApiError {
    ApiError::Forbidden(
        "This change was asked for by a page of another site. If it was not, and Ledge stands \
         behind a reverse proxy, set LEDGE_PUBLIC_URL to the address in the browser, or \
         LEDGE_TRUSTED_PROXIES to the proxy's."
            .to_owned(),
    )
}

/// Returns `true` if requests of this method only read.
pub(crate) fn is_safe(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

/// Extractor for handlers without a session: it rejects cross-site requests.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SameSite;

impl<S: Send + Sync> FromRequestParts<S> for SameSite {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let sessions = SessionService::from_request_parts(parts, state).await?;
        let client = Client::of_request(&parts.headers, &parts.extensions);
        check(&parts.headers, &parts.uri, &client, &sessions).map(|()| Self)
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;

    fn passes(lines: &[(&'static str, &str)], forwarded_host: Option<&str>) -> bool {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.insert(*name, value.parse().expect("a header value"));
        }
        let client = Client {
            address: IpAddr::V4(Ipv4Addr::LOCALHOST),
            is_proxy: false,
            secure: false,
            forwarded_host: forwarded_host.map(str::to_owned),
        };
        let sessions = SessionService::new(Vec::new(), PublicUrl::parse("https://books.example/"));
        check(&headers, &Uri::from_static("/"), &client, &sessions).is_ok()
    }

    #[test]
    fn fetch_site_header_decides() {
        for (site, expected) in [
            ("same-origin", true),
            ("none", true),
            ("same-site", false),
            ("cross-site", false),
            ("Same-Origin", false),
            ("", false),
        ] {
            let lines = [
                ("sec-fetch-site", site),
                (
                    "origin",
                    if expected {
                        "https://evil.example"
                    } else {
                        "http://here"
                    },
                ),
                ("host", "here"),
            ];
            assert_eq!(passes(&lines, None), expected, "{site}");
        }
    }

    #[test]
    fn origin_is_compared_by_host_and_port() {
        for (origin, host, expected) in [
            ("http://here:8484", "here:8484", true),
            ("http://HERE:8484", "here:8484", true),
            ("http://here", "here", true),
            ("http://here", "here:80", true),
            ("https://here", "here", true),
            ("https://here", "here:443", true),
            ("http://[::1]:8484", "[::1]:8484", true),
            ("http://here:8485", "here:8484", false),
            ("http://here", "here:8484", false),
            ("http://evil.example", "here", false),
            ("http://here.evil.example", "here", false),
            ("http://here@evil.example", "here", false),
            ("null", "here", false),
            ("", "here", false),
            ("here", "here", false),
            ("file://here", "here", false),
        ] {
            let lines = [("origin", origin), ("host", host)];
            assert_eq!(passes(&lines, None), expected, "{origin} at {host}");
        }
    }

    #[test]
    fn forwarded_host_and_public_address_count_as_same_site() {
        let from = |origin| [("origin", origin), ("host", "inner:8484")];
        assert!(passes(&from("https://books.example"), None));
        assert!(passes(&from("https://books.example:443"), None));
        assert!(!passes(&from("https://books.example:8443"), None));
        assert!(!passes(&from("https://other.example"), None));
        assert!(passes(
            &from("https://other.example"),
            Some("other.example")
        ));
    }

    #[test]
    fn request_without_both_headers_is_accepted() {
        assert!(passes(&[("host", "here")], None));
    }

    #[test]
    fn public_address_is_the_root_of_a_host() {
        for good in [
            "http://a",
            "https://a.example/",
            "https://a:8443",
            "http://[::1]:80",
        ] {
            assert!(PublicUrl::parse(good).is_some(), "{good}");
        }
        for bad in [
            "a.example",
            "ftp://a",
            "https://",
            "https://a/ledge",
            "https://u@a",
            "https://a:x",
        ] {
            assert!(PublicUrl::parse(bad).is_none(), "{bad}");
        }
    }
}

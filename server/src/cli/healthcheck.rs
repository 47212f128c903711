//! `ledge healthcheck`: for containers, which have no other program to ask with.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use anyhow::{Context as _, bail};

/// How long the server may take.
const PATIENCE: Duration = Duration::from_secs(6);

/// The head of an answer fits in here many times over.
const MAX_ANSWER: u64 = 4096;

/// Asks for `/healthz`.
pub(crate) fn run(listen: &str) -> anyhow::Result<()> {
    let address = listen
        .trim()
        .to_socket_addrs()
        .ok()
        .and_then(|mut addresses| addresses.next())
        .map(reachable)
        .with_context(|| format!("LEDGE_LISTEN: `{listen}` is no address."))?;
    let answer = ask(address).with_context(|| format!("no answer from {address}"))?;
    let status = answer.split(' ').nth(1).unwrap_or("nothing");
    if status != "200" {
        bail!("the server at {address} answered {status}");
    }
    Ok(())
}

/// A server that listens on every address listens on the loopback one.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address {
            SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    address
}

fn ask(address: SocketAddr) -> std::io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let request = format!("GET /healthz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut answer = Vec::new();
    stream.take(MAX_ANSWER).read_to_end(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_means_the_loopback_one() {
        for (listen, asked) in [
            ("0.0.0.0:8484", "127.0.0.1:8484"),
            ("[::]:8484", "[::1]:8484"),
            ("192.0.2.1:80", "192.0.2.1:80"),
        ] {
            let address = listen.parse().expect("an address");
            assert_eq!(reachable(address).to_string(), asked);
        }
    }
}

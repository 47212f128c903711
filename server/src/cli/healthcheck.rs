//! Command `ledge healthcheck`, for containers without another HTTP client.

use std::io::{self, Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, ToSocketAddrs as _};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail};

/// Time for all addresses together.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Limit of bytes that are read of a response. Its head is much shorter.
const MAX_RESPONSE: u64 = 4096;

/// Requests `/healthz` at every address of the listener at once.
///
/// # Errors
///
/// No address answered 200 within two seconds.
pub(crate) fn run(listen: &str) -> anyhow::Result<()> {
    let deadline = Instant::now() + TIMEOUT;
    let addresses = addresses(listen)
        .with_context(|| format!("LEDGE_LISTEN: `{listen}` is not an address."))?;
    let (tx, rx) = mpsc::channel();
    for address in addresses {
        let tx = tx.clone();
        thread::spawn(move || {
            // The receiver is gone once another address has answered.
            let _ = tx.send(check(address));
        });
    }
    drop(tx);
    let mut failure = anyhow!("no address answered within {} s", TIMEOUT.as_secs());
    while let Ok(result) = rx.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        match result {
            Ok(()) => return Ok(()),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

/// Returns the addresses at which the listener can be reached from this machine.
///
/// A wildcard address is replaced by the loopback address. `[::]` accepts IPv4 connections, too,
/// and a machine or a container may lack an IPv6 loopback address.
fn addresses(listen: &str) -> io::Result<Vec<SocketAddr>> {
    let mut found = Vec::new();
    for address in listen.trim().to_socket_addrs()? {
        let hosts: &[IpAddr] = match address.ip() {
            IpAddr::V4(Ipv4Addr::UNSPECIFIED) => &[IpAddr::V4(Ipv4Addr::LOCALHOST)],
            IpAddr::V6(Ipv6Addr::UNSPECIFIED) => &[
                IpAddr::V6(Ipv6Addr::LOCALHOST),
                IpAddr::V4(Ipv4Addr::LOCALHOST),
            ],
            _ => &[],
        };
        let loopback = hosts
            .iter()
            .map(|host| SocketAddr::new(*host, address.port()));
        found.extend(loopback);
        if hosts.is_empty() {
            found.push(address);
        }
    }
    Ok(found)
}

fn check(address: SocketAddr) -> anyhow::Result<()> {
    let response = request(address).with_context(|| format!("no response from {address}"))?;
    let status = response.split(' ').nth(1).unwrap_or("nothing");
    if status != "200" {
        bail!("the server at {address} returned {status}");
    }
    Ok(())
}

fn request(address: SocketAddr) -> io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    let request = format!("GET /healthz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut response = Vec::new();
    stream.take(MAX_RESPONSE).read_to_end(&mut response)?;
    Ok(String::from_utf8_lossy(&response).into_owned())
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    /// Answers each connection with this status.
    fn server(address: &str, status: &'static str) -> u16 {
        let listener = TcpListener::bind(address).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.expect("a connection");
                let mut head = [0; 512];
                let _ = stream.read(&mut head);
                let _ = write!(stream, "HTTP/1.1 {status} X\r\nContent-Length: 0\r\n\r\n");
            }
        });
        port
    }

    #[test]
    fn wildcard_addresses_become_loopback_addresses_of_every_family() {
        for (listen, expected) in [
            ("0.0.0.0:8484", vec!["127.0.0.1:8484"]),
            ("[::]:8484", vec!["[::1]:8484", "127.0.0.1:8484"]),
            ("192.0.2.1:80", vec!["192.0.2.1:80"]),
            (" 127.0.0.1:1 ", vec!["127.0.0.1:1"]),
        ] {
            let found = addresses(listen).expect("addresses");
            let found: Vec<_> = found.iter().map(ToString::to_string).collect();
            assert_eq!(found, expected);
        }
        assert!(addresses("8484").is_err());
    }

    #[test]
    fn listener_on_all_ipv6_addresses_is_found_without_an_ipv6_loopback_address() {
        // Only IPv4 answers, as in a container without IPv6.
        let port = server("127.0.0.1:0", "200");
        run(&format!("[::]:{port}")).expect("healthy");
    }

    #[test]
    fn server_that_returns_an_error_or_nothing_is_unhealthy() {
        let port = server("127.0.0.1:0", "503");
        let error = run(&format!("127.0.0.1:{port}")).expect_err("unhealthy");
        assert!(error.to_string().contains("503"), "{error}");

        // The kernel accepts the connection, but nothing reads the request.
        let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = silent.local_addr().expect("an address").to_string();
        run(&address).expect_err("unhealthy");
    }
}

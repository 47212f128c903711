//! The client against servers that break every rule.

mod tls;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::exchange::{MAX_REDIRECTS, MAX_RETRY_AFTER};
use super::*;

/// A server that passes every connection to a function.
struct FakeServer {
    address: SocketAddr,
    requests: Arc<AtomicUsize>,
}

impl FakeServer {
    fn new(answer: impl Fn(&str, &mut TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let requests = Arc::new(AtomicUsize::new(0));
        let count = requests.clone();
        let answer = Arc::new(answer);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                count.fetch_add(1, Ordering::SeqCst);
                let answer = answer.clone();
                thread::spawn(move || {
                    let mut head = Vec::new();
                    let mut byte = [0];
                    while !head.ends_with(b"\r\n\r\n")
                        && stream.read(&mut byte).is_ok_and(|n| n > 0)
                    {
                        head.extend(byte);
                    }
                    answer(&String::from_utf8_lossy(&head), &mut stream);
                });
            }
        });
        Self { address, requests }
    }

    fn sending(text: impl Into<Vec<u8>>) -> Self {
        let text = text.into();
        Self::new(move |_, stream| {
            // The client may have disconnected.
            let _ = stream.write_all(&text);
        })
    }

    fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

const FAST: RateLimit = RateLimit { per_second: 1e6 };

fn client(configured: &[&FakeServer]) -> Client {
    let configured = configured.iter().map(|server| server.url()).collect();
    Client {
        time: Duration::from_secs(2),
        ..Client::new(FAST, configured, Clock::system())
    }
}

fn limits() -> Limits<'static> {
    Limits {
        body: 1 << 20,
        max_wait: Duration::from_secs(5),
        is_interactive: false,
        is_stopped: &|| false,
    }
}

fn get(client: &Client, url: impl Into<String>) -> Result<Response, AskError> {
    client.send(&Request::get(url), &limits())
}

#[test]
fn response_is_read_and_request_names_the_client() {
    let server = FakeServer::new(|head, stream| {
        let who = concat!("user-agent: Ledge/", env!("CARGO_PKG_VERSION"), " (");
        let has_name = head.contains(who);
        let has_key = head.contains("x-key: 1");
        let body = format!("{has_name} {has_key}");
        let text = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: Application/JSON; charset=utf-8\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(text.as_bytes()).expect("a connection");
    });
    let request = Request::get(server.url()).header("X-Key", "1");
    let answer = client(&[&server])
        .send(&request, &limits())
        .expect("an answer");
    assert_eq!(answer.body, b"true true");
    assert_eq!(answer.content_type, "application/json");
}

#[test]
fn contact_is_sent_only_if_it_is_set() {
    let server = FakeServer::new(|head, stream| {
        let lines = head.lines();
        let agent = lines.filter_map(|line| line.strip_prefix("user-agent: "));
        let agent: String = agent.collect();
        let length = agent.len();
        let text = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{agent}");
        stream.write_all(text.as_bytes()).expect("a connection");
    });
    let asked = |contact: Option<&str>| {
        let client = client(&[&server]).with_contact(contact);
        let body = get(&client, server.url()).expect("an answer").body;
        String::from_utf8(body).expect("text")
    };
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        asked(None),
        format!("Ledge/{version} (self-hosted media library)")
    );
    assert_eq!(
        asked(Some("https://books.example/about")),
        format!("Ledge/{version} (+https://books.example/about)")
    );
}

#[test]
fn private_address_is_never_connected_to() {
    let server = FakeServer::sending("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    let port = server.address.port();
    let other = FakeServer::sending("");
    let client = client(&[&other]);
    for host in [
        "127.0.0.1",
        "localhost",
        "0.0.0.0",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "127.1",
        "2130706433",
        "0x7f000001",
        "017700000001",
    ] {
        let error = get(&client, format!("http://{host}:{port}/")).expect_err(host);
        let is_right = matches!(error, AskError::Refused(_) | AskError::Network(_));
        assert!(is_right, "{host}: {error:?}");
    }
    assert_eq!(server.requests(), 0);
}

#[test]
fn only_configured_origin_may_be_private() {
    let server = FakeServer::sending("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    let port = server.address.port();
    let client = client(&[&server]);
    assert!(get(&client, server.url()).is_ok());
    for url in [
        format!("http://localhost:{port}/"),
        format!("https://127.0.0.1:{port}/"),
        format!("http://127.0.0.1:{}/", port.wrapping_add(1).max(1)),
    ] {
        let error = get(&client, &url).expect_err(&url);
        assert!(matches!(error, AskError::Refused(_)), "{url}: {error:?}");
    }
    assert_eq!(server.requests(), 1);
}

#[test]
fn redirect_to_private_address_is_refused() {
    let secret = FakeServer::sending("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno");
    for location in [
        secret.url(),
        secret.url().replace("http:", ""),
        secret.url().replace("127.0.0.1", "localhost"),
        "file:///etc/passwd".to_owned(),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
    ] {
        let text =
            format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n");
        let server = FakeServer::sending(text);
        let error = get(&client(&[&server]), server.url()).expect_err(&location);
        let is_right = matches!(error, AskError::Refused(_) | AskError::Malformed(_));
        assert!(is_right, "{location}: {error:?}");
    }
    assert_eq!(secret.requests(), 0);
}

#[test]
fn redirects_are_limited_and_other_hosts_receive_no_key() {
    // Every connection ends with its response: a reused one could be closed by the server.
    let circle = FakeServer::sending(
        "HTTP/1.1 301 Moved\r\nLocation: /\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
    );
    let error = get(&client(&[&circle]), circle.url()).expect_err("a circle");
    assert!(matches!(error, AskError::Refused(_)), "{error:?}");
    assert!(circle.requests() <= MAX_REDIRECTS + 1);

    let other = FakeServer::new(|head, stream| {
        let body = if head.contains("x-key") {
            "told"
        } else {
            "kept"
        };
        let _ = write!(
            stream,
            "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\n{body}"
        );
    });
    let location = other.url();
    let first = FakeServer::new(move |_, stream| {
        let _ = write!(
            stream,
            "HTTP/1.1 307 Elsewhere\r\nLocation: {location}\r\nConnection: close\r\n\
             Content-Length: 0\r\n\r\n"
        );
    });
    let client = client(&[&first, &other]);
    let request = Request::get(first.url()).header("X-Key", "secret");
    let answer = client.send(&request, &limits()).expect("an answer");
    assert_eq!(answer.body, b"kept");
    let sent = Request::post(first.url(), "text/plain", "secret");
    assert!(matches!(
        client.send(&sent, &limits()),
        Err(AskError::Refused(_))
    ));
}

#[test]
fn error_status_is_returned_with_retry_after() {
    for (head, code, seconds) in [
        ("500 Broken", 500, None),
        ("404 None", 404, None),
        ("429 Later\r\nRetry-After: 7", 429, Some(7)),
        ("503 Later\r\nRetry-After: soon", 503, None),
        (
            "503 Later\r\nRetry-After: Thu, 01 Jan 1970 00:00:00 GMT",
            503,
            Some(0),
        ),
        (
            "403 No\r\nRetry-After: 99999999",
            403,
            Some(MAX_RETRY_AFTER.as_secs()),
        ),
    ] {
        let server = FakeServer::sending(format!("HTTP/1.1 {head}\r\nContent-Length: 0\r\n\r\n"));
        let error = get(&client(&[&server]), server.url()).expect_err(head);
        let retry_after = seconds.map(Duration::from_secs);
        assert_eq!(error, AskError::Status { code, retry_after }, "{head}");
    }
}

#[test]
fn long_retry_after_stops_requests() {
    let server =
        FakeServer::sending("HTTP/1.1 429 Later\r\nRetry-After: 3600\r\nContent-Length: 0\r\n\r\n");
    let client = client(&[&server]);
    for _ in 0..3 {
        let error = get(&client, server.url()).expect_err("a pause");
        let rest = error.retry_after().expect("a time");
        assert!(rest > Duration::from_mins(59), "{error:?}");
    }
    assert_eq!(server.requests(), 1);
}

#[test]
fn stopped_job_does_not_wait_for_response() {
    let silent = FakeServer::new(|_, stream| {
        let _ = stream.read(&mut [0]);
    });
    let dripping = FakeServer::new(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
        while stream.write_all(b"x").is_ok() {
            thread::sleep(Duration::from_millis(5));
        }
    });
    for server in [silent, dripping] {
        let client = Client {
            time: Duration::from_secs(20),
            ..client(&[&server])
        };
        let limits = Limits {
            is_stopped: &|| server.requests() > 0,
            ..limits()
        };
        let answer = client.send(&Request::get(server.url()), &limits);
        assert_eq!(
            answer,
            Err(AskError::Stopped),
            "the request ended by its timeout"
        );
    }
}

#[test]
fn endless_response_times_out() {
    let silent = FakeServer::new(|_, stream| {
        let _ = stream.read(&mut [0]);
    });
    let halting = FakeServer::new(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
        let _ = stream.read(&mut [0]);
    });
    let dripping = FakeServer::new(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
        while stream.write_all(b"x").is_ok() {
            thread::sleep(Duration::from_millis(5));
        }
    });
    for server in [silent, halting, dripping] {
        let begun = Instant::now();
        assert_eq!(
            get(&client(&[&server]), server.url()),
            Err(AskError::Timeout)
        );
        assert!(
            begun.elapsed() < Duration::from_secs(20),
            "the request did not time out"
        );
    }
}

#[test]
fn truncated_or_malformed_response_is_an_error() {
    for text in [
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "SSH-2.0-OpenSSH_9.6\r\n",
        "",
    ] {
        let server = FakeServer::sending(text);
        let error = get(&client(&[&server]), server.url()).expect_err(text);
        let is_right = matches!(error, AskError::Network(_) | AskError::Malformed(_));
        assert!(is_right, "{text:?}: {error:?}");
    }
    let gone = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", gone.local_addr().expect("an address"));
    drop(gone);
    let client = Client::new(FAST, vec![url.clone()], Clock::system());
    assert!(matches!(get(&client, url), Err(AskError::Network(_))));
}

#[test]
fn huge_body_or_head_is_refused() {
    let endless = FakeServer::new(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        while stream.write_all(&[b'x'; 4096]).is_ok() {}
    });
    assert_eq!(
        get(&client(&[&endless]), endless.url()),
        Err(AskError::TooLarge)
    );
    let talkative = FakeServer::new(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n");
        while stream
            .write_all(b"X-Filler: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\n")
            .is_ok()
        {}
    });
    let error = get(&client(&[&talkative]), talkative.url()).expect_err("too much");
    let is_right = matches!(error, AskError::TooLarge | AskError::Malformed(_));
    assert!(is_right, "{error:?}");
}

#[test]
fn gzip_body_is_decompressed_within_the_limit() {
    let gzip = |bytes: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).expect("memory");
        let body = encoder.finish().expect("memory");
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ";
        [format!("{head}{}\r\n\r\n", body.len()).as_bytes(), &body].concat()
    };
    let server = FakeServer::sending(gzip(b"abc"));
    let response = get(&client(&[&server]), server.url()).expect("a response");
    assert_eq!(response.body, b"abc");

    let bomb = gzip(&vec![0; 10 << 20]);
    assert!(bomb.len() < 16 << 10);
    let server = FakeServer::sending(bomb);
    let error = get(&client(&[&server]), server.url()).expect_err("a bomb");
    assert_eq!(error, AskError::TooLarge);
}

#[test]
fn declared_length_beyond_the_limit_is_refused() {
    let server = FakeServer::sending("HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\n");
    let error = get(&client(&[&server]), server.url()).expect_err("too large");
    assert_eq!(error, AskError::TooLarge);
}

#[test]
fn damaged_or_unknown_encoding_is_malformed() {
    for (encoding, body) in [("gzip", "not zipped at all"), ("br", "abc")] {
        let server = FakeServer::sending(format!(
            "HTTP/1.1 200 OK\r\nContent-Encoding: {encoding}\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        ));
        let error = get(&client(&[&server]), server.url()).expect_err(encoding);
        assert!(
            matches!(error, AskError::Malformed(_)),
            "{encoding}: {error:?}"
        );
    }
}

#[test]
fn configured_name_may_resolve_to_a_private_address() {
    let server = FakeServer::sending("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    let url = format!("http://localhost:{}", server.address.port());
    let client = Client::new(FAST, vec![url.clone()], Clock::system());
    assert!(get(&client, url).is_ok());
}

#[test]
fn https_without_tls_is_an_error() {
    let server = FakeServer::sending("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    let url = server.url().replace("http:", "https:");
    let client = Client {
        time: Duration::from_secs(2),
        ..Client::new(FAST, vec![url.clone()], Clock::system())
    };
    let error = get(&client, url).expect_err("no certificate");
    let is_right = matches!(error, AskError::Network(_) | AskError::Timeout);
    assert!(is_right, "{error:?}");
}

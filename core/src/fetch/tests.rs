//! The client against servers that behave in every bad way.

mod tls;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::errand::{MAX_REDIRECTS, MAX_RETRY_AFTER};
use super::*;

/// A server that gives every connection to a function.
struct Stranger {
    address: SocketAddr,
    asked: Arc<AtomicUsize>,
}

impl Stranger {
    fn new(answer: impl Fn(&str, &mut TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let asked = Arc::new(AtomicUsize::new(0));
        let count = asked.clone();
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
        Self { address, asked }
    }

    fn saying(text: impl Into<Vec<u8>>) -> Self {
        let text = text.into();
        Self::new(move |_, stream| {
            // The other side may have gone.
            let _ = stream.write_all(&text);
        })
    }

    fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

const FAST: Pace = Pace { per_second: 1e6 };

fn client(configured: &[&Stranger]) -> Client {
    let configured = configured.iter().map(|server| server.url()).collect();
    Client {
        time: Duration::from_secs(2),
        ..Client::new(FAST, configured, Clock::system())
    }
}

fn bounds() -> Bounds<'static> {
    Bounds {
        body: 1 << 20,
        patience: Duration::from_secs(5),
        is_awaited: false,
        is_stopped: &|| false,
    }
}

fn get(client: &Client, url: impl Into<String>) -> Result<Response, AskError> {
    client.send(&Request::get(url), &bounds())
}

#[test]
fn an_answer_is_read_and_the_client_says_who_it_is() {
    let server = Stranger::new(|head, stream| {
        let who = concat!("user-agent: Ledge/", env!("CARGO_PKG_VERSION"), " (");
        let is_polite = head.contains(who);
        let has_key = head.contains("x-key: 1");
        let body = format!("{is_polite} {has_key}");
        let text = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: Application/JSON; charset=utf-8\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(text.as_bytes()).expect("a connection");
    });
    let request = Request::get(server.url()).header("X-Key", "1");
    let answer = client(&[&server])
        .send(&request, &bounds())
        .expect("an answer");
    assert_eq!(answer.body, b"true true");
    assert_eq!(answer.content_type, "application/json");
}

#[test]
fn a_private_address_is_not_even_connected_to() {
    let server = Stranger::saying("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    let port = server.address.port();
    let other = Stranger::saying("");
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
    assert_eq!(server.asked(), 0);
}

#[test]
fn only_the_very_scheme_host_and_port_may_be_private() {
    let server = Stranger::saying("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
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
    assert_eq!(server.asked(), 1);
}

#[test]
fn a_redirect_to_a_private_address_is_not_followed() {
    let secret = Stranger::saying("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno");
    for location in [
        secret.url(),
        secret.url().replace("http:", ""),
        secret.url().replace("127.0.0.1", "localhost"),
        "file:///etc/passwd".to_owned(),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
    ] {
        let text =
            format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n");
        let server = Stranger::saying(text);
        let error = get(&client(&[&server]), server.url()).expect_err(&location);
        let is_right = matches!(error, AskError::Refused(_) | AskError::Malformed(_));
        assert!(is_right, "{location}: {error:?}");
    }
    assert_eq!(secret.asked(), 0);
}

#[test]
fn redirects_come_to_an_end_and_keep_what_is_the_hosts_own() {
    // Every connection ends with its answer: one that is used again may break on the way.
    let circle = Stranger::saying(
        "HTTP/1.1 301 Moved\r\nLocation: /\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
    );
    let error = get(&client(&[&circle]), circle.url()).expect_err("a circle");
    assert!(matches!(error, AskError::Refused(_)), "{error:?}");
    assert!(circle.asked() <= MAX_REDIRECTS + 1);

    let other = Stranger::new(|head, stream| {
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
    let first = Stranger::new(move |_, stream| {
        let _ = write!(
            stream,
            "HTTP/1.1 307 Elsewhere\r\nLocation: {location}\r\nConnection: close\r\n\
             Content-Length: 0\r\n\r\n"
        );
    });
    let client = client(&[&first, &other]);
    let request = Request::get(first.url()).header("X-Key", "secret");
    let answer = client.send(&request, &bounds()).expect("an answer");
    assert_eq!(answer.body, b"kept");
    let sent = Request::post(first.url(), "text/plain", "secret");
    assert!(matches!(
        client.send(&sent, &bounds()),
        Err(AskError::Refused(_))
    ));
}

#[test]
fn a_status_is_no_answer_and_may_say_when_to_come_back() {
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
        let server = Stranger::saying(format!("HTTP/1.1 {head}\r\nContent-Length: 0\r\n\r\n"));
        let error = get(&client(&[&server]), server.url()).expect_err(head);
        let retry_after = seconds.map(Duration::from_secs);
        assert_eq!(error, AskError::Status { code, retry_after }, "{head}");
    }
}

#[test]
fn who_wants_to_be_left_alone_for_long_is_not_asked_again() {
    let server =
        Stranger::saying("HTTP/1.1 429 Later\r\nRetry-After: 3600\r\nContent-Length: 0\r\n\r\n");
    let client = client(&[&server]);
    for _ in 0..3 {
        let error = get(&client, server.url()).expect_err("later");
        let rest = error.retry_after().expect("a time");
        assert!(rest > Duration::from_mins(59), "{error:?}");
    }
    assert_eq!(server.asked(), 1);
}

#[test]
fn whoever_stops_the_work_does_not_wait_for_an_answer() {
    let silent = Stranger::new(|_, stream| {
        let _ = stream.read(&mut [0]);
    });
    let dripping = Stranger::new(|_, stream| {
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
        let bounds = Bounds {
            is_stopped: &|| server.asked() > 0,
            ..bounds()
        };
        let answer = client.send(&Request::get(server.url()), &bounds);
        assert_eq!(answer, Err(AskError::Stopped), "its time was not over");
    }
}

#[test]
fn an_answer_that_never_ends_is_given_up() {
    let silent = Stranger::new(|_, stream| {
        let _ = stream.read(&mut [0]);
    });
    let halting = Stranger::new(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
        let _ = stream.read(&mut [0]);
    });
    let dripping = Stranger::new(|_, stream| {
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
        assert!(begun.elapsed() < Duration::from_secs(20), "given up at all");
    }
}

#[test]
fn an_answer_that_is_cut_short_or_no_http_is_an_error() {
    for text in [
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "SSH-2.0-OpenSSH_9.6\r\n",
        "",
    ] {
        let server = Stranger::saying(text);
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
fn a_huge_body_or_head_is_refused_before_it_is_held() {
    let endless = Stranger::new(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        while stream.write_all(&[b'x'; 4096]).is_ok() {}
    });
    assert_eq!(
        get(&client(&[&endless]), endless.url()),
        Err(AskError::TooLarge)
    );
    let talkative = Stranger::new(|_, stream| {
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
fn who_shows_no_certificate_is_not_believed() {
    let server = Stranger::saying("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    let url = server.url().replace("http:", "https:");
    let client = Client {
        time: Duration::from_secs(2),
        ..Client::new(FAST, vec![url.clone()], Clock::system())
    };
    let error = get(&client, url).expect_err("no certificate");
    let is_right = matches!(error, AskError::Network(_) | AskError::Timeout);
    assert!(is_right, "{error:?}");
}

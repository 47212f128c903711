//! Floods of logins: they are slowed down, and other users can sign in.

use std::io::{ErrorKind, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use ledge_tests::server::{PASSWORD, program, until};
use ledge_tests::{Answer, Server};
use serde_json::{Value, json};

/// Starts a server that trusts the address in the clients' header, as behind a proxy.
fn server() -> Server {
    let settings = [("LEDGE_TRUSTED_PROXIES", "127.0.0.1/32")];
    Server::with(&program("ledge"), &settings)
}

fn login(server: &Server, client: &str, username: &str, password: &str) -> Answer {
    let body = json!({"username": username, "password": password}).to_string();
    let headers = [
        ("Content-Type", "application/json"),
        ("X-Forwarded-For", client),
    ];
    let body = Some(body.as_bytes());
    server.client().send("POST", "/auth/login", &headers, body)
}

/// A login of a flood: client, username and password.
type Login = (String, String, &'static str);

/// Sends a login without waiting for its response.
fn send_login(port: u16, (client, username, password): &Login) -> TcpStream {
    let body = json!({"username": username, "password": password}).to_string();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    write!(
        stream,
        "POST /api/v1/auth/login HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: {client}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .expect("a request");
    stream.set_nonblocking(true).expect("a mode");
    stream
}

/// Returns the status of the response, if it has arrived.
fn status(stream: &TcpStream) -> Option<u16> {
    let mut head = [0; 12];
    match stream.peek(&mut head) {
        Ok(12) => {
            let head = String::from_utf8_lossy(&head).into_owned();
            let status = head.strip_prefix("HTTP/1.1 ").expect("a response");
            Some(status.parse().expect("a status"))
        }
        Ok(_) => None,
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::WouldBlock);
            None
        }
    }
}

/// A flood of logins until it is dropped. Each answered login is replaced by the next one.
struct Flood {
    is_over: Arc<AtomicBool>,
    statuses: Arc<Mutex<Vec<u16>>>,
    thread: Option<JoinHandle<()>>,
}

impl Flood {
    /// Starts a flood with this number of simultaneous logins.
    fn start(server: &Server, size: usize, login: fn(usize) -> Login) -> Self {
        let port = server.port();
        let is_over = Arc::new(AtomicBool::new(false));
        let statuses = Arc::new(Mutex::new(Vec::new()));
        let (stop, answered) = (is_over.clone(), statuses.clone());
        let run = move || {
            let mut logins = (0..).map(login);
            let mut send = || send_login(port, &logins.next().expect("an endless sequence"));
            let mut streams: Vec<TcpStream> = (0..size).map(|_| send()).collect();
            while !stop.load(Ordering::Relaxed) {
                for stream in &mut streams {
                    if let Some(status) = status(stream) {
                        answered.lock().expect("no panic").push(status);
                        *stream = send();
                    }
                }
                std::thread::park_timeout(Duration::from_millis(2));
            }
        };
        let thread = Some(std::thread::spawn(run));
        Self {
            is_over,
            statuses,
            thread,
        }
    }

    /// Returns the number of responses with this status so far.
    fn count(&self, status: u16) -> usize {
        let statuses = self.statuses.lock().expect("no panic");
        statuses.iter().filter(|other| **other == status).count()
    }

    /// Waits for this number of responses with this status.
    fn wait_for(&self, status: u16, count: usize) {
        until("the responses to the flood", || {
            (self.count(status) >= count).then_some(())
        });
    }
}

impl Drop for Flood {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(
                std::thread::panicking() || ended.is_ok(),
                "the flood failed"
            );
        }
    }
}

#[test]
fn many_usernames_from_one_address_are_slowed_down() {
    let server = server();
    login(&server, "203.0.113.7", "admin", PASSWORD).expect(200);
    let refused = (0..300).find_map(|n| {
        let answer = login(&server, "203.0.113.7", &format!("invented-{n}"), PASSWORD);
        (answer.status != 401).then_some((n, answer))
    });
    let (failures, refused) = refused.expect("a limit");
    assert!((50..=200).contains(&failures), "{failures}");
    let refused = refused.expect(429);
    let wait: u64 = refused.header("retry-after").parse().expect("seconds");
    assert!((1..=60).contains(&wait), "{wait}");
    // Neither other clients nor users who signed in from there before have to wait.
    login(&server, "203.0.113.8", "admin", PASSWORD).expect(200);
    login(&server, "203.0.113.7", "admin", PASSWORD).expect(200);
    login(&server, "203.0.113.7", "another", PASSWORD).expect(429);
}

#[test]
fn flood_of_one_address_does_not_delay_another() {
    const LOGINS: usize = 250;
    let server = server();
    let login_of = |n| ("203.0.113.7".to_owned(), format!("invented-{n}"), PASSWORD);
    let floods: Vec<TcpStream> = (0..LOGINS)
        .map(|n| send_login(server.port(), &login_of(n)))
        .collect();
    let answer = login(&server, "203.0.113.8", "admin", PASSWORD).expect(200);
    let token = answer.json()["token"].clone();
    let client = server.client().with_token(token.as_str().expect("a token"));
    let change = json!({"current_password": PASSWORD, "new_password": PASSWORD});
    client.put("/auth/password", &change).expect(204);
    let user = json!({"username": "mia", "password": PASSWORD});
    client.post("/users", &user).expect(201);
    // The limit of wrong passwords, and the hashes in progress when it is reached.
    let count = |expected| {
        let statuses = floods.iter().filter_map(status);
        statuses.filter(|status| *status == expected).count()
    };
    until("all responses", || {
        (count(401) + count(429) == LOGINS).then_some(())
    });
    assert!(count(401) <= 110, "{} were hashed", count(401));
}

#[test]
fn flood_of_many_addresses_does_not_delay_users_who_signed_in_before() {
    let server = server();
    login(&server, "198.51.100.1", "admin", PASSWORD).expect(200);
    let flood = Flood::start(&server, 900, |n| {
        let client = format!("203.0.{}.{}", n % 3, n / 3 % 250);
        (client, format!("invented-{n}"), PASSWORD)
    });
    // The queue is full.
    flood.wait_for(503, 1);
    for _ in 0..5 {
        let answer = login(&server, "198.51.100.1", "admin", PASSWORD).expect(200);
        assert_ne!(answer.json()["token"], Value::Null);
    }
}

#[test]
fn user_with_endless_logins_does_not_delay_others_and_reaches_a_limit() {
    let server = server();
    let admin = server.admin();
    for username in ["eve", "bob"] {
        let user = json!({"username": username, "password": PASSWORD});
        admin.post("/users", &user).expect(201);
    }
    let token = login(&server, "203.0.113.7", "eve", PASSWORD).expect(200);
    let token = token.json()["token"].as_str().expect("a token").to_owned();
    let flood = Flood::start(&server, 32, |_| {
        ("203.0.113.7".to_owned(), "eve".to_owned(), PASSWORD)
    });
    flood.wait_for(200, 30);
    login(&server, "203.0.113.8", "bob", PASSWORD).expect(200);
    assert_eq!(
        flood.count(429),
        0,
        "the flood has not reached its limit before"
    );

    flood.wait_for(429, 1);
    login(&server, "203.0.113.8", "eve", PASSWORD).expect(200);
    let change = json!({"current_password": PASSWORD, "new_password": PASSWORD}).to_string();
    let authorization = format!("Bearer {token}");
    let headers = [
        ("Content-Type", "application/json"),
        ("X-Forwarded-For", "203.0.113.7"),
        ("Authorization", &authorization),
    ];
    let change = || {
        let body = Some(change.as_bytes());
        server
            .client()
            .send("PUT", "/auth/password", &headers, body)
    };
    until("the limit of password changes", || {
        let answer = change();
        assert!([204, 429].contains(&answer.status), "{answer:?}");
        (answer.status == 429 && answer.header("retry-after") == "1").then_some(())
    });
}

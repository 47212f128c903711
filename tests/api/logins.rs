//! Floods of logins: they are slowed down, and others sign in meanwhile.

use std::io::{ErrorKind, Write as _};
use std::net::TcpStream;

use ledge_tests::server::{PASSWORD, program};
use ledge_tests::{Answer, Server};
use serde_json::{Value, json};

/// A server whose clients name their address, as a trusted proxy does.
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

/// Sends logins with invented names at once, and waits for no response.
fn flood(server: &Server, clients: impl Iterator<Item = String>) -> Vec<TcpStream> {
    let send = |(n, client)| {
        let body = json!({"username": format!("invented-{n}"), "password": PASSWORD}).to_string();
        let mut stream = TcpStream::connect(("127.0.0.1", server.port())).expect("a connection");
        write!(
            stream,
            "POST /api/v1/auth/login HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: {client}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .expect("a request");
        stream
    };
    clients.enumerate().map(send).collect()
}

/// How many of these requests were answered with this status.
fn answered(streams: &[TcpStream], status: u16) -> usize {
    let expected = format!("HTTP/1.1 {status}");
    let is_answered = |stream: &&TcpStream| {
        stream.set_nonblocking(true).expect("a mode");
        let mut head = [0; 12];
        match stream.peek(&mut head) {
            Ok(_) => head == expected.as_bytes(),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::WouldBlock);
                false
            }
        }
    };
    streams.iter().filter(is_answered).count()
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
    // Neither others nor those who have signed in from there before have to wait.
    login(&server, "203.0.113.8", "admin", PASSWORD).expect(200);
    login(&server, "203.0.113.7", "admin", PASSWORD).expect(200);
    login(&server, "203.0.113.7", "another", PASSWORD).expect(429);
}

#[test]
fn flood_of_one_address_does_not_delay_another() {
    let server = server();
    let floods = flood(&server, (0..250).map(|_| "203.0.113.7".to_owned()));
    let answer = login(&server, "203.0.113.8", "admin", PASSWORD);
    let before = answered(&floods, 401);
    assert_eq!(answer.status, 200, "{answer:?}");
    // Those whose turn it was already, and the next one.
    assert!(before <= 20, "{before} were answered before");
    assert!(answered(&floods, 429) > 100, "a lane is full");
    let token = answer.json()["token"].clone();
    let client = server.client().with_token(token.as_str().expect("a token"));
    let change = json!({"current_password": PASSWORD, "new_password": PASSWORD});
    client.put("/auth/password", &change).expect(204);
    let user = json!({"username": "mia", "password": PASSWORD});
    client.post("/users", &user).expect(201);
    assert!(answered(&floods, 401) <= 60, "they are hashed before");
}

#[test]
fn flood_of_many_addresses_does_not_delay_those_who_signed_in_before() {
    let server = server();
    login(&server, "198.51.100.1", "admin", PASSWORD).expect(200);
    let clients = (0..900).map(|n| format!("203.0.{}.{}", n % 3, n / 3 % 250));
    let floods = flood(&server, clients);
    let answer = login(&server, "198.51.100.1", "admin", PASSWORD);
    let before = answered(&floods, 401);
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_ne!(answer.json()["token"], Value::Null);
    assert!(before <= 200, "{before} were answered before");
}

//! Floods of connections and of slow requests: they end, and other clients are served.

use std::fs;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddrV4, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

use ledge_tests::server::{PASSWORD, program, scanned_library, until};
use ledge_tests::{Client, Server};
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, connect, socket_with};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;
use tempfile::TempDir;

/// Beginning of a login whose body never arrives.
const UNFINISHED: &str = "POST /api/v1/auth/login HTTP/1.1\r\nHost: localhost\r\n\
    Content-Type: application/json\r\nContent-Length: 60000\r\n";

/// Connects from the loopback address `127.0.0.LAST`.
fn connect_from(server: &Server, last: u8) -> TcpStream {
    // Servers that other tests start must not inherit it.
    let flags = SocketFlags::CLOEXEC;
    let stream = socket_with(AddressFamily::INET, SocketType::STREAM, flags, None);
    let stream = stream.expect("a socket");
    let from = SocketAddrV4::new(Ipv4Addr::new(127, 0, 0, last), 0);
    bind(&stream, &from).expect("an address");
    let to = SocketAddrV4::new(Ipv4Addr::LOCALHOST, server.port());
    connect(&stream, &to).expect("a connection");
    TcpStream::from(stream)
}

/// Raises the limit of open files to the system's maximum.
fn raise_file_limit() {
    let maximum = getrlimit(Resource::Nofile).maximum;
    let limit = Rlimit {
        current: maximum,
        maximum,
    };
    setrlimit(Resource::Nofile, limit).expect("a limit");
}

/// Opens connections that each send an incomplete login with one more header.
fn flood(server: &Server, last: u8, count: usize, header: &str) -> Vec<TcpStream> {
    let one = |_| {
        let mut stream = connect_from(server, last);
        // The server may have closed the connection already.
        let _ = stream.write_all(format!("{UNFINISHED}{header}\r\nhalf").as_bytes());
        stream
    };
    (0..count).map(one).collect()
}

/// Returns `true` if the server has not closed the connection.
fn is_open(stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).expect("a mode");
    let peeked = stream.peek(&mut [0]);
    matches!(peeked, Err(error) if error.kind() == ErrorKind::WouldBlock)
}

fn open(streams: &[TcpStream]) -> usize {
    streams.iter().filter(|stream| is_open(stream)).count()
}

/// Returns the status line of `GET /healthz` on a new connection.
fn health(server: &Server, last: u8) -> String {
    let mut stream = connect_from(server, last);
    let request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer.lines().next().unwrap_or_default().to_owned()
}

/// Returns the server's resident memory in kilobytes.
fn resident(server: &Server) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", server.pid()));
    let status = status.expect("a status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok());
    kilobytes.expect("a size")
}

#[test]
fn flood_without_sessions_leaves_health_check_and_users_answered() {
    raise_file_limit();
    let server = Server::start();
    let admin = server.admin();
    let events = admin.events();
    let before = resident(&server);
    // More connections than the server's limit, from many addresses.
    let floods: Vec<TcpStream> = (10..32)
        .flat_map(|last| flood(&server, last, 200, ""))
        .collect();
    assert_eq!(health(&server, 1), "HTTP/1.1 200 OK");
    admin.get("/items").expect(200);
    server.admin().get("/auth/me").expect(200);
    let kept = open(&floods);
    assert!(kept <= 4096, "{kept} of {}", floods.len());
    // The existing stream still receives events.
    let media = server.folder().join("media");
    fs::create_dir(&media).expect("a folder");
    scanned_library(&admin, "Media", &media);
    events.until(|name, data| name == "scan" && data["status"] == "done");
    until("the unfinished requests end", || {
        (open(&floods) == 0).then_some(())
    });
    assert_eq!(health(&server, 1), "HTTP/1.1 200 OK");
    let grown = || resident(&server).saturating_sub(before);
    until("the memory is returned", || {
        (grown() < 24 << 10).then_some(())
    });
}

#[test]
fn one_address_does_not_use_up_its_own_health_check() {
    raise_file_limit();
    let server = Server::start();
    let admin = server.admin();
    let floods = flood(&server, 9, 1_400, "");
    assert_eq!(health(&server, 9), "HTTP/1.1 200 OK");
    assert_eq!(health(&server, 1), "HTTP/1.1 200 OK");
    admin.get("/items").expect(200);
    let kept = open(&floods);
    assert!(kept <= 1_024, "{kept}");
    // The newest ones stay, because their requests may still complete in time.
    assert!(is_open(floods.last().expect("a connection")));
}

/// Sends a byte from time to time after this beginning. Returns the time until the server closes
/// the connection.
fn ended_after(server: &Server, beginning: &str) -> Duration {
    let mut stream = connect_from(server, 1);
    stream.write_all(beginning.as_bytes()).expect("a beginning");
    let pause = Duration::from_millis(500);
    stream.set_read_timeout(Some(pause)).expect("a limit");
    let start = Instant::now();
    while start.elapsed() < Duration::from_mins(2) {
        if stream.write_all(b"x").is_err() {
            return start.elapsed();
        }
        match stream.read(&mut [0; 4096]) {
            Ok(1..) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Ok(0) | Err(_) => return start.elapsed(),
        }
    }
    panic!("a slow request never ended")
}

#[test]
fn slow_requests_end_after_ten_seconds_and_slow_readers_do_not() {
    const SIZE: usize = 32 << 20;
    let server = Server::start();
    let media = server.folder().join("media");
    fs::create_dir(&media).expect("a folder");
    fs::write(media.join("Long.txt"), vec![b'x'; SIZE]).expect("a file");
    let admin = server.admin();
    scanned_library(&admin, "Media", &media);
    let card = admin.get("/items").expect(200).json()["items"][0].clone();
    let item = admin.get(&format!("/items/{}", card["id"])).expect(200);
    let file = item.json()["files"][0]["id"].clone();
    let signed_in = format!(
        "Host: localhost\r\nAuthorization: Bearer {}\r\n",
        admin.token().expect("a token")
    );
    let mut reader = connect_from(&server, 1);
    write!(
        reader,
        "GET /api/v1/files/{file}/content HTTP/1.1\r\n{signed_in}\r\n"
    )
    .expect("a head");
    let head = "GET /api/v1/version HTTP/1.1\r\nX-Slow: ".to_owned();
    let login = format!("{UNFINISHED}\r\n");
    let upload = format!(
        "PUT /api/v1/auth/password HTTP/1.1\r\n{signed_in}Content-Type: application/json\r\n\
         Content-Length: 60000\r\n\r\n"
    );
    std::thread::scope(|scope| {
        for beginning in [head, login, upload] {
            let server = &server;
            scope.spawn(move || {
                let time = ended_after(server, &beginning);
                let expected = Duration::from_secs(9)..Duration::from_secs(25);
                assert!(expected.contains(&time), "{time:?} for {beginning}");
            });
        }
    });
    // The client has read nothing since the connections were opened.
    let mut answer = Vec::new();
    let mut part = vec![0; 1 << 20];
    while answer.len() < SIZE {
        match reader.read(&mut part).expect("bytes") {
            0 => break,
            count => answer.extend_from_slice(&part[..count]),
        }
    }
    assert!(answer.starts_with(b"HTTP/1.1 200"));
    assert!(answer.len() > SIZE, "{}", answer.len());
}

#[test]
fn client_behind_proxy_has_separate_limit() {
    let settings = [("LEDGE_TRUSTED_PROXIES", "127.0.0.1/32")];
    let server = Server::with(&program("ledge"), &settings);
    let floods = flood(&server, 1, 300, "X-Forwarded-For: 203.0.113.7\r\n");
    let status = |path: &str, client: &str| {
        let headers = [("X-Forwarded-For", client)];
        server.client().send("GET", path, &headers, None).status
    };
    until("the client is refused", || {
        (status("/version", "203.0.113.7") == 429).then_some(())
    });
    assert_eq!(status("/version", "203.0.113.8"), 200);
    assert_eq!(status("//healthz", "203.0.113.7"), 200);
    // The header of an untrusted client is ignored.
    let mut stranger = connect_from(&server, 2);
    let request = "GET /api/v1/version HTTP/1.1\r\nHost: localhost\r\n\
        X-Forwarded-For: 203.0.113.7\r\nConnection: close\r\n\r\n";
    stranger.write_all(request.as_bytes()).expect("a request");
    let mut answer = String::new();
    stranger.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    drop(floods);
    until("its requests have ended", || {
        (status("/version", "203.0.113.7") == 200).then_some(())
    });
}

/// Starts a server that may open 1,024 files. It has 512 connections, and a client 128 of these.
fn small_server(settings: &[(&str, &str)]) -> (TempDir, Server) {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("program");
    let text = format!(
        "#!/bin/sh\nulimit -n 1024\nexec '{}' \"$@\"\n",
        program("ledge").display()
    );
    fs::write(&script, text).expect("a script");
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(&script, executable).expect("an executable");
    let server = Server::with(&script, settings);
    (folder, server)
}

/// Sends a request on a new connection, which stays open. Returns the status of its response, of
/// which it reads no more.
fn get(server: &Server, last: u8, path: &str, headers: &str) -> (TcpStream, u16) {
    let mut stream = connect_from(server, last);
    let limit = Some(Duration::from_mins(1));
    stream.set_read_timeout(limit).expect("a limit");
    let head = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n");
    stream.write_all(head.as_bytes()).expect("a request");
    let mut line = [0; 12];
    stream.read_exact(&mut line).expect("a response");
    let line = String::from_utf8_lossy(&line).into_owned();
    let status = line.strip_prefix("HTTP/1.1 ").expect("a response");
    (stream, status.parse().expect("a status"))
}

fn authorization(client: &Client) -> String {
    let token = client.token().expect("a token");
    format!("Authorization: Bearer {token}\r\n")
}

/// Returns whether the server has closed a connection of which everything is read.
fn has_ended(stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).expect("a mode");
    match stream.peek(&mut [0]) {
        Ok(count) => count == 0,
        Err(error) => error.kind() != ErrorKind::WouldBlock,
    }
}

#[test]
fn streams_behind_a_proxy_have_a_limit_per_client_and_per_user() {
    const LIMIT: usize = 128;
    const SIZE: usize = 32 << 20;
    let (_folder, server) = small_server(&[("LEDGE_TRUSTED_PROXIES", "127.0.0.1/32")]);
    let media = server.folder().join("media");
    fs::create_dir(&media).expect("a folder");
    fs::write(media.join("Long.txt"), vec![b'x'; SIZE]).expect("a file");
    let admin = server.admin();
    let (_, mia) = server.user(&admin, "mia");
    scanned_library(&admin, "Media", &media);
    let card = admin.get("/items").expect(200).json()["items"][0].clone();
    let item = admin.get(&format!("/items/{}", card["id"])).expect(200);
    let content = format!("/api/v1/files/{}/content", item.json()["files"][0]["id"]);

    let status = |user: &Client, path: &str, client: &str| {
        let headers = format!("{}X-Forwarded-For: {client}\r\n", authorization(user));
        get(&server, 1, path, &headers)
    };
    let streams: Vec<(TcpStream, u16)> = (0..LIMIT + 30)
        .map(|_| status(&admin, &content, "203.0.113.7"))
        .collect();
    let count = |expected| {
        let statuses = streams.iter().map(|(_, status)| *status);
        statuses.filter(|status| *status == expected).count()
    };
    assert_eq!((count(200), count(429)), (LIMIT, 30));
    let me = "/api/v1/auth/me";
    assert_eq!(status(&mia, me, "203.0.113.7").1, 429, "the client's limit");
    assert_eq!(status(&admin, me, "203.0.113.8").1, 429, "the user's limit");
    assert_eq!(status(&mia, me, "203.0.113.8").1, 200);
    assert_eq!(status(&mia, "/healthz", "203.0.113.7").1, 200);
    drop(streams);
    until("the streams have ended", || {
        let statuses = [(&mia, "203.0.113.7"), (&admin, "203.0.113.8")];
        let statuses = statuses.map(|(user, client)| status(user, me, client).1);
        (statuses == [200, 200]).then_some(())
    });
}

#[test]
fn user_with_many_addresses_leaves_health_check_and_other_users_answered() {
    raise_file_limit();
    let (_folder, server) = small_server(&[]);
    let admin = server.admin();
    let (_, mia) = server.user(&admin, "mia");
    let (eve, mia) = (authorization(&admin), authorization(&mia));
    let me = "/api/v1/auth/me";
    let (mut stream, status) = get(&server, 2, "/api/v1/events", &mia);
    assert_eq!(status, 200);
    // More than the server has connections for, all of them from one user.
    let flood: Vec<(TcpStream, u16)> = (10..16)
        .flat_map(|last| (0..100).map(move |_| last))
        .map(|last| get(&server, last, me, &eve))
        .collect();
    assert!(flood.iter().all(|(_, status)| *status == 200));
    assert_eq!(health(&server, 1), "HTTP/1.1 200 OK");
    assert_eq!(get(&server, 3, me, &mia).1, 200);
    stream.set_nonblocking(true).expect("a mode");
    let mut rest = Vec::new();
    // An error: everything is read, and the stream has not ended.
    let _ = stream.read_to_end(&mut rest);
    assert!(!has_ended(&stream), "the stream of another user goes on");
    assert!(flood.len() > 512);
}

#[test]
fn body_without_a_session_has_at_most_64_kib() {
    let server = Server::start();
    let login = |size: usize| {
        let mut body = json!({"username": "admin", "password": PASSWORD}).to_string();
        body.push_str(&" ".repeat(size - body.len()));
        let headers = [("Content-Type", "application/json")];
        let client = server.client();
        client.send("POST", "/auth/login", &headers, Some(body.as_bytes()))
    };
    login(64 << 10).expect(200);
    let refused = login((64 << 10) + 1).expect(413);
    assert_eq!(refused.code(), "payload_too_large");
    login(8 << 20).expect(413);
}

//! Floods of connections and of slow requests: they end, and others are answered meanwhile.

use std::fs;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddrV4, TcpStream};
use std::time::{Duration, Instant};

use ledge_tests::Server;
use ledge_tests::server::{PASSWORD, program, scanned_library, until};
use rustix::net::{AddressFamily, SocketType, bind, connect, socket};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;

/// The beginning of a login whose body does not come.
const UNFINISHED: &str = "POST /api/v1/auth/login HTTP/1.1\r\nHost: localhost\r\n\
    Content-Type: application/json\r\nContent-Length: 60000\r\n";

/// A connection from an address of the loopback network, `127.0.0.LAST`.
fn connect_from(server: &Server, last: u8) -> TcpStream {
    let stream = socket(AddressFamily::INET, SocketType::STREAM, None).expect("a socket");
    let from = SocketAddrV4::new(Ipv4Addr::new(127, 0, 0, last), 0);
    bind(&stream, &from).expect("an address");
    let to = SocketAddrV4::new(Ipv4Addr::LOCALHOST, server.port());
    connect(&stream, &to).expect("a connection");
    TcpStream::from(stream)
}

/// Allows as many open connections as the system does.
fn raise_file_limit() {
    let maximum = getrlimit(Resource::Nofile).maximum;
    let limit = Rlimit {
        current: maximum,
        maximum,
    };
    setrlimit(Resource::Nofile, limit).expect("a limit");
}

/// Opens connections that begin a login each, with one more header, and do not go on.
fn flood(server: &Server, last: u8, count: usize, header: &str) -> Vec<TcpStream> {
    let one = |_| {
        let mut stream = connect_from(server, last);
        // The server may have closed it already.
        let _ = stream.write_all(format!("{UNFINISHED}{header}\r\nhalf").as_bytes());
        stream
    };
    (0..count).map(one).collect()
}

/// Whether the server has not closed a connection.
fn is_open(stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).expect("a mode");
    let peeked = stream.peek(&mut [0]);
    matches!(peeked, Err(error) if error.kind() == ErrorKind::WouldBlock)
}

fn open(streams: &[TcpStream]) -> usize {
    streams.iter().filter(|stream| is_open(stream)).count()
}

/// The first line of the response to `GET /healthz` on a new connection.
fn health(server: &Server, last: u8) -> String {
    let mut stream = connect_from(server, last);
    let request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer.lines().next().unwrap_or_default().to_owned()
}

/// Kilobytes of the server that are resident.
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
    // More than the server has connections for, from many addresses.
    let floods: Vec<TcpStream> = (10..32)
        .flat_map(|last| flood(&server, last, 200, ""))
        .collect();
    assert_eq!(health(&server, 1), "HTTP/1.1 200 OK");
    admin.get("/items").expect(200);
    server.admin().get("/auth/me").expect(200);
    let kept = open(&floods);
    assert!(kept <= 4096, "{kept} of {}", floods.len());
    // The stream that was open before still brings events.
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
    // The newest stay: those whose requests may still be complete in time.
    assert!(is_open(floods.last().expect("a connection")));
}

/// Sends a byte now and then after this beginning; returns when the server has ended it.
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
    // It has read nothing for as long as they were open.
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
fn client_behind_a_proxy_has_a_limit_of_its_own() {
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
    // Nobody is believed who is no trusted proxy.
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

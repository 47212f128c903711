//! Access log: the requests that are logged at each level.

use ledge_tests::Server;
use ledge_tests::server::{PASSWORD, program, until};
use serde_json::{Value, json};

/// Returns the lines of the access log, once one of them has this path and status.
fn lines(server: &Server, path: &str, status: u16) -> Vec<Value> {
    until("the request's line", || {
        let log = server.log();
        // The last line may be incomplete.
        let lines = log
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok());
        let is_access = |line: &Value| line["target"] == "ledge::access";
        let lines: Vec<Value> = lines.filter(is_access).collect();
        let is_wanted = |line: &Value| line["path"] == path && line["status"] == status;
        lines.iter().any(is_wanted).then_some(lines)
    })
}

/// Returns `true` if a request was so slow that it is logged at `info`. Any request can be slow on
/// a busy machine.
fn is_slow(line: &Value) -> bool {
    line["ms"].as_f64().expect("a time") > 1_000.0 && line["path"] != "/healthz"
}

/// Asserts that all lines of a path are at this level.
#[track_caller]
fn has_level(lines: &[Value], path: &str, level: &str) {
    let of_path: Vec<&Value> = lines.iter().filter(|line| line["path"] == path).collect();
    assert!(!of_path.is_empty(), "{path}");
    for line in of_path {
        assert!(line["level"] == level || is_slow(line), "{line}");
    }
}

/// Sends successful requests, usual refusals, and finally relevant failures.
fn ask(server: &Server) {
    let admin = server.admin();
    server.client().get("//healthz").expect(200);
    admin.get("/items").expect(200);
    admin.get("/items/98765").expect(404);
    server.client().get("/auth/me").expect(401);
    let login = json!({"username": "mia", "password": "wrong password"});
    for _ in 0..5 {
        server.client().post("/auth/login", &login).expect(401);
    }
    server.client().post("/auth/login", &login).expect(429);
}

#[test]
fn access_log_shows_wrong_passwords_and_not_every_request() {
    let settings = [("LEDGE_LOG_FORMAT", "json"), ("LEDGE_LOG", "info")];
    let server = Server::with(&program("ledge"), &settings);
    ask(&server);
    let lines = lines(&server, "/api/v1/auth/login", 429);
    let failed = lines
        .iter()
        .filter(|line| line["path"] == "/api/v1/auth/login");
    let statuses: Vec<u64> = failed.filter_map(|line| line["status"].as_u64()).collect();
    let statuses: Vec<u64> = statuses
        .into_iter()
        .filter(|status| *status >= 400)
        .collect();
    assert_eq!(statuses, [401, 401, 401, 401, 401, 429]);
    for line in &lines {
        let is_failure = line["path"] == "/api/v1/auth/login" && line["status"] != 200;
        assert!(is_failure || is_slow(line), "{line}");
        assert_eq!(line["client"], "127.0.0.1");
    }
}

#[test]
fn access_log_has_every_request_at_debug() {
    let settings = [
        ("LEDGE_LOG_FORMAT", "json"),
        ("LEDGE_LOG", "warn,ledge::access=debug"),
    ];
    let server = Server::with(&program("ledge"), &settings);
    ask(&server);
    let lines = lines(&server, "/api/v1/auth/login", 429);
    let (failed, good): (Vec<Value>, Vec<Value>) = lines
        .into_iter()
        .partition(|line| line["path"] == "/api/v1/auth/login" && line["status"] != 200);
    for path in [
        "/healthz",
        "/api/v1/auth/login",
        "/api/v1/items",
        "/api/v1/items/98765",
        "/api/v1/auth/me",
    ] {
        has_level(&good, path, "DEBUG");
    }
    assert_eq!(failed.len(), 6);
    has_level(&failed, "/api/v1/auth/login", "INFO");
}

#[test]
fn upload_of_a_slow_client_is_not_a_slow_request() {
    use std::io::{Read as _, Write as _};
    let settings = [
        ("LEDGE_LOG_FORMAT", "json"),
        ("LEDGE_LOG", "warn,ledge::access=debug"),
    ];
    let server = Server::with(&program("ledge"), &settings);
    let body = json!({"username": "admin", "password": PASSWORD}).to_string();
    let mut stream =
        std::net::TcpStream::connect(("127.0.0.1", server.port())).expect("a connection");
    write!(
        stream,
        "POST /api/v1/auth/login HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    )
    .expect("a head");
    // The client is slower than the limit for slow requests.
    std::thread::park_timeout(std::time::Duration::from_millis(1_500));
    stream.write_all(body.as_bytes()).expect("a body");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let lines = lines(&server, "/api/v1/auth/login", 200);
    let line = lines.last().expect("a line");
    let millis = line["ms"].as_f64().expect("a time");
    assert!(millis > 1_000.0, "{millis}");
    // Unless hashing the password was slow.
    assert!(line["level"] == "DEBUG" || millis > 2_400.0, "{line}");
}

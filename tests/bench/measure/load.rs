//! Many concurrent clients: the cost of a request while the server always has another one to
//! process. Over one connection, most of the time is spent on sleeping and waking.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use ledge_tests::Server;

use crate::measure::latency::Times;
use crate::measure::machine;

/// Number of concurrent connections.
pub(crate) const CLIENTS: usize = 32;

/// Cost of many requests.
pub(crate) struct Cost {
    /// CPU time of the server per request, in microseconds.
    pub(crate) cpu: f64,
    /// Durations of the requests.
    pub(crate) times: Times,
    /// Time from the first to the last request.
    pub(crate) wall: Duration,
}

/// Request to send: method, path below `/api/v1`, JSON body.
pub(crate) struct Request {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) body: String,
}

impl Request {
    /// Creates a `GET` request.
    pub(crate) fn get(path: String) -> Self {
        Self {
            method: "GET",
            path,
            body: String::new(),
        }
    }
}

/// Sends requests over `clients` connections, each after the previous response, while `more`
/// permits it.
pub(crate) fn of(
    server: &Server,
    token: &str,
    clients: usize,
    more: &(dyn Fn(usize) -> bool + Sync),
    request: impl Fn(usize) -> Request + Sync,
) -> Cost {
    of_process((server.pid(), server.port()), token, clients, more, request)
}

/// Like [`of`], for any process that listens on a port.
pub(crate) fn of_process(
    (pid, port): (u32, u16),
    token: &str,
    clients: usize,
    more: &(dyn Fn(usize) -> bool + Sync),
    request: impl Fn(usize) -> Request + Sync,
) -> Cost {
    let next = AtomicUsize::new(0);
    let mut times = Times::default();
    let before = machine::cpu(pid);
    let begin = Instant::now();
    std::thread::scope(|scope| {
        let work = || {
            let mut connection = Connection::open(port, token);
            let mut own = Vec::new();
            loop {
                let n = next.fetch_add(1, Ordering::Relaxed);
                if !more(n) {
                    return own;
                }
                own.push(connection.send(&request(n)));
            }
        };
        let threads: Vec<_> = (0..clients).map(|_| scope.spawn(work)).collect();
        for thread in threads {
            times.extend(thread.join().expect("a client"));
        }
    });
    let cpu = machine::cpu_since(pid, before).as_micros() as f64;
    Cost {
        cpu: cpu / times.len().max(1) as f64,
        times,
        wall: begin.elapsed(),
    }
}

/// Persistent connection. A client library would cost more than the server.
struct Connection {
    stream: BufReader<TcpStream>,
    token: String,
    body: Vec<u8>,
}

impl Connection {
    fn open(port: u16, token: &str) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
        stream.set_nodelay(true).expect("no delay");
        Self {
            stream: BufReader::with_capacity(1 << 16, stream),
            token: token.to_owned(),
            body: Vec::new(),
        }
    }

    fn send(&mut self, request: &Request) -> Duration {
        let Request { method, path, body } = request;
        let mut head = format!(
            "{method} /api/v1{path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n",
            self.token
        );
        if !body.is_empty() {
            let length = body.len();
            head.push_str("Content-Type: application/json\r\nContent-Length: ");
            head.push_str(&length.to_string());
            head.push_str("\r\n");
        }
        let begin = Instant::now();
        let message = format!("{head}\r\n{body}");
        let stream = self.stream.get_mut();
        stream.write_all(message.as_bytes()).expect("a request");
        let status = self.answer();
        assert!(status.contains(" 200 "), "{method} {path}: {status}");
        begin.elapsed()
    }

    /// Reads a whole response and returns its status line.
    fn answer(&mut self) -> String {
        let mut status = String::new();
        self.stream.read_line(&mut status).expect("an answer");
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line).expect("a header");
            if line.trim_end().is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().expect("a length");
            }
        }
        self.body.resize(length, 0);
        self.stream.read_exact(&mut self.body).expect("a body");
        status
    }
}

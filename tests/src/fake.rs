//! Scriptable HTTP server for tests. It can also violate the protocol.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use serde_json::Value;

/// Received request.
#[derive(Debug, Clone)]
pub struct Asked {
    /// HTTP method.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// Header fields with names in lower case.
    pub headers: Vec<(String, String)>,
    /// Request body.
    pub body: Vec<u8>,
    /// Time of arrival.
    pub at: Instant,
}

impl Asked {
    /// Returns a header field, or an empty text if it is absent.
    pub fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(key, _)| key == name);
        found.map_or("", |(_, value)| value)
    }
}

/// Scripted response.
#[derive(Debug, Clone)]
pub struct Reply {
    head: Vec<String>,
    body: Vec<u8>,
    then: After,
    is_raw: bool,
}

/// Behaviour after the response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum After {
    /// The connection is closed.
    Close,
    /// The connection stays open without data.
    Hang,
    /// The body continues without end.
    Endless,
}

impl Reply {
    /// Returns an empty response with this status.
    pub fn status(code: u16) -> Self {
        Self {
            head: vec![format!("HTTP/1.1 {code} Said")],
            body: Vec::new(),
            then: After::Close,
            is_raw: false,
        }
    }

    /// Returns a successful response.
    pub fn bytes(mime: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            body: body.into(),
            ..Self::status(200).header("Content-Type", mime)
        }
    }

    /// Returns a JSON response.
    pub fn json(value: &Value) -> Self {
        Self::bytes("application/json", value.to_string())
    }

    /// Returns exactly these bytes, including the header.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            body: bytes.into(),
            is_raw: true,
            ..Self::status(200)
        }
    }

    /// Adds a header field.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.head.push(format!("{name}: {value}"));
        self
    }

    /// Sets the behaviour after the response. Without `Close`, no length is sent.
    #[must_use]
    pub fn then(mut self, then: After) -> Self {
        self.then = then;
        self
    }

    fn send(&self, stream: &mut TcpStream) -> std::io::Result<()> {
        if !self.is_raw {
            let mut head = self.head.join("\r\n");
            if self.then == After::Close {
                head.push_str("\r\nContent-Length: ");
                head.push_str(&self.body.len().to_string());
            }
            head.push_str("\r\nConnection: close\r\n\r\n");
            stream.write_all(head.as_bytes())?;
        }
        stream.write_all(&self.body)?;
        match self.then {
            After::Close => Ok(()),
            // Ends when the client disconnects.
            After::Hang => stream.read(&mut [0]).map(drop),
            After::Endless => loop {
                stream.write_all(&[b' '; 4096])?;
            },
        }
    }
}

type Script = dyn Fn(&Asked) -> Reply + Send + Sync;

/// Fake server.
pub struct Fake {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    script: Mutex<Arc<Script>>,
    asked: Mutex<Vec<Asked>>,
}

impl std::fmt::Debug for Fake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Fake({})", self.address)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Fake {
    /// Starts a server with this script.
    ///
    /// # Panics
    ///
    /// Panics if there is no free port.
    pub fn start(script: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared {
            script: Mutex::new(Arc::new(script)),
            asked: Mutex::default(),
        });
        let serving = shared.clone();
        // The thread ends with the test process.
        thread::spawn(move || {
            for stream in listener.incoming().filter_map(Result::ok) {
                let shared = serving.clone();
                thread::spawn(move || shared.answer(stream));
            }
        });
        Self { address, shared }
    }

    /// Replaces the script.
    pub fn answer(&self, script: impl Fn(&Asked) -> Reply + Send + Sync + 'static) {
        *lock(&self.shared.script) = Arc::new(script);
    }

    /// Returns the URL: `http://127.0.0.1:4711`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns all requests in order.
    pub fn asked(&self) -> Vec<Asked> {
        lock(&self.shared.asked).clone()
    }

    /// Returns the number of requests whose path has this prefix.
    pub fn count(&self, path: &str) -> usize {
        let asked = lock(&self.shared.asked);
        asked
            .iter()
            .filter(|one| one.path.starts_with(path))
            .count()
    }
}

impl Shared {
    fn answer(&self, stream: TcpStream) {
        let Ok(copy) = stream.try_clone() else {
            return;
        };
        let Some(asked) = read(BufReader::new(copy)) else {
            return;
        };
        lock(&self.asked).push(asked.clone());
        let script = lock(&self.script).clone();
        let reply = script(&asked);
        let mut stream = stream;
        // The client may have disconnected.
        let _ = reply.send(&mut stream);
    }
}

fn read(mut stream: BufReader<TcpStream>) -> Option<Asked> {
    let mut line = String::new();
    stream.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).ok()?;
        let Some((name, value)) = line.split_once(':') else {
            break;
        };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length
        .and_then(|(_, value)| value.parse().ok())
        .unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some(Asked {
        method,
        path,
        headers,
        body,
        at: Instant::now(),
    })
}

//! A stranger's server for tests: it answers as it is told, also in ways that no server should.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use serde_json::Value;

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The method.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// The header fields, names in lower case.
    pub headers: Vec<(String, String)>,
    /// What was sent.
    pub body: Vec<u8>,
    /// When it came.
    pub at: Instant,
}

impl Asked {
    /// A header field; empty where it is absent.
    pub fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(key, _)| key == name);
        found.map_or("", |(_, value)| value)
    }
}

/// What is answered.
#[derive(Debug, Clone)]
pub struct Reply {
    head: Vec<String>,
    body: Vec<u8>,
    then: After,
    is_raw: bool,
}

/// What happens after what is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum After {
    /// The connection is closed.
    Close,
    /// Nothing, for as long as the other side waits.
    Hang,
    /// The body goes on without end.
    Endless,
}

impl Reply {
    /// An empty answer of this status.
    pub fn status(code: u16) -> Self {
        Self {
            head: vec![format!("HTTP/1.1 {code} Said")],
            body: Vec::new(),
            then: After::Close,
            is_raw: false,
        }
    }

    /// An answer of success.
    pub fn bytes(mime: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            body: body.into(),
            ..Self::status(200).header("Content-Type", mime)
        }
    }

    /// JSON.
    pub fn json(value: &Value) -> Self {
        Self::bytes("application/json", value.to_string())
    }

    /// These very bytes, head and all.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            body: bytes.into(),
            is_raw: true,
            ..Self::status(200)
        }
    }

    /// The same answer with a header field.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.head.push(format!("{name}: {value}"));
        self
    }

    /// The same answer, and what comes after it. Of one that does not close, no length is told.
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
            // Ends when the other side has had enough.
            After::Hang => stream.read(&mut [0]).map(drop),
            After::Endless => loop {
                stream.write_all(&[b' '; 4096])?;
            },
        }
    }
}

type Script = dyn Fn(&Asked) -> Reply + Send + Sync;

/// The server.
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
    /// A server that answers so.
    ///
    /// # Panics
    /// If there is no port.
    pub fn start(script: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared {
            script: Mutex::new(Arc::new(script)),
            asked: Mutex::default(),
        });
        let serving = shared.clone();
        // It ends with the test's process.
        thread::spawn(move || {
            for stream in listener.incoming().filter_map(Result::ok) {
                let shared = serving.clone();
                thread::spawn(move || shared.answer(stream));
            }
        });
        Self { address, shared }
    }

    /// Answers so from now on.
    pub fn answer(&self, script: impl Fn(&Asked) -> Reply + Send + Sync + 'static) {
        *lock(&self.shared.script) = Arc::new(script);
    }

    /// Where it is: `http://127.0.0.1:4711`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Everything it was asked, in order.
    pub fn asked(&self) -> Vec<Asked> {
        lock(&self.shared.asked).clone()
    }

    /// How often it was asked for paths that begin so.
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
        // The other side may have had enough.
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

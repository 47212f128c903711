//! Connections: accepting, limits against slow clients, and the end.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::ConnectInfo;
use http_body::Body as _;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use ledge_core::content::DirectStream;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tower_http::timeout::TimeoutBody;

use crate::site::Site;

/// How long a client may take over the head of a request, and be silent between two.
const HEAD_PATIENCE: Duration = Duration::from_secs(30);
/// How long a client may be silent within a body.
const BODY_PATIENCE: Duration = Duration::from_secs(30);
/// How long open answers may go on once the server is stopping.
const DRAIN_PATIENCE: Duration = Duration::from_secs(10);
/// Connections at once; more wait to be accepted.
const MAX_CONNECTIONS: u64 = 4096;
/// Rest after an accept that failed, which happens when descriptors run out.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The open connections.
pub(crate) struct Connections {
    stopping: watch::Sender<bool>,
    slots: Arc<Semaphore>,
    capacity: u32,
}

/// Raises the soft limit of open files to the hard one: a connection that streams needs two.
pub(crate) fn raise_file_limit() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::debug!(%error, "the limit of open files stays as it is");
    }
}

fn capacity() -> u32 {
    let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let capacity = (files / 2).clamp(16, MAX_CONNECTIONS);
    u32::try_from(capacity).expect("clamped to a few thousand")
}

impl Connections {
    /// No connections yet.
    pub(crate) fn new() -> Self {
        let capacity = capacity();
        Self {
            stopping: watch::Sender::new(false),
            slots: Arc::new(Semaphore::new(usize::try_from(capacity).unwrap_or(16))),
            capacity,
        }
    }

    /// Accepts connections for as long as it is polled.
    pub(crate) async fn accept(&self, listener: TcpListener, site: Site) {
        while let Ok(slot) = self.slots.clone().acquire_owned().await {
            let (stream, peer) = match listener.accept().await {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::debug!(%error, "a connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            };
            let stopping = self.stopping.subscribe();
            tokio::spawn(serve(stream, peer, site.clone(), stopping, slot));
        }
    }

    /// Lets open answers end, for a while; idle connections close at once.
    pub(crate) async fn drain(self) {
        self.stopping.send_replace(true);
        let all = self.slots.acquire_many(self.capacity);
        if tokio::time::timeout(DRAIN_PATIENCE, all).await.is_err() {
            tracing::warn!("some streams were cut off");
        }
    }
}

async fn serve(
    stream: TcpStream,
    peer: SocketAddr,
    site: Site,
    mut stopping: watch::Receiver<bool>,
    _slot: OwnedSemaphorePermit,
) {
    // Answers are written in few, large pieces; waiting for more only delays them.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection keeps its delay");
    }
    let (stream, direct) = DirectStream::new(stream);
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let mut request = request.map(body);
        request.extensions_mut().insert(ConnectInfo(peer));
        request.extensions_mut().insert(direct.clone());
        let answer = site.clone().answer(request);
        async { Ok::<_, Infallible>(answer.await) }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD_PATIENCE);
    let connection = http.serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = told(&mut stopping) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection broke off");
    }
}

/// A request's body, as it is handed on: most have none.
fn body(body: Incoming) -> Body {
    if body.is_end_stream() {
        return Body::empty();
    }
    Body::new(TimeoutBody::new(BODY_PATIENCE, body))
}

/// Waits until the server is stopping; where nobody can say so any more, it is.
async fn told(stopping: &mut watch::Receiver<bool>) {
    let _ = stopping.wait_for(|stopping| *stopping).await;
}

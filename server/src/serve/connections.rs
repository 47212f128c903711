//! Connections: accept loop, limits against slow and many clients, and graceful shutdown.

mod table;

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
use ledge_core::http::content::{Direct, DirectStream};
use ledge_core::http::inside::InMemory;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::http::service::Service;
use crate::http::session::{ClientNetwork, SessionService};
use crate::serve::connection::{
    Activity, ActivityStream, Exchange, Limits, RequestBody, ResponseBody, capacity,
};
use table::{EntryGuard, Table};

/// Pause after a failed accept, which happens if file descriptors run out.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// All open connections.
pub(crate) struct Connections {
    stopping: watch::Sender<bool>,
    tasks: Tasks,
    table: Table,
    sessions: SessionService,
}

/// Raises the soft limit of open files to the hard limit: a streaming connection needs two.
pub(crate) fn raise_file_limit() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::debug!(%error, "the limit of open files could not be raised");
    }
}

impl Connections {
    /// Starts without connections. The gate contains the trusted proxies.
    pub(crate) fn new(sessions: SessionService) -> Self {
        Self {
            stopping: watch::Sender::new(false),
            tasks: Tasks::default(),
            table: Table::new(capacity()),
            sessions,
        }
    }

    /// Accepts connections as long as the future is polled.
    pub(crate) async fn accept(&self, listener: TcpListener, service: Service) {
        loop {
            match listener.accept().await {
                Ok((stream, peer)) => self.open(stream, peer, &service),
                Err(error) => {
                    tracing::debug!(%error, "a connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    /// Serves a connection. If there are too many, another one ends.
    fn open(&self, stream: TcpStream, peer: SocketAddr, service: &Service) {
        let is_proxy = self.sessions.is_trusted(peer.ip());
        let network = (!is_proxy).then(|| ClientNetwork::from(peer.ip()));
        let activity = Activity::new(is_proxy, Limits::default());
        let place = self.table.add(network, &activity);
        let connection = Connection {
            peer,
            activity,
            _entry_guard: place,
            _task: self.tasks.begin(),
        };
        let stopping = self.stopping.subscribe();
        tokio::spawn(connection.serve(stream, service.clone(), stopping));
    }

    /// Waits until the deadline for open responses; idle connections close at once.
    pub(crate) async fn drain(self, deadline: Instant) {
        self.stopping.send_replace(true);
        let ended = self.tasks.ended();
        if tokio::time::timeout_at(deadline, ended).await.is_err() {
            tracing::warn!("some streams were closed before their end");
        }
    }
}

/// Tasks that serve connections, including connections that were evicted from the table.
#[derive(Clone)]
struct Tasks(Arc<watch::Sender<usize>>);

/// One running task; dropping it ends its count.
struct Task(Tasks);

impl Default for Tasks {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(0)))
    }
}

impl Tasks {
    fn begin(&self) -> Task {
        self.0.send_modify(|count| *count += 1);
        Task(self.clone())
    }

    /// Waits until no task runs.
    async fn ended(&self) {
        // The sender exists as long as `self`, so an error is impossible.
        let _ = self.0.subscribe().wait_for(|count| *count == 0).await;
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.0.0.send_modify(|count| *count -= 1);
    }
}

/// One served connection.
struct Connection {
    peer: SocketAddr,
    activity: Activity,
    _entry_guard: EntryGuard,
    _task: Task,
}

impl Connection {
    async fn serve(self, stream: TcpStream, service: Service, stopping: watch::Receiver<bool>) {
        // Responses are written in few large pieces, so Nagle's algorithm would only delay them.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY could not be set for a connection");
        }
        let (stream, direct) = DirectStream::new(stream);
        self.serve_http(stream, direct, service, stopping).await;
    }

    async fn serve_http(
        self,
        stream: impl AsyncRead + AsyncWrite + Unpin,
        direct: Direct,
        service: Service,
        mut stopping: watch::Receiver<bool>,
    ) {
        let (peer, activity) = (self.peer, self.activity.clone());
        let stream = ActivityStream::new(stream, activity.clone());
        let service = service_fn(move |request: hyper::Request<Incoming>| {
            let exchange = activity.begin();
            let mut request = request.map(|body| limited(body, &activity, &exchange));
            request.extensions_mut().insert(ConnectInfo(peer));
            request.extensions_mut().insert(direct.clone());
            request.extensions_mut().insert(activity.clone());
            let answer = service.clone().answer(request);
            let activity = activity.clone();
            async move {
                let response = answer.await;
                if response.extensions().get::<InMemory>().is_some() {
                    activity.limit_reading();
                }
                Ok::<_, Infallible>(response.map(|body| ResponseBody::new(body, exchange)))
            }
        });
        let mut http = http1::Builder::new();
        // The activity's deadline is stricter, and it distinguishes a slow reader from an idle
        // client.
        http.timer(TokioTimer::new()).header_read_timeout(None);
        let connection = http.serve_connection(TokioIo::new(stream), service);
        let mut connection = std::pin::pin!(connection);
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            reason = self.cut_off() => return tracing::debug!(%peer, reason, "a connection was closed early"),
            () = stop_requested(&mut stopping) => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection ended with an error");
        }
    }

    /// Waits until the client is too slow, or another connection evicts this one.
    async fn cut_off(&self) -> &'static str {
        loop {
            let deadline = self.activity.deadline();
            if deadline <= Instant::now() {
                return "the client was too slow or idle";
            }
            tokio::select! {
                () = tokio::time::sleep_until(deadline) => {}
                () = self.activity.evicted() => return "another connection evicted it",
            }
        }
    }
}

/// Applies the limits of the exchange to a request body; most requests have none.
fn limited(body: Incoming, activity: &Activity, exchange: &Arc<Exchange>) -> Body {
    if body.is_end_stream() {
        return Body::empty();
    }
    Body::new(RequestBody::new(body, activity.clone(), exchange.clone()))
}

/// Waits until the server is stopping. A dropped sender counts as a stop.
async fn stop_requested(stopping: &mut watch::Receiver<bool>) {
    let _ = stopping.wait_for(|stopping| *stopping).await;
}

#[cfg(test)]
mod tests;

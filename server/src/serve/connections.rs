//! Connections: accepting, limits against slow and many clients, and the end.

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
use ledge_core::content::DirectStream;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::connection::{Activity, ActivityStream, Exchange, Limits, RequestBody, ResponseBody};
use crate::session::{ClientNetwork, Gate};
use crate::site::Site;
use table::{Place, Table};

/// Connections at once.
const MAX_CONNECTIONS: u64 = 4096;
/// Rest after an accept that failed, which happens when descriptors run out.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// After this many connections at once, the memory of those that ended is returned to the system.
const MANY: usize = 256;

/// The open connections.
pub(crate) struct Connections {
    stopping: watch::Sender<bool>,
    tasks: Tasks,
    table: Table,
    gate: Gate,
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
    /// No connections yet. The gate knows the trusted proxies.
    pub(crate) fn new(gate: Gate) -> Self {
        Self {
            stopping: watch::Sender::new(false),
            tasks: Tasks::default(),
            table: Table::new(usize::try_from(capacity()).unwrap_or(16)),
            gate,
        }
    }

    /// Accepts connections for as long as it is polled.
    pub(crate) async fn accept(&self, listener: TcpListener, site: Site) {
        loop {
            match listener.accept().await {
                Ok((stream, peer)) => self.open(stream, peer, &site),
                Err(error) => {
                    tracing::debug!(%error, "a connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    /// Serves a connection, or closes it if there are too many.
    fn open(&self, stream: TcpStream, peer: SocketAddr, site: &Site) {
        let is_proxy = self.gate.is_trusted(peer.ip());
        let network = (!is_proxy).then(|| ClientNetwork::from(peer.ip()));
        let activity = Activity::new(is_proxy, Limits::default());
        let Some(place) = self.table.add(network, &activity) else {
            tracing::debug!(%peer, "a connection was refused: there are too many");
            return;
        };
        let connection = Connection {
            peer,
            activity,
            _place: place,
            _task: self.tasks.begin(),
        };
        let stopping = self.stopping.subscribe();
        tokio::spawn(connection.serve(stream, site.clone(), stopping));
    }

    /// Lets open answers end until the deadline; idle connections close at once.
    pub(crate) async fn drain(self, deadline: Instant) {
        self.stopping.send_replace(true);
        let ended = self.tasks.ended();
        if tokio::time::timeout_at(deadline, ended).await.is_err() {
            tracing::warn!("some streams were cut off");
        }
    }
}

/// The tasks that serve connections, also those whose place another one has taken.
#[derive(Clone)]
struct Tasks(Arc<watch::Sender<TaskCount>>);

#[derive(Clone, Copy, Default)]
struct TaskCount {
    now: usize,
    /// The most since memory was last returned to the system.
    peak: usize,
}

/// One task, until it is dropped.
struct Task(Tasks);

impl Default for Tasks {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(TaskCount::default())))
    }
}

impl Tasks {
    fn begin(&self) -> Task {
        self.0.send_modify(|count| {
            count.now += 1;
            count.peak = count.peak.max(count.now);
        });
        Task(self.clone())
    }

    /// Waits until no task is left.
    async fn ended(&self) {
        // An error would mean that the sender is gone, which `self` holds.
        let _ = self.0.subscribe().wait_for(|count| count.now == 0).await;
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        let mut is_over = false;
        self.0.0.send_modify(|count| {
            count.now -= 1;
            is_over = count.peak >= MANY && count.now <= count.peak / 8;
            if is_over {
                count.peak = count.now;
            }
        });
        if is_over {
            return_memory();
        }
    }
}

/// Returns the memory of many connections to the system, off the async threads.
fn return_memory() {
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        runtime.spawn_blocking(ledge_native::return_free_memory);
    }
}

/// One connection, while it is served.
struct Connection {
    peer: SocketAddr,
    activity: Activity,
    _place: Place,
    _task: Task,
}

impl Connection {
    async fn serve(self, stream: TcpStream, site: Site, mut stopping: watch::Receiver<bool>) {
        // Answers are written in few, large pieces; waiting for more only delays them.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection keeps its delay");
        }
        let (peer, activity) = (self.peer, self.activity.clone());
        let (stream, direct) = DirectStream::new(stream);
        let stream = ActivityStream::new(stream, activity.clone());
        let service = service_fn(move |request: hyper::Request<Incoming>| {
            let exchange = activity.begin();
            let mut request = request.map(|body| limited(body, &activity, &exchange));
            request.extensions_mut().insert(ConnectInfo(peer));
            request.extensions_mut().insert(direct.clone());
            request.extensions_mut().insert(activity.clone());
            let answer = site.clone().answer(request);
            async {
                let response = answer.await;
                Ok::<_, Infallible>(response.map(|body| ResponseBody::new(body, exchange)))
            }
        });
        let mut http = http1::Builder::new();
        // The activity's deadline is stricter, and it knows a slow reader from an idle client.
        http.timer(TokioTimer::new()).header_read_timeout(None);
        let connection = http.serve_connection(TokioIo::new(stream), service);
        let mut connection = std::pin::pin!(connection);
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            reason = self.cut_off() => return tracing::debug!(%peer, reason, "a connection was cut off"),
            () = told(&mut stopping) => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection broke off");
        }
    }

    /// Waits until the client is too slow or another connection needs the room.
    async fn cut_off(&self) -> &'static str {
        loop {
            let deadline = self.activity.deadline();
            if deadline <= Instant::now() {
                return "it was too slow or idle";
            }
            tokio::select! {
                () = tokio::time::sleep_until(deadline) => {}
                () = self.activity.evicted() => return "others need the room",
            }
        }
    }
}

/// A request's body, under the limits of its exchange; most requests have none.
fn limited(body: Incoming, activity: &Activity, exchange: &Arc<Exchange>) -> Body {
    if body.is_end_stream() {
        return Body::empty();
    }
    Body::new(RequestBody::new(body, activity.clone(), exchange.clone()))
}

/// Waits until the server is stopping; where nobody can say so any more, it is.
async fn told(stopping: &mut watch::Receiver<bool>) {
    let _ = stopping.wait_for(|stopping| *stopping).await;
}

//! Tests of a connection over a stream in memory.

use std::time::Duration;

use axum::Router;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};

use ledge_core::http::inside;

use super::*;
use crate::serve::metrics::Metrics;

/// Size of a response body that is larger than the buffers of the stream and the HTTP library.
const SIZE: usize = 8 << 20;

/// Limits that are short enough for a test. The idle time is checked every `request`.
const SHORT: Limits = Limits {
    request: Duration::from_secs(1),
    idle: Duration::from_millis(50),
    unread: Duration::from_millis(200),
    rate: 16 << 10,
};

/// Serves these routes over a stream in memory to a trusted proxy, which may be idle.
fn serve(routes: Router) -> DuplexStream {
    let sessions = SessionService::new(Vec::new(), None);
    let site = Service::new(routes, sessions, Metrics::new(None));
    let activity = Activity::new(true, SHORT);
    let connection = Connection {
        peer: SocketAddr::from(([127, 0, 0, 1], 4711)),
        _entry_guard: Table::new(64).add(None, &activity),
        activity,
        _task: Tasks::default().begin(),
    };
    let (client, stream) = tokio::io::duplex(64 << 10);
    tokio::spawn(async move {
        let stopping = watch::Sender::new(false);
        let stopped = stopping.subscribe();
        let served = connection.serve_http(stream, Direct::default(), site, stopped);
        served.await;
        drop(stopping);
    });
    client
}

#[tokio::test]
async fn complete_body_reaches_a_client_that_pauses_for_longer_than_the_idle_time() {
    let body = async || vec![b'x'; SIZE];
    let mut client = serve(Router::new().fallback(body));
    let request = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    client.write_all(request).await.expect("a request");
    let mut received = vec![0; 1 << 20];
    client.read_exact(&mut received).await.expect("a beginning");
    tokio::time::sleep(SHORT.request * 2).await;
    let head = received.windows(4).position(|end| end == b"\r\n\r\n");
    let head = head.expect("the end of the head") + 4;
    let mut rest = vec![0; head + SIZE - received.len()];
    client.read_exact(&mut rest).await.expect("the rest");
}

#[tokio::test]
async fn client_that_stops_reading_a_body_in_memory_loses_the_connection() {
    let body = async || inside::bytes_in_memory("\"1\"", "image/png", vec![b'x'; SIZE].into());
    let mut client = serve(Router::new().fallback(body));
    let request = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    client.write_all(request).await.expect("a request");
    // The supervisor checks every `request` whether the limit applies by now.
    tokio::time::sleep(SHORT.request * 2).await;
    let mut received = Vec::new();
    client.read_to_end(&mut received).await.expect("an end");
    assert!(received.len() < SIZE, "{}", received.len());
}

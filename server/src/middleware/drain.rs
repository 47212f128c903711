//! After a refusal the rest of the upload is read and dropped, so that the client gets the answer
//! and not a connection that breaks under its hands.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::http::header;
use axum::response::Response;
use bytes::Bytes;
use http_body::{Body as _, Frame, SizeHint};
use http_body_util::BodyExt as _;

/// How much is dropped at most.
const MAX_BYTES: u64 = 32 << 20;
/// For how long.
const PATIENCE: Duration = Duration::from_secs(5);

/// Lends the body to the handler, and reads on where a refusal left it unread.
pub(crate) async fn refused_uploads<F: Future<Output = Response>>(
    request: Request,
    answer: impl FnOnce(Request) -> F,
) -> Response {
    if request.body().is_end_stream() {
        return answer(request).await;
    }
    // A client that asks first and is refused never sends the body.
    let asks_first = request.headers().contains_key(header::EXPECT);
    let rest = Rest::default();
    let lent = rest.clone();
    let request = request.map(|body| {
        Body::new(Lent {
            body: Some(body),
            touched: false,
            rest: lent,
        })
    });
    let response = answer(request).await;
    let status = response.status();
    if (status.is_client_error() || status.is_server_error())
        && let Some(unread) = rest.take()
        && (unread.touched || !asks_first)
    {
        tokio::spawn(tokio::time::timeout(PATIENCE, drop_all(unread.body)));
    }
    response
}

async fn drop_all(mut body: Body) {
    let mut dropped = 0;
    while let Some(Ok(frame)) = body.frame().await {
        let length = frame.data_ref().map_or(0, Bytes::len);
        dropped += u64::try_from(length).unwrap_or(u64::MAX);
        if dropped >= MAX_BYTES {
            return;
        }
    }
}

/// Where a body comes back to.
#[derive(Clone, Default)]
struct Rest(Arc<Mutex<Option<Unread>>>);

struct Unread {
    body: Body,
    /// Whether the handler read from it: the client has been told to go on, then.
    touched: bool,
}

impl Rest {
    fn put(&self, unread: Unread) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(unread);
    }

    fn take(&self) -> Option<Unread> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// A body that comes back when its reader drops it before its end.
struct Lent {
    body: Option<Body>,
    touched: bool,
    rest: Rest,
}

impl http_body::Body for Lent {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        self.touched = true;
        match &mut self.body {
            Some(body) => Pin::new(body).poll_frame(cx),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body
            .as_ref()
            .map_or_else(SizeHint::new, Body::size_hint)
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(body) = self.body.take()
            && !body.is_end_stream()
        {
            let touched = self.touched;
            self.rest.put(Unread { body, touched });
        }
    }
}

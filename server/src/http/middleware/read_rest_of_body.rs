//! Draining of unread bodies: the rest of the body is read and dropped, so that the client receives
//! the response, and the connection serves its next request.

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

/// Limit of dropped bytes.
const MAX_BYTES: u64 = 32 << 20;
/// Time limit for dropping.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// Passes the body to the handler and reads the rest that the handler left.
pub(crate) async fn pass_on<F: Future<Output = Response>>(
    request: Request,
    answer: impl FnOnce(Request) -> F,
) -> Response {
    if request.body().is_end_stream() {
        return answer(request).await;
    }
    // A client with `Expect: 100-continue` does not send the body of a rejected request.
    let asks_first = request.headers().contains_key(header::EXPECT);
    let slot = UnreadSlot::default();
    let returned = slot.clone();
    let request = request.map(|body| {
        Body::new(ReturningBody {
            body: Some(body),
            touched: false,
            slot: returned,
        })
    });
    let response = answer(request).await;
    if let Some(unread) = slot.take()
        && (unread.touched || !asks_first)
    {
        tokio::spawn(tokio::time::timeout(MAX_WAIT, drop_all(unread.body)));
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

/// Slot that receives the unread body.
#[derive(Clone, Default)]
struct UnreadSlot(Arc<Mutex<Option<UnreadBody>>>);

struct UnreadBody {
    body: Body,
    /// `true` if the handler read from the body, so that the client received `100 Continue`.
    touched: bool,
}

impl UnreadSlot {
    fn put(&self, unread: UnreadBody) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(unread);
    }

    fn take(&self) -> Option<UnreadBody> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// A body that returns itself to its slot if it is dropped before its end.
struct ReturningBody {
    body: Option<Body>,
    touched: bool,
    slot: UnreadSlot,
}

impl http_body::Body for ReturningBody {
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

impl Drop for ReturningBody {
    fn drop(&mut self) {
        if let Some(body) = self.body.take()
            && !body.is_end_stream()
        {
            let touched = self.touched;
            self.slot.put(UnreadBody { body, touched });
        }
    }
}

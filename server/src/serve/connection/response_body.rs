//! Response body that keeps its exchange open until it is sent or dropped.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::Body;
use bytes::Bytes;
use http_body::{Frame, SizeHint};

use super::Exchange;

/// A body that belongs to an exchange.
#[derive(Debug)]
pub(crate) struct ResponseBody {
    inner: Body,
    exchange: Arc<Exchange>,
}

impl ResponseBody {
    /// Attaches a body to its exchange.
    pub(crate) fn new(inner: Body, exchange: Arc<Exchange>) -> Self {
        Self { inner, exchange }
    }
}

impl Drop for ResponseBody {
    fn drop(&mut self) {
        self.exchange.end_response();
    }
}

impl http_body::Body for ResponseBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.inner).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

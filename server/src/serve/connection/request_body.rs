//! Request body with a limit of the time that the server waits for the client.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::time::{Instant, Sleep};

use super::{Activity, Exchange};

/// The client sent the request more slowly than [`Activity::body_time`] allows.
#[derive(Debug, thiserror::Error)]
#[error("the request came too slowly")]
struct TooSlow;

/// A body that fails when the client is too slow. Only time in which the server waits for the
/// client counts: a handler that reads late costs the client nothing.
#[derive(Debug)]
pub(crate) struct RequestBody<B> {
    inner: B,
    activity: Activity,
    _exchange: Arc<Exchange>,
    received: u64,
    /// Time waited so far, the head included.
    waited: Duration,
    waiting_since: Option<Instant>,
    timer: Option<Pin<Box<Sleep>>>,
    is_failed: bool,
}

impl<B> RequestBody<B> {
    /// Wraps the body of this exchange.
    pub(crate) fn new(inner: B, activity: Activity, exchange: Arc<Exchange>) -> Self {
        Self {
            inner,
            activity,
            received: 0,
            waited: exchange.head_time,
            _exchange: exchange,
            waiting_since: None,
            timer: None,
            is_failed: false,
        }
    }

    fn record_frame(&mut self, length: usize) {
        self.received += length as u64;
        if let Some(since) = self.waiting_since.take() {
            let waited = since.elapsed();
            self.waited += waited;
            self.activity.record_wait(waited);
        }
    }

    /// Returns ready after the client has taken too long.
    fn poll_timeout(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let since = *self.waiting_since.get_or_insert_with(Instant::now);
        let allowed = self.activity.body_time(self.received);
        let end = since + allowed.saturating_sub(self.waited);
        let timer = self
            .timer
            .get_or_insert_with(|| Box::pin(tokio::time::sleep_until(end)));
        if timer.deadline() != end {
            timer.as_mut().reset(end);
        }
        timer.as_mut().poll(cx)
    }
}

impl<B> Body for RequestBody<B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<axum::BoxError>,
{
    type Data = Bytes;
    type Error = axum::BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::BoxError>>> {
        if self.is_failed {
            return Poll::Ready(Some(Err(TooSlow.into())));
        }
        match Pin::new(&mut self.inner).poll_frame(cx) {
            Poll::Ready(frame) => {
                let data = frame.as_ref().and_then(|frame| frame.as_ref().ok());
                let length = data.and_then(Frame::data_ref).map_or(0, Bytes::len);
                self.record_frame(length);
                Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
            }
            Poll::Pending if self.poll_timeout(cx).is_ready() => {
                self.record_frame(0);
                self.is_failed = true;
                Poll::Ready(Some(Err(TooSlow.into())))
            }
            Poll::Pending => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use axum::body::Body as AxumBody;
    use futures_util::stream;
    use http_body_util::BodyExt as _;
    use ledge_core::id::UserId;

    use super::super::Limits;
    use super::*;

    /// Limits that are short enough for a test.
    const SHORT: Limits = Limits {
        request: Duration::from_millis(100),
        idle: Duration::from_millis(100),
        unread: Duration::from_millis(100),
        rate: 16 << 10,
    };

    /// Creates an endless body that delivers `size` bytes every 10 ms.
    fn endless(size: usize, is_authenticated: bool) -> RequestBody<AxumBody> {
        let frames = stream::unfold((), move |()| async move {
            tokio::time::sleep(Duration::from_millis(10)).await;
            Some((Ok::<_, Infallible>(Bytes::from(vec![0; size])), ()))
        });
        let activity = Activity::new(false, SHORT);
        let exchange = activity.begin();
        if is_authenticated {
            activity.set_authenticated(UserId(1));
        }
        RequestBody::new(AxumBody::from_stream(frames), activity, exchange)
    }

    /// Reads a body until it fails. Returns the time until the failure.
    async fn failure(mut body: RequestBody<AxumBody>) -> Duration {
        let start = Instant::now();
        loop {
            let Err(error) = body.frame().await.expect("an endless body") else {
                continue;
            };
            assert!(error.is::<TooSlow>(), "{error}");
            assert!(body.frame().await.expect("an end").is_err());
            assert!(body.activity.client_wait() >= SHORT.request);
            return start.elapsed();
        }
    }

    #[tokio::test]
    async fn single_bytes_do_not_extend_the_time() {
        for is_authenticated in [false, true] {
            let time = failure(endless(1, is_authenticated)).await;
            assert!(time >= SHORT.request);
        }
    }

    #[tokio::test]
    async fn rate_extends_the_time_of_a_signed_in_user_only() {
        // Each frame is worth a second, so that no delay of this machine matters.
        let size = 16 << 10;
        let mut body = endless(size, true);
        while body.activity.client_wait() < SHORT.request * 3 {
            let frame = body.frame().await.expect("an endless body");
            assert!(frame.is_ok(), "after {} bytes", body.received);
        }
        assert!(failure(endless(size, false)).await >= SHORT.request);
    }

    #[tokio::test]
    async fn late_reader_costs_the_client_nothing() {
        let none = Duration::ZERO;
        let limits = Limits {
            request: none,
            ..SHORT
        };
        let activity = Activity::new(false, limits);
        let exchange = activity.begin();
        let mut body = RequestBody::new(AxumBody::from("sent at once"), activity, exchange);
        let frame = body.frame().await.expect("a frame").expect("data");
        assert_eq!(frame.into_data().expect("data"), "sent at once");
    }

    #[tokio::test]
    async fn time_of_the_head_counts() {
        let limits = Limits {
            request: Duration::from_hours(1),
            ..SHORT
        };
        let activity = Activity::new(false, limits);
        let exchange = Exchange::with_head_time(&activity, limits.request);
        let inner = AxumBody::from_stream(stream::pending::<Result<Bytes, Infallible>>());
        let mut body = RequestBody::new(inner, activity, Arc::new(exchange));
        // Without the time of the head, this would take an hour.
        assert!(body.frame().await.expect("an end").is_err());
    }
}

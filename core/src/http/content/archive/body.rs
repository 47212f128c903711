//! Body of an archive's response.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::stream::{Stream, try_unfold};
use http_body::{Body, Frame, SizeHint};

use super::writer::Writer;

/// Body with a known length. An error ends the connection before this length, so that the client
/// detects the incomplete archive.
pub(super) struct ArchiveBody {
    chunks: Pin<Box<dyn Stream<Item = io::Result<Bytes>> + Send>>,
    remaining: u64,
}

impl ArchiveBody {
    /// Creates a body of `length` bytes.
    pub(super) fn new(writer: Writer, length: u64) -> Self {
        let chunks = try_unfold(writer, async |mut writer| {
            let chunk = writer.next().await?;
            Ok(chunk.map(|chunk| (chunk, writer)))
        });
        Self {
            chunks: Box::pin(chunks),
            remaining: length,
        }
    }
}

impl Body for ArchiveBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let chunk = match ready!(self.chunks.as_mut().poll_next(cx)) {
            None => return Poll::Ready(None),
            Some(Ok(chunk)) => chunk,
            Some(Err(error)) => {
                tracing::warn!(%error, "sending an archive was aborted");
                return Poll::Ready(Some(Err(error)));
            }
        };
        self.remaining = self.remaining.saturating_sub(chunk.len() as u64);
        Poll::Ready(Some(Ok(Frame::data(chunk))))
    }

    fn is_end_stream(&self) -> bool {
        self.remaining == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.remaining)
    }
}

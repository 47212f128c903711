//! Permits to open an archive. They limit the memory that all open archives take together.
//!
//! | Pool | Permits | PermittedBytes by | Memory of each |
//! |---|---|---|---|
//! | requests | 6 | a request for a page, an entry or a list, until its bytes are read | an index of 13 MB, a page of at most 32 MB |
//! | slow | 2 of those 6 | a request for a list, a scaled page, or a page of a RAR or 7z archive | as for a request |
//! | background | 4 | a scan or the search for covers, for one file | as for a request |
//! | responses | 64 MiB | a page or drawing in memory, until it is sent | its size |
//! | unpackers | 2 in total | RAR and 7z archives, as long as they are open | a directory of 70 MB, a dictionary of 64 MB |
//!
//! Requests and background work have separate pools, so that a scan never delays a reader. More
//! permits would not make pages faster: each page uses the disk or one core, and typical servers
//! have few of either.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

use bytes::Bytes;
use ledge_core::http::{ApiError, ApiResult};
use tokio::sync::{Semaphore, SemaphorePermit};

static REQUESTS: Semaphore = Semaphore::const_new(6);
static SLOW: Semaphore = Semaphore::const_new(2);
/// Kibibytes of responses in memory.
static RESPONSES: Semaphore = Semaphore::const_new(64 << 10);
static BACKGROUND: Semaphore = Semaphore::const_new(4);
static UNPACKERS: Semaphore = Semaphore::const_new(2);

/// Most requests that wait for a permit. Each keeps a connection and an open file, about 30 kB.
const MOST_WAITING: usize = 512;
/// Longest wait for a permit. It equals the time that a client may stay silent.
const MAX_WAIT: Duration = Duration::from_secs(30);

static WAITING: AtomicUsize = AtomicUsize::new(0);

/// A permit; dropping it returns it to its pool.
#[derive(Debug)]
pub struct Permit {
    _permits: [Option<SemaphorePermit<'static>>; 2],
}

impl Permit {
    fn new(permit: Option<SemaphorePermit<'static>>) -> Self {
        Self {
            _permits: [permit, None],
        }
    }
}

/// Waits for a permit to read a page or an entry. Returns `None` if too many requests are waiting,
/// or after `MAX_WAIT`. Dropping the future leaves the queue.
pub async fn request() -> Option<Permit> {
    let _slot = QueueSlot::take()?;
    let permit = within_max_wait(REQUESTS.acquire()).await?;
    Some(Permit::new(Some(permit)))
}

/// Waits for a permit for slow work, with the limits of [`request`]. Most permits remain for
/// pages and entries that are read within milliseconds.
pub async fn slow() -> Option<Permit> {
    let _slot = QueueSlot::take()?;
    let slow = within_max_wait(SLOW.acquire()).await?;
    let request = within_max_wait(REQUESTS.acquire()).await?;
    Some(Permit {
        _permits: [Some(slow), Some(request)],
    })
}

/// Returns the bytes as the body of a response, counted until the client has received them.
///
/// # Errors
/// Returns [`ApiError::Unavailable`] if other responses take all memory for longer than
/// `MAX_WAIT`.
pub async fn with_permit(bytes: Vec<u8>) -> ApiResult<Bytes> {
    let kibibytes = u32::try_from(bytes.len() >> 10).unwrap_or(u32::MAX) + 1;
    let permit = within_max_wait(RESPONSES.acquire_many(kibibytes)).await;
    Ok(Bytes::from_owner(PermittedBytes {
        bytes,
        _permit: permit.ok_or(ApiError::Unavailable)?,
    }))
}

/// Bytes of a response with their permit.
struct PermittedBytes {
    bytes: Vec<u8>,
    _permit: SemaphorePermit<'static>,
}

impl AsRef<[u8]> for PermittedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Blocks until a permit for background work is available.
pub fn background() -> Permit {
    Permit::new(block_on(BACKGROUND.acquire()).ok())
}

/// Blocks until a permit to open a RAR or 7z archive is available. The holder never waits for
/// another permit, so it returns this one within the time limit of a page.
pub(super) fn unpacker() -> Permit {
    Permit::new(block_on(UNPACKERS.acquire()).ok())
}

/// Counted position of a request in the queue.
struct QueueSlot;

impl QueueSlot {
    fn take() -> Option<Self> {
        let slot = Self;
        (WAITING.fetch_add(1, Ordering::Relaxed) < MOST_WAITING).then_some(slot)
    }
}

impl Drop for QueueSlot {
    fn drop(&mut self) {
        WAITING.fetch_sub(1, Ordering::Relaxed);
    }
}

async fn within_max_wait<T, E>(permit: impl Future<Output = Result<T, E>>) -> Option<T> {
    tokio::time::timeout(MAX_WAIT, permit).await.ok()?.ok()
}

/// Runs a future on a blocking thread that need not belong to a runtime.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
        thread::park();
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn waiting_permit_is_granted_once_another_is_returned() {
        static POOL: Semaphore = Semaphore::const_new(1);
        let first = POOL.try_acquire().expect("a permit");
        let (granted, grants) = mpsc::channel();
        let waiting = thread::spawn(move || {
            let permit = block_on(POOL.acquire());
            granted.send(permit.is_ok()).expect("a listener");
        });
        assert!(grants.try_recv().is_err());
        drop(first);
        assert!(grants.recv_timeout(Duration::from_mins(1)).expect("an end"));
        waiting.join().expect("no panic");
    }

    #[test]
    fn waiting_requests_are_limited_and_dropping_one_frees_its_slot() {
        let all = 6;
        let held = block_on(REQUESTS.acquire_many(all)).expect("all permits");
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .expect("a runtime");
        let _guard = runtime.enter();
        let mut context = Context::from_waker(Waker::noop());
        let mut waiting: Vec<_> = (0..MOST_WAITING).map(|_| Box::pin(request())).collect();
        for request in &mut waiting {
            assert!(request.as_mut().poll(&mut context).is_pending());
        }
        assert!(block_on(request()).is_none(), "one too many");
        waiting.truncate(1);
        assert_eq!(WAITING.load(Ordering::Relaxed), 1);
        drop(held);
        assert!(matches!(
            waiting[0].as_mut().poll(&mut context),
            Poll::Ready(Some(_))
        ));
        drop(waiting);
        assert_eq!(WAITING.load(Ordering::Relaxed), 0);
        assert_eq!(REQUESTS.available_permits(), all as usize);
    }
}

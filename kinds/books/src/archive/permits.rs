//! Permits to open an archive: they limit the memory that archives take at once, whoever asks.
//!
//! | Pool | Permits | Held by | Memory of each |
//! |---|---|---|---|
//! | requests | 6 | a request for a page, an entry or a list, until its bytes are read | an index of 13 MB, a page of at most 32 MB |
//! | lists | 2 of those 6 | a request for a list: measuring pages takes up to two seconds | a list of some 10 MB |
//! | background | 4 | a scan or the search for covers, for one file | as a request |
//! | unpackers | 2 of all | RAR and 7z archives, as long as they are open | a directory of 70 MB, a dictionary of 64 MB |
//!
//! Requests and background work have pools of their own, so that a scan never delays a reader. More
//! permits would not make pages faster: a page costs the disk, or a core, and machines that run
//! this have few of either.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};

static REQUESTS: Semaphore = Semaphore::const_new(6);
static LISTS: Semaphore = Semaphore::const_new(2);
static BACKGROUND: Semaphore = Semaphore::const_new(4);
static UNPACKERS: Semaphore = Semaphore::const_new(2);

/// Most requests that wait for a permit. Each keeps a connection and an open file, some 30 kB.
const MOST_WAITING: usize = 512;
/// How long a request waits for a permit: as long as a client may be silent.
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

/// Waits for a permit to read a page or an entry. Returns `None` where too many requests wait
/// already, or none was returned in time. A caller that is dropped loses its place in the queue.
pub async fn request() -> Option<Permit> {
    let _place = Place::take()?;
    let permit = within_max_wait(REQUESTS.acquire()).await?;
    Some(Permit::new(Some(permit)))
}

/// As [`request`], for a list.
pub async fn list() -> Option<Permit> {
    let _place = Place::take()?;
    let list = within_max_wait(LISTS.acquire()).await?;
    let request = within_max_wait(REQUESTS.acquire()).await?;
    Some(Permit {
        _permits: [Some(list), Some(request)],
    })
}

/// Blocks until a permit for background work is there.
pub fn background() -> Permit {
    Permit::new(block_on(BACKGROUND.acquire()).ok())
}

/// Blocks until a permit to open a RAR or 7z archive is there. Nothing else is waited for while it is
/// held, so that it comes back after the time that a page may take.
pub(super) fn unpacker() -> Permit {
    Permit::new(block_on(UNPACKERS.acquire()).ok())
}

/// A request's place among those that wait.
struct Place;

impl Place {
    fn take() -> Option<Self> {
        let place = Self;
        (WAITING.fetch_add(1, Ordering::Relaxed) < MOST_WAITING).then_some(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        WAITING.fetch_sub(1, Ordering::Relaxed);
    }
}

async fn within_max_wait<T, E>(permit: impl Future<Output = Result<T, E>>) -> Option<T> {
    tokio::time::timeout(MAX_WAIT, permit).await.ok()?.ok()
}

/// Runs a future on a thread that may block, which need not belong to a runtime.
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
    fn waiting_requests_are_bounded_and_dropped_ones_free_their_place() {
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

//! Permits to open an archive. They limit the memory that all open archives take together.
//!
//! | Pool | Permits | PermittedBytes by | Memory of each |
//! |---|---|---|---|
//! | requests | 6 | a request for a page, an entry or a list, until its bytes are read | an index of 13 MB, a page of at most 32 MB |
//! | slow | 2 of those 6 | a request for a list, a scaled page, or a page of a RAR or 7z archive | as for a request |
//! | background | 4 | a scan or the search for covers, for one file | as for a request |
//! | responses | 64 MiB, of which a user may take half | a page or drawing of more than 64 KiB in memory, until it is sent | its size |
//! | unpackers | 2 in total | RAR and 7z archives, as long as they are open | a directory of 70 MB, a dictionary of 64 MB |
//!
//! Requests and background work have separate pools, so that a scan delays a reader only at the
//! unpackers. More permits would not make pages faster: each page uses the disk or one core, and typical servers
//! have few of either.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

use bytes::Bytes;
use ledge_core::http::{ApiError, ApiResult};
use ledge_core::id::UserId;
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

/// Largest body that is not counted. The limit of connections bounds the sum of these bodies.
const SMALL: usize = 64 << 10;
/// Kibibytes of responses of one user: a user who reads nothing leaves half to the others.
const SHARE: u32 = 32 << 10;
/// Kibibytes that each user takes.
static SHARES: Mutex<BTreeMap<UserId, u32>> = Mutex::new(BTreeMap::new());

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

/// Returns the bytes as the body of a response to `user`, counted until the client has received
/// them. Returns the `permit` before it waits: the user's share bounds the memory of the waiting.
///
/// # Errors
/// Returns [`ApiError::Unavailable`] if unread responses of this user take the user's share, or if
/// those of all users take all memory for longer than `MAX_WAIT`.
pub async fn bounded_body(user: UserId, permit: Permit, bytes: Vec<u8>) -> ApiResult<Bytes> {
    drop(permit);
    if bytes.len() <= SMALL {
        return Ok(bytes.into());
    }
    let kibibytes = u32::try_from(bytes.len() >> 10).unwrap_or(u32::MAX) + 1;
    let share = Share::take(user, kibibytes).ok_or(ApiError::Unavailable)?;
    let permit = within_max_wait(RESPONSES.acquire_many(kibibytes)).await;
    Ok(Bytes::from_owner(PermittedBytes {
        bytes,
        _share: share,
        _permit: permit.ok_or(ApiError::Unavailable)?,
    }))
}

/// Counted memory of one user; dropping it ends the count.
struct Share {
    user: UserId,
    kibibytes: u32,
}

impl Share {
    /// Returns `None` if the user would exceed the share. A single response may exceed it.
    fn take(user: UserId, kibibytes: u32) -> Option<Self> {
        let mut shares = shares();
        let taken = shares.entry(user).or_default();
        if *taken > 0 && taken.saturating_add(kibibytes) > SHARE {
            return None;
        }
        *taken = taken.saturating_add(kibibytes);
        Some(Self { user, kibibytes })
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut shares = shares();
        let rest = shares.get(&self.user).copied().unwrap_or(0);
        match rest.saturating_sub(self.kibibytes) {
            0 => shares.remove(&self.user),
            rest => shares.insert(self.user, rest),
        };
    }
}

fn shares() -> MutexGuard<'static, BTreeMap<UserId, u32>> {
    // The mutex protects plain numbers, so a panic cannot leave them inconsistent.
    SHARES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Bytes of a response with their permit.
struct PermittedBytes {
    bytes: Vec<u8>,
    _share: Share,
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
    fn user_takes_half_of_the_memory_and_small_bodies_are_free() {
        let large = || vec![0; 20 << 20];
        let hold = |user, bytes| {
            let permit = Permit::new(None);
            block_on(bounded_body(UserId(user), permit, bytes))
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .expect("a runtime");
        let _guard = runtime.enter();
        let first = hold(1, large()).expect("the first");
        assert!(matches!(hold(1, large()), Err(ApiError::Unavailable)));
        let small: Vec<_> = (0..100).map(|_| hold(1, vec![0; SMALL])).collect();
        assert!(small.iter().all(Result::is_ok));
        let other = hold(2, large()).expect("another user");
        drop(first);
        drop(hold(1, large()).expect("after the first was read"));
        drop(other);
        assert!(shares().is_empty());
        // A response that is larger than the share is the only one of its user.
        assert!(hold(1, vec![0; 40 << 20]).is_ok());
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

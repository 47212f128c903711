//! Cache of parsed archives. Requests for one file share one index, which stays in memory for a few
//! seconds after the last request, since readers turn pages. Then it is freed.

use std::fs::File;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use ledge_core::error::ReadError;

use super::{Archive, Index, ReadResult};
use crate::formats::comic::pages;

/// Time for which an unused index stays in the cache.
const UNUSED_LIFETIME: Duration = Duration::from_secs(10);
/// Interval at which unused indexes are freed.
const SWEEP_INTERVAL: Duration = Duration::from_secs(5);
/// Most cached indexes. Each takes at most 13 MB, and its list about 10 MB more. A household rarely
/// has more readers at once, and parsing a typical index again takes a millisecond.
const MAX_CACHED: usize = 4;

/// Parsed index, with values that requests derived from it.
#[derive(Debug)]
pub struct SharedIndex {
    /// Parsed archive index.
    pub index: Index,
    pages: OnceLock<Box<[usize]>>,
    list: Mutex<Option<Bytes>>,
}

impl SharedIndex {
    pub(crate) fn new(index: Index) -> Self {
        Self {
            index,
            pages: OnceLock::new(),
            list: Mutex::new(None),
        }
    }

    /// Returns the indexes of the pages in the archive, in reading order.
    pub fn pages(&self) -> &[usize] {
        self.pages
            .get_or_init(|| pages::indexes(&self.index.members()).into())
    }

    /// Returns the body of the list response. The first request makes it and later requests reuse
    /// it.
    pub fn list(&self, make: impl FnOnce() -> ReadResult<Bytes>) -> ReadResult<Bytes> {
        let mut list = lock(&self.list);
        if let Some(list) = &*list {
            return Ok(list.clone());
        }
        let body = make()?;
        *list = Some(body.clone());
        Ok(body)
    }
}

/// Cache slot for one version of a file. It is empty until the file was parsed.
#[derive(Debug)]
struct Slot {
    key: String,
    parsed: Mutex<Option<Result<Arc<SharedIndex>, PermanentError>>>,
}

/// Permanent reason why an archive cannot be parsed. Later requests fail with it at once.
#[derive(Debug, Clone)]
enum PermanentError {
    Damaged(String),
    Limit(String),
}

impl PermanentError {
    /// Keeps errors that are permanent for this version of the file. I/O errors may be temporary.
    fn from_read_error(error: &ReadError) -> Option<Self> {
        match error {
            ReadError::Damaged(text) => Some(Self::Damaged(text.clone())),
            ReadError::Limit(text) => Some(Self::Limit(text.clone())),
            ReadError::Io(_) | ReadError::Crashed(_) => None,
        }
    }
}

impl From<PermanentError> for ReadError {
    fn from(error: PermanentError) -> Self {
        match error {
            PermanentError::Damaged(text) => Self::Damaged(text),
            PermanentError::Limit(text) => Self::Limit(text),
        }
    }
}

#[derive(Debug, Default)]
struct Cache {
    /// Slots with the time of the last request, in order of that time.
    slots: Vec<(Instant, Arc<Slot>)>,
    is_sweeping: bool,
}

static CACHE: Mutex<Cache> = Mutex::new(Cache {
    slots: Vec::new(),
    is_sweeping: false,
});

/// Opens an archive with the shared index for this version of the file. The first request parses
/// it. The caller holds a permit and runs on a blocking thread within a runtime.
pub fn open(
    key: &str,
    file: File,
    parse: fn(File) -> ReadResult<Archive<File>>,
) -> ReadResult<(Archive<File>, Arc<SharedIndex>)> {
    let slot = slot_for(key);
    let mut parsed = lock(&slot.parsed);
    if let Some(result) = parsed.clone() {
        drop(parsed);
        let shared = result?;
        return Ok((Archive::with_index(file, shared.index.clone()), shared));
    }
    match parse(file) {
        Ok(archive) => {
            let shared = Arc::new(SharedIndex::new(archive.index()));
            *parsed = Some(Ok(shared.clone()));
            Ok((archive, shared))
        }
        Err(error) => {
            *parsed = PermanentError::from_read_error(&error).map(Err);
            Err(error)
        }
    }
}

fn slot_for(key: &str) -> Arc<Slot> {
    let mut cache = lock(&CACHE);
    if !cache.is_sweeping {
        cache.is_sweeping = true;
        tokio::spawn(sweep());
    }
    cache.slot(key, Instant::now())
}

/// Frees unused indexes until the cache is empty.
async fn sweep() {
    loop {
        tokio::time::sleep(SWEEP_INTERVAL).await;
        let freed = lock(&CACHE).take_unused(Instant::now());
        if freed.is_empty() {
            continue;
        }
        let is_last = tokio::task::spawn_blocking(move || {
            drop(freed);
            let mut cache = lock(&CACHE);
            cache.is_sweeping = !cache.slots.is_empty();
            !cache.is_sweeping
        });
        if is_last.await.unwrap_or(true) {
            return;
        }
    }
}

impl Cache {
    /// Returns the slot of a key and marks it as the most recently used.
    fn slot(&mut self, key: &str, now: Instant) -> Arc<Slot> {
        let at = self.slots.iter().position(|(_, slot)| slot.key == key);
        let result = at.map(|at| self.slots.remove(at).1);
        let slot = result.unwrap_or_else(|| {
            Arc::new(Slot {
                key: key.to_owned(),
                parsed: Mutex::new(None),
            })
        });
        if self.slots.len() == MAX_CACHED {
            self.slots.remove(0);
        }
        self.slots.push((now, slot.clone()));
        slot
    }

    /// Removes and returns the slots without a recent request.
    fn take_unused(&mut self, now: Instant) -> Vec<(Instant, Arc<Slot>)> {
        let is_unused = |slot: &mut (Instant, Arc<Slot>)| {
            now.saturating_duration_since(slot.0) >= UNUSED_LIFETIME
        };
        self.slots.extract_if(.., is_unused).collect()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::fixtures::ZipBuilder;

    #[test]
    fn index_is_parsed_once_shared_and_freed_after_its_use() {
        static PARSED: AtomicUsize = AtomicUsize::new(0);
        fn parse(file: File) -> ReadResult<Archive<File>> {
            PARSED.fetch_add(1, Ordering::Relaxed);
            Archive::open(file)
        }
        fn refuse(_: File) -> ReadResult<Archive<File>> {
            PARSED.fetch_add(1, Ordering::Relaxed);
            Err(crate::archive::damaged("is torn"))
        }
        let bytes = ZipBuilder::new()
            .stored("2.jpg", b"b")
            .stored("1.jpg", b"a");
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        file.write_all(&bytes.bytes()).expect("disk space");
        let reopened = || file.reopen().expect("the file");
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let _guard = runtime.enter();

        let (_, first) = open("shared", reopened(), parse).expect("an archive");
        let (mut archive, second) = open("shared", reopened(), parse).expect("an archive");
        assert!(Arc::ptr_eq(&first, &second));
        assert_eq!(PARSED.load(Ordering::Relaxed), 1);
        assert_eq!(first.pages(), [1, 0]);
        let page = crate::formats::comic::read_page(&mut archive, 1, UNUSED_LIFETIME);
        assert_eq!(page.expect("a page"), b"a");

        for _ in 0..2 {
            let error = open("torn", reopened(), refuse).expect_err("torn");
            assert_eq!(error.to_string(), "is torn");
        }
        assert_eq!(PARSED.load(Ordering::Relaxed), 2);
        let (_, again) = open("shared", reopened(), parse).expect("an archive");
        assert!(Arc::ptr_eq(&first, &again));
        drop(again);

        let weak = Arc::downgrade(&first);
        drop((first, second, archive));
        let mut cache = lock(&CACHE);
        let at = cache.slots.last().expect("the only one").0;
        drop(cache.take_unused(at + UNUSED_LIFETIME / 2));
        assert!(weak.upgrade().is_some());
        drop(cache.take_unused(at + UNUSED_LIFETIME));
        assert!(weak.upgrade().is_none());
    }

    #[test]
    fn cache_never_exceeds_its_limit() {
        let mut cache = Cache::default();
        let now = Instant::now();
        let first = cache.slot("0", now);
        for n in 1..3 * MAX_CACHED {
            assert!(Arc::ptr_eq(&cache.slot("0", now), &first));
            cache.slot(&n.to_string(), now);
            assert!(cache.slots.len() <= MAX_CACHED);
        }
    }
}

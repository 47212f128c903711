//! Parsed archives that several requests use at once. Requests for one file share one index, which
//! is kept for a few seconds after the last of them: a reader turns pages. Then it is freed.

use std::fs::File;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use ledge_core::registry::reading::ReadError;

use super::{Archive, Index, ReadResult};
use crate::comic::pages;

/// How long an index is kept that no request asks for.
const KEPT_FOR: Duration = Duration::from_secs(10);
/// How often indexes are looked at that may be freed.
const SWEEP: Duration = Duration::from_secs(5);
/// Most indexes that are kept. They take at most 13 MB each and their lists some 10 MB more; a home
/// has hardly more readers at once, and parsing a usual index again takes a millisecond.
const MOST_KEPT: usize = 4;

/// An index, and what requests have worked out of it.
#[derive(Debug)]
pub struct SharedIndex {
    /// The parsed archive.
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

    /// Places of the pages among the archive's files, in reading order.
    pub fn pages(&self) -> &[usize] {
        self.pages
            .get_or_init(|| pages::of(&self.index.members()).into())
    }

    /// The list that a request is answered with, which the first of several requests makes.
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

/// The index of one state of a file, or why it has none, once it is parsed.
#[derive(Debug)]
struct Slot {
    key: String,
    parsed: Mutex<Option<Result<Arc<SharedIndex>, Refusal>>>,
}

/// Why an archive cannot be parsed. Requests that wait for it fail at once.
#[derive(Debug, Clone)]
enum Refusal {
    Damaged(String),
    Limit(String),
}

impl Refusal {
    /// What stays true of this state of the file, unlike the system's refusal to read.
    fn of(error: &ReadError) -> Option<Self> {
        match error {
            ReadError::Damaged(text) => Some(Self::Damaged(text.clone())),
            ReadError::Limit(text) => Some(Self::Limit(text.clone())),
            ReadError::Io(_) | ReadError::Crashed(_) => None,
        }
    }
}

impl From<Refusal> for ReadError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Damaged(text) => Self::Damaged(text),
            Refusal::Limit(text) => Self::Limit(text),
        }
    }
}

#[derive(Debug, Default)]
struct Kept {
    /// Slots and when a request last asked for them; the one that was asked for last is at the end.
    slots: Vec<(Instant, Arc<Slot>)>,
    is_swept: bool,
}

static KEPT: Mutex<Kept> = Mutex::new(Kept {
    slots: Vec::new(),
    is_swept: false,
});

/// Opens an archive with the index that other requests for the same state of the file use; the first
/// of them parses it. Callers hold a permit. On a thread that may block, within a runtime.
pub fn open(
    key: &str,
    file: File,
    parse: fn(File) -> ReadResult<Archive<File>>,
) -> ReadResult<(Archive<File>, Arc<SharedIndex>)> {
    let slot = asked_for(key);
    let mut parsed = lock(&slot.parsed);
    if let Some(known) = parsed.clone() {
        drop(parsed);
        let shared = known?;
        return Ok((Archive::with_index(file, shared.index.clone()), shared));
    }
    match parse(file) {
        Ok(archive) => {
            let shared = Arc::new(SharedIndex::new(archive.index()));
            *parsed = Some(Ok(shared.clone()));
            Ok((archive, shared))
        }
        Err(error) => {
            *parsed = Refusal::of(&error).map(Err);
            Err(error)
        }
    }
}

fn asked_for(key: &str) -> Arc<Slot> {
    let mut kept = lock(&KEPT);
    if !kept.is_swept {
        kept.is_swept = true;
        tokio::spawn(sweep());
    }
    kept.slot(key, Instant::now())
}

/// Frees indexes that no request has asked for of late, until none is left. The allocator would keep
/// what they took: it is returned to the system.
async fn sweep() {
    loop {
        tokio::time::sleep(SWEEP).await;
        let freed = lock(&KEPT).free_unused(Instant::now());
        if freed.is_empty() {
            continue;
        }
        let is_last = tokio::task::spawn_blocking(move || {
            drop(freed);
            ledge_core::return_free_memory();
            let mut kept = lock(&KEPT);
            kept.is_swept = !kept.slots.is_empty();
            !kept.is_swept
        });
        if is_last.await.unwrap_or(true) {
            return;
        }
    }
}

impl Kept {
    /// The slot of a key, which is now the one that was asked for last.
    fn slot(&mut self, key: &str, now: Instant) -> Arc<Slot> {
        let at = self.slots.iter().position(|(_, slot)| slot.key == key);
        let known = at.map(|at| self.slots.remove(at).1);
        let slot = known.unwrap_or_else(|| {
            Arc::new(Slot {
                key: key.to_owned(),
                parsed: Mutex::new(None),
            })
        });
        if self.slots.len() == MOST_KEPT {
            self.slots.remove(0);
        }
        self.slots.push((now, slot.clone()));
        slot
    }

    /// Takes out the slots that no request has asked for of late.
    fn free_unused(&mut self, now: Instant) -> Vec<(Instant, Arc<Slot>)> {
        let is_unused =
            |slot: &mut (Instant, Arc<Slot>)| now.saturating_duration_since(slot.0) >= KEPT_FOR;
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
        file.write_all(&bytes.bytes()).expect("room");
        let reopened = || file.reopen().expect("the file");
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let _guard = runtime.enter();

        let (_, first) = open("shared", reopened(), parse).expect("an archive");
        let (mut archive, second) = open("shared", reopened(), parse).expect("an archive");
        assert!(Arc::ptr_eq(&first, &second));
        assert_eq!(PARSED.load(Ordering::Relaxed), 1);
        assert_eq!(first.pages(), [1, 0]);
        let page = crate::comic::read_page(&mut archive, 1, KEPT_FOR);
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
        let mut kept = lock(&KEPT);
        let at = kept.slots.last().expect("the only one").0;
        drop(kept.free_unused(at + KEPT_FOR / 2));
        assert!(weak.upgrade().is_some());
        drop(kept.free_unused(at + KEPT_FOR));
        assert!(weak.upgrade().is_none());
    }

    #[test]
    fn no_more_indexes_are_kept_than_the_limit() {
        let mut kept = Kept::default();
        let now = Instant::now();
        let first = kept.slot("0", now);
        for n in 1..3 * MOST_KEPT {
            assert!(Arc::ptr_eq(&kept.slot("0", now), &first));
            kept.slot(&n.to_string(), now);
            assert!(kept.slots.len() <= MOST_KEPT);
        }
    }
}

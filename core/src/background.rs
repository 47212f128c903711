//! Threads that have time: scans and covers take what nobody else wants of the machine.

use std::fs::File;
use std::io::Read as _;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};
use std::thread;
use std::time::{Duration, Instant};

use ledge_native::ThreadNumber;

/// Lets everybody else go first, on this thread, for as long as it runs.
///
/// Linux interrupts such a thread the moment another wants to run, where one of low priority
/// (`nice`) would go on for some milliseconds: those are what somebody waits who reads meanwhile.
/// Elsewhere this is left to the system.
pub(crate) fn stand_back() {
    if let Err(error) = ledge_native::stand_back() {
        tracing::debug!(%error, "background work goes on as urgently as everything else");
    }
}

/// Where Linux tells how long this thread has had a core, and how long it has waited for one, in
/// nanoseconds.
pub(crate) const SCHEDULED: &str = "/proc/thread-self/schedstat";

/// How long this thread has waited for a core since it began; `None` where nobody tells.
pub(crate) fn wait_for_a_core() -> Option<Duration> {
    let mut text = [0; 64];
    let length = File::open(SCHEDULED).ok()?.read(&mut text).ok()?;
    let text = std::str::from_utf8(text.get(..length)?).ok()?;
    let nanos = text.split(' ').nth(1)?.parse().ok()?;
    Some(Duration::from_nanos(nanos))
}

/// A thread that stands back while it does what can wait, and is called forward when somebody
/// comes to wait for it: on a machine that is busy with other things, it might else hardly run.
///
/// Systems let a thread stand back, but come forward again only where the process has the right to
/// (`CAP_SYS_NICE`, or `RLIMIT_NICE` of 20). Without it, the thread stays as it is.
#[derive(Debug)]
pub(crate) struct Stance {
    /// What the times below are counted from.
    start: Instant,
    /// The thread, once it has stood back.
    thread: OnceLock<ThreadNumber>,
    is_back: AtomicBool,
    /// Milliseconds after the start since when it stands back; 0 while it does not.
    since: AtomicU64,
    /// As many until when it does not stand back.
    forward_until: AtomicU64,
}

impl Default for Stance {
    fn default() -> Self {
        Self {
            start: Instant::now(),
            thread: OnceLock::new(),
            is_back: AtomicBool::new(false),
            since: AtomicU64::new(0),
            forward_until: AtomicU64::new(0),
        }
    }
}

/// Who has waited so long for a core in one go is on a machine that is busy with other things: a
/// scan's largest transactions need one for some 120 ms.
const CROWDED: Duration = Duration::from_millis(400);
/// How long a thread does not stand back then.
const FORWARD: Duration = Duration::from_secs(10);

impl Stance {
    /// Stands back while it works, always on the same thread. It comes forward at once where
    /// `is_awaited` says so: who came just before it stood back called too early.
    pub(crate) fn during<T>(&self, is_awaited: impl Fn() -> bool, work: impl FnOnce() -> T) -> T {
        if !can_come_forward() || self.stays_forward() {
            return work();
        }
        let thread = *self.thread.get_or_init(ledge_native::this_thread);
        let waited = wait_for_a_core();
        let back = Back {
            stance: self,
            thread,
        };
        self.since.store(self.now(), Ordering::Relaxed);
        stand_back();
        self.is_back.store(true, Ordering::Relaxed);
        // Either this sees what it is awaited for, or who awaits it sees that it is back.
        fence(Ordering::SeqCst);
        if is_awaited() || self.stays_forward() {
            come_forward(thread);
        }
        let result = work();
        drop(back);
        let waited = waited.and_then(|before| wait_for_a_core()?.checked_sub(before));
        if waited.is_some_and(|waited| waited >= CROWDED) {
            self.stay_forward();
        }
        result
    }

    /// Lets the thread be like others until it has done what it does. It must not have ended, and
    /// what it is awaited for must be there already.
    pub(crate) fn call_forward(&self) {
        fence(Ordering::SeqCst);
        if self.is_back.load(Ordering::Relaxed) && self.is_back.swap(false, Ordering::Relaxed) {
            self.come_forward();
        }
    }

    /// The same, if it has stood back for so long.
    pub(crate) fn call_forward_after(&self, patience: Duration) {
        let since = self.since.load(Ordering::Relaxed);
        let ago = Duration::from_millis(self.now().saturating_sub(since));
        if since > 0 && ago >= patience {
            self.come_forward();
        }
    }

    /// Has the thread stay as it is for a while, whatever it does.
    pub(crate) fn stay_forward(&self) {
        let span = u64::try_from(FORWARD.as_millis()).unwrap_or(u64::MAX);
        self.forward_until
            .store(self.now().saturating_add(span), Ordering::Relaxed);
        fence(Ordering::SeqCst);
        if self.since.load(Ordering::Relaxed) > 0 {
            self.come_forward();
        }
    }

    fn stays_forward(&self) -> bool {
        self.now() < self.forward_until.load(Ordering::Relaxed)
    }

    fn come_forward(&self) {
        if let Some(thread) = self.thread.get() {
            come_forward(*thread);
        }
    }

    /// Never 0.
    fn now(&self) -> u64 {
        let millis = u64::try_from(self.start.elapsed().as_millis());
        millis.unwrap_or(u64::MAX).max(1)
    }
}

/// While this is there the thread stands back; also after a panic it comes forward.
struct Back<'a> {
    stance: &'a Stance,
    thread: ThreadNumber,
}

impl Drop for Back<'_> {
    fn drop(&mut self) {
        self.stance.is_back.store(false, Ordering::Relaxed);
        self.stance.since.store(0, Ordering::Relaxed);
        come_forward(self.thread);
    }
}

fn come_forward(thread: ThreadNumber) {
    if let Err(error) = ledge_native::come_forward(thread) {
        tracing::warn!(%error, "a thread that stood back could not come forward");
    }
}

/// Whether threads of this process can come forward again, tried once.
fn can_come_forward() -> bool {
    static CAN: OnceLock<bool> = OnceLock::new();
    *CAN.get_or_init(|| {
        // Not the thread that calls, which might never come forward.
        let trial = thread::Builder::new().spawn(|| {
            let there = ledge_native::this_thread();
            // Who started the server as less urgent than others is to have it so.
            if !ledge_native::is_ordinary() {
                return Err(std::io::ErrorKind::Unsupported.into());
            }
            ledge_native::stand_back().and_then(|()| ledge_native::come_forward(there))
        });
        let can = trial.is_ok_and(|trial| matches!(trial.join(), Ok(Ok(()))));
        tracing::debug!(can, "whether writes of scans stand back");
        can
    })
}

#[cfg(all(test, target_os = "linux"))]
pub(crate) mod tests {
    use std::fs;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    /// `SCHED_OTHER` and `SCHED_IDLE`, as `/proc` gives them.
    pub(crate) const OTHER: &str = "0";
    const IDLE: &str = "5";

    /// The 41st field of `/proc/thread-self/stat`.
    pub(crate) fn policy() -> String {
        let stat = fs::read_to_string("/proc/thread-self/stat").expect("facts of the thread");
        let after_name = stat.rsplit(')').next().expect("fields");
        let policy = after_name.split_whitespace().nth(38);
        policy.expect("a policy").to_owned()
    }

    /// What a thread that stands back runs as, which the right to come forward decides.
    pub(crate) fn back() -> &'static str {
        if can_come_forward() { IDLE } else { OTHER }
    }

    #[test]
    fn only_the_thread_that_asks_stands_back() {
        let there = thread::spawn(|| {
            stand_back();
            policy()
        });
        assert_eq!(there.join().expect("a policy"), IDLE);
        assert_ne!(policy(), IDLE);
    }

    #[test]
    fn a_thread_stands_back_while_it_works_unless_it_is_awaited() {
        let stance = Stance::default();
        assert_eq!(stance.during(|| false, policy), back());
        assert_eq!(policy(), OTHER);
        assert_eq!(stance.during(|| true, policy), OTHER);
        assert_eq!(stance.during(|| false, policy), back());
        let broken = catch_unwind(AssertUnwindSafe(|| {
            stance.during(|| false, || panic!("work that fails"));
        }));
        assert!(broken.is_err());
        assert_eq!(policy(), OTHER);
    }

    #[test]
    fn a_thread_that_is_to_stay_forward_does_for_a_while() {
        let stance = Stance::default();
        let policies = stance.during(
            || false,
            || {
                stance.call_forward_after(Duration::from_mins(1));
                let early = policy();
                stance.stay_forward();
                (early, policy())
            },
        );
        assert_eq!(policies, (back().to_owned(), OTHER.to_owned()));
        assert_eq!(stance.during(|| false, policy), OTHER);
        stance.forward_until.store(0, Ordering::Relaxed);
        assert_eq!(stance.during(|| false, policy), back());
    }

    /// As after a request to stop that comes just before it.
    #[test]
    fn a_thread_that_is_told_to_stay_as_it_stands_back_does_not() {
        let stance = Stance::default();
        let is_awaited = || {
            stance.stay_forward();
            false
        };
        assert_eq!(stance.during(is_awaited, policy), OTHER);
    }

    #[test]
    fn a_thread_is_called_forward_in_the_midst_of_its_work() {
        let stance = Stance::default();
        let policies = stance.during(
            || false,
            || {
                let before = policy();
                thread::scope(|scope| scope.spawn(|| stance.call_forward()).join())
                    .expect("a call");
                (before, policy())
            },
        );
        assert_eq!(policies, (back().to_owned(), OTHER.to_owned()));
        assert_eq!(stance.during(|| false, policy), back());
    }
}

//! Threads that have time: scans and covers take what nobody else wants of the machine.

use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
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

/// A thread that stands back while it does what can wait, and is called forward when somebody
/// comes to wait for it: on a machine that is busy with other things, it might else hardly run.
///
/// Systems let a thread stand back, but come forward again only where the process has the right to
/// (`CAP_SYS_NICE`, or `RLIMIT_NICE` of 20). Without it, the thread stays as it is.
#[derive(Debug, Default)]
pub(crate) struct Stance {
    /// The thread, once it has stood back.
    thread: OnceLock<ThreadNumber>,
    is_back: AtomicBool,
    times: Mutex<Times>,
}

#[derive(Debug, Default)]
struct Times {
    /// Since when it stands back, or would if nobody had called.
    since: Option<Instant>,
    /// Until when it does not stand back, as it hardly ran when it last did.
    crowded: Option<Instant>,
}

/// How long a thread stays as it is on a machine that is busy with other things.
const CROWDED: Duration = Duration::from_secs(10);

impl Stance {
    /// Stands back while it works, always on the same thread. It comes forward at once where
    /// `is_awaited` says so: who came just before it stood back called too early.
    pub(crate) fn during<T>(&self, is_awaited: impl Fn() -> bool, work: impl FnOnce() -> T) -> T {
        if !can_come_forward() || self.is_crowded() {
            return work();
        }
        let thread = *self.thread.get_or_init(ledge_native::this_thread);
        self.times().since = Some(Instant::now());
        let forward = Forward(thread);
        self.is_back.store(true, Ordering::Relaxed);
        stand_back();
        // Either this sees what it is awaited for, or who awaits it sees that it is back.
        fence(Ordering::SeqCst);
        if is_awaited() {
            come_forward(thread);
        }
        let result = work();
        self.is_back.store(false, Ordering::Relaxed);
        // Nobody is to wait for a lock that this thread holds while others go first.
        drop(forward);
        self.times().since = None;
        result
    }

    /// Lets the thread be like others until it has done what it does. It must not have ended, and
    /// what it is awaited for must be there already.
    pub(crate) fn call_forward(&self) {
        fence(Ordering::SeqCst);
        if let Some(thread) = self.thread.get()
            && self.is_back.load(Ordering::Relaxed)
            && self.is_back.swap(false, Ordering::Relaxed)
        {
            come_forward(*thread);
        }
    }

    /// Calls it forward because it takes too long, and has it stay there for a while.
    pub(crate) fn insist(&self) {
        self.times().crowded = Some(Instant::now() + CROWDED);
        if let Some(thread) = self.thread.get() {
            come_forward(*thread);
        }
    }

    /// The same, if it has stood back for so long.
    pub(crate) fn insist_after(&self, patience: Duration) {
        let since = self.times().since;
        if since.is_some_and(|since| since.elapsed() >= patience) {
            self.insist();
        }
    }

    fn is_crowded(&self) -> bool {
        let until = self.times().crowded;
        until.is_some_and(|until| Instant::now() < until)
    }

    fn times(&self) -> MutexGuard<'_, Times> {
        self.times.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The thread comes forward when this is dropped, also after a panic.
struct Forward(ThreadNumber);

impl Drop for Forward {
    fn drop(&mut self) {
        come_forward(self.0);
    }
}

fn come_forward(thread: ThreadNumber) {
    // One that has ended meanwhile is waited for by nobody.
    if let Err(error) = ledge_native::come_forward(thread) {
        tracing::debug!(%error, "a thread that stood back could not come forward");
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

    /// Who comes just before the thread stands back finds nobody to call.
    #[test]
    fn who_called_too_early_is_seen() {
        let stance = Stance::default();
        stance.during(|| false, || ());
        let is_awaited = || {
            stance.call_forward();
            true
        };
        assert_eq!(stance.during(is_awaited, policy), OTHER);
    }

    #[test]
    fn a_thread_that_was_waited_for_too_long_stays_forward_for_a_while() {
        let stance = Stance::default();
        let policies = stance.during(
            || false,
            || {
                stance.insist_after(Duration::from_mins(1));
                let before = policy();
                stance.insist_after(Duration::ZERO);
                (before, policy())
            },
        );
        assert_eq!(policies, (back().to_owned(), OTHER.to_owned()));
        // Where it may never stand back, nobody has waited for it.
        let crowded = stance.times().crowded.is_some();
        assert_eq!(crowded, can_come_forward());
        assert_eq!(stance.during(|| false, policy), OTHER);
        stance.times().crowded = Some(Instant::now());
        assert_eq!(stance.during(|| false, policy), back());
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

//! How the kernel shares a core among threads.

use std::io;
use std::time::Duration;

/// How long this thread would run at a stretch where others wait for its core; `None` for as long
/// as others do. Its share of the core stays the same. Who wakes up with a shorter slice than the
/// thread that runs goes before it at once (Linux 6.12 and later, from 0.1 to 100 ms; older kernels
/// take no notice). Threads of real time or with deadlines have no slices and are left as they are.
///
/// # Errors
///
/// What the kernel refuses, as it does where a sandbox forbids the call, and where the thread has
/// no slices.
#[cfg(target_os = "linux")]
pub fn set_slice(slice: Option<Duration>) -> io::Result<()> {
    let mut facts = linux::facts()?;
    if !linux::has_slices(&facts) {
        return Err(io::ErrorKind::Unsupported.into());
    }
    // Nothing means the usual.
    let nanos = slice.map_or(0, |slice| slice.as_nanos());
    facts.sched_runtime = u64::try_from(nanos).unwrap_or(u64::MAX);
    linux::set(facts)
}

/// How long this thread would run at a stretch; nothing where the kernel does not tell.
///
/// # Errors
///
/// What the kernel refuses.
#[cfg(target_os = "linux")]
pub fn slice() -> io::Result<Option<Duration>> {
    let facts = linux::facts()?;
    let is_told = linux::has_slices(&facts) && facts.sched_runtime > 0;
    Ok(is_told.then(|| Duration::from_nanos(facts.sched_runtime)))
}

/// Other systems have no such setting.
///
/// # Errors
///
/// None.
#[cfg(not(target_os = "linux"))]
pub fn set_slice(_slice: Option<Duration>) -> io::Result<()> {
    Ok(())
}

/// Other systems tell nothing.
///
/// # Errors
///
/// None.
#[cfg(not(target_os = "linux"))]
pub fn slice() -> io::Result<Option<Duration>> {
    Ok(None)
}

#[cfg(target_os = "linux")]
mod linux {
    use std::io;
    use std::mem::size_of;

    use libc::sched_attr;

    /// The calling thread.
    const THIS: libc::pid_t = 0;
    const NO_FLAGS: libc::c_uint = 0;

    /// How this thread is scheduled: policy, niceness and slice.
    pub(super) fn facts() -> io::Result<sched_attr> {
        let size = size()?;
        let mut facts = sched_attr {
            size,
            sched_policy: 0,
            sched_flags: 0,
            sched_nice: 0,
            sched_priority: 0,
            sched_runtime: 0,
            sched_deadline: 0,
            sched_period: 0,
        };
        // SAFETY: the kernel writes at most `size` bytes, which is what `facts` has, and any bits
        // are good numbers.
        let result = unsafe {
            libc::syscall(
                libc::SYS_sched_getattr,
                THIS,
                &raw mut facts,
                size,
                NO_FLAGS,
            )
        };
        told(result)?;
        Ok(facts)
    }

    /// Whether its policy is one of those that share a core by slices.
    pub(super) fn has_slices(facts: &sched_attr) -> bool {
        let policies = [libc::SCHED_OTHER, libc::SCHED_BATCH];
        policies
            .map(libc::c_int::cast_unsigned)
            .contains(&facts.sched_policy)
    }

    /// Schedules this thread so; `facts` are what [`facts`] told, changed.
    pub(super) fn set(mut facts: sched_attr) -> io::Result<()> {
        facts.size = size()?;
        // SAFETY: the kernel reads `size` bytes, which is what `facts` has, and may write another
        // number there.
        let result =
            unsafe { libc::syscall(libc::SYS_sched_setattr, THIS, &raw mut facts, NO_FLAGS) };
        told(result)
    }

    fn size() -> io::Result<libc::c_uint> {
        libc::c_uint::try_from(size_of::<sched_attr>()).map_err(io::Error::other)
    }

    fn told(result: libc::c_long) -> io::Result<()> {
        if result == 0 {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::thread;

    use super::*;

    /// Niceness and policy.
    fn others() -> (i32, u32) {
        let facts = linux::facts().expect("facts of the thread");
        (facts.sched_nice, facts.sched_policy)
    }

    #[test]
    fn a_slice_is_set_for_one_thread_and_changes_nothing_else() {
        // Some sandboxes forbid to ask.
        let Ok(usual) = slice() else { return };
        let (long, before) = (Duration::from_millis(20), others());
        let there = thread::spawn(move || {
            set_slice(Some(long)).expect("a longer slice");
            let set = (slice().expect("a slice"), others());
            set_slice(None).expect("the usual slice");
            (set, slice().expect("a slice"))
        });
        let (set, back) = there.join().expect("a thread");
        // Kernels before 6.12 tell of none.
        assert_eq!(set.0, usual.map(|_| long));
        assert_eq!(set.1, before);
        assert_eq!(back, usual);
        assert_eq!(slice().expect("a slice"), usual);
    }
}

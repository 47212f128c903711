//! Which threads the system lets go first.

use std::io;

/// A thread, as the kernel numbers it. The number of one that has ended may be given to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadNumber(i32);

/// The thread that calls.
#[must_use]
pub fn this_thread() -> ThreadNumber {
    ThreadNumber(system::this_thread())
}

/// Whether the thread that calls is scheduled as most are, whatever its niceness.
#[must_use]
pub fn is_ordinary() -> bool {
    system::is_ordinary()
}

/// Lets all others go first, on the thread that calls: Linux interrupts it the moment another wants
/// to run.
///
/// # Errors
///
/// Where the system knows no such threads.
pub fn stand_back() -> io::Result<()> {
    system::stand_back()
}

/// Makes a thread one like most, after it stood back.
///
/// # Errors
///
/// Where that takes a right which this process lacks (`CAP_SYS_NICE`, or `RLIMIT_NICE` of 20 less
/// its niceness), and where the thread has ended.
pub fn come_forward(thread: ThreadNumber) -> io::Result<()> {
    system::come_forward(thread)
}

#[cfg(target_os = "linux")]
mod system {
    use std::io;

    use super::ThreadNumber;

    /// What stands for the thread that calls.
    const THIS: ThreadNumber = ThreadNumber(0);

    pub(super) fn this_thread() -> libc::pid_t {
        // SAFETY: the call takes nothing, changes nothing and cannot fail.
        unsafe { libc::gettid() }
    }

    pub(super) fn is_ordinary() -> bool {
        // SAFETY: the call takes a number and changes nothing.
        let policy = unsafe { libc::syscall(libc::SYS_sched_getscheduler, number(THIS)) };
        policy == libc::c_long::from(libc::SCHED_OTHER)
    }

    pub(super) fn stand_back() -> io::Result<()> {
        set(THIS, libc::SCHED_IDLE)
    }

    pub(super) fn come_forward(thread: ThreadNumber) -> io::Result<()> {
        set(thread, libc::SCHED_OTHER)
    }

    fn number(thread: ThreadNumber) -> libc::c_long {
        thread.0.into()
    }

    /// By its number, as the C library knows no such call for a thread; that of musl knows none at
    /// all.
    fn set(thread: ThreadNumber, policy: libc::c_int) -> io::Result<()> {
        // What such policies must have.
        let priority: libc::c_int = 0;
        // SAFETY: the kernel reads one number behind the pointer, for as long as the call takes. It
        // refuses threads that there are not, and those of others.
        let result = unsafe {
            libc::syscall(
                libc::SYS_sched_setscheduler,
                number(thread),
                libc::c_long::from(policy),
                &raw const priority,
            )
        };
        if result == 0 {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::io;

    use super::ThreadNumber;

    pub(super) fn this_thread() -> i32 {
        0
    }

    pub(super) fn is_ordinary() -> bool {
        true
    }

    pub(super) fn stand_back() -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn come_forward(_thread: ThreadNumber) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn each_thread_has_a_number_of_its_own() {
        let other = thread::scope(|scope| scope.spawn(this_thread).join().expect("a number"));
        assert_ne!(other, this_thread());
    }

    #[test]
    fn a_thread_that_there_is_not_cannot_come_forward() {
        assert!(come_forward(ThreadNumber(i32::MAX)).is_err());
    }
}

//! Priority of the threads that do background work, such as walking folders and making covers.

/// Largest nice value: the lowest priority of normal threads.
const LOWEST: i32 = 19;

/// Lowers the priority of the calling thread until it ends, so that threads that serve requests
/// get a core first. Needs no privilege; it cannot be raised again without one.
///
/// On systems other than Linux, a nice value is a property of the process, so nothing changes
/// there.
#[cfg(target_os = "linux")]
pub(crate) fn lower_priority() {
    if let Err(error) = rustix::process::nice(LOWEST) {
        tracing::debug!(%error, "background work runs at normal priority");
    }
}

/// Other systems have no nice value per thread.
#[cfg(not(target_os = "linux"))]
pub(crate) fn lower_priority() {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// Returns the nice value, the 19th field of `/proc/thread-self/stat`.
    fn nice_value() -> i32 {
        let stat = std::fs::read_to_string("/proc/thread-self/stat").expect("facts of the thread");
        let after_name = stat.rsplit(')').next().expect("fields");
        let value = after_name.split_whitespace().nth(16).expect("a value");
        value.parse().expect("a number")
    }

    #[test]
    fn only_calling_thread_gets_lower_priority() {
        let before = nice_value();
        let lowered = std::thread::spawn(|| {
            lower_priority();
            nice_value()
        });
        assert_eq!(lowered.join().expect("a value"), LOWEST);
        assert_eq!(nice_value(), before);
    }
}

//! Threads that have time: scans and covers take what nobody else wants of the machine.

/// Lets everybody else go first, on this thread, for as long as it runs.
///
/// Linux interrupts such a thread the moment another wants to run, where one of low priority
/// (`nice`) would go on for some milliseconds: those are what somebody waits who reads meanwhile.
/// Elsewhere this is left to the system.
pub(crate) fn stand_back() {
    #[cfg(target_os = "linux")]
    {
        use thread_priority::unix::{
            NormalThreadSchedulePolicy, ThreadSchedulePolicy, set_thread_priority_and_policy,
            thread_native_id,
        };
        let idle = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);
        let least = thread_priority::ThreadPriority::Min;
        if let Err(error) = set_thread_priority_and_policy(thread_native_id(), least, idle) {
            tracing::debug!(%error, "background work goes on as urgently as everything else");
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;
    use std::thread;

    /// `SCHED_IDLE`, the 41st field of `/proc/thread-self/stat`.
    const IDLE: &str = "5";

    fn policy() -> String {
        let stat = fs::read_to_string("/proc/thread-self/stat").expect("facts of the thread");
        let after_name = stat.rsplit(')').next().expect("fields");
        let policy = after_name.split_whitespace().nth(38);
        policy.expect("a policy").to_owned()
    }

    #[test]
    fn only_the_thread_that_asks_stands_back() {
        let there = thread::spawn(|| {
            super::stand_back();
            policy()
        });
        assert_eq!(there.join().expect("a policy"), IDLE);
        assert_ne!(policy(), IDLE);
    }
}

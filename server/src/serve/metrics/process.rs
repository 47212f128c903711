//! Process metrics of the system, under the standard names of Prometheus clients.

use std::fs;
use std::time::Duration;

use super::exposition::Exposition;

/// Adds the available process metrics; there are none on a system without `/proc`.
pub(super) fn describe(text: &mut Exposition) {
    if let Some(bytes) = resident_bytes() {
        const NAME: &str = "process_resident_memory_bytes";
        text.family(NAME, "gauge", "Resident memory.");
        text.count(NAME, &[], bytes);
    }
    if let Some(time) = cpu_time() {
        const NAME: &str = "process_cpu_seconds_total";
        text.family(NAME, "counter", "Processor time of user and system.");
        text.seconds(NAME, time);
    }
    if let Ok(open) = fs::read_dir("/proc/self/fd") {
        const NAME: &str = "process_open_fds";
        text.family(NAME, "gauge", "Open files and connections.");
        text.count(NAME, &[], open.count() as u64);
    }
}

fn resident_bytes() -> Option<u64> {
    let pages = fs::read_to_string("/proc/self/statm").ok()?;
    let resident: u64 = pages.split(' ').nth(1)?.parse().ok()?;
    resident.checked_mul(rustix::param::page_size() as u64)
}

fn cpu_time() -> Option<Duration> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is the process name in parentheses, which may contain any characters; only
    // numbers follow it.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    let all = ticks()? + ticks()?;
    let a_second = rustix::param::clock_ticks_per_second();
    let whole = all.checked_div(a_second)?;
    let rest = all.checked_rem(a_second)? * 1000 / a_second;
    Some(Duration::from_secs(whole) + Duration::from_millis(rest))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn process_metrics_contain_memory_and_time() {
        assert!(resident_bytes().is_some_and(|bytes| bytes > 1 << 20));
        assert!(cpu_time().is_some());
    }
}

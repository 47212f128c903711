//! What the C library's allocator keeps, and for how many threads.

/// Lets glibc make no more arenas than `most`, beside those that there are. Left to itself, it makes
/// one for nearly every thread and keeps in each what is freed there. Nothing happens where
/// somebody has set a number in the environment, nor with another C library.
///
/// It is to be called before there are other threads.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn limit_arenas(most: usize) {
    let tunables = std::env::var_os("GLIBC_TUNABLES").unwrap_or_default();
    let is_tuned = tunables.to_string_lossy().contains("malloc.arena_max");
    if is_tuned || std::env::var_os("MALLOC_ARENA_MAX").is_some() {
        return;
    }
    let most = libc::c_int::try_from(most).unwrap_or(libc::c_int::MAX);
    // SAFETY: `mallopt` takes two numbers, may be called at any time, and changes nothing where it
    // refuses them.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, most);
    }
}

/// Other C libraries have no arenas that could be counted.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn limit_arenas(_most: usize) {}

/// Gives the system back what is free within glibc's arenas; of itself, it would give back no more
/// than what lies free at an arena's end. Nothing happens with another C library.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn return_free_memory() {
    /// Bytes that are left free at the end of the first arena.
    const NONE: libc::size_t = 0;
    // SAFETY: `malloc_trim` takes a number and may be called at any time, by any thread.
    unsafe {
        libc::malloc_trim(NONE);
    }
}

/// Other C libraries have no such call.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn return_free_memory() {}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::*;

    /// Kilobytes of this process that are resident.
    fn resident() -> u64 {
        let facts = std::fs::read_to_string("/proc/self/status").expect("facts of the process");
        let line = facts.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let number = line.and_then(|line| line.split_whitespace().next());
        number.expect("a size").parse().expect("a number")
    }

    #[test]
    fn what_is_free_between_what_is_used_is_given_back() {
        let mut all: Vec<Vec<u8>> = (0..64_000).map(|_| vec![1; 1_000]).collect();
        let last = all.pop();
        let full = resident();
        drop(all);
        return_free_memory();
        let left = resident();
        assert!(left + 48_000 < full, "{left} of {full} kB are left");
        assert!(last.is_some_and(|last| last.len() == 1_000));
    }
}

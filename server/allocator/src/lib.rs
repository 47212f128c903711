//! How the C library's allocator divides memory among threads, which only unsafe code can tell it.

/// Lets glibc make no more arenas than `most`, beside those that there are. Left to itself, it makes
/// one for nearly every thread and keeps in each what is freed there. Nothing happens where
/// somebody has set a number in the environment, nor with another C library.
///
/// It is to be called before there are other threads.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn limit_arenas(most: usize) {
    let told = ["MALLOC_ARENA_MAX", "GLIBC_TUNABLES"];
    if told.iter().any(|name| std::env::var_os(name).is_some()) {
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

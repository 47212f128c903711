//! Randomness of the operating system.

/// Returns random bytes of the operating system.
///
/// # Panics
///
/// Panics if the system has no randomness, because secrets would then be predictable.
pub fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    #[expect(clippy::disallowed_methods, reason = "the only source of randomness")]
    getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
    bytes
}

/// Returns a random number below `bound`, or 0 if `bound` is 0. The remainder has a small bias,
/// which is harmless for jitter and sampling.
pub fn random_below(bound: u64) -> u64 {
    u64::from_le_bytes(random_bytes())
        .checked_rem(bound)
        .unwrap_or(0)
}

//! Password hashes in PHC format: argon2id with 19 MiB, two passes and one lane.

use argon2::password_hash::phc::{Output, PasswordHash, Salt};
use argon2::{Algorithm, Argon2, Block, Params, Version};
use ledge_core::http::{ApiError, ApiResult};
use ledge_core::rng::random_bytes;

/// Shortest password, in bytes.
const MIN_LENGTH: usize = 8;
/// Longest password, in bytes.
const MAX_LENGTH: usize = 1024;

/// Reusable memory of one hash: 19 MiB are slow to allocate and to free.
pub(crate) type Memory = Vec<Block>;

/// Capacity of the memory, in blocks of 1 KiB; unused pages cost nothing. glibc returns freed
/// blocks of more than 32 MiB to the system at once. Smaller blocks would stay in the arena of each
/// thread.
const RESERVED: usize = 33 << 10;

/// Hash for the verification of unknown usernames, at the same cost. No password has this hash: its
/// output is all zeros.
const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA\
                      $AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Checks that a text can be a password; `field` is its name in the request.
pub(crate) fn validate(password: &str, field: &'static str) -> ApiResult<()> {
    if is_valid(password) {
        return Ok(());
    }
    Err(ApiError::invalid(field, REQUIREMENT))
}

/// Sentence that describes the rule of [`is_valid`].
pub(crate) const REQUIREMENT: &str = "A password has 8 to 1024 bytes.";

/// Returns `true` if a text can be a password.
pub(crate) fn is_valid(password: &str) -> bool {
    (MIN_LENGTH..=MAX_LENGTH).contains(&password.len())
}

/// Returns the hash of a password with a new salt.
pub(crate) fn hash(password: &str, memory: &mut Memory) -> anyhow::Result<String> {
    let salt = random_bytes::<16>();
    let mut output = [0; 32];
    fill(password, &salt, &Params::DEFAULT, &mut output, memory)?;
    let hash = PasswordHash {
        algorithm: argon2::ARGON2ID_IDENT,
        version: Some(Version::V0x13.into()),
        params: (&Params::DEFAULT).try_into()?,
        salt: Some(Salt::new(&salt)?),
        hash: Some(Output::new(&output)?),
    };
    Ok(hash.to_string())
}

/// Returns `true` if the password has this hash. Without a hash, it takes the same time and returns
/// `false`.
pub(crate) fn verify(
    password: &str,
    stored: Option<&str>,
    memory: &mut Memory,
) -> anyhow::Result<bool> {
    let hash = PasswordHash::new(stored.unwrap_or(NOBODY))?;
    let (Some(salt), Some(expected)) = (hash.salt, hash.hash) else {
        anyhow::bail!("a stored password hash has no salt or no output");
    };
    let params = Params::try_from(&hash)?;
    let mut output = vec![0; expected.len()];
    fill(password, salt.as_ref(), &params, &mut output, memory)?;
    // The comparison takes constant time.
    Ok(stored.is_some() && Output::new(&output)? == expected)
}

fn fill(
    password: &str,
    salt: &[u8],
    params: &Params,
    output: &mut [u8],
    memory: &mut Memory,
) -> anyhow::Result<()> {
    if memory.len() < params.block_count() {
        memory.reserve_exact(RESERVED.saturating_sub(memory.len()));
        memory.resize(params.block_count(), Block::new());
    }
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params.clone())
        .hash_password_into_with_memory(password.as_bytes(), salt, output, memory)
        .map_err(|error| anyhow::anyhow!("argon2: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_matches_only_its_password() {
        let mut memory = Memory::new();
        let stored = hash("correct horse", &mut memory).expect("a hash");
        assert!(
            stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
            "{stored}"
        );
        assert!(verify("correct horse", Some(&stored), &mut memory).expect("an answer"));
        assert!(!verify("correct horsf", Some(&stored), &mut memory).expect("an answer"));
        let again = hash("correct horse", &mut memory).expect("a hash");
        assert_ne!(stored, again, "each hash has a salt of its own");
    }

    #[test]
    fn fallback_hash_is_valid_and_matches_no_password() {
        let mut memory = Memory::new();
        assert!(!verify("", None, &mut memory).expect("an answer"));
        assert!(!verify("anything else", None, &mut memory).expect("an answer"));
    }

    /// Checks a hash that the command line of the reference implementation created.
    #[test]
    fn hash_with_cheaper_parameters_is_verified() {
        let mut memory = Memory::new();
        let small = Params::new(64, 2, 1, None).expect("parameters");
        let mut output = [0; 32];
        fill("password", b"somesalt", &small, &mut output, &mut memory).expect("a hash");
        let stored = format!(
            "$argon2id$v=19$m=64,t=2,p=1$c29tZXNhbHQ${}",
            Output::new(&output).expect("an output")
        );
        assert!(verify("password", Some(&stored), &mut memory).expect("an answer"));
    }

    #[test]
    fn password_has_8_to_1024_bytes() {
        for (password, good) in [
            ("1234567".to_owned(), false),
            ("12345678".to_owned(), true),
            ("öööö".to_owned(), true),
            ("x".repeat(1024), true),
            ("x".repeat(1025), false),
        ] {
            assert_eq!(
                validate(&password, "password").is_ok(),
                good,
                "{}",
                password.len()
            );
        }
    }
}

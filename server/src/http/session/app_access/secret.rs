//! Secrets of app passwords: 20 symbols of Crockford's base32, which are 100 bits.

use std::fmt::Write as _;

use ledge_core::rng::random_bytes;
use ledge_core::store::account::app_password::{Nonce, SecretHash, StoredSecret};
use md5::Md5;
use sha2::{Digest as _, Sha256};

use super::server_key::ServerKey;

/// Symbols of Crockford's base32 in lower case: without i, l, o and u, which resemble others.
const SYMBOLS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Number of symbols of a secret.
const LENGTH: usize = 20;

/// Secret of an app password. It has no `Debug` output, so that it is never logged.
pub(crate) struct Secret(String);

impl Secret {
    /// Generates a secret.
    pub(crate) fn generate(key: &ServerKey) -> (Self, StoredSecret) {
        let nonce = random_bytes();
        let secret = Self::derived(key, &nonce);
        let stored = StoredSecret {
            nonce,
            secret_hash: hash(&secret.0),
            md5_hash: hash(&secret.md5()),
        };
        (secret, stored)
    }

    /// Derives the secret of a nonce.
    pub(super) fn derived(key: &ServerKey, nonce: &Nonce) -> Self {
        let bytes = key.derive(nonce);
        let bit = |at: usize| bytes.get(at / 8).map_or(0, |byte| byte >> (7 - at % 8) & 1);
        let symbol = |n: usize| {
            let value = (0..5).fold(0, |value, at| value << 1 | bit(5 * n + at));
            SYMBOLS.get(usize::from(value)).copied().unwrap_or(b'0')
        };
        Self((0..LENGTH).map(|n| char::from(symbol(n))).collect())
    }

    /// Returns the secret, for the response that issues it.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the SHA-256, which the database stores.
    pub(super) fn hash(&self) -> SecretHash {
        hash(&self.0)
    }

    /// Returns the MD5 in hexadecimal digits.
    fn md5(&self) -> String {
        md5_hex(&[&self.0])
    }

    /// Returns the MD5 of the secret and a salt in hexadecimal digits.
    pub(super) fn token(&self, salt: &str) -> String {
        md5_hex(&[&self.0, salt])
    }
}

/// Returns the SHA-256 of a text.
pub(super) fn hash(text: &str) -> SecretHash {
    Sha256::digest(text.as_bytes()).into()
}

fn md5_hex(parts: &[&str]) -> String {
    let mut digest = Md5::new();
    for part in parts {
        digest.update(part.as_bytes());
    }
    let mut hex = String::with_capacity(32);
    for byte in digest.finalize() {
        write!(hex, "{byte:02x}").expect("a string takes any text");
    }
    hex
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_has_twenty_symbols_and_is_derived_from_its_nonce() {
        let key = ServerKey::random();
        let (secret, stored) = Secret::generate(&key);
        assert_eq!(secret.0.len(), 20);
        assert!(secret.0.bytes().all(|byte| SYMBOLS.contains(&byte)));
        assert_eq!(Secret::derived(&key, &stored.nonce).0, secret.0);
        assert_eq!(stored.secret_hash, secret.hash());
        let (other, _) = Secret::generate(&key);
        assert_ne!(other.0, secret.0);
        let lost = Secret::derived(&ServerKey::random(), &stored.nonce);
        assert_ne!(lost.0, secret.0);
    }

    #[test]
    fn tokens_are_those_of_the_protocols() {
        let secret = Secret("sesame".to_owned());
        // The example of the Subsonic API.
        assert_eq!(secret.token("c19b2d"), "26719a1196d2a940705a59634eb18eab");
        assert_eq!(secret.md5(), "c8dae1c50e092f3d877192fc555b1dcf");
    }
}

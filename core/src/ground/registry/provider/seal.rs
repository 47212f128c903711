//! Encryption of the stored keys of providers with ChaCha20-Poly1305 (RFC 8439). The key is outside
//! of the database, so that a stolen database or backup contains no secret.

use std::fmt;

use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};

use crate::rng::random_bytes;

/// Length of a nonce in bytes.
pub const NONCE_LENGTH: usize = 12;

/// Key that encrypts secrets. Its `Debug` output contains no key.
#[derive(Clone)]
pub struct SealingKey(LessSafeKey);

/// Encrypted secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    /// Random number, used for this secret only.
    pub nonce: [u8; NONCE_LENGTH],
    /// Ciphertext, followed by the tag of 16 bytes.
    pub bytes: Vec<u8>,
}

impl fmt::Debug for SealingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealingKey")
    }
}

impl SealingKey {
    /// Creates a key from random or derived bytes.
    pub fn new(key: &[u8; 32]) -> Self {
        let key = UnboundKey::new(&CHACHA20_POLY1305, key).expect("the key has 32 bytes");
        Self(LessSafeKey::new(key))
    }

    /// Encrypts a secret. It can be opened only with the same `context`, such as the name of its
    /// row. A value that is copied to another row is therefore unreadable.
    pub fn seal(&self, context: &str, secret: &str) -> Sealed {
        // A server seals a few hundred secrets in its life, so random nonces do not collide.
        let nonce: [u8; NONCE_LENGTH] = random_bytes();
        let mut bytes = secret.as_bytes().to_vec();
        self.0
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(context.as_bytes()),
                &mut bytes,
            )
            .expect("a secret is shorter than the limit of the cipher, 256 GB");
        Sealed { nonce, bytes }
    }

    /// Decrypts a secret. Returns `None` if the key or the context is another one, or if the value
    /// is damaged.
    pub fn open(&self, context: &str, sealed: &Sealed) -> Option<String> {
        let mut bytes = sealed.bytes.clone();
        let plain = self
            .0
            .open_in_place(
                Nonce::assume_unique_for_key(sealed.nonce),
                Aad::from(context.as_bytes()),
                &mut bytes,
            )
            .ok()?;
        String::from_utf8(plain.to_vec()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sealed_secret_opens_only_with_its_key_and_context() {
        let key = SealingKey::new(&[1; 32]);
        let sealed = key.seal("vault/KEY", "hunter2");
        assert_eq!(key.open("vault/KEY", &sealed).as_deref(), Some("hunter2"));
        assert_eq!(key.open("other/KEY", &sealed), None);
        assert_eq!(SealingKey::new(&[2; 32]).open("vault/KEY", &sealed), None);
        assert!(!sealed.bytes.windows(7).any(|part| part == b"hunter2"));
        let mut damaged = sealed.clone();
        if let Some(first) = damaged.bytes.first_mut() {
            *first ^= 1;
        }
        assert_eq!(key.open("vault/KEY", &damaged), None);
        damaged.bytes.clear();
        assert_eq!(key.open("vault/KEY", &damaged), None);
    }

    #[test]
    fn equal_secrets_have_different_ciphertexts() {
        let key = SealingKey::new(&[1; 32]);
        let (first, second) = (key.seal("a", "hunter2"), key.seal("a", "hunter2"));
        assert_ne!(first.nonce, second.nonce);
        assert_ne!(first.bytes, second.bytes);
        assert!(!format!("{key:?} {first:?}").contains("hunter2"));
    }
}

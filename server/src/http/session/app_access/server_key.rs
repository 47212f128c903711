//! Key of the server, from which the secrets of app passwords and the key of stored provider keys
//! are derived. It is in a file next to the database, so that a stolen database or backup contains
//! no secret.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use hmac::{Hmac, KeyInit as _, Mac as _};
use ledge_core::registry::provider::SealingKey;
use ledge_core::rng::random_bytes;
use ledge_core::store::account::app_password::Nonce;
use sha2::Sha256;

/// Length of the key in bytes.
const LENGTH: usize = 32;

/// Purpose of the secrets of app passwords. Each purpose derives unrelated bytes.
const PURPOSE: &[u8] = b"ledge-app-1";
/// Purpose of the key that encrypts the keys of metadata providers.
const SEALING: &[u8] = b"ledge-provider-keys-1";

/// Random key. It has no `Debug` output, so that it is never logged.
pub(crate) struct ServerKey([u8; LENGTH]);

impl fmt::Debug for ServerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServerKey")
    }
}

impl ServerKey {
    /// Generates a key.
    pub(crate) fn random() -> Self {
        Self(random_bytes())
    }

    /// Reads the key from a file. An absent file is created, readable by its owner only.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read or created, or does not contain a key.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        match File::open(path) {
            Ok(file) => Self::read(file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::create(path),
            Err(error) => Err(error),
        }
    }

    fn read(file: File) -> io::Result<Self> {
        let mut bytes = Vec::with_capacity(LENGTH + 1);
        file.take(LENGTH as u64 + 1).read_to_end(&mut bytes)?;
        let key = bytes.try_into().map_err(|_| {
            let problem = format!("the file must contain exactly {LENGTH} bytes");
            io::Error::new(io::ErrorKind::InvalidData, problem)
        })?;
        Ok(Self(key))
    }

    /// Writes a new key to another name first, because a crash must not leave half a key.
    fn create(path: &Path) -> io::Result<Self> {
        let key = Self::random();
        let mut unfinished = path.as_os_str().to_owned();
        unfinished.push(".new");
        let mut file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&unfinished)?;
        file.write_all(&key.0)?;
        file.sync_all()?;
        fs::rename(&unfinished, path)?;
        Ok(key)
    }

    /// Derives bytes of a secret from its nonce.
    pub(super) fn derive(&self, nonce: &Nonce) -> [u8; 32] {
        self.derive_for(PURPOSE, nonce)
    }

    /// Derives the key that encrypts the keys of metadata providers.
    pub(crate) fn sealing_key(&self) -> SealingKey {
        SealingKey::new(&self.derive_for(SEALING, &[]))
    }

    fn derive_for(&self, purpose: &[u8], nonce: &[u8]) -> [u8; 32] {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes any length");
        mac.update(purpose);
        mac.update(nonce);
        mac.finalize().into_bytes().into()
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn key_is_created_once_for_its_owner_only() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ledge.key");
        let first = ServerKey::open(&path).expect("a new key");
        let mode = fs::metadata(&path).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let second = ServerKey::open(&path).expect("the same key");
        assert_eq!(first.derive(&[1; 16]), second.derive(&[1; 16]));
        assert_ne!(first.derive(&[1; 16]), first.derive(&[2; 16]));
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }

    #[test]
    fn sealing_key_depends_on_the_key_and_is_no_app_password() {
        let (first, second) = (ServerKey([1; LENGTH]), ServerKey([2; LENGTH]));
        let sealed = first.sealing_key().seal("a", "hunter2");
        let opened = first.sealing_key().open("a", &sealed);
        assert_eq!(opened.as_deref(), Some("hunter2"));
        assert_eq!(second.sealing_key().open("a", &sealed), None);
        let secret = SealingKey::new(&first.derive(&[0; 16]));
        assert_eq!(secret.open("a", &sealed), None);
    }

    #[test]
    fn file_of_other_length_is_refused_unchanged() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ledge.key");
        for content in [&b""[..], &[7; 31], &[7; 33]] {
            fs::write(&path, content).expect("a file");
            ServerKey::open(&path).expect_err("not a key");
            assert_eq!(fs::read(&path).expect("a file"), content);
        }
    }
}

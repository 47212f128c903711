//! Uploads, which are spooled and hashed as they arrive. Memory, disk space and time are limited,
//! and the database writer does not wait for clients.

mod deadline;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io::{Seek as _, Write as _};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use ledge_core::App;
use ledge_core::error::{StoreError, StoreResult};
use ledge_core::http::{ApiError, ApiResult, CurrentUser};
use ledge_core::id::UserId;
use ledge_core::store::user_data::save::MAX_SAVE_BYTES;
use sha2::{Digest as _, Sha256};
use tempfile::SpooledTempFile;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout, timeout_at};

use deadline::{Deadline, Limits};

use crate::routes::body_type;

/// Bytes of an upload that are kept in memory. A longer upload is written to an unnamed file.
const MEMORY_BYTES: usize = 256 << 10;
/// Concurrent uploads of all users. Together with [`MAX_SAVE_BYTES`] this limits the temporary
/// files.
const MAX_UPLOADS: usize = 16;
/// Concurrent uploads of one user, so that one user cannot block the others.
const MAX_UPLOADS_PER_USER: usize = 4;
/// Complete body with an accepted type and size.
pub(super) struct Upload(pub(super) Spool);

impl FromRequest<App> for Upload {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &App) -> ApiResult<Self> {
        let (parts, body) = request.into_parts();
        body_type::check(&parts.headers)?;
        if declared_length(&parts.headers).is_some_and(|length| length > MAX_SAVE_BYTES) {
            return Err(too_large());
        }
        let missing = || ApiError::internal(StoreError::Refused("no state".to_owned()));
        let user: &CurrentUser = parts.extensions.get().ok_or_else(missing)?;
        let uploads: &Uploads = parts.extensions.get().ok_or_else(missing)?;
        let limits = uploads.limits;
        let permit = timeout(limits.wait, uploads.acquire(user.id)).await;
        let permit = permit.map_err(|_| ApiError::Unavailable)?;
        let folder = app.db.path().parent().unwrap_or(Path::new("."));
        let mut spool = Spool::new(folder, permit);
        receive(&mut spool, body, limits).await?;
        Ok(Self(spool))
    }
}

async fn receive(spool: &mut Spool, mut body: Body, limits: Limits) -> ApiResult<()> {
    let mut waiting = BytesMut::new();
    let mut deadline = Deadline::new(limits, Instant::now());
    loop {
        let frame = timeout_at(deadline.due(), body.frame())
            .await
            .map_err(|_| too_slow())?;
        let Some(frame) = frame else {
            return spool.push(waiting.freeze()).await;
        };
        let Ok(bytes) = frame.map_err(|_| cut_short())?.into_data() else {
            continue;
        };
        deadline.extend(bytes.len(), Instant::now());
        waiting.extend_from_slice(&bytes);
        if spool.size + waiting.len() as u64 > MAX_SAVE_BYTES {
            return Err(too_large());
        }
        if waiting.len() >= MEMORY_BYTES {
            spool.push(waiting.split().freeze()).await?;
        }
    }
}

fn declared_length(headers: &HeaderMap) -> Option<u64> {
    headers
        .get(header::CONTENT_LENGTH)?
        .to_str()
        .ok()?
        .parse()
        .ok()
}

fn too_large() -> ApiError {
    ApiError::PayloadTooLarge("A save may have at most 16 MiB.".to_owned())
}

fn too_slow() -> ApiError {
    ApiError::BadRequest("The upload was too slow.".to_owned())
}

fn cut_short() -> ApiError {
    ApiError::BadRequest("The upload was cut short.".to_owned())
}

/// Received bytes of an upload, and their hash. Dropping it removes the temporary file.
pub(super) struct Spool {
    inner: Option<Inner>,
    size: u64,
    _permit: Permit,
}

struct Inner {
    file: SpooledTempFile,
    hash: Sha256,
}

impl Spool {
    fn new(folder: &Path, permit: Permit) -> Self {
        Self {
            inner: Some(Inner {
                file: tempfile::spooled_tempfile_in(MEMORY_BYTES, folder),
                hash: Sha256::new(),
            }),
            size: 0,
            _permit: permit,
        }
    }

    async fn push(&mut self, bytes: Bytes) -> ApiResult<()> {
        let lost = || ApiError::internal(StoreError::Panicked);
        let mut inner = self.inner.take().ok_or_else(lost)?;
        self.size += bytes.len() as u64;
        let write = tokio::task::spawn_blocking(move || {
            inner.hash.update(&bytes);
            inner.file.write_all(&bytes).map(|()| inner)
        });
        let written = write.await.map_err(ApiError::internal)?;
        self.inner = Some(written.map_err(ApiError::internal)?);
        Ok(())
    }

    /// Returns the number of received bytes.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// Returns the SHA-256 of the received bytes in hexadecimal.
    pub(super) fn sha256(&self) -> String {
        let hash = self.inner.as_ref().map(|inner| inner.hash.clone());
        let digest = hash.unwrap_or_default().finalize();
        digest
            .iter()
            .fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
    }

    /// Returns the file, positioned at its start.
    pub(super) fn reader(&mut self) -> StoreResult<&mut SpooledTempFile> {
        let file = &mut self.inner.as_mut().ok_or(StoreError::Panicked)?.file;
        file.rewind().map_err(|error| {
            StoreError::Refused(format!(
                "The upload's temporary file cannot be read: {error}."
            ))
        })?;
        Ok(file)
    }
}

/// Limiter of concurrent uploads.
#[derive(Debug, Clone)]
pub(super) struct Uploads {
    all_users: Arc<Semaphore>,
    users: Arc<Mutex<HashMap<UserId, Weak<Semaphore>>>>,
    limits: Limits,
}

/// Permit to upload, valid until it is dropped.
struct Permit {
    _of_user: OwnedSemaphorePermit,
    _of_all: OwnedSemaphorePermit,
    /// Keeps the user's semaphore alive while it is used.
    _user_semaphore: Arc<Semaphore>,
}

impl Default for Uploads {
    fn default() -> Self {
        Self::new(Limits::default())
    }
}

impl Uploads {
    fn new(limits: Limits) -> Self {
        Self {
            all_users: Arc::new(Semaphore::new(MAX_UPLOADS)),
            users: Arc::default(),
            limits,
        }
    }

    /// Waits for a permit. The user's own limit comes first, so that one user's uploads do not fill
    /// the shared queue.
    async fn acquire(&self, user: UserId) -> Permit {
        let semaphore = self.user_semaphore(user);
        let closed = "the semaphore is never closed";
        let user_permit = semaphore.clone().acquire_owned().await.expect(closed);
        let shared_permit = self.all_users.clone().acquire_owned().await.expect(closed);
        Permit {
            _of_user: user_permit,
            _of_all: shared_permit,
            _user_semaphore: semaphore,
        }
    }

    fn user_semaphore(&self, user: UserId) -> Arc<Semaphore> {
        let mut users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(semaphore) = users.get(&user).and_then(Weak::upgrade) {
            return semaphore;
        }
        users.retain(|_, semaphore| semaphore.strong_count() > 0);
        let semaphore = Arc::new(Semaphore::new(MAX_UPLOADS_PER_USER));
        users.insert(user, Arc::downgrade(&semaphore));
        semaphore
    }
}

//! Uploads: spooled and hashed as they come, so that memory, disk and the time that a client may
//! take are bounded, and the database's writer waits for no client.

mod pace;
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
use ledge_core::http::{ApiError, ApiResult, CurrentUser};
use ledge_core::id::UserId;
use ledge_core::store::{StoreError, StoreResult};
use sha2::{Digest as _, Sha256};
use tempfile::SpooledTempFile;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout, timeout_at};

use pace::{Limits, Pace};

use crate::raw;

/// Largest save.
const LIMIT: u64 = 16 << 20;
/// Bytes of an upload that are kept in memory; what is longer goes to a file without a name.
const IN_MEMORY: usize = 256 << 10;
/// Uploads of everybody at a time. With [`LIMIT`] this bounds the temporary files.
const AT_ONCE: usize = 16;
/// Uploads of one user at a time: nobody keeps the others out.
const AT_ONCE_OF_ONE: usize = 4;
/// A whole body of the right type and size.
pub(super) struct Upload(pub(super) Spool);

impl FromRequest<App> for Upload {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &App) -> ApiResult<Self> {
        let (parts, body) = request.into_parts();
        raw::check(&parts.headers)?;
        if declared(&parts.headers).is_some_and(|length| length > LIMIT) {
            return Err(too_large());
        }
        let missing = || ApiError::internal(StoreError::Refused("no state".to_owned()));
        let user: &CurrentUser = parts.extensions.get().ok_or_else(missing)?;
        let uploads: &Uploads = parts.extensions.get().ok_or_else(missing)?;
        let limits = uploads.limits;
        let turn = timeout(limits.wait, uploads.turn(user.id)).await;
        let turn = turn.map_err(|_| ApiError::Unavailable)?;
        let folder = app.db.path().parent().unwrap_or(Path::new("."));
        let mut spool = Spool::new(folder, turn);
        receive(&mut spool, body, limits).await?;
        Ok(Self(spool))
    }
}

async fn receive(spool: &mut Spool, mut body: Body, limits: Limits) -> ApiResult<()> {
    let mut waiting = BytesMut::new();
    let mut pace = Pace::new(limits, Instant::now());
    loop {
        let frame = timeout_at(pace.due(), body.frame())
            .await
            .map_err(|_| too_slow())?;
        let Some(frame) = frame else {
            return spool.push(waiting.freeze()).await;
        };
        let Ok(bytes) = frame.map_err(|_| cut_short())?.into_data() else {
            continue;
        };
        pace.note(bytes.len(), Instant::now());
        waiting.extend_from_slice(&bytes);
        if spool.size + waiting.len() as u64 > LIMIT {
            return Err(too_large());
        }
        if waiting.len() >= IN_MEMORY {
            spool.push(waiting.split().freeze()).await?;
        }
    }
}

fn declared(headers: &HeaderMap) -> Option<u64> {
    headers
        .get(header::CONTENT_LENGTH)?
        .to_str()
        .ok()?
        .parse()
        .ok()
}

fn too_large() -> ApiError {
    ApiError::PayloadTooLarge("A save has at most 16 MiB.".to_owned())
}

fn too_slow() -> ApiError {
    ApiError::BadRequest("The upload came too slowly.".to_owned())
}

fn cut_short() -> ApiError {
    ApiError::BadRequest("The upload was cut short.".to_owned())
}

/// What has come of an upload, and its hash. It leaves nothing behind when dropped.
pub(super) struct Spool {
    inner: Option<Inner>,
    size: u64,
    _turn: Turn,
}

struct Inner {
    file: SpooledTempFile,
    hash: Sha256,
}

impl Spool {
    fn new(folder: &Path, turn: Turn) -> Self {
        Self {
            inner: Some(Inner {
                file: tempfile::spooled_tempfile_in(IN_MEMORY, folder),
                hash: Sha256::new(),
            }),
            size: 0,
            _turn: turn,
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

    /// Bytes.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// SHA-256 in hexadecimal.
    pub(super) fn sha256(&self) -> String {
        let hash = self.inner.as_ref().map(|inner| inner.hash.clone());
        let digest = hash.unwrap_or_default().finalize();
        digest
            .iter()
            .fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
    }

    /// The bytes from the start.
    pub(super) fn reader(&mut self) -> StoreResult<&mut SpooledTempFile> {
        let file = &mut self.inner.as_mut().ok_or(StoreError::Panicked)?.file;
        file.rewind()
            .map_err(|error| StoreError::Refused(format!("An upload is lost: {error}.")))?;
        Ok(file)
    }
}

/// Whose turn it is.
#[derive(Debug, Clone)]
pub(super) struct Uploads {
    everybody: Arc<Semaphore>,
    users: Arc<Mutex<HashMap<UserId, Weak<Semaphore>>>>,
    limits: Limits,
}

/// The right to upload, until it is dropped.
struct Turn {
    _own: OwnedSemaphorePermit,
    _shared: OwnedSemaphorePermit,
    /// Keeps the user's count while it is used.
    _user: Arc<Semaphore>,
}

impl Default for Uploads {
    fn default() -> Self {
        Self::new(Limits::default())
    }
}

impl Uploads {
    fn new(limits: Limits) -> Self {
        Self {
            everybody: Arc::new(Semaphore::new(AT_ONCE)),
            users: Arc::default(),
            limits,
        }
    }

    /// Waits for the user's turn; first among their own uploads, so that these do not crowd the
    /// queue of everybody.
    async fn turn(&self, user: UserId) -> Turn {
        let own = self.of(user);
        let closed = "nobody closes it";
        let first = own.clone().acquire_owned().await.expect(closed);
        let shared = self.everybody.clone().acquire_owned().await.expect(closed);
        Turn {
            _own: first,
            _shared: shared,
            _user: own,
        }
    }

    fn of(&self, user: UserId) -> Arc<Semaphore> {
        let mut users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(semaphore) = users.get(&user).and_then(Weak::upgrade) {
            return semaphore;
        }
        users.retain(|_, semaphore| semaphore.strong_count() > 0);
        let semaphore = Arc::new(Semaphore::new(AT_ONCE_OF_ONE));
        users.insert(user, Arc::downgrade(&semaphore));
        semaphore
    }
}

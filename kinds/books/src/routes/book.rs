//! Extractors for the file in the path: a visible EPUB, or a visible comic.

use std::fs::File;
use std::os::unix::fs::FileExt as _;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use ledge_core::App;
use ledge_core::access::VisibleFile;
use ledge_core::fs::MediaFile;
use ledge_core::http::{ApiError, ApiResult, content, inside};
use ledge_core::id::UserId;

use crate::archive::index_cache::{self, SharedIndex};
use crate::archive::permits::Permit;
use crate::archive::{Archive, ReadResult, begins_directly};
use crate::formats;

/// Noun for errors about unreadable files.
pub(super) const NOUN: &str = "file";

/// Opened file of a book.
pub(super) struct Book {
    id: i64,
    file: MediaFile,
    viewer: UserId,
}

/// Opened EPUB. Any other file is rejected as absent.
pub(super) struct Epub(pub(super) Book);

/// Opened comic. Any other file is rejected as absent.
pub(super) struct Comic(pub(super) Book);

impl FromRequestParts<App> for Epub {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> ApiResult<Self> {
        let is_epub = |extension: &str| extension == "epub";
        Book::extract(parts, app, is_epub).await.map(Self)
    }
}

impl FromRequestParts<App> for Comic {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> ApiResult<Self> {
        Book::extract(parts, app, formats::is_comic).await.map(Self)
    }
}

impl Book {
    async fn extract(
        parts: &mut Parts,
        app: &App,
        accepts_extension: fn(&str) -> bool,
    ) -> ApiResult<Self> {
        let file = VisibleFile::from_request_parts(parts, app).await?;
        Self::open(app, file, accepts_extension).await
    }

    /// Opens a file. A file with another extension is rejected as absent.
    pub(super) async fn open(
        app: &App,
        file: VisibleFile,
        accepts_extension: fn(&str) -> bool,
    ) -> ApiResult<Self> {
        let viewer = file.viewer();
        let location = inside::locate(app, file, crate::KIND.id).await?;
        let name = location.name_text().to_lowercase();
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        if !accepts_extension(extension) {
            return Err(ApiError::NotFound("file"));
        }
        let opened = content::open(&location).await?;
        Ok(Self {
            id: location.id.0,
            file: opened,
            viewer,
        })
    }

    /// Returns an identifier of the file's version, for entity tags and cache keys.
    pub(super) fn version(&self) -> String {
        let MediaFile { size, mtime_ns, .. } = &self.file;
        format!("{size:x}-{mtime_ns:x}-{:x}", self.id)
    }

    /// Returns the user who reads the book.
    pub(super) fn viewer(&self) -> UserId {
        self.viewer
    }

    /// Returns `true` if the archive is unpacked piece by piece. The first bytes decide, because
    /// many RAR archives have the extension of a ZIP archive.
    pub(super) async fn is_direct(&self) -> ApiResult<bool> {
        let file = self.file.file.try_clone().map_err(ApiError::internal)?;
        inside::read(NOUN, move || {
            let mut head = [0; 8];
            let read = file.read_at(&mut head, 0)?;
            Ok(begins_directly(head.get(..read).unwrap_or_default()))
        })
        .await
    }

    /// Opens the archive and reads from it on a blocking thread. The thread keeps the permit even
    /// if the request is dropped, and returns it with the result.
    pub(super) async fn read<T: Send + 'static>(
        self,
        permit: Option<Permit>,
        parse: fn(File) -> ReadResult<Archive<File>>,
        read: impl FnOnce(Archive<File>, &SharedIndex) -> ReadResult<T> + Send + 'static,
    ) -> ApiResult<(T, Permit)> {
        let permit = permit.ok_or(ApiError::Unavailable)?;
        let key = self.version();
        let file = self.file.file;
        inside::read(NOUN, move || {
            let (archive, shared) = index_cache::open(&key, file, parse)?;
            Ok((read(archive, &shared)?, permit))
        })
        .await
    }
}

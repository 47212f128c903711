//! Extractors of what the path names: a visible file that is an EPUB, or one that is a comic.

use std::fs::File;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use ledge_core::App;
use ledge_core::access::VisibleFile;
use ledge_core::content::{self, MediaFile};
use ledge_core::http::{ApiError, ApiResult, inside};

use crate::archive::ReadResult;
use crate::formats;

/// What cannot be read, where it cannot.
pub(super) const NOUN: &str = "file";

/// A book's file, opened.
pub(super) struct Book {
    id: i64,
    file: MediaFile,
}

/// A file that is an EPUB; any other is as absent as none.
pub(super) struct Epub(pub(super) Book);

/// A file that is a comic; likewise.
pub(super) struct Comic(pub(super) Book);

impl FromRequestParts<App> for Epub {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> ApiResult<Self> {
        let is_epub = |extension: &str| extension == "epub";
        Book::of(parts, app, is_epub).await.map(Self)
    }
}

impl FromRequestParts<App> for Comic {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> ApiResult<Self> {
        Book::of(parts, app, formats::is_comic).await.map(Self)
    }
}

impl Book {
    async fn of(parts: &mut Parts, app: &App, is_one: fn(&str) -> bool) -> ApiResult<Self> {
        let file = VisibleFile::from_request_parts(parts, app).await?;
        let location = inside::locate(app, file, crate::KIND.id).await?;
        let name = location.name_text().to_lowercase();
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        if !is_one(extension) {
            return Err(ApiError::NotFound("file"));
        }
        let opened = content::open(&location).await?;
        Ok(Self {
            id: location.id.0,
            file: opened,
        })
    }

    /// What tells one state of the file from another, for entity tags.
    pub(super) fn state(&self) -> String {
        let MediaFile { size, mtime_ns, .. } = &self.file;
        format!("{size:x}-{mtime_ns:x}-{:x}", self.id)
    }

    /// Reads of the file on a thread that may block.
    pub(super) async fn read<T: Send + 'static>(
        self,
        read: impl FnOnce(File) -> ReadResult<T> + Send + 'static,
    ) -> ApiResult<T> {
        let file = self.file.file;
        inside::read(NOUN, move || read(file)).await
    }
}

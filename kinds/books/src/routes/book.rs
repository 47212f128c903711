//! Extractors of what the path names: a visible file that is an EPUB, or one that is a comic.

use std::fs::File;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use ledge_core::App;
use ledge_core::access::VisibleFile;
use ledge_core::content::{self, MediaFile};
use ledge_core::http::{ApiError, ApiResult};
use ledge_core::registry::reading::ReadError;
use ledge_core::store::location;

use crate::archive::ReadResult;
use crate::formats;

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
        let location = app
            .db
            .read(move |conn| location::of_file(conn, file))
            .await?;
        let location = location.ok_or(ApiError::NotFound("file"))?;
        let name = location.name_text().to_lowercase();
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        if location.kind != crate::KIND.id || !is_one(extension) {
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
        blocking(move || read(file)).await
    }
}

/// Runs a reader of hostile bytes where it may block; if it crashes, the file cannot be read.
pub(super) async fn blocking<T: Send + 'static>(
    read: impl FnOnce() -> ReadResult<T> + Send + 'static,
) -> ApiResult<T> {
    match tokio::task::spawn_blocking(read).await {
        Ok(answer) => answer.map_err(|error| unreadable(&error)),
        Err(error) if error.is_panic() => {
            tracing::warn!("the reader of a book crashed");
            Err(ApiError::invalid("file", "The file cannot be read."))
        }
        Err(error) => Err(ApiError::internal(error)),
    }
}

fn unreadable(error: &ReadError) -> ApiError {
    match error {
        ReadError::Io(error) if error.raw_os_error().is_some() => ApiError::NotFound("file"),
        error => ApiError::invalid("file", format!("The file cannot be read: {error}.")),
    }
}

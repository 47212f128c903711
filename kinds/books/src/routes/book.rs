//! Extractors of what the path names: a visible file that is an EPUB, or one that is a comic.

use std::fs::File;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use ledge_core::App;
use ledge_core::access::VisibleFile;
use ledge_core::content::{self, MediaFile};
use ledge_core::http::{ApiError, ApiResult, inside};

use crate::archive::permits::Permit;
use crate::archive::shared::{self, SharedIndex};
use crate::archive::{Archive, ReadResult};
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

    /// Opens the archive and reads of it, on a thread that may block. That thread holds the permit,
    /// also where the request is dropped meanwhile, and returns it with the result.
    pub(super) async fn read<T: Send + 'static>(
        self,
        permit: Option<Permit>,
        parse: fn(File) -> ReadResult<Archive<File>>,
        read: impl FnOnce(Archive<File>, &SharedIndex) -> ReadResult<T> + Send + 'static,
    ) -> ApiResult<(T, Permit)> {
        let permit = permit.ok_or(ApiError::Unavailable)?;
        let key = self.state();
        let file = self.file.file;
        inside::read(NOUN, move || {
            let (archive, shared) = shared::open(&key, file, parse)?;
            Ok((read(archive, &shared)?, permit))
        })
        .await
    }
}

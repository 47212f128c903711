//! Opens the file of a request on a blocking thread.

use crate::fs::{self, MediaFile, is_exhaustion};
use crate::http::{ApiError, ApiResult};
use crate::store::file::location::FileLocation;

/// Opens a file on a blocking thread. A file that is not regular, leads out of the root or cannot
/// be read is treated as absent.
pub async fn open(location: &FileLocation) -> ApiResult<MediaFile> {
    let root = location.root.clone();
    let relative = location.relative();
    let opened = tokio::task::spawn_blocking(move || fs::open_blocking(&root, &relative)).await;
    match opened.map_err(ApiError::internal)? {
        Ok(file) => file.ok_or(ApiError::NotFound("file")),
        Err(error) if is_exhaustion(&error) => Err(ApiError::Unavailable),
        Err(error) => Err(ApiError::internal(error)),
    }
}

//! Archives of media files: a ZIP (APPNOTE 6.3.10) of stored entries that is never written to a
//! disk.
//!
//! Names, sizes and times of the files determine the layout, and with it the length and the entity
//! tag of the archive. Checksums follow the content of each entry in a data descriptor, so a
//! response begins without reading the files first. A range sends the same bytes as the whole
//! archive.

mod body;
mod checksums;
mod entry_names;
mod layout;
mod permits;
mod writer;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::disposition::attachment;
use super::range::{ByteRange, Wanted};
use super::respond::{wanted, write_fixed};
use super::{Validators, Verdict};
use crate::App;
use crate::access::Visible;
use crate::fs;
use crate::http::{ApiError, ApiResult};
use crate::store::file::archive::ArchiveFiles;
use crate::store::file::location::FileLocation;

pub use entry_names::Naming;

use body::ArchiveBody;
use layout::{Entry, Layout};
use writer::Writer;

/// Archive of a request.
#[derive(Debug)]
pub struct Archive {
    /// Files of the archive. Files that are absent on the disk are left out.
    pub files: ArchiveFiles,
    /// Names of the entries.
    pub naming: Naming,
    /// Reader of the archive. Each file is checked again when it is opened.
    pub viewer: Visible,
}

/// Responds to a `GET` or `HEAD` with the archive, or with a range of it.
///
/// # Errors
///
/// Returns `NotFound` if no file is present, and `TooManyRequests` if the user or the server has
/// reached the limit of open archives.
pub async fn respond(
    app: &App,
    archive: Archive,
    method: &Method,
    headers: &HeaderMap,
) -> ApiResult<Response> {
    let name = format!("{}.zip", archive.files.name);
    let layout = Layout::new(measure(archive.files.files, archive.naming).await?);
    if layout.is_empty() {
        return Err(ApiError::NotFound("file"));
    }
    let validators = Validators::tagged(&layout.etag());
    let mut response = match validators.judge(headers) {
        Verdict::Failed => return Err(ApiError::PreconditionFailed),
        Verdict::NotModified => StatusCode::NOT_MODIFIED.into_response(),
        Verdict::Proceed if method == Method::HEAD => {
            let mut response = Body::empty().into_response();
            describe(&mut response, layout.size());
            response
        }
        Verdict::Proceed => {
            let wanted = if validators.allow_range(headers) {
                wanted(headers, layout.size())
            } else {
                Wanted::Whole
            };
            send(app, archive.viewer, layout, &wanted)?
        }
    };
    validators.write(response.headers_mut());
    write_fixed(&mut response);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_DISPOSITION, attachment(&name));
    Ok(response)
}

/// Returns the requested bytes. Several ranges count as the whole archive.
fn send(app: &App, viewer: Visible, layout: Layout, wanted: &Wanted) -> ApiResult<Response> {
    let size = layout.size();
    let range = match wanted {
        Wanted::Unsatisfiable => return Ok(ApiError::RangeNotSatisfiable(size).into_response()),
        Wanted::One(range) => Some(*range),
        Wanted::Whole | Wanted::Many(_) => None,
    };
    let permit = permits::open(viewer.user()).ok_or(ApiError::TooManyRequests(RETRY_SECONDS))?;
    let whole = ByteRange {
        first: 0,
        last: size - 1,
    };
    let sent = range.unwrap_or(whole);
    let writer = Writer::new((app.db.clone(), viewer), layout, sent, permit);
    let body = ArchiveBody::new(writer, sent.count());
    let mut response = Body::new(body).into_response();
    describe(&mut response, sent.count());
    if let Some(range) = range {
        *response.status_mut() = StatusCode::PARTIAL_CONTENT;
        let content_range = HeaderValue::try_from(range.content_range(size));
        let content_range = content_range.expect("printable ASCII is a header value");
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_RANGE, content_range);
    }
    Ok(response)
}

/// Seconds after which a client may ask again for an archive.
const RETRY_SECONDS: u64 = 10;

fn describe(response: &mut Response, length: u64) {
    let headers = response.headers_mut();
    let mime = HeaderValue::from_static("application/zip");
    headers.insert(header::CONTENT_TYPE, mime);
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
}

/// Opens each file for its size and time, on a blocking thread. Files that cannot be opened are
/// left out.
async fn measure(files: Vec<FileLocation>, naming: Naming) -> ApiResult<Vec<Entry>> {
    let _permit = permits::measure().await?;
    let measured = tokio::task::spawn_blocking(move || {
        let mut present = Vec::with_capacity(files.len());
        for location in files {
            match fs::open_blocking(&location.root, &location.relative()) {
                Ok(Some(file)) => present.push((location, (file.size, file.mtime_ns))),
                Ok(None) => {}
                Err(error) if fs::is_exhaustion(&error) => return Err(ApiError::Unavailable),
                Err(error) => return Err(ApiError::internal(error)),
            }
        }
        Ok(entries(present, naming))
    });
    measured.await.map_err(ApiError::internal)?
}

fn entries(present: Vec<(FileLocation, (u64, i128))>, naming: Naming) -> Vec<Entry> {
    let names = naming.of(present.iter().map(|(location, _)| location));
    let entry = |((location, (size, mtime_ns)), name): ((FileLocation, _), _)| Entry {
        file: location.id,
        name,
        size,
        mtime_ns,
    };
    present.into_iter().zip(names).map(entry).collect()
}

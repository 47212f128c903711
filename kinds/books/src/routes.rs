//! Routes of the books kind: single files of an EPUB and single pages of a comic. A reader only
//! transfers the parts it shows.

mod book;
mod entry;
mod page;
pub(crate) mod publications;

use axum::Extension;
use axum::extract::Path;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use ledge_core::error::ReadError;
use ledge_core::http::{ApiError, ApiQuery, ApiResult, CompressibleJson, ErrorBody, KindRouter};
use ledge_core::paging::Items;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::archive::{Archive, permits};
use book::{Comic, Epub};

/// Returns the kind's routes below `/api/v1`.
pub fn router() -> KindRouter {
    OpenApiRouter::new()
        .routes(routes!(list_entries))
        .routes(routes!(get_entry))
        .routes(routes!(list_pages))
        .routes(routes!(get_page))
}

/// A file inside an EPUB.
#[derive(Debug, Serialize, ToSchema)]
pub struct EntryRow {
    /// Name in the archive, as used in `entries/{path}`
    path: String,
    /// Size in bytes
    size: u64,
    /// Media type by file extension. A drawing with scripts is served as `application/octet-stream`
    /// regardless of this value.
    mime: &'static str,
}

/// A page of a comic.
#[derive(Debug, Serialize, ToSchema)]
pub struct PageRow {
    /// Index of the page, from 0
    n: usize,
    /// Name in the archive
    name: String,
    /// Width in pixels; null if measuring would take too long
    width: Option<u32>,
    /// Height in pixels; null if measuring would take too long
    height: Option<u32>,
}

/// Lists the files inside an EPUB.
#[utoipa::path(
    get,
    path = "/kinds/books/files/{id}/entries",
    tag = "books",
    params(("id" = i64, Path, description = "The file's id")),
    responses(
        (status = 200, description = "The files of the archive", body = Items<EntryRow>),
        (status = 404, description = "No such EPUB, or gone from disk", body = ErrorBody),
        (status = 422, description = "It cannot be read", body = ErrorBody),
        (status = 503, description = "Too many archives are being read", body = ErrorBody),
    )
)]
async fn list_entries(Epub(book): Epub) -> ApiResult<Response> {
    let (list, _permit) = book
        .read(permits::slow().await, entry::open, entry::list)
        .await?;
    Ok(json_response(list))
}

/// Serializes a list row by row, so that only one unserialized row is in memory.
fn json_items<T: Serialize>(rows: impl Iterator<Item = T>) -> Result<Bytes, ReadError> {
    let mut body = b"{\"items\":[".to_vec();
    for (n, row) in rows.enumerate() {
        if n > 0 {
            body.push(b',');
        }
        serde_json::to_writer(&mut body, &row).map_err(std::io::Error::from)?;
    }
    body.extend(b"]}");
    body.shrink_to_fit();
    Ok(body.into())
}

fn json_response(body: Bytes) -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json")];
    (Extension(CompressibleJson), headers, body).into_response()
}

/// Returns one file inside an EPUB. Its content is untrusted and cannot run in a browser: scripts,
/// and drawings with scripts, are served as `application/octet-stream`.
#[utoipa::path(
    get,
    path = "/kinds/books/files/{id}/entries/{*path}",
    tag = "books",
    params(
        ("id" = i64, Path, description = "The file's id"),
        ("path" = String, Path, description = "The entry's name, with its slashes"),
        ("If-None-Match" = Option<String>, Header, description = "Entity tag of the cached version"),
        ("If-Match" = Option<String>, Header, description = "Entity tag of the expected version"),
    ),
    responses(
        (status = 200, description = "Bytes of the file", content_type = "application/octet-stream",
            headers(("ETag" = String, description = "Entity tag of this version"))),
        (status = 304, description = "Not changed"),
        (status = 404, description = "No such EPUB or entry", body = ErrorBody),
        (status = 412, description = "The file has another version", body = ErrorBody),
        (status = 422, description = "It cannot be read", body = ErrorBody),
        (status = 503, description = "Too many archives are being read", body = ErrorBody),
    )
)]
async fn get_entry(
    Epub(book): Epub,
    path: Result<Path<(String, String)>, axum::extract::rejection::PathRejection>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let Path((_, path)) = path.map_err(|_| ApiError::NotFound("entry"))?;
    entry::get(book, path, &headers).await
}

/// Lists the pages of a comic in natural order (2 before 10).
#[utoipa::path(
    get,
    path = "/kinds/books/files/{id}/pages",
    tag = "books",
    params(("id" = i64, Path, description = "The file's id")),
    responses(
        (status = 200, description = "The pages", body = Items<PageRow>),
        (status = 404, description = "No such comic, or gone from disk", body = ErrorBody),
        (status = 422, description = "It cannot be read", body = ErrorBody),
        (status = 503, description = "Too many archives are being read", body = ErrorBody),
    )
)]
async fn list_pages(Comic(book): Comic) -> ApiResult<Response> {
    let (list, _permit) = book
        .read(permits::slow().await, Archive::open, page::list)
        .await?;
    Ok(json_response(list))
}

/// Requested width of a page.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct PageSize {
    /// Width in pixels; a narrower page is returned unchanged
    #[param(minimum = 16, maximum = 4096)]
    width: Option<u32>,
}

impl PageSize {
    fn width(&self) -> ApiResult<Option<u32>> {
        if self.width.is_none_or(|width| (16..=4096).contains(&width)) {
            return Ok(self.width);
        }
        Err(ApiError::invalid("width", "`width` is 16 to 4096 pixels."))
    }
}

/// Returns a page of a comic, scaled down on request.
#[utoipa::path(
    get,
    path = "/kinds/books/files/{id}/pages/{n}",
    tag = "books",
    params(
        ("id" = i64, Path, description = "The file's id"),
        ("n" = usize, Path, description = "Index of the page, from 0"),
        PageSize,
        ("If-None-Match" = Option<String>, Header, description = "Entity tag of the cached version"),
        ("If-Match" = Option<String>, Header, description = "Entity tag of the expected version"),
    ),
    responses(
        (status = 200, description = "The picture", content_type = "*/*",
            headers(("ETag" = String, description = "Entity tag of this version"))),
        (status = 304, description = "Not changed"),
        (status = 404, description = "No such comic or page", body = ErrorBody),
        (status = 412, description = "The file has another version", body = ErrorBody),
        (status = 422, description = "Not acceptable, or it cannot be read", body = ErrorBody),
        (status = 503, description = "Too many archives are being read", body = ErrorBody),
    )
)]
async fn get_page(
    Comic(book): Comic,
    path: Result<Path<(String, String)>, axum::extract::rejection::PathRejection>,
    // An absent page is 404, even if the query is invalid.
    size: Result<ApiQuery<PageSize>, ApiError>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let width = size.and_then(|ApiQuery(size)| size.width());
    let Path((_, n)) = path.map_err(|_| ApiError::NotFound("page"))?;
    // Only the canonical spelling is accepted: no sign, no leading zero.
    let n = n
        .parse()
        .ok()
        .filter(|number: &usize| number.to_string() == n);
    page::get(book, n.ok_or(ApiError::NotFound("page"))?, width, &headers).await
}

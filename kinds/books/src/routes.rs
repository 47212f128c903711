//! The routes of the books kind: what is inside an EPUB or a comic, piece by piece, so that a
//! reader needs no more of a book than is being read.

mod book;
mod entry;
mod page;

use axum::extract::Path;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use ledge_core::http::{ApiError, ApiQuery, ApiResult, ErrorBody, Items};
use ledge_core::registry::KindRouter;
use ledge_core::registry::reading::ReadError;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::archive::{Archive, permits};
use book::{Comic, Epub};

/// The kind's routes below `/api/v1`.
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
    /// Its name in the archive, as `entries/{path}` takes it.
    path: String,
    /// Its size in bytes.
    size: u64,
    /// Its media type, by its extension. A drawing that contains scripts is served as
    /// `application/octet-stream` all the same.
    mime: &'static str,
}

/// A page of a comic.
#[derive(Debug, Serialize, ToSchema)]
pub struct PageRow {
    /// Its place, from 0.
    n: usize,
    /// Its name in the archive.
    name: String,
    /// Width in pixels; null where finding out would take too long.
    width: Option<u32>,
    /// Height in pixels; likewise.
    height: Option<u32>,
}

/// What is inside an EPUB.
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
        .read(permits::list().await, entry::open, entry::list)
        .await?;
    Ok(json_response(list))
}

/// The body of a list, row after row: no more than one row is held beside it.
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
    ([(header::CONTENT_TYPE, "application/json")], body).into_response()
}

/// One file inside an EPUB. It is untrusted input and runs nothing in a browser: scripts, and
/// drawings that contain scripts, are `application/octet-stream`.
#[utoipa::path(
    get,
    path = "/kinds/books/files/{id}/entries/{*path}",
    tag = "books",
    params(
        ("id" = i64, Path, description = "The file's id"),
        ("path" = String, Path, description = "The entry's name, with its slashes"),
        ("If-None-Match" = Option<String>, Header, description = "The state one has"),
        ("If-Match" = Option<String>, Header, description = "The state one wants"),
    ),
    responses(
        (status = 200, description = "Its bytes", content_type = "application/octet-stream",
            headers(("ETag" = String, description = "The state"))),
        (status = 304, description = "Not changed"),
        (status = 404, description = "No such EPUB or entry", body = ErrorBody),
        (status = 412, description = "Not the state asked for", body = ErrorBody),
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

/// The pages of a comic, in the order in which people count.
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
        .read(permits::list().await, Archive::open, page::list)
        .await?;
    Ok(json_response(list))
}

/// How wide a page is wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct PageSize {
    /// Pixels across; a page that is narrower comes as it is.
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

/// A page of a comic, scaled down if wanted.
#[utoipa::path(
    get,
    path = "/kinds/books/files/{id}/pages/{n}",
    tag = "books",
    params(
        ("id" = i64, Path, description = "The file's id"),
        ("n" = usize, Path, description = "The page's place, from 0"),
        PageSize,
        ("If-None-Match" = Option<String>, Header, description = "The state one has"),
        ("If-Match" = Option<String>, Header, description = "The state one wants"),
    ),
    responses(
        (status = 200, description = "The picture", content_type = "*/*",
            headers(("ETag" = String, description = "The state"))),
        (status = 304, description = "Not changed"),
        (status = 404, description = "No such comic or page", body = ErrorBody),
        (status = 412, description = "Not the state asked for", body = ErrorBody),
        (status = 422, description = "Not acceptable, or it cannot be read", body = ErrorBody),
        (status = 503, description = "Too many archives are being read", body = ErrorBody),
    )
)]
async fn get_page(
    Comic(book): Comic,
    path: Result<Path<(String, String)>, axum::extract::rejection::PathRejection>,
    // A page that is not there is absent, whatever is asked of it.
    size: Result<ApiQuery<PageSize>, ApiError>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let width = size.and_then(|ApiQuery(size)| size.width());
    let Path((_, n)) = path.map_err(|_| ApiError::NotFound("page"))?;
    // One number has one spelling: no sign, no leading zero.
    let n = n
        .parse()
        .ok()
        .filter(|number: &usize| number.to_string() == n);
    page::get(book, n.ok_or(ApiError::NotFound("page"))?, width, &headers).await
}

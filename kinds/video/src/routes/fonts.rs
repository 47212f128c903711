//! Routes of the fonts that are attached to a film.

use axum::body::Body;
use axum::extract::Path;
use axum::http::HeaderMap;
use axum::response::Response;
use ledge_core::fs::MediaFile;
use ledge_core::fs::media_file::open_blocking;
use ledge_core::http::content::body::{FileBody, Segment};
use ledge_core::http::content::range::ByteRange;
use ledge_core::http::{ApiError, ApiJson, ApiResult, ErrorBody, inside};
use ledge_core::paging::Items;
use ledge_core::store::file::location::FileLocation;
use ledge_formats::{ReadError, ReadResult};
use serde::Serialize;
use utoipa::ToSchema;

use super::Video;
use crate::subtitles::fonts::{self, Font};

/// Noun in error messages about unreadable fonts.
const NOUN: &str = "font";

/// Font that is attached to a film.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FontRow {
    /// Index in the film's list of attachments.
    index: usize,
    /// File name, which can be empty.
    name: String,
    /// Media type by the first bytes of the font.
    mime: &'static str,
    /// Size in bytes.
    size: u64,
    /// URL of the font.
    url: String,
}

/// Lists the fonts that are attached to a Matroska film. Styled subtitles name them.
#[utoipa::path(
    get,
    path = "/kinds/video/files/{id}/fonts",
    tag = "video",
    params(("id" = i64, Path, description = "Id of the file")),
    responses(
        (status = 200, description = "The fonts, at most 200", body = Items<FontRow>),
        (status = 404, description = "The video does not exist, or its file is missing", body = ErrorBody),
    )
)]
pub(super) async fn list_fonts(Video(location): Video) -> ApiResult<ApiJson<Items<FontRow>>> {
    let id = location.id.0;
    let row = move |font: Font| FontRow {
        url: format!("/api/v1/kinds/video/files/{id}/fonts/{}", font.index),
        index: font.index,
        name: font.name,
        mime: font.mime,
        size: font.size,
    };
    // Subtitles can be shown without the fonts of a damaged film.
    let found = inside::read(NOUN, move || {
        let Some(film) = open_blocking(&location.root, &location.relative())? else {
            return Ok(None);
        };
        match fonts::list(film.file) {
            Err(ReadError::Io(error)) => Err(ReadError::Io(error)),
            found => Ok(Some(found.unwrap_or_default())),
        }
    });
    let found = found.await?.ok_or(ApiError::NotFound("file"))?;
    let items = found.into_iter().map(row).collect();
    Ok(ApiJson(Items { items }))
}

/// Returns a font that is attached to a film.
#[utoipa::path(
    get,
    path = "/kinds/video/files/{id}/fonts/{index}",
    tag = "video",
    params(
        ("id" = i64, Path, description = "Id of the file"),
        ("index" = usize, Path, description = "Index of the font"),
        ("If-None-Match" = Option<String>, Header, description = "ETag of the cached version"),
        ("If-Match" = Option<String>, Header, description = "ETag of the expected version"),
    ),
    responses(
        (status = 200, description = "The font", content((Vec<u8> = "font/ttf"), (Vec<u8> = "font/otf"),
            (Vec<u8> = "font/collection"), (Vec<u8> = "font/woff"), (Vec<u8> = "font/woff2")),
            headers(("ETag" = String, description = "ETag of this version"))),
        (status = 304, description = "Not changed"),
        (status = 404, description = "The video or the font does not exist", body = ErrorBody),
        (status = 412, description = "The font has another ETag", body = ErrorBody),
        (status = 422, description = "The film cannot be read", body = ErrorBody),
    )
)]
pub(super) async fn get_font(
    Video(location): Video,
    path: Result<Path<(String, String)>, axum::extract::rejection::PathRejection>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let Path((_, index)) = path.map_err(|_| ApiError::NotFound(NOUN))?;
    let found = inside::read(NOUN, move || find(&location, &index)).await?;
    let (film, font) = found.ok_or(ApiError::NotFound(NOUN))?;
    let etag = format!("\"{:x}-{:x}-f{}\"", film.size, film.mtime_ns, font.index);
    if let Some(unchanged) = inside::unchanged(&etag, &headers)? {
        return Ok(unchanged);
    }
    let range = ByteRange {
        first: font.start,
        last: font.start + font.size - 1,
    };
    let body = FileBody::new(film.file, [Segment::File(range)]);
    Ok(inside::bytes(&etag, font.mime, font.size, Body::new(body)))
}

/// Finds the font of a URL segment. Returns `None` if the attachment does not exist, or is not a
/// font.
fn find(location: &FileLocation, segment: &str) -> ReadResult<Option<(MediaFile, Font)>> {
    // Leading zeros and signs are rejected, so that each font has only one address.
    let index = segment.parse().ok();
    let Some(index) = index.filter(|index: &usize| index.to_string() == segment) else {
        return Ok(None);
    };
    let Some(film) = open_blocking(&location.root, &location.relative())? else {
        return Ok(None);
    };
    let fonts = fonts::list(&film.file)?;
    let font = fonts.into_iter().find(|font| font.index == index);
    Ok(font.map(|font| (film, font)))
}

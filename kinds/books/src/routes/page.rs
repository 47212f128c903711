//! Pages of a comic: their list, and single pictures, original or scaled.

use std::fs::File;
use std::time::Duration;

use axum::http::HeaderMap;
use axum::response::Response;
use bytes::Bytes;
use ledge_core::http::{ApiError, ApiResult, inside};
use ledge_core::id::UserId;
use tokio::sync::Semaphore;

use super::book::{Book, NOUN};
use super::{PageRow, json_items};
use crate::archive::index_cache::SharedIndex;
use crate::archive::permits::Permit;
use crate::archive::stream::Streamed;
use crate::archive::{Archive, Member, ReadResult, permits};
use crate::formats::comic::{self, sizes};
use crate::formats::picture;

/// Time limit for unpacking a page.
const PAGE_TIME: Duration = Duration::from_secs(20);

/// Limit of two concurrent scalings, because each keeps all pixels of a page in memory.
static SCALING: Semaphore = Semaphore::const_new(2);

/// Returns the list of pages and their dimensions as JSON.
pub(super) fn list(mut archive: Archive<File>, shared: &SharedIndex) -> ReadResult<Bytes> {
    shared.list(|| {
        let sizes = sizes::measure(&mut archive, shared.pages());
        let members = shared.index.members();
        let pages = shared.pages().iter().filter_map(|at| members.get(*at));
        let row = |(n, (page, size)): (usize, (&Member<'_>, Option<sizes::Size>))| PageRow {
            n,
            name: page.name.clone().into_owned(),
            width: size.map(|(width, _)| width),
            height: size.map(|(_, height)| height),
        };
        json_items(pages.zip(sizes).enumerate().map(row))
    })
}

/// Returns the response with a page. An absent page takes precedence over an invalid width.
pub(super) async fn get(
    book: Book,
    n: usize,
    width: ApiResult<Option<u32>>,
    headers: &HeaderMap,
) -> ApiResult<Response> {
    let version = book.version();
    let etag = match width {
        Ok(Some(width)) => format!("\"{version}-p{n:x}-w{width:x}\""),
        _ => format!("\"{version}-p{n:x}\""),
    };
    let verdict = width.and_then(|width| Ok((width, inside::unchanged(&etag, headers)?)));
    let width = match verdict {
        Ok((width, None)) => width,
        Ok((_, Some(unchanged))) => return page_exists(book, n).await.map(|()| unchanged),
        Err(error) => return page_exists(book, n).await.and(Err(error)),
    };
    let viewer = book.viewer();
    let (content, permit) = load(book, n, width).await?;
    respond(viewer, &etag, content, permit).await
}

/// Returns the response with a page that every program displays: a JPEG, PNG or GIF of at most
/// `width` pixels.
pub(super) async fn get_common(
    book: Book,
    n: usize,
    width: Option<u32>,
    headers: &HeaderMap,
) -> ApiResult<Response> {
    let width = width.unwrap_or(u32::MAX);
    let etag = format!("\"{}-c{n:x}-w{width:x}\"", book.version());
    if let Some(unchanged) = inside::unchanged(&etag, headers)? {
        return page_exists(book, n).await.map(|()| unchanged);
    }
    let viewer = book.viewer();
    let find = move |archive, shared: &SharedIndex| read(archive, shared, n, Some(width));
    let (found, permit) = book
        .read(permits::slow().await, Archive::open, find)
        .await?;
    let content = found.ok_or(ApiError::NotFound("page"))?;
    let must_encode = |bytes: &[u8]| !picture::is_common(bytes) || is_wider(bytes, width);
    let (content, permit) = converted(content, permit, must_encode, move |bytes| {
        picture::as_jpeg(bytes, width)
    })
    .await?;
    respond(viewer, &etag, content, permit).await
}

async fn respond(
    viewer: UserId,
    etag: &str,
    content: Content,
    permit: Permit,
) -> ApiResult<Response> {
    match content {
        Content::Stream(page) => {
            let mime = picture::mime(&page.first);
            Ok(inside::bytes(etag, mime, page.size, page.into()))
        }
        Content::Whole(bytes) => {
            let mime = picture::mime(&bytes);
            let bytes = permits::bounded_body(viewer, permit, bytes).await?;
            Ok(inside::bytes_in_memory(etag, mime, bytes))
        }
    }
}

/// Content of a page.
enum Content {
    /// A page of an archive that is unpacked piece by piece.
    Stream(Streamed),
    /// A scaled page, or a page of an archive that unpacks whole files only.
    Whole(Vec<u8>),
}

/// Fails if the page is absent.
async fn page_exists(book: Book, n: usize) -> ApiResult<()> {
    let find = move |_, shared: &SharedIndex| Ok(shared.pages().get(n).is_some());
    let (exists, _permit) = book
        .read(permits::request().await, Archive::open, find)
        .await?;
    exists.then_some(()).ok_or(ApiError::NotFound("page"))
}

/// Reads a page, scaled to `width` pixels if it is wider.
async fn load(book: Book, n: usize, width: Option<u32>) -> ApiResult<(Content, Permit)> {
    let permit = if width.is_some() || !book.is_direct().await? {
        permits::slow().await
    } else {
        permits::request().await
    };
    let find = move |archive, shared: &SharedIndex| read(archive, shared, n, width);
    let (found, permit) = book.read(permit, Archive::open, find).await?;
    let content = found.ok_or(ApiError::NotFound("page"))?;
    let Some(width) = width else {
        return Ok((content, permit));
    };
    let must_scale = |bytes: &[u8]| is_wider(bytes, width);
    converted(content, permit, must_scale, move |bytes| {
        picture::scaled(bytes, width)
    })
    .await
}

/// Converts a page in memory on a blocking thread, if it must be converted. A page that cannot be
/// decoded stays.
async fn converted(
    content: Content,
    permit: Permit,
    must_convert: impl FnOnce(&[u8]) -> bool,
    convert: impl FnOnce(&[u8]) -> Option<Vec<u8>> + Send + 'static,
) -> ApiResult<(Content, Permit)> {
    match &content {
        Content::Whole(bytes) if must_convert(bytes) => {}
        _ => return Ok((content, permit)),
    }
    let _scaling_permit = SCALING.acquire().await.map_err(ApiError::internal)?;
    inside::read(NOUN, move || {
        // The thread keeps the permit even if the request is dropped.
        let Content::Whole(bytes) = content else {
            return Ok((content, permit));
        };
        let converted = convert(&bytes).unwrap_or(bytes);
        Ok((Content::Whole(converted), permit))
    })
    .await
}

/// Reads a page: as a stream if the archive permits it and the page need not be scaled. Returns
/// `None` if the page does not exist.
fn read(
    mut archive: Archive<File>,
    shared: &SharedIndex,
    n: usize,
    width: Option<u32>,
) -> ReadResult<Option<Content>> {
    let Some(page) = shared.pages().get(n).copied() else {
        return Ok(None);
    };
    if width.is_none() && archive.is_direct() {
        let streamed = archive.into_stream(page, comic::LARGEST_PICTURE)?;
        return Ok(Some(Content::Stream(streamed)));
    }
    let bytes = comic::read_page(&mut archive, page, PAGE_TIME)?;
    Ok(Some(Content::Whole(bytes)))
}

fn is_wider(bytes: &[u8], width: u32) -> bool {
    picture::size(bytes).is_some_and(|(actual, _)| actual > width)
}

#[cfg(test)]
mod tests {
    use std::io::{Seek as _, Write as _};

    use ledge_proving::seven;
    use serde_json::json;

    use super::*;
    use crate::fixtures::{ZipBuilder, rar, solid_rar, solid_sevenz, tar};

    #[test]
    fn list_contains_pages_of_all_archive_formats_with_sizes() {
        let gif: &[u8] = b"GIF89a\x02\x01\x04\x03";
        let files: &[(&str, &[u8])] = &[("10.gif", gif), ("2.png", b"none"), ("a.txt", b"x")];
        let zip = ZipBuilder::new().stored("10.gif", gif);
        let zip = zip.stored("2.png", b"none").bytes();
        for bytes in [
            zip,
            tar(files),
            rar(files),
            solid_rar(files),
            seven(files),
            solid_sevenz(files),
        ] {
            let mut file = tempfile::tempfile().expect("a file");
            file.write_all(&bytes).expect("disk space");
            file.rewind().expect("a seekable file");
            let archive = Archive::open(file).expect("a comic");
            let shared = SharedIndex::new(archive.index());
            let list = list(archive, &shared).expect("a list");
            let list: serde_json::Value = serde_json::from_slice(&list).expect("JSON");
            let expected = json!({"items": [
                {"n": 0, "name": "2.png", "width": null, "height": null},
                {"n": 1, "name": "10.gif", "width": 0x102, "height": 0x304},
            ]});
            assert_eq!(list, expected);
        }
    }
}

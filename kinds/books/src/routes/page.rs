//! Pages of a comic: their list, and each one's picture, as it is or scaled down.

use std::fs::File;
use std::time::{Duration, Instant};

use axum::http::HeaderMap;
use axum::response::Response;
use ledge_core::http::{ApiError, ApiResult, inside};
use tokio::sync::Semaphore;

use super::PageRow;
use super::book::{Book, NOUN};
use crate::archive::{Archive, ReadResult};
use crate::comic::{self, pages};
use crate::picture;

/// How long unpacking a page may take, and measuring all of them.
const PAGE_TIME: Duration = Duration::from_secs(20);
const MEASURING_TIME: Duration = Duration::from_secs(2);

/// How much of a picture is looked at for its size: first, and where metadata stand before it.
const HEADS: [u64; 2] = [16 << 10, 1 << 20];

/// Pages are scaled two at a time: each takes memory for all of its pixels.
static SCALING: Semaphore = Semaphore::const_new(2);

/// The pages of a comic and their sizes.
pub(super) fn list(file: File) -> ReadResult<Vec<PageRow>> {
    let mut archive = Archive::open(file)?;
    let pages = pages::of(&archive.members());
    let until = Instant::now() + MEASURING_TIME;
    let rows = pages.into_iter().enumerate().map(|(n, page)| {
        let is_time = Instant::now() < until;
        let size = is_time
            .then(|| size_of(&mut archive, page.member))
            .flatten();
        PageRow {
            n,
            name: page.name,
            width: size.map(|(width, _)| width),
            height: size.map(|(_, height)| height),
        }
    });
    Ok(rows.collect())
}

fn size_of(archive: &mut Archive<File>, member: usize) -> Option<(u32, u32)> {
    HEADS.iter().find_map(|most| {
        let head = archive.head(member, *most).ok()??;
        picture::size(&head)
    })
}

/// Answers with a page; where there is none, that is the answer, whatever its width was to be.
pub(super) async fn get(
    book: Book,
    n: usize,
    width: ApiResult<Option<u32>>,
    headers: &HeaderMap,
) -> ApiResult<Response> {
    let state = book.state();
    let found = book.read(move |file| open(file, n)).await?;
    let (mut archive, page) = found.ok_or(ApiError::NotFound("page"))?;
    let width = width?;
    let etag = match width {
        Some(width) => format!("\"{state}-p{n:x}-w{width:x}\""),
        None => format!("\"{state}-p{n:x}\""),
    };
    if let Some(unchanged) = inside::unchanged(&etag, headers)? {
        return Ok(unchanged);
    }
    let mut bytes = inside::read(NOUN, move || {
        comic::read_page(&mut archive, &page, PAGE_TIME)
    })
    .await?;
    let is_wider = |width| picture::size(&bytes).is_some_and(|(actual, _)| actual > width);
    if let Some(width) = width.filter(|width| is_wider(*width)) {
        let _turn = SCALING.acquire().await.map_err(ApiError::internal)?;
        bytes = inside::read(NOUN, move || {
            Ok(picture::scaled(&bytes, width).unwrap_or(bytes))
        })
        .await?;
    }
    let mime = picture::mime(&bytes);
    let length = bytes.len() as u64;
    Ok(inside::bytes(&etag, mime, length, bytes.into()))
}

fn open(file: File, n: usize) -> ReadResult<Option<(Archive<File>, pages::Page)>> {
    let archive = Archive::open(file)?;
    let page = pages::of(&archive.members()).into_iter().nth(n);
    Ok(page.map(|page| (archive, page)))
}

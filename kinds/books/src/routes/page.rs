//! Pages of a comic: their list, and each one's picture, as it is or scaled down.

use std::fs::File;
use std::time::Duration;

use axum::http::HeaderMap;
use axum::response::Response;
use bytes::Bytes;
use ledge_core::http::{ApiError, ApiResult, inside};
use tokio::sync::Semaphore;

use super::book::{Book, NOUN};
use super::{PageRow, json_items};
use crate::archive::shared::SharedIndex;
use crate::archive::{Archive, Member, ReadResult, permits};
use crate::comic::{self, sizes};
use crate::picture;

/// How long unpacking a page may take.
const PAGE_TIME: Duration = Duration::from_secs(20);

/// Pages are scaled two at a time: each takes memory for all of its pixels.
static SCALING: Semaphore = Semaphore::const_new(2);

/// The pages of a comic and their sizes, as JSON.
pub(super) fn list(mut archive: Archive<File>, shared: &SharedIndex) -> ReadResult<Bytes> {
    shared.list(|| {
        let sizes = sizes::of(&mut archive, shared.pages());
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

/// Answers with a page; where there is none, that is the answer, whatever its width was to be.
pub(super) async fn get(
    book: Book,
    n: usize,
    width: ApiResult<Option<u32>>,
    headers: &HeaderMap,
) -> ApiResult<Response> {
    let state = book.state();
    let etag = match width {
        Ok(Some(width)) => format!("\"{state}-p{n:x}-w{width:x}\""),
        _ => format!("\"{state}-p{n:x}\""),
    };
    let wanted = width.and_then(|width| Ok((width, inside::unchanged(&etag, headers)?)));
    let needs_bytes = matches!(wanted, Ok((_, None)));
    let find = move |archive, shared: &SharedIndex| read(archive, shared, n, needs_bytes);
    let (found, permit) = book
        .read(permits::request().await, Archive::open, find)
        .await?;
    let mut bytes = found.ok_or(ApiError::NotFound("page"))?;
    let (width, unchanged) = wanted?;
    if let Some(unchanged) = unchanged {
        return Ok(unchanged);
    }
    let is_wider = |width| picture::size(&bytes).is_some_and(|(actual, _)| actual > width);
    if let Some(width) = width.filter(|width| is_wider(*width)) {
        let _turn = SCALING.acquire().await.map_err(ApiError::internal)?;
        bytes = inside::read(NOUN, move || {
            // Until it is scaled, the page counts as one that is read.
            let _permit = permit;
            Ok(picture::scaled(&bytes, width).unwrap_or(bytes))
        })
        .await?;
    }
    let mime = picture::mime(&bytes);
    let length = bytes.len() as u64;
    Ok(inside::bytes(&etag, mime, length, bytes.into()))
}

/// The bytes of a page, which may stay empty where they are not needed; `None` where there is no such
/// page.
fn read(
    mut archive: Archive<File>,
    shared: &SharedIndex,
    n: usize,
    needs_bytes: bool,
) -> ReadResult<Option<Vec<u8>>> {
    match shared.pages().get(n) {
        Some(page) if needs_bytes => comic::read_page(&mut archive, *page, PAGE_TIME).map(Some),
        page => Ok(page.map(|_| Vec::new())),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Seek as _, Write as _};

    use ledge_proving::seven;
    use serde_json::json;

    use super::*;
    use crate::fixtures::{ZipBuilder, rar, solid_rar, solid_seven, tar};

    #[test]
    fn pages_of_every_archive_are_listed_with_their_sizes() {
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
            solid_seven(files),
        ] {
            let mut file = tempfile::tempfile().expect("a file");
            file.write_all(&bytes).expect("room");
            file.rewind().expect("its beginning");
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

//! Pages of a comic: their list, and each one's picture, as it is or scaled down.

use std::fs::File;
use std::time::Duration;

use axum::http::HeaderMap;
use axum::response::Response;
use ledge_core::http::{ApiError, ApiResult, inside};
use tokio::sync::Semaphore;

use super::PageRow;
use super::book::{Book, NOUN};
use crate::archive::{Archive, ReadResult};
use crate::comic::{self, pages, sizes};
use crate::picture;

/// How long unpacking a page may take.
const PAGE_TIME: Duration = Duration::from_secs(20);

/// Pages are scaled two at a time: each takes memory for all of its pixels.
static SCALING: Semaphore = Semaphore::const_new(2);

/// Lists are made four at a time: for some, archives are unpacked.
pub(super) static LISTING: Semaphore = Semaphore::const_new(4);

/// The pages of a comic and their sizes.
pub(super) fn list(file: File) -> ReadResult<Vec<PageRow>> {
    let mut archive = Archive::open(file)?;
    let pages = pages::of(&archive.members());
    let sizes = sizes::of(&mut archive, &pages);
    let rows = pages.into_iter().zip(sizes).enumerate();
    let rows = rows.map(|(n, (page, size))| PageRow {
        n,
        name: page.name,
        width: size.map(|(width, _)| width),
        height: size.map(|(_, height)| height),
    });
    Ok(rows.collect())
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

#[cfg(test)]
mod tests {
    use std::io::{Seek as _, Write as _};

    use ledge_proving::seven;

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
            let rows: Vec<_> = list(file)
                .expect("a comic")
                .into_iter()
                .map(|row| (row.n, row.name, row.width, row.height))
                .collect();
            let expected = [
                (0, "2.png".to_owned(), None, None),
                (1, "10.gif".to_owned(), Some(0x102), Some(0x304)),
            ];
            assert_eq!(rows, expected);
        }
    }
}

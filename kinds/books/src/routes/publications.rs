//! Books and comics as publications of other reading programs.

use axum::response::Response;
use futures_util::FutureExt as _;
use ledge_core::http::ApiResult;
use ledge_core::http::publications::{PageRequest, Pages, Publications};

use super::book::Book;
use super::page;
use crate::formats::{is_comic, places};
use crate::subkind;

/// Capability of the books kind.
pub(crate) const PUBLICATIONS: Publications = Publications {
    kind: crate::KIND.id,
    offers: |name| crate::KIND.format_of(name).is_some(),
    work: subkind::work,
    pages: Some(Pages {
        has: |name| extension(name).is_some_and(|extension| is_comic(&extension)),
        page: |request| get_page(request).boxed(),
    }),
    places: Some(places::PLACES),
};

fn extension(name: &str) -> Option<String> {
    let (_, extension) = name.rsplit_once('.')?;
    Some(extension.to_lowercase())
}

async fn get_page(request: PageRequest) -> ApiResult<Response> {
    let book = Book::open(&request.app, request.file, is_comic).await?;
    page::get_common(book, request.page, request.width, &request.headers).await
}

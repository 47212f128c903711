//! Covers, files and pages.

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, Method};
use axum::response::Response;
use ledge_core::App;
use ledge_core::access::{VisibleFile, VisibleItem};
use ledge_core::http::content::Direct;
use ledge_core::http::file::{self, FileRequest};
use ledge_core::http::protocol::{AppAccess, Params};
use ledge_core::http::publications::{PageRequest, Publications};
use ledge_core::http::{ApiError, ApiResult, parse_id, picture};
use ledge_core::image::Size;
use ledge_core::store::file::location;
use ledge_core::store::user_data::progress::{self, NewProgress};
use ledge_core::store::user_data::statistics::record;
use ledge_core::store::{cover, item};
use rusqlite::Connection;

const NO_FILE: ApiError = ApiError::NotFound("file");
const NO_PAGE: ApiError = ApiError::NotFound("page");

/// Widest page that an app can request, in pixels.
const MAX_WIDTH: u32 = 4_096;

/// Returns the cover of a publication.
pub(crate) async fn cover(
    item: VisibleItem,
    State(app): State<App>,
    params: Params,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let size = match params.first("size") {
        Some("240") => Size::Small,
        Some("480") => Size::Medium,
        _ => Size::Large,
    };
    let read = app.db.read(move |conn| {
        let kind = item::kind(conn, item)?;
        let is_publication = kind.is_some_and(|kind| Publications::of_kind(&kind).is_some());
        if is_publication {
            cover::image(conn, item, size)
        } else {
            Ok(None)
        }
    });
    let image = read.await?.ok_or(ApiError::NotFound("item"))?;
    let is_named = params.first("v") == Some(image.hash.as_str());
    picture::respond(image, is_named, &headers)
}

/// Returns a file of a publication. The name in the path has no meaning.
pub(crate) async fn file(
    file: VisibleFile,
    State(app): State<App>,
    direct: Option<Extension<Direct>>,
    method: Method,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let offer = offer(&app, file).await?.ok_or(NO_FILE)?;
    if !(offer.publications.offers)(&offer.name) {
        return Err(NO_FILE);
    }
    let request = FileRequest {
        is_download: true,
        direct: direct.map(|Extension(direct)| direct),
        method: &method,
        headers: &headers,
    };
    Ok(file::respond(&app, file, request).await?.response)
}

/// A file of a publication.
struct Offer {
    publications: &'static Publications,
    name: String,
}

/// Returns the capability of a file's kind, or `None` for a file of another kind.
async fn offer(app: &App, file: VisibleFile) -> ApiResult<Option<Offer>> {
    let read = app
        .db
        .read_inline(move |conn: &Connection| location::of_file(conn, file));
    let found = read.await?;
    Ok(found.and_then(|location| {
        Some(Offer {
            publications: Publications::of_kind(&location.kind)?,
            name: location.name_text(),
        })
    }))
}

/// Returns a page of a publication.
pub(crate) async fn page(
    file: VisibleFile,
    State(app): State<App>,
    access: AppAccess,
    Path(path): Path<(String, String)>,
    params: Params,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let offer = offer(&app, file).await?.ok_or(NO_FILE)?;
    let pages = offer.publications.pages.ok_or(NO_FILE)?;
    if !(pages.has)(&offer.name) {
        return Err(NO_FILE);
    }
    let page = number(&path.1).ok_or(NO_PAGE)?;
    let width = params.first("width").and_then(number);
    let width = width.and_then(|width| u32::try_from(width).ok());
    let request = PageRequest {
        app: app.clone(),
        file,
        page,
        width: width.filter(|width| (1..=MAX_WIDTH).contains(width)),
        headers,
    };
    let response = (pages.page)(request).await?;
    if access.pages_move_place {
        move_place(&app, file, page).await?;
    }
    Ok(response)
}

/// Parses a number in its only spelling.
fn number(text: &str) -> Option<usize> {
    if text == "0" {
        return Some(0);
    }
    usize::try_from(parse_id(text)?).ok()
}

/// Moves the progress of the user to a page, if it is later than the stored one.
async fn move_place(app: &App, file: VisibleFile, page: usize) -> ApiResult<()> {
    let position = i64::try_from(page).map_err(|_| NO_PAGE)?;
    let now = app.clock.now();
    let registry = app.registry.clone();
    let moved = app.db.write(move |tx| {
        let visible = ledge_core::access::Visible::of(file.viewer());
        let Some(item) = visible.item(tx, file.item())? else {
            return Ok(());
        };
        let places = progress::of_item(tx, item)?;
        let place = places.iter().find(|place| place.file_id == file.id());
        if place.is_some_and(|place| place.finished || place.position >= position) {
            return Ok(());
        }
        let new = NewProgress {
            file: Some(file.id()),
            position,
            finished: false,
            locator: None,
            recorded_at: None,
            within: None,
        };
        record::save_progress(tx, &registry, item, &new, now).map(drop)
    });
    Ok(moved.await?)
}

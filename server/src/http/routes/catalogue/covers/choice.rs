//! Choice of an item's cover by administrators: an upload, or one of the pictures that Ledge knows.

mod body;

use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::http::StatusCode;
use axum::response::Response;
use ledge_core::App;
use ledge_core::access::VisibleItem;
use ledge_core::cover;
use ledge_core::error::StoreError;
use ledge_core::events::Event;
use ledge_core::http::{ApiError, ApiJson, ApiQuery, ApiResult, ErrorBody, parse_id};
use ledge_core::id::{CoverCandidateId, LibraryId};
use ledge_core::image::StoredPicture;
use ledge_core::paging::Items;
use ledge_core::store::cover as store;
use ledge_core::store::cover::candidate::{self, CoverCandidate, FoundPicture};
use ledge_core::store::item::{self, Cover};
use serde::Serialize;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;
use utoipa::ToSchema;

use super::{CoverQuery, versioned};
use body::{ChosenCover, CoverBody, CoverBytes};

/// Concurrent decodings of chosen pictures. One picture can need hundreds of megabytes.
static DECODING: Semaphore = Semaphore::const_new(1);

/// Cover of an item after a change.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ItemCover {
    /// The cover; null if the item has none.
    cover: Option<Cover>,
}

/// Sets the cover of an item, and locks it. The body is a picture, of which the first frame counts,
/// or the id of a candidate.
#[utoipa::path(
    put, path = "/items/{id}/cover", tag = "items",
    params(("id" = i64, Path, description = "The item's id")),
    request_body(
        content(
            (CoverBytes = "image/jpeg"),
            (CoverBytes = "image/png"),
            (CoverBytes = "image/webp"),
            (ChosenCover = "application/json"),
        ),
        description = "A picture of up to 20 MiB and 100 megapixels, or a candidate",
    ),
    responses(
        (status = 200, description = "The new cover", body = ItemCover),
        (status = 404, description = "No such item", body = ErrorBody),
        (status = 413, description = "Larger than 20 MiB", body = ErrorBody),
        (status = 415, description = "Neither JPEG, PNG, WebP nor JSON", body = ErrorBody),
        (status = 422, description = "The picture cannot be decoded, or there is no such candidate",
            body = ErrorBody),
    )
)]
pub(crate) async fn set_cover(
    item: VisibleItem,
    State(app): State<App>,
    body: CoverBody,
) -> ApiResult<ApiJson<ItemCover>> {
    let library = match body {
        CoverBody::Candidate(id) => app
            .db
            .write(move |tx| candidate::choose(tx, item, id))
            .await?
            .ok_or_else(|| ApiError::invalid("candidate", "The item has no such picture."))?,
        CoverBody::Picture(bytes, upload) => {
            let picture = decoded(&app, bytes.into()).await?;
            drop(upload);
            app.db
                .write(move |tx| candidate::upload(tx, item, &picture))
                .await?
                .ok_or(ApiError::NotFound("item"))?
        }
    };
    announce(&app, library);
    let cover = app
        .db
        .read(move |conn| item::cover_of_item(conn, item))
        .await?;
    Ok(ApiJson(ItemCover { cover }))
}

/// Unlocks the cover of an item: the cover is automatic again.
#[utoipa::path(
    delete, path = "/items/{id}/cover", tag = "items",
    params(("id" = i64, Path, description = "The item's id")),
    responses(
        (status = 204, description = "The cover is automatic"),
        (status = 404, description = "No such item", body = ErrorBody),
    )
)]
pub(crate) async fn unlock_cover(
    item: VisibleItem,
    State(app): State<App>,
) -> ApiResult<StatusCode> {
    let found = found(&app, item).await?;
    let now = app.clock.now();
    let unlocked = app
        .db
        .write(move |tx| {
            let unlocked = candidate::unlock(tx, item, &found)?;
            store::request_job(tx, now)?;
            Ok(unlocked)
        })
        .await?
        .ok_or(ApiError::NotFound("item"))?;
    app.jobs.wake();
    if let Some(library) = unlocked {
        announce(&app, library);
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Lists the pictures that can be the cover of an item: in its files, next to them, of providers, and
/// uploads.
#[utoipa::path(
    get, path = "/items/{id}/covers", tag = "items",
    params(("id" = i64, Path, description = "The item's id")),
    responses(
        (status = 200, description = "The pictures", body = Items<CoverCandidate>),
        (status = 404, description = "No such item", body = ErrorBody),
    )
)]
pub(crate) async fn list_covers(
    item: VisibleItem,
    State(app): State<App>,
) -> ApiResult<ApiJson<Items<CoverCandidate>>> {
    let found = found(&app, item).await?;
    let is_there = app
        .db
        .write(move |tx| candidate::refresh(tx, item, &found))
        .await?;
    if !is_there {
        return Err(ApiError::NotFound("item"));
    }
    let items = app.db.read(move |conn| candidate::list(conn, item)).await?;
    Ok(ApiJson(Items { items }))
}

/// Returns the image of a picture that can be the cover of an item.
#[utoipa::path(
    get, path = "/items/{id}/covers/{candidate}", tag = "items",
    params(
        ("id" = i64, Path, description = "The item's id"),
        ("candidate" = i64, Path, description = "Id of the picture"),
        CoverQuery,
    ),
    responses(
        (status = 200, description = "The image", content_type = "image/jpeg"),
        (status = 304, description = "Not modified"),
        (status = 404, description = "No such item or picture", body = ErrorBody),
        (status = 412, description = "The precondition failed", body = ErrorBody),
    )
)]
pub(crate) async fn get_candidate(
    item: VisibleItem,
    State(app): State<App>,
    Path(ids): Path<(String, String)>,
    ApiQuery(query): ApiQuery<CoverQuery>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let id = parse_id(&ids.1).ok_or(ApiError::NotFound("picture"))?;
    let size = query.size();
    let image = app
        .db
        .read(move |conn| candidate::image(conn, item, CoverCandidateId(id), size))
        .await?;
    versioned(
        image.ok_or(ApiError::NotFound("picture"))?,
        &query,
        &headers,
    )
}

/// Waits for the permit to decode. The decoding task holds the permit, because it continues after
/// its client has disconnected.
async fn decoding() -> ApiResult<SemaphorePermit<'static>> {
    let permit = timeout(body::STALL, DECODING.acquire()).await;
    permit
        .map_err(|_| ApiError::Unavailable)?
        .map_err(ApiError::internal)
}

/// Decodes an uploaded picture, unless it is stored already.
async fn decoded(app: &App, bytes: Vec<u8>) -> ApiResult<StoredPicture> {
    let permit = decoding().await?;
    let app = app.clone();
    let decode = move || {
        let _permit = permit;
        let mut is_stored = Ok(None);
        let connection = app.db.connect_reader()?;
        let made = StoredPicture::uploaded(&bytes, |hash| {
            is_stored = store::hashed(&connection, hash);
            matches!(is_stored, Ok(Some(_)))
        });
        is_stored?;
        Ok::<_, StoreError>(made)
    };
    let made = tokio::task::spawn_blocking(decode).await;
    made.map_err(ApiError::internal)??
        .map_err(|what| ApiError::invalid("cover", format!("It cannot be a cover: {what}.")))
}

/// Returns the pictures in and next to the files of an item.
async fn found(app: &App, item: VisibleItem) -> ApiResult<Vec<FoundPicture>> {
    let permit = decoding().await?;
    let app = app.clone();
    let find = move || {
        let _permit = permit;
        let connection = app.db.connect_reader()?;
        cover::candidates_unscoped(&app, &connection, item.id())
    };
    let found = tokio::task::spawn_blocking(find).await;
    Ok(found.map_err(ApiError::internal)??)
}

fn announce(app: &App, library: LibraryId) {
    app.events.publish(Event::Covers(library));
}

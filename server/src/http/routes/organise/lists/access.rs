//! Lists of requests, with their access checks.

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use ledge_core::App;
use ledge_core::access::Visible;
use ledge_core::http::{ApiError, ApiResult, parse_id};
use ledge_core::store::user_data::lists::user_list::{self, OwnList, ReadableList, UserList};

/// A list that the user can read.
#[derive(Debug)]
pub(crate) struct Readable<L>(pub(crate) ReadableList<L>);

/// A list of the user. Another user's public list is refused.
#[derive(Debug)]
pub(crate) struct Own<L>(pub(crate) OwnList<L>);

/// Returns the error of a list that is absent or not readable.
pub(crate) fn no_list<L: UserList>() -> ApiError {
    ApiError::NotFound(L::NOUN)
}

/// Returns the first segment of the path that has a parameter.
pub(crate) async fn segment<L: UserList>(parts: &mut Parts, app: &App) -> ApiResult<String> {
    let path = Path::<String>::from_request_parts(parts, app).await;
    let Path(segment) = path.map_err(|_| no_list::<L>())?;
    Ok(segment)
}

/// Returns the list with this id if the user of the request can read it.
pub(crate) async fn find<L: UserList>(
    parts: &mut Parts,
    app: &App,
    id: &str,
) -> ApiResult<ReadableList<L>> {
    let visible = Visible::from_request_parts(parts, app).await?;
    let id = parse_id(id).ok_or_else(no_list::<L>)?;
    let found = app
        .db
        .read_inline(move |conn| user_list::find(conn, visible, id))
        .await?;
    found.ok_or_else(no_list::<L>)
}

impl<L: UserList> FromRequestParts<App> for Readable<L> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Self::Rejection> {
        let id = segment::<L>(parts, app).await?;
        find(parts, app, &id).await.map(Self)
    }
}

impl<L: UserList> FromRequestParts<App> for Own<L> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Self::Rejection> {
        let Readable(list) = Readable::from_request_parts(parts, app).await?;
        let refusal = || ApiError::Forbidden(format!("Only the owner can change a {}.", L::NOUN));
        list.own().map(Self).ok_or_else(refusal)
    }
}

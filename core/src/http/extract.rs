//! Extractors that check authorisation: a handler that receives the value may use it.

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;

use super::{ApiError, ApiResult};
use crate::App;
use crate::access::{
    Visible, VisibleFile, VisibleItem, VisibleLibrary, VisiblePerson, VisibleSeries,
};
use crate::id::{FileId, ItemId, LibraryId, PersonId, SeriesId, UserId};

/// User who sent the request. The server's session layer inserts it into the request extensions.
#[derive(Debug, Clone)]
pub struct CurrentUser {
    /// Id of the user.
    pub id: UserId,
    /// `true` if the user is an administrator.
    pub admin: bool,
}

/// Session of the request, as the SHA-256 of its token. A request with an app password has none.
#[derive(Debug, Clone, Copy)]
pub struct CurrentSession(pub [u8; 32]);

impl<S: Send + Sync> FromRequestParts<S> for CurrentSession {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        parts
            .extensions
            .get::<Self>()
            .copied()
            .ok_or(ApiError::Unauthenticated("Sign in first."))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for CurrentUser {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        parts
            .extensions
            .get::<Self>()
            .cloned()
            .ok_or(ApiError::Unauthenticated("Sign in first."))
    }
}

impl CurrentUser {
    /// Checks the administrator role.
    ///
    /// # Errors
    ///
    /// Returns [`ApiError::Forbidden`] for other users.
    pub fn require_admin(&self) -> ApiResult<()> {
        if self.admin {
            return Ok(());
        }
        Err(ApiError::Forbidden(
            "Only an administrator can do this.".to_owned(),
        ))
    }
}

/// A user who is an administrator. Routes of kinds use it, because they are mounted among the
/// routes for all users. Extract it before any id or the body.
#[derive(Debug, Clone)]
pub struct Administrator(pub CurrentUser);

impl<S: Send + Sync> FromRequestParts<S> for Administrator {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let user = CurrentUser::from_request_parts(parts, state).await?;
        user.require_admin()?;
        Ok(Self(user))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Visible {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let user = CurrentUser::from_request_parts(parts, state).await?;
        Ok(Self::of(user.id))
    }
}

/// First id in the path. A segment that is not an integer is answered like an absent id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Id(pub i64);

impl Id {
    async fn of(parts: &mut Parts, noun: &'static str) -> ApiResult<Self> {
        let segments = Path::<Vec<(String, String)>>::from_request_parts(parts, &())
            .await
            .map_err(|_| ApiError::NotFound(noun))?;
        segments
            .first()
            .and_then(|(_, value)| parse_id(value))
            .map(Self)
            .ok_or(ApiError::NotFound(noun))
    }
}

/// Parses an id of a path. Each number has one spelling: without a sign and without leading zeros.
pub fn parse_id(segment: &str) -> Option<i64> {
    let id = is_canonical(segment).then(|| segment.parse().ok());
    id.flatten()
}

fn is_canonical(id: &str) -> bool {
    !id.starts_with('0') && id.bytes().all(|byte| byte.is_ascii_digit())
}

impl<S: Send + Sync> FromRequestParts<S> for Id {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Self::of(parts, "resource").await
    }
}

impl FromRequestParts<App> for VisibleItem {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Self::Rejection> {
        let visible = Visible::from_request_parts(parts, app).await?;
        let id = ItemId(Id::of(parts, "item").await?.0);
        let item = app
            .db
            .read_inline(move |conn| visible.item(conn, id))
            .await?;
        item.ok_or(ApiError::NotFound("item"))
    }
}

/// Item that a request names, before its grant is checked. The statement that reads the item's data
/// checks the grant. This saves the extra read of [`VisibleItem`] as an extractor.
#[derive(Debug, Clone, Copy)]
pub struct AskedItem {
    visible: Visible,
    id: ItemId,
}

impl AskedItem {
    /// Returns the libraries that the requesting user may see.
    pub fn visible(self) -> Visible {
        self.visible
    }

    /// Returns the unchecked id of the item.
    pub fn id(self) -> ItemId {
        self.id
    }
}

impl<S: Send + Sync> FromRequestParts<S> for AskedItem {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        Ok(Self {
            visible: Visible::from_request_parts(parts, state).await?,
            id: ItemId(Id::of(parts, "item").await?.0),
        })
    }
}

impl FromRequestParts<App> for VisibleFile {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Self::Rejection> {
        let visible = Visible::from_request_parts(parts, app).await?;
        let id = FileId(Id::of(parts, "file").await?.0);
        let file = app
            .db
            .read_inline(move |conn| visible.file(conn, id))
            .await?;
        file.ok_or(ApiError::NotFound("file"))
    }
}

impl FromRequestParts<App> for VisibleLibrary {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Self::Rejection> {
        let visible = Visible::from_request_parts(parts, app).await?;
        let id = LibraryId(Id::of(parts, "library").await?.0);
        let library = app
            .db
            .read_inline(move |conn| visible.library(conn, id))
            .await?;
        library.ok_or(ApiError::NotFound("library"))
    }
}

impl FromRequestParts<App> for VisiblePerson {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Self::Rejection> {
        let visible = Visible::from_request_parts(parts, app).await?;
        let id = PersonId(Id::of(parts, "person").await?.0);
        let person = app
            .db
            .read_inline(move |conn| visible.person(conn, id))
            .await?;
        person.ok_or(ApiError::NotFound("person"))
    }
}

impl FromRequestParts<App> for VisibleSeries {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Self::Rejection> {
        let visible = Visible::from_request_parts(parts, app).await?;
        let id = SeriesId(Id::of(parts, "series").await?.0);
        let series = app
            .db
            .read_inline(move |conn| visible.series(conn, id))
            .await?;
        series.ok_or(ApiError::NotFound("series"))
    }
}

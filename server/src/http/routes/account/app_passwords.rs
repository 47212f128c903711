//! App passwords of the user, those of other users for administrators, and the protocols that they
//! open.

use axum::extract::{FromRequestParts, Path, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use ledge_core::App;
use ledge_core::http::protocol::{Protocol, Setup};
use ledge_core::http::{
    ApiError, ApiJson, ApiResult, CurrentUser, ErrorBody, Id, SecretJson, parse_id,
};
use ledge_core::id::{AppPasswordId, UserId};
use ledge_core::paging::Items;
use ledge_core::store::account::app_password::{
    self, AppPassword, AppPasswordPatch, NewAppPassword, Scope, Scopes,
};
use ledge_core::store::account::user;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::users::ExistingUser;
use crate::http::routes::media::links::origin_of;
use crate::http::routes::text::line;
use crate::http::session::app_access::AppAccessService;
use crate::http::session::app_access::secret::Secret;

/// Limit of a name in characters.
const MAX_NAME: usize = 200;

const NO_PASSWORD: ApiError = ApiError::NotFound("app password");

/// A new app password.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "name": "KOReader", "scopes": ["publications", "places"] }))]
pub(crate) struct CreateAppPassword {
    /// Name of the app or of the device.
    #[schema(min_length = 1, max_length = 200)]
    name: String,
    /// Scopes that the app may use; at least one.
    #[schema(min_items = 1, max_items = 100)]
    scopes: Vec<String>,
    /// `true` if a page that an app fetches becomes the progress position.
    #[serde(default)]
    pages_move_place: bool,
}

/// Changes of an app password; an omitted field stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "name": "Phone" }))]
pub(crate) struct UpdateAppPassword {
    #[schema(min_length = 1, max_length = 200)]
    name: Option<String>,
    pages_move_place: Option<bool>,
}

/// A new app password with its secret, which no other response contains.
#[derive(Serialize, ToSchema)]
pub(crate) struct IssuedAppPassword {
    #[serde(flatten)]
    password: AppPassword,
    /// The secret.
    secret: String,
}

/// App password of the user in the path. It is extracted before the body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OwnAppPassword {
    user: UserId,
    id: AppPasswordId,
}

impl FromRequestParts<App> for OwnAppPassword {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Self::Rejection> {
        let user = CurrentUser::from_request_parts(parts, app).await?.id;
        let id = Id::from_request_parts(parts, app).await;
        let id = AppPasswordId(id.map_err(|_| NO_PASSWORD)?.0);
        let read = app.db.read(move |conn| app_password::get(conn, user, id));
        match read.await? {
            Some(_) => Ok(Self { user, id }),
            None => Err(NO_PASSWORD),
        }
    }
}

/// Lists the user's own app passwords in the order of their creation.
#[utoipa::path(
    get, path = "/app-passwords", tag = "auth",
    responses((status = 200, description = "The app passwords", body = Items<AppPassword>)),
)]
pub(crate) async fn list_app_passwords(
    user: CurrentUser,
    State(app): State<App>,
) -> ApiResult<ApiJson<Items<AppPassword>>> {
    of_user(&app, user.id).await
}

async fn of_user(app: &App, user: UserId) -> ApiResult<ApiJson<Items<AppPassword>>> {
    let read = app.db.read(move |conn| app_password::of_user(conn, user));
    Ok(ApiJson(Items { items: read.await? }))
}

/// Creates an app password. The response contains its secret, only this once.
#[utoipa::path(
    post, path = "/app-passwords", tag = "auth",
    request_body = CreateAppPassword,
    responses(
        (status = 201, description = "Created", body = IssuedAppPassword),
        (status = 409, description = "The user has 32 app passwords", body = ErrorBody),
    ),
)]
pub(crate) async fn create_app_password(
    user: CurrentUser,
    State(app): State<App>,
    service: AppAccessService,
    ApiJson(body): ApiJson<CreateAppPassword>,
) -> ApiResult<(StatusCode, SecretJson<IssuedAppPassword>)> {
    let name = line("name", &body.name, MAX_NAME)?;
    let scopes = scopes(&body.scopes)?;
    let (secret, stored) = Secret::generate(service.key());
    let new = NewAppPassword {
        name,
        scopes,
        pages_move_place: body.pages_move_place,
        secret: stored,
    };
    let now = app.clock.now();
    let password = app
        .db
        .write(move |tx| app_password::create(tx, user.id, &new, now))
        .await?;
    let issued = IssuedAppPassword {
        password,
        secret: secret.reveal().to_owned(),
    };
    Ok((StatusCode::CREATED, SecretJson(issued)))
}

fn scopes(names: &[String]) -> ApiResult<Scopes> {
    let scope = |name: &String| {
        let scope = serde_json::from_value::<Scope>(name.as_str().into());
        scope.map_err(|_| ApiError::invalid("scopes", format!("There is no scope `{name}`.")))
    };
    let scopes: Scopes = names.iter().map(scope).collect::<ApiResult<_>>()?;
    if scopes.is_empty() {
        return Err(ApiError::invalid("scopes", "Name at least one scope."));
    }
    Ok(scopes)
}

/// Changes an app password.
#[utoipa::path(
    patch, path = "/app-passwords/{id}", tag = "auth",
    params(("id" = i64, Path, description = "Id of the app password")),
    request_body = UpdateAppPassword,
    responses(
        (status = 200, description = "The app password", body = AppPassword),
        (status = 404, description = "No such app password", body = ErrorBody),
    ),
)]
pub(crate) async fn update_app_password(
    own: OwnAppPassword,
    State(app): State<App>,
    ApiJson(body): ApiJson<UpdateAppPassword>,
) -> ApiResult<ApiJson<AppPassword>> {
    let name = body.name.map(|name| line("name", &name, MAX_NAME));
    let patch = AppPasswordPatch {
        name: name.transpose()?,
        pages_move_place: body.pages_move_place,
    };
    let updated = app
        .db
        .write(move |tx| app_password::update(tx, (own.user, own.id), &patch))
        .await?;
    updated.map(ApiJson).ok_or(NO_PASSWORD)
}

/// Deletes an app password. It ends at once.
#[utoipa::path(
    delete, path = "/app-passwords/{id}", tag = "auth",
    params(("id" = i64, Path, description = "Id of the app password")),
    responses(
        (status = 204, description = "Deleted"),
        (status = 404, description = "No such app password", body = ErrorBody),
    ),
)]
pub(crate) async fn delete_app_password(
    own: OwnAppPassword,
    State(app): State<App>,
) -> ApiResult<StatusCode> {
    delete(&app, own.user, own.id).await
}

async fn delete(app: &App, user: UserId, id: AppPasswordId) -> ApiResult<StatusCode> {
    let deleted = app
        .db
        .write(move |tx| app_password::delete(tx, user, id))
        .await?;
    deleted.then_some(StatusCode::NO_CONTENT).ok_or(NO_PASSWORD)
}

/// Lists the app passwords of a user, without secrets.
#[utoipa::path(
    get, path = "/users/{id}/app-passwords", tag = "users",
    params(("id" = i64, Path, description = "The user's id")),
    responses(
        (status = 200, description = "The app passwords", body = Items<AppPassword>),
        (status = 404, description = "No such user", body = ErrorBody),
    ),
)]
pub(crate) async fn list_app_passwords_of_user(
    user: ExistingUser,
    State(app): State<App>,
) -> ApiResult<ApiJson<Items<AppPassword>>> {
    of_user(&app, user.id()).await
}

/// Deletes an app password of a user.
#[utoipa::path(
    delete, path = "/users/{id}/app-passwords/{password}", tag = "users",
    params(
        ("id" = i64, Path, description = "The user's id"),
        ("password" = i64, Path, description = "Id of the app password"),
    ),
    responses(
        (status = 204, description = "Deleted"),
        (status = 404, description = "No such user or app password", body = ErrorBody),
    ),
)]
pub(crate) async fn delete_app_password_of_user(
    user: ExistingUser,
    State(app): State<App>,
    Path(ids): Path<(String, String)>,
) -> ApiResult<StatusCode> {
    let id = parse_id(&ids.1).map(AppPasswordId).ok_or(NO_PASSWORD)?;
    delete(&app, user.id(), id).await
}

/// A protocol that other programs can use.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ProtocolInfo {
    /// Id of the protocol.
    id: &'static str,
    /// Name of the protocol.
    label: &'static str,
    /// Scope that an app password needs.
    scope: Scope,
    /// Address of the mount.
    address: String,
    /// Address that users enter in an app, which may add the mount itself.
    app_address: String,
    /// Steps that connect an app, as sentences.
    setup: Vec<String>,
}

/// Public address of the server, for addresses in responses.
pub(crate) struct Address(String);

impl<S: Send + Sync> FromRequestParts<S> for Address {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(Self(origin_of(parts).0))
    }
}

/// Lists the enabled protocols with their addresses.
#[utoipa::path(
    get, path = "/protocols", tag = "auth",
    responses((status = 200, description = "The protocols", body = Items<ProtocolInfo>)),
)]
pub(crate) async fn list_protocols(
    user: CurrentUser,
    State(app): State<App>,
    service: AppAccessService,
    Address(origin): Address,
) -> ApiResult<ApiJson<Items<ProtocolInfo>>> {
    let read = app.db.read(move |conn| user::get(conn, user.id));
    let user = read
        .await?
        .ok_or(ApiError::Unauthenticated("Sign in first."))?;
    let info = |protocol: &&'static Protocol| {
        let app_address = format!("{origin}{}", protocol.app_path);
        let setup = Setup {
            address: &app_address,
            username: &user.username,
        };
        ProtocolInfo {
            id: protocol.id,
            label: protocol.label,
            scope: protocol.scope,
            setup: (protocol.setup)(&setup),
            address: format!("{origin}{}", protocol.mount),
            app_address,
        }
    };
    let items = service.protocols().iter().map(info).collect();
    Ok(ApiJson(Items { items }))
}

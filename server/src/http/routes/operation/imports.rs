//! Imports of other programs' data, for administrators.

use std::path::PathBuf;

use axum::extract::State;
use axum::http::StatusCode;
use ledge_core::App;
use ledge_core::http::{ApiError, ApiJson, ApiResult, CurrentUser, ErrorBody, Id};
use ledge_core::id::JobId;
use ledge_core::store::job;
use ledge_core::transfer::import::{
    self, ImportSource, PathMapping, Request, RunningImport, UserMapping,
};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::http::routes::library::scans;
use crate::http::routes::operation::jobs::Queued;

/// Limit of a path in bytes.
const MAX_PATH: usize = 4096;
/// Limit of mappings.
const MAX_MAPPINGS: usize = 1_000;

/// Import of another program's data.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({
    "source": "navidrome", "path": "/srv/old/navidrome.db",
    "map": [{"from": "/music", "to": "/srv/media/Music"}],
    "users": [{"theirs": "ann", "ours": "anna"}], "dry_run": true
}))]
pub(crate) struct StartImport {
    /// Id of the other program.
    source: String,
    /// Database or folder of the other program, on the server.
    path: String,
    /// Second database, for programs that have one.
    #[serde(default)]
    library: Option<String>,
    /// Folders of the other program, and the same folders as Ledge sees them.
    #[serde(default)]
    map: Vec<PathMapping>,
    /// Users of the other program, and the users of Ledge. Equal names need no entry.
    #[serde(default)]
    users: Vec<UserMapping>,
    /// Reports the numbers of an import, and writes nothing.
    #[serde(default)]
    dry_run: bool,
    /// Reads data of unknown versions too.
    #[serde(default)]
    any_version: bool,
}

impl StartImport {
    fn check(self) -> ApiResult<Request> {
        let Some(source) = import::find(&self.source) else {
            let known: Vec<&str> = import::all().iter().map(|source| source.id).collect();
            let message = format!("`source` is one of: {}.", known.join(", "));
            return Err(ApiError::invalid("source", message));
        };
        let library = check_library(source, self.library)?;
        for (field, count) in [("map", self.map.len()), ("users", self.users.len())] {
            if count > MAX_MAPPINGS {
                let message = format!("`{field}` has at most {MAX_MAPPINGS} entries.");
                return Err(ApiError::invalid(field, message));
            }
        }
        if self.map.iter().any(|entry| entry.from.trim().is_empty()) {
            return Err(ApiError::invalid("map", "`from` is a folder."));
        }
        Ok(Request {
            source: self.source,
            path: check_path("path", self.path)?,
            library,
            map: self.map,
            users: self.users,
            dry_run: self.dry_run,
            any_version: self.any_version,
        })
    }
}

fn check_library(source: &ImportSource, path: Option<String>) -> ApiResult<Option<PathBuf>> {
    match (source.library, path) {
        (Some(_), Some(path)) => check_path("library", path).map(Some),
        (None, None) => Ok(None),
        (Some(name), None) => {
            let message = format!("{} also needs the path of {name}.", source.label);
            Err(ApiError::invalid("library", message))
        }
        (None, Some(_)) => {
            let message = format!("{} has one database only.", source.label);
            Err(ApiError::invalid("library", message))
        }
    }
}

fn check_path(field: &'static str, path: String) -> ApiResult<PathBuf> {
    if !path.starts_with('/') || path.len() > MAX_PATH || path.contains('\0') {
        let message = format!("`{field}` is an absolute path on the server.");
        return Err(ApiError::invalid(field, message));
    }
    Ok(path.into())
}

/// Starts an import as a background job.
#[utoipa::path(
    post, path = "/imports", tag = "system",
    request_body = StartImport,
    responses(
        (status = 202, description = "Queued", body = Queued),
    ),
)]
pub(crate) async fn start_import(
    user: CurrentUser,
    State(app): State<App>,
    ApiJson(body): ApiJson<StartImport>,
) -> ApiResult<(StatusCode, ApiJson<Queued>)> {
    let request = body.check()?;
    let (user, now) = (user.id, app.clock.now());
    let (job_id, job) = app
        .db
        .write(move |tx| {
            let id = import::request(tx, user, request, now)?;
            Ok((id, job::get(tx, id)?))
        })
        .await?;
    scans::announce(&app, job);
    Ok((StatusCode::ACCEPTED, ApiJson(Queued { job_id })))
}

/// Returns the state and the numbers of an import.
#[utoipa::path(
    get, path = "/imports/{id}", tag = "system",
    params(("id" = i64, Path, description = "The id of the import's job")),
    responses(
        (status = 200, description = "The import", body = RunningImport),
        (status = 404, description = "No such import", body = ErrorBody),
    ),
)]
pub(crate) async fn get_import(
    State(app): State<App>,
    id: ApiResult<Id>,
) -> ApiResult<ApiJson<RunningImport>> {
    const NOT_FOUND: ApiError = ApiError::NotFound("import");
    let job = id.map(|Id(id)| JobId(id)).map_err(|_| NOT_FOUND)?;
    let found = app.db.read(move |conn| import::get(conn, job)).await?;
    found.map(ApiJson).ok_or(NOT_FOUND)
}

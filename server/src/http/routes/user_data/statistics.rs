//! Statistics of the user's own sessions, and sums over all users for administrators.

mod query;
mod svg;

use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use ledge_core::App;
use ledge_core::access::Visible;
use ledge_core::http::content::disposition::attachment;
use ledge_core::http::{
    ApiError, ApiJson, ApiQuery, ApiResult, CompressibleJson, CurrentUser, ErrorBody, PageQuery,
    parse_id,
};
use ledge_core::paging::Page;
use ledge_core::store::user_data::statistics::range::{Bounds, DateRange};
use ledge_core::store::user_data::statistics::server::{self, ServerOverview};
use ledge_core::store::user_data::statistics::session_list::{self, Session};
use ledge_core::store::user_data::statistics::year::{self, YearOverview};
use ledge_core::store::user_data::statistics::{self, Overview, csv};

use query::{ByQuery, ExportFormat, ExportQuery, RangeQuery, ZoneQuery};

/// Sums the user's sessions of a range of dates.
///
/// The time of items that are no longer visible is part of the totals, of periods and of kinds. It
/// is absent from authors, genres and items.
#[utoipa::path(
    get, path = "/stats", tag = "statistics",
    params(RangeQuery, ByQuery),
    responses(
        (status = 200, description = "The sums", body = Overview),
    ),
)]
pub(crate) async fn get_stats(
    visible: Visible,
    State(app): State<App>,
    ApiQuery(range): ApiQuery<RangeQuery>,
    ApiQuery(by): ApiQuery<ByQuery>,
) -> ApiResult<ApiJson<Overview>> {
    let range = DateRange::parse(&range.params(), app.clock.now())?;
    let registry = app.registry.clone();
    let overview = app
        .db
        .read(move |conn| statistics::overview(conn, &registry, visible, &range, by.by))
        .await?;
    Ok(ApiJson(overview))
}

/// Deletes all sessions of the user.
#[utoipa::path(
    delete, path = "/stats", tag = "statistics",
    responses(
        (status = 204, description = "Deleted"),
    ),
)]
pub(crate) async fn delete_stats(
    user: CurrentUser,
    State(app): State<App>,
) -> ApiResult<StatusCode> {
    app.db
        .write(move |tx| statistics::delete_all(tx, user.id))
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns the user's year.
#[utoipa::path(
    get, path = "/stats/year/{year}", tag = "statistics",
    params(
        ("year" = i16, Path, description = "The year", minimum = 1, maximum = 9998),
        ZoneQuery,
    ),
    responses(
        (status = 200, description = "The year", body = YearOverview),
        (status = 404, description = "No such year", body = ErrorBody),
    ),
)]
pub(crate) async fn get_year(
    visible: Visible,
    State(app): State<App>,
    Path(segment): Path<String>,
    ApiQuery(zone): ApiQuery<ZoneQuery>,
) -> ApiResult<Response> {
    const NO_YEAR: ApiError = ApiError::NotFound("year");
    let picture = segment.strip_suffix(".svg");
    let number = parse_id(picture.unwrap_or(&segment));
    let number = number.and_then(|number| i16::try_from(number).ok());
    let number = number.ok_or(NO_YEAR)?;
    let zone = zone.params().zone()?;
    let range = DateRange::of_year(number, zone).ok_or(NO_YEAR)?;
    let registry = app.registry.clone();
    let year = app
        .db
        .read(move |conn| year::year(conn, &registry, visible, &range))
        .await?;
    Ok(match picture {
        Some(_) => picture_of(&year),
        None => ApiJson(year).into_response(),
    })
}

/// Description of the picture. The router passes its requests to the handler of the year, because
/// it cannot match a part of a segment.
#[derive(utoipa::OpenApi)]
#[openapi(paths(get_year_picture))]
pub(crate) struct YearPictureDoc;

/// Returns the user's year as a picture.
#[utoipa::path(
    get, path = "/stats/year/{year}.svg", tag = "statistics",
    params(
        ("year" = i16, Path, description = "The year", minimum = 1, maximum = 9998),
        ZoneQuery,
    ),
    responses(
        (status = 200, description = "The picture", body = String, content_type = "image/svg+xml"),
        (status = 404, description = "No such year", body = ErrorBody),
    ),
)]
#[expect(dead_code, reason = "only the OpenAPI document uses it")]
fn get_year_picture() {}

fn picture_of(year: &YearOverview) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "image/svg+xml"),
        (header::CACHE_CONTROL, "private, no-cache"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; sandbox",
        ),
    ];
    (headers, svg::draw(year)).into_response()
}

/// Lists the user's sessions that touch a range of dates, the newest first. An absent end of the
/// range is open.
#[utoipa::path(
    get, path = "/stats/sessions", tag = "statistics",
    params(RangeQuery, PageQuery),
    responses(
        (status = 200, description = "The sessions", body = Page<Session>),
    ),
)]
pub(crate) async fn list_sessions(
    visible: Visible,
    State(app): State<App>,
    ApiQuery(range): ApiQuery<RangeQuery>,
    ApiQuery(page): ApiQuery<PageQuery>,
) -> ApiResult<ApiJson<Page<Session>>> {
    let (bounds, window) = (Bounds::parse(&range.params())?, page.window()?);
    let page = app
        .db
        .read(move |conn| session_list::page(conn, visible, bounds, window))
        .await?;
    Ok(ApiJson(page))
}

/// Exports the user's sessions that touch a range of dates, the oldest first. An absent end of the
/// range is open.
#[utoipa::path(
    get, path = "/stats/export", tag = "statistics",
    params(ExportQuery, RangeQuery),
    responses(
        (status = 200, description = "The sessions", content(
            (String = "text/csv"),
            (Vec<Session> = "application/json"),
        )),
    ),
)]
pub(crate) async fn export_sessions(
    visible: Visible,
    State(app): State<App>,
    ApiQuery(query): ApiQuery<ExportQuery>,
    ApiQuery(range): ApiQuery<RangeQuery>,
) -> ApiResult<Response> {
    let bounds = Bounds::parse(&range.params())?;
    let sessions = app
        .db
        .read(move |conn| session_list::all(conn, visible, bounds))
        .await?;
    let mut response = match query.format {
        ExportFormat::Json => ApiJson(sessions).into_response(),
        ExportFormat::Csv => {
            let mime = [(header::CONTENT_TYPE, "text/csv; charset=utf-8")];
            (
                axum::Extension(CompressibleJson),
                mime,
                csv::of_sessions(&sessions),
            )
                .into_response()
        }
    };
    let name = match query.format {
        ExportFormat::Json => "statistics.json",
        ExportFormat::Csv => "statistics.csv",
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_DISPOSITION, attachment(name));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// Sums the sessions of all users by period or by kind, without titles and names.
#[utoipa::path(
    get, path = "/stats/server", tag = "statistics",
    params(RangeQuery, ByQuery),
    responses(
        (status = 200, description = "The sums, with the numbers of users", body = ServerOverview),
    ),
)]
pub(crate) async fn get_server_stats(
    State(app): State<App>,
    ApiQuery(range): ApiQuery<RangeQuery>,
    ApiQuery(by): ApiQuery<ByQuery>,
) -> ApiResult<ApiJson<ServerOverview>> {
    let range = DateRange::parse(&range.params(), app.clock.now())?;
    let registry = app.registry.clone();
    let overview = app
        .db
        .read(move |conn| server::overview_unscoped(conn, &registry, &range, by.by))
        .await?;
    Ok(ApiJson(overview))
}

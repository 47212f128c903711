//! The server itself: health, version, kinds and the OpenAPI document.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use ledge_core::App;
use ledge_core::db::migrate;
use ledge_core::http::{ApiError, ApiJson, ApiResult, CompressibleJson, ErrorBody};
use ledge_core::paging::Items;
use ledge_core::registry::{MediaKind, PartName, Shape, Subkind, Unit};
use serde::Serialize;
use utoipa::ToSchema;

use crate::http::openapi::ApiDocument;
use crate::version::commit;

/// Timeout of the database in a health check.
const HEALTH_PATIENCE: Duration = Duration::from_secs(5);

/// The server is healthy.
#[derive(Serialize, ToSchema)]
pub(crate) struct Health {
    /// Always `ok`.
    status: &'static str,
}

/// Version of the program.
#[derive(Serialize, ToSchema)]
pub(crate) struct VersionInfo {
    /// Always `ledge`.
    name: &'static str,
    /// Version of the program.
    version: &'static str,
    /// Commit of the build, if it is known.
    commit: Option<&'static str>,
    /// Version of the API, as in its paths.
    api: &'static str,
    /// Schema version of the database.
    schema: usize,
}

/// A media kind with the data for its presentation.
#[derive(Serialize, ToSchema)]
pub(crate) struct MediaType {
    /// Id of the kind.
    id: &'static str,
    /// Name of one item.
    label: &'static str,
    /// Name of the kind.
    label_plural: &'static str,
    /// Path data of a 24×24 stroked icon.
    icon: &'static str,
    /// Hue of the kind's colour in degrees.
    hue: u16,
    /// Shape in which an item is displayed.
    shape: Shape,
    /// Usual width of a cover divided by its height.
    aspect: f64,
    /// Verb for the use of an item.
    verb: &'static str,
    /// Default unit of positions; a file may have another one.
    unit: Unit,
    /// Subkinds of the kind in order; lists can be filtered by them.
    subkinds: Vec<SubkindLabels>,
    /// File extensions, without the dot.
    extensions: Vec<&'static str>,
    /// Viewer of each file extension.
    viewers: BTreeMap<&'static str, &'static str>,
}

impl From<&MediaKind> for MediaType {
    fn from(kind: &MediaKind) -> Self {
        Self {
            id: kind.id,
            label: kind.label,
            label_plural: kind.label_plural,
            icon: kind.icon,
            hue: kind.hue,
            shape: kind.shape,
            aspect: kind.aspect,
            verb: kind.verb,
            unit: kind.unit,
            subkinds: kind.subkinds.iter().map(Into::into).collect(),
            extensions: kind.formats.iter().map(|format| format.extension).collect(),
            viewers: kind
                .formats
                .iter()
                .map(|format| (format.extension, format.viewer))
                .collect(),
        }
    }
}

/// A subkind of a kind.
#[derive(Serialize, ToSchema)]
pub(crate) struct SubkindLabels {
    /// Id within the kind.
    id: &'static str,
    /// Name of one item, in English.
    label: &'static str,
    /// Name of several items, in English.
    label_plural: &'static str,
    /// The labels in other languages, by language tag.
    labels: BTreeMap<&'static str, TranslatedLabels>,
    /// Name of one of several parts of such an item.
    part: PartName,
}

/// The labels of a subkind in one language.
#[derive(Serialize, ToSchema)]
pub(crate) struct TranslatedLabels {
    /// Name of one item.
    label: &'static str,
    /// Name of several items.
    label_plural: &'static str,
}

impl From<&Subkind> for SubkindLabels {
    fn from(subkind: &Subkind) -> Self {
        let labels = subkind.translations.iter().map(|translation| {
            let labels = TranslatedLabels {
                label: translation.label,
                label_plural: translation.label_plural,
            };
            (translation.language, labels)
        });
        Self {
            id: subkind.id,
            label: subkind.label,
            label_plural: subkind.label_plural,
            labels: labels.collect(),
            part: subkind.part,
        }
    }
}

/// Checks that the server and its database respond.
#[utoipa::path(
    get,
    path = "/healthz",
    tag = "system",
    security(()),
    responses(
        (status = 200, description = "The server is healthy", body = Health),
        (status = 503, description = "The database does not respond", body = ErrorBody),
    )
)]
pub(crate) async fn healthz(State(app): State<App>) -> ApiResult<ApiJson<Health>> {
    let asked = app.db.read(migrate::version);
    match tokio::time::timeout(HEALTH_PATIENCE, asked).await {
        Ok(Ok(_)) => Ok(ApiJson(Health { status: "ok" })),
        Ok(Err(error)) => {
            tracing::error!(%error, "the database does not respond");
            Err(ApiError::Unavailable)
        }
        Err(_) => Err(ApiError::Unavailable),
    }
}

/// Returns the version of the program.
#[utoipa::path(
    get,
    path = "/version",
    tag = "system",
    security(()),
    responses((status = 200, description = "The version", body = VersionInfo))
)]
pub(crate) async fn get_version() -> ApiJson<VersionInfo> {
    ApiJson(VersionInfo {
        name: "ledge",
        version: env!("CARGO_PKG_VERSION"),
        commit: commit(),
        api: "v1",
        // A server migrates its database to this version before its first response.
        schema: migrate::LATEST,
    })
}

/// Lists the registered media kinds.
#[utoipa::path(
    get,
    path = "/media-types",
    tag = "system",
    security(()),
    responses((status = 200, description = "The kinds, by rank", body = Items<MediaType>))
)]
pub(crate) async fn list_media_types(State(app): State<App>) -> ApiJson<Items<MediaType>> {
    let items = app.registry.kinds().iter().map(|kind| (*kind).into());
    ApiJson(Items {
        items: items.collect(),
    })
}

/// Returns this document.
#[utoipa::path(
    get,
    path = "/openapi.json",
    tag = "system",
    responses(
        (status = 200, description = "The OpenAPI 3.1 document", body = Object),
    )
)]
pub(crate) async fn get_openapi(Extension(document): Extension<ApiDocument>) -> Response {
    let json = [(header::CONTENT_TYPE, "application/json")];
    (Extension(CompressibleJson), json, document.json()).into_response()
}

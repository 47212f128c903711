//! The server about itself: health, version, kinds, the OpenAPI document.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use ledge_core::App;
use ledge_core::db::migrate;
use ledge_core::http::{ApiError, ApiJson, ApiResult, CompressibleJson, ErrorBody, Items};
use ledge_core::registry::{MediaKind, PartName, Shape, Subkind, Unit};
use serde::Serialize;
use utoipa::ToSchema;

use crate::router::ApiDocument;
use crate::version::commit;

/// A database that takes longer than this does not answer.
const HEALTH_PATIENCE: Duration = Duration::from_secs(5);

/// All is well.
#[derive(Serialize, ToSchema)]
pub(crate) struct Health {
    /// Always `ok`.
    status: &'static str,
}

/// Which program this is.
#[derive(Serialize, ToSchema)]
pub(crate) struct VersionInfo {
    /// Always `ledge`.
    name: &'static str,
    /// The program's version.
    version: &'static str,
    /// The commit it was built from, where that is known.
    commit: Option<&'static str>,
    /// The API's version, as in its paths.
    api: &'static str,
    /// The database's schema version.
    schema: usize,
}

/// All that is needed to show a kind.
#[derive(Serialize, ToSchema)]
pub(crate) struct MediaType {
    /// Identifier of the kind.
    id: &'static str,
    /// Name of one item.
    label: &'static str,
    /// Name of the kind.
    label_plural: &'static str,
    /// Path data of a 24×24 stroked icon.
    icon: &'static str,
    /// Hue of the kind's colour in degrees.
    hue: u16,
    /// The object an item looks like.
    shape: Shape,
    /// Usual width of a cover divided by its height.
    aspect: f64,
    /// What a person does with an item.
    verb: &'static str,
    /// What positions count where a file does not say otherwise.
    unit: Unit,
    /// The sorts of its items, in order; lists can be filtered by them.
    subkinds: Vec<SubkindLabels>,
    /// File extensions, without the dot.
    extensions: Vec<&'static str>,
    /// Which viewer opens a file, by its extension.
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

/// A sort of items within a kind.
#[derive(Serialize, ToSchema)]
pub(crate) struct SubkindLabels {
    /// Identifier within the kind.
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

/// Whether the server and its database answer.
#[utoipa::path(
    get,
    path = "/healthz",
    tag = "system",
    security(()),
    responses(
        (status = 200, description = "All is well", body = Health),
        (status = 503, description = "The database does not answer", body = ErrorBody),
    )
)]
pub(crate) async fn healthz(State(app): State<App>) -> ApiResult<ApiJson<Health>> {
    let asked = app.db.read_aside(migrate::version);
    match tokio::time::timeout(HEALTH_PATIENCE, asked).await {
        Ok(Ok(_)) => Ok(ApiJson(Health { status: "ok" })),
        Ok(Err(error)) => {
            tracing::error!(%error, "the database does not answer");
            Err(ApiError::Unavailable)
        }
        Err(_) => Err(ApiError::Unavailable),
    }
}

/// Which program this is.
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
        // A server brings its database to this one before it answers.
        schema: migrate::LATEST,
    })
}

/// The kinds of media this server knows.
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

/// This document.
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

//! Playback: the registered engines, and the check if a client's engines play a file.

use axum::extract::State;
use ledge_core::App;
use ledge_core::access::Visible;
use ledge_core::http::{ApiError, ApiJson, ApiResult, ErrorBody};
use ledge_core::id::{FileId, ItemId};
use ledge_core::paging::Items;
use ledge_core::playback::{Candidate, Offer};
use ledge_core::registry::{PlaybackEngine, Registry};
use ledge_core::store::file::playback::{self, PlayedFile};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Limit of engines per request.
const MAX_ENGINES: usize = 32;
/// Limit of an engine id in bytes.
const MAX_ID: usize = 64;

/// A playback engine that clients may have.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Engine {
    /// Id of the engine.
    id: &'static str,
    /// Name of the engine for users.
    label: &'static str,
    /// Supported containers.
    containers: &'static [&'static str],
    /// Supported video codecs, as named by ffprobe.
    vcodecs: &'static [&'static str],
    /// Supported audio codecs, as named by ffprobe.
    acodecs: &'static [&'static str],
}

impl From<&PlaybackEngine> for Engine {
    fn from(engine: &PlaybackEngine) -> Self {
        Self {
            id: engine.id,
            label: engine.label,
            containers: engine.containers,
            vcodecs: engine.vcodecs,
            acodecs: engine.acodecs,
        }
    }
}

/// A file to play, and the engines of the client.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "item_id": 1, "engines": ["html5", "mpv"] }))]
pub(crate) struct ResolveRequest {
    /// Id of the item.
    item_id: ItemId,
    /// Id of one of its files; the default is the file to continue with, otherwise the first file.
    file_id: Option<FileId>,
    /// Engine ids in order of preference; unknown ids are ignored.
    #[schema(max_items = 32)]
    engines: Vec<String>,
}

/// Playability of a file.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Resolution {
    /// `true` if one of the engines plays the file.
    playable: bool,
    /// First engine that plays the file.
    engine: Option<&'static str>,
    /// First obstacle if no engine plays the file: `missing`, `kind:KIND`, `engines:none`,
    /// `unprobed`, `vcodec:X`, `acodec:X`, `container:X`.
    reason: Option<String>,
    /// The checked file; null if the item has no file.
    file: Option<ResolvedFile>,
}

/// File of a playability check.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ResolvedFile {
    /// Id of the file.
    id: FileId,
    /// Container format, as a short name.
    container: Option<String>,
    /// Video codec, as named by ffprobe.
    vcodec: Option<String>,
    /// Audio codec, as named by ffprobe.
    acodec: Option<String>,
    /// Width of the picture in pixels.
    width: Option<i64>,
    /// Height of the picture in pixels.
    height: Option<i64>,
    /// URL of the file's bytes.
    content_url: String,
}

impl From<PlayedFile> for ResolvedFile {
    fn from(file: PlayedFile) -> Self {
        Self {
            id: file.id,
            container: file.codecs.container,
            vcodec: file.codecs.vcodec,
            acodec: file.codecs.acodec,
            width: file.width,
            height: file.height,
            content_url: format!("/api/v1/files/{}/content", file.id),
        }
    }
}

/// Lists the engines that clients may have, with their formats.
#[utoipa::path(
    get, path = "/playback/engines", tag = "playback",
    responses(
        (status = 200, description = "The engines, by rank", body = Items<Engine>),
    ),
)]
pub(crate) async fn list_engines(State(app): State<App>) -> ApiJson<Items<Engine>> {
    let engines = app.registry.engines().iter().map(|engine| (*engine).into());
    ApiJson(Items {
        items: engines.collect(),
    })
}

/// Checks if one of the client's engines plays a file directly; the server never transcodes.
#[utoipa::path(
    post, path = "/playback/resolve", tag = "playback",
    request_body = ResolveRequest,
    responses(
        (status = 200, description = "The playability, with the reason if it does not play", body = Resolution),
        (status = 404, description = "No such item", body = ErrorBody),
        (status = 422, description = "Not acceptable, or a file of another item", body = ErrorBody),
    ),
)]
pub(crate) async fn resolve_playback(
    visible: Visible,
    State(app): State<App>,
    ApiJson(request): ApiJson<ResolveRequest>,
) -> ApiResult<ApiJson<Resolution>> {
    let offer = offer(&app.registry, request.engines.iter().map(String::as_str))?;
    let (item, file) = (request.item_id, request.file_id);
    let found = app.db.read_inline(move |conn| {
        let Some(item) = visible.item(conn, item)? else {
            return Ok(None);
        };
        let played = match file {
            Some(file) => playback::file(conn, item, file)?,
            None => playback::next_file(conn, item)?,
        };
        Ok(playback::kind(conn, item)?.map(|kind| (kind, played)))
    });
    let (kind, played) = found.await?.ok_or(ApiError::NotFound("item"))?;
    if file.is_some() && played.is_none() {
        let message = "The item has no such file.";
        return Err(ApiError::invalid("file_id", message));
    }
    Ok(ApiJson(resolution(&offer, &kind, played)))
}

fn resolution(offer: &Offer, kind: &str, played: Option<PlayedFile>) -> Resolution {
    let unknown = ledge_core::playback::Codecs::default();
    let answer = offer.resolve(Candidate {
        kind,
        missing: played.as_ref().is_none_or(|file| file.missing),
        codecs: played.as_ref().map_or(&unknown, |file| &file.codecs),
    });
    Resolution {
        playable: answer.is_ok(),
        engine: answer.as_ref().ok().map(|engine| engine.id),
        reason: answer.err().map(|obstacle| obstacle.to_string()),
        file: played.map(ResolvedFile::from),
    }
}

/// Returns the engines with these ids. Rejects too many or too long ids.
fn offer<'a>(registry: &Registry, ids: impl Iterator<Item = &'a str> + Clone) -> ApiResult<Offer> {
    if ids.clone().count() > MAX_ENGINES || ids.clone().any(|id| id.len() > MAX_ID) {
        let message = "At most 32 engines, with identifiers of at most 64 bytes.";
        return Err(ApiError::invalid("engines", message));
    }
    Ok(Offer::of(registry, ids))
}

/// Engines of the client.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct EnginesQuery {
    /// Engine ids, separated by commas. The cards then state if one of the engines plays the item.
    engines: Option<String>,
}

impl EnginesQuery {
    pub(crate) fn offer(&self, registry: &Registry) -> ApiResult<Option<Offer>> {
        offer_of_list(registry, self.engines.as_deref())
    }
}

/// Parses engine ids separated by commas. Returns `None` if the list is absent or empty.
pub(crate) fn offer_of_list(registry: &Registry, list: Option<&str>) -> ApiResult<Option<Offer>> {
    let list = list.filter(|list| !list.is_empty());
    list.map(|list| offer(registry, list.split(',').map(str::trim)))
        .transpose()
}

//! Playback: the engines that are known, and whether a client's engines play a file.

use axum::extract::State;
use ledge_core::App;
use ledge_core::access::Visible;
use ledge_core::http::{ApiError, ApiJson, ApiResult, ErrorBody, Items};
use ledge_core::id::{FileId, ItemId};
use ledge_core::playback::{Candidate, Offer};
use ledge_core::registry::{PlaybackEngine, Registry};
use ledge_core::store::playback::{self, PlayedFile};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Engines a client may offer at once.
const MAX_ENGINES: usize = 32;
/// Longest identifier of an engine, in bytes.
const MAX_ID: usize = 64;

/// A player that clients may have.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Engine {
    /// Identifier.
    id: &'static str,
    /// Name for people.
    label: &'static str,
    /// Containers it opens.
    containers: &'static [&'static str],
    /// Video codecs it decodes, in ffprobe's names.
    vcodecs: &'static [&'static str],
    /// Audio codecs it decodes, in ffprobe's names.
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

/// What a client wants to play, and with what.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "item_id": 1, "engines": ["html5", "mpv"] }))]
pub(crate) struct ResolveRequest {
    /// The item.
    item_id: ItemId,
    /// One of its files; left out, the one to continue with, else the first.
    file_id: Option<FileId>,
    /// The client's engines, the preferred one first; unknown ones are passed over.
    #[schema(max_items = 32)]
    engines: Vec<String>,
}

/// Whether a file plays.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Resolution {
    /// Whether one of the engines plays it.
    playable: bool,
    /// The first engine that does.
    engine: Option<&'static str>,
    /// The first obstacle where none does: `missing`, `kind:KIND`, `engines:none`, `unprobed`,
    /// `vcodec:X`, `acodec:X`, `container:X`.
    reason: Option<String>,
    /// The file; null where the item has none.
    file: Option<ResolvedFile>,
}

/// The file that was asked about.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ResolvedFile {
    /// Its id.
    id: FileId,
    /// Container, in one word.
    container: Option<String>,
    /// Video codec, in ffprobe's name.
    vcodec: Option<String>,
    /// Audio codec, in ffprobe's name.
    acodec: Option<String>,
    /// Width of the picture in pixels.
    width: Option<i64>,
    /// Height of the picture in pixels.
    height: Option<i64>,
    /// Where its bytes are served.
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

/// The engines a client may offer, with what they play.
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

/// Whether one of the client's engines plays a file as it is; nothing is ever converted.
#[utoipa::path(
    post, path = "/playback/resolve", tag = "playback",
    request_body = ResolveRequest,
    responses(
        (status = 200, description = "Whether it plays, and if not, why", body = Resolution),
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
    let found = app.db.read_few(move |conn| {
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

/// The engines of these identifiers; too many or too long ones are refused.
fn offer<'a>(registry: &Registry, ids: impl Iterator<Item = &'a str> + Clone) -> ApiResult<Offer> {
    if ids.clone().count() > MAX_ENGINES || ids.clone().any(|id| id.len() > MAX_ID) {
        let message = "At most 32 engines, with identifiers of at most 64 bytes.";
        return Err(ApiError::invalid("engines", message));
    }
    Ok(Offer::of(registry, ids))
}

/// The player that is asked about.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct EnginesQuery {
    /// Engines, with commas between: the cards then say whether one of them plays the item.
    engines: Option<String>,
}

impl EnginesQuery {
    pub(crate) fn offer(&self, registry: &Registry) -> ApiResult<Option<Offer>> {
        offer_of_list(registry, self.engines.as_deref())
    }
}

/// The engines of a list with commas; `None` where it is left out or empty.
pub(crate) fn offer_of_list(registry: &Registry, list: Option<&str>) -> ApiResult<Option<Offer>> {
    let list = list.filter(|list| !list.is_empty());
    list.map(|list| offer(registry, list.split(',').map(str::trim)))
        .transpose()
}

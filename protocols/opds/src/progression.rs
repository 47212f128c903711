//! Progress of a file, in the form of OPDS Progression and in the older form of Readium.

mod document;
mod readium;
mod sent;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use ledge_core::App;
use ledge_core::access::{Visible, VisibleFile, VisibleItem};
use ledge_core::http::protocol::{Origin, Params};
use ledge_core::http::publications::exchange::{self, Current, Received};
use ledge_core::http::{ApiError, ApiResult, parse_id};
use ledge_core::store::user_data::foreign::ForeignProgress;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::addresses::Addresses;
use crate::publication::{mime_of, offered};
use crate::publications;
use sent::Sent;

const NO_FILE: ApiError = ApiError::NotFound("file");

/// Parameter that selects the older form, and its value. The `Accept` header selects it as well.
pub(crate) const FORM: (&str, &str) = ("form", "readium");

/// Form of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// OPDS Progression 1.0.
    Progression,
    /// Locator of Readium, as in the interface of Cantook.
    Readium,
}

impl Form {
    /// Returns the media type.
    pub(crate) fn mime(self) -> &'static str {
        match self {
            Self::Progression => "application/opds-progression+json",
            Self::Readium => "application/vnd.readium.progression+json",
        }
    }

    /// Returns the identifier in the database.
    fn as_str(self) -> &'static str {
        match self {
            Self::Progression => "progression",
            Self::Readium => "readium",
        }
    }

    /// Returns the form that a request asks for.
    fn wanted(params: &Params, headers: &HeaderMap) -> Self {
        let (name, value) = FORM;
        let lines = headers.get_all(header::ACCEPT).iter();
        let mut lines = lines.filter_map(|line| line.to_str().ok());
        let is_accepted = lines.any(|line| {
            line.contains(Self::Readium.mime()) && !line.contains(Self::Progression.mime())
        });
        if is_accepted || params.first(name) == Some(value) {
            Self::Readium
        } else {
            Self::Progression
        }
    }
}

/// File whose progress is exchanged.
#[derive(Debug)]
struct Target {
    file: VisibleFile,
    kind: String,
    name: String,
    mime: &'static str,
    /// Length in the file's unit.
    extent: Option<i64>,
    instance: Uuid,
}

impl Target {
    /// Returns the file that the parameter `file` names. Without it, the file to continue with.
    async fn find(
        app: &App,
        visible: Visible,
        item: VisibleItem,
        params: &Params,
    ) -> ApiResult<Self> {
        let named = params.first("file");
        let named = named
            .map(|text| parse_id(text).ok_or(NO_FILE))
            .transpose()?;
        let (instance, detail) = publications::detail(app, visible, item).await?;
        let wanted = named.or(detail.continue_file_id.map(|id| id.0));
        let found = offered(&detail).find(|file| Some(file.id.0) == wanted);
        let found = match (found, named) {
            (None, None) => offered(&detail).next(),
            (found, _) => found,
        };
        let found = found.ok_or(NO_FILE)?;
        let id = found.id;
        let read = app.db.read_inline(move |conn| visible.file(conn, id));
        Ok(Self {
            file: read.await?.ok_or(NO_FILE)?,
            mime: mime_of(app, &detail, found),
            name: found.name.clone(),
            extent: found.extent,
            kind: detail.card.kind,
            instance,
        })
    }
}

/// Returns the progress of a file. The body is empty without progress.
pub(crate) async fn get(
    item: VisibleItem,
    visible: Visible,
    State(app): State<App>,
    origin: Origin,
    params: Params,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let target = Target::find(&app, visible, item, &params).await?;
    let form = Form::wanted(&params, &headers);
    let stored = exchange::current(&app, target.file).await?;
    let document = match stored {
        Some(current) => {
            Some(describe(&app, &target, &Addresses::v2(origin), form, current).await?)
        }
        None => None,
    };
    Ok(respond(StatusCode::OK, form.mime(), document.as_ref()))
}

/// Stores the progress of a file.
pub(crate) async fn put(
    item: VisibleItem,
    visible: Visible,
    State(app): State<App>,
    origin: Origin,
    params: Params,
    body: Result<Bytes, BytesRejection>,
) -> ApiResult<Response> {
    let target = Target::find(&app, visible, item, &params).await?;
    let schemes = exchange::schemes(&target.kind, &target.name);
    let sent = body
        .ok()
        .and_then(|body| Sent::parse(&body, schemes, target.extent));
    let Some(sent) = sent else {
        return Ok(problem(&INVALID));
    };
    let is_first = exchange::current(&app, target.file).await?.is_none();
    let form = sent.form;
    if !save(&app, target.file, sent).await? {
        return Ok(problem(&LATE));
    }
    if form == Form::Readium {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let current = exchange::current(&app, target.file).await?.ok_or(NO_FILE)?;
    let document = describe(&app, &target, &Addresses::v2(origin), form, current).await?;
    let status = if is_first {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    Ok(respond(status, form.mime(), Some(&document)))
}

/// Saves a position. Returns `false` if the stored progress is newer.
async fn save(app: &App, file: VisibleFile, sent: Sent) -> ApiResult<bool> {
    let now = app.clock.now();
    let received = Received {
        finished: exchange::is_end(sent.position.fraction),
        row: ForeignProgress {
            protocol: crate::PROTOCOL.id.to_owned(),
            scheme: sent.form.as_str().to_owned(),
            value: sent.document.to_string(),
            fraction: sent.position.fraction,
            device: sent.device,
            device_id: sent.device_id,
            at: sent.modified.min(now),
        },
        position: sent.position,
    };
    // A time in the future counts as now.
    let saved = exchange::save(app, file, received, None, sent.modified >= now).await?;
    Ok(saved.ok_or(NO_FILE)?.applied)
}

/// Returns the document of stored progress: the one that an app sent in the same form, if the
/// progress is still its own.
async fn describe(
    app: &App,
    target: &Target,
    addresses: &Addresses,
    form: Form,
    current: Current,
) -> ApiResult<Value> {
    let foreign = current.foreign.as_ref();
    let own = foreign
        .filter(|row| row.protocol == crate::PROTOCOL.id && row.scheme == form.as_str())
        .and_then(sent::stored);
    match (own, form) {
        (Some(document), _) => Ok(document),
        (None, Form::Progression) => document::write(app, target, &current.place).await,
        (None, Form::Readium) => readium::write(app, target, addresses, &current.place).await,
    }
}

/// Returns this server as the device of a document.
fn device(target: &Target) -> Value {
    json!({ "id": target.instance.urn().to_string(), "name": "Ledge" })
}

fn respond(status: StatusCode, mime: &'static str, document: Option<&Value>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(mime)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (header::VARY, HeaderValue::from_static("accept")),
    ];
    let body = document.map(Value::to_string).unwrap_or_default();
    (status, headers, Body::from(body)).into_response()
}

/// Refused document: status, name of the error in the registry of OPDS, and title.
type Problem = (StatusCode, &'static str, &'static str);

const INVALID: Problem = (
    StatusCode::BAD_REQUEST,
    "progression-invalid-payload",
    "The document is not valid.",
);

const LATE: Problem = (
    StatusCode::CONFLICT,
    "progression-date",
    "The stored progress is newer.",
);

fn problem((status, name, title): &Problem) -> Response {
    let document = json!({
        "type": format!("https://registry.opds.io/error#{name}"),
        "title": title,
        "status": status.as_u16(),
    });
    respond(*status, "application/problem+json", Some(&document))
}

//! Progress of documents.

use axum::extract::rejection::{BytesRejection, PathRejection};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use bytes::Bytes;
use ledge_core::App;
use ledge_core::Timestamp;
use ledge_core::access::{Visible, VisibleFile};
use ledge_core::http::publications::exchange::{self, Current, Received};
use ledge_core::http::publications::places::{Foreign, Scheme};
use ledge_core::http::{ApiError, ApiResult};
use ledge_core::store::catalogue::instance;
use ledge_core::store::file::digest;
use ledge_core::store::user_data::foreign::{self, ForeignProgress};
use serde_json::{Value, json};

use crate::message::{Message, is_document};
use crate::reply;

/// Schemes that the programs understand.
const SCHEMES: &[Scheme] = &[Scheme::XPointer, Scheme::Page1];

/// Saves the position of a document.
pub(crate) async fn update(
    visible: Visible,
    State(app): State<App>,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let Ok(body) = body else {
        let message = "The body has at most 1 MiB.".to_owned();
        return reply::server_error(ApiError::PayloadTooLarge(message));
    };
    let message = match Message::parse(&body) {
        Ok(message) => message,
        Err((code, text)) => return reply::error(StatusCode::FORBIDDEN, code, text),
    };
    let document = message.document.clone();
    match save(&app, visible, message).await {
        Ok(at) => reply::value(
            StatusCode::OK,
            &json!({ "document": document, "timestamp": seconds(at) }),
        ),
        Err(error) => reply::server_error(error),
    }
}

async fn save(app: &App, visible: Visible, message: Message) -> ApiResult<Timestamp> {
    let now = app.clock.now();
    let row = ForeignProgress {
        protocol: crate::PROTOCOL.id.to_owned(),
        scheme: message.scheme().as_str().to_owned(),
        value: message.progress.clone(),
        fraction: message.percentage,
        device: message.device.clone(),
        device_id: message.device_id.clone(),
        at: now,
    };
    if let Some(file) = keep_unknown(app, visible, &message.document, &row).await? {
        let received = Received {
            position: Foreign {
                scheme: message.scheme(),
                value: message.progress,
                fraction: message.percentage,
            },
            finished: exchange::is_end(message.percentage),
            row: row.clone(),
        };
        let document = message.document.clone();
        let saved = exchange::save(app, file, received, Some(document), true).await?;
        if let Some(saved) = saved {
            return Ok(saved.at);
        }
        // The file or its grant has vanished meanwhile, so that it is an unknown document.
        keep_unknown(app, visible, &message.document, &row).await?;
    }
    Ok(now)
}

/// Returns the file of a document. If no file matches, stores the position under the document's
/// name, in the same transaction.
async fn keep_unknown(
    app: &App,
    visible: Visible,
    document: &str,
    row: &ForeignProgress,
) -> ApiResult<Option<VisibleFile>> {
    let (document, row) = (document.to_owned(), row.clone());
    let kept = app.db.write(move |tx| {
        let file = digest::matching(tx, visible, &document)?;
        if file.is_none() {
            foreign::set_of_document(tx, visible.user(), &document, &row)?;
        }
        Ok(file)
    });
    Ok(kept.await?)
}

/// Returns the position of a document.
pub(crate) async fn get(
    visible: Visible,
    State(app): State<App>,
    document: Result<Path<String>, PathRejection>,
) -> Response {
    // A name that is not UTF-8 cannot be stored, so it is unknown like any other.
    let document = document.map(|Path(document)| document).ok();
    let Some(document) = document.filter(|document| is_document(document)) else {
        return reply::value(StatusCode::OK, &json!({}));
    };
    match find(&app, visible, &document).await {
        Ok(found) => reply::value(StatusCode::OK, &found.unwrap_or_else(|| json!({}))),
        Err(error) => reply::server_error(error),
    }
}

async fn find(app: &App, visible: Visible, document: &str) -> ApiResult<Option<Value>> {
    let name = document.to_owned();
    let read = app.db.read_inline(move |conn| {
        let file = digest::matching(conn, visible, &name)?;
        let unknown = foreign::of_document(conn, visible.user(), &name)?;
        Ok((file, unknown))
    });
    match read.await? {
        (Some(file), unknown) => {
            if unknown.is_some() {
                exchange::adopt(app, visible.user(), document.to_owned()).await?;
            }
            of_file(app, visible, file, document).await
        }
        (None, unknown) => Ok(unknown.map(|row| verbatim(document, &row))),
    }
}

/// Returns the newest progress of all files that match the document. A missing file may have it; the
/// position is then converted in `file`, a present copy.
async fn of_file(
    app: &App,
    visible: Visible,
    file: VisibleFile,
    document: &str,
) -> ApiResult<Option<Value>> {
    let name = document.to_owned();
    let read = app
        .db
        .read_inline(move |conn| digest::matching_with_newest_progress(conn, visible, &name));
    let newest = read.await?.unwrap_or(file);
    let Some(Current { place, foreign }) = exchange::current(app, newest).await? else {
        return Ok(None);
    };
    let foreign = foreign.filter(|foreign| foreign.protocol == crate::PROTOCOL.id);
    if let Some(row) = foreign {
        return Ok(Some(verbatim(document, &row)));
    }
    let described = exchange::describe(app, file, &place, SCHEMES).await?;
    let percentage = truncated(described.fraction);
    let progress = described.value.map(|(_, value)| value);
    let id = app.db.read_inline(instance::uuid).await?;
    Ok(Some(json!({
        "document": document,
        "progress": progress.unwrap_or_else(|| percentage.to_string()),
        "percentage": percentage,
        "device": "Ledge",
        "device_id": format!("{:032x}", u128::from_be_bytes(id)),
        "timestamp": seconds(place.updated_at),
    })))
}

/// Returns a position as the program sent it.
fn verbatim(document: &str, row: &ForeignProgress) -> Value {
    let mut found = json!({
        "document": document,
        "progress": row.value,
        "percentage": row.fraction,
        "device": row.device,
        "timestamp": seconds(row.at),
    });
    if let (Some(id), Some(fields)) = (&row.device_id, found.as_object_mut()) {
        fields.insert("device_id".to_owned(), json!(id));
    }
    found
}

fn seconds(at: Timestamp) -> i64 {
    at.as_micros().div_euclid(1_000_000)
}

/// Truncates a fraction to four digits, so that an unfinished book never appears finished.
fn truncated(fraction: f64) -> f64 {
    (fraction * 10_000.0).floor() / 10_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_truncated_to_four_digits() {
        for (fraction, expected) in [(0.0, 0.0), (0.123_49, 0.1234), (0.999_99, 0.9999)] {
            assert!((truncated(fraction) - expected).abs() < 1e-9);
        }
        assert!((truncated(1.0) - 1.0).abs() < 1e-9);
    }
}

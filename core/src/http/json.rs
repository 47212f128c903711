//! JSON bodies and query parameters, rejected with the API's own errors.

use std::collections::HashSet;
use std::io;

use axum::Extension;
use axum::extract::rejection::{BytesRejection, JsonRejection};
use axum::extract::{FromRequest, FromRequestParts, Json, Query, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, Uri, Version, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use super::{ApiError, ApiResult};

const NOT_JSON: ApiError = ApiError::UnsupportedMediaType("application/json");

/// JSON body of a request or response. Request types deny unknown fields, so that a typing error is
/// reported.
#[derive(Debug, Clone, Copy)]
pub struct ApiJson<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for ApiJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, Self::Rejection> {
        if !is_json(request.headers()) {
            return Err(NOT_JSON);
        }
        let body = match Bytes::from_request(request, state).await {
            Ok(body) => body,
            Err(rejection) => return Err(unread(&rejection)),
        };
        // Serde would also accept a list with the values in the order of the fields.
        if body.trim_ascii_start().starts_with(b"[") && malformed(&body).is_none() {
            return Err(ApiError::invalid("body", "The body must be a JSON object."));
        }
        match Json::<T>::from_bytes(&body) {
            Ok(Json(value)) => Ok(Self(value)),
            Err(rejection) => Err(refuse(&rejection, &body)),
        }
    }
}

/// Accepts a request without a body. A body that is present must be JSON.
impl<T: DeserializeOwned, S: Send + Sync> axum::extract::OptionalFromRequest<S> for ApiJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Option<Self>, Self::Rejection> {
        let headers = request.headers();
        // HTTP/1 announces a body by header fields, later versions by the stream.
        let empty = match headers.get(header::CONTENT_LENGTH) {
            Some(length) => length == "0",
            None if request.version() <= Version::HTTP_11 => {
                !headers.contains_key(header::TRANSFER_ENCODING)
            }
            None => http_body::Body::is_end_stream(request.body()),
        };
        if empty {
            return Ok(None);
        }
        // With chunked transfer encoding, an empty body is only known at its end.
        if !headers.contains_key(header::CONTENT_TYPE) {
            let body = Bytes::from_request(request, state).await;
            let empty = body.is_ok_and(|bytes| bytes.is_empty());
            return empty.then_some(None).ok_or(NOT_JSON);
        }
        <Self as FromRequest<S>>::from_request(request, state)
            .await
            .map(Some)
    }
}

/// Initial capacity in bytes, sufficient for most responses without reallocation.
const ANSWER: usize = 4096;

/// Buffer for a response. The serializer mostly writes single bytes (quotes, colons, commas), which
/// the writer of `Vec` would copy like longer slices.
struct Answer(Vec<u8>);

impl io::Write for Answer {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match bytes {
            [byte] => self.0.push(*byte),
            bytes => self.0.extend_from_slice(bytes),
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Response extension: the body is JSON that may be compressed.
#[derive(Debug, Clone, Copy)]
pub struct CompressibleJson;

impl<T: Serialize> IntoResponse for ApiJson<T> {
    fn into_response(self) -> Response {
        (Extension(CompressibleJson), SecretJson(self.0)).into_response()
    }
}

/// JSON response with a secret, such as a session token. It is never compressed, because the length
/// of a compressed body depends on the secret.
#[derive(Debug, Clone, Copy)]
pub struct SecretJson<T>(pub T);

impl<T: Serialize> IntoResponse for SecretJson<T> {
    fn into_response(self) -> Response {
        let mut json = Answer(Vec::with_capacity(ANSWER));
        if let Err(error) = serde_json::to_writer(&mut json, &self.0) {
            return ApiError::Internal(error.into()).into_response();
        }
        let headers = [
            (header::CONTENT_TYPE, "application/json"),
            (header::CACHE_CONTROL, "no-store"),
        ];
        (headers, json.0).into_response()
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let value = headers.get(header::CONTENT_TYPE);
    let text = value.and_then(|value| value.to_str().ok()).unwrap_or("");
    let essence = text.split(';').next().unwrap_or(text);
    let essence = essence.trim().to_ascii_lowercase();
    essence == "application/json"
        || (essence.starts_with("application/") && essence.ends_with("+json"))
}

fn unread(rejection: &BytesRejection) -> ApiError {
    if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE {
        let message =
            "The body is too large: JSON has at most 1 MiB, and at most 64 KiB at the login.";
        ApiError::PayloadTooLarge(message.to_owned())
    } else {
        ApiError::BadRequest("The body could not be read.".to_owned())
    }
}

/// Returns the error for a rejected body. The body itself is checked for malformed JSON:
/// deserialisation stops at the first unsuitable value, and reports some of these values as
/// malformed.
fn refuse(rejection: &JsonRejection, body: &[u8]) -> ApiError {
    if let Some(fault) = malformed(body) {
        return ApiError::BadRequest(format!("The body is not valid JSON: {fault}."));
    }
    let message = source_text(rejection);
    ApiError::invalid(field_in(&message), sentence(&message))
}

fn malformed(body: &[u8]) -> Option<String> {
    match std::str::from_utf8(body) {
        Ok(text) => serde_json::from_str::<IgnoredAny>(text)
            .err()
            .map(|error| error.to_string()),
        Err(error) => Some(error.to_string()),
    }
}

/// Returns the text of the innermost cause, without axum's introduction.
fn source_text(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

/// Returns the field that a deserialisation error concerns: the path before the colon, or the name
/// that serde puts between backticks. For a list element, it returns the name of the list.
fn field_in(message: &str) -> String {
    let backticked = || message.split('`').nth(1);
    let path = message
        .split_once(": ")
        .map(|(path, _)| path)
        .filter(|path| !path.contains(' ') && *path != "." && !path.is_empty());
    let named = ["unknown field", "missing field", "duplicate field"];
    let named = named.iter().any(|text| message.contains(text));
    let field = if named { backticked() } else { path };
    let field = field.and_then(|field| field.split('[').next());
    field.unwrap_or("body").to_owned()
}

fn sentence(message: &str) -> String {
    let text = message.split(" at line ").next().unwrap_or(message);
    format!("The body is not acceptable: {text}.")
}

/// Query parameters that may be repeated: the last value counts. Otherwise like [`ApiQuery`].
#[derive(Debug, Clone, Copy)]
pub struct ApiLastQuery<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for ApiLastQuery<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let query = last_of_each(parts.uri.query().unwrap_or_default())?;
        let uri = Uri::try_from(format!("/?{query}"))
            .map_err(|_| ApiError::invalid("query", "The query is not acceptable."))?;
        let mut last = Request::new(()).into_parts().0;
        last.uri = uri;
        let ApiQuery(value) = ApiQuery::from_request_parts(&mut last, state).await?;
        Ok(Self(value))
    }
}

/// Reduces a query to the last parameter of each name.
fn last_of_each(query: &str) -> ApiResult<String> {
    let unreadable = || ApiError::invalid("query", "The query is not acceptable.");
    let name = |parameter: &str| -> ApiResult<Option<String>> {
        let uri = Uri::try_from(format!("/?{parameter}")).map_err(|_| unreadable())?;
        let Query(pairs) =
            Query::<Vec<(String, String)>>::try_from_uri(&uri).map_err(|_| unreadable())?;
        Ok(pairs.into_iter().next().map(|(name, _)| name))
    };
    let mut names = HashSet::new();
    let mut last = Vec::new();
    for parameter in query.split('&').rev() {
        if names.insert(name(parameter)?) {
            last.push(parameter);
        }
    }
    last.reverse();
    Ok(last.join("&"))
}

/// Query parameters. Unknown and empty parameters are ignored.
#[derive(Debug, Clone, Copy)]
pub struct ApiQuery<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for ApiQuery<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        match Query::<T>::from_request_parts(parts, state).await {
            Ok(Query(value)) => Ok(Self(value)),
            Err(rejection) => {
                let message = source_text(&rejection);
                Err(ApiError::invalid(
                    field_in(&message),
                    format!("The query is not acceptable: {message}."),
                ))
            }
        }
    }
}

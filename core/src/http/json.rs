//! JSON bodies and query parameters, refused with the API's own errors.

use axum::extract::rejection::JsonRejection;
use axum::extract::{FromRequest, FromRequestParts, Json, Query, Request};
use axum::http::request::Parts;
use axum::http::{Version, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::ApiError;

/// A JSON body in, or out. Request types deny unknown fields: a typo must not be ignored.
#[derive(Debug, Clone, Copy)]
pub struct ApiJson<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for ApiJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, Self::Rejection> {
        match Json::<T>::from_request(request, state).await {
            Ok(Json(value)) => Ok(Self(value)),
            Err(rejection) => Err(refuse(&rejection)),
        }
    }
}

/// A body may be left out altogether; what is sent is JSON.
impl<T: DeserializeOwned, S: Send + Sync> axum::extract::OptionalFromRequest<S> for ApiJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Option<Self>, Self::Rejection> {
        let headers = request.headers();
        // HTTP/1 tells by header fields whether there is a body; later versions by the stream.
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
        <Self as FromRequest<S>>::from_request(request, state)
            .await
            .map(Some)
    }
}

impl<T: Serialize> IntoResponse for ApiJson<T> {
    fn into_response(self) -> Response {
        ([(header::CACHE_CONTROL, "no-store")], Json(self.0)).into_response()
    }
}

fn refuse(rejection: &JsonRejection) -> ApiError {
    match rejection {
        JsonRejection::MissingJsonContentType(_) => ApiError::UnsupportedMediaType,
        JsonRejection::JsonDataError(error) => {
            let message = source_text(error);
            ApiError::invalid(field_in(&message), sentence(&message))
        }
        JsonRejection::JsonSyntaxError(error) => ApiError::BadRequest(format!(
            "The body is no valid JSON: {}.",
            source_text(error)
        )),
        rejection if rejection.status() == axum::http::StatusCode::PAYLOAD_TOO_LARGE => {
            ApiError::PayloadTooLarge("The body is larger than 1 MiB.".to_owned())
        }
        _ => ApiError::BadRequest("The body could not be read.".to_owned()),
    }
}

/// The innermost cause, without axum's preamble.
fn source_text(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

/// The field a deserialisation error is about: the path before the colon, or the name that serde
/// puts between backticks.
fn field_in(message: &str) -> String {
    let backticked = || message.split('`').nth(1);
    let path = message
        .split_once(": ")
        .map(|(path, _)| path)
        .filter(|path| !path.contains(' ') && *path != "." && !path.is_empty());
    let named = message.contains("unknown field") || message.contains("missing field");
    let field = if named { backticked() } else { path };
    field.unwrap_or("body").to_owned()
}

fn sentence(message: &str) -> String {
    let text = message.split(" at line ").next().unwrap_or(message);
    format!("The body is not acceptable: {text}.")
}

/// Query parameters; unknown ones are ignored, as are empty ones.
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
